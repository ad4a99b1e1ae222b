"""Reports that are one sentence: an expression, what it gives, what it should give."""

from collections.abc import Iterator

from bot.fixed.claims import Claim, claims
from bot.fixed.reading.context import Context, at_prompt
from bot.fixed.reading.drafts import Draft
from bot.fixed.reading.page import Page
from bot.fixed.traces import Told
from bot.fixed.values import Expectation, Failure


def from_prose(page: Page, context: Context) -> Iterator[Draft]:
    """One for each claim whose names are all known."""
    for claim in claims(page.title, page.prose.partition("\n")[2], page.names):
        before = context.of(claim.code)
        if before is not None:
            yield at_prompt(before, (claim.code,), _expectation(claim))


def _expectation(claim: Claim) -> Expectation:
    if claim.exception:
        return Told(claim.exception, claim.message).expected(claim.right)
    return Expectation(Failure.PRINTS, wrong=(claim.wrong,) * bool(claim.wrong), right=claim.right)
