"""One commit of a git directory, read by git itself: the code tools' `CodeReader`.

Everything is read from git's objects, never from files: a path that is no entry of the commit leads nowhere, a link is
an object like others and is not followed, and the working tree, if there is one, does not matter. So it works on a bare
mirror as on a clone. No attribute, filter or text conversion of the repository applies.
"""

import re
from itertools import islice
from pathlib import Path

from bot.github import git
from bot.github.errors import NotFound, Unavailable
from bot.github.fields import SHA
from bot.judges.agent.code_tools import UnreadableCode, path_inside
from bot.judges.fence import encodable

TIMEOUT = 10.0  # seconds one call of git may take
MAX_FILE = 2_000_000  # bytes of a file that is read or blamed
MAX_OUTPUT = MAX_FILE + 1  # bytes of git's that are read
MAX_LINE = 400  # characters of a line that are shown
MAX_HITS = 60
MAX_NAMES = 300
COMMITS = 15

_NAME = re.compile(r"[A-Za-z_]\w{0,99}", re.ASCII)
_WORDS = "def|class|function|func|fn|struct|enum|trait|interface|type|const|let|var|val|module|namespace|#define"


class GitCode:
    """A `CodeReader` of `sha` in the repository at `directory`, which may be bare."""

    def __init__(self, directory: Path, sha: str) -> None:
        if not SHA.fullmatch(sha):
            raise ValueError("a commit is named by its full SHA")
        self._directory = directory
        self._sha = sha

    def list(self, path: str) -> tuple[str, ...]:
        """Directories with a `/` at the end, links with an `@`."""
        where = path_inside(path)
        listed = islice(git.entries(self._git("ls-tree", "-z", f"{self._sha}:{where}")), MAX_NAMES)
        signs = {"040000": "/", "120000": "@"}
        return tuple(encodable(each.path) + signs.get(each.mode, "") for each in listed)

    def read(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """Text alone: a link, a binary file or a submodule is told as what it is."""
        content = self._blob(path)
        if b"\0" in content[:8000]:
            raise UnreadableCode("a binary file")
        lines = content.decode("utf-8", "replace").splitlines()
        if first > len(lines):
            raise UnreadableCode(f"the file has {len(lines)} lines")
        return tuple(f"{number} {line[:MAX_LINE]}" for number, line in enumerate(lines[first - 1 : last], first))

    def search(self, text: str, path: str) -> tuple[str, ...]:
        """`git grep` for a fixed string: nothing in the text is a pattern."""
        if "\n" in text or "\0" in text:
            raise UnreadableCode("a text to search for is one line")
        return self._grep("--fixed-strings", "-e", text, path=path)

    def definition(self, name: str) -> tuple[str, ...]:
        """Lines where the name follows a word that defines, or is assigned to without indentation."""
        if not _NAME.fullmatch(name):
            raise UnreadableCode("that is not a name")
        start, end = "(^|[^[:alnum:]_])", "([^[:alnum:]_]|$)"
        named = rf"{start}({_WORDS})[[:space:]]+(\([^)]*\)[[:space:]]*)?{name}{end}"
        return self._grep("--extended-regexp", "-e", named, "-e", rf"^{name}[[:space:]]*(:[^=]*)?=[^=]")

    def blame(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """As `git blame` prints it."""
        lines = len(self._blob(path).splitlines())
        if first > lines:
            raise UnreadableCode(f"the file has {lines} lines")
        self._has_history()
        span = f"{first},{min(last, lines)}"
        words = ("blame", "--no-textconv", "--date=short", "-L", span, self._sha, "--", path_inside(path))
        return _lines(self._git(*words))

    def history(self, path: str) -> tuple[str, ...]:
        """The newest first, at most `COMMITS`."""
        self._has_history()
        shape = "--format=%h %as %an: %s"
        where = ("--", path_inside(path)) if path else ()
        return _lines(self._git("log", f"--max-count={COMMITS}", "--no-show-signature", shape, self._sha, *where))

    def _has_history(self) -> None:
        if self._git("rev-parse", "--is-shallow-repository").strip() != b"false":
            raise UnreadableCode("the history is not kept here")

    def _grep(self, *words: str, path: str = "") -> tuple[str, ...]:
        where = ("--", path_inside(path)) if path else ()
        options = ("grep", "-n", "-I", "--no-color", "--no-textconv", "--max-count=10", "--threads=1")
        found = self._git(*options, *words, self._sha, *where, none=1)
        return tuple(line.removeprefix(f"{self._sha}:") for line in _lines(found)[:MAX_HITS])

    def _blob(self, path: str) -> bytes:
        where = path_inside(path)
        if not where:
            raise UnreadableCode("a directory")
        found = next(git.entries(self._git("ls-tree", "--full-tree", "-l", "-z", self._sha, "--", where)), None)
        if found is None:
            raise UnreadableCode("no such file")
        if found.mode in _SPECIAL:
            raise UnreadableCode(_SPECIAL[found.mode])
        if found.size > MAX_FILE:
            raise UnreadableCode("a file too large to be read here")
        return self._git("cat-file", "blob", found.sha)

    def _git(self, *words: str, none: int = 0) -> bytes:
        """Git's output, cut after `MAX_OUTPUT` bytes. none: a further exit status that means that all went well."""
        try:
            return git.read(self._directory, *words, most=MAX_OUTPUT, timeout=TIMEOUT, fine=(0, none))
        except Unavailable:
            raise UnreadableCode("it took too long") from None
        except NotFound:
            raise UnreadableCode("no such thing in this commit") from None


_SPECIAL = {
    "120000": "a symbolic link, which is not followed",
    "160000": "a submodule, which is not here",
    "040000": "a directory",
}


def _lines(raw: bytes) -> tuple[str, ...]:
    return tuple(line[:MAX_LINE] for line in raw.decode("utf-8", "replace").split("\n") if line)
