"""What is said beside the lines of a change: facts as warnings, a judge's opinion as a notice. Pure.

Only files of the change are named, at lines the diff shows or a failing test's report gives. The texts are plain:
GitHub renders no Markdown there.
"""

import re
from collections.abc import Iterable, Iterator

from bot.changes.demands import demands
from bot.changes.evidence import only_guards
from bot.changes.risks.catalogue import CHECKS
from bot.changes.risks.lines import first
from bot.changes.secrets import secrets
from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.github.values import Annotation
from bot.judges.claims import How
from bot.plain_text import clean
from bot.pulls.result import PullResult
from bot.rendering.pull_findings import contrary_tests, gist
from bot.verdicts import Effect

MOST = 50  # GitHub takes no more in one call, and nobody reads more

_LONGEST = 100_000  # characters of a test's report that are searched
_HIGHEST = 10_000_000  # line number
_PLACE = re.compile(r"^(?P<path>[^\s:]{1,300}):(?P<line>[0-9]{1,8}): ", re.MULTILINE)  # as pytest ends a frame
_IN_DIFF = re.compile(r"diff, line (?P<line>[0-9]{1,8})")
_DEMANDS = {
    "tests_removed": "Tests are removed here, and are not elsewhere in the change.",
    "tests_skipped": "Tests are newly skipped here, or expected to fail.",
    "checks_removed": "The tests here check less than before.",
    "checks_loosened": "An exact check became looser here.",
}


def annotations(change: Change, result: PullResult) -> tuple[Annotation, ...]:
    """The most important first, each place and text once, at most `MOST`."""
    files = {file.path: file for file in change.files if file.hunks and file.status is not FileStatus.DELETED}
    told = (_failing, _secrets, _risks, _tests, _claims, _guards)
    found = (item for tell in told for item in tell(change, files, result))
    return tuple(dict.fromkeys(found))[:MOST]


Files = dict[str, FileChange]


def _failing(change: Change, files: Files, result: PullResult) -> Iterator[Annotation]:
    """Where in the change a test that speaks against it breaks.

    Not in test files: those that ran may be the base's, whose lines are others.
    """
    for test in contrary_tests(result):
        places = [
            (match["path"], int(match["line"]))
            for match in _PLACE.finditer(test.message[-_LONGEST:])
            if match["path"] in files and files[match["path"]].kind is not FileKind.TEST
        ]
        if places:
            path, line = places[-1]  # the innermost frame
            title = f"{clean(test.name, 120)} {test.status}"
            yield _at(path, line, "failure", clean(gist(test.message), 1000) or test.status, title)


def _secrets(change: Change, files: Files, result: PullResult) -> Iterator[Annotation]:
    for secret in secrets(change):
        if secret.path in files:
            say = f"This looks like a secret: {secret.kind}. If it is real, revoke it: it has been published."
            yield _at(secret.path, secret.line, "failure", say, "A secret?")


def _risks(change: Change, files: Files, result: PullResult) -> Iterator[Annotation]:
    """The named risks that ask for a person."""
    for found in result.verdict.evidence:
        place = _IN_DIFF.fullmatch(found.where)
        if place and found.check in CHECKS and found.effect is Effect.MISSING and found.quote in files:
            yield _at(found.quote, int(place["line"]), "warning", found.found, "A person should look")


def _tests(change: Change, files: Files, result: PullResult) -> Iterator[Annotation]:
    for check, paths in demands(change).items():
        if say := _DEMANDS.get(check):
            yield from _beside(paths, files, "warning", say, "Tests check less")


def _claims(change: Change, files: Files, result: PullResult) -> Iterator[Annotation]:
    """Those about a file of the change. A possible risk is told as one."""
    for claim in result.facts.review.claims if result.facts.review else ():
        example = claim.counterexample
        if example and example.how is How.STATE:
            said = "" if claim.confirmed else "A possible risk. "
            say = f"{said}The judge says: {clean(claim.symptom, 300)}"
            yield from _beside([example.what], files, "notice", say, "Not proven")


def _guards(change: Change, files: Files, result: PullResult) -> Iterator[Annotation]:
    if only_guards(change.files):
        say = "This adds a guard around existing code. Does it fix the cause, or hide it? Many right fixes are guards."
        paths = (file.path for file in change.of(FileKind.CODE))
        yield from _beside(paths, files, "notice", say, "Defence in depth")


def _beside(paths: Iterable[str], files: Files, level: str, say: str, title: str) -> Iterator[Annotation]:
    """At the first changed line of each of these files."""
    for path in paths:
        if path in files:
            yield _at(path, first(files[path]), level, say, title)


def _at(path: str, line: int, level: str, message: str, title: str) -> Annotation:
    line = min(max(line, 1), _HIGHEST)
    return Annotation(path, line, line, level, message, title)
