"""The REST operations on check runs."""

from datetime import datetime

from flask import request

from fake_github.access import AccessRefused
from fake_github.fields import Json
from fake_github.rest_call import Answer, RestCall, check_text, operation, page, request_body
from fake_github.world import FakeCheckRun

MAX_TEXT = 65_535  # of a check run's summary and text


@operation("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", "checks:read")
def list_checks(call: RestCall, ref: str) -> Answer:
    commit = call.repo.resolve(ref)
    if commit is None:
        raise AccessRefused(422, f"No commit found for SHA: {ref}")
    name = request.args.get("check_name")
    runs = [run for run in call.repo.checks.values() if run.head_sha == commit.sha and name in (None, run.name)]
    if request.args.get("filter", "latest") == "latest":
        runs = [run for run in call.world.latest_checks(call.repo, commit.sha) if run in runs]
    shaped = [call.shapes.check_run(call.repo, run) for run in reversed(runs)]
    return {"total_count": len(shaped), "check_runs": page(shaped)}, 200


@operation("POST", "/repos/{owner}/{repo}/check-runs", "checks:write")
def create_check(call: RestCall) -> Answer:
    sent = request_body()
    if sent["head_sha"] not in call.repo.commits:
        raise AccessRefused(422, f"No commit found for SHA: {sent['head_sha']}")
    _check_output(sent)
    call.check = call.world.new_check(call.repo, sent["head_sha"], sent["name"])
    return _written(call, sent, was=""), 201


@operation("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}", "checks:read")
def get_check(call: RestCall) -> Answer:
    return call.shapes.check_run(call.repo, call.check), 200


@operation("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}", "checks:write")
def update_check(call: RestCall) -> Answer:
    sent, app = request_body(), call.world.app
    if call.check.app is not app:
        raise AccessRefused(403, f"Invalid app_id `{app.id}` - check run can only be modified by its App.")
    _check_output(sent)
    return _written(call, sent, was=call.check.status), 200


def _written(call: RestCall, sent: Json, was: str) -> Json:
    _fill(call.check, sent, call.world.now())
    call.world.emit_check(call.repo, call.check, was=was)
    return call.shapes.check_run(call.repo, call.check)


def _check_output(sent: Json) -> None:
    """Refuse what GitHub refuses."""
    output = sent.get("output") or {}
    for part in ("summary", "text"):
        check_text(output.get(part) or "", "CheckRun", MAX_TEXT)
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
