"""What happens to checks: Apps write them, people press beside them, branches require them, the merge queue waits."""

from fake_github.app_world import locked
from fake_github.fields import Json
from fake_github.pulls import PullActions
from fake_github.world import ZERO_SHA, App, CheckSuite, Commit, FakeCheckRun, QueueEntry, Repo, User

CHECK = "bouncer"


@locked
class CheckActions(PullActions):
    """Everything people and Apps can do on the fake GitHub."""

    # Pressing

    def press(self, repo_name: str, run_id: int, identifier: str, *, by: str = "maintainer") -> None:
        """Press one of a completed check's buttons."""
        repo, run = self._run(repo_name, run_id)
        if run.status != "completed" or identifier not in [item["identifier"] for item in run.actions]:
            raise LookupError(f"check run {run_id} has no button {identifier} now")
        self._emit_run("requested_action", repo, run, self.user(by), requested_action={"identifier": identifier})

    def rerun(self, repo_name: str, run_id: int, *, by: str = "maintainer") -> None:
        """Ask for one check again. GitHub leaves the run as it is; one that is not completed cannot be run again."""
        repo, run = self._run(repo_name, run_id)
        if run.status != "completed":
            raise LookupError(f"check run {run_id} is {run.status} and cannot be run again")
        self._emit_run("rerequested", repo, run, self.user(by))

    def rerun_all(self, repo_name: str, head: str, *, by: str = "maintainer") -> None:
        """Ask for all the App's checks of a commit again."""
        repo = self.repo(repo_name)
        self._emit_suite("rerequested", repo, self._suite(repo, head, self.app), self.user(by))

    # Writing

    def complete_other_check(self, repo_name: str, head: str, conclusion: str, *, name: str = CHECK) -> int:
        """Another App completes a check run; its id. It may well bear the same name."""
        repo, now = self.repo(repo_name), self.now()
        other = App(self.app.id + 1, "other-ci", self.user("other-owner"), "", "", None, now, {}, [])
        suite = self._suite(repo, head, other)
        output: dict[str, str | None] = {"title": "Done", "summary": "", "text": None}
        run = FakeCheckRun(self.next_id(), name, head, "", "completed", conclusion, now, now, "", output, suite)
        repo.checks[run.id] = run
        self.emit_check(repo, run, was="")
        return run.id

    def new_check(self, repo: Repo, head: str, name: str) -> FakeCheckRun:
        """A run of the App that says nothing yet; `check_written` tells the world once it does."""
        suite = self._suite(repo, head, self.app)
        run = FakeCheckRun(self.next_id(), name, head, "", "queued", None, self.now(), None, "", {}, suite)
        repo.checks[run.id] = run
        return run

    def emit_check(self, repo: Repo, run: FakeCheckRun, *, was: str) -> None:
        """Emit what a change of a run means. was: its status before, empty when it is new."""
        run.edits += 1
        sender = self.user(f"{run.app.slug}[bot]")
        if not was:
            self._emit_run("created", repo, run, sender)
        if run.status != "completed" or was == "completed":
            return
        self._emit_run("completed", repo, run, sender)
        if all(item.status == "completed" for item in repo.checks.values() if item.suite is run.suite):
            self._emit_suite("completed", repo, run.suite, sender)

    # Requiring

    def require_check(self, repo_name: str, name: str = CHECK) -> None:
        """From now on pull requests need this check, from the App alone."""
        self.repo(repo_name).required.append(name)

    def mergeable(self, repo_name: str, number: int, check: str = CHECK) -> bool:
        """Whether a branch that requires `check` from this App alone would take the pull request now.

        The newest run on its head commit counts: success, neutral and skipped let it in, everything else does not.
        """
        repo = self.repo(repo_name)
        return self._passes(repo, self._pull(repo_name, number).head, check)

    # The merge queue

    def queue(self, repo_name: str, number: int, *, by: str = "maintainer") -> str:
        """Put a pull request at the end of the merge queue; the head commit of its group."""
        repo, issue, user = self._act(repo_name, number, by)
        pull = self._pull(repo_name, number)
        last = next((item.head for item in reversed(repo.queue)), repo.branches[pull.base_branch])
        branch = f"gh-readonly-queue/{pull.base_branch}/pr-{number}-{last}"
        # The count keeps two tries within one second apart.
        message = f"Merge pull request #{number} from {pull.head_branch}\n\n{issue.title}\n\n{len(repo.commits)}"
        commit = self._commit(repo, branch, self._proposed(repo, pull), user, message, parent=repo.commits[last])
        entry = QueueEntry(number, branch, commit.sha, last)
        repo.queue.append(entry)
        self._pushed(repo, branch, ZERO_SHA, commit, user)
        self._emit_group("checks_requested", repo, entry, user)
        return commit.sha

    def leave_queue(self, repo_name: str, number: int, reason: str = "dequeued", *, by: str = "maintainer") -> None:
        """Its group is destroyed, because it was `merged`, or `dequeued`; then those behind it are invalid as well."""
        repo, issue, user = self._act(repo_name, number, by)
        place = next(place for place, item in enumerate(repo.queue) if item.number == number)
        gone = repo.queue[place : place + 1] if reason == "merged" else repo.queue[place:]
        repo.queue = [item for item in repo.queue if item not in gone]
        if reason == "merged":
            base_branch = self._pull(repo_name, number).base_branch
            before, repo.branches[base_branch] = repo.branches[base_branch], gone[0].head
            self._pushed(repo, base_branch, before, repo.commits[gone[0].head], user)
            self._close_merged(repo, issue, user, gone[0].head)
        for entry in gone:
            repo.branches.pop(entry.branch)
            repo.deleted_branches.add(entry.branch)
            why = reason if entry.number == number else "invalidated"
            self._emit_group("destroyed", repo, entry, user, reason=why)

    def queue_merges(self, repo_name: str, number: int, check: str = CHECK) -> bool:
        """Whether the queue would merge this pull request's group now: the check passed on the group's own commit."""
        repo = self.repo(repo_name)
        entry = next(item for item in repo.queue if item.number == number)
        return self._passes(repo, entry.head, check)

    # Inside

    def latest_checks(self, repo: Repo, head: str) -> list[FakeCheckRun]:
        """The newest run of every name and App on a commit."""
        found = [run for run in repo.checks.values() if run.head_sha == head]
        return list({(run.app.id, run.name): run for run in found}.values())

    def _passes(self, repo: Repo, head: str, check: str) -> bool:
        latest = self.latest_checks(repo, head)
        return any(run.passes for run in latest if run.name == check and run.app is self.app)

    def _run(self, repo_name: str, run_id: int) -> tuple[Repo, FakeCheckRun]:
        repo = self.repo(repo_name)
        return repo, repo.checks[run_id]

    def _suite(self, repo: Repo, head: str, app: App) -> CheckSuite:
        made = CheckSuite(self.next_id(), head, app, self.now())
        return repo.suites.setdefault((head, app.id), made)

    def _pushed(self, repo: Repo, name: str, before: str, commit: Commit, user: User) -> None:
        """GitHub makes a suite for every App that may write checks, and asks for runs."""
        super()._pushed(repo, name, before, commit, user)
        self._emit_suite("requested", repo, self._suite(repo, commit.sha, self.app), user)

    def _emit_run(self, action: str, repo: Repo, run: FakeCheckRun, sender: User, **extra: Json) -> None:
        """Only the App itself learns what was pressed; what the runs of others do all Apps hear."""
        if action in ("rerequested", "requested_action") and run.app is not self.app:
            return
        self._emit(
            "check_run", repo, sender, {"action": action, "check_run": self.shapes.check_run(repo, run), **extra}
        )

    def _emit_suite(self, action: str, repo: Repo, suite: CheckSuite, sender: User) -> None:
        if action in ("requested", "rerequested") and suite.app is not self.app:
            return
        self._emit("check_suite", repo, sender, {"action": action, "check_suite": self.shapes.check_suite(repo, suite)})

    def _emit_group(self, action: str, repo: Repo, entry: QueueEntry, sender: User, **extra: str) -> None:
        base_branch, head = self._pull(repo.full_name, entry.number).base_branch, repo.commits[entry.head]
        commit = self.shapes.write("brief commit", commit=head)
        shape = self.shapes.write("merge group", entry=entry, base_branch=base_branch, head_commit=commit)
        self._emit("merge_group", repo, sender, {"action": action, "merge_group": shape, **extra})
