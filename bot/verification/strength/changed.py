"""Which lines of one program another one changed: those that are mutated."""

import ast
from collections.abc import Mapping
from difflib import SequenceMatcher

from bot.verification.programs import changed_files
from bot.verification.syntax import parse
from bot.verification.values import Program

_MOST_LINES = 4_000  # compared line by line; beyond that, everything between the first and the last difference counts


def changed_lines(
    program: Program, other: Program, endings: tuple[str, ...] = (".py",)
) -> Mapping[str, frozenset[int]]:
    """Path of a file of `program` with such an ending -> numbers of the lines, from 1, that `other` replaces, drops or
    adds to."""
    changed = {}
    for path, (mine, others) in changed_files(program, other).items():
        if path.endswith(endings) and mine is not None:
            changed[path] = _differing(mine.decode(errors="replace"), (others or b"").decode(errors="replace"))
    return {path: lines for path, lines in changed.items() if lines}


def around(source: str, lines: frozenset[int]) -> frozenset[int]:
    """The lines of the innermost functions that hold these lines; those outside of any stay alone."""
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return lines
    spans = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = {line: min((span for span in spans if line in span), key=len, default=(line,)) for line in lines}
    return frozenset(line for span in found.values() for line in span)


def _differing(mine: str, others: str) -> frozenset[int]:
    here, there = ([line.rstrip() for line in text.split("\n")] for text in (mine, others))
    start = next((at for at, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    same = zip(reversed(here[start:]), reversed(there[start:]), strict=False)
    end = next((at for at, (a, b) in enumerate(same) if a != b), min(len(here), len(there)) - start)
    middle, its = here[start : len(here) - end], there[start : len(there) - end]
    lines: set[int] = set()
    if len(middle) + len(its) > _MOST_LINES:
        lines.update(range(len(middle)))
    else:
        for what, first, last, _, _ in SequenceMatcher(None, middle, its, autojunk=False).get_opcodes():
            if what == "insert":  # what stands around the added lines is where they matter
                lines.update((first - 1, first))
            elif what != "equal":
                lines.update(range(first, last))
    return frozenset(start + line + 1 for line in lines if 0 <= start + line < len(here))
