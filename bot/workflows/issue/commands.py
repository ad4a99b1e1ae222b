"""What people do rather than write: commands in comments, and labels put on or taken off."""

from dataclasses import replace
from functools import cached_property

from bot.github.values import Comment, Delivery, Issue
from bot.issues import lifecycle
from bot.issues.commands import Command, Right, Word, may, needed_right
from bot.issues.commands import parse as parse_commands
from bot.issues.decide import exempt, leave_alone, outside, spared
from bot.issues.facts import IssueFacts
from bot.issues.lifecycle import Plan
from bot.issues.messages import Ended, Help, Message, NotLookedFor, Paused, Refused
from bot.policy import Mode, Policy
from bot.pulls.agents import no_persons_word
from bot.storage.ledger import Act, Disagreement
from bot.storage.subjects import Subject
from bot.verdicts import IssueKind, State
from bot.workflows.issue.fix_notice import Stale, accepted
from bot.workflows.issue.judging import Look
from bot.workflows.issue.record import in_force
from bot.workflows.jobs import Acted

# Words that mean something on pull requests only.
_OF_PULLS = (Word.ANSWER, Word.OVERRIDE, Word.OVERRIDE_CANCEL, Word.PERSON, Word.EXPLAIN)
FOR_PULLS = {word: word.value for word in _OF_PULLS}

# What a maintainer says counts even while the policy is invalid; only nothing is written then.
UNREADABLE = Policy(mode=Mode.OBSERVE)


def has_act(delivery: Delivery, slug: str) -> bool:
    """Whether a delivery holds anything but text to look at."""
    return delivery.action in ("labeled", "unlabeled") or bool(commands_of(delivery, slug))


def commands_of(delivery: Delivery, slug: str) -> tuple[Command, ...]:
    """New commands: of a new comment, or in lines an edit added. slug: the App's name. Bots never command.

    Each word counts once, so that nobody can have a comment of a thousand lines answered a thousand times.
    """
    if delivery.comment is None or delivery.action not in ("created", "edited") or delivery.sender_is_bot:
        return ()
    found = parse_commands(delivery.comment.body, slug, delivery.previous_body)
    return tuple({command.word: command for command in reversed(found)}.values())[::-1]


class Acts:
    """Carries out what one delivery asks for."""

    def __init__(self, look: Look, delivery: Delivery, issue: Issue) -> None:
        self.look = look
        self.delivery = delivery
        self.then = issue
        self.services = look.services

    def perform(self) -> Acted:
        """Raises `GitHubError`; may then be repeated as a whole."""
        if not self.services.installed(self.look.job.installation_id):
            return Acted("uninstalled")
        policy = in_force(self.look.policy().policy or UNREADABLE, self._subject())
        if self.delivery.action == "labeled":
            return self._labeled(policy)
        if self.delivery.action == "unlabeled":
            return self._unlabeled(policy)
        return self._command(policy)

    def _labeled(self, policy: Policy) -> Acted:
        subject = self._subject()
        if self._is_ours(policy):
            self.look.store(replace(subject, held=False, label_by_human=True))
            return Acted("somebody put the label on; Bouncer will leave it")
        if self._is_one_of(policy.issues.only.labels):
            return Acted("a label that has it looked at", within=True)
        if not self._is_one_of(policy.issues.exempt.labels):
            return Acted("a label Bouncer has nothing to do with")
        facts = self._facts(subject, policy)
        if reason := exempt(facts, policy):
            return Acted(self._carry_out(lifecycle.exempted(facts, reason, policy), subject, policy))
        return Acted("a label Bouncer has nothing to do with")

    def _unlabeled(self, policy: Policy) -> Acted:
        subject = self._subject()
        if self._is_one_of(policy.issues.only.labels):
            facts = self._facts(subject, policy)
            if reason := outside(facts, policy):
                return Acted(self._carry_out(lifecycle.exempted(facts, reason, policy), subject, policy))
        if self._is_one_of(policy.issues.exempt.labels) and not spared(self._facts(subject, policy), policy):
            return Acted("a label that kept it from being held is gone", within=True)
        if not self._is_ours(policy):
            objected = Stale(self.look).disagreed(self.delivery.label, policy)
            said = "somebody does not call it fixed" if objected else "a label Bouncer has nothing to do with"
            return Acted(said, objected=objected)
        if not subject.held:
            self.look.store(replace(subject, label_by_human=False))
            return Acted("the label was not Bouncer's")
        if no_persons_word(self.delivery.sender, self.delivery.sender_is_bot, False, policy.pulls.agents):
            self.look.store(replace(subject, held=False))
            return Acted("another bot took the label off")
        plan = lifecycle.accepted(self._facts(subject, policy), policy)
        plan = replace(plan, labels_remove=())  # it is off; where it is on again, somebody put it there since
        return self._accepted(plan, subject, policy, act=Act.LABEL_REMOVED)

    def _accepted(self, plan: Plan, subject: Subject, policy: Policy, *, act: Act) -> Acted:
        """A maintainer took it: against what was said of a fix, or before anybody looked for one."""
        outcome = self._carry_out(plan, subject, policy, act=act)
        stale = Stale(self.look)
        objected = stale.object()
        bug = subject.verdict is None or subject.verdict.kind in (IssueKind.BUG, None)
        return Acted(outcome, look=bug and stale.unseen and not objected, objected=objected)

    def _command(self, policy: Policy) -> Acted:
        comment = self.delivery.comment
        assert comment is not None
        outcomes, done = [], Acted()
        for line, command in enumerate(commands_of(self.delivery, self.services.github.slug)):
            claimant = self.look.job.run_id
            if not self.services.commands.claim(comment.id, comment.updated_at, line, claimant=claimant):
                outcomes.append(f"{command.word}: done before")
                continue
            acted = self._carry_out_command(command, comment, policy)
            outcomes.append(acted.outcome)
            done = done.and_then(acted)
        return replace(done, outcome="; ".join(outcomes))

    def _carry_out_command(self, command: Command, comment: Comment, policy: Policy) -> Acted:
        subject, unfit = self._subject(), self._not_a_persons(command, policy)
        may = not unfit and self._may(command)
        if may and command.word is Word.RECHECK and subject.state is State.ACTIVE:
            return Acted("recheck", recheck=True)
        if may and command.word is Word.FIXED and self._looks_for_fixes(subject, policy):
            return Acted("fixed", look=True, asked=True)
        facts = self._facts(subject, policy)
        if not may:
            note: Message = Refused(command.word, needed_right(command), unfit)
            return Acted(f"{command.word} refused: {self._answered(facts, command.word, note, subject, policy)}")
        if command.word is Word.RECHECK:
            note = Ended() if subject.state is State.ACCEPTED else Paused()
            return Acted(f"recheck refused: {self._answered(facts, command.word, note, subject, policy)}")
        if command.word is Word.FIXED:
            note = Paused() if subject.state is State.PAUSED else NotLookedFor()
            return Acted(f"fixed refused: {self._answered(facts, command.word, note, subject, policy)}")
        if command.word is Word.ACCEPT:
            plan = lifecycle.accepted(facts, policy, answer=True)
            return self._accepted(plan, subject, policy, act=Act.ACCEPT)
        if command.word is Word.PAUSE:
            return Acted(self._carry_out(lifecycle.paused(facts, policy), subject, policy))
        if command.word is Word.BRIEF:
            stale = Stale(self.look)
            return Acted(stale.brief() if accepted(subject) or spared(facts, policy) else stale.early())
        if command.word is Word.RESUME:
            return Acted(self._carry_out(lifecycle.resumed(facts, policy), subject, policy), recheck=True)
        # An issue raises no question that `answer` could answer: it is a word for pull requests.
        elsewhere = FOR_PULLS.get(command.word, "")
        left = leave_alone(facts, policy) or spared(facts, policy)
        facts = replace(facts, history=replace(facts.history, left_alone=left or ""))  # as its page says
        note = Help(elsewhere or command.said, elsewhere=bool(elsewhere), left_alone=left or "", page=facts.page)
        return Acted(self._answered(facts, command.word, note, subject, policy))

    def _answered(self, facts: IssueFacts, word: Word, note: Message, subject: Subject, policy: Policy) -> str:
        return self._carry_out(lifecycle.answered(facts, word, note, policy), subject, policy)

    def _looks_for_fixes(self, subject: Subject, policy: Policy) -> bool:
        return subject.state is not State.PAUSED and policy.issues.already_fixed.enabled

    def _not_a_persons(self, command: Command, policy: Policy) -> str:
        """Why a word that decides something is no person's own, as a sentence."""
        assert self.delivery.comment is not None
        if needed_right(command) is Right.ANYBODY:
            return ""
        through_app = self.delivery.comment.app_id is not None
        return no_persons_word(self.delivery.sender, self.delivery.sender_is_bot, through_app, policy.pulls.agents)

    def _may(self, command: Command) -> bool:
        """Whoever wrote these words: an edit is by its sender. Permission is only asked for when it matters."""
        who, bot = self.delivery.sender, self.delivery.sender_is_bot
        is_reporter = who == self.then.author
        if needed_right(command) is Right.ANYBODY or may(command, None, is_reporter=is_reporter, is_bot=bot):
            return not bot
        return may(command, self.look.client.permission(who), is_reporter=is_reporter, is_bot=bot)

    def _carry_out(self, plan: Plan, subject: Subject, policy: Policy, *, act: Act | None = None) -> str:
        if act is not None and plan.disagreement:
            self.services.ledger.disagree(
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

    def _subject(self) -> Subject:
        return self.look.subject(self.then)

    def _facts(self, subject: Subject, policy: Policy) -> IssueFacts:
        return self.look.facts(self.issue, (), subject, policy)

    def _is_one_of(self, labels: tuple[str, ...]) -> bool:
        return self.delivery.label.lower() in {name.lower() for name in labels}

    def _is_ours(self, policy: Policy) -> bool:
        return self.delivery.label.lower() == policy.issues.labels.needs_clarification.lower()
