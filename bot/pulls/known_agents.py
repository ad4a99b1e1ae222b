"""The coding agents Bouncer knows, and the bots that are none: the rows of `known_agents.toml`; beside them a policy's
own."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

from pydantic import Field

from bot.changes.readers import beside
from bot.policy import Agents, AgentSigns, Login, PolicySection


class KnownAgent(AgentSigns):
    """One coding agent. names: how an author's name ends, whatever the address."""

    name: Annotated[str, Field(min_length=1)]
    names: tuple[str, ...] = ()


class Service(PolicySection):
    """Bots that are no coding agents.

    agents_describe: agents work under these accounts, too, so that what they describe may be an agent's own words.
    """

    logins: tuple[Login, ...]
    agents_describe: bool = False


class _Known(PolicySection):
    agent: tuple[KnownAgent, ...]
    service: tuple[Service, ...]


_KNOWN = beside(__file__, _Known)
KNOWN_AGENTS = _KNOWN.agent
SERVICES: Mapping[str, Service] = {login.lower(): each for each in _KNOWN.service for login in each.logins}


# What agents are recognised by: a key of `KnownAgent` -> a sign in lower case -> the agent's name; empty for one of the
# policy's.
SignTable = Mapping[str, Mapping[str, str]]


@lru_cache(maxsize=256)
def signs_of(agents: Agents) -> SignTable:
    """Those that Bouncer knows, and then those of a policy."""
    rows = [*((agent.name, agent) for agent in KNOWN_AGENTS), ("", agents)]

    def by(key: str) -> dict[str, str]:
        return {sign.lower(): name for name, row in rows for sign in getattr(row, key, ())}

    return {key: by(key) for key in KnownAgent.model_fields if key != "name"}
