"""What hides from a reader: characters without a shape, encodings in which a comment is code, letters that are read as
others, and code that is made of texts nobody can read. Pure.

The last two are seen in the syntax tree of what a change leaves behind, in every language that has a grammar here.
"""

import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from textwrap import dedent
from tokenize import detect_encoding

from tree_sitter import Node

from bot.changes.readers import RUNS, SENTENCES
from bot.changes.risks.lines import first, new_lines, numbered, rows_after
from bot.changes.risks.signs import SAYS
from bot.changes.risks.values import Risk
from bot.changes.syntax import nodes_below, text_of, tree
from bot.changes.values import Change, FileChange, Whole

_LEAST = 12  # characters of texts and numbers that code is made of
_DEEPEST = 4
_PICKLES = ("pickle.loads", "marshal.loads", "dill.loads")
_LAST = ("Function", "constructor")  # take code behind the names of its parameters
_OTHERS = ("constructor", "this.constructor", "super.constructor")  # make another of the same
_PATTERNS = ("re.compile", "regex.compile")
_LEAST_OF_CODE = 3  # arguments without which nothing is compiled as code, whatever `re` is here
_STARRED = frozenset({"list_splat", "dictionary_splat"})
_MOST = 20_000  # nodes that are looked at, for one file
# Of an alphabet many of whose letters look like Latin ones.
_ALIKE = frozenset({"CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
# Characters that make a line look like another one: Unicode's directions, what has no width, and what ends a line for
# a language and not for its readers.
_UNSEEN = frozenset("\u200b\u200e\u200f").union(
    *(map(chr, range(first, last + 1)) for first, last in ((0x2028, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069))),
    map(chr, range(0xE0000, 0xE0080)),
)
# The flags of regions that everybody sees: England's, Scotland's and that of Wales.
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_PLAIN = rb"# \x41 \u0041 +AEE-"  # which is other text in encodings that have escapes
_GREEK = frozenset("ουιΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")  # and stand beside Latin letters for nothing of mathematics
# Which are letters to a program, and show nothing.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u200c\u200d\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10))
)
_CALLS, _TEXTS, _NAMES = (frozenset(RUNS[each]) for each in ("calls", "texts", "identifiers"))
_MAKES = _CALLS.union(RUNS["makes"])


def unseen(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`hidden_characters`: for the first such line of each file, or its name."""
    for file in change.files:
        new = (number for number, mark, text in numbered(*file.hunks) if mark == "+" and _shows_not_all(text))
        if (number := next(new, 0)) or _shows_not_all(file.path):
            yield Risk("hidden_characters", SENTENCES["unseen"], file.path, number)
        if file.path.endswith((".py", ".pyi")) and _reads_otherwise(file):
            yield Risk("hidden_characters", SENTENCES["encoding"], file.path, first(file))


def _shows_not_all(text: str) -> bool:
    for flag in _FLAGS:
        text = text.replace(flag, "")
    return not _UNSEEN.isdisjoint(text) or "\r" in text[:-1]


def _reads_otherwise(file: FileChange) -> bool:
    """Whether one of its first two lines, as far as they are shown, names an encoding in which plain characters mean
    others, so that a comment may hold code."""
    for hunk in file.hunks:
        shown = [line[1:] for line in hunk.lines if not line.startswith("-")][: max(0, 3 - hunk.new_start)]
        with suppress(SyntaxError, LookupError, UnicodeError):  # then Python does not read it either
            encoding, _ = detect_encoding(iter([line.encode() for line in shown if "coding" in line] + [b""]).__next__)
            if _PLAIN.decode(encoding) != _PLAIN.decode():
                return True
    return False


def hidden(file: FileChange, whole: Whole) -> Iterator[Risk]:
    """`hides_its_text`: the first of each sort."""
    new = new_lines(file)
    for rows in rows_after(file, whole, apart=True):
        begin, text = rows[0][0], dedent("\n".join(text for _, text in rows))
        root = tree(file.path, text.encode("utf-8", "replace"))
        if root is None:
            continue
        nodes = [node for node, _ in zip(nodes_below(root), range(_MOST), strict=False)]
        for says, found in ((SENTENCES["letters"], _strange_letters(nodes)), (SAYS["packed"], _packed(nodes))):
            lines = (begin + row for place in found for row in range(place.start_point.row, place.end_point.row + 1))
            if (number := next((number for number in lines if number in new), 0)) > 0:
                yield Risk("hides_its_text", says, file.path, number)


def _strange_letters(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        text = text_of(node) if "identifier" in node.type and not node.child_count else ""
        alike = unicodedata.normalize("NFKC", text).isascii() or any(map(_mixes, text.split("_")))
        if not text.isascii() and (alike or not _BLANK.isdisjoint(text)):
            yield node


def _mixes(word: str) -> bool:
    """Whether a word has Latin letters, and others that look like such."""
    scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in word if letter.isalpha()}
    return "LATIN" in scripts and not (scripts.isdisjoint(_ALIKE) and _GREEK.isdisjoint(word))


def _packed(nodes: list[Node]) -> Iterator[Node]:
    """The calls that run, as code or by name, what the program makes of texts of its own: nothing in it comes from
    elsewhere, so it could have been written out. And those texts."""
    calls = [node for node in nodes if node.type in _CALLS]
    run = [(call, name) for call in calls if (name := _called(call)) in (*RUNS["code"], *RUNS["names"])]
    bound = _bound(nodes, calls) if run else {}
    for call, name in run:
        given, whole = _arguments(call), _whole(call)
        if whole in _OTHERS or (whole in _PATTERNS and _is_pattern(given)):
            continue
        at = given[1:2] if name in ("getattr", "setattr") else given[-1:] if name in _LAST else given[:1]
        for argument in at:
            texts: list[Node] = []
            least = 1 if name in RUNS["names"] else _LEAST
            packed = whole.endswith(_PICKLES) and text_of(argument)[:1] in "bB"  # a program of pickle's, or code
            made = _is_own(argument, bound, texts)
            if (made or (packed and made is False)) and sum(len(text_of(text)) for text in texts) >= least:
                yield from (call, *texts)


def _is_pattern(given: list[Node]) -> bool:
    return len(given) < _LEAST_OF_CODE and _STARRED.isdisjoint(node.type for node in given)


def _called(call: Node) -> str:
    """The last part of what is called."""
    return _whole(call).rpartition(".")[2].strip()


def _whole(call: Node) -> str:
    """What is called."""
    fields = ("function", "constructor", "method", "name")
    return text_of(next(filter(None, map(call.child_by_field_name, fields)), None))


def _arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return [node for node in given.named_children if "comment" not in node.type] if given is not None else []


def _bound(nodes: list[Node], calls: list[Node]) -> dict[str, list[Node]]:
    """The values that names are given; none for a parameter that nobody gives any here."""
    bound: dict[str, list[Node]] = {}
    taken: dict[str, list[str]] = {}
    for node in nodes:
        field = node.child_by_field_name
        name, value = field("left") or field("name"), field("right") or field("value")
        if name is not None and value is not None and name.type in _NAMES:
            bound.setdefault(text_of(name), []).append(value)
        parameters = field("parameters")
        if parameters is not None:
            names = [text_of(each) for each in nodes_below(parameters) if each.type in _NAMES]
            for each in names:
                bound.setdefault(each, [])
            taken[text_of(name)] = names
    for call in calls:
        for name_, value in zip(taken.get(_called(call), ()), _arguments(call), strict=False):
            bound.setdefault(name_, []).append(value)
    return bound


def _is_own(node: Node, bound: dict[str, list[Node]], texts: list[Node], depth: int = 0) -> bool | None:
    """Whether a value is made of nothing but texts and numbers of the program; `None` where something comes from
    elsewhere. texts: these are added."""
    below = list(nodes_below(node))
    names = dict.fromkeys(text_of(each) for each in below if each.type in _NAMES)
    if depth > _DEEPEST or not names.keys().isdisjoint(RUNS["reads"]):
        return None
    made = any(each.type in _MAKES for each in below)
    for name in names:
        given = [_is_own(each, bound, texts, depth + 1) for each in bound.get(name, ())[:5]]
        if (given and None in given) or (not given and name in bound):
            return None
        made = made or any(given)
    texts += [each for each in below if each.type in _TEXTS or each.type in ("integer", "number")]
    return made
