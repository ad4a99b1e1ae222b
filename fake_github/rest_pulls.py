"""The REST operations on pull requests and their reviews."""

from contextlib import suppress

from flask import Response, request

from bot.changes.read import read_change
from fake_github.access import AccessRefused, not_found
from fake_github.fields import Json
from fake_github.objects import changes, merge_base, own_commits
from fake_github.rest_call import Answer, RestCall, check_text, existing, operation, page, request_body, with_html
from fake_github.world import Commit, FakePull, FakeReview

MAX_BODY = 65_536
MAX_COMMITS = 250  # listed of a pull request
MAX_FILES = 3_000  # listed of a pull request
MAX_DIFF_FILES, MAX_DIFF_LINES = 300, 20_000
_PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"


@operation("GET", "/repos/{owner}/{repo}/pulls", "pull_requests:read")
def list_pulls(call: RestCall) -> Answer:
    """Newest first, or as `sort` and `direction` say; state `open` unless said otherwise. head: `OWNER:BRANCH`."""
    asked = request.args
    state, updated = asked.get("state", "open"), asked.get("sort") == "updated"
    issues = [issue for issue in call.repo.issues.values() if issue.pull]
    issues = [issue for issue in issues if asked.get("head") in (None, _label(issue.pull))]
    issues = [issue for issue in issues if not issue.deleted and state in ("all", issue.state)]
    issues.sort(key=lambda issue: (issue.updated_at if updated else issue.created_at, issue.number))
    listed = issues if asked.get("direction", "desc") == "asc" else issues[::-1]
    return page([call.shapes.pull_summary(call.repo, issue) for issue in listed]), 200


def _label(pull: FakePull | None) -> str:
    return f"{pull.source.owner.login}:{pull.head_branch}" if pull and pull.source else ""


@operation("GET", _PULL, "pull_requests:read")
def get_pull(call: RestCall) -> Answer:
    if request.headers.get("Accept") == "application/vnd.github.diff":
        return _shown_diff(call), 200
    return call.shapes.pull(call.repo, call.issue), 200


def _ends(call: RestCall) -> tuple[Commit, Commit]:
    """Where the pull request left its base, and its head."""
    base, head = call.repo.commits[call.pull.base], call.repo.commits[call.pull.head]
    return merge_base(call.repo, base, head) or base, head


def _diff(call: RestCall) -> bytes:
    start, head = _ends(call)
    return call.world.git.diff(call.repo.full_name, start.sha, head.sha)


def _shown_diff(call: RestCall) -> Response:
    """GitHub refuses to show a large one."""
    text = _diff(call)
    for count, most, what in (
        (text.count(b"\ndiff --git "), MAX_DIFF_FILES, "files"),
        (text.count(b"\n"), MAX_DIFF_LINES, "lines"),
    ):
        if count >= most:
            message = f"Sorry, the diff exceeded the maximum number of {what} ({most})."
            problem = {"resource": "PullRequest", "field": "diff", "code": "too_large"}
            raise AccessRefused(406, message, errors=[problem])
    return Response(text, content_type="application/vnd.github.diff; charset=utf-8")


@operation("GET", f"{_PULL}/files", "pull_requests:read")
def list_pull_files(call: RestCall) -> Answer:
    start, head = _ends(call)
    listed = changes(start.files, head.files)[:MAX_FILES]
    return page([call.shapes.file_change(call.repo, item, head.sha) for item in listed]), 200


@operation("GET", f"{_PULL}/commits", "pull_requests:read")
def list_pull_commits(call: RestCall) -> Answer:
    listed = [call.shapes.commit(call.repo, commit) for commit in own_commits(call.repo, call.pull)]
    return page(listed[:MAX_COMMITS]), 200


# Reviews


@operation("GET", f"{_PULL}/comments", "pull_requests:read")
def list_remarks(call: RestCall) -> Answer:
    remarks = [
        call.shapes.remark(call.repo, call.issue, review, item)
        for review in call.pull.reviews
        for item in review.remarks
        if not item.deleted
    ]
    return page(remarks[::-1] if request.args.get("direction") == "desc" else remarks), 200


@operation("GET", f"{_PULL}/reviews", "pull_requests:read")
def list_reviews(call: RestCall) -> Answer:
    return page([_listed(call, review) for review in call.pull.reviews]), 200


@operation("POST", f"{_PULL}/reviews", "pull_requests:write")
def create_review(call: RestCall) -> Answer:
    """Only comments; they must lie on lines that the pull request shows."""
    sent = request_body()
    if sent.get("event") != "COMMENT" or sent.get("commit_id", call.pull.head) != call.pull.head:
        raise AccessRefused(422, "Unprocessable Entity")
    shown, notes = _lines_shown(call), sent.get("comments", [])
    for item in notes:
        check_text(item["body"], "PullRequestReviewComment", MAX_BODY)
        span = range(item.get("start_line", item["line"]), item["line"] + 1)
        if not span or not {(item["path"], line) for line in span} <= shown:
            raise AccessRefused(422, "Unprocessable Entity", errors=["Line could not be resolved"])
    body = check_text(sent.get("body", ""), "PullRequestReview", MAX_BODY)
    bot = f"{call.world.app.slug}[bot]"
    call.world.review(call.repo.full_name, call.issue.number, body, remarks=notes, state="commented", by=bot)
    return _listed(call, call.pull.reviews[-1]), 200


@operation("POST", f"{_PULL}/comments/{{comment_id}}/replies", "pull_requests:write")
def reply(call: RestCall, comment_id: int) -> Answer:
    body = check_text(request_body()["body"], "PullRequestReviewComment", MAX_BODY)
    _remark(call, comment_id)
    by = f"{call.world.app.slug}[bot]"
    made = call.world.reply(call.repo.full_name, call.issue.number, comment_id, body, by=by)
    return _remark(call, made), 201


@operation("PATCH", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", "pull_requests:write")
def update_remark(call: RestCall, comment_id: int) -> Answer:
    body = check_text(request_body()["body"], "PullRequestReviewComment", MAX_BODY)
    by = f"{call.world.app.slug}[bot]"
    for issue in [each for each in call.repo.issues.values() if each.pull]:
        with suppress(LookupError):
            call.world.edit_remark(call.repo.full_name, issue.number, comment_id, body, by=by)
            call.issue = issue
            return _remark(call, comment_id), 200
    raise not_found()


@operation("GET", f"{_PULL}/reviews/{{review_id}}", "pull_requests:read")
def get_review(call: RestCall, review_id: int) -> Answer:
    review = existing(next((each for each in call.pull.reviews if each.id == review_id), None))
    return with_html({key: value for key, value in _listed(call, review).items() if key != "updated_at"}), 200


@operation("GET", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", "pull_requests:read")
def get_remark(call: RestCall, comment_id: int) -> Answer:
    pulls = [each for each in call.repo.issues.values() if each.pull]
    said = {remark.id: each for each in pulls if each.pull for review in each.pull.reviews for remark in review.remarks}
    call.issue = existing(said.get(comment_id))
    return with_html(_remark(call, comment_id)), 200


def _remark(call: RestCall, comment_id: int) -> Json:
    pull = call.issue.pull
    for review in pull.reviews if pull else ():
        for item in review.remarks:
            if item.id == comment_id and not item.deleted:
                return call.shapes.remark(call.repo, call.issue, review, item)
    raise not_found()


def _listed(call: RestCall, review: FakeReview) -> Json:
    shape = call.shapes.review(call.repo, call.issue, review)
    return {**shape, "state": review.state.upper(), "body": review.body}


def _lines_shown(call: RestCall) -> set[tuple[str, int]]:
    """What can be commented on: the new side of every hunk."""
    return {
        (file.path, hunk.new_start + place)
        for file in read_change(_diff(call)).files
        for hunk in file.hunks
        for place in range(sum(line[:1] != "-" for line in hunk.lines))
    }
