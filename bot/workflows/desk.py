"""The desk workflow: everything short about a pull request's gate.

It opens the gate for a new commit, hears what people press and write, and shows what came of judging. One pull
request's are done in turn, so nothing older is ever written over something newer; the long work is the gate workflow's,
which the desk starts.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.github.values import Comment, MergeGroup, Press, Pull
from bot.issues.commands import Command, Word
from bot.policy import Mode, Permission, Policy, PolicyError
from bot.rendering.gate import GateView, let_through, under_way
from bot.rendering.gate_notes import explained_note, override_refused_note, reason_missing_note
from bot.storage.gates import GateRecord, GateState
from bot.storage.overrides import Override
from bot.workflows.acts import commands_of
from bot.workflows.again import come_back
from bot.workflows.jobs import DESK, Desk, DeskJob, GateJob, pack
from bot.workflows.policies import PolicyLookup
from bot.workflows.publish import JUDGED, OVERRIDE, RECHECK, open_on, publish, show, view_of
from bot.workflows.services import Services
from bot.workflows.trouble import Stopped, attempt

log = logging.getLogger(__name__)

PATIENCE = timedelta(minutes=30)  # beyond what the policy gives the tests, for everything else about one commit
LOOKS = ("opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft")
RANKS = ("read", *Permission)  # from least to most
PRESSED = "pressed the button on the check"
_WORDS = (Word.OVERRIDE, Word.OVERRIDE_CANCEL, Word.EXPLAIN, Word.RECHECK)


@dataclass(frozen=True, slots=True)
class Acted:
    """outcome: one line. judge: the commits to be judged now. ask: the desks of other pull requests."""

    outcome: str
    judge: tuple[GateJob, ...] = ()
    ask: tuple[DeskJob, ...] = ()


class DeskWorkflow:
    """`DeskWorkflow(services).run` is what the engine runs."""

    name = "desk"

    def __init__(self, services: Services) -> None:
        self.services = services

    def run(self, argument: str) -> str:
        job = DESK.validate_json(argument)
        try:
            acted = attempt("act", Acted, lambda: Clerk(self.services, job).act())
            for judge in acted.judge:
                self.services.submit("gate", judge.run_id, judge.subject, pack(judge))
            for asked in acted.ask:
                self.services.submit(self.name, asked.run_id, asked.subject, pack(asked))
            outcome = acted.outcome
        except Stopped as stopped:
            outcome = come_back(self.services, self.name, job, stopped.trouble)
        log.info("gate of %s#%d: %s", job.repository.full_name, job.number, outcome)
        return outcome


def _of(job: DeskJob, head: str) -> GateRecord:
    """A commit that belongs to no pull request's own history."""
    return GateRecord(
        repo_id=job.repository.id,
        number=job.number,
        installation_id=job.installation_id,
        repository=job.repository.full_name,
        head=head,
    )


class Clerk:
    """One job at the desk. Everything here may be repeated after a kill."""

    def __init__(self, services: Services, job: DeskJob) -> None:
        self.services = services
        self.job = job
        self.client = services.repository(job.installation_id, job.repository)

    def act(self) -> Acted:
        """Raises `GitHubError`."""
        if not self.services.installed(self.job.installation_id):
            return Acted("uninstalled")
        delivery = self.job.delivery
        if self.job.why is Desk.DONE:
            return self._each(self._records(), self._shown)
        if self.job.why is Desk.OVERDUE:
            return self._each(self._records(), self._overdue)
        assert delivery is not None
        if delivery.press is not None:
            return self._pressed(delivery.press)
        if delivery.comment is not None:
            return self._heard(delivery.comment)
        if delivery.group is not None:
            return self._grouped(delivery.group)
        if delivery.pull is None:
            return Acted("it names no pull request")
        if delivery.action == "closed":
            return self._closed()
        if delivery.action in LOOKS or delivery.changed or self._marks_agents(delivery.label):
            return self._opened(delivery.pull)
        return Acted("nothing about it concerns the gate")

    # A commit

    def _opened(self, pull: Pull) -> Acted:
        """The newest commit is to be judged, or need not be; its check says so at once."""
        known = self.services.gates.get(self.job.repository.id, pull.number)
        if known and (known.head != pull.head or known.state is GateState.CLOSED):
            pull = self.client.get_pull(pull.number)  # deliveries come late, and not in order
            if known.head == pull.head and known.state is not GateState.CLOSED:
                return Acted("a newer commit is known already")
        if pull.state != "open":
            return Acted("closed")
        record = GateRecord(
            repo_id=self.job.repository.id,
            number=pull.number,
            installation_id=self.job.installation_id,
            repository=self.job.repository.full_name,
            head=pull.head,
            labelled=known.labelled if known else False,
        )
        policy = self._policy()
        if policy is None:
            return self._settled(
                record, GateView("neutral", "The policy is invalid: nothing is judged", ""), Mode.ADVISE
            )
        if not policy.pulls.enabled:
            return Acted("pull requests are not judged here")
        if pull.draft and not policy.pulls.drafts:
            # One that could pass would let it be merged in the moment in which it becomes ready.
            conclusion = "action_required" if policy.mode is Mode.ENFORCE else "neutral"
            view = GateView(conclusion, "A draft: judged when it is ready for review", "")
            return self._settled(record, view, policy.mode)
        if known and known.head != pull.head:
            self._superseded(known, policy)
        elif known and self.job.delivery and "base" in self.job.delivery.changed:
            self._ended(known, by="another base")  # what is proposed to one branch was not let into another
        return self._judge(record, policy, "reading the change")

    def _judge(self, record: GateRecord, policy: Policy, doing: str) -> Acted:
        """Open the gate of this commit, and have it judged."""
        due = self.services.now() + PATIENCE + timedelta(seconds=6 * policy.verify.timeout)
        record = replace(record, state=GateState.JUDGING, decision=None, judged="", due_at=due)
        self.services.gates.save(record)
        if policy.mode is not Mode.OBSERVE:
            show(self.client, record, under_way(doing))
        job = GateJob(
            run_id=f"gate:{record.repo_id}:{record.number}:{self.job.seq:012d}:{record.head}",
            seq=self.job.seq,
            installation_id=record.installation_id,
            repository=self.job.repository,
            number=record.number,
            head=record.head,
        )
        return Acted(f"judging {record.head[:7]}", (job,))

    def _settled(self, record: GateRecord, view: GateView, mode: Mode) -> Acted:
        """Nothing is judged, and the check says why."""
        self.services.gates.save(replace(record, state=GateState.DONE))
        others = [each for each in open_on(self.services, record) if each.number != record.number]
        if any(each.judged or each.state is GateState.JUDGING for each in others):
            return Acted("another pull request with this commit has the check")
        if mode is not Mode.OBSERVE:
            show(self.client, record, view)
        return Acted(view.title)

    def _superseded(self, known: GateRecord, policy: Policy) -> None:
        """What a push leaves behind: a check that must not stay under way, and an override of other code."""
        self._ended(known, by="a push")
        if known.state is GateState.JUDGING and policy.mode is not Mode.OBSERVE:
            left = GateView("cancelled", "Superseded by a newer commit", "The newer commit is judged instead.")
            show(self.client, known, left)

    def _ended(self, known: GateRecord, *, by: str) -> None:
        if self.services.overrides.standing(known.repo_id, known.number) is not None:
            self.services.overrides.end(known.repo_id, known.number, by=by, at=self.services.now())

    def _closed(self) -> Acted:
        """No check is left under way, and other pull requests with this commit no longer answer for this one."""
        known = self.services.gates.get(self.job.repository.id, self.job.number)
        if known is None:
            return Acted("closed")
        closed = replace(known, state=GateState.CLOSED)
        self.services.gates.save(closed)
        policy = self._policy()
        others = open_on(self.services, closed)
        if policy is not None and any(each.judged for each in others):
            return Acted(f"closed; {publish(self.services, self.client, others[0], policy)}")
        if policy is not None and policy.mode is not Mode.OBSERVE and known.state is GateState.JUDGING and not others:
            show(self.client, known, GateView("cancelled", "Closed before it was judged", "It was closed meanwhile."))
        return Acted("closed")

    def _grouped(self, group: MergeGroup) -> Acted:
        """The merge queue asks about a commit of its own: it is told what was found of the pull request it adds."""
        policy = self._policy()
        assert self.job.delivery is not None
        if self.job.delivery.action == "destroyed" or policy is None or policy.mode is Mode.OBSERVE:
            return Acted("not answered")
        known = self.services.gates.get(self.job.repository.id, group.number or 0)
        if known is None or known.state is GateState.JUDGING:
            conclusion = "action_required" if policy.mode is Mode.ENFORCE else "neutral"
            view = GateView(conclusion, "Not judged yet: queue it again once it is", "")
        elif known.judged:
            view = view_of(self.services, known, policy)
        else:
            view = let_through("Let through, as the pull request was")
        show(self.client, _of(self.job, group.head), view)
        return Acted(f"the merge queue is told: {view.title}")

    # What came of it

    def _shown(self, record: GateRecord) -> Acted:
        policy = self._policy()
        if policy is None or record.state is not GateState.DONE:
            return Acted("not shown: it is judged again, or the policy is invalid")
        return Acted(publish(self.services, self.client, record, policy))

    def _overdue(self, record: GateRecord) -> Acted:
        """What hangs is completed honestly; a late verdict still replaces this."""
        policy = self._policy()
        if policy is None or record.state is not GateState.JUDGING:
            return Acted("no longer under way")
        self.services.gates.save(replace(record, due_at=None))
        if policy.mode is not Mode.OBSERVE:
            conclusion = "action_required" if policy.mode is Mode.ENFORCE else "neutral"
            view = GateView(
                conclusion, "Could not be judged: it took too long", "Press Re-run to have it judged again."
            )
            show(self.client, record, view)
        return Acted("completed: it took too long")

    # People

    def _pressed(self, press: Press) -> Acted:
        """A button or a re-run, beside a check of ours. It belongs to a commit, and a fork's names no pull request: so
        the desk of each pull request with that commit is asked, that its jobs are done in turn."""
        if press.app_id != self.services.github.id:
            return Acted("another App's check")
        if not self.job.number:
            numbers = [record.number for record in self.services.gates.on(self.job.repository.id, press.head)]
            asked = (replace(self.job, number=each, run_id=f"{self.job.run_id}/{each}") for each in numbers)
            return Acted(f"asked of {numbers}", ask=tuple(asked))
        records = [record for record in self._records() if record.head == press.head]
        if press.identifier == OVERRIDE:
            name = f"press {self.job.seq} of {self.job.number}"
            return self._each(records, lambda record: self._override(record, PRESSED, name))
        if press.identifier in ("", RECHECK):
            return self._each(records, self._again)
        return Acted("an unknown button")

    def _heard(self, comment: Comment) -> Acted:
        """The commands of a comment that concern the gate; the pull request's workflow hears the others."""
        record = self.services.gates.get(self.job.repository.id, self.job.number)
        assert self.job.delivery is not None
        acted = Acted("no command for the gate")
        for line, command in enumerate(commands_of(self.job.delivery)):
            if command.word not in _WORDS or record is None:
                continue
            # The pull request's workflow claims the same line for itself; the desk counts below zero.
            if self.services.commands.claim(comment.id, comment.updated_at, -1 - line, claimant=self.job.run_id):
                acted = self._commanded(record, command, f"comment {comment.id} of {comment.updated_at}, line {line}")
        return acted

    def _commanded(self, record: GateRecord, command: Command, name: str) -> Acted:
        if command.word is Word.OVERRIDE:
            if not command.rest.strip():
                return self._say(record, name, reason_missing_note())
            return self._override(record, command.rest, name)
        if command.word is Word.OVERRIDE_CANCEL:
            return self._cancel(record, name)
        if command.word is Word.RECHECK:
            return self._again(record)
        return self._say(record, name, explained_note(JUDGED.validate_json(record.judged)) if record.judged else "")

    def _override(self, record: GateRecord, reason: str, name: str) -> Acted:
        if record.state is GateState.CLOSED:
            return Acted("closed: there is nothing to decide")
        policy = self._policy()
        permission = self._permission(record, policy) if policy else None
        if policy is None or permission is None:
            return self._refused(record, policy, name)
        delivery = self.job.delivery
        assert delivery is not None
        verdict = JUDGED.validate_json(record.judged).verdict if record.judged else None
        override = Override(
            id=name,
            repo_id=record.repo_id,
            number=record.number,
            head=record.head,
            who=delivery.sender,
            permission=permission,
            reason=reason,
            at=self.services.now(),
            verdict=verdict,
        )
        self.services.overrides.add(override)
        if record.state is GateState.JUDGING:
            return Acted(f"overridden by {delivery.sender}, shown once it is judged")
        return Acted(publish(self.services, self.client, record, policy))

    def _cancel(self, record: GateRecord, name: str) -> Acted:
        if record.state is GateState.CLOSED:
            return Acted("closed: there is nothing to decide")
        policy = self._policy()
        if policy is None or self._permission(record, policy) is None:
            return self._refused(record, policy, name)
        assert self.job.delivery is not None
        who = self.job.delivery.sender
        if not self.services.overrides.end(record.repo_id, record.number, by=who, at=self.services.now()):
            return Acted("nothing was overridden")
        if record.state is GateState.JUDGING:
            return Acted("the override was taken back")
        return Acted(publish(self.services, self.client, record, policy))

    def _again(self, record: GateRecord) -> Acted:
        """Have the same commit judged once more: for whoever may write, and for GitHub's own re-run button."""
        policy = self._policy()
        delivery = self.job.delivery
        assert delivery is not None
        if policy is None or record.state is GateState.CLOSED:
            return Acted("not judged again")
        if delivery.sender_is_bot or self.client.permission(delivery.sender) not in RANKS[2:]:
            return Acted("not judged again: the sender may not write here")
        return self._judge(record, policy, "once more, since somebody asked")

    def _permission(self, record: GateRecord, policy: Policy) -> str | None:
        """What the sender may do here, when that is enough to override; unknown means no. No bot may, and no agent on a
        pull request of its own."""
        delivery = self.job.delivery
        assert delivery is not None
        if delivery.sender_is_bot:
            return None
        if delivery.sender == self.client.get_pull(record.number).author and not self._is_a_persons(record):
            return None
        wanted = policy.pulls.override
        permission = self.client.permission(delivery.sender)
        if permission in RANKS and RANKS.index(permission) >= RANKS.index(wanted.role.value):
            return permission
        for team in wanted.teams:
            if self.client.in_team(team, delivery.sender):
                return f"team {team}"
        return None

    def _is_a_persons(self, record: GateRecord) -> bool:
        """Known only once it is judged: until then its author may be an agent."""
        return bool(record.judged) and not JUDGED.validate_json(record.judged).agent

    def _refused(self, record: GateRecord, policy: Policy | None, name: str) -> Acted:
        if policy is None or policy.mode is Mode.OBSERVE:
            return Acted("refused")
        return self._say(record, name, override_refused_note(policy.pulls.override))

    def _say(self, record: GateRecord, name: str, note: str) -> Acted:
        """A comment of its own, once for each word it answers."""
        policy = self._policy()
        if policy is None or policy.mode is Mode.OBSERVE or not note:
            return Acted("not answered")
        marker = f"<!-- bouncer:gate {name} -->"
        if self.client.find_own_comment(record.number, marker) is None:
            self.client.create_comment(record.number, f"{marker}\n{note}")
        return Acted("answered with a note")

    # Helpers

    def _each(self, records: Iterable[GateRecord], act: Callable[[GateRecord], Acted]) -> Acted:
        acted = [act(record) for record in records]
        judge = tuple(job for each in acted for job in each.judge)
        return Acted("; ".join(each.outcome for each in acted) or "no such gate", judge)

    def _records(self) -> tuple[GateRecord, ...]:
        found = self.services.gates.get(self.job.repository.id, self.job.number)
        return (found,) if found else ()

    def _policy(self) -> Policy | None:
        lookup = PolicyLookup(self.services.policies, self.services.github, self.services.now)
        try:
            return lookup.find(self.job.installation_id, self.job.repository)
        except PolicyError:
            return None

    def _marks_agents(self, label: str) -> bool:
        """Whether a label that came or went says whose the pull request is."""
        policy = self._policy() if label else None
        return policy is not None and label.lower() in (name.lower() for name in policy.pulls.agents.labels)
