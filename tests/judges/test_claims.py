"""What of a rejection can be put to the test. The table: what a model says, and whether it may hold a patch back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.claims import MAX_LINE, MAX_SENTENCE, Claim, ClaimKind, claim, counterexample
from bot.judges.code import SpecTest
from tests.support.properties import patient

ISSUE = """join() loses the last item

`join(["a", "b"])` must return "a,b".
An empty list gives an empty
text. The command `tool --list` ends with status 0.
"""

GOOD = {
    "quote": "An empty list gives an empty text.",
    "how": "call",
    "what": "join([])",
    "expected": "''",
    "guess": "It looks at the first item.",
}


def said(kind: ClaimKind = ClaimKind.WRONG_OUTPUT, symptom: str = "join([]) fails.", **changes: str) -> Claim:
    made = claim(kind, symptom, issue=ISSUE, **{**GOOD, **changes})
    assert made
    return made


@pytest.mark.parametrize(
    ("changes", "confirmed"),
    [
        ({}, True),
        ({"how": "call", "what": "join([])", "expected": "raises ValueError"}, True),
        ({"how": "call", "what": "await load('x').size(2)", "expected": "[1, 2.5, -3]"}, True),
        ({"how": "call", "what": "new Set([1]).has(2)", "expected": "false"}, True),
        ({"how": "command", "what": "tool --list", "expected": "exit 0"}, True),
        ({"how": "command", "what": "tool --list", "expected": "prints one, two"}, True),
        ({"how": "state", "what": "src/tool.py", "expected": "contains def join("}, True),
        ({"how": "state", "what": "src/old.py", "expected": "absent"}, True),
        # Nobody wrote the requirement.
        ({"quote": ""}, False),
        ({"quote": "An empty list raises an error."}, False),
        ({"quote": "An empty"}, False),  # too short to mean something
        ({"quote": "n empty list gives an empty tex"}, False),  # no whole words
        # There is nothing one could try.
        ({"how": "none", "what": "", "expected": ""}, False),
        ({"how": "thought", "what": "join([])", "expected": "''"}, False),
        ({"what": ""}, False),
        ({"expected": ""}, False),
        ({"expected": "the right text"}, False),
        ({"expected": "not what it returns now"}, False),
        ({"expected": "join([''])"}, False),  # another call
        ({"expected": "[1, 2"}, False),
        ({"what": "join"}, False),
        ({"what": "join(...)"}, False),
        ({"what": "join(…)"}, False),
        ({"what": "join([])\nexit()"}, False),
        ({"what": "join([\u202e])"}, False),
        ({"what": f"join([{'1, ' * MAX_LINE}])"}, False),
        ({"how": "command", "what": "tool --list", "expected": "works"}, False),
        ({"how": "command", "what": "tool --list", "expected": "prints"}, False),
        ({"how": "state", "what": "../outside", "expected": "exists"}, False),
        ({"how": "state", "what": "/etc/passwd", "expected": "exists"}, False),
        ({"how": "state", "what": ".git/config", "expected": "exists"}, False),
        ({"how": "state", "what": "src/tool.py", "expected": "is readable"}, False),
        # Nothing is said to be wrong.
        ({"kind": ClaimKind.RISK}, False),
    ],
)
def test_a_claim_is_confirmed_by_a_quote_and_something_to_try(changes: dict[str, Any], confirmed: bool) -> None:
    assert said(**changes).confirmed is confirmed


def test_a_quote_may_be_broken_over_lines_and_is_kept_on_one() -> None:
    assert said(quote="An empty list\ngives an  empty text.").quote == "An empty list gives an empty text."


def test_a_quote_that_is_not_there_is_not_kept() -> None:
    assert said(quote="Whatever the maintainers agreed to elsewhere.").quote == ""


def test_a_confirmed_call_is_a_test_of_the_specification() -> None:
    assert said().test == SpecTest("An empty list gives an empty text.", "join([])", "''")


@pytest.mark.parametrize(
    "changes",
    [{"quote": ""}, {"kind": ClaimKind.RISK}, {"how": "command", "what": "tool --list", "expected": "exit 0"}],
)
def test_nothing_else_is(changes: dict[str, Any]) -> None:
    assert said(**changes).test is None


def test_a_claim_without_a_symptom_is_none() -> None:
    assert claim(ClaimKind.CRASH, " \u200b\n", issue=ISSUE, **GOOD) is None


def test_sentences_are_bounded_and_on_one_line() -> None:
    made = said(symptom="It fails.\n" * 200, guess="\x1b[1mwhy\u202e " * 200)
    assert len(made.symptom) <= MAX_SENTENCE
    assert len(made.guess) <= MAX_SENTENCE
    assert (made.symptom + made.guess).isprintable()


@patient
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_whatever_a_model_says_is_read(how: str, what: str, expected: str) -> None:
    for way in (how, "call", "command", "state"):
        made = counterexample(way, what, expected)
        assert made is None or (made.what.isprintable() and made.expected.isprintable())


@pytest.mark.parametrize(
    "text", ["[" * 400, "'" * 399, "(" * 200 + ")" * 200, "1" * 400, "0777", "1_", "{'a': [1, {2}]}"]
)
def test_hostile_values_are_read(text: str) -> None:
    counterexample("call", "f(1)", text)
