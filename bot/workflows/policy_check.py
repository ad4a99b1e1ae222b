"""The policy workflow: tell a policy's author what is wrong with it, and look again at what waited for its mend."""

from contextlib import suppress
from datetime import timedelta

from bot.github.client import RepositoryClient
from bot.github.deliveries import Delivery
from bot.github.values import Absent, Check, Commits, File, NotModified, NotReadable, Repository
from bot.policy_file import PATH, PolicyError, load
from bot.rendering.gate import GateView
from bot.rendering.gate_states import POLICY_CHECK_NAME, policy_check, policy_failed
from bot.storage.gates import GateRecord
from bot.storage.inbox import Queued
from bot.storage.subjects import SubjectRecord
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, run_tail, take
from bot.workflows.durable.step import Stopped, attempt
from bot.workflows.jobs import GateEvent, IssueJob, PolicyCheckJob, PullJob, retry
from bot.workflows.policies import DEFAULTS, PolicyLookup, problems
from bot.workflows.services import Services
from bot.workflows.workflow import Workflow

UNCHANGED, UNINSTALLED = "unchanged", "uninstalled"
QUIET = (UNCHANGED, UNINSTALLED)
MOST_SEEN = 10_000  # commits of which it is known which policy they have
FOREVER = timedelta(days=3650)

Found = File | Absent | NotReadable


class PolicyCheckWorkflow(Workflow[PolicyCheckJob], kind=PolicyCheckJob):
    """One push, or one pull request's commits."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._seen: dict[tuple[int, str], str] = {}  # by repository and commit, whose files never change

    def perform(self, job: PolicyCheckJob) -> str:
        outcome = attempt("check", str, lambda: self._check(job))
        if outcome not in QUIET:
            for waiting in attempt("renew", tuple[IssueJob, ...], lambda: self._renew(job)):
                self.services.start(waiting)
            for held in attempt("renew gates", tuple[PullJob, ...], lambda: self._gates(job)):
                self.services.start(held)
        return outcome

    def on_end_short(self, job: PolicyCheckJob, outcome: str, error: str) -> None:
        """Said on the commit, where there is one to say it on."""
        repository, commits = job.delivery.repository, job.delivery.commits
        if error and repository is not None and commits is not None:
            with suppress(Stopped):  # then the log alone has it
                client = self.services.repository(job.delivery.installation_id, repository)
                attempt("say that it failed", str, lambda: _put(client, commits, policy_failed(error)))

    def _check(self, job: PolicyCheckJob) -> str:
        repository, commits = job.delivery.repository, job.delivery.commits
        assert repository is not None and commits is not None
        if not self.services.is_installed(job.delivery.installation_id):
            return UNINSTALLED
        client = self.services.repository(job.delivery.installation_id, repository)
        found = self._read(client, commits.head)
        if commits.touches_policy is None and self._same(job, found, commits):
            return UNCHANGED
        return report(client, commits, found)

    def _same(self, job: PolicyCheckJob, found: Found, commits: Commits) -> bool:
        """Whether the file was so before the change; a new branch began at the default one."""
        repository = job.delivery.repository
        assert repository is not None
        if commits.base.strip("0"):
            client = self.services.repository(job.delivery.installation_id, repository)
            return self._is_at(client, commits.base, found)
        try:
            text = PolicyLookup(self.services).text(job.delivery.installation_id, repository)
        except PolicyError:
            return False
        return isinstance(found, Absent) if text is None else isinstance(found, File) and found.content == text.encode()

    def _read(self, client: RepositoryClient, commit: str) -> Found:
        """The file at a commit; which one it is, is remembered."""
        found = read(client, commit)
        if not isinstance(found, NotReadable):
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            self._seen[client.repository.id, commit] = _blob(found)
        return found

    def _is_at(self, client: RepositoryClient, commit: str, found: Found) -> bool:
        """Whether it is the file of that commit. Who rebases a stack of branches moves each from one that was read."""
        seen = self._seen.get((client.repository.id, commit))
        if seen is None:
            return same(found, self._read(client, commit))
        return not isinstance(found, NotReadable) and _blob(found) == seen

    def _renew(self, job: PolicyCheckJob) -> tuple[IssueJob, ...]:
        """After a push to the default branch: read the policy afresh, and look again at what an invalid one held up, or
        a budget. What waits for a model is not asked any sooner for it."""
        repository, commits = job.delivery.repository, job.delivery.commits
        assert repository is not None and commits is not None
        if commits.branch != repository.default_branch:
            return ()
        self.services.policies.expire(repository.full_name)
        waiting = self.services.subjects.due_retries(self.services.now() + FOREVER)
        return tuple(
            retry(subject, self.services.now())
            for subject in waiting
            if not subject.retries and concerns(repository, subject)
        )

    def _gates(self, job: PolicyCheckJob) -> tuple[PullJob, ...]:
        """The pull requests that an invalid policy kept from being judged."""
        repository, commits = job.delivery.repository, job.delivery.commits
        assert repository is not None and commits is not None
        if commits.branch != repository.default_branch:
            return ()
        held = (gate for gate in self.services.gates.without_verdict() if concerns(repository, gate))
        return tuple(_renewed(gate, job) for gate in held)


def read(client: RepositoryClient, ref: str) -> Found:
    found = client.get_file(PATH, ref=ref)
    return Absent() if isinstance(found, NotModified) else found


def _blob(found: File | Absent) -> str:
    return found.sha if isinstance(found, File) else ""


def same(one: Found, other: Found) -> bool:
    if isinstance(one, File) and isinstance(other, File):
        return one.sha == other.sha
    return isinstance(one, Absent) and isinstance(other, Absent)


def report(client: RepositoryClient, commits: Commits, found: Found) -> str:
    """The check run on the head commit; an absent file needs none, and a valid one in observe mode writes nothing."""
    if isinstance(found, Absent):
        return "there is no policy"
    wrong = problems(found)
    if not wrong and isinstance(found, File) and load(found.content).silent:
        return "valid: observed, nothing written"
    return _put(client, commits, policy_check(wrong))


def _put(client: RepositoryClient, commits: Commits, shown: GateView) -> str:
    check = Check(
        name=POLICY_CHECK_NAME,
        head_sha=commits.head,
        external_id=f"policy:{commits.head}",
        status="completed",
        conclusion=shown.conclusion,
        title=shown.title,
        summary=shown.summary,
        annotations=shown.annotations,
    )
    client.put_check(check)
    return f"{shown.conclusion}: {shown.title}"


def _renewed(gate: GateRecord, job: PolicyCheckJob) -> PullJob:
    run_id = f"pull:{gate.repo_id}:{gate.number}:{job.seq:012d}:renewed"
    return PullJob.about(gate, run_id, job.seq, why=GateEvent.RENEWED)


def concerns(repository: Repository, subject: SubjectRecord | GateRecord) -> bool:
    """Whether this subject's policy may come from that repository."""
    owner, _, name = repository.full_name.partition("/")
    if name.lower() == DEFAULTS:
        return subject.repository.partition("/")[0].lower() == owner.lower()
    return subject.repo_id == repository.id


COMMITS_CHANGED = ("opened", "synchronize", "reopened")


def _wants(delivery: Delivery, context: AppIdentity) -> Intent:
    if delivery.commits is None:
        return ignore("it names no commits")
    if delivery.event == "pull_request" and delivery.action not in COMMITS_CHANGED:
        return ignore(f"the commits are as they were: {delivery.action}")
    if delivery.pull and delivery.repository and delivery.pull.head_repository == delivery.repository.full_name:
        return ignore("its commits were pushed here, and the push says whether the policy changed")
    if delivery.commits.touches_policy is False:
        return ignore("the policy did not change")
    return take("the policy may have changed")


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    assert queued.delivery.repository  # the dispatcher saw to it
    run_id = f"policy_check:{queued.delivery.repository.id}:{run_tail(queued)}"
    services.start(PolicyCheckJob(run_id=run_id, seq=queued.seq, delivery=queued.delivery))


HANDLER = DeliveryHandler("policy_check", frozenset({"push", "pull_request"}), _wants, _handle)
