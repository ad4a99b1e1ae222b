"""What the sessions of a `noxfile.py` that run tests install. It is read, never run."""

import ast
import re
from collections.abc import Iterator

from bot.verification.syntax import parse

_FOR_TESTS = re.compile(r"(?:^|_)(?:unit_?)?(?:tests?|testing)(?:_|$)")
_OWN_PACKAGE = re.compile(r"\.\[([\w.,\s-]{1,200})\]")
_REQUIREMENT = "requirement"
_OF_AN_INDEX = re.compile(r"[A-Za-z0-9][\w.-]{0,99}\s{0,9}(?:[\[<>=!~;@]|$)", re.ASCII)
_TAKES = {
    "-r": "file",
    "--requirement": "file",
    "--group": "group",
    "-e": _REQUIREMENT,
    "--editable": _REQUIREMENT,
} | dict.fromkeys(("-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links"), "other")
_UNREADABLE = (SyntaxError, ValueError, MemoryError, RecursionError)


def installed(noxfile: str) -> tuple[tuple[str, str], ...]:
    """What is installed, as (kind, name): `requirement`, `file` of requirements, `extra` of the package, or `group`.

    Of `session.install(…)` in a session that is named for tests the words that are written out; other options than
    those that name these are left out, with what they take, as kind `other` at most.
    """
    try:
        tree = parse(noxfile.encode())
    except _UNREADABLE:
        return ()
    sessions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _FOR_TESTS.search(node.name)]
    calls = (node for session in sessions for node in ast.walk(session) if isinstance(node, ast.Call))
    words = (_words(call) for call in calls if _installs(call))
    return tuple(dict.fromkeys(item for line in words for item in _named(line)))


def _installs(call: ast.Call) -> bool:
    called = call.func
    return isinstance(called, ast.Attribute) and called.attr == "install" and isinstance(called.value, ast.Name)


def _words(call: ast.Call) -> list[str]:
    return [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def _named(words: list[str]) -> Iterator[tuple[str, str]]:
    kind = _REQUIREMENT
    for word in words:
        if word.startswith("-"):
            option, _, name = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
            kind = _TAKES.get(option, "other" if name else _REQUIREMENT)
        else:
            name = word
        if not name:
            continue
        if own := _OWN_PACKAGE.fullmatch(name):
            yield from (("extra", extra.strip()) for extra in own[1].split(","))
        elif kind != _REQUIREMENT or _OF_AN_INDEX.match(name):
            yield kind, name
        kind = _REQUIREMENT
