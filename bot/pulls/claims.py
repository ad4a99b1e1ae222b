"""The claims of a pull request against what its diff and the runs show. Pure.

Shown, contradicted or not checked: a contradicted claim asks a person, and none is a merit.
"""

import re
from dataclasses import replace

from bot.changes.risks.lines import both, is_product, remarks
from bot.changes.syntax import readable, same_program
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole
from bot.pulls.facts import Statement, StatementFinding, StatementKind
from bot.pulls.statements import CLAIMS
from bot.verdicts import Effect, Evidence
from bot.verification.patch_evidence import PatchEvidence, Settled, Standing

_LIKE_A_TEST = re.compile(r">>> |test|Test|\bspecs?\b|\bassert|\bexpect\(")  # in files of the product too
_LOGS = ("change", "news", "history", "release", "whats")  # as in `changes/12.rst`, `docs/whatsnew.md`


def by_diff(
    said: tuple[Statement, ...], change: Change, whole: Whole = lambda file: None, *, dependency: bool
) -> tuple[Statement, ...]:
    """What the diff alone says. whole: files before and after, which tell a docstring from code. dependency: one is
    added."""
    # Code changed for certain, comments and documentation in it apart.
    code = bool(said) and any(_runs_otherwise(file, whole) for file in change.of(FileKind.CODE) if is_product(file))
    # Documentation may also stand in the code itself, which no diff tells for certain.
    documented = change.of(FileKind.DOCUMENTATION) or any("doc" in path.lower() for path in _paths(change))
    held = {
        StatementKind.TESTS_ADDED: _tests_added(change, code=code),
        StatementKind.DOCUMENTATION_ONLY: _yes(not code),
        StatementKind.TESTS_ONLY: _yes(not code),
        StatementKind.DOCUMENTED: StatementFinding.SHOWN if documented else StatementFinding.UNCHECKED,
        StatementKind.IN_CHANGELOG: _yes(any(word in path.lower() for path in _paths(change) for word in _LOGS)),
        StatementKind.NO_DEPENDENCIES: _yes(not dependency),
    }
    known = {} if change.problem or not change.files else held
    return tuple(replace(each, held=known.get(each.claim, each.held)) for each in said)


def by_runs(weighed: tuple[Statement, ...], patch: PatchEvidence) -> tuple[Statement, ...]:
    """What the runs say besides; nothing where nothing ran."""
    breaks = any(each.settled is not Settled.NEW for each in patch.contradictions)
    differs = patch.regressions or patch.repaired or breaks or any(turned.counts for turned in patch.turned)
    # Its own tests pass, and would if nothing asked whether it is tested.
    green = patch.facts.own.passed and not patch.only_tested
    held = {
        StatementKind.ALL_GREEN: _against(bool(patch.own_failing or patch.regressions), patch, ran=green),
        StatementKind.BEHAVIOUR_KEPT: _against(bool(differs), patch, ran=patch.facts.head.passed),
        StatementKind.COMPATIBLE: StatementFinding.CONTRADICTED if breaks else StatementFinding.UNCHECKED,
    }
    return tuple(replace(each, held=held.get(each.claim, each.held)) for each in weighed)


def shown(weighed: tuple[Statement, ...]) -> tuple[Evidence, ...]:
    """Each claim as evidence, with the author's own words. What is contradicted speaks against it."""
    return tuple(
        Evidence(
            f"claim_{each.claim}",
            Effect.MISSING if each.held is StatementFinding.CONTRADICTED else Effect.NEUTRAL,
            _sentence(each),
            each.quote,
            each.where,
        )
        for each in weighed
    )


def _sentence(each: Statement) -> str:
    claimed = CLAIMS[each.claim]
    ends = {
        StatementFinding.CONTRADICTED: f", and {claimed.against}.",
        StatementFinding.SHOWN: ", and nothing that was checked contradicts that.",
        StatementFinding.UNCHECKED: ". That was not checked.",
    }
    return f"It says that {claimed.says}{ends[each.held]}"


def _yes(holds: bool) -> StatementFinding:
    return StatementFinding.SHOWN if holds else StatementFinding.CONTRADICTED


def _runs_otherwise(file: FileChange, whole: Whole) -> bool:
    lines = (line[1:].strip() for hunk in file.hunks for line in hunk.lines if line[0] != " ")
    if all(not line or line.startswith(remarks(file.path)) for line in lines):
        return False
    if file.status is FileStatus.MODIFIED and whole(file) is None:
        return False  # lines may stand within a text
    return not (readable(file.path) and same_program(file.path, *both(file, whole)))


def _tests_added(change: Change, *, code: bool) -> StatementFinding:
    """Contradicted only where code changes, and nothing in the change looks like a test."""
    if any(file.added or file.binary for file in change.of(FileKind.TEST)):
        return StatementFinding.SHOWN
    new = (text for file in change.files for hunk in file.hunks for text in (file.path, *hunk.added))
    alike = any(map(_LIKE_A_TEST.search, new))
    return StatementFinding.UNCHECKED if alike or not code else StatementFinding.CONTRADICTED


def _paths(change: Change) -> tuple[str, ...]:
    return tuple(file.path for file in change.files)


def _against(differs: bool, patch: PatchEvidence, *, ran: bool) -> StatementFinding:
    if differs:
        return StatementFinding.CONTRADICTED
    return StatementFinding.SHOWN if ran and patch.standing is Standing.PLAUSIBLE else StatementFinding.UNCHECKED
