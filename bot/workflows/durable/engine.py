"""Durable workflows. Only this folder knows dbos; everything dbos needs to be told is said here.

What a caller may rely on:

- `submit` is idempotent: one id is one run, for ever, until `prune` forgets it.
- Runs of one subject never overlap, and start in the order they were submitted when their ids sort that way.
- After a kill -9 an unfinished run starts again, and every `step` whose value was stored returns that value.
- A step may run twice (killed between its effect and its checkpoint), so its effects must bear that.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar, TypeVar

import sqlalchemy as sa
from dbos import (
    DBOS,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    Queue,
    SetEnqueueOptions,
    SetWorkflowID,
)
from dbos import error as dbos_error

from bot.errors import PlainError
from bot.storage.database import PATIENCE, DatabaseError, is_away, keep_private, trouble
from bot.workflows.durable.queue_wakeup import Queues, quiet_logger
from bot.workflows.durable.step import current_run
from bot.workflows.durable.worker_lock import WorkerLock, WorkerRunning

T = TypeVar("T")

# dbos resumes only work of its own application version, and by default hashes the source code, which would strand
# whatever is pending when Bouncer is upgraded. Raise this number only if old runs must never be resumed.
VERSION = "bouncer-1"
QUEUE, LONG_QUEUE = "subjects", "long"  # a run that takes minutes must not keep a short one waiting
FINISHED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
PRUNE_BATCH = 500
LEADER = "the one that hands on"  # no worker's id: of whom there is one
SILENCE = 30.0  # seconds after which another hands on in the place of one that lives and gives no sign of it
AHEAD = 4  # times as many short runs are taken from the queue as run at once: every look at the queue is expensive
MOST_ATTEMPTS = 50  # a run that was under way at so many deaths of its worker is what kills it, and is left alone
SUSPICIOUS = 10  # after so many, it runs while no other such run does: one that is only beside the killer gets through
ALONE = 600.0  # seconds it waits for that; one that hangs must not keep others waiting for ever

log = logging.getLogger(__name__)


class LeftAlone(Exception):
    """A run that ends whatever worker runs it."""


class EngineError(PlainError):
    """The engine cannot start; the message says what to change."""


class Engine:
    """Runs named workflows, each a function from one string to one line that says how it ended.

    worker_id: stable across restarts, since after a crash unfinished runs are found by it.
    threads: how many runs at once in this process, and as many again of those that are long.
    long: names of the workflows whose runs take minutes.
    poll_seconds: how often a queue is looked at when nothing in this process says that there is something to see.
    """

    def __init__(
        self,
        url: str,
        workflows: Mapping[str, Callable[[str], str]],
        *,
        worker_id: str = "worker-1",
        threads: int = 4,
        poll_seconds: float = 0.5,
        long: frozenset[str] = frozenset(),
    ) -> None:
        self._url = url
        self._long = long
        self._workflows = workflows
        self._registered: dict[str, Callable[[str], str]] = {}
        self._worker_id = worker_id
        self._threads = threads
        self._poll_seconds = poll_seconds
        self._turns, self._long_turns = (threading.BoundedSemaphore(threads) for _ in range(2))
        self._suspected = threading.Lock()
        self._lock = WorkerLock(url, worker_id)
        self._lead = WorkerLock(url, LEADER)
        self._queues: Queues | None = None
        self._idle: set[str] = set()  # runs that were begun, and that nothing ran at the last look

    _started: ClassVar["Engine | None"] = None  # dbos knows one application a process

    def start(self, lock_patience: float = 0.0) -> None:
        """Take the worker id, resume what a dead process of this id left, and listen.

        lock_patience: seconds to wait for the lock of a process that is just going away.
        Raises `WorkerRunning` or `EngineError`.
        """
        if Engine._started is not None:
            raise EngineError("One process runs one engine.")
        try:
            prepare_sqlite(self._url)
            self._acquire(lock_patience)
        except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
            raise EngineError(f"The workflow engine's database cannot be used: {self._trouble(error)}") from None
        Engine._started = self
        try:
            self._launch()
        except Exception as error:
            self.stop()
            raise EngineError(f"The workflow engine could not start: {type(error).__name__}: {error}") from error

    def stop(self, drain: float = 0.0) -> None:
        """Take no new run, wait up to `drain` seconds for the running ones, and let the worker id go."""
        self._lead.release()  # first: another one hands on meanwhile
        if Engine._started is self:
            if self._queues is not None:
                self._queues.stop()
                with suppress(sa.exc.SQLAlchemyError):  # whoever is cut off is not what ended this worker
                    self._queues.came_back(self._queues.active_runs())
            DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=round(drain))
            Engine._started = None
        self._lock.release()

    def submit(self, workflow: str, run_id: str, subject: str, argument: str, delay: float = 0.0) -> None:
        """Have `workflow(argument)` run once under `run_id`, after every earlier run of `subject`.

        delay: seconds before it joins the queue; what is submitted meanwhile goes first.
        """
        options = SetEnqueueOptions(queue_partition_key=subject, delay_seconds=delay or None)
        with SetWorkflowID(run_id), options:
            queue = LONG_QUEUE if workflow in self._long else QUEUE
            DBOS.enqueue_workflow(queue, self._registered[workflow], argument)
        if self._queues is not None and not delay:
            self._queues.ring(queue)

    def count_waiting(self) -> int:
        """Of how many subjects short runs wait for their turn, in all workers together."""
        return self._queues.subjects_waiting(QUEUE) if self._queues is not None else 0

    def hurry(self, longest: timedelta) -> int:
        """Start the runs now that wait for their hour for longer than any does; how many there were.

        Their hour was reckoned by a clock that was ahead, and has been set right since.
        """
        latest = (datetime.now(UTC) + longest).timestamp() * 1000
        waiting = DBOS.list_workflows(status="DELAYED", load_input=False, load_output=False)
        late = [run.workflow_id for run in waiting if (run.delay_until_epoch_ms or 0) > latest]
        for run_id in late:
            DBOS.set_workflow_delay(run_id, delay_seconds=0)
        return len(late)

    def prune(self, before: datetime) -> int:
        """Forget the runs that finished before then. Keep more than the time GitHub may redeliver in."""
        pruned = 0
        while True:
            found = DBOS.list_workflows(
                status=FINISHED,
                completed_before=before.astimezone(UTC).isoformat(),
                limit=PRUNE_BATCH,
                load_input=False,
                load_output=False,
            )
            if not found:
                return pruned
            DBOS.delete_workflows([run.workflow_id for run in found])
            pruned += len(found)

    def adopt(self) -> int:
        """Take over unfinished runs of workers that are gone for good, and our own that the database's trouble ended;
        how many there were.

        Without its commercial console dbos resumes only work of its own worker id. Whoever can take the lock of
        another id knows that nobody runs under it.
        """
        pending = DBOS.list_workflows(status="PENDING", load_input=False)
        adopted = self._take_up({run.workflow_id for run in pending if run.executor_id == self._worker_id})
        for owner in {run.executor_id for run in pending if run.executor_id} - {self._worker_id}:
            lock = WorkerLock(self._url, owner)
            try:
                lock.acquire()
            except (WorkerRunning, DatabaseError):
                continue
            try:
                adopted += len(DBOS._recover_pending_workflows([owner]))
            finally:
                lock.release()
        return adopted

    def _take_up(self, own: set[str]) -> int:
        """Of our runs those that nothing here runs, neither now nor at the last look; how many there were."""
        assert self._queues is not None
        idle = own - self._queues.active_runs()
        lost = idle & self._idle
        self._idle = idle - lost
        for run_id in lost:
            self._queues.queue_again(run_id, self._worker_id)
        return len(lost)

    def oldest_waiting(self) -> datetime | None:
        """Since when the run waits that was submitted first, of those that only wait for their turn."""
        found = DBOS.list_workflows(status="ENQUEUED", limit=1, load_input=False, load_output=False)
        waits = max((found[0].created_at or 0, found[0].delay_until_epoch_ms or 0)) if found else 0
        return datetime.fromtimestamp(waits / 1000, UTC) if waits else None

    def alive(self) -> bool:
        """Whether the worker id is still ours. When it is not, the process must end and start again."""
        return self._lock.is_ours()

    def lead(self) -> bool:
        """Whether this worker is the one of all that hands deliveries on, which it becomes where nobody is. To be asked
        all the time by the thread that does it: one that does not ask, being stopped or hung, loses it to another."""
        if self._lead.is_ours():
            return True
        self._lead.release()
        try:
            self._lead.acquire(silent=SILENCE)
        except (WorkerRunning, DatabaseError):
            return False
        log.info("%s hands deliveries on from now on", self._worker_id)
        return True

    def _acquire(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while True:
            try:
                return self._lock.acquire()
            except WorkerRunning:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.1)

    def _launch(self) -> None:
        quiet_logger()
        dbos = DBOS(config=self._config())
        self._queues = Queues(dbos, {QUEUE: AHEAD * self._threads // 2, LONG_QUEUE: self._threads - 1})
        self._registered = {
            name: register(
                name, self._in_turn(run, self._long_turns if name in self._long else self._turns), self._trouble
            )
            for name, run in self._workflows.items()
        }
        DBOS.launch()
        short = self._register_queue(QUEUE, AHEAD * self._threads)
        self._queues.start([short, self._register_queue(LONG_QUEUE, self._threads)])

    def _trouble(self, error: sa.exc.SQLAlchemyError | sqlite3.Error) -> str:
        return trouble(sa.make_url(self._url), error)

    def _in_turn(self, run: Callable[[str], str], turns: threading.Semaphore) -> Callable[[str], str]:
        """`run`, once it is its turn."""

        def run_in_turn(argument: str) -> str:
            assert self._queues is not None
            begun = self._queues.restarts_of(current_run())
            if begun is None:
                with turns:
                    return run(argument)
            if begun >= MOST_ATTEMPTS:
                raise LeftAlone(f"it was under way at {begun} deaths of its worker")
            with self._alone() if begun >= SUSPICIOUS else nullcontext(), turns:
                self._queues.begin_again(current_run(), begun + 1)
                return run(argument)

        return run_in_turn

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While no other run is in here, or has been for too long."""
        taken = self._suspected.acquire(timeout=ALONE)
        try:
            yield
        finally:
            if taken:
                self._suspected.release()

    def _register_queue(self, name: str, most: int) -> Queue:
        """For all workers: dbos has them take as many as the one that started last may."""
        return DBOS.register_queue(
            name,
            worker_concurrency=most,
            partition_concurrency=1,
            polling_interval_sec=self._poll_seconds,
            on_conflict="always_update",
        )

    def _config(self) -> DBOSConfig:
        return DBOSConfig(
            name="bouncer",
            system_database_url=self._url,
            application_version=VERSION,
            executor_id=self._worker_id,
            serializer=DBOSPortableJSONSerializer(),  # the default is pickle, which a database should not hold
            sys_db_pool_size=(AHEAD + 2) * self._threads + 7,
            db_engine_kwargs=(  # a file does not hang up, and nobody cuts its cable
                {"pool_pre_ping": False} if self._url.startswith("sqlite") else {"connect_args": dict(PATIENCE)}
            ),
            notification_listener_polling_interval_sec=0.3,  # nothing listens, but stopping waits for one round of it
            log_level="WARNING",
            enable_otlp=False,
        )


def register(
    name: str, run: Callable[[str], str], told: Callable[[sa.exc.SQLAlchemyError], str]
) -> Callable[[str], str]:
    """dbos keeps workflows in a registry by name; a fresh function each time, so that none is registered twice.
    told: what is wrong with the database."""

    def workflow(argument: str) -> str:
        try:
            return run(argument)
        except sa.exc.SQLAlchemyError as error:
            if not is_away(error):
                raise
            log.warning("%s waits for the database: %s", current_run(), told(error))
            # The one end that dbos does not store: whoever owns the run is to end it. That is us, in `adopt`.
            raise dbos_error.DBOSWorkflowConflictIDError(current_run()) from None
        except LeftAlone as reason:
            log.error("Workflow %s is left alone, %s: %s", name, reason, current_run())
            raise
        except Exception:
            log.exception("Workflow %s failed: %s", name, current_run())  # its argument holds what people wrote
            raise

    workflow.__qualname__ = name
    return DBOS.workflow(name=name, max_recovery_attempts=None)(workflow)  # `_in_turn` counts better


def prepare_sqlite(url: str) -> None:
    """Create the file's directory and switch it to write-ahead logging; dbos does neither."""
    parsed = sa.make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        return
    Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    keep_private(Path(parsed.database))
    connection = sqlite3.connect(parsed.database, timeout=30)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()
