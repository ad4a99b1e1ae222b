"""What a look for a fix may find, and the report that it is found for."""

from dataclasses import replace

from bot.already_fixed.values import Expectation, Failure, Fixed, Form, Reproduction, Run, Seen, Trial
from bot.history.values import Candidate
from bot.verdicts import FixStatus
from tests.workflows.house import CLEAR, CLEAR_TITLE, House, Looked

FIX = Candidate(
    commit="f" * 40,
    subject="Name a widget after its file, for @everybody",
    at="2026-03-01T10:00:00Z",
    score=0.9,
    why=("It changes a function of the stack trace.",),
    names_issue=False,
    released_in="v2.4.0",
    reverted_by=None,
    back_ports=(),
    likely=True,
    shared=5,
)
SHOWN = Reproduction(
    "example_1",
    Form.SCRIPT,
    'import widgets\nwidgets.load("a.toml")',
    Expectation(Failure.RAISES, "KeyError"),
    "the example",
)
OTHER = replace(SHOWN, name="example_1_b", code='import widgets\nwidgets.load("b.toml")', variant_of="example_1")
FAILS, PASSES = Run(Seen.AS_REPORTED, "it raises KeyError"), Run(Seen.PASSES, "it ends as it should")
MENDED = Trial(SHOWN, head=PASSES, without_fix=FAILS, fix=FIX.commit)
ALREADY = Fixed(FixStatus.ALREADY_FIXED, 0.95, (FIX,), (MENDED,), "v2.4.0", ("It passes now.",), fixed_by=FIX.commit)
POSSIBLY = Fixed(FixStatus.POSSIBLY_FIXED, 0.8, (FIX,), (), "v2.4.0", ("History alone.",), commits=500)
PARTIALLY = Fixed(
    FixStatus.PARTIALLY_FIXED, 0.9, (FIX,), (MENDED, Trial(OTHER, head=FAILS)), None, ("One still fails.",)
)
HALF = replace(PARTIALLY, trials=(MENDED, Trial(OTHER, head=FAILS, without_fix=FAILS)))  # the variant counts
PRESENT = Fixed(FixStatus.STILL_PRESENT, 0.9, (), (Trial(SHOWN, head=FAILS),), None, ("It still fails.",))
CLOSING = "issues:\n  already_fixed: {close_after_days: 7}\n"


def report(house: House, repo: str) -> int:
    return house.open(repo, CLEAR, title=CLEAR_TITLE)


def reported(house: House, policy: str | None = None) -> tuple[str, int]:
    """The same in a new repository."""
    return house.begin(policy, CLEAR, title=CLEAR_TITLE)


def looked_at(house: House, looked: Looked, found: Fixed, policy: str | None = None) -> tuple[str, int]:
    """A report in a new repository, and this is what looking at it comes to."""
    looked.fixed = found
    return reported(house, policy)


def labels(house: House, repo: str, number: int) -> tuple[str, ...]:
    return house.issue(repo, number).labels


def own(house: House, repo: str, number: int) -> int:
    """Bouncer's one comment."""
    return house.issue(repo, number).bouncer_comments[0].id
