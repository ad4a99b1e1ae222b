"""Small slips in given lines: near what one would make by mistake. Nothing is run.

Python's are told by a query; those of any other language by what its line looks like, with or without a grammar.
"""

import re
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from tree_sitter import Node

from bot.changes.syntax import matches, text_of
from bot.child_process import TooLong, run_in_child
from bot.verification.defects.defect import LANGUAGES, OPPOSITES, Defect, DefectKind, instead, other_number
from bot.verification.syntax import UNREADABLE, Function, functions_of, innermost

_SECONDS = 10.0  # of the processor, for the slips of all files
_OTHERS = {
    **{"+": ("-",), "-": ("+",), "*": ("+", "/"), "/": ("*", "//"), "//": ("/", "*"), "%": ("//", "*"), "**": ("*",)},
    **{">>": ("<<",), "<<": (">>",), "|": ("&",), "&": ("|",), "^": ("|",), "and": ("or",), "or": ("and",)},
    **{
        "==": ("!=", "<=", ">="),
        "!=": ("==",),
        "<": ("<=", ">="),
        "<=": ("<", ">"),
        ">": (">=", "<="),
        ">=": (">", "<"),
    },
    **{"is": ("is not",), "is not": ("is",), "break": ("continue",), "continue": ("break",)},
    **{word: (other,) for word, other in OPPOSITES.items()},
}
# What a line of any language may hold: a text, a remark, a plain number, an operator between blanks.
_TOKEN = re.compile(
    rb"""(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?:^|(?<=\s))(?:#|//|--|;)(?:\s.*)?$|^\s*\*\s.*$"""
    rb"""|(?P<number>(?<![\w.$#@])\d[\d.]*(?![\w.]))|(?<=\s)(?P<operator>[-+*<>]|[<>=!]=)(?=\s)""",
    re.M,
)


def slips(sources: Mapping[str, bytes], lines: Mapping[str, Iterable[int]], most: int) -> tuple[Defect, ...]:
    """At most so many slips in these lines of files; none where reading the files takes long. Spread over the lines:
    each line gives its first before any gives its second. The same every time."""
    wanted = {path: frozenset(lines[path]) for path in sorted(lines) if path in sources}
    found = run_in_child(_slips, {path: sources[path] for path in wanted}, wanted, most, seconds=_SECONDS)
    return () if isinstance(found, TooLong) else found


def _slips(sources: Mapping[str, bytes], lines: Mapping[str, frozenset[int]], most: int) -> tuple[Defect, ...]:
    by_line: dict[tuple[str, int], Iterator[Defect]] = {}
    for path, wanted in lines.items():
        source = sources[path]
        if (essence := _essence(path, source)) is not None:
            made = (_of_python if path.endswith(".py") else _of_any)(path, source, wanted)
            fit = partial(_is_new, source, {essence})
            by_line |= {(path, line): filter(fit, its) for line, its in made.items()}
    found: list[Defect] = []
    while by_line and len(found) < most:
        for key in sorted(by_line):
            if each := next(by_line[key], None):
                found.append(each)
            else:
                del by_line[key]
    return tuple(found[:most])


def _is_new(source: bytes, known: set[object], slip: Defect) -> bool:
    """Whether it is a program, and neither equivalent to the program without it nor to one that is known."""
    essence = _essence(slip.path, slip.apply(source))
    if essence is None or essence in known:
        return False
    known.add(essence)
    return True


def _of_python(path: str, source: bytes, lines: frozenset[int]) -> dict[int, list[Defect]]:
    around, found = innermost(functions_of(path, source)), dict[int, list[Defect]]()
    for captured in matches(path, source, LANGUAGES[".py"].slips):
        for kind, nodes in captured.items():
            for node in nodes:
                line = node.start_point.row + 1
                of = around(line) or Function(path, "", line, line)
                its = _others(kind, node) if line in lines else ()
                found.setdefault(line, []).extend(instead(of, over, text, DefectKind.SLIP) for over, text in its)
    return found


def _others(kind: str, node: Node) -> Iterator[tuple[Node, str]]:
    text = text_of(node)
    if kind == "number":
        yield from ((node, number) for more in (1, -1) if (number := other_number(text, more)))
    elif kind == "condition":
        yield node, f"not ({text})"
    elif kind == "denial":
        yield node, text_of(node.child_by_field_name("argument"))
        if text.startswith("-"):
            yield node, f"not {text[1:]}"
    elif kind == "caught":
        yield node, "()"
    elif kind == "mark":
        yield node, ""
    elif kind == "loop":
        yield node, "[]"
    elif kind == "operator" and (around := node.parent):
        start, whole = node.start_byte - around.start_byte, around.text or b""
        before, after = (part.decode(errors="replace") for part in (whole[:start], whole[start + len(text) :]))
        yield from ((around, f"{before}{other}{after}") for other in _OTHERS.get(text, ()))
    else:
        yield from ((node, other) for other in _OTHERS.get(text, ()))


def _of_any(path: str, source: bytes, lines: frozenset[int]) -> dict[int, list[Defect]]:
    found: dict[int, list[Defect]] = {}
    start = 0
    for line, text in enumerate(source.splitlines(keepends=True), 1):
        for token in _TOKEN.finditer(text) if line in lines else ():
            word = token[0].decode()
            number = other_number(word, 1) if token["number"] else ""
            others = (number,) if number else _OTHERS.get(word, ())[:1] if token["operator"] else ()
            of, span = Function(path, "", line, line), (start + token.start(), start + token.end())
            for other in others:
                told = f"{path}:{line}: {word} → {other}"
                found.setdefault(line, []).append(Defect(path, span, other.encode(), DefectKind.SLIP, of, told))
        start += len(text)
    return found


def _essence(path: str, source: bytes) -> object:
    """What running it depends on: of Python, everything but line numbers and file names; `None` where it is no
    program."""
    if not path.endswith(".py"):
        return source
    try:
        with warnings.catch_warnings(action="ignore"):
            return _without_lines(compile(source, "", "exec", dont_inherit=True))
    except UNREADABLE:
        return None


def _without_lines(code: types.CodeType) -> types.CodeType:
    inner = tuple(_without_lines(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=inner, co_firstlineno=1, co_linetable=b"")
