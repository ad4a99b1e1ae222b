"""The calls that tests and specification show: they span the domain in which a difference counts."""

import ast
from collections.abc import Iterable

from bot.judges.code import Interface
from bot.verification.literals import examples_in, literal_call
from bot.verification.syntax import parse

MOST = 200


def examples(tests: Iterable[str], specification: str, interface: Interface) -> tuple[str, ...]:
    """Calls with literal arguments to functions of the interface, each once: those of the tests' sources first."""
    functions = {line.partition("(")[0] for line in interface.signatures}
    found = [call for source in tests for call in _calls(source, functions, interface.module)]
    found += [example.call.text for example in examples_in(specification, interface)]
    return tuple(dict.fromkeys(found))[:MOST]


def _calls(source: str, functions: set[str], module: str) -> list[str]:
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    known = {name: name for name in functions} | _other_names(tree, functions, module)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := known.get(ast.unparse(node.func))):
            call = ast.unparse(ast.Call(ast.Name(name), node.args, node.keywords))
            if literal_call(call):
                found.append(call)
    return found


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
