"""What came of one head commit of a pull request, as one value: deciding makes it, every view is made of it, and it is
stored as itself; and what was executed, as the verdict that the ledger keeps. Frozen."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import TypeAdapter

from bot.github.values import Annotation, LineNote
from bot.plain_text import clean
from bot.policy_file import PolicySource
from bot.pulls.facts import PullFacts
from bot.verdicts import Decision, Effect, Evidence, Verdict
from bot.verification.evidence import Verified
from bot.verification.fix_guided.questions import ANSWERED
from bot.verification.values import Side

VERSION = 1  # of how it is stored
MERGED = "the merged result, executed"  # in the place of a judge


@dataclass(frozen=True, slots=True)
class PullResult:
    """The verdict on a commit, and all that it stands on.

    head: the commit; base: the one it was held against. agent: whose pull request it is, with the reason, and asked:
    what was asked for, both in words. annotations: what is said beside its lines; suggestions: a fix that was found
    right, on the same lines. GitHub never takes these back, so they are kept as they were said. diff: path and hunks of
    each file; no hunks where they would be too long. policy: where the policy was read; `None` where nobody said.
    """

    verdict: Verdict
    head: str
    base: str = ""
    facts: PullFacts = PullFacts()
    agent: str = ""
    asked: str = ""
    annotations: tuple[Annotation, ...] = ()
    suggestions: tuple[LineNote, ...] = ()
    diff: tuple[tuple[str, str], ...] = ()
    policy: PolicySource | None = None
    version: int = VERSION


def stored(result: PullResult) -> str:
    """As it is kept, JSON."""
    return _results.dump_json(result).decode()


def restored(text: str) -> PullResult:
    """From what is kept. Raises `ValueError`."""
    return _results.validate_json(text)


_results = TypeAdapter(PullResult)


JUDGE = "fix-guided verification/1"

_EFFECTS = {Decision.ACCEPT: Effect.CLEAR, Decision.BOUNCE: Effect.MISSING, Decision.UNAVAILABLE: Effect.NEUTRAL}


ANSWER = "maintainers_answer"  # the check of what an answer made of a rejection
_MOST = 100  # characters of an outcome


def verdict_of(verified: Verified, head: str = "", who: str = "") -> Verdict:
    """There is no label and no probability: nothing was guessed. head: the commit that was rejected. who: answered just
    now what is right, if anybody did."""
    evidence = list(_by_answer(verified, head, who))
    if verified.case is not None:
        found = " ".join(verified.reasons[:1])
        quote = verified.difference.call[:200] if verified.difference else ""
        evidence.append(Evidence(verified.case.value, _EFFECTS[verified.decision], found, quote, verified.executor))
    return Verdict(
        decision=verified.decision,
        label=None,
        probability=None,
        judge=JUDGE,
        kind=None,
        reasons=verified.reasons,
        evidence=tuple(evidence),
    )


def _by_answer(verified: Verified, head: str, who: str) -> tuple[Evidence, ...]:
    """What a maintainer's answer made of the rejection: the gate of the commit is judged by it too."""
    found = verified.difference
    if found is None or found.why != ANSWERED or verified.decision not in (Decision.ACCEPT, Decision.BOUNCE):
        return ()
    upheld = found.favours is Side.FIX
    right = found.fix if upheld else found.original
    so = "so its rejection is upheld" if upheld else "as the change has it"
    speaker = f"The maintainer {clean(who, 40)}" if who else "A maintainer"
    outcome = f"it {right.ending.value} {clean(right.value, _MOST)}".strip()
    said = f"{speaker} said what is right for {clean(found.call, _MOST)}: {outcome}, {so}."
    return (Evidence(ANSWER, _EFFECTS[verified.decision], said, found.call[:200], head),)


def answered(verdicts: Iterable[Verdict], head: str) -> Evidence | None:
    """What a maintainer's answer says of this commit, by the newest verdict on a rejection; oldest first."""
    tested = [verdict for verdict in verdicts if verdict.judge == JUDGE]
    found = tested[-1].evidence if tested else ()
    return next((each for each in found if each.check == ANSWER and each.where == head), None)
