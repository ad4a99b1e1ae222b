"""Everything a workflow may reach, in one value: the tests build it on a fake GitHub and a clock of their own."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Protocol

from bot.github.app import GitHubApp
from bot.github.channel import Credential
from bot.github.client import RepositoryClient
from bot.github.mirror import Mirrors
from bot.github.values import Repository
from bot.judges.agent.code_tools import CodeReader
from bot.judges.factory import make_judge, make_patch_reviewer
from bot.judges.openai.spend import Spend
from bot.judges.protocol import IssueJudge
from bot.judges.reviews import PatchReviewer, ReviewMode
from bot.live.precision import Subject
from bot.policy import PullRules as PullPolicy
from bot.policy_choices import Strictness
from bot.pulls.review_claims import ReviewClaim
from bot.pulls.review_trial import ClaimTrial
from bot.settings import Settings
from bot.storage.database import Database
from bot.storage.ledger import Entry, Ledger
from bot.storage.repositories import Doubts
from bot.storage.stores import Stores, open_stores
from bot.verdicts import Usage, Verdict
from bot.verification.evidence import HeadTrial
from bot.verification.execution import RejectedChange
from bot.workflows.durable.step import current_run
from bot.workflows.fix_finder import Examiner
from bot.workflows.jobs import RunJob
from bot.workflows.verifier import ExecutionRequest, Verifier

log = logging.getLogger(__name__)

Now = Callable[[], datetime]
Reviewers = Callable[[PullPolicy], PatchReviewer]


class Submit(Protocol):
    """The engine's `submit`."""

    def __call__(self, workflow: str, run_id: str, subject: str, argument: str, delay: float = 0.0) -> None: ...


class Verifies(Protocol):
    """`Verifier`, or what a test puts in its place."""

    def verify(
        self, wanted: ExecutionRequest, claims: Sequence[ReviewClaim], credential: Credential
    ) -> tuple[ClaimTrial, ...]: ...

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> HeadTrial: ...

    def code(self, repository: Repository, number: int, head: str, credential: Credential) -> CodeReader: ...


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Services(Stores):
    """now: the clock of everything Bouncer decides by time. judge_is_free: it asks nobody either.
    free_judge: the offline one, which asks nobody.
    patch_reviewer: who reviews under a policy. public_url: where people read verdict pages; empty when nobody said so.
    web_url: GitHub's pages. policies_seen: the policy's blob, by repository and commit.
    """

    github: GitHubApp
    mirrors: Mirrors
    judge: IssueJudge
    judge_is_free: bool
    free_judge: IssueJudge
    patch_reviewer: Reviewers
    verifier: Verifies
    examiner: Examiner
    submit: Submit
    doubts: Doubts
    now: Now = utc_now
    public_url: str = ""
    web_url: str = "https://github.com"
    policies_seen: dict[tuple[int, str], str] = field(default_factory=dict)

    @classmethod
    def make(
        cls,
        settings: Settings,
        database: Database,
        submit: Submit,
        now: Now = utc_now,
        patch_reviewer: PatchReviewer | None = None,
        **instead: Any,
    ) -> "Services":
        """patch_reviewer, instead: of what the settings name.

        Raises `SettingsError` without the App's credentials.
        """
        stores = open_stores(database)
        spend = LedgerSpend(stores["ledger"], now)
        usual: dict[str, Callable[[], Any]] = {
            "github": lambda: GitHubApp.from_settings(settings),
            "judge": lambda: make_judge(settings, spend),
            "verifier": lambda: Verifier(settings, database, spend),
            "examiner": lambda: Examiner(settings, spend),
        }
        return cls(
            **stores,
            **{name: instead.get(name) or make() for name, make in usual.items()},
            mirrors=Mirrors.from_settings(settings),
            judge_is_free=not instead.get("judge") and settings.judge != "openai",
            free_judge=make_judge(settings.model_copy(update={"judge": "offline"}), spend),
            patch_reviewer=(lambda policy: patch_reviewer) if patch_reviewer else reviewers(settings, spend),
            submit=submit,
            doubts=Doubts(),
            now=now,
            public_url=settings.public_url,
            web_url=settings.github_web_url,
        )

    def start(self, job: RunJob) -> None:
        """Have a job done by its workflow."""
        self.submit(job.workflow, job.run_id, job.subject, job.pack())

    def enter(self, job: RunJob, subject: Subject, verdict: Verdict, **more: Any) -> None:
        """Write a verdict into the ledger, with what the run asked of models where `more` does not say what it cost."""
        now = self.now()
        if "usage" not in more:
            more["usage"] = sum(self.ledger.usage_of_run(job.run_id, now).values(), Usage())
        place: dict[str, Any] = {
            "workflow_id": job.run_id,
            "repo_id": job.repository.id,
            "number": job.number,
            "seq": job.seq,
        }
        self.ledger.add(Entry(at=now, subject=subject, verdict=verdict, **place | more))

    def page(self, token: str) -> str:
        """Where people read what has this token; empty where nobody said how the web process is reached."""
        return f"{self.public_url.rstrip('/')}/verdicts/{token}" if self.public_url else ""

    def repository(self, installation_id: int, repository: Repository) -> RepositoryClient:
        return self.github.repository(installation_id, repository)

    def is_installed(self, installation_id: int) -> bool:
        """Whether Bouncer is still wanted there: neither uninstalled nor suspended."""
        installation = self.installations.get(installation_id)
        return installation is not None and not installation.suspended


def reviewers(settings: Settings, spend: Spend) -> Reviewers:
    """Who reviews, by the policy: one for each mode and strictness, made when it is first asked for."""

    @cache
    def made(mode: ReviewMode, strictness: Strictness) -> PatchReviewer:
        return make_patch_reviewer(settings, spend, mode, strictness)

    return lambda policy: made(ReviewMode(policy.review), policy.strictness)


class LedgerSpend:
    """Money spent on models, kept in the ledger under the run that spent it."""

    def __init__(self, ledger: Ledger, now: Now) -> None:
        self._ledger = ledger
        self._now = now

    def spent_today(self, model: str = "") -> float:
        return self._ledger.money_today(self._now(), model)

    def record(self, usage: Usage, judge: str) -> None:
        self._ledger.spend(current_run(), judge, usage, at=self._now())
