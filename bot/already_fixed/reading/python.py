"""Python as people paste it, made into Python that parses. Pure; raises nothing."""

import ast
import builtins
import re
import symtable
import sys
import textwrap
import warnings
from collections.abc import Collection, Iterable, Mapping

from bot.already_fixed.reading.tracebacks import trace_starts
from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.values import words
from bot.verification.programs import broken_at
from bot.verification.syntax import parse, starts

LONGEST = 20_000  # characters of one example
_PRINT = re.compile(r"^([^\S\n]*+)print[ \t]++(?![=(.,])(.*[^ \t\n])[ \t]*$", re.M)
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'"})
_SAYS, _OUTPUT = pattern("gives_in_remark"), pattern("output_begins")
_CLAIMS = re.compile(r"\s*#+ ?([\w.]{1,40}[^\n=]{0,60}[^\s=]) (?:->|=+>) (\S[^\n]{0,300})")
_BEGINS = re.compile(
    r"\s*(?:[@%!#$]|(?:def|class|for|while|if|elif|else|try|except|with|async|import|from|return)\b)|.*[:(\[{,]\s*$"
)
_DEEPEST = 12  # attributes of a dotted name
_MOST_WRONG = 8  # lines before the one that does not parse

CONVENTIONS = words("conventions")
_STANDARD = frozenset(name for name in sys.stdlib_module_names if not name.startswith("_")) - {"this", "antigravity"}


def tree_of(text: str, longest: int = LONGEST) -> ast.Module | None:
    """The text as it stands, parsed; `None` where it is no Python, or longer than that."""
    if len(text) > longest or "\0" in text:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = parse(text)
            compile(text, "report", "exec", dont_inherit=True)  # a `return` outside of a function parses
    except (SyntaxError, ValueError, MemoryError, RecursionError, UnicodeError):
        return None
    return tree


def expression(text: str) -> ast.expr | None:
    """The one expression that a text is; `None` where it is anything else."""
    tree = tree_of(text)
    only = tree.body[0] if tree and len(tree.body) == 1 else None
    return only.value if isinstance(only, ast.Expr) else None


def readable(text: str) -> str:
    """The text, mended where people write Python that is none any more; empty where it cannot be read."""
    text = textwrap.dedent(text).strip("\n")
    modern = (_PRINT.sub(r"\1print(\2)", each) for each in (text, text.translate(_QUOTES)))
    return next(filter(tree_of, (text, *modern)), "")


def leading(text: str) -> tuple[str, str]:
    """Code at the beginning, and what stands behind it where a traceback or output follows in the same block."""
    if code := readable(text):
        return code, ""
    output = _OUTPUT.search(text)
    for at in (trace_starts(text), output.start() if output else None):
        if at and (code := readable(text[:at])):
            return code, text[at:]
    return _before_output(text) or ("", text)


def _before_output(text: str) -> tuple[str, str] | None:
    """Code that ends with a statement that shows something, and then lines that are no code."""
    if len(text) > LONGEST:
        return None
    lines, wrong = text.split("\n"), broken_at(text) or 0
    for end in range(min(wrong, len(lines)) - 1, max(0, wrong - _MOST_WRONG), -1):
        code, rest = readable("\n".join(lines[:end])), "\n".join(lines[end:])
        if code and shows(code) and does_something(tree_of(code) or ast.Module([], [])):
            return None if any(map(_is_code, lines[end:])) else (code, rest)
    return None


def _is_code(line: str) -> bool:
    """Whether a line is done, and not shown."""
    if tree := tree_of(line.strip()):
        return any(not isinstance(node, ast.Expr) or is_action(node) for node in tree.body)
    return bool(_BEGINS.match(line))


def is_action(node: ast.stmt) -> bool:
    """Whether it is a call of a function, and not of a class: those of several lines are done, not shown."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2][:1].islower()


def does_something(tree: ast.Module) -> bool:
    """Whether running it calls, asserts or computes anything: prose and data may parse as well."""
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(
        isinstance(node, ast.Call | ast.Assert | ast.Raise | ast.BinOp | ast.Subscript)
        for statement in tree.body
        if not isinstance(statement, quiet)
        for node in ast.walk(statement)
    ) or any(
        isinstance(statement, ast.ClassDef) and statement.bases and not tests_in(statement) for statement in tree.body
    )


def asserts(tree: ast.Module) -> bool:
    """Whether running it asserts something, or its tests do."""
    return any(isinstance(node, ast.Assert) for node in ast.walk(tree))


def tests_in(whole: ast.Module | ast.ClassDef) -> list[ast.FunctionDef]:
    """What pytest runs of it, its classes among it."""
    inner = (each for node in whole.body for each in (node, *(node.body if isinstance(node, ast.ClassDef) else ())))
    return [each for each in inner if isinstance(each, ast.FunctionDef) and each.name.startswith("test")]


def statements(text: str) -> tuple[str, ...]:
    """The statements at the top one by one, where the last one is a value that is shown only at a prompt; else none."""
    tree = tree_of(text)
    last = tree.body[-1] if tree and tree.body else None
    if not isinstance(last, ast.Expr) or (isinstance(last.value, ast.Call) and is_print(last.value.func)):
        return ()
    lines = text.split("\n")
    begin = [starts(statement) - 1 for statement in tree.body] if tree else []
    if len(set(begin)) < len(begin):
        return ()  # two statements on one line
    pieces = ("\n".join(lines[a:b]).strip("\n") for a, b in zip(begin, [*begin[1:], len(lines)], strict=True))
    return tuple(pieces)


def name_given_last(tree: ast.Module) -> str:
    """The name to which the last statement assigns; empty where it does something else."""
    match tree.body[-1:]:
        case [ast.Assign(targets=[ast.Name(id=name)])]:
            return name
    return ""


def name_shown_last(code: str) -> str:
    """The name whose value the last statement shows; empty where it does something else."""
    tree = tree_of(code)
    match tree.body[-1:] if tree else []:
        case [ast.Expr(ast.Call(function, [ast.Name(id=name)]))] if is_print(function):
            return name
        case [ast.Expr(ast.Name(id=name))]:
            return name
    return ""


def fails_always(code: str) -> bool:
    """Whether it fails by its own hand, at its top or in a test: what stands inside of anything else may be caught."""
    tree = tree_of(code) or ast.Module([], [])
    nodes = [*tree.body, *(node for test in tests_in(tree) for node in test.body)]
    asserted = (node.test for node in nodes if isinstance(node, ast.Assert))
    never = any(isinstance(test, ast.Constant) and not test.value for test in asserted)
    return never or any(isinstance(node, ast.Raise) for node in nodes)


def shows(text: str) -> bool:
    """Whether its last statement prints, or is a value that a prompt would show."""
    tree = tree_of(text)
    return bool(tree and tree.body and isinstance(tree.body[-1], ast.Expr))


def remarked(code: str) -> tuple[tuple[str, str], ...]:
    """The statements of a script, each with the value that a comment beside or below says it gives, or "".

    Of an assignment to a name the value is that of the name, which then stands behind it as a statement of its own.
    """
    tree = tree_of(code)
    lines = code.split("\n")
    found: list[tuple[str, str]] = []
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True) if tree else ():
        end = node.end_lineno or node.lineno
        source = "\n".join(lines[starts(node) - 1 : end])
        until = (starts(after) if after else len(lines) + 1) - 1
        said = _SAYS.search(source.rpartition("\n")[2]) or _SAYS.match(next(iter(lines[end:until]), ""))
        value = (said["told"] or said["bare"]).strip() if said else ""
        if said and said["bare"] and not expression(value):  # words, or code that was commented out
            value = ""
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if value and isinstance(target, ast.Name):
            found += [(source, ""), (target.id, value)]
        else:
            found.append((source, value if isinstance(node, ast.Expr) else ""))
        for line in lines[end:until]:
            if (claim := _CLAIMS.fullmatch(line)) and expression(claim[1]):
                found.append((claim[1], claim[2].strip()))
    return tuple(found)


def output_in_remarks(code: str) -> str:
    """What the remarks of a program in another language say that it prints, line by line; empty where one of those that
    print has none."""
    lines = [line.partition("//") for line in code.split("\n")]
    told = [
        said["told"] or said["bare"]
        for _, mark, remark in lines
        if mark and (said := _SAYS.match(f"# {remark.strip()}"))
    ]
    prints = sum("console.log(" in line or "Println(" in line for line, _, _ in lines)
    return "\n".join(told) if len(told) == prints else ""


def has_gaps(tree: ast.Module) -> bool:
    """Whether `...` stands where something was left out."""
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.keyword)]
    values += [node.value for node in tree.body if isinstance(node, ast.Expr)]
    values += [each for node in ast.walk(tree) if isinstance(node, ast.Call) for each in node.args]
    return any(isinstance(value, ast.Constant) and value.value is ... for value in values)


def defined(text: str, longest: int = LONGEST) -> frozenset[str]:
    """Names that the module binds at its top; none where it is no Python."""
    table = _table(text, longest)
    symbols = table.get_symbols() if table else ()
    return frozenset(each.get_name() for each in symbols if each.is_assigned() or each.is_imported())


def _table(text: str, longest: int = LONGEST) -> symtable.SymbolTable | None:
    if tree_of(text, longest) is None:
        return None
    with warnings.catch_warnings(action="ignore"):
        return symtable.symtable(text, "report", "exec")  # it was compiled before: nothing is raised


def lacks(text: str, offered: Mapping[str, frozenset[str]] | None = None) -> frozenset[str]:
    """Names that the code reads, and neither it nor Python defines.

    offered: what a star import of these packages brings; one of any other may define anything: then none is lacking.
    """
    table, brought = _table(text), set[str]()
    for node in ast.walk(tree_of(text) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            names = (offered or {}).get(node.module or "")
            if not names:
                return frozenset()
            brought |= names
    read = set(_read(table)) if table else set()
    return frozenset(read - defined(text) - brought - set(dir(builtins)) - {"__file__", "__name__", "__doc__", "_"})


def names_of_calls(text: str) -> frozenset[str]:
    """The plain names that it calls."""
    nodes = ast.walk(tree_of(text) or ast.Module([], []))
    return frozenset(node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))


def read_of(text: str) -> frozenset[str]:
    """The dotted names of which it reads something, such as `a.b` of `a.b.c`; no longer than names of modules are."""
    found: set[str] = set()
    tree = tree_of(text)
    for node in ast.walk(tree) if tree else ():
        parts: list[str] = []
        while isinstance(node, ast.Attribute) and len(parts) < _DEEPEST:
            parts.insert(0, node.attr)
            node = node.value
        if len(parts) > 1 and isinstance(node, ast.Name):
            found.add(".".join((node.id, *parts[:-1])))
    return frozenset(found)


def imports(tree: ast.Module) -> frozenset[str]:
    """The top-level packages that are imported anywhere in it."""
    nodes = list(ast.walk(tree))
    found = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    found += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return frozenset(name.partition(".")[0] for name in found)


def imports_of(text: str, names: Collection[str]) -> str:
    """The imports at the top of a text that bring all the names; empty where something else defines one."""
    tree = tree_of(text)
    found = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)] if tree else []
    lines = "\n".join(map(ast.unparse, found))
    return lines if set(names) <= defined(lines) else ""


def import_lines(names: Iterable[str], packages: Iterable[str] = ()) -> tuple[str, ...]:
    """How the names are imported by convention: packages of the project, and modules of Python itself, by their own."""
    known = {name: f"import {name}" for name in _STANDARD} | CONVENTIONS | {name: f"import {name}" for name in packages}
    return tuple(known[name] for name in sorted(names) if name in known)


def is_print(function: ast.expr) -> bool:
    """Whether it is the function that prints."""
    return isinstance(function, ast.Name) and function.id in ("print", "pprint")


def _read(table: symtable.SymbolTable) -> Iterable[str]:
    """Names that are looked up among the module's, from anywhere in it."""
    waiting = [table]
    while waiting:
        here = waiting.pop()
        top = here.get_type() == "module"
        yield from (s.get_name() for s in here.get_symbols() if s.is_referenced() and (top or s.is_global()))
        waiting.extend(here.get_children())
