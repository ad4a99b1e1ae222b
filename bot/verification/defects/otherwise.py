"""Defects in what two programs do otherwise: conditions either way, constants, and functions that break off.

Nothing marks such a program. Conditions on emptiness, sign and type are left alone, for such inputs lie outside the
domain in which programs are compared. Nothing is run here.
"""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from bot.verification.defects.null_edit import put_before, put_first
from bot.verification.programs import changed_files
from bot.verification.syntax import UNREADABLE, Node, parse, plain_value
from bot.verification.values import Program

MOST = 8  # defects in each program, far from each other
FAR, OTHER = 10_007, "\u241f"  # from a number to what stands for it in a defect, and what stands for any text
_BREAKS_OFF = "raise KeyError(0)"
_FAILS = {"IndexError": "[][0]", "KeyError": "{}[0]", "ZeroDivisionError": "1 // 0"}
_SIMPLE = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.arguments)
_BRANCHES = (ast.If, ast.While, ast.IfExp)
_UNBROKEN = (ast.Assert, ast.Raise, ast.JoinedStr, ast.Lambda)  # texts of errors; what has no place of its own
_SORTS = ("isinstance", "issubclass", "callable")
_OBJECT = {"self", "cls"}


def without_functions(program: Program, other: Program) -> Program | None:
    """The program with all functions that do otherwise breaking off; `None` where there is none."""
    files = dict(program.files)
    for path, source, mine, others in both_trees(program, other):
        for each in sorted(functions_that_differ(mine, others).values(), key=lambda one: one.lineno, reverse=True):
            source = files[path] = put_first(source, each, _BREAKS_OFF)
    return Program(program.tree, files) if files != program.files else None


def programs_with_defect(program: Program, other: Program) -> list[Program]:
    """The program with one defect each time, in its Python files that differ."""
    made = ((path, text) for path, source, *trees in both_trees(program, other) for text in _defects(source, *trees))
    found = [(path, text) for path, text in made if _tree(text)]
    far = found[:: -(-len(found) // MOST) or 1]
    return [Program(program.tree, {**program.files, path: text}) for path, text in far]


def both_trees(program: Program, other: Program) -> Iterator[tuple[str, bytes, ast.Module, ast.Module]]:
    """Each Python file that differs: its path, its text, and what it and the other are."""
    for path, (mine, others) in changed_files(program, other).items():
        trees = [_tree(text or b"") for text in (mine, others)]
        if path.endswith(".py") and mine is not None and trees[0] and trees[1]:
            yield path, mine, trees[0], trees[1]


def _tree(source: bytes) -> ast.Module | None:
    try:
        return parse(source)
    except UNREADABLE:
        return None


def _defects(source: bytes, mine: ast.Module, others: ast.Module) -> Iterator[bytes]:
    """What stands in one of them alone: conditions that fail one way, constants that are others, and functions that
    break off, where nothing in them is broken already."""
    fails = next((each for name, each in _FAILS.items() if name.encode() not in source), _FAILS["IndexError"])
    lines, conditions = _new(_lines(mine), _lines(others)), _new(_conditions(mine), _conditions(others))
    named = {name for node in lines for name in _names_of_limits(node)}
    places = list[int]()
    for node in conditions:
        tells = _tells(node, _given(mine, node), named) or _is_of_computed(node, mine)
        for text in _ends(node, fails) if tells else ():
            places.append(node.lineno)
            yield _instead(source, node, text)
    inside = {each for node in _conditions(mine) for each in ast.walk(node)}
    shapes = set(map(_shape, _new(_lines(others), _lines(mine))))
    for node in lines:
        for constant in _constants(node, alike=_shape(node) in shapes):
            if constant not in inside:
                places.append(constant.lineno)
                yield _instead(source, constant, ascii(_far(constant.value)))
    for function in functions_that_differ(mine, others).values():
        if not any(function.lineno <= at <= function.end_lineno for at in places):
            yield put_first(source, function, _BREAKS_OFF)


def functions_that_differ(mine: ast.Module, others: ast.Module) -> dict[str, Any]:
    """The functions that both have and that do otherwise, by name."""
    its, theirs = _functions(mine), _functions(others)
    return {name: its[name] for name in its if name in theirs and _does(its[name]) != _does(theirs[name])}


def _functions(tree: ast.AST, before: str = "") -> dict[str, Any]:
    """By their names, with those of what they stand in, and with what decorates them: a property has two of a name."""
    found: dict[str, Any] = {}
    for node in ast.iter_child_nodes(tree):
        by = "".join(f"@{ast.unparse(each)} " for each in getattr(node, "decorator_list", ()))
        inside = f"{before}{by}{name}." if (name := getattr(node, "name", "")) else before
        found |= {inside: node} if isinstance(node, Node) else {}
        found |= _functions(node, inside)
    return found


def _does(function: Any) -> list[str]:
    """Its parameters' values and its statements, without what it says of itself."""
    said = int(ast.get_docstring(function) is not None)
    given = function.args
    return [ast.dump(node) for node in (*given.defaults, *given.kw_defaults, *function.body[said:]) if node]


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


def _ends(node: ast.expr, fails: str) -> Iterator[str]:
    """The condition, each comparison of a row for itself, failing where it holds, and where it does not."""
    parts = [node]
    if isinstance(node, ast.Compare):
        ends = zip(node.ops, pairwise([node.left, *node.comparators]), strict=True)
        parts = [ast.Compare(a, [by], [b]) for by, (a, b) in ends]
    told = [f"({ast.unparse(each)})" for each in parts]
    for at, each in enumerate(told):
        for way in ("and", "or"):
            yield " and ".join([*told[:at], f"({each} {way} {fails})", *told[at + 1 :]])


def _constants(node: ast.AST, *, alike: bool) -> Iterator[ast.Constant]:
    """Those of a statement, but for what a function says of itself. alike: nothing but constants is new in it; then
    small numbers are told as well."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        found = (each for each in _run(node) if isinstance(each, ast.Constant) and each.value is not ...)
        yield from (each for each in found if alike or _is_telling(each))


def _shape(node: ast.AST) -> str:
    """What a statement is but for its constants."""
    told = ast.unparse(node)
    blank = parse(f"def given({told}): ..." if isinstance(node, ast.arguments) else told)
    for each in ast.walk(blank):
        if isinstance(each, ast.Constant):
            each.value = None
    return ast.dump(blank)


def _far(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str | bytes):
        return OTHER if isinstance(value, str) else OTHER.encode()
    return FAR if value is None else value + FAR


def _tells(node: ast.expr, given: set[str], limits: set[str]) -> bool:
    """Whether a condition asks for a number, a text, or something that nobody gives to the function. limits: names."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _SORTS:
        return False
    parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node]
    return any(_is_telling(each) or _name(each) in limits for each in ast.walk(node)) or any(
        _is_own(each, given) for each in parts
    )


def _is_of_computed(node: ast.expr, tree: ast.Module) -> bool:
    """Whether a condition holds a number, however small, against what the program computes: only of what it is given is
    the sign known."""
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    numbers = [each for each in sides if type(plain_value(each)) in (int, float)]
    stored = ((each.targets, each.value) for each in ast.walk(tree) if isinstance(each, ast.Assign))
    called = (names for names, value in stored if isinstance(value, ast.Call) and _name(value.func) != "len")
    names = {_name(name) for some in called for name in some} - {""}
    return bool(numbers) and any(_name(each) in names for each in sides)


def _is_own(node: ast.expr, given: set[str]) -> bool:
    """Whether a value is computed, or has a name, without what the function is given."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    calls = any(isinstance(each, ast.Call) for each in ast.walk(node))
    return names.isdisjoint(given) and (calls or bool(names - _OBJECT - {*dir(builtins)}))


def _is_telling(node: ast.AST) -> bool:
    """Whether it is a number that is not small, or a text."""
    value = node.value if isinstance(node, ast.Constant) else None
    return abs(value) > 1 if isinstance(value, int | float) else isinstance(value, str) and bool(value)


def _given(tree: ast.Module, node: ast.expr) -> set[str]:
    """What the functions around a node are given or give a name to, but for themselves and what they fetch."""
    found, fetched = set[str](), dict[str, list[Any]]()
    for each in ast.walk(tree):
        if isinstance(each, Node | ast.Lambda | ast.comprehension) and any(one is node for one in ast.walk(each)):
            found |= {one.arg for one in ast.walk(each) if isinstance(one, ast.arg)}
            found |= {one.id for one in ast.walk(each) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for each in ast.walk(tree):
        targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "optional_vars", None)]
        for name in targets:
            if isinstance(name, ast.Name):
                fetched.setdefault(name.id, []).append(getattr(each, "value", getattr(each, "context_expr", None)))
    for name, values in fetched.items():  # in order: of what was fetched more may be
        found -= {name} if all(_is_fetched(value, found) for value in values) else set()
    return found - _OBJECT


def _is_fetched(node: ast.expr, given: set[str]) -> bool:
    """Whether it is what a call gives that has its say from elsewhere: a file, a clock."""
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    return _is_own(node, given) and any(each.args or isinstance(each.func, ast.Attribute) for each in calls)


def _names_of_limits(node: ast.AST) -> set[str]:
    """The names to which a statement gives a number or text, or what is computed of such alone."""
    if not isinstance(node, ast.Assign):
        return set()
    inside = [*ast.walk(node.value)]
    called = {each.func for each in inside if isinstance(each, ast.Call)}
    plain = all(each in called for each in inside if isinstance(each, ast.Name | ast.Attribute))
    return (
        {name for each in node.targets if (name := _name(each))} if plain and any(map(_is_telling, inside)) else set()
    )


def _name(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


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
