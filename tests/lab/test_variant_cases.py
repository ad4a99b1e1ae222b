"""Bouncer's own projects with near misses: the hidden tests pass on the right change and fail on each of them."""

import ast
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.sandbox.protocol import Job
from bot.verification.values import TestResult, TestStatus
from lab.data.git_commits import git
from lab.variants.near_misses import VariantKind
from lab.variants.tasks import RIGHT, OwnCase, Truth, VariantTask, own_cases, own_task, truth_of
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP

# One process forks for each version and calls its tests; pytest would take twenty times as long.
DRIVER = """
import json, os, pathlib, sys
for home in sorted(pathlib.Path("versions").iterdir()):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    os.chdir(home)
    sys.path.insert(0, ".")
    for file in sorted(pathlib.Path("tests").glob("test_*.py")):
        names = {}
        try:
            exec(file.read_text(), names)
            tests = {name: test for name, test in names.items() if name.startswith("test_")}
        except Exception:
            tests = {"test_itself": lambda: 1 / 0}
        for name, test in tests.items():
            try:
                test()
                passed = True
            except Exception:
                passed = False
            print(json.dumps([home.name, f"{file}::{name}", passed]), flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, VariantTask]:
    home = tmp_path_factory.mktemp("cases")
    return {case.id: own_task(case, home / case.id) for case in own_cases()}


@pytest.fixture(scope="module")
def results(tasks: Mapping[str, VariantTask]) -> dict[str, list[TestResult]]:
    """By case and place, what every test says of each version; `case-base` is what the change began with."""
    files = {"driver.py": DRIVER.encode()}
    for name, task in tasks.items():
        heads = {"base": task.base} | {str(at): version.head for at, version in enumerate(task.versions)}
        for at, head in heads.items():
            for path in git(task.directory, "ls-tree", "-r", "--name-only", head).decode().split():
                files[f"versions/{name}-{at}/{path}"] = git(task.directory, "cat-file", "blob", f"{head}:{path}")
            files |= {f"versions/{name}-{at}/{path}": text for path, text in task.tests.items()}
    done = BUBBLEWRAP.run(Job(("python3", "driver.py"), files=files))
    assert done.exit_code == 0, done.stderr.decode() or done.problem
    found: dict[str, list[TestResult]] = {}
    for version, test, passed in map(json.loads, done.stdout.decode().splitlines()):
        status = TestStatus.PASSED if passed else TestStatus.FAILED
        found.setdefault(version, []).append(TestResult(test, status))
    return found


def passed(results: list[TestResult]) -> set[str]:
    return {one.name for one in results if one.status is TestStatus.PASSED}


def kinds(task: VariantTask, results: Mapping[str, list[TestResult]]) -> Counter[tuple[str, Truth]]:
    passing = [passed(results[f"{task.id}-{at}"]) for at in range(len(task.versions))]
    truths = [truth_of(each, passing[0], task.hidden) for each in passing]
    return Counter((version.kind, truth) for version, truth in zip(task.versions, truths, strict=True))


@pytest.mark.parametrize("case", own_cases(), ids=lambda case: case.id)
def test_the_hidden_tests_tell_the_right_change(
    case: OwnCase, tasks: Mapping[str, VariantTask], results: Mapping[str, list[TestResult]]
) -> None:
    task, base = tasks[case.id], results[f"{case.id}-base"]
    assert all(one.status is TestStatus.PASSED for one in results[f"{case.id}-0"])
    assert kinds(task, results)[RIGHT, Truth.RIGHT] == 1
    failing = {one.name.partition("::")[0] for one in base if one.status is TestStatus.FAILED}
    assert failing & task.hidden  # the hidden tests fail before the change
    assert not failing & case.before.keys()  # and the project's own pass


def test_there_are_near_misses_of_every_kind(
    tasks: Mapping[str, VariantTask], results: Mapping[str, list[TestResult]]
) -> None:
    found: Counter[tuple[str, Truth]] = Counter()
    for task in tasks.values():
        found += kinds(task, results)
    assert {kind.value: found[kind.value, Truth.NEAR_MISS] for kind in VariantKind} == {
        VariantKind.NARROWED.value: 10,
        VariantKind.DROPPED.value: 22,
        VariantKind.SPECIAL_CASED.value: 7,
    }
    assert not any(truth is Truth.UNKNOWN for _, truth in found)
    assert found[VariantKind.NARROWED.value, Truth.RIGHT] == 1  # narrowed to "it is locked", which is what was asked
    assert found[VariantKind.DROPPED.value, Truth.RIGHT] == 0


@pytest.mark.parametrize("case", own_cases(), ids=lambda case: case.id)
def test_a_case_is_whole(case: OwnCase, tmp_path: Path) -> None:
    assert case.issue.startswith("# ")
    assert not case.hidden.keys() & {*case.before, *case.after, *case.shown}
    for text in (*case.before.values(), *case.after.values(), *case.shown.values(), *case.hidden.values()):
        ast.parse(text)


def test_a_case_gives_the_same_commits_anywhere(tasks: Mapping[str, VariantTask], tmp_path: Path) -> None:
    case = own_cases()[0]
    assert own_task(case, tmp_path / "elsewhere").versions == tasks[case.id].versions


@cases
def test_what_a_version_is_by_its_tests(passing: set[str] | None, truth: Truth) -> None:
    assert truth_of(passing, {"a.py::t", "hidden.py::t", "hidden.py::u"}, {"hidden.py"}) is truth


def test_hidden_tests_that_do_not_pass_on_the_right_change_tell_nothing() -> None:
    assert truth_of({"a.py::t"}, {"a.py::t"}, {"hidden.py"}) is Truth.UNKNOWN
