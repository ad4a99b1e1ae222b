"""What a piece of a report is, by the words that lead to it."""

from bot.already_fixed.reading import classify
from bot.already_fixed.reading.blocks import ReportBlock
from tests.support.cases import cases


@cases
def test_whether_words_say_that_something_is_expected(lead: str, expected: bool) -> None:
    assert classify.is_expected(ReportBlock(True, "2", lead=lead)) is expected
    assert classify.is_expected(ReportBlock(True, "2", lead=f"{lead} ")) is expected


@cases
def test_whether_a_heading_says_that_something_is_expected(heading: str, expected: bool) -> None:
    assert classify.is_expected(ReportBlock(True, "2", heading=heading)) is expected
    assert classify.is_output(ReportBlock(True, "2", heading=heading))


@cases
def test_whether_something_should_fail(lead: str, should: bool) -> None:
    assert classify.should_fail(ReportBlock(True, "", lead=lead)) is should
