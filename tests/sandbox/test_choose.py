"""Which executor is used: the first that proves itself, and never none at all."""

from collections.abc import Sequence

import pytest

from bot.sandbox import choose as module
from bot.sandbox.choose import candidates, choose
from bot.sandbox.protocol import Capabilities
from bot.settings import Settings
from tests.support.sandbox import StandIn


def fake(name: str, *, usable: bool) -> StandIn:
    return StandIn(name=name, problem="" if usable else f"install {name}")


@pytest.mark.parametrize(
    ("usable", "chosen"), [((True, True), "first"), ((False, True), "second"), ((True, False), "first")]
)
def test_the_first_that_is_usable(monkeypatch: pytest.MonkeyPatch, usable: Sequence[bool], chosen: str) -> None:
    fakes = [fake(name, usable=flag) for name, flag in zip(("first", "second"), usable, strict=True)]
    monkeypatch.setattr(module, "candidates", lambda *_: iter(fakes))
    found = choose(Settings())
    assert not isinstance(found, Capabilities)
    assert found.name == chosen


def test_where_none_is_usable_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = [fake(name, usable=False) for name in ("first", "second")]
    monkeypatch.setattr(module, "candidates", lambda *_: iter(fakes))
    found = choose(Settings())
    assert isinstance(found, Capabilities)
    assert (found.usable, found.problem) == (False, "first: install first; second: install second")


def test_automatically_code_stays_on_this_machine() -> None:
    assert [executor.name for executor in candidates(Settings(executor="auto"))] == ["bubblewrap", "container"]
    assert [executor.name for executor in candidates(Settings(executor="bubblewrap"))] == ["bubblewrap"]
    assert [executor.name for executor in candidates(Settings(executor="actions"))] == ["actions"]
