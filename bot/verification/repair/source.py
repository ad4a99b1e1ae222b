"""A program's text, as the loop may read it: files below its root, never through a link, text alone, bounded."""

import os
from itertools import islice
from pathlib import Path

from bot.judges.agent.code_tools import UnreadableCode
from bot.verification.programs import content, source_files
from bot.verification.values import Program

MAX_FILE = 1_000_000  # bytes of a file that is read
MAX_LINE = 400  # characters of a line that are shown
MAX_FILES = 20_000  # that one search looks into
MAX_BYTES = 100_000_000  # that one search reads
MAX_HITS = 50
HITS_IN_FILE = 10


class Source:
    """Reads one program. Every method raises `Unreadable` for what there is nothing to show of."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def text(self, path: str) -> str:
        """A whole file, line ends as they are."""
        where = inside(path)
        raw = content(self._program, where) if where else None
        if raw is None:
            raise UnreadableCode("there is no such file, or it is a link, a directory or too large")
        if len(raw) > MAX_FILE:
            raise UnreadableCode("the file is too large to be read here")
        if b"\0" in raw:
            raise UnreadableCode("it is a binary file")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise UnreadableCode("it is not UTF-8 text") from None

    def read(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """These lines, counted from 1, each with its number."""
        lines = lines_of(self.text(path))
        if first > max(len(lines), 1):
            raise UnreadableCode(f"the file has {len(lines)} lines")
        return numbered(lines[first - 1 : last], first) or ("The file is empty.",)

    def search(self, text: str, path: str) -> tuple[str, ...]:
        """`path:line:text` of lines that hold this very text, below a path."""
        if len(text) < 2 or "\n" in text or "\0" in text:
            raise UnreadableCode("a text to search for is at least two characters of one line")
        below = inside(path)
        wanted = text.encode()
        hits: list[str] = []
        left = MAX_BYTES
        for name in self._names(below):
            raw = content(self._program, name)
            if raw is None or len(raw) > MAX_FILE or b"\0" in raw:
                continue
            if wanted in raw:
                hits += _hits(name, raw.decode("utf-8", "replace"), text)
            left -= len(raw)
            if left <= 0 or len(hits) > MAX_HITS:
                return (*hits[:MAX_HITS], "[... not everything was searched; name a path ...]")
        return tuple(hits)

    def is_free(self, path: str) -> bool:
        """Whether a file of that name may be made: nothing is there, and only directories lie above it."""
        where = inside(path)
        above = [where[:end] for end, sign in enumerate(where) if sign == "/"]
        files = self._program.files
        if not where or where in files or any(files.get(folder) is not None for folder in above):
            return False
        tree = self._program.tree
        return tree is None or (not os.path.lexists(tree / where) and all(_may_hold(tree / folder) for folder in above))

    def _names(self, below: str) -> list[str]:
        names = {*self._program.files, *islice(source_files(self._program.tree), MAX_FILES)}
        return sorted(name for name in names if not below or name == below or name.startswith(f"{below}/"))


def inside(path: str) -> str:
    """The path as a program names it, `""` for its root. Raises `Unreadable` for what is no path inside a tree."""
    where = path.removesuffix("/")
    if where in ("", "."):
        return ""
    parts = where.split("/")
    if "\0" in where or {"", ".", "..", ".git"} & set(parts) or any(len(part.encode()) > 255 for part in parts):
        raise UnreadableCode("that is not a path inside the repository")
    return where


def lines_of(text: str) -> list[str]:
    """The lines as editors and tracebacks count them: by line feeds alone."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def numbered(lines: list[str], first: int) -> tuple[str, ...]:
    """Each with its number; a line that is too long is cut, and says so."""
    return tuple(f"{number} {_cut(line)}" for number, line in enumerate(lines, first))


def _may_hold(folder: Path) -> bool:
    return not folder.is_symlink() and (folder.is_dir() or not folder.exists())


def _hits(name: str, text: str, wanted: str) -> list[str]:
    found = ((number, line) for number, line in enumerate(lines_of(text), 1) if wanted in line)
    return [f"{name}:{number}:{_cut(line)}" for number, line in islice(found, HITS_IN_FILE)]


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} [... the line goes on ...]"
