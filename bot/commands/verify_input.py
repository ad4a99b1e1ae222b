"""Where `bouncer verify` takes programs, tests and the specification from."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from bot.commands.shared import InputError, valid_policy
from bot.policy import Policy
from bot.policy_file import PATH as POLICY
from bot.policy_file import PolicySource
from bot.verification.programs import (
    SOLUTION,
    broken_at,
    changed_files,
    content,
    decoded,
    read_file,
    read_program,
)
from bot.verification.syntax import parse
from bot.verification.values import Program, Suite

LARGEST = 16 * 2**20  # bytes of all tests together
MOST_FILES = 2000
_LEFT_OUT = frozenset({"__pycache__", ".git", ".venv", "node_modules", ".pytest_cache"})


def read_programs(
    original: Path, fix: Path | None, repo: Path | None
) -> tuple[Program, Program | None, Program | None]:
    """The rejected program, the fix, and the base that the first is a change of, where there are. Raises `PlainError`.

    A diff is one against `repo`, the base; without it, a fix may be a diff on top of the original.
    """
    if repo is not None and not repo.is_dir():
        raise InputError(f"{repo} is not a directory. Name the one the diff is against.")
    base = read_program(repo) if repo else None
    rejected = read_program(original, base)
    started = base if base and changed_files(base, rejected) else None
    return rejected, read_program(fix, base or rejected) if fix else None, started


def read_tests(path: Path, program: Program) -> Suite:
    """The tests at `path`, a file or a directory, to be laid over a program. Raises `PlainError`."""
    home = _home(path, program)
    inside = "" if home == "." else f"{home}/"
    files = dict(_files(path, inside)) if path.is_dir() else {home: read_file(path)}
    sources = {name: decoded(raw, Path(name)) for name, raw in files.items() if name.endswith(".py")}
    for name, source in sources.items():
        if (line := broken_at(files[name])) is not None:
            raise InputError(
                f"{path}: there is a syntax error in line {line} of {Path(name).name}. Fix the test first."
            )
        if not source.strip() and not path.is_dir():
            raise InputError(f"{path} is empty. Write a test that begins with: from solution import …")
    if not sources and program.tree is None:
        raise InputError(f"{path}: there is no Python test in it. Name a test file, or a directory of them.")
    if program.tree is None:
        if any(Path(name).name == SOLUTION for name in files):
            raise InputError(f"{path} brings a {SOLUTION} of its own, which would be tested instead. Remove it.")
        if not any(map(_imports_solution, sources.values())):
            raise InputError(
                f"{path} never imports solution, so it tests nothing. Begin it with: from solution import …"
            )
    return Suite(files=files, select=() if home == "." else (home,))


def read_specification(path: Path | None) -> str:
    """The specification's text; empty without one. Raises `PlainError`."""
    return decoded(read_file(path), path) if path else ""


def read_policy(program: Program) -> Policy:
    """The program's own policy; the default without one. Raises `InputError`."""
    text = content(program, POLICY) if program.tree else None
    return valid_policy(text, POLICY) if text is not None else Policy()


def policy_source(program: Program) -> PolicySource:
    """Where `read_policy` reads it."""
    text = content(program, POLICY) if program.tree else None
    return PolicySource.of(text) if text is not None else PolicySource()


def _home(path: Path, program: Program) -> str:
    """Where the tests lie in the program's tree: where they are, when they are part of it, else at its root."""
    try:
        place = path.resolve()
    except (OSError, RuntimeError):  # the latter before Python 3.13
        raise InputError(f"{path} is a link that leads back to itself. Name a file that can be read.") from None
    if program.tree and place.is_relative_to(program.tree):
        return place.relative_to(program.tree).as_posix()
    return place.name


def _files(directory: Path, home: str) -> Iterator[tuple[str, bytes]]:
    """Every regular file, for tests bring their data along; links are left out."""
    total = count = 0
    for place, names, files in os.walk(directory):
        names[:] = sorted(set(names) - _LEFT_OUT)
        for name in sorted(files):
            file = Path(place, name)
            if file.is_symlink() or not file.is_file():
                continue
            content = read_file(file)
            total, count = total + len(content), count + 1
            if total > LARGEST or count > MOST_FILES:
                raise InputError(
                    f"{directory} contains more than tests. Name the directory that contains only the tests."
                )
            yield home + file.relative_to(directory).as_posix(), content


def _imports_solution(source: str) -> bool:
    """Whether it does, or names it in a text, as `importlib` takes it."""
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "solution":
            return True
        if isinstance(node, ast.Import) and any(alias.name == "solution" for alias in node.names):
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "solution" in node.value:
            return True
    return False
