"""An edit that changes nothing: a program that ends otherwise with it reads its own text, and so would fail with any
fix. Nothing is run here."""

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from keyword import iskeyword, issoftkeyword

from bot.child_process import run_bounded
from bot.sandbox.protocol import MiB
from bot.verification.programs import content
from bot.verification.syntax import UNREADABLE, parse, starts
from bot.verification.values import Program

_LARGEST = 1 * MiB  # of a source
_FULL_WIDTH = 0xFEE0  # from a letter of ASCII to the one that Python takes for the same in a name
_MARKS = frozenset({tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.COMMENT})
_QUOTES = "'\""
_ENDS = frozenset({tokenize.NEWLINE, tokenize.NL})


def null_edited(program: Program, changed: Mapping[str, Iterable[int]]) -> Program:
    """The program with each word and number of these lines written in another way that is the same to Python, and a
    remark at the end of each file; each function around them begins with a value that nobody uses, so that its bytecode
    is another. Of other languages an empty line at the end alone. changed: path -> line numbers."""
    texts = {path: text for path in changed if (text := content(program, path)) and len(text) <= _LARGEST}
    made = {path: run_bounded(len(text), respell, path, text, frozenset(changed[path])) for path, text in texts.items()}
    return replace(
        program, files={**program.files, **{path: each for path, each in made.items() if isinstance(each, bytes)}}
    )


def respell(path: str, source: bytes, lines: frozenset[int]) -> bytes:
    """One file so."""
    if not path.endswith(".py"):
        return source + b"\n"
    try:
        text = source.decode()
        other = f"{_respelled(text, lines)}\n#\n"
        if ast.dump(parse(text)) == ast.dump(parse(other)):
            return _with_values(other.encode(), lines)
    except (*UNREADABLE, tokenize.TokenError):  # a text that is no UTF-8 is a ValueError
        pass
    return source + b"\n#\n"


def _with_values(source: bytes, lines: frozenset[int]) -> bytes:
    found = (each for each in ast.walk(parse(source)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    around = [each for each in found if not lines.isdisjoint(range(each.lineno, (each.end_lineno or 0) + 1))]
    made = source
    for each in sorted(around, key=lambda one: one.lineno, reverse=True):
        made = put_first(made, each, f"[{len(source) + each.lineno}]")
    try:
        parse(made)
    except UNREADABLE:
        return source
    return made


def put_first(source: bytes, function: ast.FunctionDef | ast.AsyncFunctionDef, statement: str) -> bytes:
    """A file with one more statement at the beginning of a function, behind what it says of itself. Every line stays
    where it was, unless the next statement has lines of its own."""
    after = function.body[int(ast.get_docstring(function, clean=False) is not None) :] or function.body
    first, row = after[0], starts(after[0])
    if hasattr(first, "body") or hasattr(first, "cases"):
        return put_before(source, row, 0, " " * first.col_offset + f"{statement}\n")
    return put_before(source, row, first.col_offset, f"{statement}; ")


def put_before(source: bytes, line: int, column: int, text: str, since: tuple[int, int] | None = None) -> bytes:
    """A file with a text at a place, as `ast` counts lines and columns; since: in the place of all from there on."""
    rows = source.splitlines(keepends=True)
    ends = [sum(map(len, rows[: at - 1])) + of for at, of in (since or (line, column), (line, column))]
    return source[: ends[0]] + text.encode() + source[ends[1] :]


def _respelled(text: str, lines: frozenset[int]) -> str:
    rows = text.split("\n")
    tokens = [each for each in tokenize.generate_tokens(io.StringIO(text).readline) if each.type not in _MARKS]
    for each in reversed([each for each in tokens if each.start[0] == each.end[0] and each.start[0] in lines]):
        row, start, end = each.start[0] - 1, each.start[1], each.end[1]
        before = rows[row][:start]
        rows[row] = f"{before}{' ' if before.strip() else ''}{''.join(_other(each))}{rows[row][end:]}"
    return "\n".join(rows)


def _other(token: tokenize.TokenInfo) -> Iterator[str]:
    text = token.string
    letters = [at for at, each in enumerate(text) if each.isascii() and each.isalpha()]
    if token.type in _ENDS:
        yield "#"
    elif token.type == tokenize.NAME and letters and not (iskeyword(text) or issoftkeyword(text)):
        at = letters[0]
        yield text[:at] + chr(ord(text[at]) + _FULL_WIDTH) + text[at + 1 :]
    elif token.type == tokenize.NUMBER and text.isdecimal():
        yield hex(int(text))
    elif token.type == tokenize.STRING and text[0] in _QUOTES and not {*_QUOTES, "\\"} & {*text[1:-1]}:
        yield text.translate({ord("'"): '"', ord('"'): "'"})
    else:
        yield text
