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
from bot.verification.calls.observe import Surroundings
from bot.verification.files.bodies import Bodies, places
from bot.verification.files.index import FileIndex
from bot.verification.files.rust_tests import only_tests, with_tests_of
from bot.verification.trial import go_calls, rust_calls, setup, typed_calls
from bot.verification.trial.setup import TrialSetup
from bot.verification.trial.typed_calls import TypedCalls
from bot.verification.values import Base, Ending, Program, Suite
from tests.support.cases import cases, table
from tests.support.needs import program
from tests.support.properties import patient
from tests.support.sandbox import BUBBLEWRAP

FILES = table(dict[str, dict[str, str]], __file__, "FILES")
COMMANDS = {"go": ("go", "test", "./..."), "rust": ("cargo", "test", "--offline")}
PROGRAMS = {"go": "go", "rust": "cargo"}
CALLED = table(dict[str, list[str]], __file__, "CALLED")
SEEN = table(dict[str, list[list[str]]], __file__, "SEEN")
IN_A_TEST = table(dict[str, dict[str, str]], __file__, "IN_A_TEST")
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
    told = calls_of.look(head, list(IN_A_TEST[name]), 100, Surroundings.TESTED)
    assert {call: each.value for call, each in zip(IN_A_TEST[name], told, strict=True)} == IN_A_TEST[name]


@cases
def test_calls_as_rust_writes_them(source: str, given: list[object], written: str) -> None:
    (function,) = rust_calls.functions("a.rs", source.encode())
    assert rust_calls.call(function, given) == written


def test_a_file_that_is_called_as_the_folder_of_rusts_code_is_looked_at_in_a_test() -> None:
    """A module may lie anywhere."""
    source = b"pub fn one(of: u8) -> u8 { of }\n"
    told = {"Cargo.toml": b"[package]\nname = 'a'\n", "src/lib.rs": b'#[path = "../src.rs"] mod y;\n', "src.rs": source}
    (function,) = rust_calls.functions("src.rs", source)
    made, line = rust_calls.maker(Program(None, told), {"src.rs": [(function, 0, "one(1)")]}, "into", tested=False)
    assert made.keys() == {"src.rs"}
    assert "cargo test --lib" in line


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


PRODUCT = b"use std::fmt;\n\n/// One.\n#[inline]\npub fn one() -> u8 {\n    1\n}\n"
TESTS = b"#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {\n        assert_eq!(super::one(), 1);\n    }\n}"
BASE = PRODUCT + b"\n" + TESTS + b"\n"
TWO = BASE.replace(b"    1\n", b"    2\n")
COMMAND = ("/bin/sh", "-c", "cargo test")


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        (BASE, TESTS),
        (PRODUCT, b""),
        (b"#[test]\nfn works() {}\n" + PRODUCT, b"#[test]\nfn works() {}"),
        (b"#[tokio::test]\nasync fn works() {}\n", b"#[tokio::test]\nasync fn works() {}"),
        (b"#[cfg(test)]\nuse a::b;\nuse c::d;\n", b"#[cfg(test)]\nuse a::b;"),
        (
            b"#[cfg(test)]\n// Why.\n#[allow(dead_code)]\nmod a;\n",
            b"#[cfg(test)]\n// Why.\n#[allow(dead_code)]\nmod a;",
        ),
        (b"#[cfg(not(test))]\nfn product() {}\n", b""),
        (b'#[cfg(feature = "a")]\nfn product() { test() }\n', b""),
    ],
)
def test_what_only_tests_have(source: bytes, tests: bytes) -> None:
    assert only_tests(source) == tests


@pytest.mark.parametrize(
    ("head", "judged"),
    [
        (TWO.replace(b", 1)", b", 2)"), TWO),
        (TWO.replace(b"#[test]", b"#[test]\n    #[ignore]"), TWO),
        (TWO.replace(TESTS + b"\n", b""), TWO.replace(TESTS, b"\n" + TESTS)),
        (TESTS.replace(b"works", b"holds") + b"\n" + PRODUCT, TESTS + b"\n" + PRODUCT),
        (TWO + b"\n#[test]\nfn more() {}\n", TWO + b"\n\n"),
    ],
    ids=["weakened", "ignored", "removed", "elsewhere", "more"],
)
def test_the_bases_tests_judge_the_heads_code(head: bytes, judged: bytes) -> None:
    base = Program(None, {"src/lib.rs": BASE})
    judges = FileIndex.of(base, Program(None, {"src/lib.rs": head}), COMMAND)
    assert judges.inline == {"src/lib.rs"}
    assert judges.judged.files == {"src/lib.rs": judged}
    assert with_tests_of(BASE, head) == judged


@pytest.mark.parametrize("attribute", [b"#[cfg_attr(test, derive(Debug))]", b'#[cfg(any(test, feature = "a"))]'])
def test_a_products_item_that_names_tests_in_its_attribute_is_the_heads(attribute: bytes) -> None:
    """It is what is judged: were the base's taken, nobody would see it break."""
    base, head = (source.replace(b"#[inline]", attribute) for source in (BASE, TWO))
    judges = FileIndex.of(Program(None, {"src/lib.rs": base}), Program(None, {"src/lib.rs": head}), COMMAND)
    assert judges.judged.files == {"src/lib.rs": head}


def test_code_that_changes_beside_the_same_tests_is_the_heads_as_it_is() -> None:
    base = Program(None, {"src/lib.rs": BASE})
    judges = FileIndex.of(base, Program(None, {"src/lib.rs": TWO}), COMMAND)
    assert judges.inline == frozenset()
    assert judges.judged.files == {"src/lib.rs": TWO}


def test_a_test_is_found_in_the_file_of_its_module() -> None:
    name = "src/lib.rs::price::cents::tests::works"
    assert [place for place, _ in places(name)] == [
        *("src/price/cents/tests.rs", "src/price/cents/tests/mod.rs", "src/price/cents.rs", "src/price/cents/mod.rs"),
        *("src/price.rs", "src/price/mod.rs", "src/lib.rs"),
    ]
    files = {"crates/shop/src/price/cents.rs": TESTS}
    bodies = Bodies(files.get, frozenset(files))
    assert bodies.place(name) == "crates/shop/src/price/cents.rs"
    assert "assert_eq!" in bodies.source(name)
    assert not bodies.has("src/lib.rs::price::tests::works")
