"""A real worker in this process against the fake GitHub, without the web in between, on a clock that can be moved."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from sqlalchemy import Row, create_engine, select

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.values import Fixed, Place, Reproduction, Run
from bot.github.channel import Credential
from bot.github.deliveries import Delivery
from bot.github.errors import NotFound
from bot.github.events import read
from bot.github.values import Repository
from bot.issues.parse import parse
from bot.judges.agent.code_tools import CodeReader
from bot.judges.patches import PatchSubject
from bot.judges.protocol import Judgement, NoJudgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.policy_file import PATH
from bot.pulls.review_claims import ReviewClaim
from bot.pulls.review_trial import ClaimTrial, try_claims
from bot.rendering.comment import mark_of
from bot.reports import IssueText, Report
from bot.settings import load
from bot.storage.database import Database
from bot.storage.heartbeats import signs
from bot.storage.ledger import disagreements
from bot.storage.repositories import Doubts
from bot.storage.subjects import SubjectRecord
from bot.storage.tables import main_metadata
from bot.verdicts import Decision, FixStatus, IssueKind, PatchLabel, SpecificationLabel
from bot.verification.evidence import Case, HeadTrial, Verified
from bot.verification.execution import RejectedChange
from bot.verification.fix_guided.questions import VerificationQuestion
from bot.verification.patch_evidence import Control, ExampleRuns, PatchEvidence, PatchFacts, Proof, Standing
from bot.verification.values import Differential, TestResult, TestRun, TestStatus
from bot.workflows.fix_finder import PullBase, Suspect
from bot.workflows.issue.judging import next_midnight
from bot.workflows.verifier import ExecutionRequest
from bot.workflows.visibility import record_of
from bot.workflows.worker import Worker
from fake_github import FakeGitHub
from fake_github.views import IssueView
from fake_github.world import Repo
from tests.support.waiting import BUSY, eventually

VAGUE_TITLE = "It doesn't work"
VAGUE = "It doesn't work. Please fix."
CLEAR_TITLE = "load() raises KeyError for a file without a name"
CLEAR = """### What happens

Calling `widgets.load("a.toml")` raises an exception:

```
Traceback (most recent call last):
  File "app.py", line 3, in <module>
    widgets.load("a.toml")
  File "widgets/loader.py", line 41, in load
    raise KeyError("name")
KeyError: 'name'
```

### What should happen

`load` should return a `Widget` whose `name` is the file's stem, `a`, as the documentation of `load` says.

### Steps

1. `pip install widgets==2.3.1` with Python 3.11 on Linux
2. write `a.toml` holding only `size = 3`
3. run `python -c 'import widgets; widgets.load("a.toml")'`

With 2.3.0 this worked.
"""
LABEL = "needs-clarification"
UNDER_WAY = {
    "sqlite": "SELECT 1 FROM workflow_status WHERE status IN ('ENQUEUED', 'PENDING') AND workflow_uuid LIKE ? LIMIT 1",
    "postgresql": "SELECT 1 FROM dbos.workflow_status"
    " WHERE status IN ('ENQUEUED', 'PENDING') AND workflow_uuid LIKE %s LIMIT 1",
}
PUBLIC_URL = "https://bouncer.example.com/bouncer"


@dataclass
class Clock:
    """Real time, and what was added to it."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def advance(self, **units: float) -> None:
        self.ahead += timedelta(**units)


@dataclass
class PlainJudge:
    """Calls a report clear that holds a traceback: these tests are about the workflows, not about judging."""

    name: str = "plain/1"
    away: NoJudgement | None = None
    kind: IssueKind = IssueKind.BUG
    unclear: float = 0.98  # what it gives to whatever is not clear
    asked: list[Report] = field(default_factory=list)

    def judge(self, report: Report) -> Judgement | NoJudgement:
        self.asked.append(report)
        clear = "Traceback" in report.visible_text
        label = SpecificationLabel.WELL_SPECIFIED if clear else SpecificationLabel.VAGUE
        return self.away or Judgement(label, 0.02 if clear else self.unclear, self.kind, self.name, items={})


_RUN = TestRun((TestResult("test_it", TestStatus.PASSED),), 1.0)
_PROVED = Control(Proof.PROVED, ("shop.py:half",))
PLAUSIBLE = HeadTrial(
    PatchEvidence(Standing.PLAUSIBLE, ("Nothing breaks.",), PatchFacts(_RUN, _RUN, _RUN), control=_PROVED)
)


@dataclass
class Told:
    """Answers as it is told: most of these tests are about what comes before and after the executing."""

    verified: Verified = Verified(
        Decision.ACCEPT, Case.EQUIVALENT, ("They behave the same.",), differential=Differential(calls=("half(3)",))
    )
    question: VerificationQuestion | None = None
    meanwhile: Callable[[], None] = lambda: None
    wanted: list[ExecutionRequest] = field(default_factory=list)
    claims: tuple[ReviewClaim, ...] = ()
    stood: HeadTrial = PLAUSIBLE
    tried: HeadTrial = HeadTrial()  # with its fix, where it is rejected
    examples: ExampleRuns = ExampleRuns()
    checked: list[ExecutionRequest] = field(default_factory=list)

    def verify(
        self, wanted: ExecutionRequest, claims: Sequence[ReviewClaim], credential: Credential
    ) -> tuple[ClaimTrial, ...]:
        self.wanted.append(wanted)
        self.claims = tuple(claims)
        self.meanwhile()
        return try_claims(claims, lambda suggestions: (self.verified, self.question), lambda: False)

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> HeadTrial:
        tried = self.tried if rejected else HeadTrial()
        fixed = {name: getattr(tried, name) for name in ("verified", "repair", "fix", "named")}
        ran = replace(self.stood, examples=self.examples, **fixed)
        self.checked.append(wanted)
        self.meanwhile()
        return ran

    def code(self, repository: Repository, number: int, head: str, credential: Credential) -> CodeReader:
        raise NotFound("there is no mirror here")


UNKNOWN = Fixed(FixStatus.UNKNOWN, 0.0, reasons=("The report shows nothing that can be run.",))


@dataclass
class Looked:
    """Stands in for the examiner: finds what it is told to find, at once."""

    fixed: Fixed = UNKNOWN
    regression: bool = False
    places: tuple[Place, ...] = ()
    meanwhile: Callable[[], None] = lambda: None
    asked: list[Suspect] = field(default_factory=list)
    runs: dict[str, Run] = field(default_factory=dict)
    tried_at: list[str] = field(default_factory=list)

    def examine(self, suspect: Suspect, credential: Credential) -> FixFinding:
        self.asked.append(suspect)
        found = FixFinding(suspect.text, "c" * 40, self.fixed, regression=self.regression, places=self.places)
        self.meanwhile()
        return found

    def run_at_base(self, base: PullBase, found: FixFinding, credential: Credential) -> dict[str, Run]:
        self.tried_at.append(base.sha)
        return self.runs

    def forget(self) -> None:
        """For the next test."""
        vars(self).update(vars(Looked()))

    def reproductions_of(self, report: IssueText) -> tuple[Reproduction, ...]:
        read = parse(report.reporters)
        return extract(read.visible_title, read.visible_text).reproductions


@dataclass
class PlainReviewer:
    """Rejects a patch that holds the word `wrong`."""

    name: str = "plain/1"
    looks: bool = False
    away: NoJudgement | None = None
    asked: list[PatchSubject] = field(default_factory=list)

    def review(self, subject: PatchSubject, code: CodeReader | None = None) -> PatchReview | NoJudgement:
        self.asked.append(subject)
        wrong = any("wrong" in line for file in subject.change.files for hunk in file.hunks for line in hunk.added)
        label = PatchLabel.INCORRECT if wrong else PatchLabel.CORRECT_AND_PRECISE
        return self.away or PatchReview(label, wrong, 0.9 if wrong else 0.1, self.name, ReviewMode.DIRECT)


class House:
    """Every repository is its own world; `repository()` makes one where Bouncer is installed.

    model: settings of a model; then it reviews pull requests, and they are executed in a real sandbox.
    """

    def __init__(self, url: str, private_key: str, model: Mapping[str, Any] | None = None) -> None:
        self.clock = Clock()
        self.judge = PlainJudge()
        self.github = FakeGitHub(private_key=private_key, clock=self.clock)
        self.github.start()
        self._cache = TemporaryDirectory(prefix="house-", ignore_cleanup_errors=True)
        self.settings = settings = load(
            app_id=self.github.app.id,
            private_key=self.github.private_key,
            webhook_secret=self.github.app.webhook_secret,
            github_api_url=self.github.url,
            github_web_url=self.github.web_url,
            seconds_between_writes=0,
            database_url=url,
            public_url=PUBLIC_URL,
            cache_dir=Path(self._cache.name),
            **(model or {}),
        )
        self.database = Database.open(url)
        self.verifier = Told()
        self.patch_reviewer = PlainReviewer()
        self.examiner = Looked()
        self.worker = Worker(
            settings,
            self.clock,
            poll_seconds=1.0,
            judge=self.judge,
            verifier=None if model else self.verifier,
            patch_reviewer=None if model else self.patch_reviewer,
            examiner=self.examiner,
        )
        self.worker.start()
        self.services = self.worker.services
        self.engine = self.worker.engine
        self.runs = create_engine(self.database.engine_url)
        self._fed = 0
        self._made = 0

    def close(self) -> None:
        self.worker.stop(drain=0)
        self.runs.dispose()
        self.database.close()
        self.github.close()
        self._cache.cleanup()

    def forget(self) -> None:
        """For the next test: nothing is installed and nothing is known, else each hour that passes there has what all
        tests before left looked at once more."""
        self.github.installations.clear()
        self.github.webhooks.deliveries.clear()
        vars(self.services.doubts).update(vars(Doubts()))
        self._fed = 0
        with self.database.main.begin() as connection:
            for table in main_metadata.sorted_tables:
                if table is not signs:  # what the worker tells of itself, now and then
                    connection.exec_driver_sql(f"DELETE FROM {table.name}")

    def repository(
        self,
        policy: str | None = None,
        *,
        owner: str = "",
        name: str = "",
        installed: bool = True,
        private: bool = False,
        agent: str = "",
    ) -> str:
        """A new repository, of a new owner unless named, where `maintainer` may maintain and `triager` triage. agent:
        an account that may write there, too."""
        self._made += 1
        owner = owner or f"owner{self._made}"
        name = f"{owner}/{name or f'widgets{self._made}'}"
        files = {"README.md": "x", **({PATH: policy} if policy is not None else {})}
        collaborators = {"maintainer": "maintain", "triager": "triage", **({agent: "write"} if agent else {})}
        self.github.create_repository(name, files=files, collaborators=collaborators, private=private)
        if installed:
            self.github.install(owner, [name])
            self.settle()
            self._ask(self.github.repo(name))
        return name

    def _ask(self, repo: Repo) -> None:
        """What GitHub tells of a new repository, which housekeeping asks it a moment later."""
        covering = self.github.installation_of(repo)
        assert covering is not None
        told = Repository(repo.id, repo.full_name, private=repo.private)
        self.services.repositories.note_from_github([record_of(told, covering.id, self.clock())])

    def deliver(self) -> None:
        """Claim what GitHub emitted since the last time, as the web process would."""
        deliveries = self.github.deliveries
        for item in deliveries[self._fed :]:
            delivery = read(item.event, item.payload)
            if isinstance(delivery, Delivery):
                self.services.inbox.claim(item.guid, delivery, now=self.clock())
        self._fed = len(deliveries)

    def lose(self) -> None:
        """What GitHub emitted since the last time never arrives."""
        self._fed = len(self.github.deliveries)

    def settle(self, seconds: float = 60.0) -> None:
        """Until everything GitHub emitted is dealt with, and what that brought about, too."""
        deadline = time.monotonic() + BUSY * seconds
        while True:
            self.deliver()
            self.worker.turn()
            eventually(self.idle, seconds)
            if len(self.github.deliveries) == self._fed and self.services.inbox.depth() == 0:
                return
            assert time.monotonic() < deadline, "it never settles"

    def meanwhile(self, act: Callable[[], object]) -> None:
        """To be called from inside a run: let something happen, and wait until all pull requests have dealt with it.

        In a thread of its own, since a run may not start others while one of its steps is under way.
        """

        def happen() -> None:
            act()
            self.deliver()
            self.worker.turn()
            eventually(self._pulls_are_idle)

        thread = Thread(target=happen)
        thread.start()
        thread.join(60 * BUSY)
        assert not thread.is_alive()

    def _pulls_are_idle(self) -> bool:
        return not self._under_way("pull:")

    def _under_way(self, prefix: str) -> bool:
        """Asked very often, which through dbos would be an eighth of all that these tests do."""
        with self.runs.connect() as connection:
            query = UNDER_WAY[connection.dialect.name]
            return connection.exec_driver_sql(query, (f"{prefix}%",)).first() is not None

    def idle(self) -> bool:
        """Nothing runs or waits to run, apart from what waits for its hour."""
        return not self._under_way("")

    def issue(self, repo: str, number: int) -> IssueView:
        return self.github.issue(repo, number)

    def open(self, repo: str, body: str | None = VAGUE, *, title: str = VAGUE_TITLE, by: str = "reporter") -> int:
        number = self.github.open_issue(repo, title, body, by=by)
        self.settle()
        return number

    def begin(
        self, policy: str | None = None, body: str | None = VAGUE, *, title: str = VAGUE_TITLE
    ) -> tuple[str, int]:
        """An issue in a new repository: the repository and its number."""
        repo = self.repository(policy)
        return repo, self.open(repo, body, title=title)

    def edit(self, repo: str, number: int, **changed: Any) -> None:
        self.github.edit_issue(repo, number, **changed)
        self.settle()

    def propose(self, repo: str, title: str, change: Mapping[str, str | None], **more: Any) -> int:
        number = self.github.open_pull(repo, title, change, **more)
        self.settle()
        return number

    def say(self, repo: str, number: int, body: str, *, by: str = "reporter") -> int:
        self.clock.advance(seconds=1)  # a word of the same second as a push is taken for one before it
        comment = self.github.comment(repo, number, body, by=by)
        self.settle()
        return comment

    def spoken(self, repo: str, number: int) -> str:
        """What Bouncer's one comment says; empty when there is none. Answers to commands are comments of their own."""
        own = [each.body for each in self.issue(repo, number).comments if each.by_bouncer and not mark_of(each.body)]
        assert len(own) <= 1, "one comment an issue"
        return own[0] if own else ""

    def told(self, repo: str, number: int) -> str:
        """What Bouncer answers in threads of reviews; empty where it does in none."""
        return "\n".join(each.body for each in self.github.replies(repo, number))

    def answers(self, repo: str, number: int) -> list[str]:
        """What Bouncer answered to commands, oldest first."""
        return [each.body for each in self.issue(repo, number).comments if each.by_bouncer and mark_of(each.body)]

    def answer(self, repo: str, number: int) -> str:
        """The last answer to a command; empty when there is none."""
        return next(reversed(self.answers(repo, number)), "")

    def held(self, repo: str, number: int) -> bool:
        return LABEL in self.issue(repo, number).labels

    def remembered(self, repo: str, number: int) -> SubjectRecord | None:
        return self.services.subjects.get(self.github.repo(repo).id, number)

    def disagreements(self, repo: str, number: int) -> list[Row[Any]]:
        """What was written down about people who disagreed, oldest first."""
        query = select(disagreements).where(
            disagreements.c.repo_id == self.github.repo(repo).id, disagreements.c.number == number
        )
        with self.database.main.connect() as connection:
            return list(connection.execute(query.order_by(disagreements.c.at)))

    def writes(self, repo: str) -> list[str]:
        """What Bouncer changed there, in order: method and the end of the path."""
        return [f"{call.method} {call.path.partition(repo)[2]}" for call in self.github.writes(repo)]

    def begin_a_day(self) -> None:
        """Budgets count from midnight UTC: a test of one must not run across it."""
        self.clock.advance(seconds=(next_midnight(self.clock()) - self.clock()).total_seconds())

    def tick(self, **units: float) -> None:
        """Time passes, the worker notices, and what that brings about happens."""
        self.clock.advance(**units)
        self.worker.housekeep()
        self.settle()
