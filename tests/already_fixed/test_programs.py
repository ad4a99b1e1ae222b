"""Programs in other languages and commands of the repository, out of an issue, on a base and a head in the sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.already_fixed.examples import ExampleSource, run_examples
from bot.verification.stage import Stage
from bot.verification.values import Base, Program, Suite
from tests.already_fixed.house import EXECUTOR
from tests.support.cases import table
from tests.support.needs import program


@dataclass(frozen=True)
class Change:
    """files: of the base. heads: what replaces which text of `path`, by name."""

    files: Mapping[str, str]
    path: str
    heads: Mapping[str, list[str]]


@dataclass(frozen=True)
class Case:
    """project: the name of a `Change`. By head, how many are still wrong, mended, otherwise and idle."""

    project: str
    issue: str
    head: Mapping[str, list[int]]


PROJECTS = table(dict[str, Change], __file__, "PROJECTS")
CASES = table(dict[str, Case], __file__, "CASES")


@pytest.mark.parametrize(
    ("case", "head", "counts"),
    [
        pytest.param(case, head, counts, id=f"{name}, {head}")
        for name, case in CASES.items()
        for head, counts in case.head.items()
    ],
)
def test_what_programs_and_commands_print(tmp_path: Path, case: Case, head: str, counts: list[int]) -> None:
    project = PROJECTS[case.project]
    if case.project == "go":
        program("go")
    for name, text in project.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    changed = project.files[project.path].replace(*project.heads[head])
    base, new = Program(tmp_path, {}), Program(tmp_path, {project.path: changed.encode()})
    stage = Stage(EXECUTOR, Base(base, Suite()), new, new, Suite(), 600.0)
    found = run_examples(stage, (ExampleSource("issue 1", "The last one is left out", case.issue),))
    assert [len(each) for each in (found.still, found.mended, found.otherwise, found.idle)] == counts, found
    if found.still and case.project == "node":
        assert "$ node" in found.shown
