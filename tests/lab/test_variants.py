"""Near-miss versions of a right change: how each is made, what is left out, and what hidden tests say of them."""

import ast
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.protocol import Job
from bot.verification.values import TestResult, TestStatus
from lab.data.git_commits import file_at, git, paths_between, with_files
from lab.variants.near_misses import Variant, VariantKind, variants, without_conditions
from lab.variants.tasks import RIGHT, OwnCase, Truth, VariantTask, own_cases, own_task, truth_of
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP

ISSUE = "# f is wrong\n\nExpected:\n\n    >>> f(3)\n    'odd'\n"
BEFORE = 'def f(n: int) -> str:\n    """What n is."""\n    return "even"\n\n\ndef g() -> int:\n    return 1\n'
AFTER = BEFORE.replace('    return "even"', '    # one or the other\n    return "odd" if n % 2 else "even"')


def of(kind: VariantKind, before: str, after: str, issue: str = ISSUE) -> list[str]:
    found = variants({"a.py": before}, {"a.py": after}, issue, most=99)
    return [one.files["a.py"] for one in found if one.kind is kind]


def test_narrowed_to_the_example() -> None:
    (text,) = of(VariantKind.NARROWED, BEFORE, AFTER)
    assert "    if n == 3:\n        return 'odd' if n % 2 else 'even'\n    else:\n        return 'even'\n" in text
    assert text.startswith('def f(n: int) -> str:\n    """What n is."""\n')
    assert text.endswith(BEFORE[BEFORE.index("\n\n\ndef g") :])


def test_narrowed_to_all_arguments_or_one_of_them() -> None:
    before, after = BEFORE.replace("n: int", "n: int, m: int = 2"), AFTER.replace("n: int", "n: int, m: int = 2")
    tests = [ast.unparse(next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.If)).test)
             for text in of(VariantKind.NARROWED, before, after)]  # fmt: skip
    assert tests == ["n == 3 and m == 2", "n == 3", "m == 2"]


@pytest.mark.parametrize(("said", "answer"), [("'odd'", "return 'odd'"), ("ValueError", "raise ValueError")])
def test_an_input_special_cased_is_the_old_code_with_one_answer(said: str, answer: str) -> None:
    issue = f"Wanted: `f(3)` should return {said}" if said != "ValueError" else "Wanted: `f(3)` must raise ValueError"
    (text,) = of(VariantKind.SPECIAL_CASED, BEFORE, AFTER, issue) or [""]
    assert f"    if n == 3:\n        {answer}\n    return 'even'\n" in text, text


def weaker(before: str, after: str) -> list[str]:
    """The lines that versions with one condition less have instead of those of `after`."""
    known = set(after.splitlines())
    return ["\n".join(line for line in text.splitlines() if line not in known)
            for text in without_conditions(before, after)]  # fmt: skip


def made(body: str) -> str:
    return "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in body.splitlines())


@cases
def test_each_condition_that_the_change_brings_is_dropped_once(before: str, after: str, found: list[str]) -> None:
    changed = weaker(made(before), made(after))
    assert len(changed) == len(found)
    for text in without_conditions(made(before), made(after)):
        ast.parse(text)
    if "elif" not in after and "if b:" not in after:
        assert changed == found


def test_a_later_branch_is_dropped_where_it_stands() -> None:
    after = made("if b:\n    a = 1\nelif c:\n    a = 2\nelse:\n    a = 3\nreturn a")
    bodies = [ast.unparse(ast.parse(text)).split("\n", 1)[1] for text in without_conditions(made("return a"), after)]
    assert bodies == [
        "    a = 1\n    return a",
        "    if c:\n        a = 2\n    else:\n        a = 3\n    return a",
        "    if b:\n        a = 1\n    else:\n        a = 2\n    return a",
        "    if b:\n        a = 1\n    else:\n        a = 3\n    return a",
    ]


def test_a_version_that_is_the_old_or_the_right_program_is_none() -> None:
    assert of(VariantKind.DROPPED, made("return a"), made("return a and b")) == [made("return b")]
    assert variants({"a.py": BEFORE}, {"a.py": BEFORE + "# no change\n"}, ISSUE) == ()


def test_tests_and_what_is_no_python_stay_as_they_are() -> None:
    after = {"a.py": AFTER, "tests/test_a.py": "assert a and b", "a.md": "if"}
    assert {path for one in variants({"a.py": BEFORE}, after, ISSUE) for path in one.files} == {"a.py"}
    assert variants({}, {"tests/test_a.py": "def test():\n    assert a and b"}, ISSUE) == ()


def test_the_old_code_of_all_files_stands_around_a_special_case() -> None:
    before, after = {"a.py": BEFORE, "b.py": "x = 1\n"}, {"a.py": AFTER, "b.py": "x = 2\n"}
    kinds = {one.kind: set(one.files) for one in variants(before, after, ISSUE)}
    assert kinds[VariantKind.SPECIAL_CASED] == {"a.py"}
    assert kinds[VariantKind.NARROWED] == {"a.py", "b.py"}


def test_a_seed_draws_always_the_same() -> None:
    after = made("return [x for x in a if x and b and c and x > 1 and x > 2]")

    def drawn(seed: int) -> tuple[Variant, ...]:
        return variants({"a.py": made("return a")}, {"a.py": after}, "", most=2, seed=seed)

    assert len(drawn(0)) == 2
    assert drawn(0) == drawn(0)
    assert len({one.files["a.py"] for seed in range(9) for one in drawn(seed)}) > 2


@given(st.text(), st.text(alphabet="def f(a):\n return if and or é≤ 12<>[]"))
def test_whatever_it_is_given_it_raises_nothing(before: str, after: str) -> None:
    variants({"a.py": before}, {"a.py": after}, before + after)


def test_what_stands_before_it_in_a_line_may_be_more_than_ascii() -> None:
    (text, _) = without_conditions(made("return a"), made('return "é≤" + (a and b) + "ü"'))
    assert text == made('return "é≤" + (b) + "ü"')


def test_a_commit_has_and_has_not_what_it_is_given(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", str(tmp_path / "r"))
    home = tmp_path / "r"
    first = with_files(home, None, {"a.py": "1", "b.py": "2", "c.py": "3"})
    second = with_files(home, first, {"a.py": "é", "b.py": None})
    third = with_files(home, first, {"c.py": "4"}, start=second)
    assert paths_between(home, first, third) == ["a.py", "b.py", "c.py"]
    assert [file_at(home, third, path) for path in ("a.py", "b.py", "c.py")] == ["é", None, "4"]
    assert with_files(home, first, {"a.py": "é", "b.py": None}) == second


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
