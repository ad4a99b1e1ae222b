"""Calls of programs of Go and Rust: which are recorded, how they are written, and what they give."""

import time
from pathlib import Path

import pytest

from bot.telemetry.traces import Pool
from bot.verification.differential.observe import Surroundings
from bot.verification.files.index import FileIndex
from bot.verification.trial import go_calls, rust_calls
from bot.verification.trial.setup import TrialSetup
from bot.verification.trial.typed_calls import TypedCalls
from bot.verification.values import Base, Ending, Observed, Program, Suite
from tests.support.cases import cases, table
from tests.support.needs import program
from tests.support.sandbox import BUBBLEWRAP

FILES = table(dict[str, dict[str, str]], __file__, "FILES")
COMMANDS = {"go": ("go", "test", "./..."), "rust": ("cargo", "test", "--offline")}
PROGRAMS = {"go": "go", "rust": "cargo"}
CALLED = table(dict[str, list[str]], __file__, "CALLED")
SEEN = table(dict[str, list[list[str]]], __file__, "SEEN")
LANGUAGES = {"go": (go_calls, "a.go"), "rust": (rust_calls, "a.rs")}


@pytest.fixture(params=FILES)
def typed_calls(request: pytest.FixtureRequest, tmp_path: Path) -> TypedCalls:
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


def test_calls_are_recorded_and_made_again(typed_calls: TypedCalls) -> None:
    name = "go" if typed_calls.language.ending == ".go" else "rust"
    assert sorted({call.expression for call in typed_calls.record()}) == sorted(CALLED[name])
    calls, head, base = [call for call, *_ in SEEN[name]], typed_calls.trial.head, typed_calls.trial.base.program
    for side, at in ((head, 1), (base, 2)):
        seen = typed_calls.look(side, calls, 100, Surroundings.BARE)
        assert [f"{each.ending} {each.value}".strip() for each in seen] == [row[at] for row in SEEN[name]]
    assert typed_calls.look(head, calls, 100, Surroundings.ELSEWHERE) == ()
    alone = typed_calls.look(head, ["shop_price_list.Lone()"], 100, Surroundings.TESTED)
    assert alone == ((Observed(Ending.RETURNED, "False"),) if name == "go" else ())


@cases
def test_calls_as_rust_writes_them(source: str, given: list[object], written: str) -> None:
    (function,) = rust_calls.functions("a.rs", source.encode())
    assert rust_calls.call(function, given) == written


@cases
def test_functions_of_other_forms_are_left_alone(language: str, source: str) -> None:
    of, path = LANGUAGES[language]
    assert of.functions(path, source.encode()) == []
