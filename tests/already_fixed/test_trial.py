"""What each sort of reproduction is seen to do, in the real sandbox, and what is made of forged answers."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.already_fixed.trial import TrialPlace, tried
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction, Run, Seen
from bot.sandbox.protocol import Job, Outcome
from bot.verification.values import Environment, Program
from tests.already_fixed.house import BROKEN, EXECUTOR
from tests.support.cases import table

LIBRARY = (
    BROKEN
    + """
import os, warnings

def old():
    warnings.warn("old() will go", DeprecationWarning)

def leave():
    os._exit(0)

def forge():
    for pipe in range(3, 300):
        try:
            os.write(pipe, b'{"word": "", "steps": [{"out": "", "raised": null}], "warnings": []}')
        except OSError:
            pass
    os._exit(0)
"""
)
RAISES = Expectation(Failure.RAISES, "TypeError", ("nothing has no half",))


@dataclass(frozen=True)
class Case:
    """What is run, what the report says of it, what is seen, and why."""

    code: str
    expected: Expectation
    seen: Seen
    says: str


CASES = table(dict[str, Case], __file__, "CASES")
SESSION = Reproduction(
    "a_session",
    Form.SESSION,
    "",
    Expectation(Failure.PRINTS, wrong=("", "1", "[...]"), right="1.5"),
    "the last example",
    ("import halves", "halves.half(3)", "[halves.half(8)]"),
)
TESTS = Reproduction(
    "tests", Form.TESTS, "import halves\ndef test_it():\n    assert halves.half(3) == 1.5\n", RAISES, "the last example"
)
VALUE = Reproduction(
    "a_value",
    Form.SESSION,
    "",
    Expectation(Failure.PRINTS, wrong=("", "2"), right="halves.half( 2 )"),  # written in another way than it is shown
    "the last example",
    ("import halves", "halves.half(3)"),
)
FILES = Reproduction(
    "files",
    Form.COMMAND,
    "",
    Expectation(Failure.WARNS, wrong=("/tmp/sub/a.txt:12: ERROR: nothing to halve",)),
    "the last example",
    ("python", "-m", "reading", "sub/a.txt"),
    files=(("sub/a.txt", "nothing\n"), ("b.ini", "")),
)
COMMAND = Reproduction(
    "a_command",
    Form.COMMAND,
    "",
    Expectation(Failure.RAISES, "TypeError", ("nothing has no half",)),
    "the last example",
    ("python", "-m", "halves"),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, among files that would break any test of its own."""
    place = tmp_path_factory.mktemp("tree")
    (place / "halves.py").write_text(LIBRARY + "\nif __name__ == '__main__':\n    half(None)\n")
    (place / "reading.py").write_text(
        "import os, sys\nif open(sys.argv[1]).read() == 'nothing\\n' and os.path.exists('b.ini'):\n"
        "    sys.exit(sys.argv[1] + ':1: ERROR: nothing to halve')\n"
    )
    (place / "torn.py").write_text("from halves import gone")
    (place / "no_code.py").write_text("def")
    (place / "conftest.py").write_text("raise RuntimeError('no tests, please')")
    (place / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    return place


@pytest.fixture(scope="module")
def seen(tree: Path) -> dict[str, Run]:
    shown = [Reproduction(name, Form.SCRIPT, case.code, case.expected, "an example") for name, case in CASES.items()]
    place = TrialPlace(Program(tree, {}), Environment())
    return tried(EXECUTOR, place, [*shown, SESSION, VALUE], seconds=600, each=1, twice=False)


@pytest.mark.parametrize("name", CASES)
def test_what_is_seen(seen: dict[str, Run], name: str) -> None:
    assert (seen[name].seen, seen[name].says) == (CASES[name].seen, CASES[name].says)


def test_the_line_that_raised_has_a_name_where_it_is_the_programs(seen: dict[str, Run]) -> None:
    assert seen["as_it_says"].place == seen["prints_its_own_verdict"].place != ""
    assert {seen[name].place for name in ("raises_itself", "breaks_the_library", "no_more", "warns")} == {""}


def test_only_what_is_missing_may_be_had_in_another_environment(seen: dict[str, Run]) -> None:
    assert {name for name in CASES if seen[name].lacks} == {"lacks", "asks_for_what_is_gone", "is_torn", "is_no_code"}


def test_what_nobody_can_call_wrong_is_not_clear(seen: dict[str, Run]) -> None:
    assert {name for name, run in seen.items() if run.unclear} == {"prints_else"}


def test_sessions_tests_and_commands_are_seen_alike(tree: Path, seen: dict[str, Run]) -> None:
    place = TrialPlace(Program(tree, {}), Environment())
    raises = replace(TESTS, name="raises", code="import halves\ndef test_it():\n    halves.half(None)\n")
    another = replace(raises, name="another", code=raises.code.replace("None", "[]"))
    wanted = [TESTS, raises, another, COMMAND, FILES]
    others = tried(EXECUTOR, place, wanted, seconds=600, each=60, twice=False)
    assert others["raises"].seen is Seen.AS_REPORTED
    assert (others["another"].seen, others["another"].says) == (
        Seen.OTHERWISE,
        "it raises TypeError, with another message than reported",
    )
    assert seen["a_session"].seen is Seen.AS_REPORTED
    assert (seen["a_value"].seen, others["files"].seen) == (Seen.PASSES, Seen.AS_REPORTED)
    assert (others["tests"].seen, others["tests"].says) == (Seen.OTHERWISE, "it raises AssertionError")
    assert (others["a_command"].seen, others["a_command"].shown) == (Seen.AS_REPORTED, "TypeError: nothing has no half")


def test_what_disagrees_with_itself_is_flaky(tree: Path) -> None:
    coin = "import halves, os\nif os.environ['PYTHONHASHSEED'] == '1': halves.half(None)"
    place = TrialPlace(Program(tree, {}), Environment())
    found = tried(EXECUTOR, place, [Reproduction("now_and_then", Form.SCRIPT, coin, RAISES, "")], seconds=600)
    assert found["now_and_then"].seen is Seen.FLAKY


def test_the_programs_own_interpreter_runs_it_and_bouncers_own_watches(tree: Path) -> None:
    told = "(sys.flags.dev_mode, os.environ['HALVES'])"
    expected = Expectation(Failure.PRINTS, wrong=("", "(True, '1')"))
    shown = Reproduction("one", Form.SESSION, told, expected, "", ("import os, sys", told))
    python = (*EXECUTOR.probe().python, "-X", "dev")
    environment = Environment(python=python, variables={"HALVES": "1", "PYTEST_ADDOPTS": "--no-such-option"})
    found = tried(EXECUTOR, TrialPlace(Program(tree, {}), environment), [shown], seconds=600, twice=False)
    assert found["one"].seen is Seen.AS_REPORTED


class Lying:
    """An executor whose jobs say something of their own."""

    name = "lying"

    def __init__(self, stdout: bytes) -> None:
        self._stdout = stdout

    def probe(self) -> object:
        return EXECUTOR.probe()

    def run(self, job: Job) -> Outcome:
        return replace(EXECUTOR.run(job), stdout=self._stdout)


def test_a_report_without_its_signature_counts_for_nothing(tree: Path) -> None:
    shown = Reproduction("one", Form.SCRIPT, CASES["no_more"].code, CASES["no_more"].expected, "")
    forged = json.dumps([{"observed": [], "sessions": [], "seconds": 1.0}]).encode()
    place = TrialPlace(Program(tree, {}), Environment())
    found = tried(Lying(b"0" * 64 + b" " + forged), place, [shown], seconds=600)  # type: ignore[arg-type]
    assert found["one"].seen is Seen.CANNOT_RUN
