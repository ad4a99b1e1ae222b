"""Calls of programs of Go and Rust: which are recorded, how they are written, and what they give."""

import json
import math
import time
from pathlib import Path
from unittest.mock import Mock, patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.telemetry.traces import Pool
from bot.verification.differential.observe import Surroundings
from bot.verification.files.index import FileIndex
from bot.verification.trial import go_calls, rust_calls, setup, typed_calls
from bot.verification.trial.setup import TrialSetup
from bot.verification.trial.typed_calls import TypedCalls
from bot.verification.values import Base, Ending, Observed, Program, Suite
from tests.support.cases import cases, table
from tests.support.needs import program
from tests.support.properties import patient
from tests.support.sandbox import BUBBLEWRAP

FILES = table(dict[str, dict[str, str]], __file__, "FILES")
COMMANDS = {"go": ("go", "test", "./..."), "rust": ("cargo", "test", "--offline")}
PROGRAMS = {"go": "go", "rust": "cargo"}
CALLED = table(dict[str, list[str]], __file__, "CALLED")
SEEN = table(dict[str, list[list[str]]], __file__, "SEEN")
LANGUAGES = {"go": (go_calls, "a.go"), "rust": (rust_calls, "a.rs")}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
TOLD = st.tuples(JSON, st.sampled_from(Ending) | JSON, JSON).map(json.dumps)
LINES = TOLD | TOLD.map("a.go F ".__add__) | JSON.map(json.dumps)


@pytest.fixture(params=FILES)
def calls_of(request: pytest.FixtureRequest, tmp_path: Path) -> TypedCalls:
    """Of a change that gives back one more in each function, and brings one of them."""
    name = request.param
    program(PROGRAMS[name])
    for path, text in FILES[name].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    suite = Suite(command=COMMANDS[name])
    before = {path: text.partition("// New.")[0].encode() for path, text in FILES[name].items() if "// New." in text}
    base = Base(Program(tmp_path, before), suite)
    trial = TrialSetup(BUBBLEWRAP, base, Program(tmp_path, {}), suite, "", time.monotonic() + 120, Pool(2))
    return TypedCalls(trial, FileIndex.of(base.program, trial.head, suite.command), 100)


def test_calls_are_recorded_and_made_again(calls_of: TypedCalls) -> None:
    name = "go" if calls_of.language.ending == ".go" else "rust"
    assert sorted({call.expression for call in calls_of.record()}) == sorted(CALLED[name])
    calls, head, base = [call for call, *_ in SEEN[name]], calls_of.trial.head, calls_of.trial.base.program
    for side, at in ((head, 1), (base, 2)):
        seen = calls_of.look(side, calls, 100, Surroundings.BARE)
        assert [f"{each.ending} {each.value}".strip() for each in seen] == [row[at] for row in SEEN[name]]
    assert calls_of.look(head, calls, 100, Surroundings.ELSEWHERE) == ()
    alone = calls_of.look(head, ["shop_price_list.Lone()"], 100, Surroundings.TESTED)
    assert alone == ((Observed(Ending.RETURNED, "False"),) if name == "go" else ())


@cases
def test_calls_as_rust_writes_them(source: str, given: list[object], written: str) -> None:
    (function,) = rust_calls.functions("a.rs", source.encode())
    assert rust_calls.call(function, given) == written


@cases
def test_functions_of_other_forms_are_left_alone(language: str, source: str) -> None:
    of, path = LANGUAGES[language]
    assert of.functions(path, source.encode()) == []


@given(st.binary() | st.lists(LINES).map(lambda lines: "\n".join([*lines, ""]).encode()))
@example(b'[0, "returned", {"a": 1}]\n')
@example(b'[Infinity, "returned", "x"]\n')
@example(b'[0, "returned", "\\ud800"]\n')
@example(b'[0, "returned", ' + b"[" * 100_000 + b"\n")
@example(b"a.go F " + b"[" * 1_900)
@patient
def test_whatever_stands_in_place_of_what_is_told_of_calls_raises_nothing(told: bytes) -> None:
    program = Program(None, {"a.go": b"package a; func F(a int) int { return a }"})
    suite = Suite(command=COMMANDS["go"])
    trial = TrialSetup(BUBBLEWRAP, Base(Program(None, {}), suite), program, suite, "", math.inf, Pool(1))
    calls = TypedCalls(trial, FileIndex.of(trial.base.program, program, suite.command), 100)
    run = Mock(left=Mock(get=Mock(return_value=told)))  # under whatever name
    with patch(f"{typed_calls.__name__}.run_suite", return_value=run):
        assert all(call.expression.startswith("a.F(") for call in calls.record())
    with patch(f"{setup.__name__}.run_suite", return_value=run):
        seen = calls.look(program, ["a.F(1)"], 100, Surroundings.BARE)
    assert len(seen) <= 1
    "".join(each.value for each in seen).encode()  # it can be stored
