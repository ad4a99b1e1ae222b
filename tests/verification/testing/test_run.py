"""Ordinary programs and suites, through the real sandbox."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.sandbox.protocol import Mount, Outcome, Status
from bot.verification.testing.inside.child import patience
from bot.verification.testing.inside.session import ChosenTests
from bot.verification.testing.run import run_experiments, run_suite
from bot.verification.testing.witnesses import NO_PYTEST, OLD_PYTEST
from bot.verification.trial.outcomes import both
from bot.verification.values import Environment, Experiment, Order, Program, Suite, TestRun
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP, StandIn

EXECUTOR = BUBBLEWRAP
ADD = b"def add(a, b):\n    return a + b\n"


def single(source: bytes, tests: bytes | dict[str, bytes], **suite: object) -> TestRun:
    files = tests if isinstance(tests, dict) else {"test_it.py": tests}
    return run_suite(EXECUTOR, Program(None, {"solution.py": source}), Suite(files, **suite), seconds=600)  # type: ignore[arg-type]


def statuses(run: TestRun) -> dict[str, str]:
    return {result.name.removeprefix("test_it.py::"): result.status.value for result in run.results}


def test_a_module_or_a_hook_may_skip_whatever_it_finds() -> None:
    marked = {"test_it.py": b"import pytest\npytestmark = pytest.mark.skip\ndef test_a(): assert 0\n"}
    hook = b"import pytest\ndef pytest_runtest_setup(item):\n    if 'far' in item.nodeid: pytest.skip('not here')\n"
    hooked = {"conftest.py": hook, "test_it.py": b"def test_a(): pass\n", "test_far.py": b"def test_b(): assert 0\n"}
    for suite, ends in ((marked, ["skipped"]), (hooked, ["skipped", "passed"])):
        run = single(ADD, suite)
        assert ([each.status.value for each in run.results], run.problem) == (ends, "")


def test_each_test_has_its_own_outcome_and_one_in_several_parts_has_one() -> None:
    own = b"""import time, unittest, pytest
from solution import add
def test_good(): assert add(1, 2) == 3
def test_bad(): assert add(1, 2) == 4
@pytest.fixture
def broken(): raise RuntimeError("no")
def test_error(broken): pass
@pytest.mark.skip(reason="not here")
def test_skipped(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_many(n): assert add(n, 0) == 1
class TestUnit(unittest.TestCase):
    def test_unit(self): self.assertEqual(add(1, 1), 2)
def test_prints(capsys):
    print("x")
    assert capsys.readouterr().out == "x\\n"
"""
    parts = b"""import unittest, pytest
from solution import add
class TestUnit(unittest.TestCase):
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n): self.assertEqual(add(n, 1), n + 1)
    def test_one_bad_part(self):
        for n in range(3):
            with self.subTest(n=n): self.assertEqual(add(n, 1), 2)
@pytest.mark.xfail
def test_expected(): assert 0
@pytest.mark.xfail
def test_unexpected(): assert 1
@pytest.fixture
def breaks_after():
    yield
    raise ValueError
def test_breaks_after(breaks_after): pass
"""
    run = single(ADD, {"test_it.py": own, "test_parts.py": parts})
    assert run.problem == ""
    assert statuses(run) == {
        "test_good": "passed",
        "test_bad": "failed",
        "test_error": "error",
        "test_skipped": "skipped",
        "test_many[1]": "passed",
        "test_many[2]": "failed",
        "TestUnit::test_unit": "passed",
        "test_prints": "passed",
        "test_parts.py::TestUnit::test_parts": "passed",
        "test_parts.py::TestUnit::test_one_bad_part": "failed",
        "test_parts.py::test_expected": "skipped",
        "test_parts.py::test_unexpected": "passed",
        "test_parts.py::test_breaks_after": "error",
    }
    assert not run.passed
    assert "assert 3 == 4" in run.failing[0].message
    assert run.seconds > 0
    assert "network" in run.limits_enforced


def test_a_blocked_a_busy_and_a_dying_test_do_not_take_the_others_along() -> None:
    run = single(
        b"import time, os\ndef nap(): time.sleep(600)\ndef big(): return 10**10**10\n"
        b"def die(): os._exit(0)\ndef add(): return 1\n",
        b"from solution import *\ndef test_nap(): nap()\ndef test_a(): assert add() == 1\ndef test_big(): big()\n"
        b"def test_die(): die()\ndef test_b(): assert add() == 1\n",
        test_seconds=1.0,
    )
    assert run.problem == ""
    assert statuses(run) == {
        "test_nap": "timeout",
        "test_a": "passed",
        "test_big": "timeout",
        "test_die": "error",
        "test_b": "passed",
    }
    assert run.results[0].message == "took longer than 1 s"
    assert run.results[3].message == "the process ended with exit status 0 in the middle of it"


@pytest.mark.parametrize(("event", "seconds"), [("collecting", 30.0), ("setup", 30.0), ("start", 1.0), ("end", 1.0)])
def test_a_file_may_take_longer_to_be_read_than_a_test(event: str, seconds: float) -> None:
    assert patience(event, 1.0) == seconds and patience(event, 60.0) == 60.0


def test_who_needs_to_know_no_more_is_answered_at_the_first_of_his_tests_that_fails() -> None:
    tests = b"def test_a(): assert 0\ndef test_b(): assert 0\ndef test_c():\n    while True: pass\n"
    run = single(ADD, tests, until=frozenset({"test_it.py::test_b"}))
    assert statuses(run) == {"test_a": "failed", "test_b": "failed"} and run.problem.startswith("ended after 2 of 3")


@cases
def test_garbage_is_held_against_no_bystander(left: str, leaking: str) -> None:
    """Many suites take warnings for errors, also those about what was left open and is found later."""
    tests = (
        "import pytest\npytestmark = pytest.mark.filterwarnings('error')\n"
        "class Leaking:\n    def __del__(self): raise ResourceWarning('unclosed')\n"
        f"def test_leaking():\n    {left}\n"
        "def test_bystander():\n    assert __import__('gc').isenabled() and [[] for _ in range(50_000)]\n"
    )
    assert statuses(single(ADD, tests.encode())) == {"test_leaking": leaking, "test_bystander": "passed"}


def test_the_whole_suite_has_its_time() -> None:
    suite = Suite({"test_it.py": b"import time\ndef test_a(): time.sleep(60)\ndef test_b(): pass\n"}, test_seconds=50)
    program = Program(None, {"solution.py": b""})
    # A busy machine may need more than three seconds to come as far as the tests.
    problems = (run_suite(EXECUTOR, program, suite, seconds=seconds).problem for seconds in (3, 12, 48))
    begun = next(problem for problem in problems if "0 of 2 tests" in problem)
    assert begun == "ended after 0 of 2 tests: the time for the whole suite ran out"


SCRIPTS = [
    (b"from solution import add\nassert add(1, 2) == 3\n", "passed"),
    (b"from solution import add\nassert add(1, 2) == 4\n", "failed"),
    (b"import sys\nfrom solution import add\nsys.exit(add(0, 0))\n", "passed"),
    (b"import sys\nfrom solution import add\nsys.exit(add(0, 3))\n", "failed"),
    (b"from solution import add\ndef check(candidate):\n    assert candidate(1, 2) == 3\ncheck(add)\n", "passed"),
    (b"from solution import subtract\nassert subtract(1, 2)\n", "failed"),
    (b"def broken(:\n", "error"),
    (b"from solution import *\nif __name__ == '__main__':\n    assert add(1, 1) == 3\n", "failed"),
]


def test_a_file_of_bare_assertions_is_one_test() -> None:
    run = single(ADD, {f"test_{number}.py": tests for number, (tests, _) in enumerate(SCRIPTS)})
    assert statuses(run) == {
        f"test_{number}.py{'' if status == 'error' else '::test_script'}": status
        for number, (_, status) in enumerate(SCRIPTS)
    }
    assert run.problem == ""


def test_a_program_that_cannot_be_imported_fails() -> None:
    sources = {"syntax": b"def add(:", "raises": b"raise OSError", "hangs": b"while True: pass", "bytes": b"\xff\x00"}
    tests = {f"test_{name}.py": f"import {name}\ndef test_a(): pass\n".encode() for name in sources}
    program = Program(None, {f"{name}.py": source for name, source in sources.items()})
    run = run_suite(EXECUTOR, program, Suite(tests, test_seconds=1.0), seconds=600)
    assert statuses(run) == {f"test_{name}.py": "timeout" if name == "hangs" else "error" for name in sources}
    assert not run.passed and not run.unavailable


def test_a_suite_may_bring_its_own_conftest_and_choose_its_tests() -> None:
    files = {
        "conftest.py": b"import pytest\n@pytest.fixture\ndef three(): return 3\n",
        "test_it.py": b"from solution import add\ndef test_a(three): assert add(1, 2) == three\n"
        b"def test_b(): assert 0\n",
    }
    assert statuses(single(ADD, files, select=("test_it.py::test_a",))) == {"test_a": "passed"}


def test_a_directory_runs_as_a_repository(tmp_path) -> None:
    for name, text in {
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-x'\npython_functions = ['test_*', 'it_*']\n",
        "src/shop/__init__.py": "RATE = 2\n",
        "conftest.py": "import pytest\n@pytest.fixture\ndef two(): return 2\n",
        "tests/test_shop.py": "import shop, util\ndef test_bad(): assert 0\n"
        "def it_works(two): assert shop.RATE == two\n",
        "util.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    run = run_suite(EXECUTOR, Program(tmp_path, {}), Suite(), seconds=600)
    assert run.problem == ""
    assert statuses(run) == {"tests/test_shop.py::test_bad": "failed", "tests/test_shop.py::it_works": "passed"}
    changed = Program(tmp_path, {"src/shop/__init__.py": b"RATE = 3\n", "conftest.py": None})
    again = run_suite(EXECUTOR, changed, Suite(select=("tests/test_shop.py::it_works",)), seconds=600)
    assert statuses(again) == {"tests/test_shop.py::it_works": "failed"}


@pytest.mark.parametrize(
    ("path", "said", "asks"),
    [
        ("Makefile", "\tcoverage report --fail-under=97.5 -m\n", "--fail-under=0 -m"),
        ("Makefile", "\tpytest --cov-fail-under 100\n", "--cov-fail-under 0"),
        ("setup.cfg", "[coverage:report]\nfail_under = 90\nshow_missing = 1\n", "fail_under = 0"),
        ("Makefile", "\tcheck --under=90\n", "--under=90"),
    ],
)
def test_how_much_is_covered_judges_nobody_where_a_command_runs_the_tests(path: str, said: str, asks: str) -> None:
    suite = Suite(command=("grep", "-qe", asks, path), files={path: said.encode()})
    assert run_suite(EXECUTOR, Program(None, {}), suite, seconds=20).passed


@cases
def test_a_command_counts_by_its_exit_status(script: str, expected: list[str], problem: str) -> None:
    suite = Suite(command=("sh", "-c", script))
    run = run_suite(EXECUTOR, Program(None, {"a.txt": b""}), suite, seconds=2)
    assert [result.status.value for result in run.results] == expected
    assert run.problem == problem
    assert run.passed == (expected == ["passed"] and not problem)
    assert run.results[0].name.startswith("sh -c ")


def test_a_test_that_needs_an_order_is_flaky() -> None:
    tests = b"from solution import SEEN\ndef test_a(): SEEN.append(1)\ndef test_b(): assert SEEN\n"
    program = Program(None, {"solution.py": b"SEEN = []\n"})
    suite = Suite({"test_it.py": tests + b"def test_c(): assert 0\n"})
    first, again = (run_suite(EXECUTOR, program, suite, seconds=600, order=Order(reverse)) for reverse in (False, True))
    run = both(first, again)
    assert statuses(run) == {"test_a": "passed", "test_b": "flaky", "test_c": "failed"}


def test_what_a_test_loads_is_no_script_of_assertions(tmp_path: Path) -> None:
    files = {
        "tests/helpers.py": b"import os\nos.environ.setdefault('A', '1')\ndef make(): return 2\n",
        "tests/conftest.py": b"import sys, pytest\nsys.path.insert(0, 'tests')\n@pytest.fixture\ndef two(): return 2\n",
        "tests/test_it.py": b"from helpers import make\ndef test_it(two): assert make() == two\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text)
    assert run_suite(EXECUTOR, Program(tmp_path, {}), Suite(files=files), seconds=600).passed


@pytest.mark.parametrize("puts", ["traceback.extract_tb = lambda tb: []", "os.path.relpath = lambda *_: ''"])
def test_a_program_does_not_end_a_script_of_assertions(puts: str) -> None:
    program = f"import os, sys, traceback\ndef f(x):\n    {puts}\n    sys.exit(0)\n"
    suite = Suite({"test_it.py": b"from solution import f\nassert f(1) == 2\n"})
    assert not run_suite(EXECUTOR, Program(None, {"solution.py": program.encode()}), suite, seconds=600).passed


@pytest.mark.parametrize("tests", [{}, {"readme.txt": b""}, {"test_it.py": b"import solution\n"}])
def test_nothing_to_run_is_said(tests: dict[str, bytes]) -> None:
    run = single(ADD, tests)
    assert run.problem == "no tests were found"
    assert not run.passed and not run.unavailable


@cases
def test_without_a_report_there_is_no_result(usable: bool, status: Status, problem: str, unavailable: bool) -> None:
    outcome = Outcome(status, 0, b"1 passed\n" + b"0" * 64 + b" {}\n", b"", {}, 1.0, (), "it broke")
    suite = Suite({"test_a.py": b"def test_a(): pass"}, environment=Environment())
    run = run_suite(StandIn(outcome, "" if usable else "install it"), Program(None, {}), suite)
    assert (run.problem, run.unavailable, run.results) == (problem, unavailable, ())


@pytest.mark.parametrize(
    ("module", "problem"),
    [("raise ImportError", NO_PYTEST), ("__version__ = '6.1.2'", OLD_PYTEST), ("[].gone", OLD_PYTEST)],
)
def test_a_pytest_that_does_not_do_is_named(module: str, problem: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "pytest.py").write_text(module)
    environment = Environment(mounts=(Mount(tmp_path, "/env"),), variables={"PYTHONPATH": "/env"})
    suite, programs = Suite({"test_a.py": b"def test_a(): pass"}, environment=environment), [ADD, ADD + b"\n"]
    alone = single(ADD, dict(suite.files), environment=environment)
    several = run_experiments(EXECUTOR, [Experiment(Program(None, {"solution.py": each}), suite) for each in programs])
    assert [(run.problem, run.unavailable, run.results) for run in (alone, *several)] == [(problem, True, ())] * 3


def test_why_pytest_gave_up_is_told() -> None:
    files = {"conftest.py": b"import missing_helper\n", "test_a.py": b"def test_a(): pass\n"}
    run = run_suite(EXECUTOR, Program(None, {}), Suite(files))
    assert run.problem == "pytest gave up before it looked for tests"
    assert [result.name for result in run.failing] == ["pytest"]
    assert "No module named 'missing_helper'" in run.failing[0].message


def test_what_plugins_warn_of_before_tests_are_looked_for_is_no_failure() -> None:
    warning = b"import warnings\ndef pytest_configure(config):\n    warnings.warn('soon gone')\n"
    run = run_suite(EXECUTOR, Program(None, {}), Suite({"conftest.py": warning, "test_a.py": b"def test_a(): pass\n"}))
    assert (run.passing.keys(), run.failing) == ({"test_a.py::test_a"}, ())


@pytest.mark.parametrize(("image", "keeper"), [(None, "/bouncer/python"), ("theirs", "/env/python")])
def test_an_environments_own_python_does_not_watch_over_itself(image: str | None, keeper: str) -> None:
    executor = StandIn(python=("/bouncer/python",))
    environment = Environment(python=("/env/python",), image=image)
    run_suite(executor, Program(None, {}), Suite({"test_it.py": b"def test_a(): pass\n"}, environment=environment))
    job = executor.jobs.pop()
    assert job.argv[0] == keeper
    assert json.loads(job.stdin)["python"] == ["/env/python"]


def test_the_others_of_a_slow_tests_file_come_behind_all_that_concern_the_change_as_much() -> None:
    """But for the next, for which what it needs was kept, and the last of all, which is a witness."""
    told: list[object] = []
    task = {"slow": ["w.py"], "first": ["t.py", "u.py"], "held": []}
    chosen = ChosenTests("/work", task, lambda event, **content: told.append((event, content)))
    session = SimpleNamespace(items=[])
    names = ("t.py::1", "t.py::2", "t.py::3", "u.py::1", "w.py::1", "v.py::1", "v.py::2")
    session.items += [SimpleNamespace(nodeid=name, session=session) for name in names]
    for _ in range(2):
        chosen.delay(session.items[0])
    assert [item.nodeid for item in session.items] == [
        *names[:2],
        "u.py::1",
        "t.py::3",
        "v.py::1",
        "w.py::1",
        "v.py::2",
    ]
    assert told == [("slow", {"slow": ["t.py"]})]


def test_where_time_ends_behind_the_first_files_the_run_counts_as_far_as_it_came(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import time\n\n\ndef test_slow():\n    time.sleep(60)\n")
    (tmp_path / "test_b.py").write_text("def test_quick():\n    pass\n")
    tests = Suite(first=("test_b.py",), test_seconds=60)
    # A busy machine may need more than three seconds to come as far as the tests.
    runs = (run_suite(EXECUTOR, Program(tmp_path, {}), tests, seconds=seconds) for seconds in (3, 12, 48))
    run = next(run for run in runs if run.results)
    assert (statuses(run), run.late, run.problem) == (
        {"test_b.py::test_quick": "passed"},
        ("test_a.py::test_slow",),
        "",
    )


def test_nothing_measures_coverage(tmp_path: Path) -> None:
    """As pytest-cov asks for it: it makes each test slow, and fails a run for what a person has to judge."""
    plugin = "import os\ndef pytest_load_initial_conftests(early_config):\n"
    plugin += "    os.environ['MEASURES'] = str(not getattr(early_config.known_args_namespace, 'no_cov', False))\n"
    texts = {"pytest.ini": "[pytest]\naddopts = -p measures\n", "measures.py": plugin}
    for name, text in {
        **texts,
        "test_it.py": "import os\ndef test_a(): assert os.environ['MEASURES'] == 'False'\n",
    }.items():
        (tmp_path / name).write_text(text)
    assert statuses(run_suite(EXECUTOR, Program(tmp_path, {}), Suite(), seconds=600)) == {"test_a": "passed"}
