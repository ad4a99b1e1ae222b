"""How GitHub writes its objects as JSON, after its OpenAPI description; the contract tests hold them to it."""

import base64
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from itertools import takewhile
from typing import Any
from urllib.parse import quote

from bot.fake_github.diffs import DiffEntry, ancestry, changes
from bot.fake_github.objects import blob_sha
from bot.fake_github.world import (
    App,
    CheckSuite,
    Commit,
    FakeCheckRun,
    FakeComment,
    FakeInstallation,
    FakeIssue,
    FakeRemark,
    FakeReview,
    Label,
    QueueEntry,
    Repo,
    User,
    World,
)

Json = dict[str, Any]

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")

_COUNTED = {"merged", "mergeable", "rebaseable", "mergeable_state", "merged_by", "comments", "review_comments"}
_COUNTED |= {"maintainer_can_modify", "commits", "additions", "deletions", "changed_files"}
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


def stamp(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with a `Z`, as GitHub writes times."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def node_id(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}{number}".encode()).decode()


class Shapes:
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
            "created_at": stamp(repo.created_at),
            "updated_at": stamp(repo.created_at),
            "pushed_at": stamp(repo.created_at),
            "git_url": f"git:{page.partition(':')[2]}.git",
            "ssh_url": f"git@{page.partition('//')[2]}.git",
            "clone_url": f"{page}.git",
            "svn_url": page,
            "homepage": None,
            "size": 1,
            "stargazers_count": 0,
            "watchers_count": 0,
            "language": None,
            "has_issues": True,
            "has_projects": True,
            "has_downloads": True,
            "has_wiki": True,
            "has_pages": False,
            "has_discussions": False,
            "forks_count": 0,
            "mirror_url": None,
            "archived": False,
            "disabled": False,
            "open_issues_count": open_issues,
            "license": None,
            "allow_forking": True,
            "is_template": False,
            "web_commit_signoff_required": False,
            "topics": [],
            "visibility": "private" if repo.private else "public",
            "forks": 0,
            "open_issues": open_issues,
            "watchers": 0,
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
            "node_id": node_id("FakeIssue", issue.id),
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
            "permissions": dict(app.permissions),
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

    def check_run(self, repo: Repo, run: FakeCheckRun) -> Json:
        url = f"{self.repo_url(repo)}/check-runs/{run.id}"
        page = f"{self.world.web_url}/{repo.full_name}/runs/{run.id}"
        return {
            "id": run.id,
            "name": run.name,
            "node_id": node_id("FakeCheckRun", run.id),
            "head_sha": run.head_sha,
            "external_id": run.external_id,
            "url": url,
            "html_url": page,
            "details_url": run.details_url or page,
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": stamp(run.started_at),
            "completed_at": stamp(run.completed_at),
            "output": {
                "title": run.output.get("title"),
                "summary": run.output.get("summary"),
                "text": run.output.get("text"),
                "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "check_suite": self.check_suite(repo, run.suite),
            "app": self.app(run.app),
            "pull_requests": self._pulls_at(repo, run.head_sha),
        }

    def check_suite(self, repo: Repo, suite: CheckSuite) -> Json:
        url = f"{self.repo_url(repo)}/check-suites/{suite.id}"
        runs = [run for run in repo.checks.values() if run.suite is suite]
        over = bool(runs) and all(run.status == "completed" for run in runs)
        failed = [run.conclusion for run in runs if not run.passes]
        commit = repo.commits[suite.head_sha]
        return {
            "id": suite.id,
            "node_id": node_id("CheckSuite", suite.id),
            "head_branch": next((name for name, sha in repo.branches.items() if sha == suite.head_sha), None),
            "head_sha": suite.head_sha,
            "status": "completed" if over else "queued",
            "conclusion": (failed[0] if failed else "success") if over else None,
            "url": url,
            "before": commit.parent,
            "after": suite.head_sha,
            "pull_requests": self._pulls_at(repo, suite.head_sha),
            "app": self.app(suite.app),
            "created_at": stamp(suite.created_at),
            "updated_at": stamp(suite.created_at),
            "latest_check_runs_count": len(runs),
            "check_runs_url": f"{url}/check-runs",
            "head_commit": self._brief_commit(commit),
        }

    def ref(self, repo: Repo, name: str, sha: str) -> Json:
        """name: with `refs/` before it."""
        url = f"{self.repo_url(repo)}/git"
        target = {"type": "commit", "sha": sha, "url": f"{url}/commits/{sha}"}
        return {"ref": name, "node_id": f"REF_{sha[:12]}", "object": target, "url": f"{url}/{name}"}

    def merge_group(self, repo: Repo, entry: QueueEntry, base_branch: str) -> Json:
        return {
            "head_sha": entry.head,
            "head_ref": f"refs/heads/{entry.branch}",
            "base_sha": entry.base,
            "base_ref": f"refs/heads/{base_branch}",
            "head_commit": self._brief_commit(repo.commits[entry.head]),
        }

    def _brief_commit(self, commit: Commit) -> Json:
        who = {"name": commit.author.login, "email": commit.author.email}
        brief = {"id": commit.sha, "tree_id": commit.tree, "message": commit.message, "timestamp": stamp(commit.at)}
        return {**brief, "author": who, "committer": who}

    def _pulls_at(self, repo: Repo, head: str) -> list[Json]:
        """The open pull requests a check of this commit is for. GitHub does not detect those of forks."""
        issues = [issue for issue in repo.issues.values() if issue.state == "open" and issue.pull]
        found = [(issue, issue.pull) for issue in issues if issue.pull and issue.pull.head == head]
        place = {"id": repo.id, "url": self.repo_url(repo), "name": repo.name}
        return [
            {
                "url": f"{self.repo_url(repo)}/pulls/{issue.number}",
                "id": pull.id,
                "number": issue.number,
                "head": {"ref": pull.head_branch, "sha": pull.head, "repo": place},
                "base": {"ref": pull.base_branch, "sha": pull.base, "repo": place},
            }
            for issue, pull in found
            if pull.source is repo
        ]

    def commit(self, repo: Repo, commit: Commit, before: Commit | None) -> Json:
        """A commit as `push` events show it, with the paths it changed."""
        old = before.files if before else {}
        who = {"name": commit.author.login, "email": commit.author.email}
        return {
            "id": commit.sha,
            "tree_id": commit.tree,
            "distinct": True,
            "message": commit.message,
            "timestamp": stamp(commit.at),
            "url": f"{self.world.web_url}/{repo.full_name}/commit/{commit.sha}",
            "author": {**who, "username": commit.author.login},
            "committer": {**who, "username": commit.author.login},
            "added": sorted(path for path in commit.files if path not in old),
            "removed": sorted(path for path in old if path not in commit.files),
            "modified": sorted(path for path, text in commit.files.items() if path in old and old[path] != text),
        }

    def listed_commit(self, repo: Repo, commit: Commit) -> Json:
        """A commit as REST shows it."""
        url, page = self.repo_url(repo), f"{self.world.web_url}/{repo.full_name}"
        when = {"name": commit.author.login, "email": commit.author.email, "date": stamp(commit.at)}
        parents = [commit.parent] if commit.parent in repo.commits else []
        return {
            "url": f"{url}/commits/{commit.sha}",
            "sha": commit.sha,
            "node_id": f"C_{commit.sha[:12]}",
            "html_url": f"{page}/commit/{commit.sha}",
            "comments_url": f"{url}/commits/{commit.sha}/comments",
            "commit": {
                "url": f"{url}/git/commits/{commit.sha}",
                "author": when,
                "committer": when,
                "message": commit.message,
                "comment_count": 0,
                "tree": {"sha": commit.tree, "url": f"{url}/git/trees/{commit.tree}"},
            },
            "author": self.user(commit.author),
            "committer": self.user(commit.author),
            "parents": [
                {"sha": sha, "url": f"{url}/commits/{sha}", "html_url": f"{page}/commit/{sha}"} for sha in parents
            ],
        }

    def file_change(self, repo: Repo, change: DiffEntry, ref: str) -> Json:
        page = f"{self.world.web_url}/{repo.full_name}"
        return {
            "sha": blob_sha(change.content),
            "filename": change.path,
            "status": change.status,
            "additions": change.additions,
            "deletions": change.deletions,
            "changes": change.additions + change.deletions,
            "blob_url": f"{page}/blob/{ref}/{quote(change.path)}",
            "raw_url": f"{page}/raw/{ref}/{quote(change.path)}",
            "contents_url": f"{self.repo_url(repo)}/contents/{quote(change.path)}?ref={ref}",
            **({"patch": change.patch} if change.patch else {}),
        }

    def comparison(self, repo: Repo, base: Commit, head: Commit, merge_base: Commit) -> Json:
        """What `head` has that `base` lacks, counted from where they parted."""
        page = f"{self.world.web_url}/{repo.full_name}/compare/{base.sha}...{head.sha}"
        ahead = list(takewhile(lambda commit: commit is not merge_base, ancestry(repo, head)))
        behind = list(takewhile(lambda commit: commit is not merge_base, ancestry(repo, base)))
        status = ("identical", "behind", "ahead", "diverged")[2 * bool(ahead) + bool(behind)]
        return {
            "url": f"{self.repo_url(repo)}/compare/{base.sha}...{head.sha}",
            "html_url": page,
            "permalink_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "base_commit": self.listed_commit(repo, base),
            "merge_base_commit": self.listed_commit(repo, merge_base),
            "status": status,
            "ahead_by": len(ahead),
            "behind_by": len(behind),
            "total_commits": len(ahead),
            "commits": [self.listed_commit(repo, commit) for commit in reversed(ahead)],
            "files": [self.file_change(repo, item, head.sha) for item in changes(merge_base.files, head.files)[:300]],
        }

    def review(self, repo: Repo, issue: FakeIssue, review: FakeReview) -> Json:
        """A review as its events show it."""
        page = f"{self.world.web_url}/{repo.full_name}/pull/{issue.number}"
        pull_url = f"{self.repo_url(repo)}/pulls/{issue.number}"
        links = {"html": f"{page}#pullrequestreview-{review.id}", "pull_request": pull_url}
        return {
            "id": review.id,
            "node_id": node_id("PullRequestReview", review.id),
            "user": self.user(review.user),
            "body": review.body or None,
            "commit_id": review.head,
            "submitted_at": stamp(review.at),
            "updated_at": stamp(review.at),
            "state": review.state,
            "html_url": links["html"],
            "pull_request_url": pull_url,
            "author_association": repo.association(review.user),
            "_links": {name: {"href": href} for name, href in links.items()},
        }

    def remark(self, repo: Repo, issue: FakeIssue, review: FakeReview, comment: FakeRemark) -> Json:
        """A line comment of a review as it is listed."""
        page = f"{self.world.web_url}/{repo.full_name}/pull/{issue.number}"
        pull_url = f"{self.repo_url(repo)}/pulls/{issue.number}"
        url = f"{self.repo_url(repo)}/pulls/comments/{comment.id}"
        links = {"self": url, "html": f"{page}#discussion_r{comment.id}", "pull_request": pull_url}
        return {
            "id": comment.id,
            "node_id": node_id("PullRequestReviewComment", comment.id),
            "url": url,
            "pull_request_review_id": review.id,
            "diff_hunk": "@@ -1 +1 @@",
            "path": comment.path,
            "position": comment.line,
            "original_position": comment.line,
            "commit_id": review.head,
            "original_commit_id": review.head,
            "user": self.user(review.user),
            "body": comment.body,
            "created_at": stamp(review.at),
            "updated_at": stamp(review.at),
            "html_url": links["html"],
            "pull_request_url": pull_url,
            "author_association": repo.association(review.user),
            "_links": {name: {"href": href} for name, href in links.items()},
            "start_line": comment.start_line,
            "original_start_line": comment.start_line,
            "start_side": "RIGHT" if comment.start_line else None,
            "line": comment.line,
            "original_line": comment.line,
            "side": "RIGHT",
        }

    def listed_pull(self, repo: Repo, issue: FakeIssue) -> Json:
        """A pull request as lists show it: without what takes GitHub time to find out."""
        return {key: value for key, value in self.pull(repo, issue).items() if key not in _COUNTED}

    def pull(self, repo: Repo, issue: FakeIssue) -> Json:
        """A pull request as its events show it."""
        assert issue.pull is not None
        pull = issue.pull
        url = f"{self.repo_url(repo)}/pulls/{issue.number}"
        issue_url = f"{self.repo_url(repo)}/issues/{issue.number}"
        page = f"{self.world.web_url}/{repo.full_name}/pull/{issue.number}"
        settings = {
            "allow_squash_merge": True,
            "allow_merge_commit": True,
            "allow_rebase_merge": True,
            "allow_auto_merge": False,
            "allow_update_branch": False,
            "delete_branch_on_merge": False,
            "use_squash_pr_title_as_default": False,
            "merge_commit_message": "PR_TITLE",
            "merge_commit_title": "MERGE_MESSAGE",
            "squash_merge_commit_message": "COMMIT_MESSAGES",
            "squash_merge_commit_title": "COMMIT_OR_PR_TITLE",
        }

        def side(place: Repo | None, branch: str, sha: str) -> Json:
            owner = place.owner if place else issue.user
            return {
                "label": f"{owner.login}:{branch}",
                "ref": branch,
                "sha": sha,
                "user": self.user(owner),
                "repo": {**self.repository(place), **settings} if place else None,
            }

        links = {
            "self": url,
            "html": page,
            "issue": issue_url,
            "comments": f"{issue_url}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self.repo_url(repo)}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": f"{self.repo_url(repo)}/statuses/{pull.head}",
        }
        return {
            "url": url,
            "id": pull.id,
            "node_id": node_id("PullRequest", pull.id),
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "issue_url": issue_url,
            "number": issue.number,
            "state": issue.state,
            "locked": issue.locked,
            "title": issue.title,
            "user": self.user(issue.user),
            "body": issue.body,
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "closed_at": stamp(issue.closed_at),
            "merged_at": stamp(issue.closed_at) if pull.merged else None,
            "merge_commit_sha": pull.merge_commit,
            "assignee": None,
            "assignees": [],
            "requested_reviewers": [],
            "requested_teams": [],
            "labels": [self.label(repo, label) for label in issue.labels],
            "milestone": None,
            "draft": pull.draft,
            "commits_url": links["commits"],
            "review_comments_url": links["review_comments"],
            "review_comment_url": links["review_comment"],
            "comments_url": links["comments"],
            "statuses_url": links["statuses"],
            "head": side(pull.source, pull.head_branch, pull.head),
            "base": side(repo, pull.base_branch, pull.base),
            "_links": {name: {"href": href} for name, href in links.items()},
            "author_association": repo.association(issue.user),
            "auto_merge": None,
            "active_lock_reason": None,
            "merged": pull.merged,
            "mergeable": None,
            "rebaseable": None,
            "mergeable_state": "unknown",
            "merged_by": self.user(issue.closed_by) if pull.merged and issue.closed_by else None,
            "comments": len(issue.comments),
            "review_comments": 0,
            "maintainer_can_modify": False,
            "commits": 1,
            "additions": 1,
            "deletions": 0,
            "changed_files": 1,
        }
