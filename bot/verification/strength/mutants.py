"""Mutants of given lines, made by cosmic-ray; the one place that knows it. Runs inside the sandbox, on hostile source.

Of the more than two hundred replacements cosmic-ray knows, those near a plausible slip are used: the rest (a `+` turned
into a shift) mostly die of a type error and would flatter the tests.
"""

import copy
import types
import warnings
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

_BINARY = (
    "Add_Sub Sub_Add Mul_Add Mul_Div Div_Mul Div_FloorDiv FloorDiv_Div FloorDiv_Mul Mod_FloorDiv Mod_Mul Pow_Mul "
    "RShift_LShift LShift_RShift BitOr_BitAnd BitAnd_BitOr BitXor_BitOr"
)
_COMPARISON = (
    "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is Eq_LtE Eq_GtE "
    "Eq_IsNot NotEq_Is"
)
_UNARY = "Delete_USub Delete_Not Delete_Invert USub_Not"
OPERATORS = (
    *(f"ReplaceBinaryOperator_{name}" for name in _BINARY.split()),
    *(f"ReplaceComparisonOperator_{name}" for name in _COMPARISON.split()),
    *(f"ReplaceUnaryOperator_{name}" for name in _UNARY.split()),
    "AddNot",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ExceptionReplacer",
    "NumberReplacer",
    "RemoveDecorator",
    "ZeroIterationForLoop",
)


def mutants(sources: dict[str, str], changed: dict[str, list[int]], most: int) -> tuple[list[dict[str, Any]], bool]:
    """At most `most` edits `{"path", "start", "end", "text"}` (offsets in characters), and whether these are all.

    Spread over the lines: each line gives its first mutant before any gives its second. The same every time.
    """
    by_line: dict[tuple[str, int], Iterator[dict[str, Any]]] = {}
    for path, lines in sorted(changed.items()):
        try:
            by_line |= {(path, line): iter(edits) for line, edits in _by_line(path, sources[path], set(lines)).items()}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # what does not parse has no mutants
    found: list[dict[str, Any]] = []
    while by_line and len(found) <= most:
        for key in sorted(by_line):
            edit = next(by_line[key], None)
            if edit is None:
                del by_line[key]
            else:
                found.append(edit)
    return found[:most], len(found) <= most


def apply(source: str, edit: dict[str, Any]) -> str:
    """The source with one mutation."""
    return f"{source[: edit['start']]}{edit['text']}{source[edit['end'] :]}"


def _by_line(path: str, source: str, lines: set[int]) -> dict[int, list[dict[str, Any]]]:
    known = {_essence(_compiled(source))}
    starts = _line_starts(source)
    kept: dict[int, list[dict[str, Any]]] = {}
    for line, start, end, text in _edits(source, lines):
        edit = {"path": path, "start": _offset(starts, start), "end": _offset(starts, end), "text": text}
        try:
            essence = _essence(_compiled(apply(source, edit)))
        except (SyntaxError, ValueError):
            continue
        if essence not in known:  # else equivalent to the program or to another mutant
            known.add(essence)
            kept.setdefault(line, []).append(edit)
    return kept


def _edits(source: str, lines: set[int]) -> Iterator[tuple[int, tuple[int, int], tuple[int, int], str]]:
    from cosmic_ray.ast import ast_nodes, get_ast  # type: ignore[import-untyped]
    from cosmic_ray.operators.provider import OperatorProvider  # type: ignore[import-untyped]

    provider = OperatorProvider()
    operators = [provider[name]() for name in OPERATORS]
    for node in ast_nodes(get_ast(source)):
        if node.end_pos[0] < min(lines, default=1):
            continue
        for operator in operators:
            for index, (position, _) in enumerate(operator.mutation_positions(node)):
                if position[0] not in lines:
                    continue
                try:  # mutating is done in place, so on a copy that shares all but this node
                    mutated = operator.mutate(copy.deepcopy(node, {id(node.parent): node.parent}), index)
                except RecursionError:
                    continue
                text = "" if mutated is None else mutated.get_code(include_prefix=False)
                yield position[0], node.start_pos, node.end_pos, text


def _compiled(source: str) -> types.CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, "mutant", "exec", dont_inherit=True)


def _essence(code: types.CodeType) -> tuple[Any, ...]:
    """What running depends on: everything but line numbers and file names."""
    constants = tuple(
        _essence(item) if isinstance(item, types.CodeType) else (type(item), repr(item)) for item in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return code.co_code, constants, names, code.co_flags, code.co_argcount, code.co_exceptiontable


def _line_starts(source: str) -> list[int]:
    """Where parso's lines begin."""
    from parso.utils import split_lines

    return [0, *accumulate(map(len, split_lines(source, keepends=True)))]


def _offset(starts: list[int], position: tuple[int, int]) -> int:
    return starts[position[0] - 1] + position[1]
