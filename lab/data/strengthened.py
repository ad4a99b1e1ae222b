"""Tasks of SWE-bench whose tests others strengthened, and wrong patches that the first tests let pass.

UTBoost (ACL 2025) and SWE-ABS (arXiv 2603.00520) publish SWE-bench's rows with more tests in `test_patch`; SWE-ABS's
pipeline also writes mutations of the right patch to a JSON file of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.data.files import DataError, parse_json, read_rows, read_text, texts

_ROWS = ("instance_id", "repo", "base_commit", "problem_statement", "patch", "test_patch", "created_at")
_PUBLISHED = (
    f"It holds one JSON object a line with {', '.join(_ROWS)}. Such rows with stronger tests are published by UTBoost "
    "(huggingface.co/datasets/Bertsekas/SWE-Bench_Verified_UTBoost and SWE-Bench_Lite_UTBoost, MIT) and SWE-ABS "
    "(huggingface.co/datasets/OpenAgentLab/SWE-Bench_Verified_ABS, Apache-2.0), as Parquet: write them with "
    "`load_dataset(NAME, split='test').to_json(FILE)` of the package datasets."
)
_MUTATIONS = (
    "It is a preds.json of SWE-ABS's pipeline with all_mutatation_patch, as its Mutation Augmentation writes it "
    "(github.com/OpenAgentEval/SWE-ABS, MIT); no such file is published ready-made."
)


@dataclass(frozen=True, slots=True)
class StrengthenedTask:
    """One task. issue: its text. patch: the right one. tests: a patch of test files. created: ISO 8601. version: of the
    project, or empty."""

    id: str
    repository: str
    base: str
    issue: str
    patch: str
    tests: str
    created: str
    version: str


def read_strengthened(path: Path) -> tuple[StrengthenedTask, ...]:
    """Raises `DataError`, also for a task that is there twice."""
    found: dict[str, StrengthenedTask] = {}
    for where, row in read_rows(path, _PUBLISHED):
        name, repository, base, issue, patch, tests, created = texts(row, where, *_ROWS)
        version = row["version"] if isinstance(row.get("version"), str) else ""
        task = StrengthenedTask(name, repository, base, issue, patch, tests, created, version)
        if task.id in found:
            raise DataError(f"{where}: {task.id!r} is there twice. Each task must be unique.")
        found[task.id] = task
    return tuple(found.values())


def read_mutations(path: Path) -> dict[str, tuple[str, ...]]:
    """By task, patches that SWE-ABS's judges call wrong. Raises `DataError`."""
    whole = parse_json(read_text(path, _MUTATIONS), str(path))
    if not isinstance(whole, dict):
        raise DataError(f"{path}: this is no JSON object by task. {_MUTATIONS}")
    found = {name: _wrong(row, f"{path}, {name}") for name, row in whole.items()}
    if not any(found.values()):
        raise DataError(f"{path}: there is no mutation in it that is not equivalent. {_MUTATIONS}")
    return {name: patches for name, patches in found.items() if patches}


def _wrong(row: Any, where: str) -> tuple[str, ...]:
    made: Any = row.get("all_mutatation_patch", {}) if isinstance(row, Mapping) else None  # so it is spelt there
    if not isinstance(made, Mapping):
        raise DataError(f'{where}: "all_mutatation_patch" is no object. {_MUTATIONS}')
    patches = []
    for name, one in made.items():
        if not isinstance(one, Mapping) or not isinstance(one.get("model_patch"), str):
            raise DataError(f'{where}, {name}: "model_patch" is missing or not a text.')
        if not isinstance(one.get("isequ"), bool):
            raise DataError(f'{where}, {name}: "isequ" is {str(one.get("isequ"))[:20]!r}; it must be true or false.')
        if not one["isequ"] and one["model_patch"].strip():
            patches.append(one["model_patch"])
    return tuple(dict.fromkeys(patches))
