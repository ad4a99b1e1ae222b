"""What people do about an issue rather than write: labels put on or taken off, and the commands of `commands.py`."""

from dataclasses import replace
from functools import cached_property

from bot.github.values import Issue
from bot.issues import lifecycle
from bot.issues.exemptions import why_exempt, why_not_held, why_outside
from bot.issues.facts import IssueFacts
from bot.issues.lifecycle import Plan
from bot.issues.messages import Note
from bot.markdown.commands import Command
from bot.policy import Policy
from bot.policy_choices import Mode
from bot.storage.ledger import Act, Disagreement
from bot.storage.subjects import SubjectRecord
from bot.verdicts import IssueKind
from bot.workflows.commands import CommandContext, Right, commands_of, handler_of, not_a_persons
from bot.workflows.issue.fix_notice import FixNotice
from bot.workflows.issue.judging import IssueRun
from bot.workflows.issue.record import IssueNow, in_force
from bot.workflows.jobs import IssueOutcome

# What a maintainer says counts even while the policy is invalid; only nothing is written then.
UNREADABLE = Policy(mode=Mode.OBSERVE)
NOT_OURS = "a label Bouncer has nothing to do with"


class IssuePersonActions(IssueRun, CommandContext):
    """Carries out what one delivery asks for."""

    wing = "issue"

    @cached_property
    def then(self) -> Issue:
        """Perhaps before Bouncer's label was on it."""
        assert self.delivery.issue is not None
        return self.delivery.issue

    def perform(self) -> IssueOutcome:
        """Raises `GitHubError`; may then be repeated as a whole."""
        if not self.is_installed:
            return IssueOutcome("uninstalled")
        policy = in_force(self.policy_status().policy or UNREADABLE, self.memory())
        if self.delivery.action == "labeled":
            return self._labeled(policy)
        if self.delivery.action == "unlabeled":
            return self._unlabeled(policy)
        return self._command(policy)

    def _labeled(self, policy: Policy) -> IssueOutcome:
        if policy.issues.labels.is_holding([self.delivery.label]):
            asks = self._asks_by_label(policy)
            self.store(replace(self.memory(), held=False, label_by_human=True, asked_by_label=asks))
            said = "Bouncer asks for what is missing" if asks else "Bouncer will leave it"
            return IssueOutcome(f"somebody put the label on; {said}", within=asks)
        if self._is_one_of(policy.issues.only.labels):
            return IssueOutcome("a label that has it looked at", within=True)
        if self._is_one_of(policy.issues.exempt.labels):
            now = self.as_is(policy)
            if reason := why_exempt(now.facts, now.policy):
                return IssueOutcome(self.carry_out(lifecycle.not_held(now.facts, reason, now.policy), now))
        return IssueOutcome(NOT_OURS)

    def _unlabeled(self, policy: Policy) -> IssueOutcome:
        if self._is_one_of(policy.issues.only.labels):
            now = self.as_is(policy)
            if reason := why_outside(now.facts, now.policy):
                return IssueOutcome(self.carry_out(lifecycle.not_held(now.facts, reason, now.policy), now))
        if self._is_one_of(policy.issues.exempt.labels) and not why_not_held(self.as_is(policy).facts, policy):
            return IssueOutcome("a label that kept it from being held is gone", within=True)
        if not policy.issues.labels.is_holding([self.delivery.label]):
            objected = FixNotice(self).on_label_removed(self.delivery.label, policy)
            return IssueOutcome("somebody does not call it fixed" if objected else NOT_OURS, objected=objected)
        subject = self.memory()
        if not subject.held:
            self.store(replace(subject, label_by_human=False, asked_by_label=False))
            return IssueOutcome("the label was not Bouncer's")
        if not_a_persons(self.delivery, policy):
            self.store(replace(subject, held=False))
            return IssueOutcome("another bot took the label off")
        now = self.as_is(policy)
        plan = lifecycle.accepted(now.facts, policy)
        plan = replace(plan, labels_remove=())  # it is off; where it is on again, somebody put it there since
        return self.after_accept(plan, now, Act.LABEL_REMOVED)

    def after_accept(self, plan: Plan, now: IssueNow, act: Act) -> IssueOutcome:
        """A maintainer took it: against what was said of a fix, or before anybody looked for one."""
        subject = now.subject
        if plan.disagreement:
            self.services.disagreements.add(
                Disagreement(
                    workflow_id=self.job.run_id,
                    repo_id=subject.repo_id,
                    number=subject.number,
                    who=self.delivery.sender,
                    at=self.services.now(),
                    act=act,
                    verdict=subject.verdict,
                )
            )
        outcome, notice = self.carry_out(plan, now), FixNotice(self)
        objected = notice.object()
        bug = subject.verdict is None or subject.verdict.kind in (IssueKind.BUG, None)
        return IssueOutcome(outcome, look=bug and notice.unseen and not objected, objected=objected)

    def _command(self, policy: Policy) -> IssueOutcome:
        comment = self.delivery.comment
        assert comment is not None
        outcomes, done = [], IssueOutcome()
        for command in commands_of(self.delivery, self.services.github.slug):
            if not self.claims(command, comment):
                outcomes.append(f"{command.word}: done before")
                continue
            acted = self._carry_out_command(command, policy)
            outcomes.append(acted.outcome)
            done = done.and_then(acted)
        return replace(done, outcome="; ".join(outcomes))

    def _carry_out_command(self, command: Command, policy: Policy) -> IssueOutcome:
        handler = handler_of("issue", command)
        unfit = "" if handler.right is Right.ANYBODY else not_a_persons(self.delivery, policy)
        if unfit or not self.may(handler.right, self.then.author):
            about = {"word": command.word, "who": handler.right, "why": unfit}
            return self.refuse(command, policy, Note("refused", about))
        if isinstance(seen := self.reread(handler, command), str):
            return self.refuse(command, policy, Note(seen))
        acted: IssueOutcome = handler.carry_out(self, command, policy)
        return acted

    def refuse(self, command: Command, policy: Policy, note: Note) -> IssueOutcome:
        """The command does nothing; its answer says why."""
        return IssueOutcome(f"{command.word} refused: {self.reply(command, policy, note)}")

    def reply(self, command: Command, policy: Policy, note: Note, facts: IssueFacts | None = None) -> str:
        """Answer a command, and nothing else. facts: where something is remembered besides."""
        now = self.as_is(policy)
        return self.carry_out(lifecycle.answered(facts or now.facts, command.word, note, policy), now)

    @cached_property
    def issue(self) -> Issue:
        """As it is now."""
        return self.client.get_issue(self.then.number)

    def memory(self) -> SubjectRecord:
        """What is remembered of the issue."""
        return self.subject(self.then)

    def as_is(self, policy: Policy) -> IssueNow:
        """The issue as it is now."""
        return self.now(policy, self.issue)

    def _asks_by_label(self, policy: Policy) -> bool:
        """Whether the label that was put on is the word of somebody who may label. A form puts labels on in the name of
        whoever sends it."""
        if not policy.issues.ask_on_label or not_a_persons(self.delivery, policy):
            return False
        return self.may(Right.TRIAGE)

    def _is_one_of(self, labels: tuple[str, ...]) -> bool:
        return self.delivery.label.lower() in {name.lower() for name in labels}
