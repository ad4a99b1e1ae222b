"""The tests of ours that must fail: each does, and what shows them costs little."""

import unittest

import pytest

from bot.verification.testing.inside.session import CANARIES

OF_UNITTEST = [body for _, body in CANARIES if "unittest" in body]


def run(body: str) -> None:
    names: dict[str, object] = {}
    body = body.replace("left", "3").replace("right", "4")
    exec(f"def canary():\n import pytest, unittest\n {body}\ncanary()", names)


@pytest.mark.parametrize("body", OF_UNITTEST)
def test_it_fails_unless_what_it_asks_looks_at_nothing(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        run(body)
    for name in ("assertEqual", "assertTrue"):
        monkeypatch.setattr(unittest.TestCase, name, lambda *_, **__: None)
    run(body)


def test_one_alone_has_pytest_parse_unittests_own_file() -> None:
    """Which takes a tenth of a short run."""
    shown = []
    for body in OF_UNITTEST:
        with pytest.raises(AssertionError) as failed:
            run(body)
        shown.append(any(str(each.path) == unittest.case.__file__ for each in failed.traceback))
    assert sorted(shown) == [False, True]
