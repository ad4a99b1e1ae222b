"""The merge queue at the gate: it asks about a commit of its own, and is told in one check.

Two things speak for or against a group: what was found of the pull requests in it, and what comes of executing the
merged result (`bot.workflows.pull.judging`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pydantic import TypeAdapter

from bot.github.deliveries import MergeGroup
from bot.policy import Policy
from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.judgement import queue_objection
from bot.pulls.result import restored
from bot.rendering.gate import GateView, gate_view, stops
from bot.rendering.gate_states import name_pull, state_view, timeout_view, unknown_policy_view
from bot.storage.gates import GateState, MergeGroupRecord, MergeGroupState
from bot.verification.evidence import HeadTrial
from bot.verification.patch_evidence import Standing
from bot.workflows.jobs import RunJob, Why
from bot.workflows.pull.base import GateContext, GateOutcome
from bot.workflows.pull.check_run import blocks, current_override, exempt_gate_view, show, view_of
from bot.workflows.pull.person_actions import GatePersonActions

STOOD: TypeAdapter[HeadTrial] = TypeAdapter(HeadTrial)
MOST_IN_A_GROUP = 100  # as many as GitHub lets wait


class MergeQueue(GateContext):
    """Deliveries come in any order: a group that is gone stays gone."""

    def on_request(self, asked: MergeGroup) -> GateOutcome:
        """Its check says at once that it is under way, or what is known already."""
        policy = self.policy()
        if policy is not None and (policy.mode is Mode.OBSERVE or not policy.pulls.enabled):
            return GateOutcome("not answered")
        if policy is None:
            show(self.services, self.client, asked.head, unknown_policy_view())
            return GateOutcome("the merge queue is told that the policy is invalid")
        known = self.services.merge_groups.get(self.job.repository.id, asked.head)
        if known is not None and known.state is not MergeGroupState.RUNNING:
            return GateOutcome("it was answered, or is gone")
        waiting = chain(self.client.merge_groups(asked.base_branch), asked)
        pulls = tuple(group.number or 0 for group in waiting)
        group = replace(self._new(asked), pulls=pulls, due_at=self.due(policy))
        for number in pulls:
            record = self.gate_record(number)
            if record is not None and record.base_branch != asked.base_branch:  # it was retargeted, and nobody told yet
                return self._answer(group, name_pull(state_view("early_queue", policy.mode), _other(number, group)))
        return self._begin(group, policy)

    def on_destroy(self, asked: MergeGroup) -> GateOutcome:
        """Nothing is executed or shown any more, also when the question itself comes later."""
        known = self.services.merge_groups.get(self.job.repository.id, asked.head)
        self.services.merge_groups.save(replace(known or self._new(asked), state=MergeGroupState.GONE, due_at=None))
        if known is not None and known.state is MergeGroupState.RUNNING:
            show(self.services, self.client, asked.head, state_view("group_end"))
        return GateOutcome(f"the group is gone: {asked.reason}")

    def again(self, group: MergeGroupRecord) -> GateOutcome:
        """Somebody pressed Re-run beside the group's check."""
        policy = self.policy()
        wanted = policy is not None and policy.pulls.enabled and group.state is not MergeGroupState.GONE
        if policy is None or not wanted or not GatePersonActions(self.services, self.job).may_write():
            return GateOutcome("not executed again")
        return self._begin(replace(group, state=MergeGroupState.RUNNING, stood="", due_at=self.due(policy)), policy)

    @property
    def group(self) -> MergeGroupRecord | None:
        """What is known of the job's."""
        return self.services.merge_groups.get(self.job.repository.id, self.job.head)

    def show_result(self) -> GateOutcome:
        """What came of executing it."""
        group, policy = self.group, self.policy()
        if group is None or group.state is not MergeGroupState.RUNNING or not group.stood or policy is None:
            return GateOutcome("not shown: the group is gone or executed again, or the policy is invalid")
        return self._answer(group, self._found(group, policy) or self._merged(group, policy))

    def give_up(self, why: str) -> GateOutcome:
        """What hangs is completed; a late answer still replaces this. why: a phrase for the title."""
        group = self.group
        if group is None or group.state is not MergeGroupState.RUNNING:
            return GateOutcome("no longer under way")
        policy = self.policy()
        self.services.merge_groups.give_up(group)
        show(self.services, self.client, group.head, timeout_view(policy.mode if policy else Mode.ENFORCE, why))
        return GateOutcome(f"completed: {why}")

    def on_failure(self) -> GateOutcome:
        """Bouncer broke down over a group, known or not. That GitHub refused something may be said late, when it is
        answered by now."""
        group, policy = self.group, self.policy()
        gone = group is not None and group.state is MergeGroupState.GONE
        answered = group is not None and group.state is MergeGroupState.DONE and self.job.why is Why.REFUSED
        if gone or answered or (policy is not None and (policy.mode is Mode.OBSERVE or not policy.pulls.enabled)):
            return GateOutcome("nothing waits for it")
        if group is not None:
            self.services.merge_groups.give_up(group)
        show(self.services, self.client, self.job.head, self.without_verdict(policy))
        return GateOutcome(f"completed: error {self.job.error}")

    def _begin(self, group: MergeGroupRecord, policy: Policy) -> GateOutcome:
        self.services.merge_groups.save(group)
        found = self._found(group, policy)
        if found is not None:
            return self._answer(group, found)
        show(self.services, self.client, group.head, state_view("progress", doing="running the merged result"))
        tail, place = f"{self.job.seq:012d}:{group.head}", self.job.repository
        job = RunJob.about("merge_group", group, self.job.seq, tail, repository=place, head=group.head)
        return GateOutcome(f"executing merge group {group.head[:7]}", (job,))

    def _answer(self, group: MergeGroupRecord, view: GateView) -> GateOutcome:
        shown = replace(view, annotations=())  # they are about lines of another commit
        show(self.services, self.client, group.head, shown)
        self.services.merge_groups.save(replace(group, state=MergeGroupState.DONE, due_at=None))
        return GateOutcome(f"the merge queue is told: {view.title}")

    def _found(self, group: MergeGroupRecord, policy: Policy) -> GateView | None:
        """The answer that needs no execution: what speaks against a pull request in the group, or for its own without
        any. `None` when the merged result has to be executed."""
        for number in group.pulls:
            record = self.gate_record(number)
            if record is None or record.state is GateState.JUDGING:
                return name_pull(state_view("early_queue", policy.mode), _other(number, group))
            if record.left_alone and blocks(view := exempt_gate_view(self.services, record, policy)):
                return name_pull(view, _other(number, group))
            lifted = current_override(self.services, record) is not None
            verdict = restored(record.judged).verdict if record.judged else None
            stopped = verdict is None or stops(verdict, policy.pulls.unavailable)
            if record.decision is not None and stopped and not lifted:
                return name_pull(view_of(self.services, record, policy), _other(number, group))
        for below in self._below(group):
            stood, record = _stood(below), self.gate_record(below.number)
            lifted = record is not None and current_override(self.services, record) is not None
            found = queue_objection(stood, below.head)
            if below.stood and found and not lifted:
                return name_pull(gate_view(found, policy.mode, WhenUnavailable.BLOCK), below.number)
        own = self.gate_record(group.number)
        if own is None or not own.judged:
            return state_view("exempt", why="Let through, as the pull request was")
        return view_of(self.services, own, policy) if current_override(self.services, own) else None

    def _merged(self, group: MergeGroupRecord, policy: Policy) -> GateView:
        """What was executed, beside what was found of the pull request."""
        record, stood = self.gate_record(group.number), _stood(group)
        assert record is not None
        view = view_of(self.services, record, policy)
        if found := queue_objection(stood, group.head):
            return gate_view(found, policy.mode, WhenUnavailable.BLOCK)
        if stood.patch is None:
            note = f"The merged result was not run: {stood.problem or 'nothing could be executed.'}"
        elif stood.patch.standing is Standing.PLAUSIBLE:
            note = "The merged result was run, and nothing broke."
        else:
            note = f"The merged result was run, but the outcome is open: {' '.join(stood.patch.reasons[:1])}"
        return replace(view, summary=f"{note}\n\n{view.summary}")

    def _below(self, group: MergeGroupRecord) -> Iterator[MergeGroupRecord]:
        """The groups this one comes upon, as far as they are known."""
        for _ in group.pulls[1:]:
            below = self.services.merge_groups.get(group.repo_id, group.base)
            if below is None:
                return
            yield below
            group = below

    def _new(self, asked: MergeGroup) -> MergeGroupRecord:
        key = self.job.key | {"number": asked.number or 0}
        return MergeGroupRecord(**key, head=asked.head, base=asked.base, asked_at=self.services.now())


def chain(waiting: Iterable[MergeGroup], group: MergeGroup) -> tuple[MergeGroup, ...]:
    """The group, behind those that it contains: each comes upon the head of the one before it."""
    by_head = {each.head: each for each in waiting}
    found = [group]
    while len(found) < MOST_IN_A_GROUP and (below := by_head.get(found[0].base)) is not None:
        found.insert(0, below)
    return tuple(found)


def _other(number: int, group: MergeGroupRecord) -> int:
    return 0 if number == group.number else number


def _stood(group: MergeGroupRecord) -> HeadTrial:
    return STOOD.validate_json(group.stood) if group.stood else HeadTrial()
