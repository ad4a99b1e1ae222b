"""Source code from GitHub: a bare copy of each repository on this machine, and its commits as directories.

A copy holds the commits that were asked for, without their history: that is what running them needs. The whole history
of all branches and tags lies in a copy of its own, for what is to be found in it.
"""

import base64
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from bot.github import checkout, git
from bot.github.channel import Credential
from bot.github.commits import commit_time, merge_into, merge_tree, tags
from bot.github.errors import GitHubError, Rejected, Unauthorized
from bot.github.submodules import DEEPEST, MOST, Submodule, commits_named, forbidden, submodules
from bot.github.values import Repository
from bot.settings import Settings
from bot.storage.directories import KEEP, DirectoryCache, lock, lock_if_free
from bot.telemetry import traces

_WANTED = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|refs/pull/[1-9][0-9]*/head")
_INCOMING = "refs/kept/incoming"
_HEAD = "refs/kept/head"
_MOST_PACKS = 50  # each fetch leaves one; from so many on they become one


@dataclass(frozen=True, slots=True)
class _Fetch:
    """What is asked of GitHub, where it goes, and how large the copy may get. setting: which says so."""

    directory: Path
    address: str
    words: tuple[str, ...]
    refs: tuple[str, ...]
    max_bytes: int
    setting: str


class Mirrors:
    """Copies below `root`. web_url: where GitHub is; each repository's copy and its files take at most `max_bytes`, the
    copy with its whole history `history_bytes`. hosts: from which submodules may come, beside GitHub.

    Several threads and processes may share one root. All copies together take at most `total_bytes`, and so do all
    directories; what was used within the last hour stays in any case.
    """

    def __init__(
        self,
        root: Path,
        web_url: str,
        *,
        max_bytes: int,
        total_bytes: int,
        history_bytes: int = 2_000_000_000,
        hosts: Iterable[str] = (),
    ) -> None:
        self._root = root / "mirrors"
        self._web_url = web_url.rstrip("/")
        self._max_bytes = max_bytes
        self._total_bytes = total_bytes
        self._history_bytes = history_bytes
        self._hosts = frozenset((*hosts, urlsplit(self._web_url).netloc))
        self._trees = DirectoryCache(root / "trees", total_bytes)

    @classmethod
    def from_settings(cls, settings: Settings) -> "Mirrors":
        """Where the settings keep them. Asks GitHub nothing."""
        return cls(
            settings.cache_dir,
            settings.github_web_url,
            max_bytes=settings.repository_mb * 1_000_000,
            total_bytes=settings.cache_mb * 1_000_000,
            history_bytes=settings.history_mb * 1_000_000,
            hosts=settings.package_hosts.split(),
        )

    def fetch(self, repository: Repository, wanted: str, credential: Credential | None = None) -> str:
        """The SHA of a commit that is on this machine now. `wanted`: a full SHA, or `refs/pull/N/head`.

        credential: an installation's; a public repository needs none. Raises a `GitHubError`: `NotFound`, `Rejected`
        when the repository is too large or malformed, `Unavailable`, …
        """
        if not _WANTED.fullmatch(wanted):
            raise Rejected("ask for a commit by its full SHA, or for a pull request's head")
        _, sha = self._kept(str(repository.id), self._address(repository), wanted, credential)
        self._prune()
        return sha

    def _kept(self, name: str, address: str, wanted: str, credential: Credential | None = None) -> tuple[Path, str]:
        """The copy of this name with the commit in it, and the commit's SHA."""
        directory = self._root / f"{name}.git"
        with lock(directory.with_suffix(".lock")):
            if not _holds(directory, wanted):
                words, refs = ("--depth=1", "--no-tags"), (f"+{wanted}:{_INCOMING}",)
                limit = self._max_bytes, "BOUNCER_REPOSITORY_MB"
                self._fetch_into(_Fetch(directory, address, words, refs, *limit), credential)
                wanted = _resolve(directory, _INCOMING)
                git.run(directory, "update-ref", f"refs/kept/{wanted}", wanted)
            os.utime(directory / "HEAD")
            return directory, wanted

    def directory(self, repository: Repository, wanted: str, credential: Credential | None = None) -> tuple[Path, str]:
        """The copy itself with the commit in it, for git to read, and the commit's SHA. Raises as `fetch` does.

        Objects are never changed. The copy may start anew while somebody reads it, when another commit of a repository
        that has outgrown its size is fetched: then git finds nothing, and no wrong thing.
        """
        sha = self.fetch(repository, wanted, credential)
        return self._root / f"{repository.id}.git", sha

    def history(
        self, repository: Repository, credential: Credential | None = None, pulls: Sequence[int] = ()
    ) -> tuple[Path, str]:
        """A git directory with the whole history of all branches and tags as they are now, and of these pull requests,
        and the commit of the default branch. Raises as `fetch` does, and `Rejected` where the history is larger than it
        may be.

        The commit's history stays readable when the branch is rewritten meanwhile.
        """
        directory = self._root / f"{repository.id}.history.git"
        wanted = _Fetch(
            directory,
            self._address(repository),
            ("--no-tags", "--prune"),
            (
                *(f"+HEAD:{_HEAD}", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"),
                *(f"+refs/pull/{number}/head:refs/pull/{number}/head" for number in pulls),
            ),
            self._history_bytes,
            "BOUNCER_HISTORY_MB",
        )
        with lock(directory.with_suffix(".lock")):
            self._fetch_into(wanted, credential)
            os.utime(directory / "HEAD")
            if len(list((directory / "objects" / "pack").glob("*.pack"))) > _MOST_PACKS:
                git.run(directory, "repack", "-a", "-d", "--keep-unreachable", "--quiet")
            head = _resolve(directory, _HEAD)
        self._prune()
        return directory, head

    def submodules(
        self, repository: Repository, sha: str, credential: Credential | None = None, *, allowed: bool
    ) -> tuple[Submodule, ...]:
        """Those of a commit, and theirs, fetched without credentials where that may be. Raises as `fetch` does."""
        directory, sha = self.directory(repository, sha, credential)
        return self.submodules_of(directory, sha, self._address(repository), allowed=allowed)

    def submodules_of(
        self, directory: Path, sha: str, home: str = "", *, allowed: bool, depth: int = DEEPEST
    ) -> tuple[Submodule, ...]:
        """The same of a commit in any git directory. Raises a `GitHubError`."""
        found: list[Submodule] = []
        if not allowed:
            return forbidden(submodules(directory, sha, home, self._hosts))
        for each in submodules(directory, sha, home, self._hosts):
            inner: tuple[Submodule, ...] = ()
            if each.address:
                try:
                    place = self._of_submodule(each)
                    inner = self.submodules_of(place, each.commit, each.address, allowed=depth > 1, depth=depth - 1)
                except GitHubError as error:
                    each = replace(each, problem=f"it cannot be fetched: {error}")
            found += [each, *(replace(one, path=f"{each.path}/{one.path}") for one in inner)]
        return tuple(found[:MOST])

    def _of_submodule(self, wanted: Submodule) -> Path:
        """The copy that has its commit. Raises a `GitHubError`."""
        name = hashlib.sha256(wanted.address.encode()).hexdigest()[:32]
        return self._kept(name, wanted.address, wanted.commit)[0]

    def fill(self, into: Path, links: dict[str, str], modules: Sequence[Submodule]) -> None:
        """Write the files of submodules where they belong: those that are here, at the very commits that the tree has.
        links: what `extract` returned. Raises a `GitHubError`."""
        for each in modules:
            if not each.problem and links.get(each.path) == each.commit:
                directory = self._of_submodule(each)
                inner = checkout.extract(directory, each.commit, into / each.path, self._max_bytes)
                links = {**links, **{f"{each.path}/{path}": commit for path, commit in inner.items()}}

    def _address(self, repository: Repository) -> str:
        return f"{self._web_url}/{repository.full_name}.git"

    def tags(self, repository: Repository, sha: str, credential: Credential | None = None) -> tuple[str, ...]:
        """The names of the tags before a commit, the nearest last; none where they cannot be had. Commits alone are
        fetched for it, without what is in them."""
        directory = self._root / f"{repository.id}.tags.git"
        words, refs = ("--filter=tree:0", "--tags"), (f"+{sha}:{_INCOMING}",)
        try:
            with lock(directory.with_suffix(".lock")):
                self._fetch_into(
                    _Fetch(directory, self._address(repository), words, refs, self._max_bytes, "BOUNCER_REPOSITORY_MB"),
                    credential,
                )
                os.utime(directory / "HEAD")
                return tags(directory, sha)
        except GitHubError:
            return ()

    def tree(
        self,
        repository: Repository,
        sha: str,
        credential: Credential | None = None,
        modules: Sequence[Submodule] = (),
    ) -> Path:
        """As `files`, of a commit. Raises as `fetch` does."""
        if "/" in sha:
            raise Rejected("a tree is asked for by its commit's SHA")
        return self.files(str(repository.id), partial(self._fetched, repository, credential), (sha,), modules)

    def merge(
        self,
        repository: Repository,
        start: str,
        tip: str,
        head: str,
        credential: Credential | None = None,
        modules: Sequence[Submodule] = (),
    ) -> Path:
        """As `files`, of `head` merged into `tip`. start: where `head` left. Raises as `fetch` does, and
        `commits.Clash` where they cannot be merged."""
        fetched = partial(self._fetched, repository, credential)
        return self.files(str(repository.id), fetched, (start, tip, head), modules)

    def files(
        self, owner: str, here: Callable[[Sequence[str]], Path], commits: Sequence[str], modules: Sequence[Submodule]
    ) -> Path:
        """The files of a commit, or of the third of three merged into the second, both of which begin at the first; as
        a directory, which nobody may change, with those of these submodules. owner: names the repository among all.
        here: gives the git directory that has these commits, full SHAs."""
        wanted = commits[-1:] if commits[:1] == commits[1:2] else commits
        write: Callable[..., dict[str, str]] = checkout.extract if len(wanted) == 1 else merge_into

        def fill(into: Path) -> None:
            self.fill(into, write(here(wanted), *wanted, into, self._max_bytes), modules)

        return self._trees.get(f"{owner} {' '.join(wanted)}{commits_named(modules)}", fill)

    def merge_tree(
        self, repository: Repository, start: str, tip: str, head: str, credential: Credential | None = None
    ) -> str:
        """Git's id of what `merge` gives. Raises as it does."""
        sides = (start, tip, head)
        return merge_tree(self._fetched(repository, credential, sides), *sides)

    def _fetched(self, repository: Repository, credential: Credential | None, commits: Sequence[str]) -> Path:
        for sha in commits:
            self.fetch(repository, sha, credential)
        return self._root / f"{repository.id}.git"

    def commit_time(self, repository: Repository, sha: str, credential: Credential | None = None) -> datetime | None:
        """When the commit was made, as it says; `None` where that is no time. Raises as `fetch` does."""
        return commit_time(*self.directory(repository, sha, credential))

    def forget_unused(self, seconds: float) -> int:
        """Drop the copies and directories that were not used for so long, at least for an hour, and that nobody fetches
        now. Returns how many."""
        dropped = 0
        for copy in self._root.glob("*.git"):
            with lock_if_free(copy.with_suffix(".lock")) as free:
                if unused := free and time.time() - _last_used(copy) > max(seconds, KEEP):
                    shutil.rmtree(copy, ignore_errors=True)
            dropped += unused
        return dropped + self._trees.forget_unused(seconds)

    def _fetch_into(self, wanted: _Fetch, credential: Credential | None) -> None:
        """Where the copy has outgrown its size, it starts anew with what is wanted alone."""
        directory = wanted.directory
        fresh, problem = not directory.exists(), None
        try:
            if fresh:
                directory.mkdir(parents=True)
                git.run(directory, "init", "--quiet", "--bare", "--template=")
            self._download(wanted, credential)
        except GitHubError as error:
            problem = error
        outgrown = _bytes_of(directory) >= wanted.max_bytes  # also where git stopped because a file got too large
        if problem is None and not outgrown:
            return
        if fresh or outgrown:
            shutil.rmtree(directory)
        if not outgrown and problem:
            raise problem
        if fresh:
            raise Rejected(f"the repository is larger than it may be here; raise {wanted.setting}")
        self._fetch_into(wanted, credential)

    def _download(self, wanted: _Fetch, credential: Credential | None) -> None:
        try:
            self._ask(wanted, credential)
        except Unauthorized:
            if credential is None or not credential.forget():
                raise
            self._ask(wanted, credential)

    def _ask(self, wanted: _Fetch, credential: Credential | None) -> None:
        with traces.span("git fetch"):
            git.run(
                wanted.directory,
                "fetch",
                "--quiet",
                *wanted.words,
                "--no-write-fetch-head",
                f"{wanted.address}",
                *wanted.refs,
                protocol=urlsplit(wanted.address).scheme,
                authorization=_basic(credential) if credential else "",
                largest_file=wanted.max_bytes,
            )

    def _prune(self) -> None:
        """Drop the copies that were not used for longest until the rest fits."""
        copies = sorted(self._root.glob("*.git"), key=_last_used)
        sizes = {copy: _bytes_of(copy) for copy in copies}
        for copy in copies:
            if sum(sizes.values()) <= self._total_bytes or time.time() - _last_used(copy) < KEEP:
                return
            with lock(copy.with_suffix(".lock")):
                shutil.rmtree(copy, ignore_errors=True)
            del sizes[copy]


def _basic(credential: Credential) -> str:
    """As git's HTTP wants an installation token."""
    token = credential.header().partition(" ")[2]
    return f"Basic {base64.b64encode(f'x-access-token:{token}'.encode()).decode()}"


def _holds(directory: Path, wanted: str) -> bool:
    """Whether the commit was fetched whole; a pull request's head is asked for anew each time."""
    return (directory / "refs" / "kept" / wanted).exists()


def _resolve(directory: Path, ref: str) -> str:
    return git.run(directory, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}").decode().strip()


def _bytes_of(directory: Path) -> int:
    return sum(_sizes(directory))


def _sizes(directory: Path) -> Iterator[int]:
    for path in directory.rglob("*"):
        try:
            yield path.lstat().st_size
        except OSError:
            continue  # gone meanwhile


def _last_used(copy: Path) -> float:
    try:
        return (copy / "HEAD").stat().st_mtime
    except OSError:
        return 0.0
