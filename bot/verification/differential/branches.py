"""Whether compared calls went both ways through what a fix changes: that two programs agree where neither reaches it is
no agreement. Functions that differ, and conditions and statements that name a number or a text and stand in one of the
programs alone, write down that they were seen; conditions on emptiness, sign and type do not, for such inputs lie
outside the domain."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from secrets import token_hex
from typing import Any

from bot.sandbox.protocol import Executor
from bot.verification.differential.compare import VisibleCalls, answers
from bot.verification.differential.observe import ObservationError
from bot.verification.programs import changed_files
from bot.verification.syntax import UNREADABLE, parse, plain_value
from bot.verification.values import Program

ONE_WAY = "All of them go past a line that the fix changes, or one way through its condition, so they do not tell."
_UNKNOWN = "It could not be seen whether they reach what the fix changes."
_SIMPLE = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_BRANCHES = (ast.If, ast.While, ast.IfExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PURE = (ast.Name, ast.Constant, ast.Attribute)
# What a marked program begins with. The file outlives the process of a batch of calls.
_HELPER = """
def {name}(at, value=None, known=set()):
    import io
    try:
        mark = f"{{at}}{{True if value else False}} "
    except Exception:
        return value
    if mark not in known:
        known.add(mark)
        with io.open("/tmp/{name}", "a") as file:
            file.write(mark)
    return value
"""


def one_way(
    executor: Executor,
    programs: tuple[Program, Program],
    calls: Sequence[str],
    visible: VisibleCalls,
    *,
    seconds: float,
) -> str:
    """Why agreement of the two on these calls says little, as one sentence; empty where it counts. Never raises.

    seconds: for each program.
    """
    name = f"seen_{token_hex(8)}"
    marked = [_marked(one, other, name) for one, other in (programs, programs[::-1])]
    if not any(wanted for _, wanted in marked):
        return ""
    asked = [*calls, f"open('/tmp/{name}').read()"]
    try:
        found = answers(executor, [each for each, _ in marked], asked, visible, seconds=seconds)
    except ObservationError:
        return _UNKNOWN
    for (_, wanted), seen in zip(marked, found, strict=True):
        if len(seen) < len(asked):
            return _UNKNOWN
        if not wanted <= set(str(plain_value(seen[-1].value)).split()):
            return ONE_WAY
    return ""


def _marked(program: Program, other: Program, name: str) -> tuple[Program, frozenset[str]]:
    """The program with marks in its Python files that differ, and what is to be seen."""
    files, wanted = dict(program.files), list[str]()
    for path, texts in changed_files(program, other).items():
        try:
            mine, others = (_Split().visit(parse(text or b"")) for text in texts)
        except UNREADABLE:
            continue
        if path.endswith(".py") and texts[0] is not None:
            chosen = {node: at for at, node in enumerate(_telling(mine, others), len(wanted))}
            for node, at in chosen.items():
                wanted += [f"{at}True", f"{at}False"] if isinstance(node, ast.expr) else [f"{at}False", ""]
            tree = _begun(_Marks(chosen, name).visit(mine), name)
            files[path] = ast.unparse(ast.fix_missing_locations(tree)).encode("utf-8", "replace")
    return replace(program, files=files), frozenset(filter(None, wanted))


class _Split(ast.NodeTransformer):
    """Makes `a < b and b < c` of `a < b < c`, which may be seen both ways by one end alone."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 or not all(isinstance(each, _PURE) for each in node.comparators[:-1]):
            return node
        ends = pairwise([node.left, *node.comparators])
        parts: list[ast.expr] = [ast.Compare(a, [by], [b]) for by, (a, b) in zip(node.ops, ends, strict=True)]
        return ast.BoolOp(ast.And(), parts)


@dataclass(frozen=True, slots=True)
class _Marks(ast.NodeTransformer):
    """Puts marks at nodes. at: their numbers."""

    at: Mapping[ast.AST, int]
    name: str

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        if node not in self.at:
            return node
        is_condition = isinstance(node, ast.expr)
        given: list[Any] = [ast.Constant(self.at[node]), *([node] if is_condition else [])]
        mark = ast.Call(ast.Name(self.name), given, [])
        if isinstance(node, _FUNCTIONS):
            node.body.insert(int(ast.get_docstring(node) is not None), ast.Expr(mark))
            return node
        return mark if is_condition else [ast.Expr(mark), node]


def _telling(mine: ast.Module, others: ast.Module) -> Iterator[ast.AST]:
    """Functions that both have and that do otherwise; statements and conditions that the other program has not and that
    name a number, conditions a text as well, or a name to which such a statement gives a number."""
    theirs = _functions(others)
    for name, function in _functions(mine).items():
        if name in theirs and _does(function) != _does(theirs[name]):
            yield function
    known, constants = Counter(map(ast.dump, (*_lines(others), *_conditions(others)))), set[str]()
    for node in (*_lines(mine), *_conditions(mine)):
        known[ast.dump(node)] -= 1
        is_new, is_condition, names = known[ast.dump(node)] < 0, isinstance(node, ast.expr), [*_names(node)]
        if is_new and isinstance(node, ast.Assign) and _is_number(node.value):
            constants |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        of_constant = is_condition and any(getattr(each, "id", "") in constants for each in names)
        if of_constant or (is_new and any(_is_number(each) or (is_condition and _is_text(each)) for each in names)):
            yield node


def _functions(tree: ast.AST, before: str = "") -> dict[str, ast.AST]:
    """By their names, with those of what they stand in, and with what decorates them: a property has two of a name."""
    found: dict[str, ast.AST] = {}
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


def _conditions(tree: ast.Module) -> list[ast.AST]:
    """Comparisons, and whatever else a branch depends on."""
    found: dict[ast.AST, None] = {}
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
    """All nodes but those of assertions, and of what only a script does."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.Assert) and not (isinstance(node, ast.If) and "__name__" in ast.dump(node.test)):
            yield node
            yield from _run(node)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) > 1


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)


def _begun(tree: ast.Module, name: str) -> ast.Module:
    """With the helper, behind what must come first."""
    first = int(ast.get_docstring(tree, clean=False) is not None)
    while isinstance(each := next(iter(tree.body[first:]), None), ast.ImportFrom) and each.module == "__future__":
        first += 1
    return ast.Module([*tree.body[:first], *parse(_HELPER.format(name=name)).body, *tree.body[first:]], [])
