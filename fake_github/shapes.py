"""How GitHub writes its objects as JSON, after its OpenAPI description; the contract tests hold them to it."""

import base64
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from fake_github.fields import FILLERS, FORMS, Json, stamp
from fake_github.objects import DiffEntry, blob_sha, changes, own_commits, since
from fake_github.world import (
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
    Repo,
    TimelineEvent,
    User,
)

if TYPE_CHECKING:
    from fake_github.app_world import AppWorld
    from fake_github.webhooks import SentDelivery

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
_EVENTS = ("labeled", "unlabeled", "renamed", "closed", "reopened")  # what a timeline shows; others the fake notes


class Shapes:
    """Writes the objects of one world."""

    def __init__(self, world: "AppWorld") -> None:
        self.world = world

    def write(self, kind: str, repo: Repo | None = None, /, **known: Any) -> Json:
        """An object with the fields of `shapes.json`; known: what they are made of."""
        addresses = {"api": self.world.url, "web": self.world.web_url}
        if repo:
            addresses |= {"url": self.repo_url(repo), "page": f"{self.world.web_url}/{repo.full_name}"}
        return FILLERS[kind]({**FORMS, **addresses, "repo": repo, "write": partial(self._value, repo), **known})

    def _value(self, repo: Repo | None, value: Any) -> Any:
        """A value as GitHub writes those of its type."""
        match value:
            case datetime():
                return stamp(value)
            case User():
                return self.user(value)
            case App():
                return self.app(value)
            case Repo():
                return self.repository(value)
            case Label() if repo:
                return self.label(repo, value)
            case list():
                return [self._value(repo, item) for item in value]
        return value

    # Accounts and repositories

    def repo_url(self, repo: Repo) -> str:
        return f"{self.world.url}/repos/{repo.full_name}"

    def user(self, user: User) -> Json:
        return self.write("user", user=user)

    def repository(self, repo: Repo) -> Json:
        return self.write(
            "repository",
            repo,
            host=self.world.web_url.partition("//")[2],
            description=repo.description or None,
            open_issues=sum(issue.state == "open" and not issue.deleted for issue in repo.issues.values()),
            visibility="private" if repo.private else "public",
        )

    def label(self, repo: Repo, label: Label) -> Json:
        return self.write("label", repo, label=label)

    def app(self, app: App) -> Json:
        return self.write("app", app=app, name=app.slug.replace("-", " ").title())

    def installation(self, installation: FakeInstallation) -> Json:
        app = self.world.app
        return self.write(
            "installation",
            installation=installation,
            app=app,
            permissions=app.permissions if installation.permissions is None else installation.permissions,
            suspended_by=app.owner if installation.suspended else None,
            suspended_at=self.world.now() if installation.suspended else None,
        )

    def file(self, repo: Repo, path: str, content: bytes, ref: str) -> Json:
        """GitHub leaves `content` empty over 1 MB."""
        inline = len(content) <= 1_000_000
        return self.write(
            "file",
            repo,
            name=path.rpartition("/")[2],
            path=path,
            sha=blob_sha(content),
            size=len(content),
            ref=ref,
            content=base64.encodebytes(content).decode() if inline else "",
            encoding="base64" if inline else "none",
        )

    def directory(self, repo: Repo, path: str, inside: Mapping[str, bytes], ref: str) -> list[Json]:
        """What is directly in it. A directory's name changes with whatever is below."""
        listed = []
        below = defaultdict(list)
        for name, content in inside.items():
            first, _, rest = name.removeprefix(f"{path}/" if path else "").partition("/")
            if rest:
                below[first].append(f"{rest} {blob_sha(content)}")
            else:
                listed.append(self.file(repo, name, content, ref))
        for name, files in below.items():
            item = self.file(repo, f"{path}/{name}".removeprefix("/"), "\n".join(files).encode(), ref)
            listed.append({**item, "type": "dir", "size": 0, "download_url": None})
        kept = [{key: item[key] for key in item if key not in ("content", "encoding")} for item in listed]
        return sorted(kept, key=lambda item: str(item["name"]))

    # Issues

    def issue(self, repo: Repo, issue: FakeIssue) -> Json:
        shape = self.write(
            "issue",
            repo,
            issue=issue,
            kind="pull" if issue.pull else "issues",
            comments=len(issue.comments),
            association=repo.association(issue.user),
            reactions=self._reactions(f"{self.repo_url(repo)}/issues/{issue.number}"),
        )
        return shape | self.write("what a pull request adds to an issue", repo, issue=issue) if issue.pull else shape

    def full_issue(self, repo: Repo, issue: FakeIssue) -> Json:
        return {**self.issue(repo, issue), "closed_by": self.user(issue.closed_by) if issue.closed_by else None}

    def comment(self, repo: Repo, issue: FakeIssue, comment: FakeComment) -> Json:
        return self.write(
            "comment",
            repo,
            issue=issue,
            comment=comment,
            association=repo.association(comment.user),
            reactions=self._reactions(f"{self.repo_url(repo)}/issues/comments/{comment.id}", comment),
            app=self.world.app if comment.via_app else None,
        )

    def _reactions(self, url: str, comment: FakeComment | None = None) -> Json:
        given = [content for _, _, content, _ in comment.reactions] if comment else []
        counts = {content: given.count(content) for content in REACTIONS}
        return {"url": f"{url}/reactions", "total_count": len(given), **counts}

    def timeline(self, repo: Repo, issue: FakeIssue) -> list[Json]:
        """Comments, commits, reviews and acts, oldest first. What the fake notes for itself alone is left out."""
        found = [(each.at, self._event(repo, each)) for each in issue.timeline if each.kind in _EVENTS]
        for comment in issue.comments:
            shape = self.comment(repo, issue, comment)
            found.append((comment.created_at, {**shape, "event": "commented", "actor": shape["user"]}))
        if issue.pull:
            found += [(each.at, self.write("committed", repo, commit=each)) for each in own_commits(repo, issue.pull)]
            found += [(each.at, self.review(repo, issue, each, kind="reviewed")) for each in issue.pull.reviews]
        return [shape for _, shape in sorted(found, key=lambda pair: pair[0])]

    def _event(self, repo: Repo, event: TimelineEvent) -> Json:
        shape = self.write("event", repo, event=event)
        if event.kind in ("labeled", "unlabeled"):
            label = repo.labels[event.detail.lower()]
            shape["label"] = {"name": label.name, "color": label.color}
        elif event.kind == "renamed":
            before, _, after = event.detail.partition(" → ")
            shape["rename"] = {"from": before, "to": after}
        elif event.kind == "closed":
            shape["state_reason"] = event.detail or None
        return shape

    # Pull requests

    def pull_summary(self, repo: Repo, issue: FakeIssue) -> Json:
        """A pull request as lists show it: without what takes GitHub time to find out."""
        assert issue.pull is not None
        pull = issue.pull
        return self.write(
            "pull request",
            repo,
            issue=issue,
            pull=pull,
            head=self._side(issue, pull.source, pull.head_branch, pull.head),
            base=self._side(issue, repo, pull.base_branch, pull.base),
            association=repo.association(issue.user),
        )

    def pull(self, repo: Repo, issue: FakeIssue) -> Json:
        """A pull request as its events show it."""
        left_out = self.write(
            "what lists leave out of a pull request",
            issue=issue,
            comments=len(issue.comments),
            merged_by=issue.closed_by if issue.merged_at else None,
        )
        return self.pull_summary(repo, issue) | left_out

    def _side(self, issue: FakeIssue, place: Repo | None, branch: str, sha: str) -> Json:
        shape = {**self.repository(place), **self.write("how a repository merges")} if place else None
        owner = place.owner if place else issue.user
        return self.write("side of a pull request", owner=owner, branch=branch, sha=sha, place=shape)

    def review(self, repo: Repo, issue: FakeIssue, review: FakeReview, kind: str = "review") -> Json:
        """A review as its events show it; `reviewed` is the one of a timeline."""
        association, body = repo.association(review.user), review.body or None
        at = review.edited_at or review.at
        return self.write(kind, repo, issue=issue, review=review, body=body, association=association, at=at)

    def remark(self, repo: Repo, issue: FakeIssue, review: FakeReview, remark: FakeRemark) -> Json:
        """A line comment of a review as it is listed."""
        shape: Json = self.write(
            "remark",
            repo,
            issue=issue,
            review=review,
            remark=remark,
            association=repo.association(review.user),
            start_side="RIGHT" if remark.start_line else None,
            at=remark.edited_at or review.at,
            reactions=self._reactions(f"{self.repo_url(repo)}/pulls/comments/{remark.id}"),
        )
        return shape | ({"in_reply_to_id": remark.reply_to} if remark.reply_to else {})

    def delivery(self, item: "SentDelivery") -> Json:
        """As `GET /app/hook/deliveries` lists it."""
        return self.write("delivery", item=item, duration=round(item.duration, 3))

    # Commits

    def pushed_commit(self, repo: Repo, commit: Commit) -> Json:
        """A commit as `push` events show it, with the paths it changed."""
        before = repo.commits.get(commit.parent)
        old, new = before.files if before else {}, commit.files
        return self.write(
            "pushed commit",
            repo,
            commit=commit,
            added=sorted(path for path in new if path not in old),
            removed=sorted(path for path in old if path not in new),
            modified=sorted(path for path, text in new.items() if path in old and old[path] != text),
        )

    def commit(self, repo: Repo, commit: Commit) -> Json:
        """A commit as REST shows it."""
        parents = [self.write("parent", repo, sha=sha) for sha in [commit.parent] if sha in repo.commits]
        return self.write("listed commit", repo, commit=commit, parents=parents)

    def file_change(self, repo: Repo, change: DiffEntry, ref: str) -> Json:
        lines = change.additions + change.deletions
        shape = self.write("changed file", repo, change=change, sha=blob_sha(change.content), lines=lines, ref=ref)
        return {**shape, "patch": change.patch} if change.patch else shape

    def comparison(self, repo: Repo, base: Commit, head: Commit, merge_base: Commit) -> Json:
        """What `head` has that `base` lacks, counted from where they parted."""
        ahead, behind = since(repo, merge_base, head), since(repo, merge_base, base)
        return self.write(
            "comparison",
            repo,
            base=base,
            head=head,
            base_commit=self.commit(repo, base),
            merge_base_commit=self.commit(repo, merge_base),
            status=("identical", "behind", "ahead", "diverged")[2 * bool(ahead) + bool(behind)],
            ahead=len(ahead),
            behind=len(behind),
            commits=[self.commit(repo, commit) for commit in ahead],
            files=[self.file_change(repo, item, head.sha) for item in changes(merge_base.files, head.files)[:300]],
        )

    # Checks

    def check_run(self, repo: Repo, run: FakeCheckRun) -> Json:
        return self.write(
            "check run",
            repo,
            run=run,
            details_url=run.details_url or f"{self.world.web_url}/{repo.full_name}/runs/{run.id}",
            **{part: run.output.get(part) for part in ("title", "summary", "text")},
            annotations=len(run.annotations),
            suite=self.check_suite(repo, run.suite),
            pulls=self._pulls_at(repo, run.head_sha),
        )

    def check_suite(self, repo: Repo, suite: CheckSuite) -> Json:
        runs = [run for run in repo.checks.values() if run.suite is suite]
        over = bool(runs) and all(run.status == "completed" for run in runs)
        failed = [run.conclusion for run in runs if not run.passes]
        commit = repo.commits[suite.head_sha]
        return self.write(
            "check suite",
            repo,
            suite=suite,
            branch=next((name for name, sha in repo.branches.items() if sha == suite.head_sha), None),
            status="completed" if over else "queued",
            conclusion=(failed[0] if failed else "success") if over else None,
            commit=commit,
            pulls=self._pulls_at(repo, suite.head_sha),
            runs=len(runs),
            head_commit=self.write("brief commit", commit=commit),
        )

    def _pulls_at(self, repo: Repo, head: str) -> list[Json]:
        """The open pull requests a check of this commit is for. GitHub does not detect those of forks."""
        pulls = [(issue, issue.pull) for issue in repo.issues.values() if issue.state == "open" and issue.pull]
        found = [issue for issue, pull in pulls if pull.head == head and pull.source is repo]
        return [self.write("brief pull request", repo, issue=issue) for issue in found]
