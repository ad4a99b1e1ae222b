"""What a run tells of what was done to the files that judge."""

from pathlib import Path

import pytest

from bot.verification.testing.inside.judging_files import MOST_WRITTEN
from bot.verification.testing.run import run_suite
from bot.verification.testing.witnesses import lockable, written_anew
from bot.verification.values import Program, Suite, TestRun
from tests.support.sandbox import BUBBLEWRAP

EXECUTOR = BUBBLEWRAP
JUDGING = frozenset({"tests/test_a.py", "tests/conftest.py", "pytest.ini"})
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
    run = run_suite(EXECUTOR, program(tmp_path, *WRITES), Suite(watched=JUDGING), seconds=60)
    assert (set(run.written), run.problem) == (set(filter(None, WRITES.values())), "")


def test_a_command_is_watched_as_well_and_what_is_locked_stays(tmp_path: Path) -> None:
    suite = Suite(command=("sh", "-c", "echo x > pytest.ini; echo y > tests/test_b.py; exit 3"), watched=JUDGING)
    run = run_suite(EXECUTOR, program(tmp_path), suite, seconds=60)
    assert (run.written, [result.message.strip() for result in run.results]) == (
        ("pytest.ini", "tests/test_b.py"),
        ["exit status 3"],
    )
    locked = Suite(command=suite.command, locked=JUDGING)
    assert run_suite(EXECUTOR, program(tmp_path), locked, seconds=60).written == ("tests/test_b.py",)


def test_a_command_cannot_end_its_keeper_and_pass(tmp_path: Path) -> None:
    suite = Suite(command=("sh", "-c", "kill -9 $PPID"))
    assert not run_suite(EXECUTOR, program(tmp_path), suite, seconds=60).passed


@pytest.mark.parametrize(
    ("written", "locked"),
    [
        ((), JUDGING),
        (("pytest.ini", "tests/other.py"), JUDGING - {"pytest.ini"}),
        (("x.py",) * MOST_WRITTEN, frozenset()),
    ],
)
def test_what_the_bases_own_tests_write_to_is_not_locked(written: tuple[str, ...], locked: frozenset[str]) -> None:
    base = TestRun((), 1.0, written=written)
    assert lockable(JUDGING, base) == locked
    assert written_anew(base, TestRun((), 1.0, written=("new.py", *written))) == ("new.py",)
