"""A git repository on this machine that a command was given: only read, and never trusted."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bot.commands.shared import InputError
from bot.github import commits
from bot.github.commits import Clash
from bot.github.errors import Forbidden, GitHubError, NoGit
from bot.github.mirror import Mirrors
from bot.github.submodules import Submodule
from bot.plain_text import clean
from bot.settings import Settings
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
    clone: commits.Clone, repo: Path, settings: Settings, *shas: str, modules: tuple[Submodule, ...] = ()
) -> Program:
    """As `Mirrors.files`. Raises `InputError`, and `Clash` where three commits cannot be merged."""
    try:
        kept = Mirrors.from_settings(settings).files(str(repo.resolve()), lambda _: clone.directory, shas, modules)
    except GitHubError as error:
        raise InputError(f"commit {shas[-1][:7]} of {repo} cannot be checked out: {error}.") from None
    except UNWRITABLE:
        raise unwritable_cache(settings) from None
    return Program(kept, {})


def try_merge(files: Callable[[], Program]) -> Program | Conflict:
    """What gives the files of a merge, if it can be made."""
    try:
        return files()
    except Clash as clash:
        return Conflict(clash.files)


def submodules_of(
    clone: commits.Clone, repo: Path, sha: str, settings: Settings, *, allowed: bool
) -> tuple[Submodule, ...]:
    """Those of a commit, fetched where that may be. Raises `InputError`."""
    try:
        return Mirrors.from_settings(settings).submodules_of(clone.directory, sha, allowed=allowed)
    except GitHubError as error:
        raise InputError(f"The submodules of {repo} cannot be read: {error}.") from None


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
