"""A change as it would be merged, made on this machine: three trees in, one out, or the files on which they clash.

Nothing of either side has a say in how: git merges in a bare directory of ours, whose objects are all it sees, so there
are no attributes, and with them no merge drivers and no filters; no hook runs, and no history is walked.
"""

from pathlib import Path

from bot.github import git
from bot.github.checkout import extract
from bot.github.commits import clone
from bot.github.errors import NotFound

_MOST = 1_000_000  # bytes of the names of files that clash
_SHOWN = 50  # of them are named
_WHO = "Bouncer <bouncer@localhost> 0 +0000"


class Clash(Exception):
    """Both sides changed the same. files: the first of those that cannot be merged; names are strangers'."""

    def __init__(self, files: tuple[str, ...]) -> None:
        super().__init__("the change conflicts with its base branch")
        self.files = files


def merge_into(objects: Path, start: str, tip: str, head: str, into: Path, max_bytes: int) -> None:
    """Write what merging `head` into `tip` gives into an empty directory.

    objects: a git directory that has the three commits; nothing in it is written. start: where `head` left. Raises
    `Clash`, and a `GitHubError`.
    """
    with clone(objects) as borrowed:
        ours = borrowed.directory
        extract(ours, _merged(ours, start, tip, head), into, max_bytes)


def merge_tree(objects: Path, start: str, tip: str, head: str) -> str:
    """Git's id of the files that `merge_into` writes; of the head's own where nothing is to be merged. Raises as it
    does."""
    if tip == start:
        return git.run(objects, "rev-parse", "--verify", "--end-of-options", f"{head}^{{tree}}").decode().strip()
    with clone(objects) as borrowed:
        return _merged(borrowed.directory, start, tip, head)


def _merged(ours: Path, start: str, tip: str, head: str) -> str:
    """The merged tree. Commits without a history stand for the three: the one where they parted, and two behind it."""
    root = _commit(ours, start)
    sides = _commit(ours, tip, root), _commit(ours, head, root)
    words = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", *sides)
    try:
        return git.read(ours, *words, most=_MOST).split(b"\0")[0].decode()
    except NotFound:
        said = git.read(ours, *words, most=_MOST, fine=(0, 1))
    names = (name.decode("utf-8", "replace") for name in said.split(b"\0")[1:] if name)
    raise Clash(tuple(list(dict.fromkeys(names))[:_SHOWN]))


def _commit(ours: Path, like: str, *parents: str) -> str:
    """A commit of ours with the files of another."""
    tree = git.run(ours, "rev-parse", "--verify", "--end-of-options", f"{like}^{{tree}}").decode().strip()
    lines = [f"tree {tree}", *(f"parent {each}" for each in parents), f"author {_WHO}", f"committer {_WHO}", "", ""]
    text = "\n".join(lines).encode()
    return git.run(ours, "hash-object", "-t", "commit", "-w", "--stdin", stdin=text).decode().strip()
