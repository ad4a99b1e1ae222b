"""The fix a reviewer proposes, as replacements of lines, applied to the files they were written on; and a fix that was
found right, made into such suggestions. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import dedent

from bot.changes.read import read_change
from bot.changes.values import Change, FileChange, FileStatus, Hunk
from bot.verification.diffs import is_inside

MOST = 50  # suggestions in one review
MOST_TEXT = 200_000  # characters of them together
MOST_OF_A_FIX = 10  # suggestions; more is no small fix any more


class SuggestionError(Exception):
    """The suggestions cannot be applied; the message is a plain sentence that holds no text from strangers."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Replace the lines `first` to `last` of `path`, counted from 1, with `text`; an empty text deletes them.

    old: what the lines say that are to be replaced, without their ends; then they are looked for, and `first` and
    `last` tell only near what.
    """

    path: str
    first: int
    last: int
    text: str
    old: tuple[str, ...] = ()


def diff_suggestions(path: str, first: int, last: int, diff: str) -> tuple[Suggestion, ...]:
    """The changes of a diff in a comment, with headers or without; none where they do not say what they replace.

    Numbers of lines in such diffs are often wrong, so they are not read. first, last: the lines of `path` that the
    comment is about.
    """
    found: list[Suggestion] = []
    lines = diff.rstrip("\n").split("\n")
    old: list[str] = []
    new: list[str] = []
    for line, following in pairwise([*lines, "@@", ""]):
        above = line.startswith("--- ") and following.startswith("+++ ")
        if not above and not line.startswith(("@@", "diff --git ", "index ", "+++ ")):
            if line[:1] not in ("+", "-", " ", "", "\\"):
                return ()
            old += [line[1:]] if line[:1] in ("-", " ", "") else []
            new += [line[1:]] if line[:1] in ("+", " ", "") else []
            continue
        if old != new:
            if not any(map(str.strip, old)):
                return ()
            found.append(Suggestion(path, first, last, "".join(f"{each}\n" for each in new), tuple(old)))
        old, new = [], []
        if line.startswith("+++ "):
            named = line[4:].partition("\t")[0].strip().removeprefix("b/")
            first, last = (first, last) if named == path else (0, 0)
            path = named
    return tuple(found)


def paths(suggestions: Iterable[Suggestion]) -> tuple[str, ...]:
    """The files they change, each once, in order. Raises `SuggestionError` for a path that leaves the repository."""
    found = tuple(dict.fromkeys(item.path for item in suggestions))
    if not all(map(is_inside, found)):
        raise SuggestionError("A suggestion names a file outside the repository.")
    return found


def apply(suggestions: Iterable[Suggestion], files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The changed files. `files` holds every file the suggestions name, as it is at the reviewed commit.

    Raises `SuggestionError` when they overlap, are too many, or name lines or files that are not there.
    """
    wanted = tuple(suggestions)
    if len(wanted) > MOST or sum(len(item.text) for item in wanted) > MOST_TEXT:
        raise SuggestionError("There are more suggestions than Bouncer reads.")
    changed = {}
    for path in paths(wanted):
        if path not in files:
            raise SuggestionError("A suggestion names a file that is not there.")
        changed[path] = _replaced(files[path], [item for item in wanted if item.path == path])
    return changed


def _replaced(content: bytes, wanted: Iterable[Suggestion]) -> bytes:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise SuggestionError("A suggestion changes a file that is not UTF-8 text.") from None
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    lines = [line + "\n" for line in text.split("\n")]  # git's lines: `splitlines` knows a dozen other ends
    lines[-1] = lines[-1][:-1]
    plain = [line.rstrip() for line in text.split("\n")]
    own = sorted((_locate(item, plain) if item.old else item for item in wanted), key=lambda item: item.first)
    if any(before.last >= after.first for before, after in pairwise(own)):
        raise SuggestionError("Two suggestions change the same lines.")
    for item in reversed(own):
        if not 1 <= item.first <= item.last <= len(lines):
            raise SuggestionError("A suggestion names lines that are not there.")
        new = [line + ending for line in item.text.replace("\r\n", "\n").split("\n")[:-1]]
        lines[item.first - 1 : item.last] = new
    return "".join(lines).encode()


def _locate(item: Suggestion, lines: Sequence[str]) -> Suggestion:
    """The same on the lines that say what it replaces, perhaps indented otherwise."""
    old, width = [line.rstrip() for line in item.old], len(item.old)
    starts = [at for at in range(len(lines) - width + 1) if lines[at : at + width] == old]
    text, bare = item.text, _bare(old)
    if not starts:
        like = [at for at in range(len(lines) - width + 1) if lines[at].lstrip() == old[0].lstrip()]
        starts = [at for at in like if _bare(lines[at : at + width]) == bare]
    near = [at for at in starts if at < item.last and at + width >= item.first]
    chosen = near or starts
    if not chosen:
        raise SuggestionError("A suggestion replaces lines that are not there.")
    if len(chosen) > 1:
        raise SuggestionError("A suggestion fits several places.")
    here, there = _indent(lines[chosen[0] : chosen[0] + width]), _indent(old)
    if here != there:
        parts = ((line, line.removeprefix(there)) for line in text.splitlines(keepends=True))
        text = "".join(f"{here}{rest}" if rest.strip() else line for line, rest in parts)
    return Suggestion(item.path, chosen[0] + 1, chosen[0] + width, text)


def _bare(lines: Sequence[str]) -> str:
    return dedent("\n".join(lines))


def _indent(lines: Sequence[str]) -> str:
    """What all of them that say something begin with."""
    first = next(line for line in lines if line.strip())
    return first[: len(first) - len(_bare(lines).split("\n")[lines.index(first)])]


def fix_suggestions(fix: str, change: Change) -> tuple[Suggestion, ...]:
    """The fix, a diff on top of the change, as replacements of lines that the change's own diff shows.

    Half a fix is another one, which nobody ran: so it is all of it, or none where any of it lies elsewhere.
    """
    read = read_change(fix)
    shown = {file.path: file for file in change.files}
    found = tuple(_replacement(file.path, hunk) for file in read.files for hunk in file.hunks)
    plain = not read.problem and all(file.status is FileStatus.MODIFIED for file in read.files)
    fits = plain and all(_lies_in(each, shown.get(each.path)) for each in found)
    return found if fits and len(found) <= MOST_OF_A_FIX else ()


def _replacement(path: str, hunk: Hunk) -> Suggestion:
    """A hunk without the lines around it that stay. GitHub replaces lines and cannot insert any: what is only added
    takes along the line before it, or the one after it at the beginning."""
    lines = hunk.lines
    changed = [at for at, line in enumerate(lines) if line[0] != " "]
    begin, end = changed[0], changed[-1] + 1
    if all(line[0] == "+" for line in lines[begin:end]):
        begin, end = (begin - 1, end) if begin else (begin, end + 1)
    first, gone = hunk.old_start + begin, sum(line[0] != "+" for line in lines[begin:end])
    new = "".join(f"{line[1:]}\n" for line in lines[begin:end] if line[0] != "-")
    return Suggestion(path, first, first + gone - 1, new)


def _lies_in(suggestion: Suggestion, file: FileChange | None) -> bool:
    """Whether one hunk of the change shows all of its lines, on the new side."""
    hunks = file.hunks if file else ()
    spans = ((hunk.new_start, hunk.new_start + len(hunk.lines) - len(hunk.removed)) for hunk in hunks)
    return any(first <= suggestion.first <= suggestion.last < end for first, end in spans)
