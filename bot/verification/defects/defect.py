"""Defects to be put into code: functions that give something else or break off, and constants of another value.

A broken function looks like ordinary code: no name, text or place marks it, so a program cannot tell that it is tried.
Nothing is run here.
"""

import os
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, zip_longest
from pathlib import Path, PurePosixPath
from zlib import crc32

from tree_sitter import Node

from bot.changes.readers import Rows
from bot.changes.syntax import above, is_docstring, matches, nodes_below, text_of
from bot.child_process import TooLong, run_in_child
from bot.verification.files.rust_tests import is_test_item
from bot.verification.programs import content
from bot.verification.syntax import Function, text_cache
from bot.verification.values import Program

_MOST = 2_000  # functions of one file
_KEPT = 16 * 2**20  # bytes of files whose defects are kept
FEW = 2_000  # bytes that are read in this process: a grammar may take long over much less than a page
_LONGEST = 200  # characters of a name
_SHOWN = 80  # characters of what a defect replaces, and of what it puts there
_SALT = os.urandom(16)  # what is chosen is the same in one process, and nobody else's to know
_SAYS = ("unexpected value", "invalid argument", "not supported", "out of range", "no such entry")
_BLOCKS = frozenset({"block", "statement_block", "compound_statement", "body_statement", "subshell"})
_SCOPES = ("function_definition", "class_definition")  # of Python, whose names stand before those of what is inside
_INNER = (*_SCOPES, "lambda")
_EXCEPTIONS = ("caught", "raised")
_IDLE = ("pass_statement", "raise_statement")
OPPOSITES = {"true": "false", "false": "true", "True": "False", "False": "True"}


class CodeLanguage(Rows):
    """How code of a language is broken; see `languages.toml`. others, numbers: for languages with types, a value of
    some that is not their first, and those that are numbers; arguments: by a type, or how it begins, a statement that
    gives a parameter of that type another value."""

    endings: tuple[str, ...] = ()
    like: str = ""
    returns: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    fails: str = ""
    others: Mapping[str, str] = {}
    numbers: tuple[str, ...] = ()
    arguments: Mapping[str, str] = {}
    query: str = ""
    opens: str = ""

    def other(self, kind: str) -> str:
        """A value of a plain type that is not its first; empty for any other type."""
        return self.others.get(kind) or ("1" if kind in self.numbers else "")


_TOLD = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
_LANGUAGES = [CodeLanguage.model_validate({**_TOLD.get(own.get("like"), {}), **own}) for own in _TOLD.values()]
LANGUAGES = {ending: each for each in _LANGUAGES for ending in each.endings}
BREAKABLE = tuple(LANGUAGES)
READ = tuple(ending for ending, each in LANGUAGES.items() if each.query or each.opens)


class DefectKind(StrEnum):
    """What a defect is."""

    RETURNS = "returns"  # a function gives something else, or does nothing
    GIVEN = "given"  # it works on something else
    RAISES = "raises"  # it breaks off
    VALUE = "value"  # a constant is another
    TEXT = "text"  # a constant is another text, of which a test need not know
    SLIP = "slip"  # a small one within a function


@dataclass(frozen=True, slots=True)
class Defect:
    """Something in a file that is otherwise: `replacement` at `span`, in bytes. of: the function or constant that it is
    in; without a name where there is none. told: as a reader finds it. Paths, names and texts are strangers'."""

    path: str
    span: tuple[int, int]
    replacement: bytes
    kind: DefectKind
    of: Function
    told: str

    def put_into(self, program: Program) -> dict[str, bytes | None]:
        """The program's file with it, by its path."""
        return {self.path: self.apply(content(program, self.path) or b"")}

    def apply(self, source: bytes) -> bytes:
        """The file's text with it."""
        return source[: self.span[0]] + self.replacement + source[self.span[1] :]


def all_into(source: bytes, found: Iterable[Defect]) -> bytes:
    """A file's text with several of its defects; of those that overlap the last."""
    end = len(source)
    for each in sorted(found, key=lambda one: one.span, reverse=True):
        if each.span[1] <= end:
            source, end = each.apply(source), each.span[0]
    return source


def defects(path: str, source: bytes, lines: Collection[int] | None = None) -> tuple[Defect, ...]:
    """The defects of a file's functions and constants, in order, several of each; those around some lines, from 1, or
    all. None where the file is unreadable or its language is not known."""
    found = _defects(path, source)
    if lines is None:
        return found
    return tuple(each for each in found if not set(lines).isdisjoint(range(each.of.first, each.of.last + 1)))


Places = dict[Function, list[Defect]]  # the defects of each function and constant


def places(program: Program, path: str, lines: Collection[int] | None = None) -> Places:
    """Those of a file of a program; as for `defects`."""
    by_place: Places = {}
    for each in defects(path, content(program, path) or b"", lines):
        by_place.setdefault(each.of, []).append(each)
    return by_place


def counterparts(here: Places, there: Places) -> Places:
    """Of each function or constant the defects that it has in another version: of several with one name those of the
    one in its place, where they are as many, else of the first."""
    ours, theirs = (_by_name(each) for each in (here, there))
    pairs = ((name, at, one) for name, its in ours.items() if name in theirs for at, one in enumerate(its))
    return {one: there[theirs[name][at if len(ours[name]) == len(theirs[name]) else 0]] for name, at, one in pairs}


def _by_name(found: Places) -> dict[str, list[Function]]:
    names: dict[str, list[Function]] = {}
    for each in sorted(found, key=lambda one: one.first):
        names.setdefault(each.name, []).append(each)
    return names


@text_cache(_KEPT)
def _defects(path: str, source: bytes) -> tuple[Defect, ...]:
    found = _read(path, source) if len(source) <= FEW else run_in_child(_read, path, source)
    return () if isinstance(found, TooLong) else found


def _read(path: str, source: bytes) -> tuple[Defect, ...]:
    language = LANGUAGES.get(PurePosixPath(path).suffix, CodeLanguage())
    found = _by_pattern(path, source, language) if language.opens else _by_query(path, source, language)
    return tuple(sorted(islice(found, _MOST), key=lambda each: each.of.first))


def _by_pattern(path: str, source: bytes, language: CodeLanguage) -> Iterator[Defect]:
    opened = list(re.finditer(language.opens.encode(), source, re.M))
    for one, following in zip_longest(opened, opened[1:]):
        first, end = source.count(b"\n", 0, one.start()) + 1, following.start() if following else len(source)
        of = Function(path, one[1].decode(errors="replace")[:_LONGEST], first, source.count(b"\n", 0, end - 1) + 1)
        for kind, says in _statements(of, language, language.returns):
            yield _defect(of, (one.end(), one.end()), f" {says} ", kind)


def _by_query(path: str, source: bytes, language: CodeLanguage) -> Iterator[Defect]:
    found = list(matches(path, source, language.query))
    said = {kind: b" ".join(each.text or b"" for one in found for each in one.get(kind, ())) for kind in _EXCEPTIONS}
    language = language.model_copy(update={"raises": _fitting(language.raises, **said)})
    for captured in found:
        broken = captured.get("function") or captured.get("constant")
        node, named, body = (each[0] if each else None for each in (broken, captured.get("name"), captured.get("body")))
        if node is None or (path.endswith(".rs") and any(map(is_test_item, above(node)))):
            continue
        name = _bare(named) if named else _name(node)
        first = node.parent if node.parent and node.parent.type == "decorated_definition" else node
        if path.endswith(".py"):
            scopes = [text_of(each.child_by_field_name("name")) for each in above(node) if each.type in _SCOPES]
            name = ".".join([*reversed(scopes[node.type in _SCOPES :]), name])
        of = Function(path, name.strip()[:_LONGEST], first.start_point.row + 1, node.end_point.row + 1)
        if body is None:
            yield from _of_constant(of, node, language)
        elif body.type not in _BLOCKS:
            gives = [(DefectKind.RETURNS, each) for each in language.gives]
            fails = [(DefectKind.RAISES, _said(language.fails, of))] if language.fails else []
            yield from (_instead(of, body, says, kind) for kind, says in (*gives, *fails) if says != text_of(body))
        elif path.endswith(".py"):
            yield from _of_python(of, node, body, source, language)
        elif inside := [each for each in body.named_children if "comment" not in each.type]:
            opens = (
                body.start_byte + 1 if source[body.start_byte : body.start_byte + 1] in b"{(" else inside[0].start_byte
            )
            returns = language.returns or _of_types(node, language)
            for kind, says in _statements(of, language, returns, _other_arguments(node, language)):
                yield _defect(of, (opens, opens), f" {says} ", kind)


def _fitting(raises: tuple[str, ...], caught: bytes, raised: bytes) -> tuple[str, ...]:
    """Of Python's exceptions one that the file raises itself where it can be, and that nothing in it catches."""
    free = [says for says in raises if says.split()[-1].encode() not in caught] or raises[-1:]
    return tuple(says for says in free if says.split()[-1].encode() in raised) or tuple(free)


def _statements(
    of: Function, language: CodeLanguage, returns: Iterable[str], given: Iterable[str] = ()
) -> Iterator[tuple[DefectKind, str]]:
    """What a function may begin with. What stands behind stays, so that nothing the file declares or imports is left
    without use."""
    yield from ((DefectKind.RETURNS, says) for says in dict.fromkeys(returns))
    yield from ((DefectKind.GIVEN, says) for says in given)
    yield from ((DefectKind.RAISES, _said(says, of)) for says in language.raises)


def _said(pattern: str, of: Function) -> str:
    return pattern.replace("{}", _chosen(_SAYS, of))


def _chosen(among: Sequence[str], of: Function) -> str:
    """One of them by chance, always the same for a function."""
    return among[crc32(_SALT + of.called.encode("utf-8", "replace")) % len(among)]


def _defect(of: Function, span: tuple[int, int], text: str, kind: DefectKind, told: str = "", line: int = 0) -> Defect:
    shown = told or f"{of.name} → {text.strip().rstrip(';')}"
    return Defect(of.path, span, text.encode(), kind, of, f"{of.path}:{line or of.first}: {shown}")


def _instead(of: Function, node: Node, text: str, kind: DefectKind) -> Defect:
    """With something else in the place of a node."""
    told = f"{text_of(node)[:_SHOWN].strip()} → {text[:_SHOWN] or 'nothing'}"
    return _defect(of, (node.start_byte, node.end_byte), text, kind, told, node.start_point.row + 1)


def _of_types(node: Node, language: CodeLanguage) -> Iterator[str]:
    """For a language with types: what gives first the plainest value of what the function gives, and then another."""
    gives = list(_given(node))
    if ".c" in language.endings:
        yield "return 0;" if gives else "return;"
    elif ".go" in language.endings:
        plainest = [f"*new({each})" for each in gives]
        others = [language.other(each) or value for each, value in zip(gives, plainest, strict=True)]
        yield from (f"return {', '.join(values)};".replace(" ;", ";") for values in (plainest, others))
    else:
        given = gives[0] if gives else ""
        value = (
            "Ok(Default::default())" if given.partition("<")[0].rpartition(":")[2] == "Result" else "Default::default()"
        )
        yield f"return {value};" if given else "return;"
        yield f"return {other};" if (other := language.other(given)) else 'panic!("no value");'


def _other_arguments(node: Node, language: CodeLanguage) -> Iterator[str]:
    """What gives a parameter another value."""
    parameters = node.child_by_field_name("parameters") if language.arguments else None
    for each in parameters.named_children if parameters else ():
        name, kind = (each.child_by_field_name(field) for field in ("pattern", "type"))
        if name is not None and name.type == "identifier":
            is_number, of = text_of(kind) in language.numbers, text_of(kind)
            known = (key for key in language.arguments if of == key or (key[0] == "&" and of.startswith(key)))
            says = language.arguments.get("number" if is_number else next(known, ""), "").replace("{}", text_of(name))
            yield from [says.replace("let ", "let mut ") if text_of(each).startswith("mut ") else says] if says else ()


def _given(node: Node) -> Iterator[str]:
    """The types of what it gives, as far as they are written."""
    fields = map(node.child_by_field_name, ("result", "return_type", "type"))
    result = next(filter(None, fields), None)
    if result is None or (text_of(result) == "void" and "pointer" not in str(node.child_by_field_name("declarator"))):
        return
    if result.type != "parameter_list":
        yield text_of(result)[:_LONGEST]
        return
    for each in result.named_children:  # Go's results, several of which may have a name and share a type
        of = each.child_by_field_name("type")
        if of is not None:
            yield from [text_of(of)[:_LONGEST]] * max(len(each.children_by_field_name("name")), 1)


def _name(node: Node) -> str:
    """Its own, or that of what it is given to."""
    holder = next((each for each in islice(above(node), 1, None) if each.type != "expression_list"), node)
    for each in (node, holder):
        for field in ("name", "declarator", "key", "property", *(["left"] if "assignment" in each.type else [])):
            if (named := each.child_by_field_name(field)) is not None:
                return _bare(named)
    return ""


def _bare(named: Node) -> str:
    while inner := named.child_by_field_name("declarator"):
        named = inner
    return text_of(named).rpartition(".")[2]


def _of_constant(of: Function, node: Node, language: CodeLanguage) -> Iterator[Defect]:
    text = text_of(node)
    if node.child_by_field_name("body") or not text.strip():
        return  # a function or class, which has defects of its own
    if number := other_number(text.strip(), 1):
        yield _instead(of, node, number, DefectKind.VALUE)
    elif text in OPPOSITES:
        yield _instead(of, node, OPPOSITES[text], DefectKind.VALUE)
    elif any(each in node.type for each in ("string", "template", "word")):
        quote = next((at for at, each in enumerate(text) if each in "'\"`"), len(text) - 1)
        opens = quote + (3 if text[quote : quote + 3] in ("'''", '"""') else 1)
        yield _instead(of, node, f"{text[:opens]}_{text[opens:]}", DefectKind.TEXT)
    else:
        yield from (_instead(of, node, says, DefectKind.VALUE) for says in language.gives)


def other_number(text: str, more: int) -> str:
    """A plain number with so much more, or less; empty where it is none."""
    try:
        return str(int(text, 0) + more)
    except ValueError:
        pass
    try:
        return str(float(text) + more) if text[:1].isdigit() else ""
    except ValueError:
        return ""


def _of_python(of: Function, node: Node, body: Node, source: bytes, language: CodeLanguage) -> Iterator[Defect]:
    """The statements behind the docstring are others, every other line stays where it was; nothing of a function that
    only passes, or raises as it is. A generator stays one, and so does a coroutine."""
    inside = [each for each in body.named_children if each.type != "comment"]
    inside = inside[1:] if inside and is_docstring(inside[0]) else inside
    if all(each.type in _IDLE or is_docstring(each) or text_of(each) == "..." for each in inside):
        return
    own = list(nodes_below(body, but=lambda each: each.type in _INNER))
    goes_on = "; yield" if any(each.type == "yield" for each in own) else ""
    given = [text_of(each).partition("return")[2].strip() for each in own if each.type == "return_statement"]
    values = [says for says in language.returns if says.partition(" ")[2] not in given]
    nothing = goes_on or not {*given} - {"", "None"} or of.name.endswith("__init__")
    start, line_end = inside[0].start_byte, source.find(b"\n", inside[-1].end_byte)
    end = inside[-1].end_byte if line_end < 0 else line_end
    after = source[inside[-1].end_byte : end].decode(errors="replace")
    lines = "\n" * source.count(b"\n", start, inside[-1].end_byte)
    for kind, says, told in (
        (DefectKind.RETURNS, "return" if nothing else _chosen(values, of), "something else"),
        (DefectKind.RAISES, _chosen(language.raises, of), "an exception"),
    ):
        yield _defect(of, (start, end), f"{says}{goes_on}{after}{lines}", kind, f"{of.name} → {told}")
