"""Revisions of a repository: a tree, the head without one commit, the commits between two. Reads git alone."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from bot.github import checkout, git
from bot.github.commits import commit_time, content, parents
from bot.github.errors import GitHubError, NotFound
from bot.verification.environments.working import moments_of

MAX_FILE = 4_000_000  # bytes of a file that a commit is taken out of
MAX_CHANGED = 300  # files of a commit that is taken out
_PLACES = 1_000_000  # bytes of a list of paths
_COMPILED = (".pyx", ".pxd", ".c", ".h", ".cc", ".cpp", ".hpp", ".f", ".f90", ".rs", ".cu")


@dataclass(frozen=True, slots=True)
class RevisionSource:
    """A repository on this machine, bare or not, that is only read.

    directory: for git. head, reported: full SHAs; reported is the revision that the report is about, where it is known.
    owner: whose environments may be shared, such as the repository's id. max_bytes: the most one checkout may take.
    """

    directory: Path
    head: str
    reported: str | None = None
    owner: str = "local"
    max_bytes: int = 1_000_000_000


@contextmanager
def tree(repository: RevisionSource, sha: str) -> Iterator[Path]:
    """The commit's files in a directory of their own, until the block ends. Raises a `GitHubError`."""
    with TemporaryDirectory(prefix="bouncer-fixed-", ignore_cleanup_errors=True) as scratch:
        into = Path(scratch)
        into.chmod(0o755)  # the sandbox's user reads it
        checkout.extract(repository.directory, sha, into, repository.max_bytes)
        yield into


Taken = Mapping[str, bytes | None]  # files as they are without a commit, `None` for one that it had added


def without(repository: RevisionSource, commit: str) -> Taken | str:
    """The head with one commit's code taken out again, its tests and documents left as they are; or why it cannot be,
    as a phrase. Raises nothing.

    Each file is merged three ways (`git merge-file`): what came after the commit stays. A merge is taken out as what it
    brought to its first parent.
    """
    try:
        directory, head = repository.directory, repository.head
        before = parent(directory, commit)
        if before is None:
            return "it is the first commit"
        code = code_of(directory, before, commit)
        if not code:
            return "it changes no code"
        if len(code) > MAX_CHANGED:
            return "it changes too much"
        if any(path.endswith(_COMPILED) for path in code):
            return "it changes code that is compiled when it is set up"
        taken: dict[str, bytes | None] = {}
        for path in code:
            now, after, then = (content(directory, sha, path, MAX_FILE) for sha in (head, commit, before))
            if now is None:
                if after is None and then is not None:
                    taken[path] = then  # the commit had deleted it
                    continue
                return "a file that it changed is not there any more"
            if after is None:
                return "a file that it deleted is there again"
            try:
                taken[path] = then if now == after else _merged(now, after, then)
            except GitHubError:
                return "what it changed was changed again later"
        same = all(content(directory, head, path, MAX_FILE) == text for path, text in taken.items())
        return "nothing of it is left at the head" if same else taken
    except GitHubError:
        return "it cannot be read"


def _merged(now: bytes, after: bytes, then: bytes | None) -> bytes:
    """`now` with the step from `then` to `after` undone. Raises a `GitHubError` where that cannot be."""
    if then is None:
        raise NotFound("it added the file, and the file has changed since")
    with TemporaryDirectory(prefix="bouncer-fixed-") as scratch:
        folder = Path(scratch)
        for name, text in (("now", now), ("after", after), ("then", then)):
            (folder / name).write_bytes(text)
        return git.run(folder, "merge-file", "--stdout", "--quiet", "now", "after", "then")


def code_of(directory: Path, before: str, commit: str) -> list[str]:
    """The paths of the code that a commit changes. before: its parent. Raises a `GitHubError`."""
    raw = git.read(directory, "diff-tree", "-r", "-z", "--no-renames", "--name-only", before, commit, most=_PLACES)
    paths = (path.decode("utf-8", "surrogateescape") for path in raw.split(b"\0") if path)
    return [path for path in paths if kind_of(path) is FileKind.CODE]


def parent(directory: Path, commit: str) -> str | None:
    """The first parent's full SHA; `None` for a first commit, or where it cannot be had."""
    return next(iter(parents(directory, commit)), None)


def moments(directory: Path, sha: str, now: datetime) -> tuple[str, ...]:
    """As of when packages for the commit may be installed, ISO 8601, the best first; empty for what there is today."""
    since = commit_time(directory, sha)
    return moments_of(since, now) if since else ("",)


def between(directory: Path, bad: str, good: str) -> tuple[str, ...]:
    """The commits after `bad` up to `good` along first parents, oldest first. Raises a `GitHubError`."""
    words = ("rev-list", "--first-parent", "--reverse", f"{bad}..{good}")
    return tuple(git.read(directory, *words, most=20_000_000).decode().split())


def is_ancestor(directory: Path, older: str, newer: str) -> bool:
    """Whether `newer` contains `older`, and is another commit."""
    if older == newer:
        return False
    try:
        return git.read(directory, "merge-base", "--is-ancestor", older, newer, most=10) == b""
    except GitHubError:
        return False
