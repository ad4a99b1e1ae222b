"""Tables of examples: each row is one, with what comes of it and what should come beside it. Pure, linear."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from bot.already_fixed.reading import python
from bot.already_fixed.reading.wording import pattern

_RULE = re.compile(r"\|?(?:\s{0,20}:?-{1,80}:?\s{0,20}\|){1,20}(?:\s{0,20}:?-{1,80}:?\s{0,20})?")
_BETWEEN = re.compile(r"(?<!\\)\|")
_WANTED = pattern("wanted_column")
_NOW = pattern("column_now")
_MOST_ROWS = 20


def examples(lines: Sequence[str], at: int) -> tuple[int, list[tuple[str, str]]]:
    """Where the table ends that begins at this line, and its rows: code, and what is said of it as a sentence. No rows
    where it does not say what should come, and 0 where no table begins."""
    heads = _cells(lines[at])
    rule = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if len(heads) < 2 or not _RULE.fullmatch(rule) or len(_cells(rule)) != len(heads):
        return 0, []
    rows = [*takewhile(lambda line: "|" in line, lines[at + 2 :])]
    wanted = [number for number, head in enumerate(heads) if _WANTED.search(head)]
    now = [number for number, head in enumerate(heads) if _NOW.search(head) and number not in wanted]
    told = _told(map(_cells, rows[:_MOST_ROWS]), now, wanted[0]) if len(wanted) == 1 else ()
    return at + 2 + len(rows), list(told)


def _told(rows: Iterator[list[str]], now: Sequence[int], wanted: int) -> Iterator[tuple[str, str]]:
    for row in rows:
        shown = [cell for number, cell in enumerate(row) if number not in (*now, wanted) and _is_example(cell)]
        if len(shown) == 1 and len(row) > wanted and row[wanted]:
            come = [row[number] for number in now if number < len(row) and row[number]]
            gives = f"gives `{come[0]}`, but it " if len(come) == 1 else ""
            code = shown[0] if python.expression(shown[0]) else f"$ {shown[0].removeprefix('$ ')}"
            yield code, f"It {gives}should give `{row[wanted]}`."


def _is_example(cell: str) -> bool:
    """Whether it may be a call, or a command line."""
    value = python.expression(cell)
    return isinstance(value, ast.Call) or (value is None and " " in cell)


def _cells(line: str) -> list[str]:
    """Without the marks around code."""
    cells = _BETWEEN.split(line.strip().removeprefix("|").removesuffix("|")) if "|" in line else []
    return [cell.strip().strip("`").strip().replace("\\|", "|") for cell in cells]
