"""Programs from what people have: a Python file, a directory, or a diff on top of one of them. Nothing is written."""

import ast
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path

from bot.errors import PlainError
from bot.verification.diffs import DiffError, apply, looks_like_a_diff
from bot.verification.syntax import UNREADABLE, Function, functions_of, innermost, parse
from bot.verification.values import Program

LARGEST_FILE = 8 * 2**20  # bytes of one source file
SOLUTION = "solution.py"  # a single file is importable as this
_NOT_SOURCE = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", ".tox", "node_modules"})
_DIFFS = (".diff", ".patch")


class ProgramError(PlainError):
    """What was given is no program; the message says why, and the mend."""


def read_program(path: Path, base: Program | None = None) -> Program:
    """The program at `path`: a directory, one Python file, or a diff on top of `base`. Raises `ProgramError`."""
    if path.is_dir():
        return Program(path.resolve(), {})
    raw = read_file(path)
    text = decoded(raw, path)
    if path.suffix != ".py" and (path.suffix in _DIFFS or looks_like_a_diff(text)):
        return _from_diff(path, raw, base)
    if not text.strip():
        raise ProgramError(f"{path} is empty. Name a Python file, a directory or a diff.")
    return Program(None, {SOLUTION: raw})


def read_file(path: Path) -> bytes:
    """A regular file's content. Raises `ProgramError`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a FIFO must not hold us up
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ProgramError(f"{path} is neither a file nor a directory. Name a plain one.")
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ProgramError(f"{path}: {error.strerror}. Name a file that can be read.") from None
    if len(raw) > LARGEST_FILE:
        raise ProgramError(f"{path} is larger than {LARGEST_FILE // 2**20} MiB. Give the source alone.")
    return raw


def decoded(raw: bytes, path: Path) -> str:
    """The text of a file. Raises `ProgramError` when it is not UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ProgramError(f"{path} is not UTF-8 text. Save it as UTF-8.") from None


def content(program: Program, path: str) -> bytes | None:
    """What the program holds at `path`; `None` where it holds no regular file. Never follows a link."""
    if path in program.files or program.tree is None:
        return program.files.get(path)
    place = program.tree
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            return None
    try:
        return read_file(place) if place.is_file() else None
    except ProgramError:
        return None


def changed_files(original: Program, fix: Program) -> dict[str, tuple[bytes | None, bytes | None]]:
    """Path -> (before, after) of every file that differs, in order of their paths."""
    paths = {*original.files, *fix.files}
    if original.tree != fix.tree:
        paths |= {*source_files(original.tree), *source_files(fix.tree)}
    both = {path: (content(original, path), content(fix, path)) for path in sorted(paths)}
    return {path: (before, after) for path, (before, after) in both.items() if before != after}


def why_no_fix(original: Program, fix: Program | None) -> str:
    """Why there is no fix to try, as a plain sentence; empty when there is one."""
    if fix is None:
        return "The rejection came without a fix."
    changed = changed_files(original, fix)
    for path, (before, after) in changed.items():
        if path.endswith(".py") and after is not None and (line := broken_at(after)) is not None:
            if before is not None and broken_at(before) is not None:
                continue  # not the fix's doing
            return f"The fix does not parse: there is a syntax error in line {line} of a changed file."
    return ""


def is_alike(original: Program, fix: Program) -> bool:
    """Whether the two are one program: nothing differs, or in Python nothing but comments and layout."""
    return all(_same_syntax(path, *texts) for path, texts in changed_files(original, fix).items())


def broken_at(source: bytes | str) -> int | None:
    """The line of the first syntax error; `None` when it parses."""
    try:
        parse(source)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, RecursionError, MemoryError):  # null bytes; nested too deep for the parser
        return 1
    return None


def _from_diff(path: Path, raw: bytes, base: Program | None) -> Program:
    if base is None:
        raise ProgramError(f"{path} is a diff. Say with --repo DIR what it is a diff against.")
    only_file = SOLUTION if base.tree is None else ""
    try:
        changed = apply(raw, lambda name: content(base, name), only_file=only_file)
    except DiffError as error:
        raise ProgramError(f"{path}: {error}") from None
    return Program(base.tree, {**base.files, **changed})


def _same_syntax(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Docstrings count: a program can read its own."""
    if not path.endswith(".py") or before is None or after is None:
        return False
    try:
        return ast.dump(parse(before)) == ast.dump(parse(after))
    except UNREADABLE:
        return False


def source_files(tree: Path | None) -> Iterator[str]:
    """Paths of the tree's files, links among them, what is installed or kept by tools apart. In no fixed order."""
    if tree is None:
        return
    for directory, names, files in os.walk(tree):
        names[:] = sorted(set(names) - _NOT_SOURCE)
        inside = Path(directory).relative_to(tree).as_posix()
        yield from files if inside == "." else (f"{inside}/{name}" for name in files)


_MOST_LINES = 4_000  # compared line by line; beyond that, everything between the first and the last difference counts


def changed_lines(
    program: Program, other: Program, endings: tuple[str, ...] = (".py",)
) -> Mapping[str, frozenset[int]]:
    """Path of a file of `program` with such an ending -> numbers of the lines, from 1, that `other` replaces, drops or
    adds to."""
    changed = {}
    for path, (mine, others) in changed_files(program, other).items():
        if path.endswith(endings) and mine is not None:
            changed[path] = _differing(mine.decode(errors="replace"), (others or b"").decode(errors="replace"))
    return {path: lines for path, lines in changed.items() if lines}


def functions_around_changes(path: str, mine: bytes | None, others: bytes | None) -> set[Function | None]:
    """The innermost functions around the lines of a Python file that the other version replaces, drops or adds to;
    `None` for lines outside of all."""
    lines = _differing((mine or b"").decode(errors="replace"), (others or b"").decode(errors="replace"))
    return set(map(innermost(functions_of(path, mine or b"")), lines))


def _differing(mine: str, others: str) -> frozenset[int]:
    here, there = ([line.rstrip() for line in text.split("\n")] for text in (mine, others))
    start = next((at for at, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    same = zip(reversed(here[start:]), reversed(there[start:]), strict=False)
    end = next((at for at, (a, b) in enumerate(same) if a != b), min(len(here), len(there)) - start)
    middle, its = here[start : len(here) - end], there[start : len(there) - end]
    lines: set[int] = set()
    if len(middle) + len(its) > _MOST_LINES:
        lines.update(range(len(middle)))
    else:
        for what, first, last, _, _ in SequenceMatcher(None, middle, its, autojunk=False).get_opcodes():
            if what == "insert":  # what stands around the added lines is where they matter
                lines.update((first - 1, first))
            elif what != "equal":
                lines.update(range(first, last))
    return frozenset(start + line + 1 for line in lines if 0 <= start + line < len(here))


def is_plain(path: str) -> bool:
    """Whether a path may stand in a source and in a shell's line as it is."""
    return path.isascii() and all(each.isalnum() or each in "/._-+" for each in path)


Hashes = dict[str, tuple[int, str, bool]]  # path -> size, SHA-256 of the content, whether it may be executed


def hashes(program: Program) -> Hashes:
    """Of all that is in it; links count by where they point."""
    found = dict(_of_tree(program.tree)) if program.tree else {}
    for path, text in program.files.items():
        if text is None:
            found.pop(path, None)
        else:
            found[path] = (len(text), hashlib.sha256(text).hexdigest(), False)
    return found


def _of_tree(tree: Path) -> Iterator[tuple[str, tuple[int, str, bool]]]:
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name != ".git"]
        for name in [*names, *folders]:
            path = Path(folder, name)
            status, size, digest = path.lstat(), 0, ""
            if stat.S_ISLNK(status.st_mode):
                digest = hashlib.sha256(b"link " + os.fsencode(path.readlink())).hexdigest()
            elif stat.S_ISREG(status.st_mode):
                with path.open("rb") as file:
                    size, digest = status.st_size, hashlib.file_digest(file, "sha256").hexdigest()
            yield path.relative_to(tree).as_posix(), (size, digest, bool(status.st_mode & stat.S_IXUSR))
