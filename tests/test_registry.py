"""What can be chosen is in one table each, and everything made from it agrees."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.judges.calibration.calibration import bounces
from bot.judges.offline.rules import RULES
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import Judgement
from bot.policy_choices import Strictness
from bot.registry import AUTO, EXECUTORS, JUDGES, Choice, names
from bot.sandbox.choose import candidates
from bot.settings import Settings, SettingsError, load
from bot.verdicts import IssueKind, SpecificationLabel
from tests.support import sandbox
from tests.support.cases import cases

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("entry", (*EXECUTORS, *JUDGES), ids=lambda entry: entry.name)
def test_each_is_there_and_is_called_so(entry: Choice) -> None:
    assert callable(entry.load().from_settings)
    if entry in EXECUTORS:
        (found,) = candidates(Settings(executor=entry.name))
        assert found.name == entry.name


@pytest.mark.parametrize("entry", [each for each in JUDGES if not each.asks_model], ids=lambda entry: entry.name)
def test_an_offline_judge_says_itself_what_holds(entry: Choice) -> None:
    """Else the cuts that were made for language models would count for it."""
    judge = entry.load().from_settings(Settings(), MemorySpend())
    assert judge.name == entry.load().NAME
    answer = Judgement(SpecificationLabel.IMPOSSIBLE_TO_SOLVE, 1.0, IssueKind.BUG, judge.name, {}, rule=RULES[0].name)
    assert bounces(answer, Strictness.STRICT)
    assert not bounces(replace(answer, probability=0.0, rule="unknown"), Strictness.STRICT)


def test_the_web_process_may_import_no_executor() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (edge,) = (each for each in contracts if each.get("source_modules") == ["webhooks"])
    assert {entry.module for entry in EXECUTORS} <= set(edge["forbidden_modules"])


def test_each_executor_of_this_machine_is_attacked() -> None:
    """The hostile programs of tests/sandbox run in all of those that run code here."""
    attacked = {sandbox.BUBBLEWRAP.name, sandbox.CONTAINER.name}
    assert attacked == {entry.name for entry in EXECUTORS} - {"actions"}


def test_without_a_word_nothing_sends_code_elsewhere() -> None:
    assert [each.name for each in candidates(Settings(executor=AUTO))] == ["bubblewrap", "container"]


@cases
def test_the_command_line_offers_them(command: list[str], choices: tuple[str, ...]) -> None:
    told = CliRunner().invoke(main, [*command, "--help"]).output
    assert all(choice in told for choice in choices)


@pytest.mark.parametrize(("setting", "entries"), [("judge", JUDGES), ("executor", EXECUTORS)])
def test_settings_take_these_and_nothing_else(setting: str, entries: tuple[Choice, ...]) -> None:
    for name in names(entries):
        assert getattr(load(**{setting: name}), setting) == name
    with pytest.raises(SettingsError, match=f"BOUNCER_{setting.upper()}: give one of .*{entries[-1].name}"):
        load(**{setting: "bare"})
