"""Tables of examples: each row is one, with what comes of it and what should come beside it. Pure, linear."""

import ast
from collections.abc import Iterator, Sequence

from bot.already_fixed.reading import python
from bot.already_fixed.reading.wording import pattern

_WANTED = pattern("wanted_column")
_NOW = pattern("column_now")
_MOST_ROWS = 20


def examples(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """Of each row code, and what is said of it as a sentence; empty where the head does not say what should come. rows:
    the table's cells, its head first."""
    heads = rows[0] if rows else ()
    wanted = [number for number, head in enumerate(heads) if _WANTED.search(head)]
    now = [number for number, head in enumerate(heads) if _NOW.search(head) and number not in wanted]
    return tuple(_told(map(_bare, rows[1 : _MOST_ROWS + 1]), now, wanted[0])) if len(wanted) == 1 else ()


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


def _bare(row: Sequence[str]) -> list[str]:
    """Its cells without the marks around code."""
    return [cell.strip().strip("`").strip() for cell in row]
