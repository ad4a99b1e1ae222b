"""Check runs: found before they are created, never too long, annotations in portions."""

from dataclasses import asdict
from typing import Any

from bot.github.channel import Channel
from bot.github.payloads import to_check_run
from bot.github.values import Annotation, Check, CheckRun

MAX_CHECK_TEXT = 65_535
MAX_ANNOTATIONS = 50  # in one call
CUT = "\n\n(The rest does not fit here.)"


class CheckCalls:
    """The part of `RepositoryClient` that concerns this App's check runs."""

    _channel: Channel
    _base: str
    _app_id: int

    def own_checks(self, head: str, name: str) -> tuple[CheckRun, ...]:
        """This App's runs of that name on a commit, newest first; GitHub counts the newest."""
        runs = self._channel.pages(
            f"{self._base}/commits/{head}/check-runs",
            parameters={"check_name": name, "filter": "all"},
            key="check_runs",
        )
        return tuple(to_check_run(run) for run in runs if run["app"] and run["app"]["id"] == self._app_id)

    def put_check(self, check: Check, old: CheckRun | None = None, *, new: bool = False) -> CheckRun:
        """Create the check run, or bring the one with the same `external_id` up to date.

        old: that run, where it is known, or new: there is none yet. Either saves the call that looks for it.
        GitHub only ever adds annotations to a run. So those it already counts are not sent again, which makes a
        repeated call whole; different annotations need another `external_id`. Raises `NotFound` for a commit or a
        run that is not there.
        """
        if old is None and not new:
            runs = self.own_checks(check.head_sha, check.name)
            old = next((run for run in runs if run.external_id == check.external_id), None)
        batches = _batches(check.annotations[old.annotations if old else 0 :])
        if old is None:
            sent = {**_body(check, batches.pop(0)), "head_sha": check.head_sha}
            old = to_check_run(self._channel.call("POST", f"{self._base}/check-runs", body=sent).data)
        for batch in batches:
            path = f"{self._base}/check-runs/{old.id}"
            # Not repeated when it may have been done: the annotations would be there twice.
            answer = self._channel.call("PATCH", path, body=_body(check, batch, again=True), repeatable=not batch)
            old = to_check_run(answer.data)
        return old


def _batches(annotations: tuple[Annotation, ...]) -> list[tuple[Annotation, ...]]:
    """At least one, perhaps empty: the check run itself has to be written too."""
    starts = range(0, len(annotations) or 1, MAX_ANNOTATIONS)
    return [annotations[start : start + MAX_ANNOTATIONS] for start in starts]


def _body(check: Check, annotations: tuple[Annotation, ...], *, again: bool = False) -> dict[str, Any]:
    """again: the run is there, so buttons it no longer has are taken away."""
    output: dict[str, Any] = {"title": check.title, "summary": cut(check.summary)}
    if check.text:
        output["text"] = cut(check.text)
    if annotations:
        output["annotations"] = [_annotation(item) for item in annotations]
    body: dict[str, Any] = {"name": check.name, "external_id": check.external_id, "status": check.status}
    body["output"] = output
    if check.conclusion:
        body["conclusion"] = check.conclusion
    if check.details_url:
        body["details_url"] = check.details_url
    if check.buttons or again:
        body["actions"] = [asdict(item) for item in check.buttons]
    return body


def _annotation(item: Annotation) -> dict[str, Any]:
    lines = {"start_line": item.start_line, "end_line": item.end_line}
    if item.start_line == item.end_line and item.start_column is not None:
        lines |= {"start_column": item.start_column, "end_column": item.end_column or item.start_column}
    shape = {"path": item.path, **lines, "annotation_level": item.level, "message": item.message}
    return {**shape, "title": item.title} if item.title else shape


def cut(text: str, limit: int = MAX_CHECK_TEXT) -> str:
    """At most `limit` bytes of UTF-8, so also characters whichever way GitHub counts; whole characters only."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    return raw[: limit - len(CUT)].decode(errors="ignore") + CUT
