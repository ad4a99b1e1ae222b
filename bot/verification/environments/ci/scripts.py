"""Shell scripts as the commands that they run one after the other; what is no plain list of them is opaque."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

MOST_COMMANDS = 200
_CONTROL = re.compile(
    r"^\s*(?:if|for|while|until|case|select|function|trap|\{|\w+\s*\(\)\s*\{)(?:\s|$)|<<-?\s*['\"\\]?\w", re.MULTILINE
)
_IF = re.compile(r"^[ \t]*if\b.*?^[ \t]*fi\b[^\n]*$", re.MULTILINE | re.DOTALL)
_UNKNOWN = re.compile(r"\$(?:\{?\w+\}?|[@*])")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,99})=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{(\w{1,99})(?::?-([^${}]{0,200}))?\}|(\w{1,99}))")
_PIECE = re.compile(
    r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|`[^`]*`|(?<=\s)#[^\n]*|&&|\|\||&>|[;\n]|.",
    re.DOTALL,
)
_BEHIND = re.compile(r"\s(?:\|\|?|[12&]?>{1,2}|<)\s*|\s[12]>&[12]")


@dataclass(frozen=True, slots=True)
class ScriptPlace:
    """Where a command runs: a folder from the root, its variables. depth: of names that stand for commands."""

    folder: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ScriptCommand:
    """text: for a shell. words: as a shell has them, without assignments and without what takes its output; empty where
    it is opaque."""

    text: str
    words: tuple[str, ...]
    place: ScriptPlace


def commands(script: str, place: ScriptPlace) -> Iterator[ScriptCommand]:
    """Those of a script. `cd`, `export`, assignments and what is written to `GITHUB_ENV` count for those behind."""
    script = re.sub(r"\\\r?\n", " ", script)
    yield from (ScriptCommand(block, (), place) for block in _IF.findall(script))
    script = _IF.sub("", script)
    if _CONTROL.search(script):
        yield ScriptCommand(script, (), place)
        return
    for text in _parts(script)[:MOST_COMMANDS]:
        known = _known(text, place.variables)
        try:
            words = shlex.split(_BEHIND.split(known, 1)[0], comments=True)
        except ValueError:
            yield ScriptCommand(text, (), place)
            continue
        assigned = {}
        while words and (found := _ASSIGNMENT.fullmatch(words[0])):
            assigned[found[1]] = found[2]
            words.pop(0)
        if "$" in "".join(assigned.values()) or "`" in "".join(assigned.values()):
            assigned = {}
        inner = replace(place, variables={**place.variables, **assigned})
        if words[:1] == ["echo"] and "GITHUB_ENV" in text and len(words) == 2:
            words = ["export", words[1]]
        words = [word for word in words if not _UNKNOWN.fullmatch(word)]
        if not words:
            place = inner
        elif words[0] in ("cd", "pushd") and len(words) == 2:
            place = replace(place, folder=path_from(place.folder, words[1]))
        elif words[0] == "export":
            more = {found[1]: found[2] for word in words[1:] if (found := _ASSIGNMENT.fullmatch(word))}
            place = replace(
                place, variables={**place.variables, **{key: text for key, text in more.items() if "$" not in text}}
            )
        elif words[0] not in ("set", "echo", "true", ":"):
            yield ScriptCommand(text, tuple(words), inner)


def path_from(folder: str, path: str) -> str:
    """A folder seen from another, from the root of the repository."""
    whole = posixpath.normpath(posixpath.join("/work", folder, path))
    return whole.removeprefix("/work").lstrip("/")


def _known(text: str, variables: Mapping[str, str]) -> str:
    """With the variables that are known, outside of single quotes."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[3]
        known = {"GITHUB_WORKSPACE": "/work", "PWD": "/work", **variables}.get(name, found[2])
        return found[0] if known is None else known

    pieces = re.split(r"('[^']*')", text)
    return "".join(piece if piece.startswith("'") else _VARIABLE.sub(value, piece) for piece in pieces)


def _parts(script: str) -> list[str]:
    found, part = list[str](), ""
    for piece in _PIECE.findall(script):
        if piece in ("&&", ";", "\n"):
            found.append(part)
            part = ""
        elif piece in "()" and not part.strip("( "):
            continue
        else:
            part += "" if piece.startswith("#") else piece
    stripped = (each.strip() for each in [*found, part])
    return [each[:-1].rstrip() if each.endswith(")") and "(" not in each else each for each in stripped if each]
