"""The gate of each pull request and each group of the merge queue: which commit is judged, how far that is, and what
came of it; and the check run that shows it."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Index, exists

from bot.storage.store import Store, upsert
from bot.storage.tables import table
from bot.verdicts import Decision

MOST_ROUNDS = 20  # bounced commits that are remembered


class GateState(StrEnum):
    """How far the judging of a head commit is."""

    JUDGING = "judging"
    DONE = "done"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRecord:
    """One pull request's gate, on its newest commit.

    repository: `owner/name` when it was last heard of. head: the commit the check stands on. decision: on that commit,
    once there is one, open for a draft, none for one that is let through; overrides do not change it. judged: all that
    was found, as the workflow wrote it; empty without a verdict. labelled: Bouncer put its label on. due_at: when a
    judgement that is still under way is completed without one.
    run_id: of the run whose verdict counts; an older one of the same commit may have read another base or policy.
    pushed_at: when the head was pushed, by GitHub's clock; perhaps too late. bounced: the last `MOST_ROUNDS` head
    commits that were bounced, oldest first, each once. people_asked: the maintainers were told that they should decide.
    base_branch: it is judged for; empty where it is not known. left_alone: why the policy leaves it alone,
    where it is a coding agent's or everybody's are judged; empty for every other one.
    """

    repo_id: int
    number: int
    installation_id: int
    repository: str
    head: str
    state: GateState = GateState.JUDGING
    decision: Decision | None = None
    judged: str = ""
    labelled: bool = False
    due_at: datetime | None = None
    run_id: str = ""
    pushed_at: datetime | None = None
    bounced: tuple[str, ...] = ()
    people_asked: bool = False
    base_branch: str = ""
    left_alone: str = ""

    def with_decision(self, decision: Decision, judged: str) -> "GateRecord":
        """With what came of its head commit; judging one commit again is no further round."""
        bounced = self.bounced
        if decision is Decision.BOUNCE and self.head not in bounced:
            bounced = (*bounced, self.head)[-MOST_ROUNDS:]
        return replace(self, state=GateState.DONE, decision=decision, judged=judged, due_at=None, bounced=bounced)


gates = table(
    "gates",
    GateRecord,
    Index("gates_head", "repo_id", "head"),
    Index("gates_state", "repo_id", "state"),
    primary="repo_id number",
    index="installation_id due_at",
)


class Gates(Store[GateRecord], table=gates):
    """One row a pull request. Only the workflow that holds it saves it, and a judgement may settle at any moment: what
    follows from a row that was read before changes only what it is about."""

    def on(self, repo_id: int, head: str) -> tuple[GateRecord, ...]:
        """Those whose newest commit this is: several pull requests may share one."""
        return self._all(gates.c.repo_id == repo_id, gates.c.head == head, order=[gates.c.number])

    def without_verdict(self) -> tuple[GateRecord, ...]:
        """Those of which nothing is judged and nothing will be by itself: drafts, and where no policy was to be had."""
        nothing = (gates.c.judged == "", gates.c.decision == Decision.UNAVAILABLE)
        return self._all(gates.c.state == GateState.DONE, *nothing)

    def under_way(self, repo_id: int, most: int) -> tuple[GateRecord, ...]:
        """The first of those that are being judged in a repository."""
        here = (gates.c.repo_id == repo_id, gates.c.state == GateState.JUDGING)
        return self._all(*here, order=[gates.c.due_at], most=most)

    def overdue(self, now: datetime) -> tuple[GateRecord, ...]:
        """Those whose judging should have come to its end by now."""
        return self._all(gates.c.due_at <= now, gates.c.state == GateState.JUDGING)

    def settle(self, record: GateRecord) -> bool:
        """Store what came of a judgement; not when another one is wanted by now, whose record this would undo."""
        return bool(self._change(*_judged(record), **self._columns(record)))

    def give_up(self, record: GateRecord) -> bool:
        """Nobody waits any more for what comes of judging it; not where that came meanwhile."""
        return bool(self._change(*_judged(record), due_at=None))

    def note(self, record: GateRecord) -> None:
        """Store what Bouncer put on it for people to see, and nothing of the judging."""
        self._change(*_row(record), labelled=record.labelled, people_asked=record.people_asked)


def _row(record: GateRecord) -> tuple[ColumnElement[bool], ...]:
    return gates.c.repo_id == record.repo_id, gates.c.number == record.number


def _judged(record: GateRecord) -> tuple[ColumnElement[bool], ...]:
    """As long as the same run judges it."""
    return *_row(record), gates.c.run_id == record.run_id, gates.c.state == GateState.JUDGING


class MergeGroupState(StrEnum):
    """How far it is. `GONE` is for good: a group that was destroyed never comes back."""

    RUNNING = "running"
    DONE = "done"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeGroupRecord:
    """One group. head: the commit that would be merged. number: the pull request it adds; 0 when GitHub does not say.

    repository: `owner/name` when it was last heard of. pulls: all the pull requests in it, its own last. base: the
    commit below the first of them. stood: what came of executing it, as the workflow wrote it; empty before, and where
    nothing is executed. asked_at: when the queue asked. due_at: when it is answered in any case.
    """

    repo_id: int
    head: str
    installation_id: int
    repository: str
    number: int
    asked_at: datetime
    state: MergeGroupState = MergeGroupState.RUNNING
    pulls: tuple[int, ...] = ()
    base: str = ""
    stood: str = ""
    due_at: datetime | None = None


merge_groups = table("merge_groups", MergeGroupRecord, primary="repo_id head", index="installation_id due_at")


class MergeGroups(Store[MergeGroupRecord], table=merge_groups):
    """One row a head commit."""

    def overdue(self, now: datetime) -> tuple[MergeGroupRecord, ...]:
        """Those that should have been answered by now."""
        return self._all(merge_groups.c.due_at <= now, merge_groups.c.state == MergeGroupState.RUNNING)

    def save(self, record: MergeGroupRecord) -> None:
        """Store everything, unless it is gone meanwhile."""
        gone = merge_groups.c.state == MergeGroupState.GONE
        upsert(self._engine, merge_groups, [self._columns(record)], unless=gone)

    def keep(self, repo_id: int, head: str, stood: str) -> bool:
        """Store what came of executing it; not when nobody waits for that."""
        return bool(self._change(*_running(repo_id, head), stood=stood))

    def give_up(self, record: MergeGroupRecord) -> None:
        """Nobody waits any more for what comes of executing it, which may have come meanwhile and stays."""
        self._change(*_running(record.repo_id, record.head), due_at=None)

    def prune(self, before: datetime) -> int:
        """Forget those the queue asked about before then; how many there were."""
        return self._drop(merge_groups.c.asked_at < before)


def _running(repo_id: int, head: str) -> tuple[ColumnElement[bool], ...]:
    same = merge_groups.c.repo_id == repo_id, merge_groups.c.head == head
    return *same, merge_groups.c.state == MergeGroupState.RUNNING


@dataclass(frozen=True, slots=True)
class CheckRunRecord:
    """run_id: of the check run; 0 while one may be there and has to be looked for. annotated: it may carry remarks.
    open: it may be in progress on GitHub."""

    run_id: int = 0
    annotated: bool = False
    open: bool = False


check_runs = table("check_runs", CheckRunRecord, primary="repo_id head", repo_id=int, head=str, at=datetime)


class CheckRuns(Store[CheckRunRecord], table=check_runs):
    """One row a commit, written before the first check run of it is, and before the first remark."""

    def keep(self, repo_id: int, head: str, shown: CheckRunRecord, *, now: datetime) -> None:
        """In place of what was known of that commit."""
        upsert(self._engine, check_runs, [{"repo_id": repo_id, "head": head, "at": now} | self._columns(shown)])

    def prune(self, before: datetime) -> int:
        """Forget those of commits that no gate and no merge group stands on any more; how many there were."""
        on_it = [
            exists().where(table.c.repo_id == check_runs.c.repo_id, table.c.head == check_runs.c.head)
            for table in (gates, merge_groups)
        ]
        return self._drop(check_runs.c.at < before, *(~each for each in on_it))
