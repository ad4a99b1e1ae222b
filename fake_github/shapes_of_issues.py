"""How GitHub writes accounts, repositories, their files and issues as JSON."""

import base64
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from fake_github.objects import blob_sha
from fake_github.world import App, FakeComment, FakeInstallation, FakeIssue, Label, Repo, User, World

Json = dict[str, Any]

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")

_USER_URLS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}

_REPO_URLS = {
    "forks_url": "/forks",
    "keys_url": "/keys{/key_id}",
    "collaborators_url": "/collaborators{/collaborator}",
    "teams_url": "/teams",
    "hooks_url": "/hooks",
    "issue_events_url": "/issues/events{/number}",
    "events_url": "/events",
    "assignees_url": "/assignees{/user}",
    "branches_url": "/branches{/branch}",
    "tags_url": "/tags",
    "blobs_url": "/git/blobs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "trees_url": "/git/trees{/sha}",
    "statuses_url": "/statuses/{sha}",
    "languages_url": "/languages",
    "stargazers_url": "/stargazers",
    "contributors_url": "/contributors",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "commits_url": "/commits{/sha}",
    "git_commits_url": "/git/commits{/sha}",
    "comments_url": "/comments{/number}",
    "issue_comment_url": "/issues/comments{/number}",
    "contents_url": "/contents/{+path}",
    "compare_url": "/compare/{base}...{head}",
    "merges_url": "/merges",
    "archive_url": "/{archive_format}{/ref}",
    "downloads_url": "/downloads",
    "issues_url": "/issues{/number}",
    "pulls_url": "/pulls{/number}",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "labels_url": "/labels{/name}",
    "releases_url": "/releases{/id}",
    "deployments_url": "/deployments",
}

# What no repository here has or differs in.
_PLAIN_REPO: Json = {
    "size": 1,
    **dict.fromkeys(("homepage", "language", "mirror_url", "license"), None),
    **dict.fromkeys(("stargazers_count", "watchers_count", "forks_count", "forks", "watchers"), 0),
    **dict.fromkeys(("has_issues", "has_projects", "has_downloads", "has_wiki", "allow_forking"), True),
    **dict.fromkeys(
        ("has_pages", "has_discussions", "archived", "disabled", "is_template", "web_commit_signoff_required"), False
    ),
}


def stamp(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with a `Z`, as GitHub writes times."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def node_id(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}{number}".encode()).decode()


class IssueShapes:
    """Writes the objects of one world."""

    def __init__(self, world: World) -> None:
        self.world = world

    def repo_url(self, repo: Repo) -> str:
        return f"{self.world.api_url}/repos/{repo.full_name}"

    def user(self, user: User) -> Json:
        url = f"{self.world.api_url}/users/{quote(user.login)}"
        page = f"apps/{user.login.removesuffix('[bot]')}" if user.type == "Bot" else user.login
        return {
            "login": user.login,
            "id": user.id,
            "node_id": node_id("User", user.id),
            "avatar_url": f"{self.world.web_url}/_avatars/{quote(user.login)}.svg",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.world.web_url}/{page}",
            **{name: url + tail for name, tail in _USER_URLS.items()},
            "type": user.type,
            "site_admin": False,
        }

    def person(self, user: User) -> Json:
        """Somebody as they see themselves, without what is private."""
        said = dict.fromkeys(("bio", "blog", "company", "email", "hireable", "location", "name"))
        counts = dict.fromkeys(("followers", "following", "public_gists", "public_repos"), 0)
        since = dict.fromkeys(("created_at", "updated_at"), "2020-01-01T00:00:00Z")
        return {**self.user(user), **said, **counts, **since, "user_view_type": "public"}

    def repository(self, repo: Repo) -> Json:
        url = self.repo_url(repo)
        page = f"{self.world.web_url}/{repo.full_name}"
        open_issues = sum(issue.state == "open" and not issue.deleted for issue in repo.issues.values())
        return {
            "id": repo.id,
            "node_id": node_id("Repository", repo.id),
            "name": repo.name,
            "full_name": repo.full_name,
            "private": repo.private,
            "owner": self.user(repo.owner),
            "html_url": page,
            "description": repo.description or None,
            "fork": repo.is_fork,
            "url": url,
            **{name: url + tail for name, tail in _REPO_URLS.items()},
            **dict.fromkeys(("created_at", "updated_at", "pushed_at"), stamp(repo.created_at)),
            "git_url": f"git:{page.partition(':')[2]}.git",
            "ssh_url": f"git@{page.partition('//')[2]}.git",
            "clone_url": f"{page}.git",
            "svn_url": page,
            **_PLAIN_REPO,
            "topics": [],
            "open_issues_count": open_issues,
            "visibility": "private" if repo.private else "public",
            "open_issues": open_issues,
            "default_branch": repo.default_branch,
        }

    def full_repository(self, repo: Repo) -> Json:
        return {**self.repository(repo), "network_count": 0, "subscribers_count": 0}

    def label(self, repo: Repo, label: Label) -> Json:
        return {
            "id": label.id,
            "node_id": node_id("Label", label.id),
            "url": f"{self.repo_url(repo)}/labels/{quote(label.name, safe='')}",
            "name": label.name,
            "color": label.color,
            "default": False,
            "description": label.description,
        }

    def _reactions(self, url: str, comment: FakeComment | None = None) -> Json:
        given = [content for _, _, content, _ in comment.reactions] if comment else []
        return {
            "url": f"{url}/reactions",
            "total_count": len(given),
            **{content: given.count(content) for content in REACTIONS},
        }

    def issue(self, repo: Repo, issue: FakeIssue) -> Json:
        url = f"{self.repo_url(repo)}/issues/{issue.number}"
        page = f"{self.world.web_url}/{repo.full_name}/{'pull' if issue.pull else 'issues'}/{issue.number}"
        shape: Json = {
            "url": url,
            "repository_url": self.repo_url(repo),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "timeline_url": f"{url}/timeline",
            "html_url": page,
            "id": issue.id,
            "node_id": node_id("Issue", issue.id),
            "number": issue.number,
            "title": issue.title,
            "user": self.user(issue.user),
            "labels": [self.label(repo, label) for label in issue.labels],
            "state": issue.state,
            "locked": issue.locked,
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "comments": len(issue.comments),
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "closed_at": stamp(issue.closed_at),
            "author_association": repo.association(issue.user),
            "active_lock_reason": None,
            "body": issue.body,
            "reactions": self._reactions(url),
            "performed_via_github_app": self.app(issue.app) if issue.app else None,
            "state_reason": issue.state_reason,
        }
        if issue.pull:
            shape["draft"] = issue.pull.draft
            shape["pull_request"] = {
                "url": f"{self.repo_url(repo)}/pulls/{issue.number}",
                "html_url": page,
                "diff_url": f"{page}.diff",
                "patch_url": f"{page}.patch",
                "merged_at": stamp(issue.closed_at) if issue.pull.merged else None,
            }
        return shape

    def full_issue(self, repo: Repo, issue: FakeIssue) -> Json:
        return {**self.issue(repo, issue), "closed_by": self.user(issue.closed_by) if issue.closed_by else None}

    def comment(self, repo: Repo, issue: FakeIssue, comment: FakeComment, app: App) -> Json:
        url = f"{self.repo_url(repo)}/issues/comments/{comment.id}"
        page = f"{self.world.web_url}/{repo.full_name}/issues/{issue.number}"
        return {
            "url": url,
            "html_url": f"{page}#issuecomment-{comment.id}",
            "issue_url": f"{self.repo_url(repo)}/issues/{issue.number}",
            "id": comment.id,
            "node_id": node_id("IssueComment", comment.id),
            "user": self.user(comment.user),
            "created_at": stamp(comment.created_at),
            "updated_at": stamp(comment.updated_at),
            "author_association": repo.association(comment.user),
            "body": comment.body,
            "reactions": self._reactions(url, comment),
            "performed_via_github_app": self.app(app) if comment.via_app else None,
        }

    def app(self, app: App) -> Json:
        return {
            "id": app.id,
            "slug": app.slug,
            "node_id": node_id("App", app.id),
            "owner": self.user(app.owner),
            "name": app.slug.replace("-", " ").title(),
            "description": "",
            "external_url": self.world.web_url,
            "html_url": f"{self.world.web_url}/apps/{app.slug}",
            "created_at": stamp(app.created_at),
            "updated_at": stamp(app.created_at),
            "permissions": dict(app.permissions),
            "events": list(app.events),
        }

    def installation(self, installation: FakeInstallation, app: App) -> Json:
        return {
            "id": installation.id,
            "account": self.user(installation.account),
            "repository_selection": "selected",
            "access_tokens_url": f"{self.world.api_url}/app/installations/{installation.id}/access_tokens",
            "repositories_url": f"{self.world.api_url}/installation/repositories",
            "html_url": f"{self.world.web_url}/settings/installations/{installation.id}",
            "app_id": app.id,
            "app_slug": app.slug,
            "target_id": installation.account.id,
            "target_type": installation.account.type,
            "permissions": dict(app.permissions if installation.permissions is None else installation.permissions),
            "events": list(app.events),
            "created_at": stamp(installation.created_at),
            "updated_at": stamp(installation.created_at),
            "single_file_name": None,
            "has_multiple_single_files": False,
            "single_file_paths": [],
            "suspended_by": self.user(app.owner) if installation.suspended else None,
            "suspended_at": stamp(self.world.now()) if installation.suspended else None,
        }

    def file(self, repo: Repo, path: str, content: bytes, ref: str) -> Json:
        """GitHub leaves `content` empty over 1 MB."""
        url = f"{self.repo_url(repo)}/contents/{quote(path)}?ref={quote(ref)}"
        page = f"{self.world.web_url}/{repo.full_name}/blob/{ref}/{quote(path)}"
        sha = blob_sha(content)
        inline = len(content) <= 1_000_000
        git = f"{self.repo_url(repo)}/git/blobs/{sha}"
        return {
            "type": "file",
            "name": path.rpartition("/")[2],
            "path": path,
            "sha": sha,
            "size": len(content),
            "url": url,
            "html_url": page,
            "git_url": git,
            "download_url": f"{self.world.web_url}/{repo.full_name}/raw/{ref}/{quote(path)}",
            "content": base64.encodebytes(content).decode() if inline else "",
            "encoding": "base64" if inline else "none",
            "_links": {"self": url, "git": git, "html": page},
        }

    def directory(self, repo: Repo, path: str, inside: Mapping[str, bytes], ref: str) -> list[Json]:
        """What is directly in it. A directory's name changes with whatever is below."""
        listed = []
        below = defaultdict(list)
        for name, content in inside.items():
            first, _, rest = name.removeprefix(f"{path}/").partition("/")
            if rest:
                below[first].append(f"{rest} {blob_sha(content)}")
            else:
                item = self.file(repo, name, content, ref)
                listed.append({key: item[key] for key in item if key not in ("content", "encoding")})
        for name, files in below.items():
            item = self.file(repo, f"{path}/{name}", "\n".join(files).encode(), ref)
            kept = {key: item[key] for key in item if key not in ("content", "encoding")}
            listed.append({**kept, "type": "dir", "size": 0, "download_url": None})
        return sorted(listed, key=lambda item: str(item["name"]))
