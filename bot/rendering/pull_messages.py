"""Everything Bouncer says on a pull request, as Markdown. The templates escape what is untrusted."""

from collections import Counter
from collections.abc import Iterable

from bot.github.values import Review
from bot.rendering import words
from bot.rendering.comment import render
from bot.rendering.escape import exact
from bot.rendering.pull_findings import tests_apart
from bot.rendering.pull_page import rejection_tables
from bot.rendering.rejection_view import outcome
from bot.rendering.words import PULL_COMMANDS
from bot.storage.judgements import RejectionRecord
from bot.verdicts import ClaimOutcome
from bot.verification.evidence import Verified
from bot.verification.fix_guided.questions import AnswerChoice, VerificationQuestion, box
from bot.verification.values import Observed

MARKER = "<!-- bouncer:pull -->"  # the first line of the one comment

_MOST = 3  # failing tests that are shown
MOST = 300  # characters shown of one value
CLASH = "All suggestions of this review together break what works."
_LINES = (  # that get a line each where no thread tells of them
    *(ClaimOutcome.HELD, ClaimOutcome.REFUTED, ClaimOutcome.OPEN),
    *(ClaimOutcome.STALE, ClaimOutcome.UNRUN),
)
MOST_ANSWERS = 10  # to one review in its threads
_MOST_LINES = 20


def rejection_comment(
    review: Review,
    verified: Verified,
    question: VerificationQuestion | None,
    page: str = "",
    *,
    among: int = 0,
    clashes: bool = False,
) -> str:
    """The answer to one claim of a review that was put to the test; it asks the question, where people are asked. page:
    the address of everything that was found. among: with how many other suggestions it was run. clashes: with all
    others it breaks what works."""
    title = words.rejection_words(verified)
    if review.state != "changes_requested":  # it rejects nothing
        result = title.partition(": ")[2]
        title = (
            f"{result[:1].upper()}{result[1:]}"
            if result
            else title.replace("The rejection", "This").replace("the rejection", "this")
        )
    found = verified.difference
    return f"{MARKER}\n" + render(
        "pull",
        title=title,
        review=review,
        verified=verified,
        page=page,
        among=among,
        clashes=CLASH if clashes else "",
        question=question_markdown(question) if question else "",
        tables=rejection_tables(verified),
        failing=[*tests_apart(verified)][:_MOST],
        sides=[("as it is", outcome(found.original)), ("with the fix", outcome(found.fix))] if found else [],
    )


def claims_note(records: Iterable[RejectionRecord], head: str, pages: str) -> str:
    """What became of the claims of review bots, for the check of a commit: in sum, and each that its thread does not
    tell. records: the newest of each claim. pages: how the address of a page begins, empty where people reach none."""
    of_bots: dict[tuple[str, bool], list[RejectionRecord]] = {}
    for each in records:
        if not each.resolved:
            of_bots.setdefault((each.reviewer, each.head != head), []).append(each)
    bots = [_bot(*key, own, pages) for key, own in sorted(of_bots.items())]
    return render("claims", bots=bots) if bots else ""


def _bot(name: str, older: bool, own: list[RejectionRecord], pages: str) -> dict[str, object]:
    """What a bot said of a commit. older: of another one than the newest."""
    counted = Counter(each.outcome for each in own)
    counts = [f"{counted[each]} {said}" for each, said in words.CLAIMS.items() if counted[each]]
    late = [each.place for each in own if each.outcome is ClaimOutcome.LATE]
    flood = sum(each.outcome.decides for each in own) > MOST_ANSWERS
    alone = [each for each in own if not older and (flood or not each.remark or not each.outcome.decides)]
    told = [each for each in alone if each.outcome in _LINES]
    told.sort(key=lambda each: _LINES.index(each.outcome))
    lines = [(each, f"{pages}{each.token}" if pages and each.result else "") for each in told]
    return {"name": name, "older": older, "counts": ", ".join(counts), "lines": lines[:_MOST_LINES], "rest": late}


def help_note(unknown: str = "", *, elsewhere: bool = False, meant: str = "", misplaced: bool = False) -> str:
    """What can be said on a pull request. unknown: a word somebody tried; elsewhere: it is one for issues; meant: the
    command that is near; misplaced: it stands where none counts."""
    return render(
        "pull_help", commands=PULL_COMMANDS, unknown=unknown, elsewhere=elsewhere, meant=meant, misplaced=misplaced
    )


def question_markdown(asked: VerificationQuestion) -> str:
    """Part of Bouncer's comment. A tick in it is read by `bot.verification.fix_guided.questions.clicked`.

    Neither text nor order tell which program does what.
    """
    a, b = _told_apart(asked.a.value, asked.b.value)
    left_a, left_b = map(_arguments, _told_apart(asked.a.mutated, asked.b.mutated))
    if left_a == left_b:
        left_a = left_b = ""
    return render(
        "question",
        asked=asked,
        a=_outcome(asked.a, a) + left_a,
        b=_outcome(asked.b, b) + left_b,
        **{f"box_{choice}": box(asked, choice) for choice in AnswerChoice},
    )


def _outcome(seen: Observed, value: str) -> str:
    """What a program did, in Markdown."""
    return words.ENDINGS[seen.ending].format(exact(value))


def _arguments(left: str) -> str:
    return words.after_call(left).format(exact(left)) if left else " and leaves its arguments as they were"


def _told_apart(one: str, other: str) -> tuple[str, str]:
    """Both texts, cut to the place where they begin to differ when they are long."""
    if max(len(one), len(other)) <= MOST:
        return one, other
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, start - MOST // 3)
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    shown = text[start : start + MOST]
    return ("…" if start and text else "") + shown + ("…" if len(text) > start + MOST else "")
