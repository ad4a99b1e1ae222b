"""`bouncer action`: what the GitHub Action runs in the jobs of a workflow. See docs/action.md."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from pydantic import BaseModel, SecretStr

from bot.action import issues, pulls
from bot.action.job import JobError, job_of
from bot.action.local_server import LocalServer, enter
from bot.action.trial_result import FILE, file_content
from bot.action.verifiers import ReplayVerifier, RunRecorder
from bot.commands.shared import Refusing, settings_with
from bot.github.deliveries import Ignored
from bot.github.errors import Forbidden, GitHubError
from bot.policy import Policy
from bot.rendering.job_summary import SubjectSummary, job_summary, outputs
from bot.storage.directories import close_to_others
from bot.telemetry import logs
from bot.workflows.policies import PolicyStatus
from bot.workflows.services import Verifies

NOT_DONE = 1
FAILED = "failed:"  # begins the line of a workflow that broke down
_READS = "`contents: read`, `issues: read`, `pull-requests: read` and `checks: read`"
NEEDS = {
    "issue": "`contents: read` and `issues: write`; for comments on pull requests also `checks: write`,"
    " `pull-requests: write`",
    "trial": _READS,
    "publish": _READS.replace("checks: read", "checks: write").replace(" and ", ", ") + " and `actions: read`",
}

# The policy's keys that mean nothing in a job, which docs/action.md lists as well (a test). Each with the reason, as a
# sentence goes on after "since". A key with a value after it is one that works otherwise.
WITHOUT_EFFECT = {
    "budgets": "only a server counts what was judged today",
    "issues.already_fixed": "no job looks for a fix: that takes the whole history, and minutes of running",
    "issues.brief": "a brief tells of the fix that was looked for",
    "issues.no_response": "no job starts when nobody writes",
    "pulls.attempts": "no job makes a fix to test a rejection by",
    "pulls.override.sticky": "every push ends an override",
    "pulls.override.teams": "a job's token may not see teams",
    "pulls.review: agentic": "the job that asks the model fetches no code to work through",
    "verify.blind_judges": "no job makes a fix to test a rejection by",
    "verify.image": "only bubblewrap runs code here, and it takes no image",
    "verify.reviews": "no job executes what review bots suggest",
    "verify.rounds": "no job makes a fix to test a rejection by",
}


@click.group()
def action() -> None:
    """What the GitHub Action runs in the jobs of a workflow: docs/action.md says how to use it."""


@action.command(cls=Refusing, said="action issue", short_help="Judge the event's issue, or handle its comment.")
def issue() -> None:
    """Judge the issue of this job's event, or carry out what its comment says, on an issue or a pull request."""
    ran = ReplayVerifier()
    with _github("issue"), _entered(lambda own: ran) as server:
        delivery = issues.delivery_of(server)
        if isinstance(delivery, Ignored):
            _tell(server, [SubjectSummary("", (delivery.reason,))], None)
            return
        if delivery.issue is not None and delivery.issue.is_pull_request:
            told, policy = pulls.carry_out(server, delivery, ran)
        else:
            told, policy = issues.judge_issue(server, delivery)
        _tell(server, [told], policy)


@action.command(cls=Refusing, said="action trial", short_help="Run a pull request's commit in the sandbox.")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Where the result goes.")
def trial(out: Path) -> None:
    """Run the commit of the pull request whose workflow woke this one, and write what came of it. Nothing is shown."""
    recorded: list[RunRecorder] = []

    def record(own: Verifies) -> Verifies:
        recorded.append(RunRecorder(own))
        return recorded[0]

    with _github("trial"), _entered(record, judge="offline") as server:
        pulls.trial(server, pulls.trigger_of(server.job.payload, server.services.now()))
        results = recorded[0].results
        out.mkdir(parents=True, exist_ok=True)
        (out / FILE).write_bytes(file_content(results))
        told = [SubjectSummary(f"#{each.number}", (f"commit {each.head[:7]} was run",)) for each in results]
        _tell(server, told, None)


@action.command(cls=Refusing, said="action publish", short_help="Judge what was run, and write the check.")
def publish() -> None:
    """Judge the pull request's commit by what the first job of this run left, and write its check."""
    ran = ReplayVerifier()
    with _github("publish"), _entered(lambda own: ran) as server:
        told, policy = pulls.publish(server, pulls.trigger_of(server.job.payload, server.services.now()), ran)
        _tell(server, told, policy if told else None)


@contextmanager
def _entered(verifier: Callable[[Verifies], Verifies], judge: str | None = None) -> Iterator[LocalServer]:
    job = job_of()
    settings = settings_with(judge=judge, github_api_url=job.api_url, github_web_url=job.web_url)
    # The token among the settings is one that no log line shows.
    level = "INFO" if os.environ.get("RUNNER_DEBUG") == "1" else "WARNING"
    settings = settings.model_copy(update={"github_token": SecretStr(job.token), "log_level": level})
    logs.set_up(settings)
    close_to_others(settings.cache_dir)  # a machine of one's own may have other users
    with enter(job, settings, verifier=verifier) as server:
        yield server


@contextmanager
def _github(what: str) -> Iterator[None]:
    """Raises `JobError` for what GitHub refuses."""
    try:
        yield
    except Forbidden as error:
        raise JobError(f"GitHub refuses this to the job: {error}. Its `permissions` must be {NEEDS[what]}.") from None
    except GitHubError as error:
        raise JobError(f"GitHub gave no answer to work with: {error}. Run the job again.") from None


def _tell(server: LocalServer, told: Sequence[SubjectSummary], status: PolicyStatus | None) -> None:
    """Exit status 1 where not everything came to its end."""
    given = inactive_keys(status.policy) if status is not None and status.policy is not None else ()
    wrong = "; ".join(map(str, status.problems)) if status is not None else ""
    summary = job_summary(told, wrong, {key: WITHOUT_EFFECT[key] for key in given}, server.unfinished)
    server.job.tell(summary, outputs(told))
    click.echo(summary)
    if server.unfinished or any(line.startswith(FAILED) for line in server.ended):
        raise click.exceptions.Exit(NOT_DONE)


def inactive_keys(policy: Policy) -> tuple[str, ...]:
    """Those that the policy's file gives, whatever it gives them where no value is named."""
    return tuple(key for key in WITHOUT_EFFECT if _is_given(policy, key))


def _is_given(policy: Policy, entry: str) -> bool:
    key, _, value = entry.partition(": ")
    given: object = policy
    for name in key.split("."):
        if not isinstance(given, BaseModel) or name not in given.model_fields_set:
            return False
        given = getattr(given, name)
    return not value or given == value
