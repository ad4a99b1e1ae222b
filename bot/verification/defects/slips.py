"""Small slips in given lines: near what one would make by mistake, told by what a line of any language looks like.
Nothing is run.
"""

import re
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from bot.child_process import TooLong, run_in_child
from bot.verification.defects.defect import OPPOSITES, Defect, DefectKind, other_number
from bot.verification.syntax import UNREADABLE, Function

_SECONDS = 10.0  # of the processor, for the slips of all files
_OTHERS = {
    **{"+": ("-",), "-": ("+",), "*": ("+", "/"), "/": ("*", "//"), "//": ("/", "*"), "%": ("*", "//"), "**": ("*",)},
    **{">>": ("<<",), "<<": (">>",), "|": ("&",), "&": ("|",), "^": ("|",), "and": ("or",), "or": ("and",)},
    **{
        "==": ("!=", "<=", ">="),
        "!=": ("==",),
        "<": ("<=", ">="),
        "<=": ("<", ">"),
        ">": (">=", "<="),
        ">=": (">", "<"),
    },
    **{"is": ("is not",), "is not": ("is",), "not": ("",), "break": ("continue",), "continue": ("break",)},
    **{word: (other,) for word, other in OPPOSITES.items()},
}
# What a line may hold: a text, a remark, a plain number, an operator between blanks; in Python words, too.
_LINE = (
    rb"""(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?:^|(?<=\s))(?:%b)(?:\s.*)?$|^\s*\*\s.*$"""
    rb"""|(?P<number>(?<![\w.$#@])\d[\d.]*(?![\w.]))|(?<=\s)(?P<operator>[-+*/%%<>]|[<>=!]=%b)(?=\s)"""
    rb"""|(?<![\w.])(?P<word>%b)(?!\w)"""
)
_ANY, _PYTHON = (
    re.compile(_LINE % parts, re.M)
    for parts in (
        (rb"#|//|--|;", b"", rb"(?!)"),
        (rb"#", rb"|[&|^]|\*\*|//|<<|>>", rb"is\snot|is|not|and|or|True|False|break|continue"),
    )
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
            fit = partial(_is_new, source, {essence})
            by_line |= {(path, line): filter(fit, its) for line, its in _of_lines(path, source, wanted).items()}
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


def _of_lines(path: str, source: bytes, lines: frozenset[int]) -> dict[int, list[Defect]]:
    python, found = path.endswith(".py"), dict[int, list[Defect]]()
    start = 0
    for line, text in enumerate(source.splitlines(keepends=True), 1):
        for token in (_PYTHON if python else _ANY).finditer(text) if line in lines else ():
            of, span = Function(path, "", line, line), (start + token.start(), start + token.end())
            others = _others(token)
            for other in others if python else others[:1]:  # each of them is another build elsewhere
                told = f"{path}:{line}: {token[0].decode(errors='replace')} → {other or 'nothing'}"
                found.setdefault(line, []).append(Defect(path, span, other.encode(), DefectKind.SLIP, of, told))
        start += len(text)
    return found


def _others(token: re.Match[bytes]) -> Sequence[str]:
    """What may stand there instead."""
    text = " ".join(token[0].decode(errors="replace").split())
    if token["number"]:
        return [*filter(None, (other_number(text, more) for more in (1, -1)))]
    return _OTHERS.get(text, ()) if token["operator"] or token["word"] else ()


def _essence(path: str, source: bytes) -> object:
    """What running it depends on: of Python, everything but docstrings, assertions, line numbers and file names; `None`
    where it is no program."""
    if not path.endswith(".py"):
        return source
    try:
        with warnings.catch_warnings(action="ignore"):
            return _without_lines(compile(source, "", "exec", dont_inherit=True, optimize=2))
    except UNREADABLE:
        return None


def _without_lines(code: types.CodeType) -> types.CodeType:
    inner = tuple(_without_lines(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=inner, co_firstlineno=1, co_linetable=b"")
