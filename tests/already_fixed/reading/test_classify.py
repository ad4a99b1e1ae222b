"""What a piece of a report is, by the words that lead to it."""

import pytest

from bot.already_fixed.reading import classify
from bot.already_fixed.reading.blocks import ReportBlock


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        ("Expected output:", True),
        ("As expected:", True),
        ("It works as expected:", True),
        ("I would expect:", True),
        ("It is not right, the expected output is:", True),
        ("It does not work. I expect:", True),
        ("If it is not set, it should be:", True),
        ("I'm not sure, but I expect:", True),
        ("The correct output:", True),
        ("It should print:", True),
        ("Unexpected output:", False),
        ("Unexpectedly:", False),
        ("This is unexpected:", False),
        ("This is not expected:", False),
        ("This isn't expected:", False),
        ("This isn’t the expected output:", False),
        ("This is not the desired result:", False),
        ("I did not expect this:", False),
        ("Not what I expected:", False),
        ("It is not quite what one would expect:", False),
        ("This does not work as expected:", False),
        ("This behaves differently than expected:", False),
        ("I don't think it should print:", False),
        ("It is expected not to print:", False),
        ("Instead of the expected value we get:", False),
        ("The output is not the correct result:", False),
        ("The incorrect output:", False),
    ],
)
def test_whether_words_say_that_something_is_expected(lead: str, expected: bool) -> None:
    assert classify.is_expected(ReportBlock(True, "2", lead=lead)) is expected
    assert classify.is_expected(ReportBlock(True, "2", lead=f"{lead} ")) is expected


@pytest.mark.parametrize(
    ("heading", "expected"),
    [("Expected behaviour", True), ("What should be", True), ("Unexpected behaviour", False), ("Not expected", False)],
)
def test_whether_a_heading_says_that_something_is_expected(heading: str, expected: bool) -> None:
    assert classify.is_expected(ReportBlock(True, "2", heading=heading)) is expected
    assert classify.is_output(ReportBlock(True, "2", heading=heading))


@pytest.mark.parametrize(
    ("lead", "should"),
    [
        ("This should raise:", True),
        ("I expect this to fail:", True),
        ("I did not expect this to fail:", False),
        ("This is not expected to raise:", False),
        ("This should not raise:", False),
    ],
)
def test_whether_something_should_fail(lead: str, should: bool) -> None:
    assert classify.should_fail(ReportBlock(True, "", lead=lead)) is should
