"""Patches that agents wrote for real issues, and whether the tests hidden from them pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.data.files import TO_BE_BOUNCED, DataError, label_of, read_rows, texts

FILE, ISSUE_FILES = "patch_triples.jsonl", ("issues_annotated.jsonl", "issues_unannotated.jsonl")
PICKED_BY_ORACLE = "polydev"  # in a submission's name: its patches were picked with the tests, so they tell too much
SEVERE = 2  # from this label on the hidden tests, or the issue, are no good (BouncerBench, section II-A2)
_PUBLISHED = (
    "It holds one JSON object a line with instance_id, model_patch and resolved (true or false); the issue's text is "
    "its problem_statement, or that of the same instance_id in {issues} beside it. Such patches are published by "
    "SWE-bench's submissions (github.com/SWE-bench/experiments) and BouncerBench (huggingface.co/uw-swag); licences "
    "differ by submission, and most state none."
).format(issues=" or ".join(ISSUE_FILES))


@dataclass(frozen=True, slots=True)
class RecordedPatch:
    """id: the task and who submitted. wrong: the hidden tests do not all pass. passed: the share of them that does,
    where it is known. human: how underspecified people found the issue, 0 to 3, likewise. tested: whether the hidden
    tests are good ones, likewise. repeated: the same patch of the same task came before."""

    id: str
    task: str
    issue: str
    patch: str
    wrong: bool
    passed: float | None = None
    human: int | None = None
    tested: bool | None = None
    repeated: bool = False

    @property
    def submission(self) -> str:
        """Whose it is; empty where nobody says."""
        return self.id.removeprefix(self.task).removeprefix("/")

    @property
    def vague(self) -> bool:
        """Whether people would bounce the issue."""
        return self.human is not None and self.human >= TO_BE_BOUNCED

    @property
    def repository(self) -> str:
        """As SWE-bench names tasks: `owner__name-number`."""
        return self.task.rpartition("-")[0] or self.task


@dataclass(frozen=True, slots=True)
class Patches:
    """all: with those that repeat. picked: how many were left out, since they were picked with the tests."""

    all: tuple[RecordedPatch, ...]
    picked: int

    @property
    def distinct(self) -> tuple[RecordedPatch, ...]:
        return tuple(patch for patch in self.all if not patch.repeated)


def read_patches(path: Path) -> Patches:
    """Raises `DataError` for what is missing or no patch, and where all patches are right, or all wrong."""
    found: dict[str, RecordedPatch] = {}
    issues: Mapping[str, dict[str, Any]] | None = None
    seen: set[tuple[str, str]] = set()
    picked = 0
    for where, row in read_rows(path, _PUBLISHED):
        (task,) = texts(row, where, "instance_id")
        submission = row.get("submission") or ""
        if PICKED_BY_ORACLE in str(submission):
            picked += 1
            continue
        name = f"{task}/{submission}" if submission else task
        if name in found:
            raise DataError(f"{where}: the patch of {name!r} is there twice. Each submission has one for a task.")
        if "problem_statement" not in row and issues is None:
            issues = issue_rows(path.parent)
        patch = _patch(row, (issues or {}).get(task, {}), name, where)
        found[name] = replace(patch, repeated=(task, patch.patch) in seen)
        seen.add((task, patch.patch))
    if len({patch.wrong for patch in found.values()}) < 2:
        raise DataError(f"{path}: all of these {len(found)} patches are right, or all wrong. Both are needed.")
    return Patches(tuple(found.values()), picked)


def issue_rows(folder: Path) -> dict[str, dict[str, Any]]:
    """Those of the files that are there, by id."""
    there = [folder / name for name in ISSUE_FILES if (folder / name).is_file()]
    if not there:
        raise DataError(
            f"{folder / ISSUE_FILES[0]}: there is no such file, so nobody knows what was asked. {_PUBLISHED}"
        )
    return {str(row.get("instance_id")): row for path in there for _, row in read_rows(path, _PUBLISHED)}


def _patch(row: dict[str, Any], issue: dict[str, Any], name: str, where: str) -> RecordedPatch:
    given = {**issue, **row}
    if not isinstance(row.get("model_patch"), str | None) or "model_patch" not in row:
        raise DataError(f'{where}: "model_patch" is missing or not a text.')
    if not isinstance(given.get("problem_statement"), str):
        raise DataError(f"{where}: there is no text of the issue {row['instance_id']!r}. Put its row into "
                        f"{ISSUE_FILES[0]}, or its problem_statement beside the patch.")  # fmt: skip
    if not isinstance(row.get("resolved"), bool):
        raise DataError(f'{where}: "resolved" is {str(row.get("resolved"))[:20]!r}; it must be true or false.')
    told = {
        key: label_of(given, where, key) for key in ("underspecified", "false_negative") if given.get(key) is not None
    }
    return RecordedPatch(
        name,
        row["instance_id"],
        given["problem_statement"],
        row["model_patch"] or "",
        not row["resolved"],
        _passed(row, where),
        told.get("underspecified"),
        told["false_negative"] < SEVERE and not given.get("other_major_issues") if "false_negative" in told else None,
    )


def _passed(row: dict[str, Any], where: str) -> float | None:
    """BouncerBench's `output_quality`."""
    share = row.get("output_quality")
    if share is None:
        return None
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise DataError(f'{where}: "output_quality" is {str(share)[:20]!r}; it must be a share of tests, 0 to 1.')
    if (share < 1) is row["resolved"]:
        raise DataError(f'{where}: "resolved" and "output_quality" contradict each other.')
    return float(share)


def by_task(patches: Sequence[RecordedPatch]) -> dict[str, list[int]]:
    """The places of each task's patches, in the order of the tasks' names."""
    found: dict[str, list[int]] = {task: [] for task in sorted({patch.task for patch in patches})}
    for place, patch in enumerate(patches):
        found[patch.task].append(place)
    return found


def to_draw_from(patches: Sequence[RecordedPatch]) -> list[list[int]]:
    """For each task that BouncerBench would keep, the places of the patches it would draw one from (section II-A2).

    Tasks whose hidden tests are no good are left out, where the data says so; of an issue that is to be bounced only
    wrong patches are drawn, since nobody can say that an answer to it is right.
    """
    told = any(patch.tested is not None for patch in patches)
    kept = [
        [place for place in places if patches[place].wrong or not patches[place].vague]
        for places in by_task(patches).values()
        if not told or all(patches[place].tested for place in places)
    ]
    return [places for places in kept if places]
