"""What is a risk by what a file is: each trick beside its honest twin."""

import re

import pytest

from bot.changes.read import read_change
from bot.changes.risks.catalogue import CHECKS, FAMILIES, risks
from bot.changes.risks.values import Find, Holds
from bot.changes.values import Change
from tests.changes.parts import change_of
from tests.support.cases import cases

ALWAYS, NEVER = Holds.ALWAYS, Holds.NEVER


def told(change: Change) -> set[tuple[str, Holds]]:
    return {(risk.check, risk.holds) for risk in risks(change)}


@cases
def test_files_that_a_person_must_see(path: str, check: str) -> None:
    assert told(change_of((path, "a\n", "b\n"))) == {(check, ALWAYS)}


@cases
def test_ordinary_files(path: str) -> None:
    assert told(change_of((path, "a\n", "b\n"))) == set()


def test_a_file_that_is_moved_away_is_a_risk_too() -> None:
    diff = "diff --git a/CODEOWNERS b/old.txt\nsimilarity index 100%\nrename from CODEOWNERS\nrename to old.txt\n"
    assert told(read_change(diff)) == {("owners_changed", ALWAYS)}


@cases
def test_modes(header: str, expected: set[tuple[str, Holds]]) -> None:
    assert told(read_change(f"diff --git a/run b/run\n{header}")) == expected


@cases
def test_newer_versions_of_what_runs_already_are_shown(path: str, before: str, after: str, holds: Holds) -> None:
    assert told(change_of((path, f"a\n{before}\n", f"a\n{after}\n"))) == {("ci_changed", holds)}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_check_has_its_name_on_the_list(family: Find) -> None:
    assert set(re.findall(r"`(\w+)`", family.__doc__ or "")) <= CHECKS
