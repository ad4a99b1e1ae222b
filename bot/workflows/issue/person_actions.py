"""What people do about an issue rather than write: labels put on or taken off, and the commands of `commands.py`."""

from dataclasses import replace
from functools import cached_property

from bot.github.deliveries import Delivery
from bot.github.values import Comment, Issue
from bot.issues import lifecycle
from bot.issues.commands import Command, Right, may
from bot.issues.exemptions import why_exempt, why_not_held, why_outside
from bot.issues.facts import IssueFacts
from bot.issues.lifecycle import Plan
from bot.issues.messages import Message, NotAllowed, Note
from bot.policy import Policy
from bot.policy_choices import Mode
from bot.storage.ledger import Act, Disagreement
from bot.storage.subjects import SubjectRecord
from bot.verdicts import IssueKind
from bot.workflows.commands import as_shown, claim, commands_of, handler_of, not_a_persons
from bot.workflows.issue.fix_notice import FixNotice
from bot.workflows.issue.judging import IssueRun
from bot.workflows.issue.record import in_force
from bot.workflows.jobs import IssueOutcome

# What a maintainer says counts even while the policy is invalid; only nothing is written then.
UNREADABLE = Policy(mode=Mode.OBSERVE)


class IssuePersonActions:
    """Carries out what one delivery asks for."""

    def __init__(self, look: IssueRun, delivery: Delivery, issue: Issue) -> None:
        self.look = look
        self.delivery = delivery
        self.then = issue
        self.services = look.services

    def perform(self) -> IssueOutcome:
        """Raises `GitHubError`; may then be repeated as a whole."""
        if not self.services.is_installed(self.look.job.installation_id):
            return IssueOutcome("uninstalled")
        policy = in_force(self.look.policy().policy or UNREADABLE, self.subject())
        if self.delivery.action == "labeled":
            return self._labeled(policy)
        if self.delivery.action == "unlabeled":
            return self._unlabeled(policy)
        return self._command(policy)

    def _labeled(self, policy: Policy) -> IssueOutcome:
        subject = self.subject()
        if self._is_ours(policy):
            self.look.store(replace(subject, held=False, label_by_human=True))
            return IssueOutcome("somebody put the label on; Bouncer will leave it")
        if self._is_one_of(policy.issues.only.labels):
            return IssueOutcome("a label that has it looked at", within=True)
        if not self._is_one_of(policy.issues.exempt.labels):
            return IssueOutcome("a label Bouncer has nothing to do with")
        facts = self.facts(subject, policy)
        if reason := why_exempt(facts, policy):
            return IssueOutcome(self.carry_out(lifecycle.not_held(facts, reason, policy), subject, policy))
        return IssueOutcome("a label Bouncer has nothing to do with")

    def _unlabeled(self, policy: Policy) -> IssueOutcome:
        subject = self.subject()
        if self._is_one_of(policy.issues.only.labels):
            facts = self.facts(subject, policy)
            if reason := why_outside(facts, policy):
                return IssueOutcome(self.carry_out(lifecycle.not_held(facts, reason, policy), subject, policy))
        if self._is_one_of(policy.issues.exempt.labels) and not why_not_held(self.facts(subject, policy), policy):
            return IssueOutcome("a label that kept it from being held is gone", within=True)
        if not self._is_ours(policy):
            objected = FixNotice(self.look).on_label_removed(self.delivery.label, policy)
            said = "somebody does not call it fixed" if objected else "a label Bouncer has nothing to do with"
            return IssueOutcome(said, objected=objected)
        if not subject.held:
            self.look.store(replace(subject, label_by_human=False))
            return IssueOutcome("the label was not Bouncer's")
        if not_a_persons(self.delivery, policy):
            self.look.store(replace(subject, held=False))
            return IssueOutcome("another bot took the label off")
        plan = lifecycle.accepted(self.facts(subject, policy), policy)
        plan = replace(plan, labels_remove=())  # it is off; where it is on again, somebody put it there since
        return self.after_accept(plan, subject, policy, act=Act.LABEL_REMOVED)

    def after_accept(self, plan: Plan, subject: SubjectRecord, policy: Policy, *, act: Act) -> IssueOutcome:
        """A maintainer took it: against what was said of a fix, or before anybody looked for one."""
        outcome = self.carry_out(plan, subject, policy, act=act)
        notice = FixNotice(self.look)
        objected = notice.object()
        bug = subject.verdict is None or subject.verdict.kind in (IssueKind.BUG, None)
        return IssueOutcome(outcome, look=bug and notice.unseen and not objected, objected=objected)

    def _command(self, policy: Policy) -> IssueOutcome:
        comment = self.delivery.comment
        assert comment is not None
        outcomes, done = [], IssueOutcome()
        for command in commands_of(self.delivery, self.services.github.slug):
            if not claim(self.services, comment, f"issue:{command.word}", self.look.job.run_id):
                outcomes.append(f"{command.word}: done before")
                continue
            acted = self._carry_out_command(command, comment, policy)
            outcomes.append(acted.outcome)
            done = done.and_then(acted)
        return replace(done, outcome="; ".join(outcomes))

    def _carry_out_command(self, command: Command, comment: Comment, policy: Policy) -> IssueOutcome:
        handler = handler_of("issue", command)
        unfit = "" if handler.right is Right.ANYBODY else not_a_persons(self.delivery, policy)
        if unfit or not self._may(handler.right):
            return self.refuse(command, policy, NotAllowed(command.word, handler.right, unfit))
        if handler.lifts:
            seen = as_shown(self.look.client, comment, self.then.number, command, self.services.github.slug)
            if isinstance(seen, str):
                return self.refuse(command, policy, Note(seen))
        acted: IssueOutcome = handler.carry_out(self, command, policy)
        return acted

    def refuse(self, command: Command, policy: Policy, note: Message) -> IssueOutcome:
        """The command does nothing; its answer says why."""
        return IssueOutcome(f"{command.word} refused: {self.answer(command, policy, note)}")

    def answer(self, command: Command, policy: Policy, note: Message, facts: IssueFacts | None = None) -> str:
        """Answer a command, and nothing else. facts: where something is remembered besides."""
        subject = self.subject()
        plan = lifecycle.answered(facts or self.facts(subject, policy), command.word, note, policy)
        return self.carry_out(plan, subject, policy)

    def _may(self, right: Right) -> bool:
        """Whoever wrote these words: an edit is by its sender. Permission is only asked for when it matters."""
        who, bot = self.delivery.sender, self.delivery.sender_is_bot
        is_reporter = who == self.then.author
        if right is Right.ANYBODY or may(right, None, is_reporter=is_reporter, is_bot=bot):
            return not bot
        return may(right, self.look.client.permission(who), is_reporter=is_reporter, is_bot=bot)

    def carry_out(self, plan: Plan, subject: SubjectRecord, policy: Policy, *, act: Act | None = None) -> str:
        """Write what a plan says. act: by which a maintainer overruled the verdict, where one did."""
        if act is not None and plan.disagreement:
            self.services.disagreements.add(
                Disagreement(
                    workflow_id=self.look.job.run_id,
                    repo_id=subject.repo_id,
                    number=subject.number,
                    who=self.delivery.sender,
                    at=self.services.now(),
                    act=act,
                    verdict=subject.verdict,
                )
            )
        return self.look.carry_out(plan, self.issue, None, subject, policy)

    @cached_property
    def issue(self) -> Issue:
        """As it is now: a delivery shows it as it was, perhaps before Bouncer's label was on it."""
        return self.look.client.get_issue(self.then.number)

    def subject(self) -> SubjectRecord:
        """What is remembered of the issue."""
        return self.look.subject(self.then)

    def facts(self, subject: SubjectRecord, policy: Policy) -> IssueFacts:
        """Of the issue as it is now."""
        return self.look.facts(self.issue, (), subject, policy)

    def _is_one_of(self, labels: tuple[str, ...]) -> bool:
        return self.delivery.label.lower() in {name.lower() for name in labels}

    def _is_ours(self, policy: Policy) -> bool:
        return self.delivery.label.lower() == policy.issues.labels.needs_clarification.lower()
