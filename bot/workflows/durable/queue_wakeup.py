"""Looks at the queues of dbos when there is something to see. dbos itself only looks every so often. And puts what dbos
says into our log and our words.

Its own loop over a queue runs here, on a bell: whoever puts a run into the queue rings it, and so does a run that ends,
since the next of its subject may start then. What other processes put in is found at the next look by the clock. Before
each look, which is expensive, one plain question tells whether anything waits at all; and none is made while enough was
taken that waits here, since a look at many costs no more than at one.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import cast

import sqlalchemy as sa
from dbos import DBOS
from dbos._core import ActiveWorkflowById, QueueBucket
from dbos._queue import Queue, queue_worker_thread
from dbos._utils import INTERNAL_QUEUE_NAME

PATIENCE = 10.0  # seconds a look under way gets to end
_OF_THE_DATABASE = ("sqlalche.me", "server closed the connection")  # what is in a message of dbos that tells of it
_BEGUN_AGAIN = "begun again"  # an attribute of a run, which dbos stores and does not read


class Bell:
    """Passes for the event that ends a loop of dbos; waiting for it also ends when somebody rings and something waits.

    waiting: whether anything does.
    """

    def __init__(self, waiting: Callable[[], bool]) -> None:
        self._waiting = waiting
        self._rung = threading.Event()
        self._over = False

    def ring(self) -> None:
        self._rung.set()

    def end(self) -> None:
        self._over = True
        self._rung.set()

    def is_set(self) -> bool:
        return self._over

    def wait(self, timeout: float) -> bool:
        while True:
            self._rung.wait(timeout)
            self._rung.clear()  # before the look: what is put in during the look rings for another
            if self._over or self._waiting():
                return self._over


class Running(ActiveWorkflowById):
    """The runs of this process, as dbos keeps them; says of which queue one has ended, its end being stored."""

    def __init__(self, ended: Callable[[str], None]) -> None:
        super().__init__()
        self._ended = ended

    def _remove(self, key: str, bucket: QueueBucket) -> None:
        super()._remove(key, bucket)
        if bucket is not None:
            self._ended(bucket[0])


class Queues:
    """The loops over the queues of one launched dbos, a thread each."""

    def __init__(self, dbos: DBOS, enough: Mapping[str, int]) -> None:
        """enough: by the queue's name, with more of its runs than that in this process it is not looked at. To be
        called before the launch: dbos must be told to leave the queues to us."""
        DBOS.listen_queues([])
        dbos._active_workflows_set = Running(self.ring)
        self._dbos = dbos
        self._bells = {name: Bell(partial(self._wanted, name, here)) for name, here in enough.items()}
        self._threads: list[threading.Thread] = []

    def start(self, queues: Sequence[Queue]) -> None:
        for queue in queues:
            bell = self._bells[queue.name]
            bell.ring()
            arguments = (cast(threading.Event, bell), self._dbos, queue)
            thread = threading.Thread(
                target=queue_worker_thread, args=arguments, name=f"queue-{queue.name}", daemon=True
            )
            thread.start()
            self._threads.append(thread)

    def _wanted(self, name: str, enough: int) -> bool:
        """Whether to look at the queue `name` now; the end of a run asks again."""
        return self._dbos._active_workflows_set.count_for_queue(name) <= enough and self._waits(name)

    def subjects_waiting(self, name: str) -> int:
        """Of how many subjects runs in the queue `name` wait for their start."""
        system = self._dbos._sys_db
        runs = system.tables.workflow_status
        subjects = sa.func.count(runs.c.queue_partition_key.distinct())
        with system.engine.connect() as connection:
            query = sa.select(subjects).where(runs.c.status == "ENQUEUED", runs.c.queue_name == name)
            return int(connection.execute(query).scalar_one())

    def _waits(self, name: str) -> bool:
        """Whether a run in the queue `name` waits for its start; also where that cannot be asked: dbos tells why."""
        system = self._dbos._sys_db
        runs = system.tables.workflow_status
        waiting = sa.select(sa.literal(1)).where(runs.c.status == "ENQUEUED", runs.c.queue_name == name).limit(1)
        try:
            with system.engine.connect() as connection:
                return connection.execute(waiting).first() is not None
        except sa.exc.SQLAlchemyError:
            return True

    def active_runs(self) -> set[str]:
        """The ids of the runs of this process."""
        return set(self._dbos._active_workflows_set.activeList())

    def restarts_of(self, run_id: str) -> int | None:
        """How often it was begun again and did not come back; `None` at its first time. dbos itself counts how often a
        run is taken from the queue, also where it only waits for its turn and its worker dies of another one."""
        runs = self._dbos._sys_db.tables.workflow_status
        query = sa.select(runs.c.recovery_attempts, runs.c.attributes).where(runs.c.workflow_uuid == run_id)
        with self._dbos._sys_db.engine.connect() as connection:
            taken, attributes = connection.execute(query).one()
        return None if taken <= 1 else (attributes or {}).get(_BEGUN_AGAIN, 0)

    def begin_again(self, run_id: str, times: int) -> None:
        """It begins now. times: how often it began before, after its first time."""
        self._note([run_id], {_BEGUN_AGAIN: times})

    def came_back(self, run_ids: Collection[str]) -> None:
        """They ended no worker, so what was counted of them is forgotten."""
        self._note(run_ids, None)

    def _note(self, run_ids: Collection[str], attributes: dict[str, int] | None) -> None:
        runs = self._dbos._sys_db.tables.workflow_status
        change = sa.update(runs).where(runs.c.workflow_uuid.in_(run_ids))
        with self._dbos._sys_db.engine.begin() as connection:
            connection.execute(change.values(attributes=sa.null() if attributes is None else attributes))

    def queue_again(self, run_id: str, worker_id: str) -> None:
        """A run that this worker began and nothing runs any more goes back into its queue."""
        self.came_back([run_id])
        self._dbos._sys_db.reenqueue_for_recovery(run_id, [worker_id], INTERNAL_QUEUE_NAME)
        for name in self._bells:
            self.ring(name)

    def ring(self, name: str) -> None:
        """There may be something to start in the queue `name`."""
        if name in self._bells:
            self._bells[name].ring()

    def stop(self) -> None:
        """Start nothing more."""
        for bell in self._bells.values():
            bell.end()
        for thread in self._threads:
            thread.join(PATIENCE)


def quiet_logger() -> None:
    """Send dbos' log where ours goes. Its own handler and its advert for a hosted console never appear.

    dbos adds a handler of its own only when its logger has none.
    """
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = True
    logger.filters = [in_a_line]


def in_a_line(record: logging.LogRecord) -> bool:
    """A database that is away is no failure of dbos: a line says so, without the statement and where it was called."""
    said = record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, sa.exc.SQLAlchemyError) or any(word in said for word in _OF_THE_DATABASE):
        what = said.partition("\n")[0].replace("Traceback (most recent call last):", "the database does not answer")
        record.msg, record.args = what if error is None else f"{what} {type(error).__name__}", ()
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True
