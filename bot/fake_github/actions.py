"""What happens to repositories and issues on the fake GitHub: each action changes the world and emits its webhook.

What happens to commits and pull requests is in `pulls.py`, to checks and the merge queue in `checks.py`.

People act through these methods (`by` is a login), and so does the App through REST (`by` is its bot, `via_app` set).
Repositories are named `owner/name`, issues and pull requests by number, comments by id.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.fake_github.objects import make_commit
from bot.fake_github.shapes import Shapes
from bot.fake_github.shapes_of_issues import Json
from bot.fake_github.webhooks import SentDelivery, Webhooks
from bot.fake_github.world import (
    ZERO_SHA,
    App,
    Commit,
    FakeComment,
    FakeInstallation,
    FakeIssue,
    Label,
    Repo,
    TimelineEvent,
    User,
    World,
)

PERMISSIONS = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "members": "read",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "write",
}
EVENTS = ["issues", "issue_comment", "push", "pull_request", "pull_request_review"]
EVENTS += ["check_run", "check_suite", "merge_group"]


class Actions(World):
    """A world with one App in it."""

    def __init__(
        self, *, app_id: int, slug: str, public_key: str, webhook_secret: str, clock: Callable[[], datetime] | None
    ) -> None:
        super().__init__(clock or (lambda: datetime.now(UTC)))
        self.app = App(
            id=app_id,
            slug=slug,
            owner=self.user("app-owner"),
            public_key=public_key,
            webhook_secret=webhook_secret,
            webhook_url=None,
            created_at=self.now(),
            permissions=dict(PERMISSIONS),
            events=list(EVENTS),
        )
        self.bot = self.user(f"{slug}[bot]")
        self.shapes = Shapes(self)
        self.webhooks = Webhooks(self, self.app)

    # Repositories and installations

    def create_repository(
        self,
        full_name: str,
        *,
        private: bool = False,
        description: str = "",
        organization: bool = False,
        files: Mapping[str, str | bytes] | None = None,
        collaborators: Mapping[str, str] | None = None,
        default_branch: str = "main",
    ) -> Repo:
        """collaborators: login -> `read`, `triage`, `write`, `maintain` or `admin`. Without files there is a README."""
        with self.lock:
            owner, _, name = full_name.partition("/")
            account = self.user(owner, "Organization" if organization else "")
            repo = Repo(self.next_id(), account, name, private, default_branch, self.now(), description)
            repo.collaborators = dict(collaborators or {})
            for login in repo.collaborators:
                self.user(login)
            self.repos[repo.id] = repo
            tree = files if files is not None else {"README.md": f"# {name}\n"}
            self._commit(repo, default_branch, tree, account, "Initial commit", parent=None)
            return repo

    def install(self, account: str, repositories: list[str], *, by: str | None = None) -> int:
        """Install the App on some repositories of one account; the installation's id."""
        with self.lock:
            repos = [self.repo(name) for name in repositories]
            installation = FakeInstallation(self.next_id(), self.user(account), self.now(), {repo.id for repo in repos})
            self.installations[installation.id] = installation
            self._emit_installation("installation", "created", installation, by, repositories=_brief(repos))
            return installation.id

    def uninstall(self, installation_id: int, *, by: str | None = None) -> None:
        with self.lock:
            installation = self.installations.pop(installation_id)
            self.tokens = {key: item for key, item in self.tokens.items() if item.installation != installation_id}
            repos = [self.repos[key] for key in sorted(installation.repositories)]
            self._emit_installation("installation", "deleted", installation, by, repositories=_brief(repos))

    def suspend(self, installation_id: int, *, suspended: bool = True, by: str | None = None) -> None:
        with self.lock:
            installation = self.installations[installation_id]
            installation.suspended = suspended
            self._emit_installation("installation", "suspend" if suspended else "unsuspend", installation, by)

    def add_repositories(self, installation_id: int, repositories: list[str], *, by: str | None = None) -> None:
        with self.lock:
            repos = [self.repo(name) for name in repositories]
            installation = self.installations[installation_id]
            installation.repositories |= {repo.id for repo in repos}
            self._emit_selection("added", installation, by, added=_brief(repos), removed=[])

    def remove_repositories(self, installation_id: int, repositories: list[str], *, by: str | None = None) -> None:
        with self.lock:
            repos = [self.repo(name) for name in repositories]
            installation = self.installations[installation_id]
            installation.repositories -= {repo.id for repo in repos}
            self._emit_selection("removed", installation, by, added=[], removed=_brief(repos))

    def create_team(self, organization: str, slug: str, members: Sequence[str]) -> None:
        with self.lock:
            self.teams[organization.lower(), slug] = {self.user(login).login.lower() for login in members}

    def ping(self) -> SentDelivery:
        """What GitHub sends when a webhook is set up."""
        with self.lock:
            now = self.shapes.app(self.app)["created_at"]
            config = {
                "url": self.app.webhook_url or self.web_url,
                "content_type": "json",
                "insecure_ssl": "0",
                "secret": "***",
            }
            hook = {
                "type": "App",
                "id": 1,
                "name": "web",
                "active": True,
                "events": list(self.app.events),
                "config": config,
                "updated_at": now,
                "created_at": now,
                "app_id": self.app.id,
                "deliveries_url": f"{self.api_url}/app/hook/deliveries",
            }
            payload = {"zen": "Keep it logically awesome.", "hook_id": 1, "hook": hook}
            return self.webhooks.emit("ping", payload, installation=None)

    def rename_repository(self, full_name: str, name: str) -> None:
        """The old name redirects to the new one, for the App as on GitHub."""
        with self.lock:
            repo = self.repo(full_name)
            self.renamed[repo.full_name.lower()] = repo.id
            repo.name = name

    # Issues

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
        with self.lock:
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
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            changes: Json = {}
            if title is not None and title != issue.title:
                changes["title"] = {"from": issue.title}
                self._note(issue, "renamed", user, f"{issue.title} → {title}")
                issue.title = title
            if body is not None and body != issue.body:
                changes["body"] = {"from": issue.body or ""}
                self._note(issue, "edited", user)
                issue.body = body
            if changes:
                self._emit_issue("edited", repo, issue, user, changes=changes)

    def close_issue(self, repo_name: str, number: int, *, by: str = "reporter", reason: str = "completed") -> None:
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            if issue.state == "closed":
                issue.state_reason = reason
                return
            issue.state, issue.state_reason, issue.closed_at, issue.closed_by = "closed", reason, self.now(), user
            self._note(issue, "closed", user, reason)
            self._emit_issue("closed", repo, issue, user)

    def reopen_issue(self, repo_name: str, number: int, *, by: str = "reporter") -> None:
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            if issue.state == "open":
                return
            issue.state, issue.state_reason, issue.closed_at, issue.closed_by = "open", "reopened", None, None
            self._note(issue, "reopened", user)
            self._emit_issue("reopened", repo, issue, user)

    def delete_issue(self, repo_name: str, number: int, *, by: str = "maintainer") -> None:
        """From now on it answers 410."""
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            issue.deleted = True
            self._emit_issue("deleted", repo, issue, user)

    def transfer_issue(self, repo_name: str, number: int, to: str, *, by: str = "maintainer") -> int:
        """Move an issue to another repository; its number there. The old address redirects, the old events stop."""
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            goal = self.repo(to)
            moved = replace(issue, number=self._next_number(goal), labels=[])
            goal.issues[moved.number] = moved
            where = {"new_issue": self.shapes.issue(goal, moved), "new_repository": self.shapes.repository(goal)}
            self._emit_issue("transferred", repo, issue, user, changes=where)
            issue.deleted, issue.transferred_to = True, f"/repos/{goal.full_name}/issues/{moved.number}"
            self._emit_issue("opened", goal, moved, user)
            return moved.number

    def lock_issue(self, repo_name: str, number: int, *, locked: bool = True) -> None:
        """Nobody without write access may comment any more; no event is emitted."""
        with self.lock:
            self._act(repo_name, number, "maintainer")[1].locked = locked

    def add_label(self, repo_name: str, number: int, name: str, *, by: str = "maintainer") -> None:
        """A label nobody created comes to be, grey and without description, as on GitHub."""
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            label = self._label(repo, name)
            if label in issue.labels:
                return
            issue.labels.append(label)
            self._note(issue, "labeled", user, label.name)
            self._emit_issue("labeled", repo, issue, user, label=self.shapes.label(repo, label))

    def remove_label(self, repo_name: str, number: int, name: str, *, by: str = "maintainer") -> bool:
        """Whether the issue had it."""
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            label = next((item for item in issue.labels if item.name.lower() == name.lower()), None)
            if label is None:
                return False
            issue.labels.remove(label)
            self._note(issue, "unlabeled", user, label.name)
            self._emit_issue("unlabeled", repo, issue, user, label=self.shapes.label(repo, label))
            return True

    # Comments

    def comment(self, repo_name: str, number: int, body: str, *, by: str = "reporter", via_app: bool = False) -> int:
        """The new comment's id."""
        with self.lock:
            repo, issue, user = self._act(repo_name, number, by)
            now = self.now()
            comment = FakeComment(self.next_id(), user, body, now, now, via_app)
            issue.comments.append(comment)
            issue.updated_at = now
            self._emit_comment("created", repo, issue, comment, user)
            return comment.id

    def edit_comment(self, repo_name: str, comment_id: int, body: str, *, by: str | None = None) -> None:
        """By its author unless said otherwise."""
        with self.lock:
            repo, issue, comment = self._find_comment(repo_name, comment_id)
            if comment.body == body:
                return
            changes = {"body": {"from": comment.body}}
            comment.body, comment.updated_at, issue.updated_at = body, self.now(), self.now()
            comment.edits += 1
            self._emit_comment("edited", repo, issue, comment, self.user(by or comment.user.login), changes=changes)

    def delete_comment(self, repo_name: str, comment_id: int, *, by: str | None = None) -> None:
        with self.lock:
            repo, issue, comment = self._find_comment(repo_name, comment_id)
            issue.comments.remove(comment)
            self._emit_comment("deleted", repo, issue, comment, self.user(by or comment.user.login))

    def react(self, repo_name: str, comment_id: int, content: str, *, by: str = "reporter") -> None:
        """A person's reaction to a comment, e.g. `-1`; no event is emitted."""
        with self.lock:
            _, _, comment = self._find_comment(repo_name, comment_id)
            comment.reactions.append((self.next_id(), self.user(by), content, self.now()))

    # Inside

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

    def _commit(
        self,
        repo: Repo,
        branch: str,
        files: Mapping[str, str | bytes | None],
        author: User,
        message: str,
        *,
        parent: Commit | None,
    ) -> Commit:
        """A new commit upon `parent` becomes the branch's head."""
        tree = dict(parent.files) if parent else {}
        for path, text in files.items():
            if text is None:
                tree.pop(path, None)
            else:
                tree[path] = text.encode() if isinstance(text, str) else text
        now = self.now()
        made = make_commit(tree, parent.sha if parent else None, message, author, now)
        commit = Commit(made.sha, made.tree, parent.sha if parent else ZERO_SHA, message, author, now, tree)
        repo.commits[commit.sha] = commit
        repo.branches[branch] = commit.sha
        return commit

    def _emit(self, event: str, repo: Repo, sender: User, payload: Json, *, repository: Json | None = None) -> None:
        """Repository events reach the App only where it is installed and has subscribed."""
        installation = self.installation_of(repo)
        if installation is None or installation.suspended or event not in self.app.events:
            return
        payload["repository"] = repository or self.shapes.repository(repo)
        if repo.owner.type == "Organization":
            payload["organization"] = self._organization(repo.owner)
        payload["sender"] = self.shapes.user(sender)
        payload["installation"] = {"id": installation.id, "node_id": f"installation-{installation.id}"}
        self.webhooks.emit(event, payload, installation=installation.id, repository=repo.id)

    def _organization(self, owner: User) -> Json:
        url = f"{self.api_url}/orgs/{owner.login}"
        user = self.shapes.user(owner)
        return {
            **{key: user[key] for key in ("login", "id", "node_id", "avatar_url")},
            "url": url,
            "repos_url": f"{url}/repos",
            "events_url": f"{url}/events",
            "hooks_url": f"{url}/hooks",
            "issues_url": f"{url}/issues",
            "members_url": f"{url}/members{{/member}}",
            "public_members_url": f"{url}/public_members{{/member}}",
            "description": "",
        }

    def _emit_issue(self, action: str, repo: Repo, issue: FakeIssue, sender: User, **extra: Json) -> None:
        if issue.pull:
            self._emit_pull(action, repo, issue, sender, **extra)
            return
        payload = {"action": action, "issue": self.shapes.issue(repo, issue), **extra}
        self._emit("issues", repo, sender, payload)

    def _emit_comment(
        self, action: str, repo: Repo, issue: FakeIssue, comment: FakeComment, sender: User, **extra: Json
    ) -> None:
        shape = self.shapes.comment(repo, issue, comment, self.app)
        payload = {"action": action, "issue": self.shapes.issue(repo, issue), "comment": shape, **extra}
        self._emit("issue_comment", repo, sender, payload)

    def _emit_pull(self, action: str, repo: Repo, issue: FakeIssue, sender: User, **extra: Json | str) -> None:
        shape = self.shapes.pull(repo, issue)
        payload: Json = {"action": action, "number": issue.number, "pull_request": shape, **extra}
        self._emit("pull_request", repo, sender, payload)

    def _emit_installation(
        self, event: str, action: str, installation: FakeInstallation, by: str | None, **extra: object
    ) -> None:
        payload: Json = {
            "action": action,
            "installation": self.shapes.installation(installation, self.app),
            **extra,
            "sender": self.shapes.user(self.user(by or installation.account.login)),
        }
        self.webhooks.emit(event, payload, installation=installation.id)

    def _emit_selection(
        self, action: str, installation: FakeInstallation, by: str | None, *, added: list[Json], removed: list[Json]
    ) -> None:
        self._emit_installation(
            "installation_repositories",
            action,
            installation,
            by,
            repository_selection="selected",
            repositories_added=added,
            repositories_removed=removed,
            requester=None,
        )


def _brief(repos: list[Repo]) -> list[Json]:
    """Repositories as installation events name them."""
    return [
        {
            "id": repo.id,
            "node_id": f"R_{repo.id}",
            "name": repo.name,
            "full_name": repo.full_name,
            "private": repo.private,
        }
        for repo in repos
    ]
