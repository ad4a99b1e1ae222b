"""What happens to repositories and issues on the fake GitHub: each action changes the world and emits its webhook.

What happens to commits and pull requests is in `pulls.py`, to checks and the merge queue in `checks.py`.

People act through these methods (`by` is a login), and so does the App through REST (`by` is its bot, `via_app` set).
Repositories are named `owner/name`, issues and pull requests by number, comments by id.
"""

from dataclasses import replace

from fake_github.app_world import AppWorld, locked
from fake_github.fields import Json
from fake_github.world import FakeComment, FakeIssue, Label, Repo, TimelineEvent, User


@locked
class Actions(AppWorld):
    """What people do on issues and with repositories."""

    def open_issue(
        self,
        repo_name: str,
        title: str,
        body: str | None,
        *,
        by: str = "reporter",
        labels: tuple[str, ...] = (),
        via_app: bool = False,
    ) -> int:
        """The new issue's number."""
        repo, user, now = self.repo(repo_name), self.user(by), self.now()
        issue = FakeIssue(self.next_id(), self._next_number(repo), title, body, user, now, now)
        issue.app = self.app if via_app else None
        issue.labels = [self._label(repo, name) for name in labels]
        issue.timeline.append(TimelineEvent(self.next_id(), "opened", user, now))
        repo.issues[issue.number] = issue
        self._emit_issue("opened", repo, issue, user)
        return issue.number

    def edit_issue(
        self, repo_name: str, number: int, *, title: str | None = None, body: str | None = None, by: str = "reporter"
    ) -> None:
        """Nothing is emitted when nothing changes."""
        repo, issue, user = self._act(repo_name, number, by)
        changes: Json = {}
        if title is not None and title != issue.title:
            changes["title"] = {"from": issue.title}
            self._note(issue, "renamed", user, f"{issue.title} → {title}")
            issue.title = title
        if body is not None and body != issue.body:
            changes["body"] = {"from": issue.body or ""}
            self._note(issue, "edited", user)
            issue.revisions = issue.revisions or [(issue.created_at, issue.body or "")]
            issue.revisions.append((self.now(), body))
            issue.body = body
        if changes:
            self._emit_issue("edited", repo, issue, user, changes=changes)

    def close_issue(self, repo_name: str, number: int, *, by: str = "reporter", reason: str = "completed") -> None:
        repo, issue, user = self._act(repo_name, number, by)
        if issue.state == "closed":
            issue.state_reason = reason
            return
        issue.state, issue.state_reason, issue.closed_at, issue.closed_by = "closed", reason, self.now(), user
        self._note(issue, "closed", user, reason)
        self._emit_issue("closed", repo, issue, user)

    def reopen_issue(self, repo_name: str, number: int, *, by: str = "reporter") -> None:
        repo, issue, user = self._act(repo_name, number, by)
        if issue.state == "open":
            return
        issue.state, issue.state_reason, issue.closed_at, issue.closed_by = "open", "reopened", None, None
        self._note(issue, "reopened", user)
        self._emit_issue("reopened", repo, issue, user)

    def delete_issue(self, repo_name: str, number: int, *, by: str = "maintainer") -> None:
        """From now on it answers 410."""
        repo, issue, user = self._act(repo_name, number, by)
        issue.deleted = True
        self._emit_issue("deleted", repo, issue, user)

    def transfer_issue(self, repo_name: str, number: int, to: str, *, by: str = "maintainer") -> int:
        """Move an issue to another repository; its number there. The old address redirects, the old events stop."""
        repo, issue, user = self._act(repo_name, number, by)
        goal = self.repo(to)
        moved = replace(issue, number=self._next_number(goal), labels=[])
        goal.issues[moved.number] = moved
        self._note(moved, "transferred", user)
        where = {"new_issue": self.shapes.issue(goal, moved), "new_repository": self.shapes.repository(goal)}
        self._emit_issue("transferred", repo, issue, user, changes=where)
        issue.deleted, issue.transferred_to = True, f"/repos/{goal.full_name}/issues/{moved.number}"
        self._emit_issue("opened", goal, moved, user)
        return moved.number

    def lock_issue(self, repo_name: str, number: int, *, locked: bool = True) -> None:
        """Nobody without write access may comment any more; no event is emitted."""
        self._act(repo_name, number, "maintainer")[1].locked = locked

    def add_label(self, repo_name: str, number: int, name: str, *, by: str = "maintainer") -> None:
        """A label nobody created comes to be, grey and without description, as on GitHub."""
        repo, issue, user = self._act(repo_name, number, by)
        label = self._label(repo, name)
        if label in issue.labels:
            return
        issue.labels.append(label)
        self._note(issue, "labeled", user, label.name)
        self._emit_issue("labeled", repo, issue, user, label=self.shapes.label(repo, label))

    def remove_label(self, repo_name: str, number: int, name: str, *, by: str = "maintainer") -> bool:
        """Whether the issue had it."""
        repo, issue, user = self._act(repo_name, number, by)
        label = next((item for item in issue.labels if item.name.lower() == name.lower()), None)
        if label is None:
            return False
        issue.labels.remove(label)
        self._note(issue, "unlabeled", user, label.name)
        self._emit_issue("unlabeled", repo, issue, user, label=self.shapes.label(repo, label))
        return True

    def comment(self, repo_name: str, number: int, body: str, *, by: str = "reporter", via_app: bool = False) -> int:
        """The new comment's id."""
        repo, issue, user = self._act(repo_name, number, by)
        now = self.now()
        comment = FakeComment(self.next_id(), user, body, now, now, via_app)
        issue.comments.append(comment)
        issue.updated_at = now
        self._emit_comment("created", repo, issue, comment, user)
        return comment.id

    def edit_comment(self, repo_name: str, comment_id: int, body: str, *, by: str | None = None) -> None:
        """By its author unless said otherwise."""
        repo, issue, comment = self._find_comment(repo_name, comment_id)
        if comment.body == body:
            return
        changes = {"body": {"from": comment.body}}
        comment.body, comment.updated_at, issue.updated_at = body, self.now(), self.now()
        comment.edits += 1
        self._emit_comment("edited", repo, issue, comment, self.user(by or comment.user.login), changes=changes)

    def delete_comment(self, repo_name: str, comment_id: int, *, by: str | None = None) -> None:
        repo, issue, comment = self._find_comment(repo_name, comment_id)
        issue.comments.remove(comment)
        self._emit_comment("deleted", repo, issue, comment, self.user(by or comment.user.login))

    def react(self, repo_name: str, comment_id: int, content: str, *, by: str = "reporter") -> None:
        """A person's reaction to a comment, e.g. `-1`; no event is emitted."""
        _, _, comment = self._find_comment(repo_name, comment_id)
        comment.reactions.append((self.next_id(), self.user(by), content, self.now()))

    def make_private(self, full_name: str, *, private: bool = True, by: str | None = None) -> None:
        """Or public again. Nothing is emitted when nothing changes."""
        repo = self.repo(full_name)
        if repo.private is private:
            return
        repo.private = private
        sender = self.user(by) if by else repo.owner
        self._emit("repository", repo, sender, {"action": "privatized" if private else "publicized"})

    def _next_number(self, repo: Repo) -> int:
        return max(repo.issues, default=0) + 1

    def _act(self, repo_name: str, number: int, by: str) -> tuple[Repo, FakeIssue, User]:
        repo = self.repo(repo_name)
        return repo, repo.issues[number], self.user(by)

    def _find_comment(self, repo_name: str, comment_id: int) -> tuple[Repo, FakeIssue, FakeComment]:
        repo = self.repo(repo_name)
        found = self.find_comment(repo, comment_id)
        if found is None:
            raise LookupError(f"there is no comment {comment_id} in {repo_name}")
        return repo, *found

    def _label(self, repo: Repo, name: str) -> Label:
        return repo.labels.setdefault(name.lower(), Label(self.next_id(), name))

    def _note(self, issue: FakeIssue, kind: str, user: User, detail: str = "") -> None:
        issue.updated_at = self.now()
        issue.timeline.append(TimelineEvent(self.next_id(), kind, user, issue.updated_at, detail))

    def _emit_issue(self, action: str, repo: Repo, issue: FakeIssue, sender: User, **extra: Json) -> None:
        if issue.pull:
            self._emit_pull(action, repo, issue, sender, **extra)
            return
        payload = {"action": action, "issue": self.shapes.issue(repo, issue), **extra}
        self._emit("issues", repo, sender, payload)

    def _emit_comment(
        self, action: str, repo: Repo, issue: FakeIssue, comment: FakeComment, sender: User, **extra: Json
    ) -> None:
        shape = self.shapes.comment(repo, issue, comment)
        payload = {"action": action, "issue": self.shapes.issue(repo, issue), "comment": shape, **extra}
        self._emit("issue_comment", repo, sender, payload)

    def _emit_pull(self, action: str, repo: Repo, issue: FakeIssue, sender: User, **extra: Json | str) -> None:
        shape = self.shapes.pull(repo, issue)
        payload: Json = {"action": action, "number": issue.number, "pull_request": shape, **extra}
        self._emit("pull_request", repo, sender, payload)
