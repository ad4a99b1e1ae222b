"""What shows nothing is written out in code and taken out of prose."""

import pytest

from bot.judges.fence import apparent, hides, stripped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x = 'a'\n\ty\r\n", "x = 'a'\n\ty\n"),
        ("a\u200bb", "a\\u{200b}b"),
        ("\u202eabc\u2066", "\\u{202e}abc\\u{2066}"),
        ("".join(chr(0xE0000 + ord(c)) for c in "no"), "\\u{e006e}\\u{e006f}"),
        ("\x00\x1b[0m", "\\u{0}\\u{1b}[0m"),
        ("x\U000e0161\U000e0162", "x\\u{e0161}\\u{e0162}"),
        ("é 漢 🙂", "é 漢 🙂"),
    ],
)
def test_what_shows_nothing_is_shown(text: str, shown: str) -> None:
    assert apparent(text) == shown


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\u200bb", "ab"),
        ("\u202eabc\u2066", "abc"),
        ("x\U000e0161\U000e0162", "x"),
        ("one\r\n\ttwo", "one\n\ttwo"),
        ("é 漢 🙂", "é 漢 🙂"),
    ],
)
def test_prose_is_left_with_what_shows(text: str, left: str) -> None:
    assert stripped(text) == left


def test_line_ends_hide_nothing() -> None:
    assert not hides("one\r\ntwo\tthree")
    assert hides("one\u200btwo")
