"""The REST operations on reviews of pull requests."""

from bot.changes.read import read_change
from bot.fake_github.access import AccessRefused, not_found
from bot.fake_github.answers import Answer, InRepo, Route, checked_text, page, sent_body
from bot.fake_github.checks import CheckActions
from bot.fake_github.diffs import merge_base
from bot.fake_github.git import GitHost
from bot.fake_github.shapes import Json
from bot.fake_github.world import FakeIssue, FakePull, FakeReview, Repo

MAX_BODY = 65_536


def add_review_routes(world: CheckActions, route: Route, in_repo: InRepo, git: GitHost) -> None:
    """Spelt as in GitHub's OpenAPI description."""

    def in_pull(owner: str, repo: str, number: int, access: str = "read") -> tuple[Repo, FakeIssue, FakePull]:
        found = in_repo(owner, repo, "pull_requests", access)
        issue = found.issues.get(number)
        if issue is None or issue.deleted or issue.pull is None:
            raise not_found()
        return found, issue, issue.pull

    def listed(found: Repo, issue: FakeIssue, review: FakeReview) -> Json:
        shape = world.shapes.review(found, issue, review)
        return {**shape, "state": review.state.upper(), "body": review.body}

    @route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
    def list_reviews(owner: str, repo: str, pull_number: int) -> Answer:
        found, issue, pull = in_pull(owner, repo, pull_number)
        return page([listed(found, issue, review) for review in pull.reviews]), 200

    @route("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
    def create_review(owner: str, repo: str, pull_number: int) -> Answer:
        """Only comments; they must lie on lines that the pull request shows."""
        found, issue, pull = in_pull(owner, repo, pull_number, "write")
        sent = sent_body()
        if sent.get("event") != "COMMENT" or sent.get("commit_id", pull.head) != pull.head:
            raise AccessRefused(422, "Unprocessable Entity")
        shown = lines_shown(found, pull)
        for item in sent.get("comments", []):
            checked_text(item["body"], "PullRequestReviewComment", MAX_BODY)
            span = range(item.get("start_line", item["line"]), item["line"] + 1)
            if not span or not {(item["path"], line) for line in span} <= shown:
                raise AccessRefused(422, "Unprocessable Entity", errors=["Line could not be resolved"])
        body, notes = checked_text(sent.get("body", ""), "PullRequestReview", MAX_BODY), sent.get("comments", [])
        bot = f"{world.app.slug}[bot]"
        world.review(found.full_name, pull_number, body, remarks=notes, state="commented", by=bot)
        return listed(found, issue, pull.reviews[-1]), 200

    def lines_shown(found: Repo, pull: FakePull) -> set[tuple[str, int]]:
        """What can be commented on: the new side of every hunk."""
        base, head = found.commits[pull.base], found.commits[pull.head]
        change = read_change(git.diff(found.full_name, (merge_base(found, base, head) or base).sha, head.sha))
        return {
            (file.path, hunk.new_start + place)
            for file in change.files
            for hunk in file.hunks
            for place in range(sum(line[:1] != "-" for line in hunk.lines))
        }
