"""What can be broken in each language, and small slips in given lines: each another program, always the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.defects.defect import BREAKABLE, defects, places
from bot.verification.defects.slips import slips
from bot.verification.values import Program
from tests.support.cases import cases, table
from tests.support.properties import patient

SOURCE = table(str, __file__, "SOURCE")


def texts(source: str, *lines: int, most: int = 100) -> list[str]:
    made = slips({"a.py": source.encode()}, {"a.py": lines}, most)
    return [each.apply(source.encode()).decode() for each in made]


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
    assert not any("6" in text or "4" in text for text in found)
    assert "x = 1 * 5\n" in found


def test_two_slips_to_one_program_count_once() -> None:
    assert len(texts("def f(a):\n    return a == 1\n", 2)) == len(set(texts("def f(a):\n    return a == 1\n", 2)))
    assert texts("def f(a):\n    return 2 - 1\n", 2).count("def f(a):\n    return 2 + 1\n") == 1


def test_each_line_has_its_turn() -> None:
    source = "".join(f"a{n} = {n} + {n} * {n}\n" for n in range(1, 11))
    found = texts(source, *range(1, 11), most=10)
    assert [touched(source, text) for text in found] == [{n} for n in range(1, 11)]
    assert texts(source, *range(1, 11), most=10) == found


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


@cases
def test_in_any_language_what_a_line_looks_like_tells(path: str, text: str, found: list[str]) -> None:
    made = slips({path: text.encode()}, {path: range(1, 9)}, 20)
    assert [each.told.partition(": ")[2] for each in made] == found


def test_edits_fit_whatever_ends_a_line() -> None:
    source = "a = 1\r\nb = 2\r\n\x0cé = 'ä' * 4\r\n"
    assert "a = 2\r\nb = 2\r\n\x0cé = 'ä' * 4\r\n" in texts(source, 1)
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


@cases
def test_functions_and_constants(path: str, text: str, found: dict[str, list[str]]) -> None:
    """found: by the name of a function or constant, how the line of its first defects begins with each of them."""
    source = text.encode()
    there = places(Program(None, {path: source}), path)
    assert {place.name for place in there} == found.keys()
    for place, its in there.items():
        assert 1 <= place.first <= place.last <= text.count("\n") + 1
        for defect, says in zip(its, found[place.name], strict=False):
            assert says in defect.apply(source).decode(), defect.told


@cases
def test_types_of_what_a_function_gives(path: str, text: str, statements: list[str]) -> None:
    told = [each.told.partition(" → ")[2] for each in defects(path, text.encode())]
    assert told[: len(statements)] == statements


@patient
@given(st.text(max_size=300), st.sampled_from(BREAKABLE))
def test_every_text_is_read(text: str, ending: str) -> None:
    defects(f"a{ending}", text.encode())
