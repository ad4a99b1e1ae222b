"""What the texts of two programs tell of inputs: the values around what differs, members, errors raised on purpose."""

import ast
from collections.abc import Iterable, Sequence

from bot.verification.programs import changed_files, changed_lines, content
from bot.verification.syntax import plain_value, tree_of
from bot.verification.values import Program

LONGEST = 20
MOST_CONSTANTS = 40
MOST_LIMITS = 30
MOST_MEMBERS = 50  # of an enumeration
_ENDS = (".py", "/__init__.py")  # of a module's file


def values_of_change(original: Program, fix: Program) -> tuple[list[float], list[object]]:
    """The numbers in the lines that differ and beside them, as they are and as what is named there stands for, and all
    literals of both programs: they sit where behaviour changes."""
    limits, found = dict[float, None](), dict[str, object]()
    for program, other in ((original, fix), (fix, original)):
        changed = changed_lines(program, other)
        for path in sorted({*changed, *(path for path in program.files if path.endswith(".py"))}):
            nodes = list(ast.walk(tree_of(content(program, path) or b"")))
            inside = [node for node in nodes if getattr(node, "lineno", 0) in changed.get(path, ())]
            names = {node.id for node in inside if isinstance(node, ast.Name)}
            names |= {node.attr for node in inside if isinstance(node, ast.Attribute)}
            named = [node.value for node in nodes if isinstance(node, ast.Assign) and names & set(_targets(node))]
            for node in (*inside, *named):
                number = plain_value(node) if isinstance(node, ast.Constant | ast.UnaryOp) else None
                if isinstance(number, int | float) and not isinstance(number, bool):
                    limits |= dict.fromkeys((number, number - 1, number + 1))
            for node in (*inside, *named, *nodes):
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
                    found.setdefault(repr(node.value), node.value)
    short = [value for value in found.values() if not isinstance(value, str) or len(value) <= LONGEST]
    return list(limits)[:MOST_LIMITS], short[:MOST_CONSTANTS]


def members_of_enumerations(
    programs: Iterable[Program], modules: Sequence[str], paths: Iterable[str]
) -> dict[str, list[str]]:
    """Of each member all of its enumeration in any of the programs, as `Size.LARGE`, in modules by their dotted names.
    Of an enumeration of many members none. paths: where modules are looked for, inside."""
    roots = [root.removeprefix("/work").strip("/") for root in paths]
    files = [
        f"{root}/{module.replace('.', '/')}{end}".strip("/") for module in modules for root in roots for end in _ENDS
    ]
    trees = (tree_of(content(program, path) or b"") for program in programs for path in dict.fromkeys(files))
    found = dict[str, dict[str, None]]()
    for each in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        if any(ast.unparse(base).endswith(("Enum", "Flag")) for base in each.bases):
            stored = (
                node for own in each.body if isinstance(own, ast.Assign | ast.AnnAssign) for node in ast.walk(own)
            )
            names = (node.id for node in stored if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
            found.setdefault(each.name, {}).update((f"{each.name}.{name}", None) for name in names if name[0] != "_")
    return {member: [*its] for its in found.values() if len(its) <= MOST_MEMBERS for member in its}


def own_errors(original: Program, fix: Program) -> set[str]:
    """The names of exceptions that the files which differ raise themselves."""
    texts = (text for path, both in changed_files(original, fix).items() if path.endswith(".py") for text in both)
    nodes = (node for text in texts for node in ast.walk(tree_of(text or b"")) if isinstance(node, ast.Raise))
    return {ast.unparse(getattr(node.exc, "func", node.exc)).rpartition(".")[2] for node in nodes if node.exc}


def _targets(node: ast.Assign) -> list[str]:
    return [getattr(each, "id", getattr(each, "attr", "")) for each in node.targets]
