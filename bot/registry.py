"""What there is several of to choose from, one table each. Settings, the command line, the docs and `bouncer doctor`
are made from these; a module is imported once it is asked for.

A new executor or offline judge is a file of its own and a line here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType


@dataclass(frozen=True, slots=True)
class Choice:
    """One of them. module: has `from_settings`. says: what it is, for people.

    by_default: of an executor, whether it is tried where nobody says which. of_patches: of a judge, whether it judges
    pull requests as well.
    """

    name: str
    module: str
    says: str
    by_default: bool = False
    of_patches: bool = False

    def load(self) -> ModuleType:
        """Its module."""
        return import_module(self.module)


EXECUTORS = (
    Choice("bubblewrap", "bot.sandbox.bubblewrap", "in namespaces of this machine", by_default=True),
    Choice("container", "bot.sandbox.container", "in a fresh container", by_default=True),
    Choice("actions", "bot.sandbox.actions", "in a runner repository on GitHub Actions"),
)
JUDGES = (
    Choice("offline", "bot.judges.offline.rules", "rules", of_patches=True),
    Choice("offline-fitted", "bot.judges.offline.issues", "weights fitted on SWE-bench's issues"),
    Choice("openai", "bot.judges.openai.judge", "a model behind an OpenAI-compatible endpoint", of_patches=True),
)
AUTO = "auto"


def names(entries: Iterable[Choice]) -> tuple[str, ...]:
    return tuple(entry.name for entry in entries)


def by_name(entries: Iterable[Choice], name: str) -> Choice:
    """The entry of this name. Raises `KeyError`."""
    return {entry.name: entry for entry in entries}[name]


def listed(entries: Iterable[Choice]) -> str:
    """Their names with what they are, for a description."""
    return "; ".join(f"`{entry.name}`: {entry.says}" for entry in entries)
