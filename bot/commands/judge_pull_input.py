"""Where `bouncer judge pull` takes a change from: two commits of a repository on this machine."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.changes.syntax import LARGEST
from bot.changes.values import FileChange
from bot.commands.issue_input import InputError, read_source
from bot.commands.verify_input import read_policy
from bot.github import commits
from bot.github.checkout import extract
from bot.github.errors import Forbidden, GitHubError
from bot.issues.documentation import asks_for_documentation
from bot.policy import Policy
from bot.pulls.asked import specification
from bot.pulls.facts import Asked
from bot.pulls.request import Request, Words, request
from bot.settings import Settings
from bot.storage.directories import DirectoryCache
from bot.verification.values import Program


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change, and what was asked for. title: for the reader, untrusted.

    directory: git's, which holds both commits. base, head: full SHAs, base where the head's branch left. before, after:
    their files. policy: the base's. owner: whose environments are shared. agent: whose it is, in words. notes: how it
    was read, in Bouncer's own words around names that were given.
    """

    title: str
    directory: Path
    base: str
    head: str
    before: Program
    after: Program
    policy: Policy
    wanted: Request
    owner: str
    agent: str = ""
    notes: tuple[str, ...] = ()

    def whole(self, file: FileChange) -> tuple[str, str] | None:
        """A changed file before and after; `None` where it cannot be had, or is too large to be looked at."""
        return commits.whole(self.directory, self.base, self.head, file.path, LARGEST)


@contextmanager
def in_clone(repo: Path, base: str, head: str, issue: str | None, settings: Settings) -> Iterator[Proposed]:
    """What lies between two commits of the repository at `repo`, as long as the block lasts. Raises `InputError`.

    issue: as `bouncer judge issue` takes one. Without it the head's message says what was asked for.
    """
    with ExitStack() as held:
        clone = _entered(held, repo)
        old, new = _commit(clone, repo, "--base", base), _commit(clone, repo, "--head", head)
        start = commits.merge_base(clone.directory, old, new)
        if start is None:
            raise InputError(
                f"{base} and {head} have no commit in common here. Name two branches of one history; "
                "in a shallow clone, fetch all of it first."
            )
        before, after = (_files(clone, repo, sha, settings) for sha in (start, new))
        policy = read_policy(before)
        title, _, body = commits.message(clone.directory, new).partition("\n")
        wanted = _against(issue, settings) if issue else _described(Words(title, body, ""), policy)
        where = "" if start == old else f", where {base} and {head} parted"
        yield Proposed(
            title=title,
            directory=clone.directory,
            base=start,
            head=new,
            before=before,
            after=after,
            policy=policy,
            wanted=wanted,
            owner=str(repo.resolve()),
            notes=(f"From {start[:7]}{where}, to {new[:7]}.",),
        )


def _entered(held: ExitStack, repo: Path) -> commits.Clone:
    try:
        return held.enter_context(commits.clone(repo))
    except Forbidden:
        raise InputError(f"{repo} belongs to another user. Make a clone of your own, and name that.") from None
    except GitHubError:
        raise InputError(f"{repo} is no git repository. Name one, bare or with a work tree.") from None
    except FileNotFoundError:
        raise InputError("git is not installed here. Install it first.") from None


def _commit(clone: commits.Clone, repo: Path, option: str, ref: str) -> str:
    sha = clone.commit(ref)
    if sha is None:
        raise InputError(f"{option} {ref}: there is no such commit in {repo}. Name a branch, a tag or a commit.")
    return sha


def _files(clone: commits.Clone, repo: Path, sha: str, settings: Settings) -> Program:
    """A commit's files, kept for the next time."""
    trees = DirectoryCache(settings.cache_dir / "trees", settings.cache_mb * 1_000_000)
    most = settings.repository_mb * 1_000_000
    try:
        return Program(trees.get(f"{repo.resolve()} {sha}", lambda into: extract(clone.directory, sha, into, most)), {})
    except GitHubError as error:
        raise InputError(f"commit {sha[:7]} of {repo} cannot be checked out: {error}.") from None


def _against(issue: str, settings: Settings) -> Request:
    text = read_source(issue, settings)
    wanted = specification(text.title, text.body)
    name = "standard input" if issue == "-" else issue
    if not wanted.strip():
        raise InputError(f"{name}: there is nothing in it. Write down what is wanted, or leave --issue out.")
    documentation = asks_for_documentation(text.title, ())
    return Request(Asked.ISSUE, f"Held against {name}.", wanted, documentation=documentation)


def _described(own: Words, policy: Policy) -> Request:
    unclear = policy.issues.labels.needs_clarification
    wanted = request(own, (), unclear=unclear, without=policy.pulls.require_linked_issue)
    if wanted.asked is Asked.NOTHING:
        return wanted
    return replace(wanted, said="No issue was given, so it is held against the message of its last commit.")
