"""The policy workflow: tell a policy's author what is wrong with it, and look again at what waited for its mend."""

from contextlib import suppress
from datetime import timedelta

from bot.github.client import RepositoryClient
from bot.github.deliveries import Delivery
from bot.github.values import Absent, Check, Commits, File, NotModified, NotReadable, Repository
from bot.policy_file import PATH, PolicyError, load
from bot.rendering.gate import GateView
from bot.rendering.gate_states import POLICY_CHECK_NAME, policy_check, state_view
from bot.storage.gates import GateRecord
from bot.storage.subjects import SubjectRecord
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, take
from bot.workflows.durable.step import Stopped, attempt
from bot.workflows.jobs import RunJob, Why, clock_job
from bot.workflows.policies import DEFAULTS, policy_text, problems
from bot.workflows.workflow import WorkflowRun

UNCHANGED, UNINSTALLED = "unchanged", "uninstalled"
QUIET = (UNCHANGED, UNINSTALLED)
MOST_SEEN = 10_000  # commits of which it is known which policy they have
FOREVER = timedelta(days=3650)

Found = File | Absent | NotReadable


class PolicyCheckWorkflow(WorkflowRun):
    """One push, or one pull request's commits."""

    name = "policy_check"

    @property
    def commits(self) -> Commits:
        """Those that may have changed the policy."""
        assert self.job.delivery is not None and self.job.delivery.commits is not None  # it was asked for them
        return self.job.delivery.commits

    def perform(self) -> str:
        outcome = attempt("check", str, self._check)
        if outcome not in QUIET:
            for following in attempt("renew", tuple[RunJob, ...], self._renew):
                self.services.start(following)
        return outcome

    def on_end_short(self, outcome: str, error: str) -> None:
        """Said on the commit."""
        if error:
            with suppress(Stopped):  # then the log alone has it
                shown = state_view("policy_fault", error=error)
                attempt("say that it failed", str, lambda: _put(self.client, self.commits, shown))

    def _check(self) -> str:
        if not self.is_installed:
            return UNINSTALLED
        found = self._read(self.commits.head)
        if self.commits.touches_policy is None and self._same(found):
            return UNCHANGED
        return report(self.client, self.commits, found)

    def _same(self, found: Found) -> bool:
        """Whether the file was so before the change; a new branch began at the default one."""
        if self.commits.base.strip("0"):
            return (blob := _blob(found)) is not None and blob == self._blob_at(self.commits.base)
        try:
            text = policy_text(self.services, self.job.installation_id, self.job.repository)
        except PolicyError:
            return False
        return isinstance(found, Absent) if text is None else isinstance(found, File) and found.content == text.encode()

    def _read(self, commit: str) -> Found:
        """The file at a commit; which one it is, is remembered: a commit's files never change."""
        found, seen = read(self.client, commit), self.services.policies_seen
        if (blob := _blob(found)) is not None:
            if len(seen) >= MOST_SEEN:
                seen.clear()
            seen[self.job.repository.id, commit] = blob
        return found

    def _blob_at(self, commit: str) -> str | None:
        """Which file that commit has. Who rebases a stack of branches moves each from one that was read."""
        seen = self.services.policies_seen.get((self.job.repository.id, commit))
        return _blob(self._read(commit)) if seen is None else seen

    def _renew(self) -> tuple[RunJob, ...]:
        """After a push to the default branch: read the policy afresh, and look again at what an invalid one held up, or
        a budget. What waits for a model is not asked any sooner for it."""
        repository, seq = self.job.repository, self.job.seq
        if self.commits.branch != repository.default_branch:
            return ()
        self.services.policies.expire(repository.full_name)
        waiting = self.services.subjects.due_retries(self.services.now() + FOREVER)
        issues = (each for each in waiting if not each.retries and concerns(repository, each))
        gates = (each for each in self.services.gates.without_verdict() if concerns(repository, each))
        return (
            *(clock_job(each, Why.RETRY, each.retry_at) for each in issues),
            *(RunJob.about("pull", each, seq, f"{seq:012d}:renewed", why=Why.RENEWED) for each in gates),
        )


def read(client: RepositoryClient, ref: str) -> Found:
    found = client.get_file(PATH, ref=ref)
    return Absent() if isinstance(found, NotModified) else found


def _blob(found: Found) -> str | None:
    """Which file it is, by its sha; empty where there is none, `None` where that cannot be read."""
    return None if isinstance(found, NotReadable) else found.sha if isinstance(found, File) else ""


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


HANDLER = DeliveryHandler("policy_check", frozenset({"push", "pull_request"}), _wants)
