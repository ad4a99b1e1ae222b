"""How an issue stands, as its page shows it: bounded, plain text. It is escaped where it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.script import shown
from bot.already_fixed.values import Run, Trial
from bot.rendering import words
from bot.rendering.escape import LINE, NAME, bound_evidence, lines, one_line
from bot.rendering.issue_reasons import issue_promise, issue_reasons
from bot.rendering.words import SEEN_WORDS, STATUS_WORDS, question_sentence
from bot.verdicts import KINDS, Decision, Effect, Evidence, IssueKind, State, Verdict

_REASONING = 8_000  # characters
_MOST = 100  # of anything that is listed

_NOT_JUDGED = ("open", "Not judged")
_PRIVATE = ("open", "Better sent in private")
_VERDICTS = {
    Decision.ACCEPT: ("good", "Clear"),
    Decision.BOUNCE: ("bad", "Too little to act on"),
    Decision.UNAVAILABLE: ("open", "Could not be judged"),
}
_MOST_TRIALS = 10  # reproductions and reasons
_CODE, _OUTPUT = 4_000, 2_000  # characters
_CAME_BACK = "The report says that it came back after a fix, so that settles nothing."
_OBJECTED = "Somebody disagreed, so nothing follows from it."


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
    """reasons: the verdict's, apart from the sentence. checklist: what is there, whether, and the words that show it.
    questions: as they are asked. reasoning: a model's own words. facts: the small print, a name and a value each."""

    standing: IssueStanding
    reasons: tuple[str, ...] = ()
    checklist: tuple[tuple[str, bool, str], ...] = ()
    questions: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    reasoning: str = ""
    facts: tuple[tuple[str, str], ...] = ()


def verdict_word(verdict: Verdict) -> tuple[str, str]:
    """The shade of a verdict, and what it says, whatever became of it."""
    if verdict.kind is IssueKind.VULNERABILITY:
        return _PRIVATE
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
    reasons = tuple(one_line(reason, LINE) for reason in issue_reasons(verdict)[:_MOST])
    return IssuePage(
        standing,
        reasons=tuple(reason for reason in reasons if reason != standing.sentence),
        checklist=tuple(
            (
                f"the section “{one_line(line.section, NAME)}”" if line.section else words.ITEMS[line.item],
                line.clear,
                one_line(line.quote, NAME),
            )
            for line in verdict.checklist[:_MOST]
        ),
        questions=tuple(one_line(question_sentence(question), LINE) for question in verdict.questions[:_MOST]),
        evidence=tuple(_without_orders(bound_evidence(found)) for found in verdict.evidence[:_MOST]),
        reasoning=lines(verdict.reasoning, _REASONING),
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
    return IssueStanding(
        shade, word, one_line(issue_reasons(verdict)[0] if issue_reasons(verdict) else f"{word}.", LINE)
    )


def _accepted(by: str, overruled: Verdict | None) -> IssueStanding:
    """As a pull request's page has an override."""
    sentence = f"{one_line(by, 60) or 'A maintainer'} accepted this issue as it is. Nothing more is asked."
    before = f"{_overruled(overruled)}." if overruled else ""
    return IssueStanding("good", "Accepted", sentence, before)


def _overruled(verdict: Verdict) -> str:
    shade_and_word = verdict_word(verdict)
    reasons = issue_reasons(verdict) if shade_and_word != _PRIVATE else ()
    why = f": {one_line(reasons[0], LINE).rstrip('.')}" if reasons else ""
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


@dataclass(frozen=True, slots=True)
class TrialSection:
    """A reproduction. runs: the place, what was seen there, and what came out."""

    where: str
    says: str
    code: str
    runs: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class FixSection:
    """status: as a sentence. head: where it was run. commit: the fix, as far as it is known; link: to its page, and
    subject: its first line. released: the release that has it."""

    status: str
    head: str
    reasons: tuple[str, ...]
    trials: tuple[TrialSection, ...]
    more: int = 0
    commit: str = ""
    link: str = ""
    subject: str = ""
    released: str = ""


def fix_section(found: FixFinding, *, quotes: bool, objected: bool = False) -> FixSection:
    """quotes: what the reporter wrote is repeated. objected: somebody disagreed with it."""
    fixed, fix = found.fixed, found.fixed.fix
    beside = ((_CAME_BACK,) if found.regression else ()) + ((_OBJECTED,) if objected else ())
    return FixSection(
        status=f"{_capital(STATUS_WORDS[fixed.status])}.",
        head=found.head[:40],
        reasons=(*beside, *(one_line(reason, LINE) for reason in fixed.reasons[:_MOST_TRIALS])),
        trials=tuple(_shown(trial, quotes) for trial in fixed.trials[:_MOST_TRIALS]),
        more=max(0, len(fixed.trials) - _MOST_TRIALS),
        commit=fix.commit[:40] if fix else "",
        link=f"{found.commits}{fix.commit}" if fix and found.commits else "",
        subject=one_line(fix.subject, NAME) if fix else "",
        released=one_line(fix.released_in or "", NAME) if fix else "",
    )


def _shown(trial: Trial, quotes: bool) -> TrialSection:
    code = lines(shown(trial.reproduction).strip("\n"), _CODE) if quotes else ""
    where = one_line(trial.reproduction.where, NAME)
    return TrialSection(_capital(where), one_line(trial.says, LINE), code, tuple(_runs(trial, quotes)))


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _runs(trial: Trial, quotes: bool) -> Iterator[tuple[str, str, str]]:
    places: tuple[tuple[str, Run | None], ...] = (
        ("at the head", trial.head),
        (f"at the head without {trial.fix[:10]}", trial.without_fix),
        ("where it was reported", trial.reported),
        (f"before {trial.followed_by[:10]}", trial.before),
    )
    for place, run in places:
        if run is not None:
            yield place, SEEN_WORDS[run.seen], lines(run.shown.strip("\n"), _OUTPUT) if quotes else ""
