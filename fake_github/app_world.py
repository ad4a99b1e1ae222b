"""A world with one App in it: its repositories, its installations and the webhooks about them."""

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import FunctionType
from typing import Any, TypeVar

from bot.github.registration import EVENTS, PERMISSIONS
from fake_github.fields import Json
from fake_github.objects import make_commit
from fake_github.shapes import Shapes
from fake_github.webhooks import SentDelivery, Webhooks
from fake_github.world import ZERO_SHA, App, Commit, FakeInstallation, Repo, User, World

Kind = TypeVar("Kind")
SECRET = "fake-webhook-secret"  # noqa: S105 - the fake's own, on loopback


def locked(kind: type[Kind]) -> type[Kind]:
    """Give every public method of a class of worlds the world's lock, so that all act one after the other."""

    def lock(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def act(self: World, *given: Any, **named: Any) -> Any:
            with self.lock:
                return method(self, *given, **named)

        return act

    for name, method in list(vars(kind).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(kind, name, lock(method))
    return kind


@locked
class AppWorld(World):
    """A world with one App in it."""

    def __init__(self, *, app_id: int, slug: str, public_key: str, clock: Callable[[], datetime] | None) -> None:
        super().__init__(clock or (lambda: datetime.now(UTC)))
        self.app = App(
            id=app_id,
            slug=slug,
            owner=self.user("app-owner"),
            public_key=public_key,
            webhook_secret=SECRET,
            webhook_url=None,
            created_at=self.now(),
            permissions=dict(PERMISSIONS),
            events=sorted(EVENTS),
        )
        self.bot = self.user(f"{slug}[bot]")
        self.shapes = Shapes(self)
        self.webhooks = Webhooks(self)

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
        repos = [self.repo(name) for name in repositories]
        installation = FakeInstallation(self.next_id(), self.user(account), self.now(), {repo.id for repo in repos})
        self.installations[installation.id] = installation
        self._emit_installation("installation", "created", installation, by, repositories=self._brief(repos))
        return installation.id

    def uninstall(self, installation_id: int, *, by: str | None = None) -> None:
        installation = self.installations.pop(installation_id)
        self.tokens = {key: item for key, item in self.tokens.items() if item.installation != installation_id}
        repos = [self.repos[key] for key in sorted(installation.repositories)]
        self._emit_installation("installation", "deleted", installation, by, repositories=self._brief(repos))

    def suspend(self, installation_id: int, *, suspended: bool = True, by: str | None = None) -> None:
        installation = self.installations[installation_id]
        installation.suspended = suspended
        self._emit_installation("installation", "suspend" if suspended else "unsuspend", installation, by)

    def add_repositories(self, installation_id: int, repositories: list[str], *, by: str | None = None) -> None:
        repos = [self.repo(name) for name in repositories]
        self.installations[installation_id].repositories |= {repo.id for repo in repos}
        self._emit_selection("added", installation_id, by, repos)

    def remove_repositories(self, installation_id: int, repositories: list[str], *, by: str | None = None) -> None:
        repos = [self.repo(name) for name in repositories]
        self.installations[installation_id].repositories -= {repo.id for repo in repos}
        self._emit_selection("removed", installation_id, by, repos)

    def create_team(self, organization: str, slug: str, members: Sequence[str]) -> None:
        self.teams[organization.lower(), slug] = {self.user(login).login.lower() for login in members}

    def ping(self) -> SentDelivery:
        """What GitHub sends when a webhook is set up."""
        hook = self.shapes.write("hook", app=self.app, target=self.app.webhook_url or self.web_url)
        payload = {"zen": "Keep it logically awesome.", "hook_id": 1, "hook": hook}
        return self.webhooks.emit("ping", payload, installation=None)

    def rename_repository(self, full_name: str, name: str) -> None:
        """The old name redirects to the new one, for the App as on GitHub."""
        repo = self.repo(full_name)
        self.renamed[repo.full_name.lower()] = repo.id
        repo.name = name

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
        commit, _ = make_commit(tree, parent.sha if parent else ZERO_SHA, message, author, self.now())
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
            payload["organization"] = self.shapes.write("organization", owner=repo.owner)
        payload["sender"] = self.shapes.user(sender)
        payload["installation"] = {"id": installation.id, "node_id": f"installation-{installation.id}"}
        self.webhooks.emit(event, payload, installation=installation.id, repository=repo.id)

    def _emit_installation(
        self, event: str, action: str, installation: FakeInstallation, by: str | None, **extra: object
    ) -> None:
        payload: Json = {
            "action": action,
            "installation": self.shapes.installation(installation),
            **extra,
            "sender": self.shapes.user(self.user(by or installation.account.login)),
        }
        self.webhooks.emit(event, payload, installation=installation.id)

    def _emit_selection(self, action: str, installation_id: int, by: str | None, repos: list[Repo]) -> None:
        """action: `added` or `removed`."""
        changed = {"repositories_added": [], "repositories_removed": [], f"repositories_{action}": self._brief(repos)}
        self._emit_installation(
            "installation_repositories",
            action,
            self.installations[installation_id],
            by,
            repository_selection="selected",
            **changed,
            requester=None,
        )

    def _brief(self, repos: list[Repo]) -> list[Json]:
        """Repositories as installation events name them."""
        return [self.shapes.write("brief repository", repo) for repo in repos]
