"""How GitHub writes its objects as JSON, after its OpenAPI description; the contract tests hold them to it."""

from fake_github.shapes_of_commits import CommitShapes
from fake_github.shapes_of_issues import Json, node_id, stamp
from fake_github.world import FakeIssue, FakeRemark, FakeReview, Repo

_COUNTED = {"merged", "mergeable", "rebaseable", "mergeable_state", "merged_by", "comments", "review_comments"}
_COUNTED |= {"maintainer_can_modify", "commits", "additions", "deletions", "changed_files"}
_UNCOUNTED: Json = {
    "review_comments": 0,
    "maintainer_can_modify": False,
    "commits": 1,
    "additions": 1,
    "deletions": 0,
    "changed_files": 1,
}
_MERGING = {
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


class Shapes(CommitShapes):
    """With pull requests and their reviews."""

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

    def pull_summary(self, repo: Repo, issue: FakeIssue) -> Json:
        """A pull request as lists show it: without what takes GitHub time to find out."""
        return {key: value for key, value in self.pull(repo, issue).items() if key not in _COUNTED}

    def pull(self, repo: Repo, issue: FakeIssue) -> Json:
        """A pull request as its events show it."""
        assert issue.pull is not None
        pull = issue.pull
        url = f"{self.repo_url(repo)}/pulls/{issue.number}"
        issue_url = f"{self.repo_url(repo)}/issues/{issue.number}"
        page = f"{self.world.web_url}/{repo.full_name}/pull/{issue.number}"
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
            **{f"{name}_url": href for name, href in links.items() if name not in ("self", "html", "issue")},
            "head": self._side(issue, pull.source, pull.head_branch, pull.head),
            "base": self._side(issue, repo, pull.base_branch, pull.base),
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
            **_UNCOUNTED,
        }

    def _side(self, issue: FakeIssue, place: Repo | None, branch: str, sha: str) -> Json:
        owner = place.owner if place else issue.user
        return {
            "label": f"{owner.login}:{branch}",
            "ref": branch,
            "sha": sha,
            "user": self.user(owner),
            "repo": {**self.repository(place), **_MERGING} if place else None,
        }
