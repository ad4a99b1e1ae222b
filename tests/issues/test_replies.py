"""Whose words a reply holds."""

from bot.reports import IssueText, Reply
from tests.support.cases import cases


@cases
def test_what_a_reporter_quotes_is_somebody_elses(body: str, own: str, others: str) -> None:
    text = IssueText("t", "> as it stands", (Reply("ann", True, body), Reply("bob", False, "> Me\ntoo.")))
    assert text.reporters == IssueText("t", "> as it stands", (Reply("ann", True, own),))
    assert text.others == (others, "> Me\ntoo.")
