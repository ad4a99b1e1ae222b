"""The REST operations on issues, comments and labels."""

from typing import Any

from flask import request

from fake_github.access import AccessRefused, invalid
from fake_github.fields import Json
from fake_github.rest_call import Answer, RestCall, check_text, existing, operation, page, request_body, with_html
from fake_github.world import Label

MAX_BODY = 65_536  # of a comment
_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"


@operation("GET", "/repos/{owner}/{repo}/issues", "issues:read")
def list_issues(call: RestCall) -> Answer:
    """Newest first, pull requests among them; state `open` unless said otherwise."""
    state = request.args.get("state", "open")
    found = [each for each in call.repo.issues.values() if not each.deleted and state in ("all", each.state)]
    found.sort(key=lambda issue: (issue.created_at, issue.number), reverse=True)
    return page([call.shapes.issue(call.repo, issue) for issue in found]), 200


@operation("GET", f"{_ISSUE}/timeline", "issues:read")
def list_timeline(call: RestCall) -> Answer:
    return page(call.shapes.timeline(call.repo, call.issue)), 200


@operation("GET", _ISSUE, "issues:read")
def get_issue(call: RestCall) -> Answer:
    return call.shapes.full_issue(call.repo, call.issue), 200


@operation("PATCH", _ISSUE, "issues:write")
def update_issue(call: RestCall) -> Answer:
    sent, by = request_body(), call.world.bot.login
    if sent.get("state") == "closed":
        reason = sent.get("state_reason") or "completed"
        if reason not in ("completed", "not_planned", "duplicate"):
            raise invalid("Issue", "state_reason", "invalid")
        call.world.close_issue(call.repo.full_name, call.issue.number, by=by, reason=reason)
    elif sent.get("state") == "open":
        call.world.reopen_issue(call.repo.full_name, call.issue.number, by=by)
    return call.shapes.full_issue(call.repo, call.issue), 200


# Comments


@operation("GET", f"{_ISSUE}/comments", "issues:read")
def list_comments(call: RestCall) -> Answer:
    shaped = [call.shapes.comment(call.repo, call.issue, item) for item in call.issue.comments]
    return page(shaped), 200


@operation("POST", f"{_ISSUE}/comments", "issues:write")
def create_comment(call: RestCall) -> Answer:
    if call.issue.locked:
        raise AccessRefused(403, "Unable to create comment because issue is locked.")
    body, by = check_text(request_body()["body"], "IssueComment", MAX_BODY), call.world.bot.login
    made = call.world.comment(call.repo.full_name, call.issue.number, body, by=by, via_app=True)
    call.comment = next(item for item in call.issue.comments if item.id == made)
    return _comment(call), 201


@operation("GET", _COMMENT, "issues:read")
def get_comment(call: RestCall) -> Answer:
    return _comment(call), 200


@operation("PATCH", _COMMENT, "issues:write")
def update_comment(call: RestCall) -> Answer:
    body = check_text(request_body()["body"], "IssueComment", MAX_BODY)
    call.world.edit_comment(call.repo.full_name, call.comment.id, body, by=call.world.bot.login)
    return _comment(call), 200


def _comment(call: RestCall) -> Json:
    return with_html(call.shapes.comment(call.repo, call.issue, call.comment))


@operation("POST", f"{_COMMENT}/reactions", "issues:write")
def react(call: RestCall) -> Answer:
    content, bot, reactions = request_body()["content"], call.world.bot, call.comment.reactions
    old = next((item for item in reactions if item[1] is bot and item[2] == content), None)
    given = old or (call.world.next_id(), bot, content, call.world.now())
    if old is None:
        reactions.append(given)
    shape = call.shapes.write("reaction", **dict(zip(("id", "user", "content", "at"), given, strict=True)))
    return shape, 200 if old else 201


# Labels


@operation("POST", f"{_ISSUE}/labels", "issues:write")
def add_labels(call: RestCall) -> Answer:
    sent: Any = request.get_json(silent=True)  # GitHub takes an object or the bare list
    for name in sent["labels"] if isinstance(sent, dict) else sent:
        if not 0 < len(name) <= 50:
            raise invalid("Label", "name", "invalid")
        call.world.add_label(call.repo.full_name, call.issue.number, name, by=call.world.bot.login)
    return [call.shapes.label(call.repo, label) for label in call.issue.labels], 200


@operation("DELETE", f"{_ISSUE}/labels/{{name}}", "issues:write")
def remove_label(call: RestCall, name: str) -> Answer:
    if not call.world.remove_label(call.repo.full_name, call.issue.number, name, by=call.world.bot.login):
        raise AccessRefused(404, "Label does not exist")
    return [call.shapes.label(call.repo, label) for label in call.issue.labels], 200


@operation("POST", "/repos/{owner}/{repo}/labels", "issues:write")
def create_label(call: RestCall) -> Answer:
    sent = request_body()
    if sent["name"].lower() in call.repo.labels:
        raise invalid("Label", "name", "already_exists")
    label = Label(call.world.next_id(), sent["name"], sent.get("color", "ededed"), sent.get("description"))
    call.repo.labels[label.name.lower()] = label
    return call.shapes.label(call.repo, label), 201


@operation("GET", "/repos/{owner}/{repo}/labels/{name}", "issues:read")
def get_label(call: RestCall, name: str) -> Answer:
    return call.shapes.label(call.repo, _label(call, name)), 200


@operation("PATCH", "/repos/{owner}/{repo}/labels/{name}", "issues:write")
def update_label(call: RestCall, name: str) -> Answer:
    sent, label = request_body(), _label(call, name)
    label.color = sent.get("color", label.color)
    label.description = sent.get("description", label.description)
    return call.shapes.label(call.repo, label), 200


def _label(call: RestCall, name: str) -> Label:
    return existing(call.repo.labels.get(name.lower()))
