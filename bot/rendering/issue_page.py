"""How an issue stands, as its page shows it: bounded, plain text. It is escaped where it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.already_fixed.values import Run, Trial
from bot.issues.facts import IssueGround
from bot.rendering import words
from bot.rendering.escape import NAME, bound_evidence, one_line
from bot.rendering.issue_reasons import issue_promise, issue_reasons
from bot.verdicts import KINDS, Decision, Effect, Evidence, IssueKind, State, Verdict

_MOST = 100  # of anything that is listed

_NOT_JUDGED = ("open", "Not judged")
_ASKED = ("good", "Clear but for questions")
_AWAITED = ("open", "Asked for more")
_PRIVATE = ("open", "Better sent in private")
_VERDICTS = {
    Decision.ACCEPT: ("good", "Clear"),
    Decision.BOUNCE: ("bad", "Too little to act on"),
    Decision.UNAVAILABLE: ("open", "Could not be judged"),
}


@dataclass(frozen=True, slots=True)
class IssueStanding:
    """shade: `good`, `bad` or `open`. word: how it stands, in a word or two. sentence: why. before: the verdict that
    somebody overruled."""

    shade: str
    word: str
    sentence: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class IssuePage:
    """verdict: of which more may be shown; `None` where that is nothing. reasons: its own, apart from the sentence.
    facts: the small print, a name and a value each."""

    standing: IssueStanding
    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def verdict_word(verdict: Verdict) -> tuple[str, str]:
    """The shade of a verdict, and what it says, whatever became of it."""
    if verdict.kind is IssueKind.VULNERABILITY:
        return _PRIVATE
    if verdict.asks:
        return _AWAITED if verdict.ground == IssueGround.LABEL_ASKS else _ASKED
    return _VERDICTS[verdict.decision]


def issue_page(
    verdict: Verdict | None,
    *,
    state: State,
    held: bool,
    left_alone: str,
    accepted_by: str = "",
    overruled: Verdict | None = None,
) -> IssuePage:
    """left_alone: why the policy has it not held, as a phrase; empty where it may be. accepted_by: who accepted it, and
    overruled: against which verdict, as far as known.

    Of what reads like a vulnerability it shows nothing but that, and of what is not looked at any more no quotes: its
    text may be another one by now."""
    accepted = state is State.ACCEPTED
    standing = _accepted(accepted_by, overruled) if accepted else _standing(verdict, state, held, left_alone)
    over = state is not State.ACTIVE or left_alone
    if verdict is None or verdict.kind is IssueKind.VULNERABILITY or over:
        return IssuePage(standing)
    reasons = (one_line(reason) for reason in issue_reasons(verdict)[:_MOST])
    return IssuePage(
        standing,
        verdict,
        reasons=tuple(reason for reason in reasons if reason != standing.sentence),
        evidence=tuple(_without_orders(bound_evidence(found)) for found in verdict.evidence[:_MOST]),
        facts=_facts(verdict),
    )


def _standing(verdict: Verdict | None, state: State, held: bool, left_alone: str) -> IssueStanding:
    if state is State.PAUSED:
        return IssueStanding("open", "Paused", "A maintainer paused Bouncer here, until `/bouncer resume`.")
    if left_alone:
        return IssueStanding("open", "Left alone", f"Bouncer leaves this issue alone: {one_line(left_alone, NAME)}.")
    if verdict is None:
        return IssueStanding(*_NOT_JUDGED, "Nobody has judged this issue yet.")
    shade, word = verdict_word(verdict)
    if verdict.decision is Decision.BOUNCE and (shade, word) != _PRIVATE:
        word = "Held" if held else "Would be held"  # in observe mode, or where a person put the label on
    return IssueStanding(shade, word, one_line(issue_reasons(verdict)[0] if issue_reasons(verdict) else f"{word}."))


def _accepted(by: str, overruled: Verdict | None) -> IssueStanding:
    """As a pull request's page has an override."""
    sentence = f"{one_line(by, 60) or 'A maintainer'} accepted this issue as it is. Nothing more is asked."
    before = f"{_overruled(overruled)}." if overruled else ""
    return IssueStanding("good", "Accepted", sentence, before)


def _overruled(verdict: Verdict) -> str:
    shade_and_word = verdict_word(verdict)
    reasons = issue_reasons(verdict) if shade_and_word != _PRIVATE else ()
    why = f": {one_line(reasons[0]).rstrip('.')}" if reasons else ""
    return f"{shade_and_word[1]} before{why}"


def _without_orders(found: Evidence) -> Evidence:
    """Hidden text is reported and never repeated."""
    return replace(found, quote="") if found.effect is Effect.HIDDEN else found


def _facts(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    named = (
        ("Read as", f"a {KINDS[verdict.kind]}" if verdict.kind else ""),
        ("Judged by", one_line(verdict.judge, NAME)),
        ("Its label", words.LABELS[verdict.label] if verdict.label else ""),
        ("Too little to act on", words.chance(verdict.probability) if verdict.probability is not None else ""),
        ("Its promise", issue_promise(verdict)),
    )
    return tuple((name, value) for name, value in named if value)


def runs_of(trial: Trial) -> Iterator[tuple[str, Run]]:
    """What ran of a reproduction, each with its place."""
    places: tuple[tuple[str, Run | None], ...] = (
        ("at the head", trial.head),
        (f"at the head without {trial.fix[:10]}", trial.without_fix),
        ("where it was reported", trial.reported),
        (f"before {trial.followed_by[:10]}", trial.before),
    )
    return ((place, run) for place, run in places if run is not None)
