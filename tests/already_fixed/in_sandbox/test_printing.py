"""What a program printed against what the report shows and asks for."""

from dataclasses import asdict

import pytest

from bot.already_fixed.in_sandbox import comparing, judging
from bot.already_fixed.values import Expectation, Failure, Form
from tests.already_fixed.seen import judged, raised, seen
from tests.support.cases import cases


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


@cases
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


@cases
def test_a_value_may_be_written_in_another_way(
    expected: Expectation, last: str, values: dict[str, str], status: str
) -> None:
    plan = {"form": "session", "code": "", "steps": ["a = 3", "half(a)"], "expectation": asdict(expected)}
    assert judging.judge(plan, seen(("", None), (last, None), values=values))["seen"] == status


@cases
def test_a_value_in_place_of_what_is_shown(statement: str, text: str, made: str) -> None:
    assert comparing.instead(statement, text) == made


WARNED, OK = "/x/y/a.py:3:1: W1: unused (no-use)", "fine"


@cases
def test_the_lines_of_a_command(expected: Expectation, out: str, status: str) -> None:
    assert judged(expected, seen((out, None), code=0), Form.COMMAND)[0] == status
    if status != "passes" or expected.right:  # linters tell by their status that they found something, anything
        assert judged(expected, seen((out, None), code=4), Form.COMMAND)[0] == status
    crash = raised("KeyError")
    if status != "as_reported":
        assert judged(expected, seen((out, crash), code=1), Form.COMMAND)[0] == "fails_otherwise"


def test_a_signal_ends_also_a_command_that_had_said_what_it_should() -> None:
    expected = Expectation(Failure.PRINTS, wrong=(WARNED,), right="a.py:3:1: W2: bad")
    assert judged(expected, seen(("a.py:3:1: W2: bad", None), code=-11), Form.COMMAND)[0] == "cannot_run"


def test_a_usage_is_no_lack_of_what_should_come() -> None:
    expected = Expectation(Failure.PRINTS, right="a.py:3:1: W2: bad")
    assert judged(expected, seen(("usage: halve [options]", None), code=2), Form.COMMAND) == (
        "fails_otherwise",
        "usage",
    )
