"""What can be chosen is in one table each, and everything made from it agrees."""

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.registry import AUTO, EXECUTORS, JUDGES, Choice, names
from bot.sandbox.choose import candidates
from bot.settings import Settings, SettingsError, load


@pytest.mark.parametrize("entry", (*EXECUTORS, *JUDGES), ids=lambda entry: entry.name)
def test_each_is_there_and_is_called_so(entry: Choice) -> None:
    assert callable(entry.load().from_settings)
    if entry in EXECUTORS:
        (found,) = candidates(Settings(executor=entry.name))
        assert found.name == entry.name


def test_without_a_word_nothing_sends_code_elsewhere() -> None:
    assert [each.name for each in candidates(Settings(executor=AUTO))] == ["bubblewrap", "container"]


@pytest.mark.parametrize(
    ("command", "choices"),
    [
        (["judge", "issue"], names(JUDGES)),
        (["judge", "pull"], (*names(each for each in JUDGES if each.of_patches), AUTO, *names(EXECUTORS))),
        (["sandbox", "probe"], (AUTO, *names(EXECUTORS))),
        (["verify"], (AUTO, *names(EXECUTORS))),
        (["fixed"], (AUTO, *names(EXECUTORS))),
    ],
)
def test_the_command_line_offers_them(command: list[str], choices: tuple[str, ...]) -> None:
    told = CliRunner().invoke(main, [*command, "--help"]).output
    assert all(choice in told for choice in choices)


@pytest.mark.parametrize(("setting", "entries"), [("judge", JUDGES), ("executor", EXECUTORS)])
def test_settings_take_these_and_nothing_else(setting: str, entries: tuple[Choice, ...]) -> None:
    for name in names(entries):
        assert getattr(load(**{setting: name}), setting) == name
    with pytest.raises(SettingsError, match=f"BOUNCER_{setting.upper()}: give one of .*{entries[-1].name}"):
        load(**{setting: "bare"})
