"""What came of a reproduction against what the report says: the part of the file that needs no process."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.in_sandbox import comparing, judging, reproduce, running
from bot.already_fixed.script import runnable, shown
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction, Seen
from tests.already_fixed.seen import judged, raised, seen
from tests.support.cases import cases
from tests.support.properties import patient

RAISES = Expectation(Failure.RAISES, "TypeError", ("unsupported operand type(s) for +: 'int' and 'str'",))


PRINTS = Expectation(Failure.PRINTS, wrong=("1 2 3",), right="1 2 4")


OUT = "it said"


TABLE = {
    "the same": (RAISES, seen(("", raised("TypeError", RAISES.message[0]))), "as_reported", "raises"),
    "in the words of another version": (
        RAISES,
        seen(("", raised("TypeError", "unsupported operand types for +: 'int' and 'list'"))),
        "as_reported",
        "raises",
    ),
    "another message": (RAISES, seen(("", raised("TypeError", "no"))), "fails_otherwise", "other message"),
    "another class": (RAISES, seen(("", raised("KeyError", "'a'"))), "fails_otherwise", "raises"),
    "a class below": (
        Expectation(Failure.RAISES, "ValueError"),
        seen(("", raised("JSONDecodeError", "x", "ValueError"))),
        "as_reported",
        "raises",
    ),
    "Exception means itself": (
        Expectation(Failure.RAISES, "Exception"),
        seen(("", raised("KeyError", "x"))),
        "fails_otherwise",
        "raises",
    ),
    "IOError has another name now": (
        Expectation(Failure.RAISES, "IOError"),
        seen(("", raised("OSError", "x"))),
        "as_reported",
        "raises",
    ),
    "any exception": (Expectation(Failure.RAISES), seen(("", raised("KeyError"))), "as_reported", "raises"),
    "what it should raise instead": (
        Expectation(Failure.RAISES, "KeyError", right="ValueError"),
        seen(("", raised("ValueError"))),
        "passes",
        "raises right",
    ),
    "what it should raise": (
        Expectation(Failure.MISSES, "ValueError"),
        seen(("", raised("ValueError"))),
        "passes",
        "raises right",
    ),
    "nothing, where it should raise": (
        Expectation(Failure.MISSES, "ValueError"),
        seen(("", None)),
        "as_reported",
        "raises nothing",
    ),
    "something else than it should raise": (
        Expectation(Failure.MISSES, "ValueError"),
        seen(("", raised("KeyError"))),
        "fails_otherwise",
        "raises",
    ),
    "none any more": (RAISES, seen((OUT, None)), "passes", "ends well"),
    "none, but the wrong output": (
        Expectation(Failure.RAISES, "TypeError", right="yes"),
        seen((OUT, None)),
        "fails_otherwise",
        "prints other",
    ),
    "none, and nothing where a value should come": (
        Expectation(Failure.RAISES, "TypeError", right="yes"),
        seen(("", None)),
        "fails_otherwise",
        "prints other",
    ),
    "a missing module": (
        Expectation(Failure.RAISES),
        seen(("", raised("ModuleNotFoundError", "No module named 'x'", "ImportError", missing="x"))),
        "cannot_run",
        "module",
    ),
    "a missing module that it is about": (
        Expectation(Failure.RAISES, "ImportError", ("No module named 'x'",)),
        seen(("", raised("ModuleNotFoundError", "No module named 'x'", "ImportError", missing="x"))),
        "as_reported",
        "raises",
    ),
    "a missing module, of another": (
        Expectation(Failure.RAISES, "ImportError", ("cannot import name 'y' from 'z'",)),
        seen(("", raised("ModuleNotFoundError", "No module named 'x'", "ImportError", missing="x"))),
        "cannot_run",
        "module",
    ),
    "an import of what is there": (
        Expectation(Failure.RAISES),
        seen(("", raised("ImportError", "cannot import name 'y' from 'z'", name="z", here=True))),
        "cannot_run",
        "import",
    ),
    "an import in the program itself": (
        Expectation(Failure.RAISES, "ImportError"),
        seen(("", raised("ImportError", "cannot import name 'y' from partially initialized module 'z'", torn=True))),
        "cannot_run",
        "torn",
    ),
    "any exception in an import of the program": (
        RAISES,
        seen(("", raised("KeyError", torn=True))),
        "cannot_run",
        "torn",
    ),
    "what it raises when it is imported, if that is reported": (
        RAISES,
        seen(("", raised("TypeError", RAISES.message[0], torn=True))),
        "as_reported",
        "raises",
    ),
    "what it should raise, from an import of the program": (
        Expectation(Failure.MISSES, "ValueError"),
        seen(("", raised("ValueError", torn=True))),
        "cannot_run",
        "torn",
    ),
    "a name of the example": (
        Expectation(Failure.RAISES, "NameError"),
        seen(("", raised("NameError", "name 'x' is not defined", here=True, name="x"))),
        "cannot_run",
        "name",
    ),
    "a name inside the project": (
        Expectation(Failure.RAISES, "NameError"),
        seen(("", raised("NameError", "name 'x' is not defined"))),
        "as_reported",
        "raises",
    ),
    "a file of the example": (
        Expectation(Failure.RAISES, "FileNotFoundError"),
        seen(("", raised("FileNotFoundError", "no", "OSError", file="a.csv"))),
        "cannot_run",
        "file",
    ),
    "a graphics card": (
        Expectation(Failure.RAISES),
        seen(("", raised("RuntimeError", "No CUDA GPUs"))),
        "cannot_run",
        "device",
    ),
    "a graphics card's library": (
        Expectation(Failure.RAISES),
        seen(("", raised("OSError", "libcuda.so.1: cannot open shared object file"))),
        "cannot_run",
        "device",
    ),
    "the network behind it": (
        Expectation(Failure.RAISES, "ConnectionError"),
        seen(("", {**raised("ConnectionError", "x"), "chain": [["ConnectionError", "x"], ["gaierror", "y"]]})),
        "cannot_run",
        "network",
    ),
    "input": (RAISES, seen(("", raised("EOFError", "EOF when reading a line"))), "cannot_run", "input"),
    "an exit": (RAISES, seen(("", raised("SystemExit", "0"))), "cannot_run", "ended itself"),
    "no word at all": (RAISES, {**seen(), "ended": False}, "cannot_run", "ended itself"),
    "too late": (RAISES, {**seen(), "ended": False, "late": True}, "cannot_run", "endless"),
    "as late as it says": (Expectation(Failure.HANGS), {**seen(), "late": True}, "as_reported", "endless"),
    "no more late": (Expectation(Failure.HANGS), seen(("", None)), "passes", "ends well"),
    "the wrong output": (PRINTS, seen(("1  2\n3\n", None)), "as_reported", "prints"),
    "the wrong output among others": (PRINTS, seen(("so: 1 2 3 .", None)), "as_reported", "prints"),
    "the right output": (PRINTS, seen(("1 2 4\n", None)), "passes", "prints right"),
    "a third output": (PRINTS, seen(("1 2 5\n", None)), "fails_otherwise", "prints other"),
    "addresses differ": (
        Expectation(Failure.PRINTS, wrong=("<A at 0x7f00>",)),
        seen(("<A at 0x1234>", None)),
        "as_reported",
        "prints",
    ),
    "dots stand for anything": (
        Expectation(Failure.PRINTS, wrong=("a ... z",)),
        seen(("a b c z", None)),
        "as_reported",
        "prints",
    ),
    "dots alone mean nothing": (
        Expectation(Failure.PRINTS, wrong=("...",)),
        seen(("a b c z", None)),
        "fails_otherwise",
        "prints unknown",
    ),
    "an exception instead of an output": (PRINTS, seen(("", raised("KeyError"))), "fails_otherwise", "raises"),
    "the warning": (
        Expectation(Failure.WARNS, "FutureWarning", ("will go",)),
        seen(("", None), warnings=[[["FutureWarning", "Warning"], "it will go", False]]),
        "as_reported",
        "warns",
    ),
    "no such warning": (
        Expectation(Failure.WARNS, "FutureWarning", ("will go",)),
        seen(("", None), warnings=[[["UserWarning", "Warning"], "it will go", False]]),
        "passes",
        "ends well",
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_table(name: str) -> None:
    expected, came, status, why = TABLE[name]
    assert judged(expected, came) == (status, why)


def test_a_session_fails_at_its_last_statement() -> None:
    early, late = seen(("", raised("TypeError", "x")), ("", None)), seen(("", None), ("", raised("TypeError", "x")))
    expected = Expectation(Failure.RAISES, "TypeError")
    assert judged(expected, early, Form.SESSION)[0] == "fails_otherwise"
    assert judged(expected, late, Form.SESSION)[0] == "as_reported"


WARNING = Expectation(Failure.WARNS, "FutureWarning", ("`half` is deprecated and goes away, use `whole()` instead",))


BARE = Expectation(Failure.WARNS, "FutureWarning")


@pytest.mark.parametrize(
    ("expected", "message", "theirs", "status"),
    [
        (WARNING, "`half` is deprecated and goes away; use `whole()` instead", False, "as_reported"),
        (WARNING, "`half` is deprecated and goes away; use `whole()` instead", True, "as_reported"),
        (WARNING, "`third` is deprecated and goes away, use `three()` instead", False, "fails_otherwise"),
        (WARNING, "half goes", False, "fails_otherwise"),  # in other words
        (WARNING, "something quite different", False, "passes"),
        (BARE, "something quite different", False, "as_reported"),
        (BARE, "something quite different", True, "passes"),  # of a library
    ],
)
def test_a_warning_in_other_words_is_not_gone(expected: Expectation, message: str, theirs: bool, status: str) -> None:
    came = seen(("", None), warnings=[[["FutureWarning", "Warning"], message, theirs]])
    assert judged(expected, came)[0] == status


@cases
def test_pytest_tells_warnings_below_the_tests(out: str, status: str) -> None:
    told = f"=== warnings summary ===\n{out}\n=== 1 passed in 0.01s ==="
    assert judged(WARNING, seen((told, None)), Form.TESTS)[0] == status


@pytest.mark.parametrize(
    ("kind", "status"), [("FutureWarning", "as_reported"), ("DeprecationWarning", "fails_otherwise")]
)
def test_a_warning_may_have_been_made_an_exception(kind: str, status: str) -> None:
    assert judged(WARNING, seen(("", raised(kind, WARNING.message[0]))))[0] == status


@cases
def test_a_slip_of_the_program_is_not_what_it_should_raise(message: str, here: bool, status: str) -> None:
    came = seen(("", raised("TypeError", message, here=here)))
    assert judged(Expectation(Failure.MISSES, "TypeError"), came)[0] == status
    assert judged(Expectation(Failure.RAISES, "KeyError", right="TypeError"), came)[0] == status


USAGE = "usage: halve [options]\nhalve: error: no such option: --all"


TOLD = "Traceback (most recent call last):\n  File 'x'\nKeyError: 'a'\ndone"


GONE = {
    "nothing to say": ("", 0, "passes", "ends well"),
    "another message only": ("a.py:1: W2: bad", 4, "fails_otherwise", "status"),
    "its usage": (USAGE, 2, "fails_otherwise", "usage"),
    "its usage, and that is fine": ("Usage: halve [options]", 0, "fails_otherwise", "usage"),
    "the same in other words": ("a.py:3:1: W1 unused, no use", 0, "fails_otherwise", "other words"),
    "more than is kept": ("x" * 100_000, 0, "fails_otherwise", "too much"),
    "a crash that it tells itself": ("a.py:1: F2: astroid-error", 1, "fails_otherwise", "status"),
    "a crash that it swallows": (TOLD, 0, "fails_otherwise", "trace"),
    "a signal": ("", -11, "cannot_run", "ended itself"),
    "a signal, as a shell tells it": ("", 137, "cannot_run", "ended itself"),
    "the status of sys.exit(-1)": ("", 255, "fails_otherwise", "status"),
}


@pytest.mark.parametrize("name", GONE)
def test_a_command_whose_wrong_lines_are_gone_has_to_do_its_work(name: str) -> None:
    out, code, status, why = GONE[name]
    came = seen((out, None), code=code)
    lines = Expectation(Failure.WARNS, wrong=("/x/y/a.py:3:1: W1: unused (no-use)",))
    assert judged(lines, came, Form.COMMAND) == (status, why)
    for expected in (Expectation(Failure.HANGS), Expectation(Failure.RAISES, "TypeError", ("bad",))):
        found, because = judged(expected, came, Form.COMMAND)
        if why == "other words":
            assert found == "passes"
        else:
            assert (found, because) == (status, "status" if status == "fails_otherwise" and code else why)


@cases
def test_a_test_may_catch_what_should_be_raised(code: str, out: str, status: int, found: str) -> None:
    expected = Expectation(Failure.MISSES, "ValueError")
    assert judged(expected, seen((out, None), code=status), Form.TESTS, code)[0] == found


def test_tests_that_are_passed_over_do_not_pass() -> None:
    for line, status in (("1 passed", "passes"), ("1 skipped", "fails_otherwise"), ("1 xfailed", "fails_otherwise")):
        assert judged(RAISES, seen((f"=== {line} in 0.01s ===\n", None)), Form.TESTS)[0] == status


def test_what_should_be_raised_counts_from_the_last_statement_alone() -> None:
    expected = Expectation(Failure.MISSES, "ValueError")
    early, last = seen(("", raised("ValueError")), ("", None)), seen(("", None), ("", raised("ValueError")))
    assert judged(expected, early, Form.SESSION) == ("fails_otherwise", "raises")
    assert judged(expected, last, Form.SESSION) == ("passes", "raises right")


def test_messages_of_the_interpreter_are_worded_anew() -> None:
    said, now = "local variable 'half' referenced before assignment", "cannot access local variable 'half' where it is"
    assert comparing.alike([said], now)
    assert not comparing.alike([said], now.replace("half", "whole"))


@cases
def test_what_the_interpreter_misses_must_be_the_same(said: str, now: str, same: bool) -> None:
    assert comparing.alike([said], now) is same


@pytest.mark.parametrize(("code", "status"), [(0, "passes"), (1, "fails_otherwise")])
def test_a_command_passes_by_its_exit_status(code: int, status: str) -> None:
    expected = Expectation(Failure.RAISES, "TypeError", ("bad",))
    assert judged(expected, seen(("nothing", None), code=code), Form.COMMAND)[0] == status


def test_words_of_a_message_that_stand_all_over_an_output_are_no_exception() -> None:
    expected = Expectation(Failure.RAISES, "error", ("bad escape at position 1",))
    told = "usage: halve\n  an error or a bad escape\n  at position 1"
    assert judged(expected, seen((told, None), code=2), Form.COMMAND)[0] == "fails_otherwise"
    summary = "FAILED a.py - re.error: bad escape at position 1"
    assert judged(expected, seen((summary, None), code=2), Form.COMMAND)[0] == "as_reported"


def test_the_last_exception_of_a_text_counts() -> None:
    text = "Traceback (most recent call last):\n  File 'x'\nKeyError: 'a'\n\nDuring …\n\nE   pkg.errors.OwnError: no\n"
    assert running.traced(text)["types"] == ["OwnError"]
    assert running.traced("all is well") is None


TRACED = "Traceback (most recent call last):\n"


CALLED = '  File "/bin/halve", line 8, in <module>\n    sys.exit(main())\n'


@cases
def test_what_a_printed_traceback_says_of_imports(tmp_path: Path, text: str, missing: str, torn: bool) -> None:
    (tmp_path / "src/halves").mkdir(parents=True)
    (tmp_path / "src/halves/__init__.py").touch()
    found = running.traced(text.replace("ROOT", str(tmp_path)), "/tmp/shown", str(tmp_path))
    assert (found["missing"], found["torn"]) == (missing, torn)


def test_what_does_not_end_gets_longer_the_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def run(plan: dict[str, Any], seed: str) -> dict[str, Any]:
        given.append(plan["seconds"])
        return {**seen(("", None)), "late": plan["seconds"] < 20}

    monkeypatch.setattr("bot.already_fixed.in_sandbox.reproduce.run", run)
    expectation = asdict(Expectation(Failure.HANGS))
    plan = {"form": "script", "code": "", "steps": (), "expectation": expectation, "seconds": 10, "twice": True}
    assert reproduce.tried(plan)["seen"] == "flaky"
    assert given == [10, 20]


strange = st.text(st.characters(codec=None), max_size=300)


@settings(patient, max_examples=30)
@given(strange, strange, strange)
def test_a_file_parses_whatever_stands_in_it(code: str, wrong: str, title: str) -> None:
    made = Reproduction("one", Form.SESSION, code, Expectation(Failure.PRINTS, wrong=(wrong,)), title, (code,))
    source = runnable(made)
    compile(source.encode(), "one.py", "exec", dont_inherit=True)
    assert isinstance(shown(made), str)


@settings(patient, max_examples=30)
@given(strange)
def test_a_verdict_stays_small_enough_to_travel(text: str) -> None:
    assert len(json.dumps(judging.verdict(Seen.OTHERWISE, "raises", text, text * 20))) < 1800


@pytest.mark.parametrize(
    ("message", "seen_as"), [("no half", "as_reported"), ("something else", "fails_otherwise"), ("", "fails_otherwise")]
)
def test_an_earlier_statement_counts_where_it_raises_what_the_report_quotes(message: str, seen_as: str) -> None:
    quoted = Expectation(Failure.RAISES, "TypeError", ("no half",) if message else (), right="1")
    came = seen(("", raised("TypeError", message)), ("", None))
    assert judged(quoted, came, Form.SESSION)[0] == seen_as
