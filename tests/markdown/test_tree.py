"""Which code, headings and tables GitHub shows in a text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.markdown.blocks import Sort, blocks
from bot.markdown.tree import fenced_lines, parts
from tests.support.cases import cases


@cases
def test_parts_of_a_text(text: str, found: list[list[object]]) -> None:
    assert [[part.kind.value, part.text, part.language or part.level] for part in parts(text)] == found


def test_rows_of_a_table() -> None:
    (table,) = parts("| call | now |\n|---|:-:|\n| `f(1)` | `a\\|b` |\n| f(2) | 3 |\nand so on\n")
    assert table.rows == (("call", "now"), ("`f(1)`", "`a|b`"), ("f(2)", "3"), ("and so on", ""))
    assert (table.begin, table.end) == (0, 5)


@cases
def test_lines_of_fenced_code(text: str, fenced: str) -> None:
    assert "".join("x" if code else "-" for code in fenced_lines(text)) == fenced


@cases
def test_what_people_type_at_a_prompt_is_code(text: str, code: list[str]) -> None:
    assert [block.text for block in blocks(text) if block.sort is Sort.CODE] == code


@given(st.lists(st.sampled_from(["`", "```", "~~~", "#", ">", "-", "1.", "|", " ", "    ", "\n", "a", ">>> ", "\t"])))
def test_parts_of_any_text_stand_one_behind_another(pieces: list[str]) -> None:
    text = "".join(pieces)
    ends = [0, *(line for part in parts(text) for line in (part.begin, part.end)), text.count("\n") + 1]
    assert ends == sorted(ends)


@pytest.mark.parametrize("line", ["> " * 30, "- " * 30, "    ```", "~~~\n> ```", "|" * 300, "|-" * 150, "1. a\n   - b"])
def test_hostile_text_is_read_in_linear_time(line: str) -> None:
    def seconds(size: int) -> float:
        text, began = f"{line}\n" * (size // len(line)), time.process_time()
        parts(text)
        return time.process_time() - began

    assert seconds(60_000) < 20 * seconds(10_000) + 0.5
