"""What people do rather than write: commands in comments, and labels put on or taken off."""

from dataclasses import replace
from functools import cached_property

from bot.github.values import Comment, Delivery, Issue
from bot.issues import lifecycle
from bot.issues.commands import Command, Right, Word, may, needed_right
from bot.issues.commands import parse as parse_commands
from bot.issues.decide import exempt
from bot.issues.facts import IssueFacts
from bot.issues.lifecycle import Plan
from bot.policy import Mode, Policy, PolicyError
from bot.rendering.comment import ended_note, help_note, paused_note, refused_note
from bot.storage.ledger import Act, Disagreement
from bot.storage.subjects import Subject
from bot.verdicts import State
from bot.workflows.jobs import Acted
from bot.workflows.look import Look
from bot.workflows.memory import in_force
from bot.workflows.stale import Stale, accepted

# Words that mean something on pull requests only.
FOR_PULLS = {word: word.value for word in (Word.ANSWER, Word.OVERRIDE, Word.OVERRIDE_CANCEL, Word.EXPLAIN)}

# What a maintainer says counts even while the policy is invalid; only nothing is written then.
UNREADABLE = Policy(mode=Mode.OBSERVE)


def has_act(delivery: Delivery) -> bool:
    """Whether a delivery holds anything but text to look at."""
    return delivery.action in ("labeled", "unlabeled") or bool(commands_of(delivery))


def commands_of(delivery: Delivery) -> tuple[Command, ...]:
    """New commands: of a new comment, or in lines an edit added. Bots never command.

    Each word counts once, so that nobody can have a comment of a thousand lines answered a thousand times.
    """
    if delivery.comment is None or delivery.action not in ("created", "edited") or delivery.sender_is_bot:
        return ()
    found = parse_commands(delivery.comment.body, delivery.previous_body)
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
        try:
            policy = self.look.policy()
        except PolicyError:
            policy = UNREADABLE
        policy = in_force(policy, self._subject())
        if self.delivery.action == "labeled":
            return Acted(self._labeled(policy))
        if self.delivery.action == "unlabeled":
            return Acted(self._unlabeled(policy))
        return self._command(policy)

    def _labeled(self, policy: Policy) -> str:
        subject = self._subject()
        if self._is_ours(policy):
            self.look.store(replace(subject, held=False, label_by_human=True))
            return "somebody put the label on; Bouncer will leave it"
        if not any(self.delivery.label.lower() == name.lower() for name in policy.issues.exempt.labels):
            return "a label Bouncer has nothing to do with"
        facts = self._facts(subject, policy)
        if reason := exempt(facts, policy):
            return self._carry_out(lifecycle.exempted(facts, reason, policy), subject, policy)
        return "a label Bouncer has nothing to do with"

    def _unlabeled(self, policy: Policy) -> str:
        subject = self._subject()
        if not self._is_ours(policy):
            objected = Stale(self.look).disagreed(self.delivery.label)
            return "somebody does not call it fixed" if objected else "a label Bouncer has nothing to do with"
        if not subject.held:
            self.look.store(replace(subject, label_by_human=False))
            return "the label was not Bouncer's"
        if self.delivery.sender_is_bot:
            self.look.store(replace(subject, held=False))
            return "another bot took the label off"
        plan = lifecycle.accepted(self._facts(subject, policy), policy)
        plan = replace(plan, labels_remove=())  # it is off; where it is on again, somebody put it there since
        return self._carry_out(plan, subject, policy, act=Act.LABEL_REMOVED)

    def _command(self, policy: Policy) -> Acted:
        comment = self.delivery.comment
        assert comment is not None
        outcomes, recheck = [], False
        for line, command in enumerate(commands_of(self.delivery)):
            claimant = self.look.job.run_id
            if not self.services.commands.claim(comment.id, comment.updated_at, line, claimant=claimant):
                outcomes.append(f"{command.word}: done before")
                continue
            outcome, again = self._carry_out_command(command, comment, policy)
            outcomes.append(outcome)
            recheck = recheck or again
        return Acted("; ".join(outcomes), recheck)

    def _carry_out_command(self, command: Command, comment: Comment, policy: Policy) -> tuple[str, bool]:
        """The outcome, and whether a fresh look follows."""
        subject, may = self._subject(), self._may(command)
        if may and command.word is Word.RECHECK and subject.state is State.ACTIVE:
            return "recheck", True
        facts = self._facts(subject, policy)
        if not may:
            note = refused_note(command.word, needed_right(command))
            return f"{command.word} refused: " + self._carry_out(
                lifecycle.answered(facts, note, policy), subject, policy
            ), False
        if command.word is Word.RECHECK:
            note = ended_note() if subject.state is State.ACCEPTED else paused_note()
            return "recheck refused: " + self._carry_out(
                lifecycle.answered(facts, note, policy), subject, policy
            ), False
        if command.word is Word.ACCEPT:
            plan = lifecycle.accepted(facts, policy, answer=True)
            return self._carry_out(plan, subject, policy, act=Act.ACCEPT), False
        if command.word is Word.PAUSE:
            return self._carry_out(lifecycle.paused(facts, policy), subject, policy), False
        if command.word is Word.BRIEF:
            stale = Stale(self.look)
            return stale.brief() if accepted(subject) else stale.early(), False
        if command.word is Word.RESUME:
            return self._carry_out(lifecycle.resumed(facts, policy), subject, policy), True
        # An issue raises no question that `answer` could answer: it is a word for pull requests.
        note = help_note(command.said if command.word is Word.UNKNOWN else FOR_PULLS.get(command.word, ""))
        return self._carry_out(lifecycle.answered(facts, note, policy), subject, policy), False

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
        comments = self.look.client.comments(self.issue.number) if plan.note is not None else None
        return self.look.carry_out(plan, self.issue, comments, subject, policy)

    @cached_property
    def issue(self) -> Issue:
        """As it is now: a delivery shows it as it was, perhaps before Bouncer's label was on it."""
        return self.look.client.get_issue(self.then.number)

    def _subject(self) -> Subject:
        return self.look.subject(self.then)

    def _facts(self, subject: Subject, policy: Policy) -> IssueFacts:
        return self.look.facts(self.issue, (), subject, policy)

    def _is_ours(self, policy: Policy) -> bool:
        return self.delivery.label.lower() == policy.issues.labels.needs_clarification.lower()
