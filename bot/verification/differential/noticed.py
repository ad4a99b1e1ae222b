"""Whether compared calls would notice a defect in what a fix changes: that two programs agree where none would show is
no agreement.

What differs is broken, one thing in a program each time: functions, conditions either way, constants. Nothing marks
such a program, and it is held against the same one with an edit that changes nothing. Conditions on emptiness, sign
and type are left alone, for such inputs lie outside the domain.
"""

import ast
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Any

from bot.sandbox.protocol import Executor
from bot.verification.defects.null_edit import null_edited, put_before, put_first
from bot.verification.differential.compare import VisibleCalls, answers, same
from bot.verification.differential.observe import ObservationError
from bot.verification.programs import changed_files, changed_lines
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.values import Observed, Program

ONE_WAY = "None of them would notice a defect in something that the fix changes, so they do not tell."
MINDS = "They do not behave alike any more with an edit that changes nothing."
_UNKNOWN = "It could not be seen whether they would notice a defect in what the fix changes."
MOST = 8  # defects in each program, far from each other
LEAST = 1.0  # seconds
AT_ONCE = 2
FAR = 10_007  # from a number to what stands for it in a defect
_FAILS = {"IndexError": "[][0]", "KeyError": "{}[0]", "ZeroDivisionError": "1 // 0"}
_SIMPLE = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_BRANCHES = (ast.If, ast.While, ast.IfExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_UNBROKEN = (ast.Assert, ast.Raise, ast.JoinedStr, ast.Lambda)  # texts of errors; what has no place of its own


def unnoticed(
    executor: Executor,
    programs: tuple[Program, Program],
    calls: Sequence[str],
    visible: VisibleCalls,
    *,
    seconds: float,
) -> str:
    """Why agreement of the two on these calls says little, as one sentence; empty where it counts. Never raises.

    seconds: for everything.
    """
    sides = (programs, programs[::-1])
    both = zip_longest(*([(at, each) for each in _broken(*pair)] for at, pair in enumerate(sides)))
    broken = [each for row in both for each in row if each]
    off = [(at, each) for at, pair in enumerate(sides) if (each := _without_functions(*pair))]
    if not broken and not off:
        return ""
    end = time.monotonic() + seconds

    def seen_of(some: Sequence[Program]) -> tuple[tuple[Observed, ...], ...]:
        if (left := end - time.monotonic()) < LEAST:
            raise ObservationError("no time is left")
        return answers(executor, some, calls, visible, seconds=left)

    try:
        known = seen_of([null_edited(one, changed_lines(one, other)) for one, other in sides])
        if any(len(seen) < len(calls) for seen in known):
            return _UNKNOWN
        if not all(map(same, *known)):
            return MINDS
        # What a program puts in the place of its answers, it knows for the calls of its tests alone.
        beyond = [at for at, call in enumerate(calls) if call not in visible.read]
        for (side, _), seen in zip(off, seen_of([each for _, each in off]) if off else (), strict=True):
            if 2 * sum(seen[at : at + 1] != known[side][at : at + 1] for at in beyond) < len(beyond):
                return ONE_WAY
        for at in range(0, len(broken), AT_ONCE):
            some = broken[at : at + AT_ONCE]
            for (side, _), seen in zip(some, seen_of([each for _, each in some]), strict=True):
                if seen == known[side][: len(seen)]:
                    return ONE_WAY if len(seen) == len(calls) else _UNKNOWN
    except ObservationError:
        return _UNKNOWN
    return ""


def _without_functions(program: Program, other: Program) -> Program | None:
    """The program with all functions that do otherwise breaking off; `None` where there is none."""
    files = dict(program.files)
    for path, (mine, others) in changed_files(program, other).items():
        try:
            found = _differing(parse(mine or b""), parse(others or b"")) if path.endswith(".py") else []
        except UNREADABLE:
            continue
        for each in sorted(found, key=lambda one: one.lineno, reverse=True):
            files[path] = put_first(files.get(path) or mine or b"", each, "raise KeyError(0)")
    return Program(program.tree, files) if files != program.files else None


def _broken(program: Program, other: Program) -> list[Program]:
    """The program with one defect each time, in its Python files that differ."""
    found = list[tuple[str, bytes]]()
    for path, (mine, others) in changed_files(program, other).items():
        if path.endswith(".py") and mine is not None:
            try:
                made = [*_defects(mine, parse(mine), parse(others or b""))]
            except UNREADABLE:
                continue
            found += [(path, each) for each in made if _parses(each)]
    far = found[:: -(-len(found) // MOST) or 1]
    return [Program(program.tree, {**program.files, path: text}) for path, text in far]


def _parses(source: bytes) -> bool:
    try:
        parse(source)
    except UNREADABLE:
        return False
    return True


def _defects(source: bytes, mine: ast.Module, others: ast.Module) -> Iterator[bytes]:
    """What stands in one of them alone: conditions that fail one way, constants that are others, and functions that
    break off, where nothing in them is broken already."""
    fails = next((each for name, each in _FAILS.items() if name.encode() not in source), _FAILS["IndexError"])
    places = list[int]()
    fresh = _new(_lines(mine), _lines(others)), _new(_conditions(mine), _conditions(others))
    constants = {name for node in fresh[0] for name in _constant_names(node)}
    inside = {each for node in _conditions(mine) for each in ast.walk(node)}
    for node in fresh[1]:
        local = _locals_of(mine, node)
        for parts in _ends(node) if _tells(node, local, constants) else ():
            for way in ("and", "or"):
                places.append(node.lineno)
                yield _instead(source, node, parts.format(way=way, fails=fails))
    for constant in _other_constants(fresh[0], _new(_lines(others), _lines(mine))):
        if constant not in inside:
            places.append(constant.lineno)
            yield _instead(source, constant, repr(_far(constant.value)))
    for function in _differing(mine, others):
        if not any(function.lineno <= at <= function.end_lineno for at in places):
            yield put_first(source, function, "raise KeyError(0)")


def _differing(mine: ast.Module, others: ast.Module) -> list[Any]:
    """The functions that both have and that do otherwise."""
    theirs = _functions(others)
    return [each for name, each in _functions(mine).items() if name in theirs and _does(each) != _does(theirs[name])]


def _new(mine: list[Any], others: list[Any]) -> list[Any]:
    """Those that the others have not, or not as often."""
    known = Counter(map(ast.dump, others))
    found = []
    for node in mine:
        known[ast.dump(node)] -= 1
        found += [node] if known[ast.dump(node)] < 0 else []
    return found


def _instead(source: bytes, node: Any, text: str) -> bytes:
    """The file with something else in the place of a node."""
    return put_before(source, node.end_lineno, node.end_col_offset, f"({text})", (node.lineno, node.col_offset))


def _ends(node: ast.expr) -> Iterator[str]:
    """The condition, each comparison of a row for itself, with a way to fail behind it."""
    parts = [ast.unparse(node)]
    if isinstance(node, ast.Compare):
        ends = zip(node.ops, pairwise([node.left, *node.comparators]), strict=True)
        parts = [ast.unparse(ast.Compare(a, [by], [b])) for by, (a, b) in ends]
    told = [f"({each})".replace("{", "{{").replace("}", "}}") for each in parts]
    for at, each in enumerate(told):
        yield " and ".join([*told[:at], f"({each} {{way}} {{fails}})", *told[at + 1 :]])


def _other_constants(mine: list[ast.AST], others: list[ast.AST]) -> Iterator[ast.Constant]:
    """Constants of these statements that the others' have not; of small numbers those where nothing else differs."""
    shapes = {_shape(each) for each in others}
    left = Counter(repr(each.value) for node in others for each in _constants(node))
    for node in mine:
        alike = _shape(node) in shapes
        for each in _constants(node):
            left[repr(each.value)] -= 1
            if left[repr(each.value)] < 0 and (alike or _is_number(each) or _is_text(each)):
                yield each


def _shape(node: ast.AST) -> str:
    """What a statement is but for its constants."""
    blank = parse(ast.unparse(node))
    for each in ast.walk(blank):
        if isinstance(each, ast.Constant):
            each.value = None
    return ast.dump(blank)


def _constants(node: ast.AST) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # what a function says of itself
    yield from (each for each in _run(node) if isinstance(each, ast.Constant) and each.value is not ...)


def _far(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str | bytes):
        return value[:0] + ("_" if isinstance(value, str) else b"_") + value  # type: ignore[operator]
    return FAR if value is None else value + FAR


def _tells(node: ast.expr, local: set[str], constants: set[str]) -> bool:
    """Whether a condition names a number, a text, or something that nobody gives to the function."""
    is_type = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass", "callable")
    parts = [*_names(node)]
    if any(_is_number(each) or _is_text(each) or _name(each) in constants for each in parts):
        return True
    whole = parts if isinstance(node, ast.Compare) else [node]
    return not is_type and any(_is_given_by_nobody(each, local) for each in whole)


def _is_given_by_nobody(node: ast.AST, local: set[str]) -> bool:
    """Whether a value is the program's own: one of its constants, or computed without what a function is given."""
    names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
    if isinstance(node, ast.Constant) or any(name in local for name in names):
        return False
    calls = any(isinstance(each, ast.Call) for each in ast.walk(node))
    own = [name for name in names if name not in ("self", "cls")]
    is_type = isinstance(node, ast.Name) and ((node.id[:1].isupper() and not node.id.isupper()) or node.id in _TYPES)
    return not is_type and (bool(own) or calls or isinstance(node, ast.BinOp))


_TYPES = ("int", "float", "str", "bool", "list", "tuple", "dict", "set", "bytes", "type")


def _locals_of(tree: ast.Module, node: ast.expr) -> set[str]:
    """What the functions around a node are given or give a name to, but for themselves and for constants."""
    found = set[str]()
    for each in ast.walk(tree):
        if isinstance(each, (*_FUNCTIONS, ast.Lambda, ast.comprehension)) and any(
            one is node for one in ast.walk(each)
        ):
            found |= {one.arg for one in ast.walk(each) if isinstance(one, ast.arg)}
            found |= {one.id for one in ast.walk(each) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found - {"self", "cls"}


def _constant_names(node: ast.AST) -> set[str]:
    """The names to which a statement gives a number, or what is computed of constants alone."""
    if not isinstance(node, ast.Assign) or isinstance(node.value, ast.Constant) > _is_number(node.value):
        return set()
    computed = [each for each in ast.walk(node.value) if not isinstance(each, ast.Constant | ast.operator)]
    plain = all(isinstance(each, ast.BinOp | ast.Call | ast.Name | ast.expr_context) for each in computed)
    called = {id(each.func) for each in computed if isinstance(each, ast.Call)}
    names = any(isinstance(each, ast.Name) and id(each) not in called for each in computed)
    told = any(_is_number(each) or _is_text(each) for each in ast.walk(node.value))
    return {name for each in node.targets if (name := _name(each))} if plain and told and not names else set()


def _name(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def _functions(tree: ast.AST, before: str = "") -> dict[str, Any]:
    """By their names, with those of what they stand in, and with what decorates them: a property has two of a name."""
    found: dict[str, Any] = {}
    for node in ast.iter_child_nodes(tree):
        by = "".join(f"@{ast.unparse(each)} " for each in getattr(node, "decorator_list", ()))
        inside = f"{before}{by}{name}." if (name := getattr(node, "name", "")) else before
        found |= {inside: node} if isinstance(node, _FUNCTIONS) else {}
        found |= _functions(node, inside)
    return found


def _does(function: Any) -> list[str]:
    """Its parameters' values and its statements, without what it says of itself."""
    said = int(ast.get_docstring(function) is not None)
    return [
        ast.dump(node) for node in (*function.args.defaults, *function.args.kw_defaults, *function.body[said:]) if node
    ]


def _names(node: ast.AST) -> Iterator[ast.AST]:
    """What it names: of a comparison what is compared itself, and what stands in a list; else all in it."""
    for each in (node.left, *node.comparators) if isinstance(node, ast.Compare) else ():
        plain = each.operand if isinstance(each, ast.UnaryOp) else each
        yield from plain.elts if isinstance(plain, ast.List | ast.Tuple | ast.Set) else [plain]
    yield from () if isinstance(node, ast.Compare) else ast.walk(node)


def _lines(tree: ast.Module) -> list[ast.AST]:
    return [node for node in _run(tree) if isinstance(node, _SIMPLE)]


def _conditions(tree: ast.Module) -> list[ast.expr]:
    """Comparisons, and whatever else a branch depends on."""
    found: dict[ast.expr, None] = {}
    for node in _run(tree):
        tests = node.ifs if isinstance(node, ast.comprehension) else [node.test] if isinstance(node, _BRANCHES) else []
        found |= dict.fromkeys(part for test in tests for part in _parts(test))
        found |= {node: None} if isinstance(node, ast.Compare) else {}
    return [*found]


def _parts(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp):
        return [part for each in test.values for part in _parts(each)]
    return _parts(test.operand) if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else [test]


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of assertions and errors, of annotations, and of what only a script does."""
    told = [getattr(tree, "annotation", None), getattr(tree, "returns", None)]
    for node in ast.iter_child_nodes(tree):
        script = isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
        if not (isinstance(node, _UNBROKEN) or script or any(node is each for each in told)):
            yield node
            yield from _run(node)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) > 1


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)
