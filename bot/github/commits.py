"""What two commits of a git directory have in common, what lies between them, and one merged into the other. Read from
git's objects alone.

Nothing of either side has a say in how they are merged: that is done in a bare directory of ours, whose objects are all
that git sees, so there are no attributes, and with them no merge drivers and no filters; no hook runs, and no history
is walked.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.github import git
from bot.github.checkout import LINK, extract
from bot.github.errors import GitHubError, NotFound

_SHA = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64})\n")
_PLAIN = ("100644", "100755", "100664")
_LINE = 10_000  # bytes of git's where one line is expected
_MENTIONS = 1_000_000  # bytes of lines
_TREE = 20_000_000  # bytes of the names of a commit's files
_MOST_LINKS = 50
_LOOKING = 10.0  # seconds
MAX_MESSAGE = 100_000  # bytes of a commit message that are read
_MOST = 1_000_000  # bytes of the names of files that clash
_MOST_TAGS = 9  # beside the nearest
_SHOWN = 50  # of them are named
_WHO = "Bouncer <bouncer@localhost> 0 +0000"


class Clone:
    """A repository on this machine that somebody else made: its commits are read, its configuration counts for nothing.

    git reads here in a bare repository of our own, `directory`, that borrows the other's objects (gitrepository-layout,
    `objects/info/alternates`). So no attribute of the other hides a file from a diff, no driver, filter or hook of it
    runs, and nothing in it is written. There alone names of commits are looked up.
    """

    def __init__(self, directory: Path, theirs: Path) -> None:
        self.directory = directory
        self._theirs = theirs

    def commit(self, ref: str) -> str | None:
        """The full SHA of the commit that a branch, a tag or a short SHA stands for; `None` where there is none."""
        return _sha(self._theirs, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")

    def tags(self, sha: str) -> tuple[str, ...]:
        """As `tags`, of theirs."""
        return tags(self._theirs, sha)


@contextmanager
def clone(theirs: Path) -> Iterator[Clone]:
    """The repository at `theirs`, bare or with a work tree, until the block ends.

    Raises a `GitHubError`: `Forbidden` when it belongs to another user, any other where there is no repository.
    """
    shape, objects, shallow = (
        git.run(theirs, "rev-parse", "--path-format=absolute", *words).decode("utf-8", "surrogateescape").rstrip("\n")
        for words in (("--show-object-format",), ("--git-path", "objects"), ("--git-path", "shallow"))
    )
    with TemporaryDirectory(prefix="bouncer-", ignore_cleanup_errors=True) as scratch:
        ours = Path(scratch)
        git.run(ours, "init", "--quiet", "--bare", "--template=", f"--object-format={shape}")
        alternates = ours / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{objects}\n", "utf-8", "surrogateescape")
        with suppress(FileNotFoundError):  # where its history ends, if that is known; a copy may go while it is read
            (ours / "shallow").write_bytes(Path(shallow).read_bytes())
        yield Clone(ours, theirs)


def commit_time(directory: Path, sha: str) -> datetime | None:
    """When a commit was made, as it says of itself; `None` where it says nothing that is a time."""
    try:
        words = ("log", "--max-count=1", "--no-show-signature", "--format=%ct", sha)
        return datetime.fromtimestamp(int(git.read(directory, *words, most=_LINE)), UTC)
    except (GitHubError, ValueError, OverflowError, OSError):
        return None


def tags(directory: Path, sha: str) -> tuple[str, ...]:
    """The newest tags before a commit or on it, at most ten, the nearest last; none where they cannot be had."""
    try:
        words = ("for-each-ref", f"--merged={sha}", "--sort=creatordate", "--format=%(refname:strip=2)", "refs/tags")
        known = git.read(directory, *words, most=_MOST, timeout=_LOOKING).decode("utf-8", "replace").split()
        said = git.read(directory, "describe", "--tags", "--abbrev=0", sha, most=_LINE, timeout=_LOOKING, fine=(0, 128))
    except GitHubError:
        return ()
    nearest = said.decode("utf-8", "replace").split()
    return (*[name for name in known if name not in nearest][-_MOST_TAGS:], *nearest)


def as_of(directory: Path, sha: str, moment: datetime) -> str | None:
    """The newest commit of this one's own line (first parents) that was made until then; `None` where there is none."""
    words = (
        "rev-list",
        "--max-count=1",
        "--first-parent",
        f"--until={int(moment.timestamp())}",
        "--end-of-options",
        sha,
    )
    return _sha(directory, *words)


def reverted_by(directory: Path, sha: str, head: str) -> str | None:
    """The newest commit behind this one, up to `head`, that says, as git does, that it reverts it. Raises nothing."""
    words = ("log", "--max-count=1", "--no-show-signature", "--format=%H", "--fixed-strings")
    asked = (*words, f"--grep=This reverts commit {sha}", "--end-of-options", f"{sha}..{head}")
    try:
        return git.read(directory, *asked, most=_LINE, timeout=_LOOKING).decode().strip() or None
    except GitHubError:
        return None


def names(directory: Path, sha: str, folder: str, most: int) -> tuple[str, ...]:
    """The paths of all files below a folder of a commit, or of what is directly in its top where none is named, as far
    as `most` bytes of them. Raises a `GitHubError`."""
    below = ("-r", sha, "--", folder) if folder else (sha,)
    words = ("ls-tree", "-z", "--full-tree", "--name-only", *below)
    listed = git.read(directory, *words, most=most).decode("utf-8", "surrogateescape")
    return tuple(name for name in listed.split("\0")[:-1])


def merge_base(directory: Path, base: str, head: str) -> str | None:
    """The newest commit that both have; `None` when their histories have nothing in common."""
    return _sha(directory, "merge-base", "--end-of-options", base, head)


def diff(directory: Path, old: str, new: str, most: int) -> bytes:
    """What `git diff` prints between two commits, renames found; cut after `most` bytes. Raises a `GitHubError`."""
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--find-renames")
    return git.read(directory, "diff-tree", "-r", "-p", *plain, old, new, most=most)


def patch(directory: Path, old: str, new: str, paths: Sequence[str], most: int) -> bytes:
    """What lies between two commits in these files, as `git apply` takes it: renames are shown as two files, binary
    files in full. Cut after `most` bytes. Raises a `GitHubError`."""
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--binary", "--full-index")
    return git.read(directory, "diff-tree", "-r", "-p", *plain, old, new, "--", *paths, most=most)


def parents(directory: Path, sha: str) -> tuple[str, ...]:
    """Those that are here; none where the commit is not, or begins its history."""
    try:
        listed = git.read(directory, "rev-list", "--max-count=1", "--parents", "--end-of-options", sha, most=_LINE)
    except GitHubError:
        return ()
    return tuple(listed.decode().split()[1:])


def content(directory: Path, sha: str, path: str, most: int) -> bytes | None:
    """A file of a commit; `None` where there is none, where it is a link or a submodule, or larger than `most` bytes.
    Raises a `GitHubError`."""
    if "\0" in path or {"", ".", ".."} & set(path.split("/")):
        return None
    listed = git.read(directory, "ls-tree", "--full-tree", "-l", "-z", sha, "--", path, most=_LINE)
    found = next((each for each in git.entries(listed) if each.path == path), None)
    if found is None or found.mode not in _PLAIN or not 0 <= found.size <= most:
        return None
    return git.read(directory, "cat-file", "blob", found.sha, most=most + 1)


def text_in_both(
    directory: Path, old: str, new: str, path: str, most: int, *, moved_from: str | None = None
) -> tuple[str, str] | None:
    """A text file in both commits; `None` where it cannot be had in one of them. moved_from: its path in the old one,
    where that was another. Raises nothing."""
    try:
        before = content(directory, old, moved_from or path, most)
        after = content(directory, new, path, most)
        return None if before is None or after is None else (before.decode(), after.decode())
    except (GitHubError, UnicodeDecodeError):
        return None


def mentions(directory: Path, shas: Iterable[str], texts: tuple[str, ...]) -> tuple[tuple[str, str], ...] | None:
    """The lines of the text files of commits that hold one of these, each with its path, and where links lead, in
    quotes; `None` where they cannot be had, or are too many. Raises nothing."""
    words = ("grep", "-I", "-z", "--no-color", "--no-textconv", "--threads=1", "--fixed-strings")
    named = (word for text in texts for word in ("-e", text))
    try:
        found = git.read(directory, *words, *named, *set(shas), "--", most=_MENTIONS, timeout=_LOOKING, fine=(0, 1))
        links = tuple(link for sha in set(shas) for link in _links(directory, sha))
    except GitHubError:
        return None
    if len(found) >= _MENTIONS or len(links) > _MOST_LINKS:
        return None
    lines = (line.split("\0", 1) for line in found.decode("utf-8", "replace").split("\n"))
    told = ((line[0].partition(":")[2], line[1]) for line in lines if len(line) == 2)
    return tuple(dict.fromkeys((*told, *(link for link in links if any(text in link[1] for text in texts)))))


def _links(directory: Path, sha: str) -> Iterator[tuple[str, str]]:
    """The symbolic links of a commit, and where each leads. Raises a `GitHubError`."""
    listed = git.entries(git.read(directory, "ls-tree", "-r", "-z", "--full-tree", sha, most=_TREE, timeout=_LOOKING))
    for each in islice((each for each in listed if each.mode == LINK), _MOST_LINKS + 1):
        target = git.read(directory, "cat-file", "blob", each.sha, most=_LINE)
        yield each.path, f'"{target.decode("utf-8", "replace")}"'


def message(directory: Path, sha: str) -> str:
    """A commit's message. Raises a `GitHubError`."""
    words = ("log", "--max-count=1", "--no-show-signature", "--format=%B", sha)
    return git.read(directory, *words, most=MAX_MESSAGE).decode("utf-8", "replace")


class Clash(Exception):
    """Both sides changed the same. files: the first of those that cannot be merged; names are strangers'."""

    def __init__(self, files: tuple[str, ...]) -> None:
        super().__init__("the change conflicts with its base branch")
        self.files = files


def merge_into(objects: Path, start: str, tip: str, head: str, into: Path, max_bytes: int) -> dict[str, str]:
    """Write what merging `head` into `tip` gives into an empty directory. Returns what `extract` does.

    objects: a git directory that has the three commits; nothing in it is written. start: where `head` left. Raises
    `Clash`, and a `GitHubError`.
    """
    with clone(objects) as borrowed:
        ours = borrowed.directory
        return extract(ours, _merged(ours, start, tip, head), into, max_bytes)


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


def _sha(directory: Path, *words: str) -> str | None:
    try:
        found = _SHA.match(git.read(directory, *words, most=_LINE))
    except NotFound:
        return None
    return found[1].decode() if found else None
