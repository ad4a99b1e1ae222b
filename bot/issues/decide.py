"""The input door's decision: facts and policy in, a verdict out. Pure."""

from dataclasses import replace

from bot.issues.agent_reach import enriching, reach, shown
from bot.issues.asked_for import fact_lines, question_for
from bot.issues.clarify import item_of, of_judge, questions
from bot.issues.facts import IssueFacts, IssueGround
from bot.issues.parse import ITEM_CHECKS
from bot.judges.calibration.calibration import basis, bounces, calibrated, offline_judges
from bot.judges.protocol import IssueJudge, Judgement, NoJudgement
from bot.plain_text import as_words
from bot.policy import Policy
from bot.policy_choices import Ask, Role, Strictness, language_of
from bot.reports import Report
from bot.verdicts import (
    ACTIONABLE,
    NEVER_HELD,
    ChecklistItem,
    Decision,
    Effect,
    Evidence,
    IssueKind,
    Item,
    Question,
    Verdict,
)

NOBODY = "nobody"  # the judge of a verdict that needed none

_MOST_ASKED = 2  # where nothing waits
_FEW_WORDS = 8  # different ones that could not stand in just any report
_FEWEST_WORDS = 12  # below this a report without its core says nothing: no judge can find it clear
_CORE = {
    IssueKind.BUG: Item.OBSERVED,
    IssueKind.FEATURE: Item.GOAL,
    IssueKind.QUESTION: Item.SUBJECT,
}


def wants_judge(facts: IssueFacts, policy: Policy) -> bool:
    """Whether a judge should be asked; otherwise `decide_issue` needs none."""
    report = facts.report
    return (
        report.kind not in (*NEVER_HELD, IssueKind.VULNERABILITY)
        and not report.unread
        and _over_budget(facts, policy) is None
    )


def with_judgement(facts: IssueFacts, policy: Policy, judge: IssueJudge) -> IssueFacts:
    """With the judge's answer, where one is needed."""
    if not wants_judge(facts, policy):
        return facts
    return replace(facts, judgement=judge.judge(with_facts(facts.report, policy)))


def with_facts(report: Report, policy: Policy) -> Report:
    """The report as a judge gets it: with what the policy asks for in such reports, found by parsing or not."""
    wanted = fact_lines(report, report.kind, policy)
    return replace(report, asked_for=tuple((line.fact, line.clear) for line in wanted)) if wanted else report


def decide_issue(facts: IssueFacts, policy: Policy) -> Verdict:
    """The verdict. The rules, first match wins:

    1. The report reads like a vulnerability, or its kind is never held: ACCEPT, nothing asked.
    2. The report could not be read whole, the budget of the day is spent, or the judge could not answer: UNAVAILABLE.
    3. The report says next to nothing and a model calls it clear: UNAVAILABLE, they contradict.
    4. The judge reads it as a vulnerability: as 1.
    5. No rule speaks against it, and its probability stays below the threshold: ACCEPT; with questions where `strict`
       would hold it and the policy has its author asked, or where a maintainer's label asks.
    6. A question (of kind question) is held only when one cannot tell what it is about: ACCEPT otherwise.
    7. A section that the policy wants filled in a bug report is not, or a fact that it asks for in reports of this
       kind is not there: BOUNCE, whatever the judge says. This goes before 5 and 6.
    8. Nothing can be asked that the report leaves open, neither of what is missing nor from the judge's own words:
       ACCEPT once everything asked for was supplied, else UNAVAILABLE.
    9. BOUNCE: the label decides, what is missing only chooses the questions.
    """
    report, judgement = facts.report, facts.judgement
    if report.kind is IssueKind.VULNERABILITY:
        return _vulnerability(report, NOBODY)
    if report.kind in NEVER_HELD:
        return Verdict(Decision.ACCEPT, None, None, NOBODY, report.kind, ground=IssueGround.NEVER_HELD)
    if report.unread:
        return _unavailable(report, judgement, IssueGround.UNREAD, report.unread)
    if spent := _over_budget(facts, policy):
        return _unavailable(report, judgement, spent)
    if judgement is None:
        return _unavailable(report, None, IssueGround.NO_JUDGE)
    if isinstance(judgement, NoJudgement):
        return _unavailable(report, judgement, IssueGround.NO_ANSWER, judgement.reason)

    strictness = policy.issues.strictness
    bounce = bounces(judgement, strictness, facts.calibration)
    ask = _may_ask(facts, policy) and bounces(judgement, Strictness.STRICT, facts.calibration)
    verdict = _judged(facts, policy, calibrated(judgement, facts.calibration), bounce, ask and not bounce)
    verdict = _with_silent(_with_reach(verdict, facts, policy, judgement), judgement)
    return replace(verdict, basis=basis(judgement, strictness, facts.calibration)) if verdict.label else verdict


def _with_silent(verdict: Verdict, judgement: Judgement) -> Verdict:
    """And which of several models gave no answer."""
    if not judgement.silent:
        return verdict
    said = f"{', '.join(judgement.silent)} gave no answer. Whatever it would have said, the vote is the same."
    return replace(verdict, evidence=(*verdict.evidence, Evidence("silent_voter", Effect.NEUTRAL, said)))


def _with_reach(verdict: Verdict, facts: IssueFacts, policy: Policy, judgement: Judgement) -> Verdict:
    """With a guess whether a coding agent can resolve the clear issue, where the policy has a label for that."""
    wanted = policy.issues.labels.within_reach and verdict.kind in ACTIONABLE
    if not wanted or verdict.decision is not Decision.ACCEPT:
        return verdict
    found = reach(facts.report.features, judgement, facts.past)
    return replace(verdict, within_reach=found.likely, evidence=(*verdict.evidence, shown(found, facts.past)))


def _with_place(asked: tuple[Question, ...], report: Report, limit: int) -> tuple[Question, ...]:
    """And which part of the project it is about, last, for a policy that asks for what agents can resolve."""
    place = enriching(report.features) if asked else None
    known = {question.item for question in asked}
    return (*asked, place)[:limit] if place and place.item not in known else asked


def _may_ask(facts: IssueFacts, policy: Policy) -> bool:
    """Whether the policy has this author asked where nothing is held."""
    newcomer = facts.association in (Role.NONE, Role.FIRST_TIMER, Role.FIRST_TIME_CONTRIBUTOR)
    return policy.issues.ask is Ask.ALWAYS or (policy.issues.ask is Ask.NEWCOMERS and newcomer)


def _label_asks(facts: IssueFacts, policy: Policy) -> bool:
    """Whether somebody who may label says that something is unclear, and the policy has Bouncer ask for it."""
    return policy.issues.ask_on_label and facts.history.asked_by_label


def _judged(facts: IssueFacts, policy: Policy, judgement: Judgement, bounce: bool, ask: bool) -> Verdict:
    """Rules 3 to 9 of `decide_issue`: what the judge's answer leads to. bounce: it holds the report. ask: it holds
    nothing, and its author may be asked."""
    report, by_model = facts.report, judgement.judge not in offline_judges()
    if by_model and _says_nothing(report) and not facts.history.satisfied and not bounce:
        return _unavailable(report, judgement, IssueGround.CONTRADICTED)
    if judgement.kind is IssueKind.VULNERABILITY:
        return _vulnerability(report, judgement.judge)

    if not by_model and not bounce:  # what the offline judge strikes out counts where it holds
        there = {item: quote is not None for item, quote in report.items.items()}
        found = {item for item, said in judgement.items.items() if said and ask}
        judgement = replace(judgement, items={item: said or item in found for item, said in there.items()})
    by_label = not bounce and _label_asks(facts, policy)
    ask = ask or by_label
    checklist = _checklist(facts, judgement)
    missing = tuple(line.item for line in checklist if not line.clear)
    supplied = {*facts.history.satisfied, *(item for item, there in judgement.items.items() if there)}
    wanted = fact_lines(report, judgement.kind, policy, supplied)
    empty = (*_unfilled(facts, judgement.kind, policy), *(line for line in wanted if not line.clear))
    told = tuple(line for line in wanted if line.clear)
    if not bounce and not ask and not empty:
        return _accepted(report, judgement, (*told, *checklist), policy)
    if judgement.kind is IssueKind.QUESTION and Item.SUBJECT not in missing and not empty:
        return _verdict(Decision.ACCEPT, report, judgement, IssueGround.ANSWERABLE, checklist)
    unawaited = ask and not empty and not by_label
    limit = min(policy.issues.max_questions, _MOST_ASKED if unawaited else policy.issues.max_questions)
    language = language_of(report.language, policy.issues.comment.language)
    surely = tuple(item for item in missing if not (unawaited and item is Item.STEPS and _tells_more(report)))
    asked = questions(report, surely, judgement.questions, limit, language)
    if not asked and surely == missing:
        asked = of_judge(report, judgement, supplied)
    if policy.issues.labels.within_reach and judgement.kind in ACTIONABLE:
        asked = _with_place(asked, report, limit)
    if empty and not (bounce and asked):
        # Held for want of what the policy asks for alone: that is its word, and no judge's.
        return Verdict(
            decision=Decision.BOUNCE,
            label=None,
            probability=None,
            judge=NOBODY,
            kind=judgement.kind,
            checklist=(*empty, *told, *(line for line in checklist if line.clear)),
            questions=tuple(_own_question(line, policy) for line in empty)[:limit],
            evidence=_evidence(report, checklist),
            ground=IssueGround.WANTED,
            language=language,
        )
    if ask and not asked:
        return _accepted(report, judgement, (*told, *checklist), policy)
    if not asked:
        if facts.history.asked:
            return _verdict(Decision.ACCEPT, report, judgement, IssueGround.SUPPLIED, checklist)
        return _unavailable(report, judgement, IssueGround.NOTHING_TO_ASK)
    checklist = _left_open(checklist, asked)
    if ask:
        ground = IssueGround.LABEL_ASKS if by_label else IssueGround.ASKS
        return replace(
            _verdict(Decision.ACCEPT, report, judgement, ground, (*told, *checklist)),
            questions=asked,
            language=language,
        )
    named = {line.item for line in empty if line.item is not Item.DETAILS}
    others = (question for question in asked if question.item not in named)
    return replace(
        _verdict(Decision.BOUNCE, report, judgement, IssueGround.LEAVES_OUT, checklist),
        checklist=(*empty, *told, *(line for line in checklist if line.clear or line.item not in named)),
        questions=(*(_own_question(line, policy) for line in empty), *others)[:limit],
        said=judgement.reason,
        language=language,
    )


def _accepted(report: Report, judgement: Judgement, checklist: tuple[ChecklistItem, ...], policy: Policy) -> Verdict:
    """Nothing holds it; whether it says enough is another matter."""
    if all(line.clear for line in checklist):
        return _verdict(Decision.ACCEPT, report, judgement, IssueGround.CLEAR, checklist)
    unheld = _verdict(Decision.ACCEPT, report, judgement, IssueGround.UNHELD, checklist)
    return replace(unheld, said=policy.issues.strictness.value)


def _over_budget(facts: IssueFacts, policy: Policy) -> IssueGround | None:
    if facts.looks_today_repository >= policy.budgets.per_repository:
        return IssueGround.REPOSITORY_BUDGET
    if facts.looks_today_author >= policy.budgets.per_author:
        return IssueGround.AUTHOR_BUDGET
    return None


def _says_nothing(report: Report) -> bool:
    """Whether parsing found so little to act on that no judge's word can make the report clear."""
    words = report.features.get("specific_words", float(len(report.visible_text.split())))
    core = _CORE.get(report.kind)
    return words < _FEWEST_WORDS and core is not None and not report.items.get(core)


def _tells_more(report: Report) -> bool:
    """Whether it says more than a few words: these tell in one of many ways how it came about, and where nothing waits
    nobody is asked that again."""
    return report.features.get("specific_words", 0.0) >= _FEW_WORDS


def _checklist(facts: IssueFacts, judgement: Judgement) -> tuple[ChecklistItem, ...]:
    """The items that matter, in the order of `Item`: the judge's view before the parser's, and a rule's alone; a tick
    stays for good. What was asked for does not vanish: where a reply makes it needless, it is ticked.

    A quote stands with the first item it supplies only.
    """
    found, kind_agrees = facts.report.items, judgement.kind is facts.report.kind
    alone = judgement.items and (judgement.judge in offline_judges() or not kind_agrees)
    matter = set(judgement.items) | (set() if alone else set(found))
    asked = set(facts.history.asked) if facts.history.held else set()
    needless = asked - matter
    lines: list[ChecklistItem] = []
    for item in Item:
        if item in matter | asked:
            clear = (
                item in needless
                or item in facts.history.satisfied
                or judgement.items.get(item, found.get(item) is not None)
            )
            quote = found.get(item) or ""
            lines.append(ChecklistItem(item, clear, "" if any(quote == line.quote for line in lines) else quote))
    return tuple(lines)


def _left_open(checklist: tuple[ChecklistItem, ...], asked: tuple[Question, ...]) -> tuple[ChecklistItem, ...]:
    """Nothing is ticked that is asked for."""
    wanted = {question.item for question in asked}
    ticked = {line.item: line for line in checklist if line.item not in wanted}
    return tuple(ticked.get(item, ChecklistItem(item, False)) for item in Item if item in ticked or item in wanted)


def _evidence(report: Report, checklist: tuple[ChecklistItem, ...]) -> tuple[Evidence, ...]:
    """What was found, without what the checklist has an answer to or does not ask for: nothing is called missing that
    is ticked, or that nobody has to say."""
    open_ = {ITEM_CHECKS[line.item][0] for line in checklist if not line.clear}
    needless = {check for check, *_ in ITEM_CHECKS.values()} - open_
    return tuple(each for each in report.evidence if each.effect is not Effect.MISSING or each.check not in needless)


def _verdict(
    decision: Decision,
    report: Report,
    judgement: Judgement,
    ground: IssueGround,
    checklist: tuple[ChecklistItem, ...],
) -> Verdict:
    return Verdict(
        decision=decision,
        label=judgement.label,
        probability=judgement.probability,
        judge=judgement.judge,
        kind=judgement.kind,
        checklist=checklist,
        evidence=_evidence(report, checklist),
        reasoning=judgement.reasoning,
        ground=ground,
    )


def _vulnerability(report: Report, judge: str) -> Verdict:
    kind, ground = IssueKind.VULNERABILITY, IssueGround.PRIVATE
    return Verdict(Decision.ACCEPT, None, None, judge, kind, evidence=report.evidence, ground=ground)


def _unavailable(
    report: Report, judgement: Judgement | NoJudgement | None, ground: IssueGround, said: str = ""
) -> Verdict:
    judged = judgement if isinstance(judgement, Judgement) else None
    return Verdict(
        decision=Decision.UNAVAILABLE,
        label=judged.label if judged else None,
        probability=judged.probability if judged else None,
        judge=judgement.judge if judgement is not None else NOBODY,
        kind=report.kind,
        evidence=report.evidence,
        reasoning=judged.reasoning if judged else "",
        ground=ground,
        said=said,
    )


def _unfilled(facts: IssueFacts, kind: IssueKind, policy: Policy) -> tuple[ChecklistItem, ...]:
    """A line for each that is missing or empty, in the policy's order. An answer without the heading counts where
    parsing knows what the heading asks for."""
    if kind is not IssueKind.BUG or policy.issues.strictness is Strictness.LENIENT:
        return ()
    filled = set(map(as_words, facts.report.filled))
    wanted = dict.fromkeys(policy.issues.required_sections)
    return tuple(
        ChecklistItem(item_of(section) or Item.DETAILS, clear=False, section=section)
        for section in wanted
        if as_words(section) not in filled and not _is_answered(item_of(section), facts)
    )


def _own_question(line: ChecklistItem, policy: Policy) -> Question:
    """The question about what the policy asks for."""
    if line.fact:
        return question_for(line, policy)
    item = item_of(line.section)
    keys = ("missing", item.value if item else "fill_in")
    return Question(line.item, quote=line.section, keys=keys)


def _is_answered(item: Item | None, facts: IssueFacts) -> bool:
    return item is not None and (bool(facts.report.items.get(item)) or item in facts.history.satisfied)
