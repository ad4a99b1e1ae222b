"""What says that the trouble of a report was fixed before, and is there again."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from bot.already_fixed.reading import regression_claim
from bot.already_fixed.reading.regression_claim import came_back
from tests.bounded.growth import grows


@pytest.mark.parametrize(
    "text",
    [
        "This was fixed in 1.2 but it happens again.",
        "The old bug came back.",
        "It reappeared after the upgrade.",
        "The crash is a regression of #12",
        "It was fixed in 1.1, and now fails as it did, again.",
        "Since 2.0 this is back.",
        "The bug was reintroduced by 3f2a; it’s back",
        "Even after the fix of #12 it raises.",
        "broke again in 2.0",
        "half() is broken again",
        "It regressed",
        "This has regressed in 2.0.",
        "the problem has returned",
        "The problem returned in 2.0.",
        "#12 was fixed, however half(3) raises the same.",
        "#12 was fixed. However, with 2.0 I get the same traceback.",
        "closed as fixed in 1.4, I see it on 2.0",
        "resolved by #12 but it still crashes",
        "The fix for #12 does not work",
        "The fix in #12 doesn't cover negative numbers.",
        "#12 is not fixed in 2.0",
        "#12 isn't really fixed",
        "This issue has never been fixed properly.",
        "still present after #12",
        "Still crashes with the fix from #12.",
        "this used to be fixed",
        "reopening #12",
        "Please reopen #12.",
        "same as #12 which was closed",
        "This is the same as the closed issue #12.",
        "It was supposedly fixed in 1.4.",
        "This was fixed before, in 1.3.",
        "The error has come back since the refactoring.",
        "#12 again",
        "The incomplete fix of #12 leaves this.",
        "The regression from 1.3 resurfaced.",
        "This reintroduces the bug of #12.",
        "It seems #12 is back",
        "The patch for this did not help.",
        "Issue #12 was closed as completed, but half(3) raises again.",
        "I thought this was fixed\nin 1.2, but it\nstill fails.",
        "A recurrence of #12.",
        "Fixed in 1.4, broken again in 1.5",
        "It came back in 2.0.",
        "This was solved in v1.2 and then broke in v1.3.",
        "We upgraded since #12 was said to be fixed. It still crashes.",
        "#12 was marked as fixed in 1.2; I can still reproduce it with 2.0",
    ],
)
def test_a_report_of_what_came_back(text: str) -> None:
    assert came_back("A report", text)


@pytest.mark.parametrize(
    "text",
    [
        "Going up and back: this is back to front.",
        "It was fixed in 1.1. Now I see another one, but with dates.",
        "A linear regression fails.",
        "It should be fixed.",
        "Call it again and it fails.",
        "There is a regression in 2.0.",
        "This is a regression: it worked in 1.9.",
        "it comes back with an empty list",
        "The call comes back as a string.",
        "the connection is back to normal",
        "The server came back, and the pool is empty.",
        "When the connection comes back, half() hangs.",
        "The widget does not reappear after hide().",
        "Close the window and it reappears empty.",
        "The error returned by half() is wrong.",
        "The problem returned `None` for x.",
        "half() returned None.",
        "The column width is fixed but the table grows.",
        "With a fixed seed the result still differs.",
        "This could be fixed by checking for None.",
        "I have a fix for this.",
        "A possible fix would be to check the type first.",
        "It was fixed on master but is not released yet.",
        "Is this already fixed on master?",
        "Upgrading numpy does not help.",
        "The bug does not occur again after a restart.",
        "Try again with an empty list.",
        "Reopening the file raises.",
        "half() fails to reopen the connection.",
        "The file was closed but half() still reads it.",
        "The connection is closed, and a new one is opened.",
        "I/O operation on closed file",
        "The issue is that closed sockets are read.",
        "See #12 for a related problem.",
        "#12 was closed as a duplicate of this.",
        "The fixture is broken",
        "Performance regressed in 2.0",
        "Recurring events are wrong.",
        "The position is not fixed to the top.",
        "half(3) should give 1.5, but it still gives 1.",
        "It gives back the wrong number.",
        "In return it gives nothing back.",
    ],
)
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
