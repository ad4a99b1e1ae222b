"""What came of a reproduction against what the report says: the part of the file that needs no process."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.in_sandbox import comparing, judging, reproduce
from bot.already_fixed.script import runnable, shown
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction, Seen
from tests.already_fixed.seen import judged, raised, seen
from tests.support.cases import cases, table
from tests.support.properties import patient

RAISES = Expectation(Failure.RAISES, "TypeError", ("unsupported operand type(s) for +: 'int' and 'str'",))


PRINTS = Expectation(Failure.PRINTS, wrong=("1 2 3",), right="1 2 4")


OUT = "it said"


@dataclass(frozen=True)
class Row:
    """What a report expects of a script, what came, and what is made of it. steps: whether any statement ended. raised:
    by what its one step ended, with `types` from the exception's own to the last below `Exception`."""

    expected: Expectation
    status: str
    why: str
    out: str = ""
    raised: dict[str, Any] | None = None
    steps: bool = True
    came: dict[str, Any] = field(default_factory=dict)

    def seen(self) -> dict[str, Any]:
        error = None
        if self.raised is not None:
            types, message = self.raised["types"], self.raised.get("message", "")
            error = {**raised(types[0], message, *types[1:]), **self.raised, "types": [*types, "Exception"]}
            error["message"] = message
        return {**(seen((self.out, error)) if self.steps else seen()), **self.came}


TABLE = table(dict[str, Row], __file__, "TABLE")


@pytest.mark.parametrize("name", TABLE)
def test_the_table(name: str) -> None:
    row = TABLE[name]
    assert judged(row.expected, row.seen()) == (row.status, row.why)


@cases
def test_what_should_come_may_be_printed_before_what_failed(right: str, printed: str, last: str, status: str) -> None:
    expected = Expectation(Failure.RAISES, "ParseError", right=right)
    came = seen((printed, None), (last, None))
    assert judged(expected, came, Form.SESSION, steps=("print(dumps(x))", "parse(text)"))[0] == status
    assert judged(expected, came, Form.SESSION, steps=("dumps(x)", "parse(text)"))[0] == "fails_otherwise"


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
    assert reproduce.traced(text)["types"] == ["OwnError"]
    assert reproduce.traced("all is well") is None


@pytest.mark.parametrize(
    ("end", "message"),
    [("halves.py:4: OwnError", "no"), ("halves.py:4: OwnError: yes", "yes"), ("halves.py:4: KeyError", "")],
)
@pytest.mark.parametrize("indent", [3, 11, 40])
def test_the_message_stands_above_the_line_that_says_where(end: str, message: str, indent: int) -> None:
    """As in pytest's reports, as far to the right as the line of code that raised."""
    assert reproduce.traced(f"E{' ' * indent}pkg.OwnError: no\n\n{end}\n")["message"] == message


TRACED = "Traceback (most recent call last):\n"


CALLED = '  File "/bin/halve", line 8, in <module>\n    sys.exit(main())\n'


@cases
def test_what_a_printed_traceback_says_of_imports(tmp_path: Path, text: str, missing: str, torn: bool) -> None:
    (tmp_path / "src/halves").mkdir(parents=True)
    (tmp_path / "src/halves/__init__.py").touch()
    found = reproduce.traced(text.replace("ROOT", str(tmp_path)), "/tmp/shown", str(tmp_path))
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
