"""Patterns of paths: what they match, and that none takes long."""

import re

from hypothesis import given
from hypothesis import strategies as st

from bot.child_process import run_in_child
from bot.globs import matches
from tests.support.cases import cases


@cases
def test_what_a_pattern_matches(pattern: str, text: str, found: bool) -> None:
    assert matches(pattern, text) is found


def _expression(pattern: str) -> str:
    pieces = re.findall(r"(?:(?<=/)|^)\*{2,}/|\*+|.", pattern)
    turned = (
        "(?:.*/)?"
        if p[:1] == "*" and p.endswith("/")
        else ".*"
        if p[:2] == "**"
        else "[^/]*"
        if p == "*"
        else "[^/]"
        if p == "?"
        else re.escape(p)
        for p in pieces
    )
    return "".join(turned)


@given(st.text("ab/*?", max_size=8), st.text("ab/", max_size=8))
def test_it_reads_a_pattern_as_an_expression_would(pattern: str, text: str) -> None:
    assert matches(pattern, text) is bool(re.fullmatch(_expression(pattern), text, re.DOTALL)), _expression(pattern)


def test_no_pattern_takes_long() -> None:
    """An expression of the same meaning would never come to an end."""
    for pattern, text in (("**a" * 60, "a" * 4096 + "b"), ("*a" * 100, "a" * 4096 + "/")):
        assert run_in_child(matches, pattern, text, seconds=30) is False
