"""What decides what a test command does. A change must not redefine the command that judges it.

pytest's own steering is kept out by the run itself (`testing.run`); this is about every other command.
"""

import re
import shlex
from dataclasses import replace
from pathlib import PurePosixPath

from bot.verification.programs import changed_files, content, source_files
from bot.verification.values import Program, Suite

_WORDS = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.(?:sh|bash|py|js|cjs|mjs|ts|mk)\b")
_DEEPEST = 2  # from the command to what it reads, and to the scripts named there; what these call is called for itself
_LONGEST = 200_000  # bytes of a file that are read

# Manifests that say what a build needs (go.mod, Cargo.toml) are left out: code that needs more could not be built.
_STEERS = re.compile(
    r"(?:GNU)?[Mm]akefile|.*\.mk|[Jj]ustfile|[Tt]askfile\.ya?ml|[Rr]akefile|noxfile\.py|tox\.ini|tox\.toml|setup\.cfg|"
    r"package\.json|\.npmrc|\.mocharc\..*|\.nycrc.*|\.taprc|"
    r"(?:jest|vitest|vite|karma|ava|jasmine|playwright|cypress|babel|webpack|rollup)\.(?:conf|config)\..*|"
    r"conftest\.py|pytest\.ini|phpunit\.xml.*|\.rspec"
)


def as_before(program: Program, base: Program, suite: Suite) -> Program:
    """The program with the base's version of whatever says what the suite's command does; pytest's needs nothing."""
    if suite.command is None:
        return program
    kept = {path: content(base, path) for path in changed_files(base, program) if steers(path, suite.command)}
    return replace(program, files={**program.files, **kept}) if kept else program


def steers(path: str, command: tuple[str, ...]) -> bool:
    """Whether the file may say what the command does."""
    return path in _named(command) or bool(_STEERS.fullmatch(PurePosixPath(path).name))


def reached(base: Program, command: tuple[str, ...]) -> frozenset[str]:
    """The files of the base's that a command runs: those that it names, and those that what says what it does names."""
    seen: set[str] = set()
    front = [path for path in {*source_files(base.tree), *base.files} if steers(path, command)]
    for _ in range(_DEEPEST):
        texts = [(content(base, path) or b"")[:_LONGEST].decode(errors="replace") for path in front]
        seen.update(front)
        words = {word.strip("./") for text in texts for word in _WORDS.findall(text)}
        front = [word for word in sorted(words - seen) if content(base, word) is not None]
    return frozenset(seen)


def _named(command: tuple[str, ...]) -> frozenset[str]:
    """The files that a command line may name: scripts of the repository."""
    try:
        words = [part for word in command for part in shlex.split(word)]
    except ValueError:
        words = [part for word in command for part in word.split()]
    return frozenset(str(PurePosixPath(word)) for word in words)
