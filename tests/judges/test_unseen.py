"""What shows nothing is written out in code and taken out of prose."""

from bot.judges.fence import apparent, hides, stripped
from tests.support.cases import cases


@cases
def test_what_shows_nothing_is_shown(text: str, shown: str) -> None:
    assert apparent(text) == shown


@cases
def test_prose_is_left_with_what_shows(text: str, left: str) -> None:
    assert stripped(text) == left


def test_line_ends_hide_nothing() -> None:
    assert not hides("one\r\ntwo\tthree")
    assert hides("one\u200btwo")
