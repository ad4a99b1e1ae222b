"""What decides what a test command does. A change must not redefine the command that judges it.

pytest's own steering is kept out by the run itself (`testing.run`); this is about every other command.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath

from bot.changes.readers import COMMANDS, globs
from bot.changes.risks.data import leaves, read
from bot.verification.programs import changed_files, content, source_files
from bot.verification.values import Program, Suite

_WORDS = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_SHELL, _SCRIPT, _SETTINGS, _AMONG_SCRIPTS, _OF_SCRIPTS = (
    frozenset(COMMANDS[part]) for part in ("shell", "scripts", "settings", "beside", "folders")
)
_TOOLS = COMMANDS["tools"]
# What make and a shell read in their own place, whatever its name ends with.
_INCLUDED = re.compile(
    r"^[ \t]{0,40}[-s]?include[ \t]{1,9}([^\n#]{1,300})"
    r"|(?:^[ \t@-]{0,40}|[;&|({'\"][ \t]{0,9}|\b(?:then|do|else)[ \t]{1,9})(?:\.|source)[ \t]{1,9}([^\n;&|]{1,200})",
    re.M,
)
_DEEPEST = 4  # from the command to what it reads, to the scripts named there, and to the shell's that these name
_LONGEST = 200_000  # bytes of a file that are read
_STEERS, _BUILDS = globs(*COMMANDS["steers"]), globs(*COMMANDS["builds"])


def as_before(program: Program, base: Program, suite: Suite) -> Program:
    """The program with the base's version of whatever says what the suite's command does; pytest's needs nothing."""
    if suite.command is None:
        return program
    kept = {path: content(base, path) for path in changed_files(base, program) if steers(path, suite.command)}
    return replace(program, files={**program.files, **kept}) if kept else program


def steers(path: str, command: tuple[str, ...]) -> bool:
    """Whether the file may say what the command does."""
    return path in scripts_of(command) or _STEERS(path.lower())


def builds(path: str, command: tuple[str, ...]) -> bool:
    """Whether the file may say which tests a command runs by saying how the program is built, where nobody sees which
    ran: the command counts as one test, and ends well with none."""
    if any("{report:" in word or "{junit}" in word for word in command):
        return False
    return _BUILDS(path.lower())


def reached(base: Program, command: tuple[str, ...], loads: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """The files of the base's that a command runs: those that it names, and those that what says what it does names.
    With what these would read in their own place if it were there. loads: what a file loads itself."""
    files = {*source_files(base.tree), *base.files}
    seen: set[str] = set()
    wanted: set[str] = set()
    front = {path for path in files if steers(path, command)}
    texts = {path: _commands(base, path) for path in front} | {"": "\n".join(command)}
    for depth in range(_DEEPEST):
        seen.update(front)
        names, inside = _naming(texts), filter(among_scripts, front)
        front = {each for path in inside for each in loads(path) if among_scripts(each)}
        front |= {path for path in files if _is_script(path, _SHELL | _SETTINGS) and names(path)}
        if not depth:  # what a script names beside these is what it works on
            named = _naming({path: text for path, text in texts.items() if PurePosixPath(path).suffix not in _SCRIPT})
            front |= {path for path in files if PurePosixPath(path).suffix in _SCRIPT and named(path)}
        included = {path: _included(path, text) for path, text in texts.items()}
        front |= set(filter(_naming(included), files))
        wanted |= _words(included)
        front -= seen
        texts = {path: _commands(base, path) for path in front}
    return frozenset(seen | wanted - {""})


def _words(texts: Mapping[str, str]) -> frozenset[str]:
    return frozenset(word.strip("./") for text in texts.values() for word in _WORDS.findall(text))


def _naming(texts: Mapping[str, str]) -> Callable[[str], bool]:
    """Whether texts name a file: from the root, from where they lie or above, or from a folder that they name."""
    words = _words(texts)
    folders = words.union(str(each) for path in texts for each in PurePosixPath(path).parents) - {"."}

    def names(path: str) -> bool:
        parts = path.split("/")
        cut = (("/".join(parts[:at]), "/".join(parts[at:])) for at in range(1, len(parts)))
        return path in words or any(rest in words and folder in folders for folder, rest in cut)

    return names


def _included(path: str, text: str) -> str:
    if PurePosixPath(path).suffix in _SCRIPT:
        return ""
    return "\n".join(word for found in _INCLUDED.findall(text) for word in found if word)


def _is_script(path: str, endings: Collection[str]) -> bool:
    pure = PurePosixPath(path)
    return pure.suffix in endings or (pure.suffix in _AMONG_SCRIPTS and among_scripts(path))


def beside_scripts(path: str, scripts: Collection[str]) -> bool:
    """Whether a file would lie in a folder of scripts that a command reaches, where one of them might load it."""
    pure = PurePosixPath(path)
    if pure.suffix in ("", ".md", ".txt") or not among_scripts(path):
        return False
    folders = {PurePosixPath(script).parent for script in filter(among_scripts, scripts)}
    return not folders.isdisjoint(pure.parents)


def among_scripts(path: str) -> bool:
    """Whether a file lies in a folder of scripts."""
    return not _OF_SCRIPTS.isdisjoint(path.split("/")[:-1])


def _commands(base: Program, path: str) -> str:
    """What a file has run. `package.json` names the program's own files besides."""
    text = (content(base, path) or b"")[:_LONGEST].decode(errors="replace")
    told = read(path, text) if PurePosixPath(path).name == "package.json" else None
    if not (isinstance(told, dict) and "scripts" in told):
        return text
    return "\n".join(said for key in _TOOLS for _, said in leaves(told.get(key)))


def names_as_a_word(texts: Iterable[bytes], more: Iterable[bytes]) -> Callable[[str], bool]:
    """Whether one of these texts, or of the words, is a file's path, or its name where that has an ending: a bare word
    may mean anything."""
    found = {word for text in texts for word in _WORDS.findall(text.decode(errors="replace"))}
    words = {word.lstrip("./") for word in (*found, *(each.decode(errors="replace") for each in more))}
    return lambda path: path in words or (bool(PurePosixPath(path).suffix) and PurePosixPath(path).name in words)


@lru_cache(maxsize=32)  # each file of a program is asked about
def scripts_of(command: tuple[str, ...]) -> frozenset[str]:
    """The files that a command line may name: scripts of the repository."""
    try:
        words = [part for word in command for part in shlex.split(word)]
    except ValueError:
        words = [part for word in command for part in word.split()]
    return frozenset(str(PurePosixPath(word)) for word in words)
