"""Code that reaches for what judges it, its honest twins, and what is told of files that were written to."""

from pathlib import Path

import pytest

from bot.verification.patch_evidence import Standing
from bot.verification.testing.inside.judging_files import MOST_WRITTEN
from bot.verification.testing.run import run_suite
from bot.verification.testing.witnesses import check_replaced, lockable, written_anew
from bot.verification.trial.trial import on_trial
from bot.verification.values import Base, Program, Suite, TestRun
from tests.support.cases import table
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import BUBBLEWRAP

EXECUTOR = BUBBLEWRAP
TESTS = b"""import unittest
import pytest
from shop import price
def test_price(): assert price(2) == 20
class TestPrice(unittest.TestCase):
    def test_none(self): self.assertEqual(price(0), 0)
"""
BASE = {
    "tests/test_price.py": TESTS,
    "tests/conftest.py": b"",
    "pytest.ini": b"[pytest]\n",
    "src/shop/__init__.py": b"def price(n): return n * 10\n",
}
JUDGING = frozenset({"tests/test_price.py", "tests/conftest.py", "pytest.ini"})
WRONG = "def price(n): return 7\n"
FORGERS = table(dict[str, str], __file__, "FORGERS")
TWINS = {
    (): b"""import builtins, pytest
@pytest.fixture(autouse=True)
def quiet(monkeypatch): monkeypatch.setattr(builtins, "print", lambda *a: None)
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call): yield
def pytest_runtest_setup(item):
    assert all(word.isalpha() for word in item.name.split("_")), "a canary that can be told by its name"
    assert item.function.__name__ == item.name and item.function.__code__.co_filename == str(item.path)
    assert item.function.__globals__ is vars(item.module), "a canary that can be told by where its names come from"
def pytest_collection_finish(session):
    alike = {frozenset(vars(item)) for item in session.items if type(item) is pytest.Function}
    assert len(alike) == 1, "a canary that can be told by what is set on it"
""",
    ("_pytest.runner.show_test_item", "the hook pytest_report_header"): b"""import _pytest.runner as r
r.show_test_item = lambda item: None
pytest_plugins = ["helping"]
""",
}


def ran(tree: Path, files: dict[str, bytes]) -> TestRun:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(text)
    return run_suite(EXECUTOR, Program(tree, {}), Suite(watched=JUDGING, locked=JUDGING), seconds=600)


# What each of these puts in the place of others' is named, so one program may do all of it.
NAMED = table(dict[str, str], __file__, "NAMED")
STANDING = ("what a test does", "what tells of a test")


def test_whatever_code_puts_in_the_place_of_others_is_named(tmp_path: Path) -> None:
    forgers = "".join(FORGERS[name] for name in NAMED)
    run = ran(tmp_path, BASE | {"src/shop/__init__.py": f"{forgers}{WRONG}".encode()})
    assert set(run.replaced) == set(NAMED.values())


@pytest.mark.parametrize("forger", FORGERS if EVERY_TRICK else STANDING)
def test_code_that_reaches_for_its_judge_is_not_believed(tmp_path: Path, forger: str) -> None:
    run = ran(tmp_path, BASE | {"src/shop/__init__.py": f"{FORGERS[forger]}{WRONG}".encode()})
    assert not check_replaced(TestRun((), 0.0), run).passed


@pytest.mark.parametrize("told", TWINS)
def test_a_suite_may_do_what_its_base_does(tmp_path: Path, told: tuple[str, ...]) -> None:
    helping = b"import pytest\ndef pytest_report_header(): return 'helping'\n"
    run = ran(tmp_path, BASE | {"tests/conftest.py": TWINS[told], "helping.py": helping})
    assert check_replaced(run, run).passed
    assert run.replaced == told


MARKED = b"import pytest\npytestmark = pytest.mark.%s\ndef test_old(): assert False\ndef test_older(): assert False\n"


@pytest.mark.parametrize("mark", ("skip", "xfail"))
def test_files_whose_tests_are_all_skipped_leave_canaries_that_tell(tmp_path: Path, mark: str) -> None:
    before = {f"tests/test_old_{number}.py": MARKED % mark.encode() for number in range(30)}
    few = {"tests/test_old_20_new.py": b"def test_new(): pass\n"}
    run = ran(tmp_path, before | few | {"pytest.ini": b"[pytest]\n"})
    assert (run.passed, run.problem) == (True, "")


BESIDE = {
    "tests/test_price/__init__.py": b"__file__ = __file__.replace('/__init__', '')\ndef test_price(): pass\n",
    "tests/conftest/__init__.py": b"import os; os._exit(0)\n",
    **dict.fromkeys(
        ("pytest.py", "pluggy.py", "_pytest/__init__.py", "src/pytest.py", "src/xml/__init__.py", "unittest.py"),
        b"import os; os._exit(0)\n",
    ),
    "src/evil.egg-info/PKG-INFO": b"Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
    "src/evil.egg-info/entry_points.txt": b"[pytest11]\nevil = evil\n",
    "src/evil.py": b"import os; os._exit(0)\n",
}


def test_what_lies_beside_the_tests_does_not_run_them(tmp_path: Path) -> None:
    """A package before a test's file, one before a conftest, modules before the runner's, an entry point."""
    run = ran(tmp_path, BASE | {"src/shop/__init__.py": WRONG.encode()} | BESIDE)
    assert (run.problem, [found.name for found in run.failing]) == (
        "",
        ["tests/test_price.py::test_price", "tests/test_price.py::TestPrice::test_none"],
    )


def test_bytecode_that_a_program_plants_is_not_read(tmp_path: Path) -> None:
    plants = b"""
import importlib.util, os, sys
import _pytest.assertion.rewrite as r
def planted(source, cache):
    code = compile("def test_price(): pass", source, "exec")
    found = os.stat(source)
    head = importlib.util.MAGIC_NUMBER + bytes(4) + int(found.st_mtime).to_bytes(4, "little")
    os.makedirs(os.path.dirname(cache), exist_ok=True)
    import marshal
    open(cache, "wb").write(head + found.st_size.to_bytes(4, "little") + marshal.dumps(code))
here = "/work/tests/test_price.py"
planted(here, importlib.util.cache_from_source(here))
planted(here, "/work/tests/__pycache__/test_price" + r.PYC_TAIL)
"""
    files = {"src/shop/__init__.py": plants + WRONG.encode(), "tests/conftest.py": b"import shop\n"}
    run = ran(tmp_path, BASE | files)
    assert len(run.failing) == 2
    assert run.written == ("tests/__pycache__",)


def test_a_change_that_reaches_for_its_judge_does_not_stand(tmp_path: Path) -> None:
    for path, text in BASE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text)
    base = Base(Program(tmp_path, {}), Suite())
    forger = f"{FORGERS['a hook for two tests']}{WRONG}".encode()
    evidence = on_trial(EXECUTOR, base, Program(tmp_path, {"src/shop/__init__.py": forger}), Suite(), seconds=600).found
    assert evidence.facts.base.passed
    assert "the program replaced the hook" in evidence.facts.head.problem
    assert evidence.standing is not Standing.PLAUSIBLE


WATCHED = frozenset({"tests/test_a.py", "tests/conftest.py", "pytest.ini"})
WRITES = {
    "open('tests/test_a.py', 'a').write('#')": "tests/test_a.py",
    "was = open('tests/conftest.py').read(); open('tests/conftest.py', 'w').write('x')"
    "; open('tests/conftest.py', 'w').write(was)": "tests/conftest.py",  # and puts it back
    "import os; os.unlink('pytest.ini')": "pytest.ini",
    "open('conftest.py', 'w').write('')": "conftest.py",
    "open('tests/helper.py', 'w').write('')": "tests/helper.py",
    "os.mkdir('tests/__pycache__'); open('tests/__pycache__/test_a.pyc', 'w')": "tests/__pycache__",
    "os.mkdir('tests/test_a'); open('tests/test_a/__init__.py', 'w')": "tests/test_a",
    # What tests leave.
    "os.makedirs('tests/out/deep'); open('tests/out/deep/a.txt', 'w').write('x')": "",
    "open('.coverage', 'w').write('x'); open('tests/snapshot.json', 'w').write('x'); open('src/new.py', 'w')": "",
}


def program(tree: Path, *writes: str) -> Program:
    tests = b"import shop\ndef test_a(): assert shop\n"
    files = {"tests/test_a.py": tests, "tests/conftest.py": b"", "pytest.ini": b"[pytest]\n", "src/shop.py": b""}
    for path, text in files.items():
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_bytes(text)
    code = "".join(f"try:\n    {each}\nexcept OSError:\n    pass\n" for each in writes)
    return Program(tree, {"src/shop.py": code.encode()})


def test_what_a_program_does_to_its_judges_is_named(tmp_path: Path) -> None:
    run = run_suite(EXECUTOR, program(tmp_path, *WRITES), Suite(watched=WATCHED), seconds=600)
    assert (set(run.written), run.problem) == (set(filter(None, WRITES.values())), "")


def test_a_command_is_watched_as_well_and_what_is_locked_stays(tmp_path: Path) -> None:
    suite = Suite(command=("sh", "-c", "echo x > pytest.ini; echo y > tests/test_b.py; exit 3"), watched=WATCHED)
    run = run_suite(EXECUTOR, program(tmp_path), suite, seconds=600)
    assert (run.written, [result.message.strip() for result in run.results]) == (
        ("pytest.ini", "tests/test_b.py"),
        ["exit status 3"],
    )
    locked = Suite(command=suite.command, locked=WATCHED)
    assert run_suite(EXECUTOR, program(tmp_path), locked, seconds=600).written == ("tests/test_b.py",)


def test_a_command_cannot_end_its_keeper_and_pass(tmp_path: Path) -> None:
    suite = Suite(command=("sh", "-c", "kill -9 $PPID"))
    assert not run_suite(EXECUTOR, program(tmp_path), suite, seconds=600).passed


@pytest.mark.parametrize(
    ("written", "locked"),
    [
        ((), WATCHED),
        (("pytest.ini", "tests/other.py"), WATCHED - {"pytest.ini"}),
        (("x.py",) * MOST_WRITTEN, frozenset()),
    ],
)
def test_what_the_bases_own_tests_write_to_is_not_locked(written: tuple[str, ...], locked: frozenset[str]) -> None:
    base = TestRun((), 1.0, written=written)
    assert lockable(WATCHED, base) == locked
    assert written_anew(base, TestRun((), 1.0, written=("new.py", *written))) == ("new.py",)
