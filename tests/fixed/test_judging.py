"""What came of a reproduction against what the report says: the part of the file that needs no process."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.fixed.files import runnable, shown
from bot.fixed.inside import comparing, judging, reproduce, running
from bot.fixed.trying import _SAYS as SAYS
from bot.fixed.values import Expectation, Failure, Form, Reproduction, Seen
from tests.support.properties import patient

RAISES = Expectation(Failure.RAISES, "TypeError", ("unsupported operand type(s) for +: 'int' and 'str'",))
PRINTS = Expectation(Failure.PRINTS, wrong=("1 2 3",), right="1 2 4")


def raised(kind: str, message: str = "", *bases: str, here: bool = False, **more: str | bool) -> dict[str, Any]:
    given = {"file": "", "name": "", "place": "", "missing": "", "torn": False, **more}
    return {
        "types": [kind, *bases, "Exception"],
        "message": message,
        "chain": [[kind, message]],
        "here": here,
        **given,
    }


def seen(*steps: tuple[str, Any], **more: Any) -> dict[str, Any]:
    made = [{"out": out, "raised": error} for out, error in steps]
    return {"late": False, "ended": True, "code": 0, "steps": made, "warnings": [], **more}


def judged(
    expected: Expectation, came: dict[str, Any], form: Form = Form.SCRIPT, code: str = "f('a.csv')"
) -> tuple[str, str]:
    plan = {"form": form, "code": code, "steps": (), "expectation": asdict(expected)}
    found = judging.judge(plan, came)
    assert found["why"] in SAYS
    return found["seen"], found["why"]


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


def test_a_session_prints_all_that_it_showed() -> None:
    expected = Expectation(Failure.PRINTS, wrong=("1", "", "3"), right="4")
    assert judged(expected, seen(("1", None), ("2", None), ("3", None)), Form.SESSION)[0] == "as_reported"
    assert judged(expected, seen(("1", None), ("2", None), ("4", None)), Form.SESSION)[0] == "passes"
    assert judged(expected, seen(("0", None), ("2", None), ("3", None)), Form.SESSION)[0] == "fails_otherwise"


PRINTED = {
    "a value in base 16": ("0xff", "0x100", "0x100", "passes"),
    "another value in base 16": ("0xff", "0x100", "0x101", "fails_otherwise"),
    "an address": ("<A at 0x7f00>", "<B at 0x7f00>", "<B at 0x55aa>", "passes"),
    "an address without a word": ("A 0x7f0011223344 1", "A 0x7f0011223344 2", "A 0x55aa11223344 2", "passes"),
    "colours": ("1", "2", "\x1b[1;31m2\x1b[0m\x1b[K\n", "passes"),
    "a link": ("1", "2", "\x1b]8;;http://a.b\x1b\\2\x1b]8;;\x07", "passes"),
    "other ends of lines": ("1\n2", "1\n3", "1\r\n3\r\n", "passes"),
    "the layout": ("a\n  b", "a\n    b", "a\n    b\n", "passes"),
    "the layout as it was": ("a\n  b", "a\n    b", "a\n  b\n", "as_reported"),
    "another layout": ("a\n  b", "a\n    b", "a b", "fails_otherwise"),
    "a label of the code": ("1", "2", "so: 2", "passes"),
    "a label of nowhere": ("1", "2", "thus: 2", "fails_otherwise"),
    "a part of something else": ("1", "2", "x 3 y 2", "fails_otherwise"),
    "a line among others": ("1", "2", "begins\n2\nends", "passes"),
    "lines among others": ("1\n2", "1\n3", "begins\n1\n3\nends", "passes"),
    "lines apart": ("1\n2", "1\n3", "1\n0\n3", "fails_otherwise"),
    "both": ("1", "2", "so: 1\nso: 2", "fails_otherwise"),
    "the wrong one, of which the right one is a part": ("a\nb\nb", "a\nb", "a\nb\nb", "as_reported"),
    "what is left out": ("[1]", "[1 ... 9]", "[1 2 3 9]", "passes"),
    "another with as much left out": ("[1]", "[1 ... 9]", "[1 5 ... 8 9]", "fails_otherwise"),
    "nothing": ("1", "2", "", "fails_otherwise"),
    "nothing, where only the right one is known": ("", "2", "", "fails_otherwise"),
    "another, where only the right one is known": ("", "2", "3", "as_reported"),
    "the right one as numpy writes it, where only that is known": (
        "",
        "1.5",
        "np.float64(1.5)",
        "fails_otherwise",
    ),
    "nearly the right one, where only that is known": ("", "0.3", "0.30000000000000004", "fails_otherwise"),
    "too much, where only the right one is known": ("", "2", "3" * 100_000, "fails_otherwise"),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_a_script_prints(name: str) -> None:
    wrong, right, out, status = PRINTED[name]
    expected = Expectation(Failure.PRINTS, wrong=(wrong,) if wrong else (), right=right)
    assert judged(expected, seen((out, None)), code="x, y = 2, 3\nprint('so:', half(x))")[0] == status


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


@pytest.mark.parametrize(
    ("out", "status"),
    [
        ("  /a/b.py:3: FutureWarning: `half` is deprecated and goes away, use `whole()` instead", "as_reported"),
        ("  /a/b.py:3: UserWarning: `half` is deprecated and goes away, use `whole()` instead", "passes"),
        ("all is well", "passes"),
    ],
)
def test_pytest_tells_warnings_below_the_tests(out: str, status: str) -> None:
    told = f"=== warnings summary ===\n{out}\n=== 1 passed in 0.01s ==="
    assert judged(WARNING, seen((told, None)), Form.TESTS)[0] == status


@pytest.mark.parametrize(
    ("kind", "status"), [("FutureWarning", "as_reported"), ("DeprecationWarning", "fails_otherwise")]
)
def test_a_warning_may_have_been_made_an_exception(kind: str, status: str) -> None:
    assert judged(WARNING, seen(("", raised(kind, WARNING.message[0]))))[0] == status


@pytest.mark.parametrize(
    ("message", "here", "status"),
    [
        ("half of what?", False, "passes"),
        ("unsupported operand type(s) for /: 'str' and 'int'", False, "passes"),
        ("'NoneType' object is not subscriptable", False, "fails_otherwise"),
        ("half() takes 1 positional argument but 2 were given", False, "fails_otherwise"),
        ("half() takes 1 positional argument but 2 were given", True, "passes"),  # called so by the example
        ("half() got an unexpected keyword argument 'of'", False, "fails_otherwise"),
    ],
)
def test_a_slip_of_the_program_is_not_what_it_should_raise(message: str, here: bool, status: str) -> None:
    came = seen(("", raised("TypeError", message, here=here)))
    assert judged(Expectation(Failure.MISSES, "TypeError"), came)[0] == status
    assert judged(Expectation(Failure.RAISES, "KeyError", right="TypeError"), came)[0] == status


@pytest.mark.parametrize(
    ("wrong", "right", "came", "status"),
    [
        (("False", "True"), "None", ("False", "True"), "as_reported"),
        (("False", "True"), "None", ("None", "True"), "passes"),  # what is shown beside it is right for ever
        (("False", "True"), "None", ("False", "None"), "passes"),
        (("False", "True"), "None", ("None", "None"), "passes"),
        (("False", "True"), "None", ("None", "False"), "fails_otherwise"),  # the other one went wrong
        (("False", "True"), "None", ("True", "True"), "fails_otherwise"),
        (("False", "True"), "None", ("True", "None"), "fails_otherwise"),
        (("nan", "nan"), "None", ("None", "nan"), "fails_otherwise"),  # half a fix
        (("nan", "nan"), "None", ("None", "None"), "passes"),
        (("True", "f(1)"), "f(2)", ("True", "f(2)"), "passes"),
        (("True", "f(1)"), "f(2)", ("f(2)", "f(1)"), "fails_otherwise"),  # what looks like it is asked
        (("False", "True", "False"), "None", ("None", "True", "False"), "fails_otherwise"),
        (("True", "False", "False"), "True", ("True", "True", "False"), "fails_otherwise"),
        (("True", "False", "False"), "True", ("True", "True", "True"), "passes"),
        (("1", "1"), "2", ("1", "2"), "fails_otherwise"),
        (("1", "1"), "2", ("2", "2"), "passes"),
        (("1", "3"), "4", ("4", "3"), "fails_otherwise"),
        (("1", "3"), "4", ("1", "4"), "passes"),
        (("False",), "None", ("None",), "passes"),
        (("False",), "None", ("True",), "fails_otherwise"),
    ],
)
def test_of_several_outputs_the_right_one_may_be_that_of_any(
    wrong: tuple[str, ...], right: str, came: tuple[str, ...], status: str
) -> None:
    expected = Expectation(Failure.PRINTS, wrong=wrong, right=right)
    steps = [(out, None) for out in came]
    assert judged(expected, seen(*steps), Form.SESSION)[0] == status
    if right == "None":  # as a prompt shows it
        steps = [(out.replace("None", ""), None) for out in came]
        assert judged(expected, seen(*steps, values={"None": ""}), Form.SESSION)[0] == status


HALF = Expectation(Failure.PRINTS, wrong=("", "1"), right="3/2")


@pytest.mark.parametrize(
    ("expected", "last", "values", "status"),
    [
        (HALF, "1", {}, "as_reported"),
        (HALF, "3/2", {}, "passes"),
        (HALF, "'3/2'", {}, "passes"),  # as a text
        (Expectation(Failure.PRINTS, wrong=("", "1"), right="None"), "'None'", {}, "fails_otherwise"),
        (Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5"), "'1.5'", {}, "fails_otherwise"),
        (HALF, "1.5", {"3/2": "1.5"}, "passes"),
        (HALF, "1.0", {"3/2": "1.5", "1": "1.0"}, "as_reported"),
        (HALF, "7", {"3/2": "1.5"}, "fails_otherwise"),
        (HALF, "x + 3/2", {}, "fails_otherwise"),  # of a value, a part is not enough
        (Expectation(Failure.PRINTS, right="3/2"), "7", {"3/2": "1.5"}, "as_reported"),
        (Expectation(Failure.PRINTS, right="3/2"), "1.5", {"3/2": "1.5"}, "passes"),
        (Expectation(Failure.RAISES, "TypeError", right="3/2"), "7", {"3/2": "1.5"}, "fails_otherwise"),
        (Expectation(Failure.RAISES, "TypeError", right="3/2"), "1.5", {"3/2": "1.5"}, "passes"),
    ],
)
def test_a_value_may_be_written_in_another_way(
    expected: Expectation, last: str, values: dict[str, str], status: str
) -> None:
    plan = {"form": "session", "code": "", "steps": ["a = 3", "half(a)"], "expectation": asdict(expected)}
    assert judging.judge(plan, seen(("", None), (last, None), values=values))["seen"] == status


@pytest.mark.parametrize(
    ("statement", "text", "made"),
    [
        ("half(3)", "3/2", "3 / 2"),
        ("print(half(3))", "3/2", "print(3 / 2)"),
        ("half(3)", "no value", ""),
        ("half(3)", "", ""),
        ("half(3)", "x = 3", ""),
        ("half(3)", "half( 3 )", ""),
        ("half(3)", "list(half(3))", ""),
        ("print(half(3))", "half(3)", ""),
        ("half(3)", "half(4)", "half(4)"),
        ("a", "a + 1", "a + 1"),
    ],
)
def test_a_value_in_place_of_what_is_shown(statement: str, text: str, made: str) -> None:
    assert comparing.instead(statement, text) == made


WARNED, OK = "/x/y/a.py:3:1: W1: unused (no-use)", "fine"


@pytest.mark.parametrize(
    ("expected", "out", "status"),
    [
        (
            Expectation(Failure.WARNS, wrong=("a.py:7: W1: unused (no-use)",)),
            "a.py:9: W1: unused (no-use)",
            "as_reported",
        ),
        (Expectation(Failure.WARNS, wrong=(WARNED,)), "a.py:3:1: W1: unused (no-use)", "as_reported"),
        (Expectation(Failure.WARNS, wrong=(WARNED,)), OK, "passes"),
        (Expectation(Failure.PRINTS, wrong=(WARNED,)), OK, "fails_otherwise"),
        (Expectation(Failure.PRINTS, wrong=(WARNED,), right="a.py:3:1: W2: bad"), WARNED, "as_reported"),
        (Expectation(Failure.PRINTS, wrong=(WARNED,), right="a.py:3:1: W2: bad"), "b/a.py:3:1: W2: bad", "passes"),
        (Expectation(Failure.PRINTS, wrong=(WARNED,), right="a.py:3:1: W2: bad"), OK, "fails_otherwise"),
        (Expectation(Failure.PRINTS, right="a.py:3:1: W2: bad"), OK, "as_reported"),
        (Expectation(Failure.PRINTS, right="a.py:3:1: W2: bad"), "a.py:3:1: W2: bad", "passes"),
    ],
)
def test_the_lines_of_a_command(expected: Expectation, out: str, status: str) -> None:
    assert judged(expected, seen((out, None), code=0), Form.COMMAND)[0] == status
    if status != "passes" or expected.right:  # linters tell by their status that they found something, anything
        assert judged(expected, seen((out, None), code=4), Form.COMMAND)[0] == status
    crash = raised("KeyError")
    if status != "as_reported":
        assert judged(expected, seen((out, crash), code=1), Form.COMMAND)[0] == "fails_otherwise"


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
    lines = Expectation(Failure.WARNS, wrong=(WARNED,))
    assert judged(lines, came, Form.COMMAND) == (status, why)
    for expected in (Expectation(Failure.HANGS), Expectation(Failure.RAISES, "TypeError", ("bad",))):
        found, because = judged(expected, came, Form.COMMAND)
        if why == "other words":
            assert found == "passes"
        else:
            assert (found, because) == (status, "status" if status == "fails_otherwise" and code else why)


def test_a_signal_ends_also_a_command_that_had_said_what_it_should() -> None:
    expected = Expectation(Failure.PRINTS, wrong=(WARNED,), right="a.py:3:1: W2: bad")
    assert judged(expected, seen(("a.py:3:1: W2: bad", None), code=-11), Form.COMMAND)[0] == "cannot_run"


def test_a_usage_is_no_lack_of_what_should_come() -> None:
    expected = Expectation(Failure.PRINTS, right="a.py:3:1: W2: bad")
    assert judged(expected, seen((USAGE, None), code=2), Form.COMMAND) == ("fails_otherwise", "usage")


@pytest.mark.parametrize(
    ("code", "out", "status", "found"),
    [
        ("f()", "=== 1 passed in 0.01s ===", 0, "as_reported"),
        ("with pytest.raises(ValueError): f()", "=== 1 passed in 0.01s ===", 0, "passes"),
        ("self.assertRaisesRegex(ValueError, '', f)", "=== 1 passed in 0.01s ===", 0, "passes"),
        ("with pytest.raises(ValueError): f()", "=== 1 skipped in 0.01s ===", 0, "fails_otherwise"),
        ("with pytest.raises(ValueError): f()", "E   Failed: DID NOT RAISE", 1, "as_reported"),
    ],
)
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


@pytest.mark.parametrize(
    ("said", "now", "same"),
    [
        ("name 'unicode' is not defined", "global name 'unicode' is not defined", True),
        ("name 'unicode' is not defined", "name 'basestring' is not defined", False),
        ("'module' object has no attribute 'third'", "module 'halves' has no attribute 'third'", True),
        ("module 'halves' has no attribute 'third'", "module 'halves' has no attribute 'thirds'", False),
        ("module 'halves' has no attribute 'third'", "module 'halves' has no attribute 'helper'", False),
        ("cannot import name 'third' from 'halves' (/a/b.py)", "cannot import name 'third' from 'halves' (/c)", True),
        (
            "cannot import name 'third' from 'halves' (/a/b.py)",
            "cannot import name 'half' from 'halves' (/a/b.py)",
            False,
        ),
        ("No module named 'halves.third'", "No module named 'numpy'", False),
        (
            "f() missing 1 required positional argument: 'second'",
            "g() missing 1 required positional argument: 'x'",
            False,
        ),
        ("f() got an unexpected keyword argument 'second'", "f() got an unexpected keyword argument 'third'", False),
        (
            "unsupported operand type(s) for +: 'int' and 'str'",
            "unsupported operand types for +: 'int' and 'list'",
            True,
        ),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "missing", "torn"),
    [
        (f"{TRACED}{CALLED}ModuleNotFoundError: No module named 'numpy.core'", "numpy.core", False),
        (f"{TRACED}{CALLED}ModuleNotFoundError: No module named 'halves'", "", True),
        (f"{TRACED}{CALLED}ImportError: No module named yaml", "yaml", False),
        (f"{TRACED}{CALLED}ImportError: cannot import name 'x' from 'y'", "", False),
        (f'{TRACED}  File "ROOT/halves/a.py", line 1, in <module>\nAttributeError: x', "", True),
        (f'{TRACED}  File "ROOT/halves/a.py", line 1, in half\nAttributeError: x', "", False),
        (f'{TRACED}  File "ROOT/halves/a.py", line 1, in half\nImportError: cannot import name \'x\'', "", True),
        (f'{TRACED}  File "ROOT/env/site-packages/a.py", line 1, in <module>\nAttributeError: x', "", False),
        (f'{TRACED}  File "<frozen runpy>", line 8, in _run_code\n  File "ROOT/halves/a.py", line 1, in <module>\n'
         "KeyError: 'x'", "", False),
        (f'{TRACED}{CALLED}  File "ROOT/halves/a.py", line 3\n    def\nSyntaxError: invalid syntax', "", True),
        ('  File "/tmp/shown/b.py", line 3\n    def\nSyntaxError: invalid syntax', "", False),
        ("test_a.py:1: in <module>\n    import halves\nROOT/halves/a.py:4: in <module>\nE   KeyError: 'a'", "", True),
        ("test_a.py:1: in <module>\n    1 / 0\nE   ZeroDivisionError: division by zero", "", False),
    ],
)  # fmt: skip
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

    monkeypatch.setattr("bot.fixed.inside.reproduce.run", run)
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
