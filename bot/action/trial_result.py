"""What the first job of a pull request hands to the second: how its commit ran, as a file in an artifact.

The first job runs a stranger's code, though in a sandbox. So the second reads the file as if that code had written it:
within bounds, by its types, and only for the very commits, issue and policy that it finds on GitHub itself. Nothing
else passes from one job to the other. What a file says of the runs it cannot check: docs/action.md says what trust that
leaves.
"""

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bot.sandbox.results import ArtifactError, read_artifact
from bot.verdicts import Cause
from bot.verification.evidence import HeadTrial
from bot.workflows.verifier import ExecutionRequest

NAME = "bouncer-trial"  # of the artifact
FILE = "trial.json"
LARGEST = 8_000_000  # bytes of the file
LARGEST_ARTIFACT = 4_000_000  # bytes of the archive
_MOST_RESULTS = 10
_TOO_LONG = "What the tests said is too long to be handed from one job to the next."


@dataclass(frozen=True, slots=True)
class RunBasis:
    """What a commit ran for, beside itself: a change of one of these makes it another run. asked: names the issue's
    text and the policy, see `request_digest`."""

    base: str
    tip: str
    asked: str


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How the newest commit of a pull request ran."""

    number: int
    head: str
    ran: RunBasis
    stood: HeadTrial


@dataclass(frozen=True, slots=True)
class TrialFile:
    """version: of how it is written; both jobs run the same one."""

    version: int
    results: tuple[TrialResult, ...] = ()


VERSION = 3
_files: TypeAdapter[TrialFile] = TypeAdapter(TrialFile)


def result_of(wanted: ExecutionRequest, stood: HeadTrial) -> TrialResult:
    ran = RunBasis(wanted.base, wanted.tip, request_digest(wanted))
    return TrialResult(wanted.number, wanted.head, ran, stood)


def request_digest(wanted: ExecutionRequest) -> str:
    """A digest of what decides how a commit is run, beside its commits: what was asked for, and the policy."""
    parts = [wanted.repository.id, wanted.number, wanted.specification, wanted.policy.model_dump(mode="json")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def file_content(results: Iterable[TrialResult]) -> bytes:
    """The file's content. A result that is too long becomes one that says so. A change may have made it that long, so a
    person must look: see `Cause`."""
    kept = tuple(results)
    content = _files.dump_json(TrialFile(VERSION, kept))
    if len(content) <= LARGEST:
        return content
    unsaid = HeadTrial(problem=_TOO_LONG, blame=Cause.PERSON)
    return _files.dump_json(TrialFile(VERSION, tuple(replace(each, stood=unsaid) for each in kept)))


def results_in(archive: bytes) -> tuple[TrialResult, ...]:
    """What an artifact holds. Raises `ArtifactError`, with none of its text, for anything that the first job does not
    write."""
    content = read_artifact(archive, {FILE: LARGEST})[FILE]
    if len(content) > LARGEST:
        raise ArtifactError("the artifact is larger than what the first job writes")
    try:
        json.loads(content, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_each_once)
        found = _files.validate_json(content, strict=True)
    except (ValueError, RecursionError, ValidationError):
        raise ArtifactError("the artifact does not hold what the first job writes") from None
    if found.version != VERSION or len(found.results) > _MOST_RESULTS:
        raise ArtifactError("the artifact does not hold what the first job writes")
    if any(each.stood != each.stood.without_fix() for each in found.results):
        raise ArtifactError("the artifact tells of a fix, and the first job tries none")
    return found.results


def _refuse(word: str) -> float:
    raise ValueError(word)


def _finite(number: str) -> float:
    if not math.isfinite(found := float(number)):
        raise ValueError(number[:20])
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a key that is there twice, two readers may see different ones."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found
