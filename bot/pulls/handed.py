"""A fix that was found right as suggestions on the lines of a pull request. Pure."""

from itertools import pairwise

from bot.changes.read import read_change
from bot.changes.values import Change, FileChange, FileStatus, Hunk
from bot.pulls.suggestions import Suggestion

MOST = 10  # suggestions; more is no small fix any more


def suggested(fix: str, change: Change) -> tuple[Suggestion, ...]:
    """The fix, a diff on top of the change, as replacements of lines that the change's own diff shows.

    Half a fix is another one, which nobody ran: so it is all of it, or none where any of it lies elsewhere.
    """
    read = read_change(fix)
    shown = {file.path: file for file in change.files}
    found = [each for file in read.files for hunk in file.hunks for each in _stretches(file.path, hunk)]
    plain = not read.problem and all(file.status is FileStatus.MODIFIED for file in read.files)
    apart = all(one.path != other.path or one.last < other.first for one, other in pairwise(found))
    fits = plain and apart and all(_lies_in(each, shown.get(each.path)) for each in found)
    return tuple(found) if fits and len(found) <= MOST else ()


def _stretches(path: str, hunk: Hunk) -> list[Suggestion]:
    """Each run of changed lines. GitHub replaces lines and cannot insert any: what is only added takes along the line
    before it, or the one after it at the beginning."""
    found: list[Suggestion] = []
    lines, at, number = hunk.lines, 0, hunk.old_start
    before: str | None = None  # the last line that stays as it is
    while at < len(lines):
        if lines[at][:1] == " ":
            before, at, number = lines[at][1:], at + 1, number + 1
            continue
        end = next((place for place in range(at, len(lines)) if lines[place][:1] == " "), len(lines))
        gone = sum(1 for line in lines[at:end] if line[:1] == "-")
        new = [line[1:] for line in lines[at:end] if line[:1] == "+"]
        first, last = number, number + gone - 1
        if not gone and before is not None:
            first, last, new = number - 1, number - 1, [before, *new]
        elif not gone and end < len(lines):
            last, new = number, [*new, lines[end][1:]]
        found.append(Suggestion(path, first, last, "".join(f"{line}\n" for line in new)))
        at, number = end, number + gone
    return found


def _lies_in(suggestion: Suggestion, file: FileChange | None) -> bool:
    """Whether one hunk of the change shows all of its lines, on the new side."""
    spans = [] if file is None else [(hunk.new_start, hunk.new_start + _new(hunk)) for hunk in file.hunks]
    return any(first <= suggestion.first <= suggestion.last < end for first, end in spans)


def _new(hunk: Hunk) -> int:
    return sum(1 for line in hunk.lines if line[:1] != "-")
