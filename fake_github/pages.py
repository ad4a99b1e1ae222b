"""Pages for people: read what Bouncer wrote, play the reporter or the maintainer. Nothing is loaded from elsewhere.

Forms act as whoever the visitor says to be; this is a fake on loopback.
"""

import hashlib
import re
import secrets
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, g, redirect, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from fake_github import markdown
from fake_github.checks import CheckActions
from fake_github.objects import changes, merge_base
from fake_github.world import FakeComment, FakeIssue, FakeReview, Label, Repo, TimelineEvent

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_BOX = re.compile(r"^[ \t]*[-*+] \[([ xX])\]", re.MULTILINE)
_WRITERS = ("write", "maintain", "admin")
_HUES = ("#8250df", "#0969da", "#1a7f37", "#bf3989", "#bc4c00", "#0a7ea4", "#116329")


def pages_blueprint(world: CheckActions) -> Blueprint:
    """All pages, under `/` as on GitHub."""
    pages = Blueprint("pages", __name__, template_folder="templates")
    pages.add_app_template_filter(markdown.render, "markdown")
    pages.add_app_template_filter(label_style, "label_style")
    pages.add_app_template_filter(lambda moment: ago(moment, world.now()), "ago")

    @pages.url_value_preprocessor
    def find(endpoint: str | None, values: dict[str, Any] | None) -> None:
        """A page's function is given the repository and the issue that its address names."""
        g.nonce = secrets.token_urlsafe(12)
        if values and "owner" in values:
            repo = values["repo"] = world.find_repo(f"{values.pop('owner')}/{values.pop('name')}") or abort(404)
            if "number" in values:
                issue = values["issue"] = repo.issues.get(values.pop("number")) or abort(404)
                if issue.deleted:
                    abort(404)

    @pages.before_request
    def same_origin_only() -> None:
        origin = request.headers.get("Origin")
        if request.method == "POST" and origin and urlsplit(origin).netloc != request.host:
            abort(403)

    @pages.after_request
    def shut_in(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = f"{_POLICY}; script-src 'nonce-{g.nonce}'"
        return response

    _add_lists(pages, world)
    _add_issues(pages, world)
    _add_files(pages, world)
    return pages


def _add_lists(pages: Blueprint, world: CheckActions) -> None:
    @pages.get("/")
    def home() -> str:
        with world.lock:
            return render_template("home.html", repos=list(world.repos.values()))

    @pages.get("/deliveries")
    def deliveries() -> str:
        return render_template("deliveries.html", deliveries=world.webhooks.deliveries[::-1][:200])

    @pages.get("/_avatars/<login>.svg")
    def avatar(login: str) -> Response:
        """A circle with an initial for people, a face for bots."""
        hue = _HUES[int(hashlib.sha256(login.lower().encode()).hexdigest(), 16) % len(_HUES)]
        return Response(render_template("avatar.svg", login=login, hue=hue), content_type="image/svg+xml")

    @pages.get("/<owner>/<name>")
    def repository(repo: Repo) -> BaseResponse:
        return redirect(f"/{repo.full_name}/issues")

    @pages.get("/<owner>/<name>/issues")
    def issues(repo: Repo, pulls: bool = False) -> str:
        """The issues or the pull requests in one state, newest first."""
        with world.lock:
            wanted = request.args.get("state", "open")
            shown = [issue for issue in repo.issues.values() if not issue.deleted and bool(issue.pull) is pulls]
            counts = {state: sum(issue.state == state for issue in shown) for state in ("open", "closed")}
            listed = [issue for issue in reversed(shown) if issue.state == wanted]
            return render_template("issues.html", repo=repo, issues=listed, counts=counts, wanted=wanted, pulls=pulls)

    pages.add_url_rule("/<owner>/<name>/pulls", "pulls", partial(issues, pulls=True))

    @pages.get("/<owner>/<name>/issues/new")
    def new(repo: Repo) -> str:
        filled = {field: request.args.get(field, "") for field in ("title", "body")}
        return render_template("new.html", repo=repo, **filled)

    @pages.post("/<owner>/<name>/issues/new")
    def create(repo: Repo) -> BaseResponse:
        title = _field("title").strip() or abort(400)
        number = world.open_issue(repo.full_name, title, _field("body"), by=_who())
        return redirect(f"/{repo.full_name}/issues/{number}")


def _add_issues(pages: Blueprint, world: CheckActions) -> None:
    @pages.get("/<owner>/<name>/issues/<int:number>")
    def issue(repo: Repo, issue: FakeIssue) -> str:
        with world.lock:
            authors = [issue.user, *(comment.user for comment in issue.comments)]
            return render_template(
                "issue.html",
                repo=repo,
                issue=issue,
                thread=thread(issue),
                people={user.login: user for user in authors}.values(),
                version=version(repo, issue),
                checks=world.latest_checks(repo, issue.pull.head) if issue.pull else [],
                may_merge=may_merge(world, repo, issue),
            )

    pages.add_url_rule("/<owner>/<name>/pull/<int:number>", "pull", issue)

    @pages.get("/<owner>/<name>/issues/<int:number>/version")
    def issue_version(repo: Repo, issue: FakeIssue) -> Response:
        with world.lock:
            return Response(version(repo, issue), content_type="text/plain")

    @pages.post("/<owner>/<name>/issues/<int:number>")
    def act(repo: Repo, issue: FakeIssue) -> BaseResponse:
        """The issue page's forms: what was pressed is the field `act`."""
        with world.lock:
            carry_out(world, repo, issue)
        return redirect(f"/{repo.full_name}/issues/{issue.number}")

    @pages.get("/<owner>/<name>/runs/<int:run_id>")
    def check(repo: Repo, run_id: int) -> str:
        with world.lock:
            return render_template("check.html", repo=repo, run=repo.checks.get(run_id) or abort(404))


def _add_files(pages: Blueprint, world: CheckActions) -> None:
    @pages.get("/<owner>/<name>/commit/<sha>")
    def commit(repo: Repo, sha: str) -> str:
        with world.lock:
            found = repo.commits.get(sha) or abort(404)
            before = repo.commits.get(found.parent)
            changed = changes(before.files if before else {}, found.files)
            who = f"{found.author.login} committed {sha[:10]}"
            return render_template("changes.html", repo=repo, title=found.message, who=who, changed=changed)

    @pages.get("/<owner>/<name>/pull/<int:number>/files")
    def pull_files(repo: Repo, issue: FakeIssue) -> str:
        with world.lock:
            pull = issue.pull or abort(404)
            base, head = repo.commits[pull.base], repo.commits[pull.head]
            changed = changes((merge_base(repo, base, head) or base).files, head.files)
            who = f"What #{issue.number} changes"
            return render_template("changes.html", repo=repo, title=issue.title, who=who, changed=changed, pulls=True)

    @pages.get("/<owner>/<name>/new/<path:branch>")
    def new_file(repo: Repo, branch: str) -> str:
        """With the file's name and text of the address filled in, as on GitHub."""
        filled = {field: request.args.get(field, "") for field in ("filename", "value")}
        return render_template("new_file.html", repo=repo, branch=branch, **filled)

    @pages.post("/<owner>/<name>/new/<path:branch>")
    def create_file(repo: Repo, branch: str) -> BaseResponse:
        path = _field("filename").strip("/ ") or abort(400)
        if branch not in repo.branches:
            abort(404)
        if repo.role(_who()) not in _WRITERS:
            abort(403, "Only somebody who may write here can commit.")
        files = {path: _field("value")}
        sha = world.push(repo.full_name, files, branch=branch, by=_who(), message=f"Create {path}")
        return redirect(f"/{repo.full_name}/commit/{sha}")


def carry_out(world: CheckActions, repo: Repo, issue: FakeIssue) -> None:
    """What was pressed on an issue's page is the form's field `act`."""
    place, number, who, body, pressed = repo.full_name, issue.number, _who(), _field("body"), _field("act")
    if pressed in ("comment", "close", "reopen") and body.strip():
        world.comment(place, number, body, by=who)
    acts: dict[str, Callable[[], object]] = {
        "tick": lambda: tick(world, place, int(_field("comment") or 0), int(_field("box") or 0), by=who),
        "press": lambda: world.press(place, int(_field("run") or 0), _field("button"), by=who),
        "rerun": lambda: world.rerun(place, int(_field("run") or 0), by=who),
        "merge": lambda: may_merge(world, repo, issue) and world.merge_pull(place, number, by=who),
        "edit": lambda: world.edit_issue(place, number, body=body, by=who),
        "unlabel": lambda: world.remove_label(place, number, _field("label"), by=who),
        "close": lambda: world.close_issue(place, number, by=who),
        "reopen": lambda: world.reopen_issue(place, number, by=who),
    }
    if pressed in acts:
        acts[pressed]()


def thread(issue: FakeIssue) -> list[FakeComment | FakeReview | TimelineEvent]:
    """Comments, reviews and events in the order they happened; the opening is the page's head."""
    events = [event for event in issue.timeline if event.kind not in ("opened", "edited", "reviewed")]
    reviews = issue.pull.reviews if issue.pull else []
    return sorted([*issue.comments, *reviews, *events], key=lambda item: item.id)


def tick(world: CheckActions, repo: str, comment_id: int, box: int, *, by: str) -> None:
    """Turn the box (counted from 0) of a task list in a comment, as GitHub lets people with write access do."""
    found = world.find_comment(world.repo(repo), comment_id)
    if found is None:
        abort(404)
    boxes = list(_BOX.finditer(found[1].body))
    if not 0 <= box < len(boxes):
        abort(400)
    place = boxes[box].start(1)
    turned = " " if found[1].body[place] != " " else "x"
    world.edit_comment(repo, comment_id, found[1].body[:place] + turned + found[1].body[place + 1 :], by=by)


def may_merge(world: CheckActions, repo: Repo, issue: FakeIssue) -> bool:
    """Whether the merge button works: an open pull request, no draft, whose required checks pass."""
    if issue.pull is None or issue.pull.draft or issue.state != "open":
        return False
    return all(world.mergeable(repo.full_name, issue.number, check) for check in repo.required)


def version(repo: Repo, issue: FakeIssue) -> str:
    """Changes whenever the page would."""
    edits = sum(comment.edits for comment in issue.comments)
    looks = sum(run.edits for run in repo.checks.values() if issue.pull and run.head_sha == issue.pull.head)
    return f"{len(issue.timeline)}.{len(issue.comments)}.{edits}.{looks}"


def ago(moment: datetime, now: datetime) -> str:
    seconds = max(0, int((now - moment).total_seconds()))
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = seconds // length
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def label_style(label: Label) -> Markup:
    """Background in the label's colour, text in whatever can be read on it."""
    red, green, blue = (int(label.color[place : place + 2], 16) for place in (0, 2, 4))
    ink = "#1f2328" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
    return Markup("background:#{};color:{}").format(label.color, ink)


def _field(name: str) -> str:
    return request.form.get(name, "").replace("\r\n", "\n")


def _who() -> str:
    return _field("who").strip() or "reporter"
