"""Inputs on which two versions may differ, searched symbolically by CrossHair's `diffbehavior` where it is installed
(the extra `bouncer-bot[symbolic]`).

It loads both into one process inside one sandbox, where they can see each other and print what they like. So what comes
of it is calls and no more: whoever compares the versions makes each call on either of them alone. That nothing was
found proves nothing.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bot.sandbox.protocol import Job, Limits, MiB
from bot.verification.calls.observe import MEMORY
from bot.verification.differential.compare import Versions
from bot.verification.differential.domain import LONGER, SPREAD, alphabet
from bot.verification.differential.expression import Expression, read
from bot.verification.programs import content
from bot.verification.syntax import tree_of

STARTING = 4.0  # seconds beside the search, for imports and the solver
MOST = 20  # calls
LONGEST = 4  # of what has a length: each item makes more ways through the programs
ASKED = 2  # functions and methods that are searched, in equal shares of the time
_FIX = "fix_beside_it"  # the fix's module, laid beside the one it changes
_SIDES = ("searched_original", "searched_fix")
_RUN = """
import glob, sys
from crosshair.main import main
sys.path[:0] = sys.argv.pop().split(":")
sys.path += glob.glob(sys.argv.pop() + "/lib/python%d.%d/site-packages" % sys.version_info[:2])
main()
"""
_SIDE = """
from importlib import import_module
globals().update(vars(import_module({module!r})))
def asked({parameters}):
    return {call} if {outside} == 0 else None
"""
_PLAIN = {"int", "float", "bool", "str", "bytes", "list", "tuple", "set", "dict"}  # types in annotations


def crosshair_version() -> str:
    """CrossHair's version; empty where it is not installed."""
    try:
        return version("crosshair-tool")
    except PackageNotFoundError:
        return ""


def search(versions: Versions, path: str, seconds: float) -> tuple[str, ...]:
    """Calls like the visible ones on which the versions may differ.

    Their literals have the types of the visible ones or, where these do not tell, of the annotations. path: of the one
    module that differs. seconds: of processor time for the search, beside its start. Never raises.
    """
    fix, module = content(versions.fix, path), versions.visible.module
    folder, _, name = path.rpartition("/")
    if not (crosshair_version() and fix and module) or name == "__init__.py" or versions.visible.environment.image:
        return ()
    groups: dict[str, list[Expression]] = {}
    for call, _ in versions.visible.read.values():
        groups.setdefault(call.steps[-1].asks, []).append(call)
    modules = (module, f"{module.rpartition('.')[0]}.{_FIX}".lstrip("."))
    both = {asks: _sides(seen, modules, tree_of(fix)) for asks, seen in groups.items()}
    typed = [asks for asks in groups if both[asks]][:ASKED]
    found: list[str] = []
    for asks in typed:
        beside = {f"{folder}/{_FIX}.py".lstrip("/"): fix, **both[asks]}
        found += _calls(groups[asks][0], _output(versions, beside, seconds / len(typed)))
    return tuple(dict.fromkeys(found))[:MOST]


def _output(versions: Versions, beside: Mapping[str, bytes], seconds: float) -> str:
    original, around = versions.original, versions.visible.environment
    options = (f"--per_condition_timeout={seconds}", "--exception_equivalence=ALL")
    packages = around.packages or "".join(around.python[:1]).removesuffix("/bin/python")
    places = packages, ":".join(versions.visible.paths)
    python = versions.executor.probe().python
    job = Job(
        (*python, "-I", "-c", _RUN, "diffbehavior", *options, *(f"{side}.asked" for side in _SIDES), *places),
        tree=original.tree,
        files={**original.files, **beside},
        mounts=around.mounts,
        environment={**around.variables, "PYTHONHASHSEED": "0"},
        limits=Limits(wall=3 * seconds + STARTING, cpu=seconds + STARTING, memory=MEMORY, output=MiB // 4),
    )
    return versions.executor.run(job).stdout.decode(errors="replace")


def _calls(like: Expression, output: str) -> Iterator[str]:
    """The calls in what CrossHair printed, or what a program printed in its place."""
    places = _places(like)
    for line in output.splitlines():
        given = read(f"f{line[7:-1]}") if line.startswith("Given: (") and line.endswith("),") else None
        if given and given.steps[-1].asks == f"f({', '.join(f'p{place}=?' for place in places)})":
            yield str(like.with_others(dict(zip(places, given.values, strict=True))))


def _places(call: Expression) -> tuple[int, ...]:
    """Where the literals stand that are given to what is asked last."""
    return next((places for site, places in reversed([*call.sites]) if site == call.steps[-1].asks), ())


def _sides(seen: Sequence[Expression], modules: Sequence[str], source: ast.Module) -> dict[str, bytes]:
    """For each version a module with the first of the calls as a function of its literals, which gives nothing outside
    the bounds of the domain; empty where one has no type."""
    places = _places(seen[0])
    columns = {place: [call.values[place] for call in seen if len(call.values) > place] for place in places}
    shapes = {f"p{place}": _shape(column, f"p{place}") for place, column in columns.items()}
    hints = _hints(seen[0].steps[-1].asks, source)
    types = [kind or hints.get(at, "") for at, (kind, _) in enumerate(shapes.values())]
    if not types or not all(types):
        return {}
    call = str(seen[0].with_others({place: f"\1{place}" for place in places}))
    for place in places:
        call = call.replace(repr(f"\1{place}"), f"p{place}")
    parameters = ", ".join(f"{name}: {kind}" for name, kind in zip(shapes, types, strict=True))
    outside = " + ".join(each for _, each in shapes.values())
    sides = (_SIDE.format(module=each, parameters=parameters, call=call, outside=outside) for each in modules)
    return {f"{side}.py": source.encode() for side, source in zip(_SIDES, sides, strict=True)}


def _hints(asks: str, source: ast.Module) -> dict[int, str]:
    """The plain annotations of the parameters of a function that is called without names, by place."""
    name = asks.partition("(")[0]
    found = [
        node for node in source.body if isinstance(node, ast.FunctionDef) and node.name == name and "=" not in asks
    ]
    hints = {at: each.annotation for node in found[:1] for at, each in enumerate(node.args.args) if each.annotation}
    names = {at: {part.id for part in ast.walk(hint) if isinstance(part, ast.Name)} for at, hint in hints.items()}
    return {at: ast.unparse(hint) for at, hint in hints.items() if names[at] <= _PLAIN}


def _shape(values: Sequence[Any], name: str) -> tuple[str, str]:
    """An annotation for all values, empty where there is none, and how much of one lies outside their bounds: as a sum,
    since the search takes another way through the program for each condition."""
    kinds = {type(value) for value in values}
    kind: type = float if kinds == {int, float} else kinds.pop() if len(kinds) == 1 else object
    if kind in (int, float):
        most = SPREAD * max(map(abs, values)) + 10
        return kind.__name__, f"({name} < {-most if min(values) < 0 else 0}) + ({name} > {most})"
    if kind not in (str, list, set, frozenset, tuple, dict):
        return "bool" if kind is bool else "", "0"
    least, longest = min(1, *map(len, values)), max(map(len, values))
    long = f"({least} > len({name})) + (len({name}) > {min(longest + LONGER, LONGEST)})"
    if kind is str:
        return "str", f"{long} + sum(each not in {alphabet(values)!r} for each in {name})"
    if kind is dict:
        keys, items = [key for value in values for key in value], [item for value in values for item in value.values()]
        (key, one), (item, other) = _shape(keys, f"{name}k"), _shape(items, f"{name}v")
        return (
            f"dict[{key}, {item}]" if key and item else "",
            f"{long} + sum({one} + {other} for {name}k, {name}v in {name}.items())",
        )
    if kind is tuple and longest and {len(value) for value in values} == {longest}:
        fields = [_shape(column, f"{name}[{at}]") for at, column in enumerate(zip(*values, strict=True))]
        types = [field for field, _ in fields]
        return f"tuple[{', '.join(types)}]" if all(types) else "", " + ".join(outside for _, outside in fields)
    inner, outside = _shape([item for value in values for item in value], f"{name}_")
    every = f"{inner}, ..." if kind is tuple else inner
    return f"{kind.__name__}[{every}]" if inner else "", f"{long} + sum({outside} for {name}_ in {name})"
