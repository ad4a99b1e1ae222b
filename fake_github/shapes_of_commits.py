"""How GitHub writes commits, what lies between them, and their checks as JSON."""

from itertools import takewhile
from urllib.parse import quote

from fake_github.diffs import DiffEntry, ancestry, changes
from fake_github.objects import blob_sha
from fake_github.shapes_of_issues import IssueShapes, Json, node_id, stamp
from fake_github.world import CheckSuite, Commit, FakeCheckRun, QueueEntry, Repo


class CommitShapes(IssueShapes):
    """With commits and checks."""

    def check_run(self, repo: Repo, run: FakeCheckRun) -> Json:
        url = f"{self.repo_url(repo)}/check-runs/{run.id}"
        page = f"{self.world.web_url}/{repo.full_name}/runs/{run.id}"
        return {
            "id": run.id,
            "name": run.name,
            "node_id": node_id("CheckRun", run.id),
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

    def commit_summary(self, repo: Repo, commit: Commit) -> Json:
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
            "base_commit": self.commit_summary(repo, base),
            "merge_base_commit": self.commit_summary(repo, merge_base),
            "status": status,
            "ahead_by": len(ahead),
            "behind_by": len(behind),
            "total_commits": len(ahead),
            "commits": [self.commit_summary(repo, commit) for commit in reversed(ahead)],
            "files": [self.file_change(repo, item, head.sha) for item in changes(merge_base.files, head.files)[:300]],
        }
