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
    """One of them. module: has `from_settings`. says: what it is, for people. when: when to choose it.

    by_default: of an executor, whether it is tried where nobody says which.
    of_patches: of a judge, whether it judges pull requests as well. asks_model: of a judge, whether it asks one; the
    module of any other has its NAME, `holds(judgement, strictness)`, `held_label(strictness)` and `labelled_issues()`.
    """

    name: str
    module: str
    says: str
    when: str = ""
    by_default: bool = False
    of_patches: bool = False
    asks_model: bool = False

    def load(self) -> ModuleType:
        """Its module."""
        return import_module(self.module)


EXECUTORS = (
    Choice(
        "bubblewrap",
        "bot.sandbox.bubblewrap",
        "in Linux namespaces on this machine",
        when="you can install it: it is the fastest and needs no image",
        by_default=True,
    ),
    Choice(
        "container",
        "bot.sandbox.container",
        "in one podman or docker container for each job",
        when="bubblewrap does not work on this machine",
        by_default=True,
    ),
    Choice(
        "actions",
        "bot.github.actions",
        "on GitHub's machines, in a public runner repository",
        when="this machine can isolate nothing; public repositories only",
    ),
)
JUDGES = (
    Choice("offline", "bot.judges.offline.issues", "fitted weights", of_patches=True),
    Choice(
        "openai",
        "bot.judges.openai.issues",
        "a model behind an OpenAI-compatible endpoint",
        of_patches=True,
        asks_model=True,
    ),
)
AUTO = "auto"


def names(entries: Iterable[Choice]) -> tuple[str, ...]:
    return tuple(entry.name for entry in entries)


def by_name(entries: Iterable[Choice], name: str) -> Choice:
    """The entry of this name. Raises `KeyError`."""
    return {entry.name: entry for entry in entries}[name]


def describe(entries: Iterable[Choice]) -> str:
    """Their names with what they are, for a description."""
    return "; ".join(f"`{entry.name}`: {entry.says}" for entry in entries)
