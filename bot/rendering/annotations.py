"""What is said beside the lines of a change: facts as warnings, a judge's opinion as a notice. Pure.

Only files of the change are named, at lines the diff shows or a failing test's report gives. The texts are plain:
GitHub renders no Markdown there.
"""

import re
from collections.abc import Iterator

from bot.changes.risks.catalogue import CHECKS
from bot.changes.risks.lines import first
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
# How loud what the diff shows is told, and under which title; the sentence is the evidence's own.
_SHOWN = {
    **dict.fromkeys(CHECKS, ("warning", "A person should look")),
    "tests_removed": ("warning", "Tests check less"),
    "tests_skipped": ("warning", "Tests check less"),
    "secret": ("failure", "A secret?"),
}
_LEVELS = ("failure", "warning", "notice")


def annotations(change: Change, result: PullResult) -> tuple[Annotation, ...]:
    """The most important first, each place and text once, at most `MOST`."""
    files = {file.path: file for file in change.files if file.hunks and file.status is not FileStatus.DELETED}
    told = (*_failing(files, result), *_shown(files, result), *_claims(files, result))
    return tuple(dict.fromkeys(sorted(told, key=lambda each: _LEVELS.index(each.level))))[:MOST]


Files = dict[str, FileChange]


def _failing(files: Files, result: PullResult) -> Iterator[Annotation]:
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


def _shown(files: Files, result: PullResult) -> Iterator[Annotation]:
    """What the diff shows at a line of its own, and asks for a person or for a second look."""
    for found in result.verdict.evidence:
        place, (level, title) = _IN_DIFF.fullmatch(found.where), _SHOWN.get(found.check, ("", ""))
        if place and found.quote in files and (level == "notice" or (level and found.effect is Effect.MISSING)):
            yield _at(found.quote, int(place["line"]), level, found.found, title)


def _claims(files: Files, result: PullResult) -> Iterator[Annotation]:
    """Those about a file of the change. A possible risk is told as one."""
    for claim in result.facts.review.claims if result.facts.review else ():
        example = claim.counterexample
        if example and example.how is How.STATE and example.what in files:
            said = "" if claim.confirmed else "A possible risk. "
            say = f"{said}The judge says: {clean(claim.symptom, 300)}"
            yield _at(example.what, first(files[example.what]), "notice", say, "Not proven")


def _at(path: str, line: int, level: str, message: str, title: str) -> Annotation:
    line = min(max(line, 1), _HIGHEST)
    return Annotation(path, line, line, level, message, title)
