"""Mutants: small slips in the given lines, each another program, spread over the lines, always the same."""

import pytest
from cosmic_ray.operators.provider import OperatorProvider
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.strength.mutants import OPERATORS, apply, mutants
from tests.support.cases import cases, table

SOURCE = table(str, __file__, "SOURCE")


def texts(source: str, *lines: int, most: int = 100) -> list[str]:
    edits, _ = mutants({"a.py": source}, {"a.py": list(lines)}, most)
    return [apply(source, edit) for edit in edits]


def touched(source: str, mutant: str) -> set[int]:
    both = zip(source.splitlines(), mutant.splitlines(), strict=True)
    return {number for number, (before, after) in enumerate(both, 1) if before != after}


def test_only_the_given_lines_are_touched() -> None:
    found = texts(SOURCE, 3, 4)
    assert [touched(SOURCE, text) for text in found].count({3}) >= 3
    assert all(touched(SOURCE, text) in ({3}, {4}) for text in found)


@cases
def test_slips_one_would_make(line: int, expected: str) -> None:
    assert any(expected in text for text in texts(SOURCE, line))


def test_every_mutant_is_another_program_and_compiles() -> None:
    found = texts(SOURCE, *range(1, 9))
    assert len(set(found)) == len(found)
    for text in found:
        assert text != SOURCE
        compile(text, "mutant", "exec")


@pytest.mark.parametrize("source", ["# 1 + 2\n", '"""1 + 2"""\n', "import os\n", "x: int\n", ""])
def test_where_nothing_can_slip_is_no_mutant(source: str) -> None:
    assert texts(source, *range(1, 10)) == []


def test_what_compiles_to_the_same_is_no_mutant() -> None:
    found = texts("x = 0 * 5\n", 1)
    assert "x = 0 +  5\n" not in found
    assert not any("6" in text or "4" in text for text in found)
    assert "x =  1 * 5\n" in found


def test_two_slips_to_one_program_count_once() -> None:
    assert len(texts("def f(a):\n    return a == 1\n", 2)) == len(set(texts("def f(a):\n    return a == 1\n", 2)))
    assert texts("def f(a):\n    return 2 - 1\n", 2).count("def f(a):\n    return 2 + 1\n") == 1


def test_each_line_has_its_turn() -> None:
    source = "".join(f"a{n} = {n} + {n} * {n}\n" for n in range(1, 11))
    edits, whole = mutants({"a.py": source}, {"a.py": list(range(1, 11))}, 10)
    assert [touched(source, apply(source, edit)) for edit in edits] == [{n} for n in range(1, 11)]
    assert not whole
    assert mutants({"a.py": source}, {"a.py": list(range(1, 11))}, 10) == (edits, whole)


def test_all_of_them_is_said_when_they_are_all() -> None:
    assert mutants({"a.py": "x = a + b\n"}, {"a.py": [1]}, 100)[1]


def test_every_operator_is_known_to_the_tool() -> None:
    provider = OperatorProvider()
    for name in OPERATORS:
        assert provider[name]()


HOSTILE = {
    "does not parse": "def f(:\n",
    "deep": "x = " + "-" * 5_000 + "1\n",
    "long chain": "x = " + "+".join("1" * 5_000) + "\n",
    "brackets": "(" * 5_000,
    "null byte": "x = 1\0\n",
    "lines of all kinds": "a = 1\r\nb = 2\rc = 3\n\x0cd = 4\n",
    "no last newline": "x = 1 + 2",
    "wide letters": "ä = '𝔘' + 'x' * 2\n",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_source_has_some_mutants_or_none(source: str) -> None:
    for text in texts(source, *range(1, 6), most=5):
        compile(text, "mutant", "exec")


def test_edits_fit_whatever_ends_a_line() -> None:
    source = "a = 1\r\nb = 2\r\n\x0cé = 'ä' * 4\r\n"
    assert "a =  2\r\nb = 2\r\n\x0cé = 'ä' * 4\r\n" in texts(source, 1)
    assert "a = 1\r\nb = 2\r\n\x0cé = 'ä' + 4\r\n" in texts(source, 3)


TOKENS = st.sampled_from(
    (
        *("x", "1", "+", "-", "not", "(", ")", "if", ":", "\n", "    ", "for", "in", "is", "==", "[", "]", "break"),
        *("while", "return", "def f():", "except E:", "try:", "@d", "# c", "'s'", "\r\n", ","),
    )
)


@settings(max_examples=100, deadline=None)
@given(st.lists(TOKENS, max_size=30).map(" ".join))
def test_any_text_has_an_answer(source: str) -> None:
    for text in texts(source, *range(1, 20), most=20):
        compile(text, "mutant", "exec")
