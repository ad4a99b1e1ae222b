"""Runs and codes of test files that are kept: what they depend on, and what becomes of a spoilt one."""

import hashlib
import marshal
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.protocol import Mount
from bot.storage.directories import DirectoryCache
from bot.verification.environments.code_script import code_of
from bot.verification.syntax import Function
from bot.verification.testing import kept
from bot.verification.testing.kept import KeptRuns
from bot.verification.testing.run import run_suite
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import Environment, Experiment, Order, Program, Suite, TestResult, TestRun, TestStatus
from tests.support.sandbox import BUBBLEWRAP, StandIn

PASSED, FAILED, SKIPPED, TIMEOUT = TestStatus.PASSED, TestStatus.FAILED, TestStatus.SKIPPED, TestStatus.TIMEOUT
TWICE = Function("toll.py", "Toll.of", 3, 9)
RUN = TestRun(
    (TestResult("tests/test_a.py::test_a", PASSED, "ä", 0.5), TestResult("tests/test_a.py::test_b", PASSED)),
    1.5,
    limits_enforced=("wall",),
    entered=(
        ("tests/test_a.py::test_a", (TWICE, Function("toll.py", "x", 1, 2))),
        ("tests/test_a.py::test_b", (TWICE,)),
    ),
    written=("tests/out.txt",),
    replaced=("a function",),
    opened=frozenset({"toll.py"}),
    left={"shot.png": b"\x89"},  # as no text is
)
SUITE = Suite(files={"tests/test_a.py": b"a"}, select=("tests/test_a.py",), watched=frozenset({"conftest.py"}))
TRACE = frozenset({"toll.py"})


@pytest.fixture
def keeper(tmp_path: Path) -> KeptRuns:
    tree = tmp_path / "tree"
    (tree / "tests").mkdir(parents=True)
    (tree / "tests/test_a.py").write_text("a")
    (tree / "toll.py").write_text("b")
    (tree / "link").symlink_to("toll.py")
    runs = DirectoryCache(tmp_path / "runs", 10_000_000)
    return KeptRuns(StandIn(), Program(tree, {}), Environment(), "build", "1", runs, lambda: date(2026, 5, 4))


def asked(keeper: KeptRuns, suite: Suite = SUITE, trace: frozenset[str] = TRACE) -> Experiment:
    return Experiment(keeper.program, suite, Order(trace=trace))


def ran(keeper: KeptRuns, *runs: TestRun, suite: Suite = SUITE) -> int:
    """How many of them really ran, one after the other."""
    done: list[TestRun] = []
    experiment = asked(keeper, suite)
    for one in runs:
        if (found := keeper.find(experiment)) is None:
            keeper.keep(experiment, one)
            done.append(one)
        assert found is None or (found, found.entered) == (one, one.entered)
    return len(done)


def on_tree(change: Callable[[Path], object]) -> Callable[[KeptRuns], KeptRuns]:
    def changed(keeper: KeptRuns) -> KeptRuns:
        assert keeper.program.tree
        change(keeper.program.tree)
        return replace(keeper)

    return changed


def linked(tree: Path) -> None:
    (tree / "link").unlink()
    (tree / "link").symlink_to("tests")


KEEPERS: dict[str, Callable[[KeptRuns], KeptRuns]] = {
    "a file's content": on_tree(lambda tree: (tree / "toll.py").write_text("c")),
    "a file's name": on_tree(lambda tree: (tree / "toll.py").rename(tree / "troll.py")),
    "who may execute a file": on_tree(lambda tree: (tree / "toll.py").chmod(0o755)),
    "where a link points": on_tree(linked),
    "an empty directory": on_tree(lambda tree: (tree / "data").mkdir()),
    "what setup adds": lambda keeper: replace(keeper, program=replace(keeper.program, files={"version.py": b""})),
    "what is taken away": lambda keeper: replace(keeper, program=replace(keeper.program, files={"toll.py": None})),
    "the environment": lambda keeper: replace(keeper, build="another"),
    "whose it is": lambda keeper: replace(keeper, owner="2"),
    "the executor": lambda keeper: replace(keeper, executor=StandIn(version="2")),
    "the day": lambda keeper: replace(keeper, today=lambda: date(2026, 5, 5)),
}
# Of each field another value than `asked` has.
ANOTHER: dict[type, dict[str, Any]] = {
    Suite: {
        "files": {},
        "select": (),
        "command": ("make",),
        "environment": Environment(image="image"),
        "test_seconds": 9.0,
        "until": frozenset("a"),
        "ignore": frozenset("a"),
        "folder": "inner",
        "detached": True,
        "watched": frozenset(),
        "locked": frozenset({"conftest.py"}),
    },
    Order: {"reverse": True, "seed": 1, "trace": frozenset(), "by_tests": True, "anew": True},
    Experiment: {"suite": Suite(), "order": Order(), "broken": {"toll.py": b"c"}, "once": True},
    Environment: {
        "mounts": (Mount(Path("/"), "/env"),),
        "variables": {"A": "1"},
        "python": ("python",),
        "image": "image",
        "packages": "/head",
    },
}
# What comes first says nothing of a run that came to its end; the others are looked at before a run is looked for.
IN_NO_KEY = {(Suite, "first"), (Experiment, "program"), (Experiment, "repeats")}


@pytest.mark.parametrize("change", KEEPERS)
def test_a_run_of_anything_else_is_another_one(keeper: KeptRuns, change: str) -> None:
    before = keeper.key(asked(keeper))
    assert replace(keeper).key(asked(keeper)) == before
    assert KEEPERS[change](keeper).key(asked(keeper)) != before


EVERY = [(of, each.name) for of in ANOTHER for each in fields(of) if (of, each.name) not in IN_NO_KEY]


@pytest.mark.parametrize(("of", "name"), EVERY)
def test_a_run_that_differs_in_any_field_is_another_one(keeper: KeptRuns, of: type, name: str) -> None:
    before, change = asked(keeper), {name: ANOTHER[of][name]}
    suite, order = before.suite, before.order
    after = {
        Suite: lambda: replace(before, suite=replace(suite, **change)),
        Environment: lambda: replace(before, suite=replace(suite, environment=Environment(**change))),
        Order: lambda: replace(before, order=replace(order, **change)),
        Experiment: lambda: replace(before, **change),
    }
    assert keeper.key(after[of]()) != keeper.key(before)


@pytest.mark.parametrize("change", [{"repeats": True}, {"program": Program(Path("/elsewhere"), {})}], ids=str)
def test_what_is_made_anew_or_of_another_program_is_not_looked_for(keeper: KeptRuns, change: dict[str, Any]) -> None:
    ran(keeper, RUN)
    assert keeper.find(asked(keeper)) == RUN
    assert keeper.find(replace(asked(keeper), **change)) is None


def test_another_harness_has_runs_of_its_own(keeper: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keeper.key(asked(keeper))
    monkeypatch.setattr(kept, "_harness", lambda: "another")
    assert keeper.key(asked(keeper)) != before


def test_what_passed_is_run_once(keeper: KeptRuns) -> None:
    assert ran(keeper, RUN, RUN) == 1


@pytest.mark.parametrize(("status", "times"), [(FAILED, 2), (SKIPPED, 1)])
def test_what_is_red_must_end_the_same_way_twice(keeper: KeptRuns, status: TestStatus, times: int) -> None:
    """A chance failure on the base would excuse whoever breaks that test."""
    red = replace(RUN, results=(*RUN.results, TestResult("tests/test_a.py::test_c", status)))
    assert ran(keeper, red, red, red) == times


@pytest.mark.parametrize(("problem", "times"), [("ended after 1 of 2 tests", 1), (TIME_OUT, 3)])
def test_a_broken_base_may_be_red_and_is_another(keeper: KeptRuns, problem: str, times: int) -> None:
    red = replace(RUN, problem=problem, results=(*RUN.results, TestResult("tests/test_a.py::test_c", FAILED)))
    done: list[TestRun] = []
    for broken in (b"c", b"c", b"c", b"d"):
        experiment = replace(asked(keeper), broken={"toll.py": broken})
        if keeper.find(experiment) is None:
            keeper.keep(experiment, red)
            done.append(red)
    assert len(done) == times + 1
    assert keeper.find(asked(keeper)) is None


def test_a_base_that_disagrees_with_itself_is_run_again(keeper: KeptRuns) -> None:
    one, other = (replace(RUN, results=(*RUN.results, TestResult(name, FAILED))) for name in "cd")
    assert ran(keeper, one, other, other, other) == 4


@pytest.mark.parametrize(
    "run",
    [
        replace(RUN, problem="the time for the whole suite ran out"),
        replace(RUN, unavailable=True),
        replace(RUN, results=(TestResult("c", TIMEOUT),)),
        replace(RUN, results=()),
    ],
    ids=["problem", "unavailable", "out of time", "nothing"],
)
def test_what_says_nothing_that_lasts_is_never_kept(keeper: KeptRuns, run: TestRun) -> None:
    assert ran(keeper, run, run, run) == 3


@pytest.mark.parametrize(
    "suite",
    [
        replace(SUITE, files={"tests/test_a.py": b"the change's own"}),
        replace(SUITE, environment=Environment((Mount(Path("/private"), "/env"),))),
    ],
    ids=["file", "environment"],
)
def test_nothing_of_a_change_is_kept(keeper: KeptRuns, suite: Suite) -> None:
    assert ran(keeper, RUN, RUN, suite=suite) == 2


@pytest.mark.parametrize("spoilt", [b"", b"{}", b'{"run": null}', b"\xff", None], ids=str)
def test_a_spoilt_entry_is_made_anew(keeper: KeptRuns, tmp_path: Path, spoilt: bytes | None) -> None:
    ran(keeper, RUN)
    (entry,) = (tmp_path / "runs").rglob("run.json")
    good = entry.read_bytes()
    entry.write_bytes(good.replace(b'"toll.py"', b"1234567890"[:9]) if spoilt is None else spoilt.ljust(len(good)))
    assert ran(keeper, RUN, RUN) == 1


def test_a_place_that_cannot_be_written_keeps_nothing(keeper: KeptRuns, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("no directory")
    assert ran(keeper, RUN, RUN) == 2


PATH = "tests/test_price.py"
TEST = b"from shop import price\ndef test_price(): assert price() == 1\ndef test_other(): assert price() == 2\n"
SHOP = "def price(): return 1\n"
# Reaches for the code that was made.
REACHES = """
import _pytest.assertion.rewrite as r
r._read_pyc.__defaults__ = None, "/work/", *r._read_pyc.__defaults__[2:]
"""


def with_code(tree: Path, text: bytes, made: bytes, **files: str) -> TestRun:
    """A run in an environment that has this code for a file of the text."""
    for path, content in {PATH: TEST.decode(), "shop.py": SHOP, "tests/conftest.py": "", **files}.items():
        (tree / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / "tree" / path).write_text(content)
    (tree / "env/code").mkdir(parents=True)
    (tree / "env/code" / hashlib.sha256(f"/work/{PATH}\0".encode() + text).hexdigest()).write_bytes(made)
    suite = Suite(watched=frozenset({PATH}), environment=Environment((Mount(tree / "env", "/env"),)))
    return run_suite(BUBBLEWRAP, Program(tree / "tree", {}), suite)


def told(run: TestRun) -> dict[str, str]:
    return {each.name.rpartition("::")[2]: each.message for each in run.results}


OTHER_CODE = marshal.dumps(compile("def test_price(): pass", f"/work/{PATH}", "exec"))


@pytest.mark.parametrize(("text", "made", "files", "names"), [
    (TEST, OTHER_CODE, {}, {"test_price"}),
    (TEST, b"", {}, {"test_price", "test_other"}),
    (TEST + b"#", OTHER_CODE, {}, {"test_price", "test_other"}),
    (TEST, OTHER_CODE, {"pytest.ini": "[pytest]\nenable_assertion_pass_hook = true\n"}, {"test_price", "test_other"}),
])  # fmt: skip
def test_code_of_a_test_file_counts_for_its_text_alone_and_where_pytest_makes_the_same(
    text: bytes, made: bytes, files: dict[str, str], names: set[str], tmp_path: Path
) -> None:
    assert told(with_code(tmp_path, text, made, **files)).keys() == names


def test_tests_end_as_ever_by_the_code_that_was_made(tmp_path: Path) -> None:
    run = with_code(tmp_path, TEST, code_of(f"/work/{PATH}", TEST))
    assert "assert 1 == 2" in told(run)["test_other"]


def test_nobody_puts_other_code_in_its_place(tmp_path: Path) -> None:
    run = with_code(tmp_path, TEST, code_of(f"/work/{PATH}", TEST), **{"shop.py": SHOP + REACHES})
    assert run.replaced == ("_pytest.assertion.rewrite._read_pyc",)


@pytest.mark.parametrize("text", [b"def test_pair(): assert (1, 'a text')", b"def broken(:"])
def test_what_warns_as_it_is_read_or_cannot_be_is_read_in_each_run(text: bytes) -> None:
    assert code_of("test_a.py", text) == b""
