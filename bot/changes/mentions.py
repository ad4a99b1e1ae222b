"""Whether a text is prose that nothing but people reads: by where it lies, and by whether a program names it.

A file's name says little: a program may read `notice.txt` as well as `words.txt`. What people alone read lies where
they look for it, and no code, test or configuration names it, its folder, or all files of its ending.
"""

import functools
import re
from collections.abc import Callable, Iterable
from posixpath import basename, dirname, splitext

from bot.changes.kinds import is_code, is_documentation_folder, kind_of
from bot.changes.risks.lines import remarks
from bot.changes.values import FileKind
from bot.child_process import run_bounded

Lines = tuple[tuple[str, str], ...]  # each with its path
# The lines of the tree that hold one of these texts; `None` where that cannot be known.
Mentions = Callable[[tuple[str, ...]], Lines | None]

MOST = 50  # files of one change that are looked for
_LINE = 2_000  # characters of a line that are looked at
_DEEPEST = 10  # folders in one another

_STEERS_TESTS = re.compile(r"doctest|pytest|unittest|testpaths|\"[\w:-]{0,40}test[\w:-]{0,40}\"\s*:")
# Configuration of what shows prose to people, or only names it to tools that people use.
_FOR_READERS = re.compile(
    r"(?:.*/)?(?:(?:mkdocs|zensical|antora|_config|_toc|_quarto|\.readthedocs|readthedocs|cliff|codecov|\.codecov)\.(?:ya?ml|toml)"
    r"|book\.toml|\.editorconfig|\.git\w{2,20}|\.\w{2,20}ignore|\.prettierrc.*|\.markdownlint.*|\.vale\.ini|\.codespellrc"
    r"|\.(?:github|gitlab|circleci|vscode|idea)/.*)"
)


def only_for_people(paths: Iterable[str], mentions: Mentions, *, packed: bool = False) -> bool:
    """Whether no program of the tree reads any of these, which lie where prose lies, as far as its text tells. What
    cannot be known is no yes. packed: what a manifest or a build file names is read, too."""
    found = tuple(dict.fromkeys(paths))
    if not found:
        return True
    if len(found) > MOST or not all(path.isprintable() and path.count("/") < _DEEPEST for path in found):
        return False
    lines = mentions(tuple(_names(found)))
    if lines is None:
        return False
    return run_bounded(sum(len(line) for _, line in lines), any_names, found, lines, packed) is False


def any_names(paths: tuple[str, ...], lines: Lines, packed: bool = False) -> bool:
    """Whether one of these lines of programs names one of the files. packed: or of manifests and build files."""
    named = {text: list(map(re.compile, patterns)) for text, patterns in _names(paths).items()}
    counts = functools.cache(_counts)
    for path, line in lines:
        line = line[:_LINE]
        near = [pattern for text, patterns in named.items() if text in line for pattern in patterns]
        if not any(pattern.search(line) for pattern in near):
            continue
        if counts(path, steers=bool(_STEERS_TESTS.search(line)), packed=packed) and not _is_remark(path, line):
            return True
    return False


def _names(paths: Iterable[str]) -> dict[str, dict[str, None]]:
    """Texts to look for, each with the patterns of what has to stand around it: a file by its name; all of its ending;
    all of its folder, in quotes as code has it."""
    found: dict[str, dict[str, None]] = {}
    for path in paths:
        name, ending, folder = basename(path), splitext(path)[1], dirname(path)
        found.setdefault(name, {})[rf"(?<![\w.-]){re.escape(name)}(?!\w)"] = None
        if ending:
            found.setdefault(f"*{ending}", {})[rf"\*{re.escape(ending)}(?!\w)"] = None
        outermost = path.partition("/")[0]
        while folder:
            whole = rf"['\"](?:\.{{1,2}}/)*{re.escape(folder)}/?(?:[^'\"/]*\*[^'\"]*)?['\"]"
            for before in ('"', "'", "./"):
                found.setdefault(f"{before}{outermost}", {})[whole] = None
            folder = dirname(folder)
    return found


def _counts(path: str, *, steers: bool, packed: bool) -> bool:
    """Whether what names something there may be a program, or may steer one. Manifests and build files mostly name
    what is shown, packed or written. steers: the line is about tests. packed: those count as well."""
    if is_documentation_folder(path) or _FOR_READERS.fullmatch(path.lower()):
        return False
    kind = kind_of(path)
    if kind in (FileKind.DOCUMENTATION, FileKind.LOCK):
        return False
    if basename(path.lower()) == "manifest.in":
        return packed
    return steers or packed or kind not in (FileKind.CI, FileKind.DEPENDENCIES)


def _is_remark(path: str, line: str) -> bool:
    return line.lstrip().startswith(remarks(path) if is_code(path) else ("#",))
