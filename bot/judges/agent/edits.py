"""A fix as replacements in files: what a model can write exactly, unlike the line numbers of a diff. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.judges.agent.code_tools import is_inside

MOST = 20  # edits in one fix
MOST_TEXT = 100_000  # characters of them together

Read = Callable[[str], bytes | None]


class EditError(Exception):
    """The edits do not fit; the message is a plain sentence that holds no text from a model."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `before`, which the file at `path` holds exactly once, with `after`. An empty `before`: a new file."""

    path: str
    before: str
    after: str


def apply(edits: Iterable[Edit], read: Read) -> dict[str, bytes]:
    """The changed files, edits made in order. `read` gives a file's content, `None` where there is none.

    Raises `EditError`; then nothing of it fits.
    """
    wanted = tuple(edits)
    if len(wanted) > MOST or sum(len(edit.before) + len(edit.after) for edit in wanted) > MOST_TEXT:
        raise EditError("The fix is larger than Bouncer tries.")
    changed: dict[str, bytes] = {}
    for edit in wanted:
        if not is_inside(edit.path):
            raise EditError("The fix names a file outside the repository.")
        known = changed[edit.path] if edit.path in changed else read(edit.path)
        changed[edit.path] = _edited(known, edit)
    return changed


def _edited(known: bytes | None, edit: Edit) -> bytes:
    before, after = edit.before.encode(errors="replace"), edit.after.encode(errors="replace")
    if not before:
        if known:
            raise EditError("The fix creates a file that is there already.")
        return after
    if known is None:
        raise EditError("The fix changes a file that is not there.")
    if b"\r\n" in known and b"\r\n" not in before:
        before, after = before.replace(b"\n", b"\r\n"), after.replace(b"\n", b"\r\n")
    if known.count(before) != 1:
        raise EditError("The fix replaces lines that are not there exactly once.")
    return known.replace(before, after)
