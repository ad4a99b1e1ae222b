"""What to write for a verdict or a maintainer's word, as a value. Pure; the workflows carry it out."""

from dataclasses import dataclass, replace

from bot.issues.facts import CommentParts, IssueFacts, IssueGround, IssueHistory
from bot.issues.messages import Asks, Message, Note
from bot.policy import Policy
from bot.policy_choices import Mode, language_of
from bot.verdicts import ACTIONABLE, Decision, IssueKind, State, Verdict

ANSWER = "answer"  # what is replied to, where it is no command


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write on one issue, and what to remember.

    outcome: one plain line for the log, the delivery's record and `bouncer replay`.
    history: what to remember once everything else is done (store it last, so that a kill in between repeats the plan).
    labels_add, labels_remove: label names; both are sets and idempotent.
    comment: what the one comment says from now on; `None` leaves it as it is.
    note: what became of the issue since, put below the one comment; it stands until the comment changes. Where there is
        no comment yet, the note becomes it.
    answer: what to tell whoever gave the command `to` (or answered, `ANSWER`), as a comment of its own.
    reminder: a comment of its own (editing one notifies nobody), written once a hold.
    language: of all that is said, as a code.
    close: close the issue, as completed where it is `fixed`, else as not planned. reopen: open it again, first of all.
    below: the parts of the one comment below its head; `None` leaves them as they are.
    disagreement: a maintainer overruled the verdict; record it.
    """

    outcome: str
    history: IssueHistory
    labels_add: tuple[str, ...] = ()
    labels_remove: tuple[str, ...] = ()
    comment: Message | None = None
    note: Message | None = None
    answer: Message | None = None
    to: str = ""
    reminder: Message | None = None
    close: bool = False
    reopen: bool = False
    fixed: bool = False
    below: CommentParts | None = None
    disagreement: bool = False
    language: str = "en"

    @property
    def writes(self) -> bool:
        """Whether anything at all is written on GitHub."""
        texts = (self.comment, self.note, self.answer, self.reminder, self.below)
        acts = self.labels_add or self.labels_remove or self.close or self.reopen
        return bool(acts or any(text is not None for text in texts))


def plan(facts: IssueFacts, verdict: Verdict, policy: Policy) -> Plan:
    """The plan for a fresh verdict. In observe mode it writes nothing and remembers only that it was judged."""
    if facts.history.state != State.ACTIVE:
        return _unchanged(facts, f"it is {facts.history.state}")
    facts = replace(facts, history=replace(facts.history, left_alone=""))
    if policy.mode is Mode.OBSERVE:
        judged = verdict.decision is not Decision.UNAVAILABLE
        history = replace(facts.history, judged=facts.history.judged or judged)
        said = f"{verdict.decision}, {len(verdict.questions)} would be asked" if verdict.asks else verdict.decision
        return Plan(f"{said}: observed, nothing written", history)
    if verdict.decision is Decision.UNAVAILABLE:
        return _unavailable(facts, verdict, policy)
    if verdict.kind is IssueKind.VULNERABILITY:
        return _vulnerability(facts, policy)
    if verdict.decision is Decision.ACCEPT:
        return _clear(facts, verdict, policy)
    if facts.history.held and not facts.has_label(policy.issues.labels.needs_clarification):
        return accepted(facts, policy)  # only people take it off, and what they took off is never put back
    return _hold(facts, verdict, policy)


def is_ready(facts: IssueFacts, verdict: Verdict) -> bool:
    """Whether a coding agent may start: it is clear, its reporter is asked nothing, and no person's label says that
    something is unclear."""
    clear = verdict.decision is Decision.ACCEPT and not verdict.asks and not facts.history.label_by_human
    return clear and verdict.kind in ACTIONABLE


def after_answer(facts: IssueFacts, before: Verdict | None, verdict: Verdict, plan: Plan) -> Plan:
    """The plan for a verdict on what the reporter wrote in a comment. Where it gives a part of what was missing before,
    a reply says what is still missing, since an edit notifies nobody. It opens an issue again that Bouncer closed for
    want of it, and what gives nothing leaves that closed."""
    unsaid = {(item, "") for item in facts.history.asked if item not in facts.history.satisfied}
    missed = {(line.item, line.own) for line in before.checklist if not line.clear} if before else unsaid
    gives = any(line.clear and (line.item, line.own) in missed for line in verdict.checklist)
    waits = facts.history.held or verdict.ground == IssueGround.LABEL_ASKS
    if gives and waits and isinstance(plan.comment, Asks):
        plan = replace(plan, answer=Note("still_missing", {"verdict": verdict}), to=ANSWER)
    if not facts.answered_late:
        return plan
    if not gives and verdict.decision is not Decision.ACCEPT:
        return _unchanged(facts, "it is closed, and the answer gives nothing that was asked for")
    history = replace(plan.history, reminded=False)
    return replace(plan, outcome=f"opened again; {plan.outcome}", reopen=plan.writes, history=history)


def not_held(facts: IssueFacts, reason: str, policy: Policy) -> Plan:
    """The policy has it held never (`reason` from `exemptions.why_not_held`): a hold ends, nothing else is written."""
    history = replace(facts.history, left_alone=reason)
    if not facts.history.held or policy.mode is Mode.OBSERVE:
        return Plan(f"left alone: {reason}", history, note=_unasked(facts, policy, reason=reason))
    return Plan(
        f"released: {reason}",
        replace(history, held=False),
        labels_remove=_ours(facts, policy),
        comment=Note("exempted", {"reason": reason}) if facts.history.commented else None,
        language=_language(facts, policy),
    )


def answered_not_held(facts: IssueFacts, verdict: Verdict, reason: str, policy: Policy) -> Plan:
    """Somebody asked for a look at an issue that is never held (`reason` as for `not_held`): what Bouncer makes of it
    is an answer, and no hold."""
    plan = not_held(facts, reason, policy)
    said = f"{verdict.decision}, not held: {reason}"
    history = replace(plan.history, judged=plan.history.judged or verdict.decision is not Decision.UNAVAILABLE)
    if policy.mode is Mode.OBSERVE:
        return replace(plan, outcome=f"{said}: observed, nothing written", history=history)
    answer = Note("spared", {"verdict": verdict, "reason": reason})
    return replace(plan, outcome=said, history=history, answer=answer, to="recheck")


def left_alone(facts: IssueFacts, reason: str, policy: Policy) -> Plan:
    """Nothing is looked at (`reason` from `exemptions.why_no_look`), and nothing written, but for why it is where
    somebody's label asks."""
    history = replace(facts.history, left_alone=reason)
    return Plan(f"left alone: {reason}", history, note=_unasked(facts, policy, reason=reason))


def accepted(facts: IssueFacts, policy: Policy, *, answer: bool = False) -> Plan:
    """A maintainer removed the label or wrote `/bouncer accept`: Bouncer never holds this issue again.

    answer: say so even where there is no comment yet, because somebody wrote the command.
    """
    history = replace(facts.history, state=State.ACCEPTED, held=False)
    disagreement = facts.history.held
    if policy.mode is Mode.OBSERVE:
        return Plan("accepted by a maintainer: observed, nothing written", history, disagreement=disagreement)
    return Plan(
        "accepted by a maintainer",
        history,
        labels_remove=_present(facts, policy.issues.labels.needs_clarification),
        comment=Note("accepted") if facts.history.commented or answer else None,
        language=_language(facts, policy),
        disagreement=disagreement,
    )


def paused(facts: IssueFacts, policy: Policy) -> Plan:
    """`/bouncer pause`: everything stays as it is until `/bouncer resume`."""
    if facts.history.state == State.ACCEPTED:
        return answered(facts, "pause", Note("ended"), policy)
    answer = answered(facts, "pause", Note("paused"), policy)
    return replace(answer, outcome="paused", history=replace(facts.history, state=State.PAUSED))


def resumed(facts: IssueFacts, policy: Policy) -> Plan:
    """`/bouncer resume`: active again, and a fresh look should follow. An accepted issue stays accepted."""
    if facts.history.state == State.ACCEPTED:
        return answered(facts, "resume", Note("ended"), policy)
    answer = answered(facts, "resume", Note("resumed"), policy)
    return replace(answer, outcome="resumed", history=replace(facts.history, state=State.ACTIVE))


def answered(facts: IssueFacts, word: str, answer: Message, policy: Policy) -> Plan:
    """An answer to a command (help, a refusal), and nothing else."""
    if policy.mode is Mode.OBSERVE:
        return Plan("answered: observed, nothing written", facts.history)
    return Plan("answered", facts.history, answer=answer, to=word)


def silent(facts: IssueFacts, silent_days: int, policy: Policy) -> Plan:
    """Nobody has written for `silent_days` whole days: remind once or close, when the policy asks for it.

    Only an open issue that Bouncer itself holds; its own reminder does not count as somebody writing.
    """
    rules, history = policy.issues.no_response, facts.history
    waits = history.held and history.state == State.ACTIVE and facts.state == "open"
    if not waits or not policy.issues.enabled or policy.mode is Mode.OBSERVE:
        return _unchanged(facts, "it does not wait for an answer")
    if rules.close_after_days is not None and silent_days >= rules.close_after_days:
        outcome, note = f"closed after {silent_days} silent days", Note("closed", {"days": silent_days})
        return Plan(outcome, history, note=note, close=True, language=_language(facts, policy))
    if rules.remind_after_days is not None and silent_days >= rules.remind_after_days and not history.reminded:
        left = None if rules.close_after_days is None else rules.close_after_days - silent_days
        reminded, language = replace(history, reminded=True), _language(facts, policy)
        return Plan("reminded", reminded, reminder=Note("reminder", {"close_in_days": left}), language=language)
    return _unchanged(facts, "it waits for an answer")


def _unchanged(facts: IssueFacts, reason: str) -> Plan:
    return Plan(f"left alone: {reason}", facts.history)


def _unasked(facts: IssueFacts, policy: Policy, **why: Verdict | str) -> Note | None:
    """Why nothing is asked, for whoever put the label on that should have Bouncer ask. why: a verdict or a `reason`."""
    labelled = facts.history.asked_by_label and facts.has_label(policy.issues.labels.needs_clarification)
    may_write = policy.mode is not Mode.OBSERVE and facts.state == "open" and not facts.locked
    return Note("unasked", why) if policy.issues.ask_on_label and labelled and may_write else None


def _hold(facts: IssueFacts, verdict: Verdict, policy: Policy) -> Plan:
    """The label and the comment. A label that a person put on is not ours, so clearing will leave it."""
    labels, history = policy.issues.labels, facts.history
    return Plan(
        f"held: {len(verdict.questions)} asked",
        replace(
            _seen(history, verdict),
            held=not history.label_by_human,
            commented=True,
            reminded=history.held and history.reminded,
        ),
        labels_add=() if facts.has_label(labels.needs_clarification) else (labels.needs_clarification,),
        labels_remove=_present(facts, labels.agent_ready, labels.within_reach),
        comment=_asks(facts, verdict, policy, labels.needs_clarification),
        language=_language(facts, policy),
    )


def _asks(facts: IssueFacts, verdict: Verdict, policy: Policy, label: str = "") -> Asks:
    """The questions, and the label that holds the issue, where one does."""
    around = policy.issues.comment
    again = bool(facts.history.asked)
    return Asks(verdict, label, again=again, above=around.above or "", below=around.below or "", page=facts.page)


def _clear(facts: IssueFacts, verdict: Verdict, policy: Policy) -> Plan:
    """The label goes when it is ours, and a comment that asks becomes one line; one that asked nothing stays. Where
    there are questions, they are asked, and nothing waits but the coding agents."""
    labels = policy.issues.labels
    ready = is_ready(facts, verdict) and not facts.history.fixed
    names = (labels.agent_ready, labels.within_reach if verdict.within_reach else None) if ready else ()
    asked_before = facts.history.commented and facts.history.asked
    asks = _asks(facts, verdict, policy) if verdict.asks else None
    comment = asks or (Note("cleared", {"verdict": verdict}) if asked_before else None)
    return Plan(
        f"clear: {len(verdict.questions)} asked" if asks else "clear",
        replace(_seen(facts.history, verdict), held=False, commented=facts.history.commented or asks is not None),
        labels_add=tuple(name for name in names if name and not facts.has_label(name)),
        labels_remove=_ours(facts, policy)
        + (() if verdict.within_reach else _present(facts, labels.within_reach)),  # it was written anew since
        comment=comment,
        note=None if comment else _unasked(facts, policy, verdict=verdict),
        language=_language(facts, policy),
    )


def _vulnerability(facts: IssueFacts, policy: Policy) -> Plan:
    """How to report it in private, no questions, none of our labels."""
    return Plan(
        "asked for a private report",
        replace(facts.history, held=False, commented=True, judged=True),
        labels_remove=_ours(facts, policy)
        + _present(facts, policy.issues.labels.agent_ready, policy.issues.labels.within_reach),
        comment=Note("vulnerability", {"policy": ""}),  # where to, is asked when it is written
        language=_language(facts, policy),
    )


def _unavailable(facts: IssueFacts, verdict: Verdict, policy: Policy) -> Plan:
    """A hold stays as it is, and its comment says that the latest text is not judged; elsewhere nothing is written."""
    note = Note("unavailable", {"verdict": verdict}) if facts.history.held and facts.history.commented else None
    why = verdict.said or f"{verdict.ground}."
    return Plan(f"not judged: {why}", facts.history, note=note, language=_language(facts, policy))


def _language(facts: IssueFacts, policy: Policy) -> str:
    return language_of(facts.report.language, policy.issues.comment.language)


def _seen(history: IssueHistory, verdict: Verdict) -> IssueHistory:
    """With what is there by now, and what was asked for."""
    ticked = (line.item for line in verdict.checklist if line.clear and not line.fact)
    asked = (question.item for question in verdict.questions)
    return replace(
        history,
        judged=True,
        satisfied=tuple(dict.fromkeys((*history.satisfied, *ticked))),
        asked=tuple(dict.fromkeys((*history.asked, *asked))),
    )


def _ours(facts: IssueFacts, policy: Policy) -> tuple[str, ...]:
    """The needs-clarification label, when Bouncer put it there and it still is."""
    return _present(facts, policy.issues.labels.needs_clarification) if facts.history.held else ()


def _present(facts: IssueFacts, *labels: str | None) -> tuple[str, ...]:
    return tuple(label for label in labels if label and facts.has_label(label))
