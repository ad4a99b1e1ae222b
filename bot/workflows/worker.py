"""The worker: takes deliveries from the inbox, runs their workflows, and keeps the house in order."""

import logging
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

from prometheus_client import Gauge
from sqlalchemy.exc import SQLAlchemyError

from bot.github.errors import GitHubError, Unauthorized
from bot.judges.openai.spend import expect_calls
from bot.settings import Settings
from bot.storage.database import Database, lacks_tables, trouble
from bot.storage.directories import close_to_others
from bot.storage.heartbeats import KEY, WORKER, WorkerSign
from bot.storage.migrate import migrate
from bot.telemetry.metrics import REGISTRY
from bot.workflows.already_fixed.workflow import AlreadyFixedWorkflow
from bot.workflows.delivery import AppIdentity
from bot.workflows.dispatcher import Dispatcher
from bot.workflows.durable.engine import Engine
from bot.workflows.issue.workflow import IssueWorkflow
from bot.workflows.policy_check import PolicyCheckWorkflow
from bot.workflows.pull.judging import JudgingWorkflow, MergeGroupWorkflow
from bot.workflows.pull.workflow import PullWorkflow
from bot.workflows.reconcile import Reconcile
from bot.workflows.review.workflow import ReviewWorkflow
from bot.workflows.run_context import announce
from bot.workflows.services import Now, Services, utc_now
from bot.workflows.workflow import WorkflowRun

IDLE = 0.1  # seconds between two looks into an empty inbox
SIGN = 30.0  # seconds between two signs of life
HOUSEKEEPING = 1.0  # seconds between two looks at the clock, and at who hands on
LOCK_PATIENCE = 3.0  # seconds for a worker of the same id to go away
SAY_AGAIN = 600.0  # seconds until the same trouble with the database is said again
DRAIN = 25.0  # seconds running workflows get when the worker is asked to end

HEARTBEAT = Gauge(
    "bouncer_worker_heartbeat_timestamp_seconds",
    "When this worker last looked into the inbox, in seconds since 1970.",
    registry=REGISTRY,
)

WAITS = Gauge(
    "bouncer_runs_oldest_seconds", "Age of the run that waits longest for its turn, in any worker.", registry=REGISTRY
)

WORKFLOWS: tuple[type[WorkflowRun], ...] = (
    IssueWorkflow,
    AlreadyFixedWorkflow,
    ReviewWorkflow,
    PolicyCheckWorkflow,
    PullWorkflow,
    JudgingWorkflow,
    MergeGroupWorkflow,
)

log = logging.getLogger(__name__)


class WorkerLost(Exception):
    """The worker id is no longer ours (the database was restarted), or the database is another one: this process must
    end and start again."""


class Worker:
    """`start`, then `run` until told to stop, then `stop`. Tests drive `turn` themselves."""

    def __init__(self, settings: Settings, now: Now = utc_now, *, poll_seconds: float = 0.5, **instead: Any) -> None:
        """instead: of what the settings name, as `Services.make` takes it.

        Raises `SettingsError` or `DatabaseError`.
        """
        self._settings = settings
        expect_calls((settings.model, *(each.model for each in settings.models)) if settings.judge == "openai" else ())
        self._database = Database.open(settings.database_url)
        self.services = Services.make(settings, self._database, self._submit, now, **instead)
        for kind in WORKFLOWS:
            announce(kind.name)
        self.engine = Engine(
            self._database.engine_url,
            {kind.name: partial(kind.run, self.services) for kind in WORKFLOWS},
            worker_id=settings.worker_id,
            threads=settings.worker_threads,
            long=frozenset(kind.name for kind in WORKFLOWS if kind.long),
            poll_seconds=poll_seconds,
        )
        self.reconcile = Reconcile(self.services, self.engine, settings)
        self._dispatcher: Dispatcher | None = None
        self._lost: WorkerLost | None = None
        self._told: dict[tuple[str, str], float] = {}  # when what of the database's trouble was said, by that clock
        self._sign_due = 0.0  # by the monotonic clock
        self._leading = False
        self._lead_due = 0.0  # by the monotonic clock

    def start(self) -> None:
        """Migrate, close the caches to others, take the worker id, resume.

        Raises `DatabaseError`, `WorkerRunning` or `EngineError`.
        """
        close_to_others(self._settings.cache_dir)
        migrate(self._database, has_app=self._settings.has_app)
        self.engine.start(lock_patience=LOCK_PATIENCE)

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set. Raises `WorkerLost`, or `Unauthorized` when GitHub refuses the App's key."""
        keeper = threading.Thread(target=self._keep_house, args=(stop,), name="housekeeping", daemon=True)
        keeper.start()
        try:
            while not stop.is_set():
                self._take_a_turn(stop)
        finally:
            stop.set()  # whatever ends this ends the housekeeping
        if self._lost is not None:
            raise self._lost

    def _take_a_turn(self, stop: threading.Event) -> None:
        """Route what waits; wait a while when there is nothing, and longer when somebody does not answer."""
        try:
            routed = self.turn()
            HEARTBEAT.set_to_current_time()
            if not routed:
                stop.wait(IDLE)
        except SQLAlchemyError as error:  # away, read-only after a failover, or its connections are all in use
            self._complain("The database does not do its work", error)
            stop.wait(1.0)
        except GitHubError as error:
            if isinstance(error, Unauthorized):
                with suppress(SQLAlchemyError):
                    self.services.signs.save(WorkerSign(KEY, self.services.now(), 1))
                raise
            log.warning("Waiting for GitHub: %s", error)
            stop.wait(5.0)

    def _keep_house(self, stop: threading.Event) -> None:
        """In a thread of its own: reading GitHub's delivery log may take long, and deliveries must not wait for it."""
        while not stop.wait(HOUSEKEEPING):
            try:
                self._housekeep_or_complain()
            except WorkerLost as lost:
                self._lost = lost
                stop.set()
            except Exception:
                if not stop.is_set():  # what ends under our feet is no failure
                    log.exception("Housekeeping failed; it is tried again")

    def _housekeep_or_complain(self) -> None:
        try:
            self.housekeep()
        except SQLAlchemyError as error:
            self._complain("Housekeeping waits for the database", error)

    def _complain(self, what: str, error: SQLAlchemyError) -> None:
        """In a line with the mend, the same one every few minutes. Raises `WorkerLost` where waiting does not help."""
        said = trouble(self._database.main.url, error)
        if lacks_tables(error):
            raise WorkerLost(f"Another database lies where this worker's was: {said}")
        told_at = self._told.get((what, said))
        if told_at is None or time.monotonic() >= told_at + SAY_AGAIN:
            self._told[what, said] = time.monotonic()
            log.warning("%s: %s", what, said)

    def turn(self) -> int:
        """Route what waits in the inbox; how many deliveries there were. Of several workers one does it for all: two
        would do the same work, and could turn the order of two deliveries round. Asked here, since only who can hand on
        may lead, and since housekeeping may take minutes."""
        if self._dispatcher is None:
            self._dispatcher = self._make_dispatcher()
        handed_on = self._dispatcher.turn() if self._leads() else 0
        if time.monotonic() >= self._sign_due:
            self.services.signs.save(WorkerSign(WORKER, self.services.now()))
            self._sign_due = time.monotonic() + SIGN
        return handed_on

    def _leads(self) -> bool:
        if time.monotonic() >= self._lead_due:
            self._leading = self.engine.lead()
            self._lead_due = time.monotonic() + HOUSEKEEPING
        return self._leading

    def housekeep(self) -> None:
        """Everything that is due by the clock. Raises `WorkerLost`."""
        if not self.engine.alive():
            raise WorkerLost("The database dropped this worker's lock.")
        waits = self.engine.oldest_waiting()
        WAITS.set(max(0.0, (datetime.now(UTC) - waits).total_seconds()) if waits else 0.0)
        self.reconcile.tick()

    def stop(self, drain: float = DRAIN) -> None:
        """Take nothing new and wait for what runs; what does not end in time is resumed at the next start."""
        self.engine.stop(drain)
        self._database.close()

    def _make_dispatcher(self) -> Dispatcher:
        """Who we are is GitHub's to say, so this waits until GitHub answers."""
        github = self.services.github
        return Dispatcher(
            self.services,
            AppIdentity(github.slug, github.id, self._settings.account_names),
            self.engine.count_waiting,
            self._leads,
        )

    def _submit(self, workflow: str, run_id: str, subject: str, argument: str, delay: float = 0.0) -> None:
        self.engine.submit(workflow, run_id, subject, argument, delay)
