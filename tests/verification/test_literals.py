"""Calls, expectations and models' tests, read from text nobody trusts: which count, and the file made of them."""

import ast
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.answer import quoted
from bot.judges.code import Interface, SpecTest
from bot.verification.fix_guided.specified import Examples, uncontested
from bot.verification.literals import (
    MAX_TEXT,
    calls_in,
    interface_of,
    is_module,
    literal_call,
    name_to_import,
    read_call,
    read_expected,
    same,
    same_value,
)
from bot.verification.model_tests import EXAMPLES_FILE, MAX_TESTS, as_suite, holds, source, usable
from bot.verification.values import Observed
from tests.support.cases import cases, table
from tests.support.properties import patient

INTERFACE = Interface("solution", ("f(a, b=1, *, c=None)", "g(*xs: int, **more) -> int", "h(x, /)", "broken(("))

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4)
KEYS = st.integers() | st.text(max_size=3)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def written(value: object) -> str:
    """As the sandbox writes values: NaN and infinity are calls of `float`."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, tuple):
        return f"({written(value[0])},)"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in value.items()) + "}"
    return repr(value)


@cases
def test_a_literal_call_has_a_normal_form(text: str, normal: str) -> None:
    call = read_call(text, INTERFACE)
    assert call is not None
    assert call.text == normal


LONG = ("f(" + "9" * 5000 + ")", "f(" + "[" * 1500 + "]" * 1500 + ")", "f('" + "a" * MAX_TEXT + "')")


@pytest.mark.parametrize("text", [*table(list[str], __file__, "test_anything_else_is_no_call"), *LONG])
def test_anything_else_is_no_call(text: str) -> None:
    assert read_call(text, INTERFACE) is None


def test_two_ways_to_write_a_call_are_told_to_be_one() -> None:
    assert len({read_call(text, INTERFACE) for text in ("f(1)", "f(a=1)", "f(1, 1)", "f(1, c=None, b=1)")}) == 1
    assert read_call("f(1)", INTERFACE) != read_call("f(2)", INTERFACE)


@cases
def test_an_expectation_is_a_literal_or_a_built_in_exception(text: str, normal: str | None) -> None:
    assert read_expected(text) == normal


@patient
@given(VALUES)
def test_every_literal_survives(value: object) -> None:
    normal = read_expected(written(value))
    assert normal is not None
    assert read_expected(normal) == normal
    assert same(normal, written(value))


@patient
@given(st.text(max_size=60))
def test_no_text_is_read_as_more_than_a_call(text: str) -> None:
    for given_text in (text, f"f({text})", f"f('{text}')"):
        call = literal_call(given_text)
        if call is not None:
            names = [node.id for node in ast.walk(call) if isinstance(node, ast.Name)]
            assert set(names[1:]) <= {"float", "set"}
        read_expected(given_text)
        list(calls_in(given_text, INTERFACE))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1", "1.0", True),
        ("0.3", "0.1 + 0.2j", False),
        ("0.30000000000000004", "0.3", True),
        ("3", "3.0000000001", True),
        ("[1, {'a': 0.3}]", "[1, {'a': 0.30000000000000004}]", True),
        ("0.3", "0.31", False),
        ("(1, 2)", "[1, 2]", False),
        ("{1, 2}", "{2, 1}", True),
        ("[1]", "[1, 2]", False),
        ("{'a': 1}", "{'b': 1}", False),
        ("float('nan')", "float('nan')", True),
        ("float('nan')", "1.0", False),
        ("float('inf')", "1e999", True),
        ("1.5", "1" + "0" * 400, False),
        ("'1'", "1", False),
        ("raises ValueError", "raises ValueError", True),
        ("raises ValueError", "raises KeyError", False),
        ("raises ValueError", "'raises ValueError'", False),
    ],
)
def test_what_means_the_same(one: str, other: str, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


@patient
@given(VALUES, VALUES)
def test_equality_never_fails(one: object, other: object) -> None:
    assert same_value(one, one)
    if one and other:  # nearly nothing is nothing, and yet nothing is not enough where a little is expected
        assert same_value(one, other) == same_value(other, one)


@pytest.mark.parametrize(
    ("found", "expected", "equal"),
    [(5.5e-17, 0.0, True), (0.0, 3.2e-19, False), (3.2e-18, 3.2e-19, False), (1e-7, 0.0, False)],
)
def test_small_numbers_are_held_against_what_is_expected(found: float, expected: float, equal: bool) -> None:
    assert same_value(found, expected) is equal


def test_the_interface_of_a_module_are_its_public_functions() -> None:
    source = "import os\ndef a(x: list[int] = [1], *y) -> int: pass\ndef _b(): pass\nclass C:\n def d(self): pass"
    source += "\n def _e(self): pass"
    assert interface_of(source, "m").signatures == ("a(x: list[int]=[1], *y) -> int", "C.d(self)")
    assert interface_of("def a(:", "m").signatures == ()


METHODS = interface_of(
    "class Ferry:\n def __init__(self, least=5): ...\n def fare(self, m, k=1): ...\nclass Words:\n def a(self, t): ...",
    "m",
)


@pytest.mark.parametrize(
    ("text", "alike", "names"),
    [
        ("Ferry().fare( 3 )", "Ferry(5).fare(m=3, k=1)", "Ferry"),
        ("Words().a('x')", "Words().a(t='x')", "Words"),
        ("Ferry(1, 2).fare(3)", None, None),
        ("Words(3).a('x')", None, None),
        ("Ferry(x).fare(3)", None, None),
        ("Ferry().fare()", None, None),
        ("Ferry()", None, None),
        ("Ferry().fare(3).more()", None, None),
    ],
)
def test_a_method_is_called_of_an_object_made_for_it(text: str, alike: str | None, names: str | None) -> None:
    found = read_call(text, METHODS)
    assert (found is None) is (alike is None)
    if alike and names:
        node = literal_call(text)
        assert found == read_call(alike, METHODS) and node and name_to_import(node) == names
        assert list(calls_in(f"But `{text}` gives 40", METHODS)) == [found.text if found else ""]


@cases
def test_a_module_is_named_by_identifiers(name: str, importable: bool) -> None:
    assert is_module(name) is importable


@cases
def test_the_calls_a_text_names(text: str, calls: list[str]) -> None:
    assert list(calls_in(text, INTERFACE)) == calls


SPECIFICATION = """Return the numbers of the list that are above the limit,
in the order in which they come. A negative limit is refused with a ValueError.

    above([1, 5, 3], 2) == [5, 3]
"""
HALF = Interface("solution", ("above(numbers, limit=0)",), ("assert above([], 4) == []",))
ORDER = "in the order in which they come"


SHOWN = (SpecTest("", "above([1, 5, 3], 2)", "[5, 3]"), SpecTest("", "above([], 4)", "[]"))


def spec_test(call: str = "above([7, 9], 8)", expected: str = "[9]", clause: str = ORDER) -> SpecTest:
    return SpecTest(clause, call, expected)


def test_a_good_test_counts_in_normal_form() -> None:
    found = usable(
        [spec_test("above( [7,9],limit=8 )", "[ 9]", "in the  order in which\nthey come")], SPECIFICATION, HALF
    )
    assert found == (spec_test("above([7, 9], limit=8)"),)


@cases
def test_what_may_not_count(test: SpecTest) -> None:
    assert usable([test], SPECIFICATION, HALF, SHOWN) == ()


def test_an_example_said_again_is_no_contradiction() -> None:
    found = usable([spec_test("above([1, 5, 3], 2)", "[5, 3]")], SPECIFICATION, HALF, SHOWN)
    assert len(found) == 1


def test_the_first_of_two_that_say_the_same_stays() -> None:
    first = spec_test("above([1], 0)", "[1]", "Return the numbers of the list")
    found = usable([first, spec_test("above([1])", "[1.0]"), spec_test()], SPECIFICATION, HALF)
    assert found == (first, spec_test())


def test_tests_that_contradict_each_other_count_for_nothing() -> None:
    found = usable([spec_test(), spec_test(expected="[]"), spec_test("above([2], 1)", "[2]")], SPECIFICATION, HALF)
    assert [test.call for test in found] == ["above([2], 1)"]


def test_the_number_is_bounded() -> None:
    many = [spec_test(f"above([{n}], 0)", f"[{n}]") for n in range(1, MAX_TESTS + 4)]
    found = usable(many, SPECIFICATION, HALF)
    assert len(found) == MAX_TESTS
    assert found[0].call == "above([1], 0)"


@pytest.mark.parametrize(
    ("clause", "specification", "quote"),
    [
        ("is  refused\nwith", "It is refused with an error.", "is refused with"),
        ("is refu\u200bsed with", "It is refused with an error.", ""),
        ("is refused wit", "It is refused with an error.", ""),
        ("s refused with", "It is refused with an error.", ""),
        ("error.", "It is refused with an error.", ""),
        ("Add one.", "Add one.", "Add one."),
        ("", "", ""),
        (" \n", "text", ""),
        ("(an empty list)", "gives it(an empty list) back", "(an empty list)"),
        ("word " * 200, "word " * 400, ("word " * 200)[:400].rstrip()),
    ],
)
def test_a_quote_is_verbatim_in_whole_words(clause: str, specification: str, quote: str) -> None:
    assert quoted(clause, specification) == quote


@cases
def test_what_a_program_did_is_held_against_an_expectation(
    expected: str, observed: Observed, answer: bool | None
) -> None:
    assert holds(expected, observed) is answer


def test_the_file_judges_programs(tmp_path: Path) -> None:
    tests = (
        spec_test(),
        spec_test("above([1], -1)", "raises ValueError", "A negative limit is refused with a ValueError."),
        spec_test("above([0.1, 0.3], 0.2)", "[0.30000000001]"),
    )
    refuse = "if limit < 0: raise ValueError"
    right = f"def above(numbers, limit=0):\n    {refuse}\n    return [n for n in numbers if n > limit]\n"
    programs = {
        "right": right,
        "wrong": right.replace(refuse, "pass"),
        "lazy": right.replace("return [n", "yield from [n"),  # refused when it is read
    }
    for name, program in programs.items():
        suite = as_suite(tests, name)
        assert suite.select == (EXAMPLES_FILE,)
        (tmp_path / f"test_{name}.py").write_bytes(suite.files[EXAMPLES_FILE])
        (tmp_path / f"{name}.py").write_text(program)
    argv = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    told = subprocess.run(argv, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False).stdout
    *_, failed, summary = told.strip().splitlines()
    assert summary.startswith("1 failed, 8 passed in")
    assert failed.startswith("FAILED test_wrong.py::test_specification_2 ")


HOSTILE = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            ['"""', "'''", "'", '"', "\\", "\n", "\r", "\x00", "\ud800", "\u2028", "{x}", "%s", "#", "import os", ")"]
        ),
        max_size=12,
    ).map("".join),
)


@patient
@given(HOSTILE, HOSTILE, st.booleans())
def test_no_text_breaks_out_of_the_source(clause: str, text: str, raises: bool) -> None:
    call = ast.unparse(ast.Call(ast.Name("above"), [ast.List([ast.Constant(text)])], []))
    expected = "raises ValueError" if raises else read_expected(repr([text]))
    assert expected is not None
    code = source([SpecTest(clause, call, expected), spec_test()], "package.solution")
    code.encode()
    tree = ast.parse(code)
    *head, hostile, plain = tree.body
    assert [ast.dump(node) for node in head] == [ast.dump(node) for node in ast.parse(source([], "solution")).body]
    for function in (hostile, plain):
        assert isinstance(function, ast.FunctionDef)
        assert len(function.body) == (3 if raises and function is hostile else 4)
        assert isinstance(function.body[1], ast.ImportFrom)
    assert isinstance(hostile, ast.FunctionDef)
    assert ast.literal_eval(hostile.body[0].value) == clause  # type: ignore[attr-defined]
    said = hostile.body[3].msg if not raises else None  # type: ignore[attr-defined]
    shown = {node.value for node in ast.walk(said) if isinstance(node, ast.Constant)} if said else set()
    assert all(isinstance(value, str) for value in shown)
    strings = {node.value for part in hostile.body[2:] for node in ast.walk(part) if isinstance(node, ast.Constant)}
    assert strings - shown <= {text}


@cases
def test_what_was_never_checked_becomes_no_source(test: SpecTest, module: str) -> None:
    with pytest.raises(ValueError):
        source([test], module)


@cases
def test_an_example_that_a_test_contradicts_counts_for_nobody(asserted: dict[str, str], counts: bool) -> None:
    example = SpecTest("half(4) gives 2", "half(4)", "2")
    assert uncontested(Examples((example,)), asserted).demanded == ((example,) if counts else ())
