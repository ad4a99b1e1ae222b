"""A git repository on this machine that a command was given: only read, and never trusted."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bot.commands.shared import InputError
from bot.github import commits
from bot.github.checkout import extract
from bot.github.commits import Clash, merge_into
from bot.github.errors import Forbidden, GitHubError, NoGit
from bot.github.mirror import Mirrors
from bot.github.submodules import Submodule, commits_named
from bot.plain_text import clean
from bot.settings import Settings
from bot.storage.directories import DirectoryCache
from bot.verification.stage import Conflict
from bot.verification.values import Origin, Program

NO_GIT = "git is not installed here, or not on the PATH. Install it first."
UNWRITABLE = (PermissionError, FileExistsError, NotADirectoryError)


def open_clone(held: ExitStack, repo: Path) -> commits.Clone:
    """The repository at `repo`, as long as `held` lasts. Raises `InputError`."""
    try:
        return held.enter_context(commits.clone(repo))
    except Forbidden:
        raise InputError(f"{repo} belongs to another user. Make a clone of your own, and name that.") from None
    except NoGit:
        raise InputError(NO_GIT) from None
    except GitHubError:
        raise InputError(f"{repo} is no git repository. Name one, bare or with a work tree.") from None


def commit_of(clone: commits.Clone, repo: Path, option: str, ref: str) -> str:
    """The full SHA. Raises `InputError`."""
    sha = clone.commit(ref)
    if sha is None:
        shallow = (clone.directory / "shallow").exists()
        mend = "The clone is shallow: fetch all of its history, or name" if shallow else "Name"
        told = f"{option} {clean(ref, 200)}: there is no such commit in {repo.resolve()}."
        raise InputError(f"{told} {mend} a branch, a tag or a commit.")
    return sha


def origin_of(clone: commits.Clone, repo: Path, sha: str) -> Origin:
    """Of a commit. It shares what it builds where it lies on the branch that the clone's origin, or else it, is at."""
    default = clone.commit("refs/remotes/origin/HEAD") or clone.commit("HEAD")
    shared = default is not None and commits.merge_base(clone.directory, default, sha) == sha
    return Origin(str(repo.resolve()), shared, commits.commit_time(clone.directory, sha), partial(clone.tags, sha))


def files_of(
    clone: commits.Clone, repo: Path, sha: str, settings: Settings, modules: tuple[Submodule, ...] = ()
) -> Program:
    """A commit's files, with those of these submodules, kept for the next time. Raises `InputError`."""
    most = settings.repository_mb * 1_000_000
    return _kept(repo, sha, settings, lambda into: extract(clone.directory, sha, into, most), modules)


def submodules_of(
    clone: commits.Clone, repo: Path, sha: str, settings: Settings, *, allowed: bool
) -> tuple[Submodule, ...]:
    """Those of a commit, fetched where that may be. Raises `InputError`."""
    try:
        return Mirrors.from_settings(settings).submodules_of(clone.directory, sha, allowed=allowed)
    except GitHubError as error:
        raise InputError(f"The submodules of {repo} cannot be read: {error}.") from None


def files_of_merge(
    clone: commits.Clone,
    repo: Path,
    start: str,
    tip: str,
    head: str,
    settings: Settings,
    modules: tuple[Submodule, ...] = (),
) -> Program | Conflict:
    """The files of `head` merged into `tip`, where both parted at `start`. Raises `InputError`."""
    if tip == start:
        return files_of(clone, repo, head, settings, modules)
    most = settings.repository_mb * 1_000_000
    try:
        key = f"{start} {tip} {head}"
        make = partial(merge_into, clone.directory, start, tip, head, max_bytes=most)
        return _kept(repo, key, settings, make, modules)
    except Clash as clash:
        return Conflict(clash.files)


def _kept(
    repo: Path,
    key: str,
    settings: Settings,
    make: Callable[[Path], dict[str, str]],
    modules: tuple[Submodule, ...],
) -> Program:
    def fill(into: Path) -> None:
        Mirrors.from_settings(settings).fill(into, make(into), modules)

    trees = DirectoryCache(settings.cache_dir / "trees", settings.cache_mb * 1_000_000)
    try:
        return Program(trees.get(f"{repo.resolve()} {key}{commits_named(modules)}", fill), {})
    except GitHubError as error:
        raise InputError(f"commit {key[-40:][:7]} of {repo} cannot be checked out: {error}.") from None
    except UNWRITABLE:
        raise unwritable_cache(settings) from None


def cache_file(path: Path, settings: Settings) -> Path:
    """A file of the cache, whose directory is made. Raises `InputError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except UNWRITABLE:
        raise unwritable_cache(settings) from None
    return path


def unwritable_cache(settings: Settings) -> InputError:
    """For one of `UNWRITABLE`, where something is kept."""
    return InputError(f"The cache directory cannot be written: {settings.cache_dir}. Set BOUNCER_CACHE_DIR to another.")
