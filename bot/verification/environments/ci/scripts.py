"""Shell scripts as the commands that they run one after the other; what branches or repeats is opaque."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from tree_sitter import Node

from bot.changes.syntax import shell_tree, text_of

MOST_COMMANDS = 200
# A word that is one variable, with the option whose value it must be.
_UNKNOWN = re.compile(r"""(?<!\S)(?:-[\w-]+(?:=| (?=")))?"?\$\{?(?:\w+|[@*])\}?"?(?!\S)""")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,99})=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"'[^']*'|\$(?:\{(\w{1,99})(?::?-([^${}]{0,200}))?\}|(\w{1,99}))")
_COMMANDS = ("command", "declaration_command", "variable_assignment", "variable_assignments", "test_command")
_HOLDING = ("program", "list", "subshell", "pipeline", "redirected_statement", "negated_command")


@dataclass(frozen=True, slots=True)
class ScriptPlace:
    """Where a command runs: a folder from the root, its variables. depth: of names that stand for commands."""

    folder: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ScriptCommand:
    """text: for a shell. words: as a shell has them, without what takes its output; empty where it is opaque."""

    text: str
    words: tuple[str, ...]
    place: ScriptPlace


def commands(script: str, place: ScriptPlace) -> Iterator[ScriptCommand]:
    """Those of a script. `cd`, `export`, assignments and what is written to `GITHUB_ENV` count for those behind."""
    root = shell_tree(script.replace("\r\n", "\n").replace("\\\n", " ").encode())
    for whole, command in islice(_statements(root, root) if root else (), MOST_COMMANDS):
        text, own = text_of(whole), [child for child in command.children if not child.type.endswith("_redirect")]
        known = _known(" ".join(map(text_of, own if command.type == "command" else [command])), place.variables)
        try:
            words = shlex.split(_UNKNOWN.sub("", known)) if command.type in _COMMANDS else None
        except ValueError:
            words = None
        if words is None:
            yield ScriptCommand(text, (), place)
            continue
        if words[:1] in (["cd"], ["pushd"]) and len(words) == 2:
            place = replace(place, folder=path_from(place.folder, words[1]))
        elif command.type.startswith("variable") or words[:1] == ["export"] or "GITHUB_ENV" in text:
            for word in words:
                place = with_variable(word, place) or place
        elif words and words[0] not in ("set", "echo", "true", ":"):
            yield ScriptCommand(text, tuple(words), place)


def with_variable(word: str, place: ScriptPlace) -> ScriptPlace | None:
    """The place with a variable that the word sets; as it is where more decides its value. `None` for another word."""
    found = ASSIGNMENT.fullmatch(word)
    if found is None or {"$", "`"} & set(found[2]):
        return found and place
    return replace(place, variables={**place.variables, found[1]: found[2]})


def path_from(folder: str, path: str) -> str:
    """A folder seen from another, from the root of the repository."""
    whole = posixpath.normpath(posixpath.join("/work", folder, path))
    return whole.removeprefix("/work").lstrip("/")


def _statements(node: Node, whole: Node) -> Iterator[tuple[Node, Node]]:
    """Each command behind all that belongs to it, such as what takes its output, which is not run here."""
    if node.type in _COMMANDS or node.type not in _HOLDING:
        yield whole, node
        return
    first = node.type in ("pipeline", "redirected_statement") or any(child.type == "||" for child in node.children)
    for child in node.named_children[: 1 if first else None]:
        if child.type != "comment":
            yield from _statements(child, whole if first else child)


def _known(text: str, variables: Mapping[str, str]) -> str:
    """With the variables that are known, outside of single quotes."""

    def value(found: re.Match[str]) -> str:
        known = {"GITHUB_WORKSPACE": "/work", "PWD": "/work", **variables}.get(found[1] or found[3] or "", found[2])
        return found[0] if known is None else known

    return _VARIABLE.sub(value, text)
