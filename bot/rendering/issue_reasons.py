"""Why an issue's verdict is what it is, in sentences: one for each rule of `bot.issues.decide`."""

from typing import assert_never

from bot.issues.facts import IssueGround
from bot.plain_text import count_of, join_words
from bot.rendering.words import join_items
from bot.verdicts import KINDS, Basis, BasisCut, BasisKind, ChecklistItem, Verdict


def issue_reasons(verdict: Verdict) -> tuple[str, ...]:
    """Plain sentences, the most important first. A verdict of a record brings them along."""
    if verdict.reasons:
        return verdict.reasons
    match IssueGround(verdict.ground):
        case IssueGround.SECTIONS:
            return (_empty(_sections(verdict)),)
        case IssueGround.LEAVES_OUT:
            return _leaves_out(verdict)
        case IssueGround.NEVER_HELD:
            return (f"A {KINDS[verdict.kind] if verdict.kind else 'subject of this kind'} is never held.",)
        case IssueGround.UNREAD | IssueGround.NO_ANSWER:
            return (verdict.said,)
        case IssueGround.PRIVATE:
            return ("This reads like a security report, which should be sent in private.",)
        case IssueGround.REPOSITORY_BUDGET:
            return ("The repository's budget of judgements for today is spent.",)
        case IssueGround.AUTHOR_BUDGET:
            return ("The author's budget of judgements for today is spent.",)
        case IssueGround.NO_JUDGE:
            return ("No judge was asked.",)
        case IssueGround.CONTRADICTED:
            return ("The judge calls the report clear, but it says almost nothing.",)
        case IssueGround.CLEAR:
            return ("The report says enough to act on.",)
        case IssueGround.ANSWERABLE:
            return ("This question can be answered.",)
        case IssueGround.SUPPLIED:
            return ("Everything that was asked for is now there.",)
        case IssueGround.NOTHING_TO_ASK:
            return ("The judge would hold the report, but leaves nothing to ask for.",)
        case ground:
            assert_never(ground)


def issue_promise(verdict: Verdict) -> str:
    """What the strictness promises and what that stands on, as sentences; empty for rules, which promise no share."""
    basis = verdict.basis
    if basis is None:
        return ""
    promise = f"At most {basis.promise:.0%} of clear issues should be held by mistake."
    return f"{promise} This is based on {_stands_on(basis, verdict.judge)}.{_cut(basis)}"


def _stands_on(basis: Basis, judge: str) -> str:
    made = "what maintainers did with" if basis.from_acts else "the labels of"
    issues = count_of(basis.issues, "issue")
    match basis.kind:
        case BasisKind.SHIPPED:
            whose = "these models together" if " + " in judge else "this model"
            return f"{basis.issues:,} recorded answers of {whose} to public issues, with another prompt"
        case BasisKind.POOLED:
            return f"{basis.issues:,} recorded answers of other models to public issues, with another prompt"
        case BasisKind.WEIGHTS:
            return f"{basis.issues:,} labelled public issues"
        case BasisKind.SERVER:
            return f"this server's calibration of {basis.made_on}, from {made} {issues}"
        case BasisKind.REPOSITORY:
            return f"this repository's calibration of {basis.made_on}, from {made} {issues}"
        case kind:
            assert_never(kind)


def _cut(basis: Basis) -> str:
    match basis.cut:
        case BasisCut.STRICTER:
            return " They show that the threshold before broke this promise, so a stricter one applies."
        case BasisCut.CHOSEN:
            return " They show no reason to change the threshold." if basis.from_acts else ""
        case BasisCut.SHIPPED if basis.from_acts:
            return " They show no reason to change Bouncer's default threshold."
        case BasisCut.SHIPPED if basis.made_on:
            return " They are too few to choose a threshold, so Bouncer's default applies."
        case BasisCut.SHIPPED:
            return ""
        case cut:
            assert_never(cut)


def _leaves_out(verdict: Verdict) -> tuple[str, ...]:
    sections = _sections(verdict)
    missing = tuple(line.item for line in verdict.checklist if not line.clear and not line.section)
    left = verdict.said or (f"The report leaves out {join_items(missing)}." if missing else "")
    return tuple(each for each in (_empty(sections) if sections else "", left) if each)


def _sections(verdict: Verdict) -> tuple[ChecklistItem, ...]:
    return tuple(line for line in verdict.checklist if line.section and not line.clear)


def _empty(lines: tuple[ChecklistItem, ...]) -> str:
    """Why a report without them is held, as a sentence."""
    names = [f"“{line.section}”" for line in lines]
    if len(names) == 1:
        return f"The section {names[0]}, which this repository wants filled in, is missing or empty."
    return f"The sections {join_words(names)}, which this repository wants filled in, are missing or empty."
