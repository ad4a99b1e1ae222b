"""The REST operations on pull requests, commits and checks."""

from datetime import datetime

from flask import Response, request

from bot.fake_github.access import AccessRefused, not_found
from bot.fake_github.answers import Answer, InRepo, Route, checked_text, page, sent_body
from bot.fake_github.checks import CheckActions
from bot.fake_github.diffs import changes, merge_base, own_commits
from bot.fake_github.git import GitHost
from bot.fake_github.shapes import Json
from bot.fake_github.world import FakeCheckRun, FakeIssue, FakePull, Repo

MAX_TEXT = 65_535  # of a check run's summary and text
MAX_COMMITS = 250  # listed of a pull request
MAX_FILES = 3_000  # listed of a pull request
MAX_DIFF_FILES, MAX_DIFF_LINES = 300, 20_000


def add_pull_routes(world: CheckActions, route: Route, in_repo: InRepo, git: GitHost) -> None:
    """Spelt as in GitHub's OpenAPI description."""

    # Pull requests

    def in_pull(owner: str, repo: str, number: int) -> tuple[Repo, FakeIssue, FakePull]:
        found = in_repo(owner, repo, "pull_requests")
        issue = found.issues.get(number)
        if issue is None or issue.deleted or issue.pull is None:
            raise not_found()
        return found, issue, issue.pull

    @route("GET", "/repos/{owner}/{repo}/pulls")
    def list_pulls(owner: str, repo: str) -> Answer:
        """Newest first, or as `sort` and `direction` say; state `open` unless said otherwise."""
        found, asked = in_repo(owner, repo, "pull_requests"), request.args
        state, updated = asked.get("state", "open"), asked.get("sort") == "updated"
        issues = [issue for issue in found.issues.values() if issue.pull and issue.state in (state, "open")]
        issues = [issue for issue in issues if not issue.deleted and state in ("all", issue.state)]
        issues.sort(key=lambda issue: (issue.updated_at if updated else issue.created_at, issue.number))
        listed = issues if asked.get("direction", "desc") == "asc" else issues[::-1]
        return page([world.shapes.listed_pull(found, issue) for issue in listed]), 200

    @route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}")
    def get_pull(owner: str, repo: str, pull_number: int) -> Answer:
        found, issue, pull = in_pull(owner, repo, pull_number)
        if request.headers.get("Accept") == "application/vnd.github.diff":
            return diff(found, pull), 200
        return world.shapes.pull(found, issue), 200

    def diff(found: Repo, pull: FakePull) -> Response:
        """GitHub refuses to show a large one."""
        base, head = found.commits[pull.base], found.commits[pull.head]
        start = merge_base(found, base, head) or base
        text = git.diff(found.full_name, start.sha, head.sha)
        for count, most, what in (
            (text.count(b"\ndiff --git "), MAX_DIFF_FILES, "files"),
            (text.count(b"\n"), MAX_DIFF_LINES, "lines"),
        ):
            if count >= most:
                message = f"Sorry, the diff exceeded the maximum number of {what} ({most})."
                problem = {"resource": "PullRequest", "field": "diff", "code": "too_large"}
                raise AccessRefused(406, message, errors=[problem])
        return Response(text, content_type="application/vnd.github.diff; charset=utf-8")

    @route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files")
    def list_pull_files(owner: str, repo: str, pull_number: int) -> Answer:
        found, _, pull = in_pull(owner, repo, pull_number)
        base, head = found.commits[pull.base], found.commits[pull.head]
        start = merge_base(found, base, head) or base
        listed = changes(start.files, head.files)[:MAX_FILES]
        return page([world.shapes.file_change(found, item, head.sha) for item in listed]), 200

    @route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits")
    def list_pull_commits(owner: str, repo: str, pull_number: int) -> Answer:
        found, _, pull = in_pull(owner, repo, pull_number)
        listed = [world.shapes.listed_commit(found, commit) for commit in own_commits(found, pull)]
        return page(listed[:MAX_COMMITS]), 200

    @route("GET", "/repos/{owner}/{repo}/compare/{basehead}")
    def compare(owner: str, repo: str, basehead: str) -> Answer:
        found = in_repo(owner, repo, "contents")
        base, head = (found.resolve(ref) for ref in basehead.split("...", 1))
        start = merge_base(found, base, head) if base and head else None
        if base is None or head is None or start is None:
            raise not_found()
        if request.headers.get("Accept") == "application/vnd.github.diff":
            text = git.diff(found.full_name, start.sha, head.sha)
            return Response(text, content_type="application/vnd.github.diff; charset=utf-8"), 200
        return world.shapes.comparison(found, base, head, start), 200

    @route("GET", "/repos/{owner}/{repo}/git/matching-refs/{ref}")
    def matching_refs(owner: str, repo: str, ref: str) -> Answer:
        """The branches whose names begin so."""
        found = in_repo(owner, repo, "contents")
        names = sorted(name for name in found.branches if f"heads/{name}".startswith(ref))
        return [world.shapes.ref(found, f"refs/heads/{name}", found.branches[name]) for name in names], 200

    @route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/comments")
    def list_remarks(owner: str, repo: str, pull_number: int) -> Answer:
        found, issue, pull = in_pull(owner, repo, pull_number)
        remarks = [
            world.shapes.remark(found, issue, review, item) for review in pull.reviews for item in review.remarks
        ]
        return page(remarks[::-1] if request.args.get("direction") == "desc" else remarks), 200

    # Check runs

    @route("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs")
    def list_checks(owner: str, repo: str, ref: str) -> Answer:
        found = in_repo(owner, repo, "checks")
        commit = found.resolve(ref)
        if commit is None:
            raise AccessRefused(422, f"No commit found for SHA: {ref}")
        name = request.args.get("check_name")
        runs = [run for run in found.checks.values() if run.head_sha == commit.sha and name in (None, run.name)]
        if request.args.get("filter", "latest") == "latest":
            runs = [run for run in world.latest_checks(found, commit.sha) if run in runs]
        shaped = [world.shapes.check_run(found, run) for run in reversed(runs)]
        return {"total_count": len(shaped), "check_runs": page(shaped)}, 200

    @route("POST", "/repos/{owner}/{repo}/check-runs")
    def create_check(owner: str, repo: str) -> Answer:
        found, sent = in_repo(owner, repo, "checks", "write"), sent_body()
        if sent["head_sha"] not in found.commits:
            raise AccessRefused(422, f"No commit found for SHA: {sent['head_sha']}")
        _check_output(sent)
        run = world.new_check(found, sent["head_sha"], sent["name"])
        _fill(run, sent, world.now())
        world.check_written(found, run, was="")
        return world.shapes.check_run(found, run), 201

    @route("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}")
    def get_check(owner: str, repo: str, check_run_id: int) -> Answer:
        found = in_repo(owner, repo, "checks")
        if check_run_id not in found.checks:
            raise not_found()
        return world.shapes.check_run(found, found.checks[check_run_id]), 200

    @route("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}")
    def update_check(owner: str, repo: str, check_run_id: int) -> Answer:
        found = in_repo(owner, repo, "checks", "write")
        run, sent = found.checks.get(check_run_id), sent_body()
        if run is None:
            raise not_found()
        if run.app is not world.app:
            raise AccessRefused(
                403, "Invalid app_id `" + str(world.app.id) + "` - check run can only be modified by its App."
            )
        _check_output(sent)
        was = run.status
        _fill(run, sent, world.now())
        world.check_written(found, run, was=was)
        return world.shapes.check_run(found, run), 200


def _check_output(sent: Json) -> None:
    """Refuse what GitHub refuses."""
    output = sent.get("output") or {}
    for part in ("summary", "text"):
        checked_text(output.get(part) or "", "FakeCheckRun", MAX_TEXT)
    for what, most in ((output.get("annotations"), 50), (sent.get("actions"), 3)):
        if len(what or []) > most:
            raise AccessRefused(
                422, f"Invalid request.\n\nNo more than {most} items are allowed; too many were supplied."
            )


def _fill(run: FakeCheckRun, sent: Json, now: datetime) -> None:
    """A status other than completed takes a conclusion away."""
    output = sent.get("output") or {}
    run.name = sent.get("name", run.name)
    run.external_id = sent.get("external_id", run.external_id)
    run.details_url = sent.get("details_url", run.details_url)
    run.status = sent.get("status", run.status)
    run.conclusion = sent.get("conclusion", run.conclusion if run.status == "completed" else None)
    if run.conclusion:
        run.status, run.completed_at = "completed", now
    else:
        run.completed_at = None
    run.actions = sent.get("actions", run.actions)
    run.output.update({key: output[key] for key in ("title", "summary", "text") if key in output})
    run.annotations.extend(output.get("annotations") or [])
