"""Bouncer's own small projects, each with an issue, the right change for it, and tests hidden from its author."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class OwnCase:
    """before: the project's files with its visible tests. after: those that the right change leaves otherwise, perhaps
    with a test of its own. shown: a test of the issue's example, where the change brings none. hidden: tests that the
    right change passes, and no version that is wrong. All as path -> text.

    issue: its first line is the title.
    """

    id: str
    issue: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    shown: Mapping[str, str]
    hidden: Mapping[str, str]


@cache
def own_cases() -> tuple[OwnCase, ...]:
    """All of them, by name."""
    folder = files("lab.variants") / "cases"
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".toml")), key=lambda each: each.name)
    return tuple(_case(each.name.removesuffix(".toml"), tomllib.loads(each.read_text("utf-8"))) for each in found)


def _case(name: str, row: Mapping[str, Mapping[str, str]]) -> OwnCase:
    return OwnCase(name, str(row["issue"]), row["before"], row["after"], row.get("shown", {}), row["hidden"])
