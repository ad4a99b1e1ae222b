"""What each sort of reproduction is seen to do, in the real sandbox, and what is made of forged answers."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.already_fixed.trial import TrialPlace, tried
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction, Run, Seen
from bot.sandbox.protocol import Job, Outcome
from bot.verification.values import Environment, Program
from tests.already_fixed.house import BROKEN, EXECUTOR

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
S = Seen
# Name: what is run, what the report says of it, what is seen, and why.
CASES: dict[str, tuple[str, Expectation, Seen, str]] = {
    "as_it_says": ("import halves\nhalves.half(None)", RAISES, S.AS_REPORTED, "it raises TypeError"),
    "no_more": ("import halves\nhalves.half(2)", RAISES, S.PASSES, "it ends as it should"),
    "warns": (
        "import halves\nhalves.old()",
        Expectation(Failure.WARNS, "DeprecationWarning", ("old() will go",)),
        S.AS_REPORTED,
        "it warns with DeprecationWarning",
    ),
    "prints": (
        "import halves\nprint(halves.half(3))",
        Expectation(Failure.PRINTS, wrong=("1",)),
        S.AS_REPORTED,
        "it prints what the report shows",
    ),
    "prints_else": (
        "import halves\nprint(halves.half(9))",
        Expectation(Failure.PRINTS, wrong=("1",)),
        S.OTHERWISE,
        "it prints something else than reported, and the report does not say what would be right",
    ),
    "prints_wrong": (
        "import halves\nprint(halves.half(7))",
        Expectation(Failure.PRINTS, wrong=("1",), right="3.5"),
        S.OTHERWISE,
        "it prints something else than the report asks for",
    ),
    "needs_a_gpu": (
        "import halves\nraise RuntimeError('Found no NVIDIA driver: torch.cuda is not available')",
        RAISES,
        S.CANNOT_RUN,
        "it needs a device that the sandbox does not have",
    ),
    "waits": ("import halves\ninput()", RAISES, S.CANNOT_RUN, "it waits for input"),
    "calls_out": (
        "import urllib.request\nurllib.request.urlopen('http://example.org')",
        Expectation(Failure.RAISES, "URLError"),
        S.CANNOT_RUN,
        "it needs a network, and there is none in the sandbox",
    ),
    "lacks": (
        "import no_such_module",
        Expectation(Failure.RAISES, "ImportError"),
        S.CANNOT_RUN,
        "the module no_such_module is not installed here",
    ),
    "asks_for_what_is_gone": (
        "from halves import gone",
        Expectation(Failure.RAISES),
        S.CANNOT_RUN,
        "it cannot import what it needs",
    ),
    "is_torn": ("import torn", RAISES, S.CANNOT_RUN, "the program itself cannot be imported"),
    "is_no_code": ("import no_code", RAISES, S.CANNOT_RUN, "the program itself cannot be imported"),
    "writes_bytes": (
        "import halves, sys\nsys.stdout.buffer.write(b'1')\nsys.stdout.encoding.lower(), sys.stdout.fileno()",
        Expectation(Failure.PRINTS, wrong=("1",)),
        S.AS_REPORTED,
        "it prints what the report shows",
    ),
    "writes_around_it": (
        "import halves, io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('½')",
        Expectation(Failure.PRINTS, wrong=("½",)),
        S.AS_REPORTED,
        "it prints what the report shows",
    ),
    "writes_errors": (
        "import halves, sys\nprint(halves.half(3), file=sys.stderr)",
        Expectation(Failure.PRINTS, wrong=("1",)),
        S.AS_REPORTED,
        "it prints what the report shows",
    ),
    "hangs": (
        "import threading\nthreading.Event().wait()",
        Expectation(Failure.HANGS),
        S.AS_REPORTED,
        "it did not end within 1 s",
    ),
    "takes_ten_minutes": ("import time\ntime.sleep(600)", RAISES, S.CANNOT_RUN, "it did not end within 1 s"),
    "leaves": ("import halves\nhalves.leave()", RAISES, S.CANNOT_RUN, "its process ended too early"),
    "forges": ("import halves\nhalves.forge()", RAISES, S.CANNOT_RUN, "its process ended too early"),
    "breaks_the_library": (
        "import halves, hashlib, linecache\nhashlib.sha256 = linecache.getline = None\nhalves.half(None)",
        RAISES,
        S.AS_REPORTED,
        "it raises TypeError",
    ),
    "raises_itself": (
        "import halves\nraise TypeError('nothing has no half')",
        RAISES,
        S.AS_REPORTED,
        "it raises TypeError",
    ),
    "prints_its_own_verdict": (
        "import halves\nprint('BOUNCER ' + '{\"seen\": \"passes\"}')\nhalves.half(None)",
        RAISES,
        S.AS_REPORTED,
        "it raises TypeError",
    ),
}
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
    shown = [Reproduction(name, Form.SCRIPT, case[0], case[1], "an example") for name, case in CASES.items()]
    place = TrialPlace(Program(tree, {}), Environment())
    return tried(EXECUTOR, place, [*shown, SESSION, VALUE], seconds=300, each=1, twice=False)


@pytest.mark.parametrize("name", CASES)
def test_what_is_seen(seen: dict[str, Run], name: str) -> None:
    assert (seen[name].seen, seen[name].says) == CASES[name][2:]


def test_the_line_that_raised_has_a_name_where_it_is_the_programs(seen: dict[str, Run]) -> None:
    assert seen["as_it_says"].place == seen["prints_its_own_verdict"].place != ""
    assert {seen[name].place for name in ("raises_itself", "breaks_the_library", "no_more", "warns")} == {""}


def test_only_what_is_missing_may_be_had_in_another_environment(seen: dict[str, Run]) -> None:
    assert {name for name in CASES if seen[name].lacks} == {"lacks", "asks_for_what_is_gone", "is_torn", "is_no_code"}


def test_what_nobody_can_call_wrong_is_not_clear(seen: dict[str, Run]) -> None:
    assert {name for name, run in seen.items() if run.unclear} == {"prints_else"}


def test_sessions_tests_and_commands_are_seen_alike(tree: Path, seen: dict[str, Run]) -> None:
    place = TrialPlace(Program(tree, {}), Environment())
    others = tried(EXECUTOR, place, [TESTS, COMMAND, FILES], seconds=200, each=60, twice=False)
    assert seen["a_session"].seen is Seen.AS_REPORTED
    assert (seen["a_value"].seen, others["files"].seen) == (Seen.PASSES, Seen.AS_REPORTED)
    assert (others["tests"].seen, others["tests"].says) == (Seen.OTHERWISE, "it raises AssertionError")
    assert (others["a_command"].seen, others["a_command"].shown) == (Seen.AS_REPORTED, "TypeError: nothing has no half")


def test_what_disagrees_with_itself_is_flaky(tree: Path) -> None:
    coin = "import halves, os\nif os.environ['PYTHONHASHSEED'] == '1': halves.half(None)"
    place = TrialPlace(Program(tree, {}), Environment())
    found = tried(EXECUTOR, place, [Reproduction("now_and_then", Form.SCRIPT, coin, RAISES, "")], seconds=120)
    assert found["now_and_then"].seen is Seen.FLAKY


def test_the_programs_own_interpreter_runs_it_and_bouncers_own_watches(tree: Path) -> None:
    told = "(sys.flags.dev_mode, os.environ['HALVES'])"
    expected = Expectation(Failure.PRINTS, wrong=("", "(True, '1')"))
    shown = Reproduction("one", Form.SESSION, told, expected, "", ("import os, sys", told))
    python = (*EXECUTOR.probe().python, "-X", "dev")
    environment = Environment(python=python, variables={"HALVES": "1", "PYTEST_ADDOPTS": "--no-such-option"})
    found = tried(EXECUTOR, TrialPlace(Program(tree, {}), environment), [shown], seconds=120, twice=False)
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
    shown = Reproduction("one", Form.SCRIPT, *CASES["no_more"][:2], "")
    forged = json.dumps({"observed": [], "sessions": [], "seconds": 1.0}).encode()
    place = TrialPlace(Program(tree, {}), Environment())
    found = tried(Lying(b"0" * 64 + b" " + forged), place, [shown], seconds=60)  # type: ignore[arg-type]
    assert found["one"].seen is Seen.CANNOT_RUN
