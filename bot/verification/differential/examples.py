"""The calls that tests and specification show: they span the domain in which a difference counts."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from bot.judges.code import Interface, SpecTest
from bot.verification.literals import literal_call, read_call
from bot.verification.syntax import UNREADABLE, parse, tree_of

MOST = 200


def examples(tests: Iterable[str], shown: Iterable[SpecTest], interface: Interface) -> tuple[str, ...]:
    """Calls with literal arguments to functions of the interface, each once: those of the tests' sources first. shown:
    the specification's own examples."""
    found = [call for source in tests for call in _calls(source, interface)]
    found += [call.text for each in shown if (call := read_call(each.call, interface))]
    return tuple(dict.fromkeys(found))[:MOST]


def _calls(source: str, interface: Interface) -> Iterator[str]:
    tree = tree_of(source)
    names = program_names(tree, interface)
    for node in ast.walk(tree):
        if call := plain_call(node, names):
            yield call


def plain_call(node: ast.AST, names: Mapping[str, str]) -> str:
    """A call of the program's with literals, as the program has the name; empty for anything else. names: see
    `program_names`."""
    if not isinstance(node, ast.Call) or not (name := names.get(ast.unparse(node.func))):
        return ""
    call = ast.unparse(ast.Call(ast.Name(name), node.args, node.keywords))
    return call if literal_call(call) else ""


def program_names(tree: ast.AST, interface: Interface) -> dict[str, str]:
    """What a test may call the functions of the interface -> their own names."""
    functions = {line.partition("(")[0] for line in interface.signatures}
    return {name: name for name in functions} | _other_names(tree, functions, interface.module)


def _other_names(tree: ast.AST, functions: set[str], module: str) -> dict[str, str]:
    """What else a test calls them: `import … as`, `module.f`, `g = module.f`, and a helper's parameter, as in
    `check(f)`.
    """
    names = {f"{prefix}.{name}": name for name in functions for prefix in (module, module.rpartition(".")[2])}
    helpers: dict[str, ast.arguments] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname and alias.name in functions}
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname and alias.name == module:
                    names |= {f"{alias.asname}.{name}": name for name in functions}
        if isinstance(node, ast.FunctionDef):
            helpers[node.name] = node.args
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=given_name)], value=ast.Attribute() as value):
                if (function := names.get(ast.unparse(value))) is not None:
                    names[given_name] = function
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in helpers:
            for parameter, given in zip(helpers[node.func.id].args, node.args, strict=False):
                if isinstance(given, ast.Name) and given.id in functions:
                    names[parameter.arg] = given.id
    return names


def reached(original: str, fix: str) -> frozenset[str] | None:
    """The top-level names that are not the same in both, and those that use them, over however many others.

    `None` where that cannot be told: a source does not parse, or a statement that names nothing has changed.
    """
    try:
        here, there = _statements(original), _statements(fix)
    except UNREADABLE:
        return None
    texts = [Counter(map(ast.dump, side)) for side in (here, there)]
    differing = (texts[0] - texts[1]) + (texts[1] - texts[0])
    changed = [_named(statement) for statement in (*here, *there) if ast.dump(statement) in differing]
    if not all(changed):
        return None
    found = frozenset[str]().union(*changed)
    used = ({node.id for node in ast.walk(each) if isinstance(node, ast.Name)} for each in there)
    uses = list(zip(map(_named, there), used, strict=True))
    while more := frozenset[str]().union(*(names for names, used in uses if used & found)) - found:
        found |= more
    return found


def _statements(source: str) -> list[ast.stmt]:
    body: list[ast.stmt] = parse(source).body
    return [
        each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]  # except for docstrings


def _named(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return frozenset({name})
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return frozenset((alias.asname or alias.name).partition(".")[0] for alias in names)
    return frozenset(
        node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
