"""What says that the trouble of a report was fixed before, and is there again."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from bot.already_fixed.reading import regression_claim
from bot.already_fixed.reading.regression_claim import came_back
from tests.bounded.growth import grows
from tests.support.cases import cases


@cases
def test_a_report_of_what_came_back(text: str) -> None:
    assert came_back("A report", text)


@cases
def test_a_report_of_something_else(text: str) -> None:
    assert not came_back("A report", text)


def test_the_title_may_say_it() -> None:
    assert came_back("half() is broken again", "")


@pytest.mark.parametrize("words", ["it was fixed ", "#1 is back ", "still after the ", "fix did not "])
def test_long_reports_are_read_in_linear_time(words: str) -> None:
    short, long = words * 100, words * 400
    assert not grows(lambda text: came_back(text[:2_000], text), short, long)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    some.sampled_from([*regression_claim._RETURNED, *regression_claim._UNHELD, *regression_claim._CLOSED]).flatmap(
        lambda pattern: some.from_regex(re.compile(pattern, re.I))
    )
)
def test_every_way_of_saying_it_holds_a_stem_that_is_looked_for_first(text: str) -> None:
    assert regression_claim._STEMS.search(text)
