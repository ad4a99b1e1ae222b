"""How well the verdicts on a repository's past agree with what people did. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.backtest.endings import IssueEnding, Signal
from bot.backtest.judging import ReplayedIssue
from bot.backtest.pulls import PastPull
from bot.live.precision import CountedShare, Precision
from bot.policy_choices import Kind, Strictness
from bot.pulls.result import PullResult
from bot.verdicts import Decision, Usage

MOST_DOUBTFUL = 10
FEWEST = 5  # held issues with a word: fewer say nothing about a share


@dataclass(frozen=True, slots=True)
class Agreement(Precision):
    """What bouncing by one rule would have meant.

    held: all that would have been bounced. unjudged: without a verdict. right, wrong: bounced, and people found it
    lacking (they asked for more, or did not take it), or found nothing. missed: accepted, and people found it lacking.
    fine: accepted, and nobody did. asked: accepted issues of which `issues.ask` would have asked something. rightly,
    needlessly: of these, people asked too, or found nothing.
    """

    strictness: Strictness
    kind: str
    judged: int
    held: int
    unjudged: int
    right: int
    wrong: int
    missed: int
    fine: int
    asked: int = 0
    rightly: int = 0
    needlessly: int = 0

    @property
    def left_alone(self) -> int:
        return self.judged - self.unjudged - self.held - self.asked

    @property
    def asking(self) -> CountedShare:
        return CountedShare(self.rightly, self.rightly + self.needlessly)

    @property
    def recall(self) -> CountedShare:
        return CountedShare(self.right, self.right + self.missed)

    @property
    def false_bounces(self) -> CountedShare:
        return CountedShare(self.wrong, self.wrong + self.fine)

    @property
    def agreement(self) -> CountedShare:
        return CountedShare(self.right + self.fine, self.right + self.wrong + self.missed + self.fine)

    @property
    def kappa(self) -> float | None:
        """Cohen's; `None` where only one answer was given."""
        total = self.agreement.total
        if not total:
            return None
        held, unclear = self.right + self.wrong, self.right + self.missed
        chance = (held * unclear + (total - held) * (total - unclear)) / total**2
        return (self.agreement.hits / total - chance) / (1 - chance) if chance < 1 else None


@dataclass(frozen=True, slots=True)
class IssueBacktest:
    """What replaying a repository's issues shows.

    issues: all that were read. skipped: how many the policy leaves alone, by reason. text_unknown: judged by their
    newest text, for nobody knows that of the opening; they are in no figure. rows: each strictness over all kinds, then
    each kind. endings: of the issues held by the proposed strictness. doubtful: the verdicts that people's acts
    contradict most, by that strictness. listed: what it would have held, then what it would have asked about.
    """

    issues: int
    skipped: dict[str, int]
    text_unknown: int
    rows: tuple[Agreement, ...]
    chosen: Strictness
    kinds: tuple[Kind, ...]
    promised: bool
    endings: dict[IssueEnding, int]
    doubtful: tuple[ReplayedIssue, ...]
    listed: tuple[ReplayedIssue, ...]
    usage: Usage


def measure(judged: Iterable[ReplayedIssue], wanted: float) -> IssueBacktest:
    """wanted: the precision of bounces that the maintainer asks for, by which strictness and kinds are proposed."""
    every = list(judged)
    known = [each for each in every if each.verdicts and each.issue.text_known]
    rows = tuple(_row(known, strictness, kind) for strictness in Strictness for kind in (None, *Kind))
    chosen, kinds, promised = propose(rows, wanted)
    held = [each for each in known if _holds(each, chosen)]
    return IssueBacktest(
        issues=len(every),
        skipped=dict(Counter(each.skipped for each in every if each.skipped)),
        text_unknown=sum(bool(each.verdicts) and not each.issue.text_known for each in every),
        rows=tuple(row for row in rows if row.judged or row.kind == ""),
        chosen=chosen,
        kinds=kinds,
        promised=promised,
        endings=dict(Counter(each.outcome.ending for each in held)),
        doubtful=doubtful(known, chosen),
        listed=(*held, *(each for each in known if each.verdicts[chosen].asks)),
        usage=sum((each.usage for each in every), Usage()),
    )


def propose(rows: Sequence[Agreement], wanted: float) -> tuple[Strictness, tuple[Kind, ...], bool]:
    """The strictest strictness whose measured precision is at least `wanted`, for all kinds or, where they miss it
    together, for those kinds that reach it alone. Empty kinds mean all. The last value: whether any reaches it;
    without, the strictness is the mildest."""
    by_key = {(row.strictness, row.kind): row for row in rows}
    for strictness in reversed(Strictness):
        if _reaches(by_key[strictness, ""], wanted):
            return strictness, (), True
        kinds = tuple(kind for kind in Kind if _reaches(by_key[strictness, kind.value], wanted))
        if kinds:
            return strictness, kinds, True
    return Strictness.LENIENT, (), False


def doubtful(judged: Sequence[ReplayedIssue], strictness: Strictness) -> tuple[ReplayedIssue, ...]:
    """At most ten verdicts to look at: held where nobody needed to ask, then left alone where somebody did; by turns,
    the newest first."""
    wrong = [each for each in judged if _holds(each, strictness) and each.outcome.signal is Signal.CLEAR]
    silent = [each for each in judged if not _holds(each, strictness) and not each.verdicts[strictness].asks]
    missed = [each for each in silent if each.outcome.signal is Signal.UNCLEAR]
    half = MOST_DOUBTFUL // 2
    first = wrong[: max(half, MOST_DOUBTFUL - len(missed))]
    return (*first, *missed[: MOST_DOUBTFUL - len(first)])


def _reaches(row: Agreement, wanted: float) -> bool:
    share = row.precision.share
    return row.precision.total >= FEWEST and share is not None and share >= wanted


def _holds(each: ReplayedIssue, strictness: Strictness) -> bool:
    return each.verdicts[strictness].decision is Decision.BOUNCE


def _row(judged: Sequence[ReplayedIssue], strictness: Strictness, kind: Kind | None) -> Agreement:
    of = [each for each in judged if kind is None or each.verdicts[strictness].kind == kind.value]
    pairs = [(each.verdicts[strictness].decision, each.outcome.signal) for each in of]
    asked = Counter(each.outcome.signal for each in of if each.verdicts[strictness].asks)
    return replace(
        _agreement(strictness, kind.value if kind else "", pairs),
        asked=asked.total(),
        rightly=asked[Signal.UNCLEAR],
        needlessly=asked[Signal.CLEAR],
    )


def _agreement(strictness: Strictness, kind: str, judged: Sequence[tuple[Decision, Signal]]) -> Agreement:
    """From each verdict and what people's acts say beside it."""
    decided = [(decision is Decision.BOUNCE, said) for decision, said in judged if decision is not Decision.UNAVAILABLE]
    counted = Counter(decided)
    return Agreement(
        strictness=strictness,
        kind=kind,
        judged=len(judged),
        held=sum(bounced for bounced, _ in decided),
        unjudged=len(judged) - len(decided),
        right=counted[True, Signal.UNCLEAR],
        wrong=counted[True, Signal.CLEAR],
        missed=counted[False, Signal.UNCLEAR],
        fine=counted[False, Signal.CLEAR],
    )


@dataclass(frozen=True, slots=True)
class ReplayedPull:
    """A pull request of an agent and its verdict. left_out: why there is none, as a phrase. risks: what a person must
    look at, by the diff alone. seconds: of judging and executing it."""

    pull: PastPull
    agent: str
    result: PullResult | None = None
    left_out: str = ""
    risks: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PullBacktest:
    """What replaying agents' pull requests shows. people: pull requests that no agent made; they are not judged.
    executed: without it there are risks and no figures. agreement: of those whose first text and commits are known."""

    people: int
    executed: bool
    judged: tuple[ReplayedPull, ...]
    agreement: Agreement
    doubtful: tuple[ReplayedPull, ...]


def measure_pulls(
    judged: Sequence[ReplayedPull], *, people: int, executed: bool, strictness: Strictness
) -> PullBacktest:
    """Figures from verdicts; a verdict that asks for a person is no bounce and counts as none."""
    known = [(each, each.result.verdict.decision) for each in judged if each.result is not None]
    agreement = _agreement(strictness, "", [(decision, each.pull.ending.signal) for each, decision in known])
    against = [
        each
        for each, decision in known
        if (decision, each.pull.ending.signal) in ((Decision.BOUNCE, Signal.CLEAR), (Decision.ACCEPT, Signal.UNCLEAR))
    ]
    return PullBacktest(people, executed, tuple(judged), agreement, tuple(against[:MOST_DOUBTFUL]))
