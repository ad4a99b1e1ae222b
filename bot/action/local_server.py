"""The server's workflows in one process, on a database that lives as long as the job: what is submitted, runs."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.action.job import WorkflowJob
from bot.action.memory import StandingWords
from bot.action.trial_result import RunBasis
from bot.github.deliveries import Delivery
from bot.github.values import Repository
from bot.github.workflow_token import SLUG, WorkflowClient, WorkflowGitHub
from bot.settings import Settings
from bot.storage.database import Database
from bot.storage.migrate import migrate
from bot.workflows.delivery import AppIdentity
from bot.workflows.dispatcher import Dispatcher
from bot.workflows.issue.workflow import IssueWorkflow
from bot.workflows.pull.judging import JudgingWorkflow
from bot.workflows.pull.workflow import PullWorkflow
from bot.workflows.services import Services, Verifies, utc_now

INSTALLATION = 1  # there is one repository, and nobody installed anything
PATIENCE = 90.0  # seconds a job waits in all for a GitHub that does not answer
_LONG_AGO = datetime(2008, 1, 1, tzinfo=UTC)  # nothing is older than the workflow file: when that came nobody tells

Workflow = Callable[[str], str]


@dataclass
class KnownPull:
    """since: from when on a word about its newest commit counts. taken_back: when the words up to then were. shown: the
    words by which it was judged, and its check made, as it stands on GitHub. run: what it was last judged by here."""

    since: datetime
    taken_back: datetime | None = None
    shown: StandingWords = StandingWords()
    run: str = ""


@dataclass
class LocalServer:
    """github, client: under the job's token. pulls: by number, what is known here of pull requests beside their
    records; ran_for: what the runs were for that their verdicts stand on. ended: how each run ended, as one line.
    unfinished: what GitHub did not let end. The other fields are its own."""

    job: WorkflowJob
    services: Services
    github: WorkflowGitHub
    client: WorkflowClient
    repository: Repository
    pulls: dict[int, KnownPull] = field(default_factory=dict)
    ran_for: dict[int, RunBasis] = field(default_factory=dict)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    waiting: deque[tuple[str, str, float]] = field(default_factory=deque)
    ended: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    patience: float = PATIENCE

    def deliver(self, delivery: Delivery, guid: str) -> None:
        """Do all that the server does for a delivery, and what follows from it."""
        self.services.inbox.claim(guid, delivery, now=self.services.now())
        Dispatcher(self.services, AppIdentity(SLUG, self.github.id), lambda: len(self.waiting), lambda: True).turn()
        self.drain()

    def drain(self) -> None:
        """Run what waits, until nothing does. What has no workflow here is left: a job does less than a server."""
        while self.waiting:
            name, argument, delay = self.waiting.popleft()
            if delay > self.patience:
                self.unfinished.append(self.ended[-1] if self.ended else name)
                continue
            if delay:
                self.patience -= delay
                time.sleep(delay)
            self.ended.append(self.workflows[name](argument))

    def submit(self, workflow: str, run_id: str, subject: str, argument: str, delay: float = 0.0) -> None:
        """As the engine's."""
        if workflow in self.workflows:
            self.waiting.append((workflow, argument, delay))


@contextmanager
def enter(
    job: WorkflowJob,
    settings: Settings,
    *,
    verifier: Callable[[Verifies], Verifies] = lambda own: own,
) -> Iterator[LocalServer]:
    """A server for this job, with the repository alone. verifier: gives the one to use, for that of a server. Raises
    `GitHubError`.
    """
    github = WorkflowGitHub.enter(job.api_url, job.token, seconds_between_writes=settings.seconds_between_writes)
    repository = github.about(job.repository)
    with (
        TemporaryDirectory(prefix="bouncer-") as scratch,
        closing(Database.open(f"sqlite:///{Path(scratch) / 'bouncer.db'}")) as database,
    ):
        migrate(database)

        def submit(workflow: str, run_id: str, subject: str, argument: str, delay: float = 0.0) -> None:
            server.submit(workflow, run_id, subject, argument, delay)

        made = Services.make(settings, database, submit, utc_now, github=github)
        services = replace(made, verifier=verifier(made.verifier))
        services.installations.upsert(INSTALLATION, job.repository.partition("/")[0], now=_LONG_AGO)
        server = LocalServer(job, services, github, github.repository(INSTALLATION, repository), repository)
        for kind in (IssueWorkflow, PullWorkflow, JudgingWorkflow):
            server.workflows[kind.name] = partial(kind.run, services)
        yield server
