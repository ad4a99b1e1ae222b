"""What a pull request claims of itself: plain statements, and nothing that is quoted, wished or left without a tick."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pulls.facts import StatementKind
from bot.pulls.statements import LONGEST, MOST, claims
from tests.support.cases import cases
from tests.support.properties import patient


def read(body: str, title: str = "Round up") -> set[StatementKind]:
    return {said.claim for said in claims(title, body)}


@cases
def test_claims(body: str, claim: StatementKind) -> None:
    assert read(body) == {claim}


@cases
def test_what_is_no_claim(body: str) -> None:
    assert read(body) == set()


def test_titles() -> None:
    assert read("", "docs(api): explain half") == {StatementKind.DOCUMENTATION_ONLY}


@patient
@given(st.text(), st.text())
def test_every_text_is_read(title: str, body: str) -> None:
    assert len(claims(title, body)) <= MOST


@pytest.mark.parametrize("unit", ["all ", "[x] ", "- ", "`", "(", "no ", "adds tests ", "*", "\n", "all a a tests "])
def test_a_nasty_text_takes_no_more_than_its_length(unit: str) -> None:
    claims("", unit * (LONGEST // len(unit)))
