"""The claims of a pull request against what its diff and the runs show. Pure.

Shown, contradicted or not checked: a contradicted claim asks a person, and none is a merit.
"""

import re

from bot.changes.meaning import Whole, code_lines, meaningful
from bot.changes.risks.lines import is_product
from bot.changes.syntax import in_doubt
from bot.changes.values import Change, FileChange, FileKind, Status
from bot.pulls.facts import CLAIMS, Claim, Held, Said, Weighed
from bot.verdicts import Effect, Evidence
from bot.verification.values import PatchEvidence, Settled, Standing

_AGAINST = {
    Claim.ALL_GREEN: "tests fail",
    Claim.TESTS_ADDED: "it adds none",
    Claim.BEHAVIOUR_KEPT: "tests end otherwise",
    Claim.COMPATIBLE: "tests of the base that it changes or takes away fail with it",
    Claim.DOCUMENTATION_ONLY: "code changed",
    Claim.TESTS_ONLY: "other code changed",
    Claim.DOCUMENTED: "",
    Claim.IN_CHANGELOG: "it is not",
    Claim.NO_DEPENDENCIES: "it adds one",
    Claim.FASTER: "",
}
_LIKE_A_TEST = re.compile(r">>> |test|Test|\bspecs?\b|\bassert|\bexpect\(")  # in files of the product too
_LOGS = ("change", "news", "history", "release", "whats")  # as in `changes/12.rst`, `docs/whatsnew.md`


def by_diff(
    said: tuple[Said, ...], change: Change, whole: Whole = lambda file: None, *, dependency: bool
) -> tuple[Weighed, ...]:
    """What the diff alone says. whole: files before and after, which tell a docstring from code. dependency: one is
    added."""
    code = bool(said) and _code(change, whole)
    held = {
        Claim.TESTS_ADDED: _tests_added(change, code=code),
        Claim.DOCUMENTATION_ONLY: _yes(not code),
        Claim.TESTS_ONLY: _yes(not code),
        Claim.DOCUMENTED: Held.SHOWN if _documented(change) else Held.UNCHECKED,
        Claim.IN_CHANGELOG: _yes(any(map(_is_log, _paths(change)))),
        Claim.NO_DEPENDENCIES: _yes(not dependency),
    }
    readable = not change.problem and bool(change.files)
    return tuple(Weighed(each, held.get(each.claim, Held.UNCHECKED) if readable else Held.UNCHECKED) for each in said)


def by_runs(weighed: tuple[Weighed, ...], patch: PatchEvidence | None) -> tuple[Weighed, ...]:
    """What the runs say besides; nothing where nothing ran."""
    if patch is None:
        return weighed
    held = {
        Claim.ALL_GREEN: _against(bool(patch.own_failing or patch.regressions), patch, ran=_green(patch)),
        Claim.BEHAVIOUR_KEPT: _against(_differs(patch), patch, ran=patch.facts.head.passed),
        Claim.COMPATIBLE: Held.CONTRADICTED if _breaks(patch) else Held.UNCHECKED,
    }
    return tuple(Weighed(each.said, held.get(each.said.claim, each.held)) for each in weighed)


def contradictions(weighed: tuple[Weighed, ...]) -> tuple[str, ...]:
    """What a person should look at, as sentences."""
    return tuple(_sentence(each) for each in weighed if each.held is Held.CONTRADICTED)


def shown(weighed: tuple[Weighed, ...]) -> tuple[Evidence, ...]:
    """Each claim as evidence, with the author's own words."""
    return tuple(
        Evidence(
            f"claim_{each.said.claim}",
            Effect.MISSING if each.held is Held.CONTRADICTED else Effect.NEUTRAL,
            _sentence(each),
            each.said.quote,
            each.said.where,
        )
        for each in weighed
    )


def _sentence(each: Weighed) -> str:
    what = CLAIMS[each.said.claim]
    if each.held is Held.CONTRADICTED:
        return f"It says that {what}, and {_AGAINST[each.said.claim]}."
    if each.held is Held.SHOWN:
        return f"It says that {what}, and nothing that was looked at says otherwise."
    return f"It says that {what}. That was not checked."


def _yes(holds: bool) -> Held:
    return Held.SHOWN if holds else Held.CONTRADICTED


def _code(change: Change, whole: Whole) -> bool:
    """Whether code changed for certain, comments and documentation in it apart."""
    return any(_runs_otherwise(file, whole) for file in change.of(FileKind.CODE) if is_product(file))


def _runs_otherwise(file: FileChange, whole: Whole) -> bool:
    if not meaningful(file) or not code_lines(file):
        return False
    texts = whole(file) if file.status is Status.MODIFIED else None
    if texts is not None:
        return meaningful(file, *texts)
    return not any(in_doubt(file.path, hunk.before, hunk.after) for hunk in file.hunks)


def _tests_added(change: Change, *, code: bool) -> Held:
    """Contradicted only where code changes, and nothing in the change looks like a test."""
    if any(file.added or file.binary for file in change.of(FileKind.TEST)):
        return Held.SHOWN
    new = (text for file in change.files for hunk in file.hunks for text in (file.path, *hunk.added))
    alike = any(map(_LIKE_A_TEST.search, new))
    return Held.UNCHECKED if alike or not code else Held.CONTRADICTED


def _documented(change: Change) -> bool:
    """Documentation may also stand in the code itself, which no diff tells for certain."""
    return bool(change.of(FileKind.DOCUMENTATION)) or any("doc" in path.lower() for path in _paths(change))


def _is_log(path: str) -> bool:
    return any(word in path.lower() for word in _LOGS)


def _paths(change: Change) -> tuple[str, ...]:
    return tuple(file.path for file in change.files)


def _against(differs: bool, patch: PatchEvidence, *, ran: bool) -> Held:
    if differs:
        return Held.CONTRADICTED
    return Held.SHOWN if ran and patch.standing is Standing.PLAUSIBLE else Held.UNCHECKED


def _green(patch: PatchEvidence) -> bool:
    """Whether its own tests pass, and would if they were all run and nothing asked whether it is tested."""
    return patch.facts.own.passed and not (patch.silenced or patch.only_tested)


def _differs(patch: PatchEvidence) -> bool:
    """Whether a test saw another behaviour."""
    return bool(patch.regressions or patch.repaired or _breaks(patch) or any(turned.counts for turned in patch.turned))


def _breaks(patch: PatchEvidence) -> bool:
    return any(each.settled is not Settled.NEW for each in patch.contradictions)
