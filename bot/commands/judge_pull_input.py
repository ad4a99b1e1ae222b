"""Where `bouncer judge pull` takes a change from: two commits of a repository on this machine."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bot.already_fixed.holes import OfferedProgram
from bot.changes.syntax import LARGEST
from bot.changes.values import FileChange
from bot.commands.issue_input import address_of, read_source
from bot.commands.own_clone import commit_of, files_of, open_clone, origin_of, submodules_of, try_merge
from bot.commands.shared import InputError
from bot.commands.verify_input import read_policy
from bot.github import commits
from bot.github.submodules import not_here
from bot.github.values import LinkedIssue, Pull
from bot.issues.kind import asks_for_behaviour, asks_for_documentation
from bot.plain_text import clean
from bot.policy import Policy
from bot.pulls.facts import RequestKind
from bot.pulls.issue_links import specification
from bot.pulls.request import Request, request, source
from bot.settings import Settings
from bot.verification.stage import Conflict
from bot.verification.values import Origin, Program


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change, and what was asked for. title: for the reader, untrusted.

    directory: git's, which holds the commits. base, tip, head: full SHAs, base where the head's branch left, tip what
    it is to go into. before, after: the files of the tip, and those with the change merged into it. policy: the base's.
    origin: of the tip. agent: whose it is, in words. notes: how it was read, in Bouncer's own words
    around names that were given. repository, number: of a pull request, `owner/name` and its number. rivals: other
    changes for the same.
    """

    title: str
    directory: Path
    base: str
    tip: str
    head: str
    before: Program
    after: Program | Conflict
    policy: Policy
    wanted: Request
    origin: Origin
    agent: str = ""
    notes: tuple[str, ...] = ()
    repository: str = ""
    number: int = 0
    rivals: tuple[OfferedProgram, ...] = ()

    def whole(self, file: FileChange) -> tuple[str, str] | None:
        """A changed or moved file before and after; `None` where it cannot be had, or is too large to be looked at."""
        return commits.text_in_both(self.directory, self.base, self.head, file.path, LARGEST, moved_from=file.old_path)

    def mentions(self, texts: tuple[str, ...]) -> tuple[tuple[str, str], ...] | None:
        """The lines of the head, and of what it is to go into, that hold one of these, each with its path; `None` where
        they cannot be had."""
        return commits.mentions(self.directory, (self.head, self.tip), texts)


def from_to(start: str, tip: str, head: str, parted: str) -> str:
    """Which commits were compared, and on top of which one the change ran. parted: what `start` is, as a phrase."""
    if start == tip:
        return f"From {start[:7]} to {head[:7]}."
    return f"From {start[:7]}, where {parted}, to {head[:7]}, run on top of {tip[:7]}."


@contextmanager
def in_clone(
    repo: Path, base: str, head: str, issue: str | None, settings: Settings, rivals: tuple[str, ...] = ()
) -> Iterator[Proposed]:
    """What lies between two commits of the repository at `repo`, as long as the block lasts. Raises `InputError`.

    issue: as `bouncer judge issue` takes one. Without it the head's message says what was asked for. rivals: the last
    commits of other changes for the same.
    """
    with ExitStack() as held:
        clone = open_clone(held, repo)
        old, new = commit_of(clone, repo, "--base", base), commit_of(clone, repo, "--head", head)
        start = commits.merge_base(clone.directory, old, new)
        if start is None:
            raise InputError(
                f"{base} and {head} have no commit in common here. Name two branches of one history; "
                "in a shallow clone, fetch all of it first."
            )
        title, _, body = commits.message(clone.directory, new).partition("\n")

        def wanted(policy: Policy) -> Request:
            own = Pull(title=title, body=body)
            return _against(issue, settings, policy) if issue else _described(own, policy)

        found = between(clone, repo, (start, old, new), settings, title, wanted)
        others = tuple(_rival(clone, repo, settings, old, ref) for ref in rivals)
        yield replace(found, notes=(from_to(start, old, new, f"{base} and {head} branched"),), rivals=others)


def _rival(clone: commits.Clone, repo: Path, settings: Settings, tip: str, ref: str) -> OfferedProgram:
    """Another change, merged into the same. Raises `InputError`."""
    head = commit_of(clone, repo, "--rival", ref)
    start = commits.merge_base(clone.directory, tip, head)
    made = try_merge(lambda: files_of(clone, repo, settings, start or tip, tip, head))
    if start is None or isinstance(made, Conflict):
        raise InputError(f"--rival {clean(ref, 200)}: it cannot be merged into the base.")
    return OfferedProgram(clean(ref, 200), "", "", lambda: made)


def between(
    clone: commits.Clone,
    repo: Path,
    shas: tuple[str, str, str],
    settings: Settings,
    title: str,
    wanted: Callable[[Policy], Request],
    policy: Policy | None = None,
) -> Proposed:
    """The change of a repository at `repo` that lies between two of its commits. shas: base, tip and head. wanted: by
    the policy, which is the tip's where none is given. Raises `InputError`."""
    start, tip, head = shas
    files = partial(files_of, clone, repo, settings)
    before = files(tip)
    policy = policy or read_policy(before)
    modules = submodules_of(clone, repo, tip, settings, allowed=policy.verify.submodules)
    return Proposed(
        title=title,
        directory=clone.directory,
        base=start,
        tip=tip,
        head=head,
        before=files(tip, modules=modules),
        after=try_merge(lambda: files(start, tip, head, modules=modules)),
        policy=policy,
        wanted=wanted(policy),
        origin=replace(origin_of(clone, repo, tip), without=not_here(modules)),
    )


def _against(issue: str, settings: Settings, policy: Policy) -> Request:
    text = read_source(issue, settings)
    wanted = specification(text.title, text.body)
    name = "standard input" if issue == "-" else issue
    if not wanted.strip():
        raise InputError(f"{name}: there is nothing in it. Write down what is wanted, or leave --issue out.")
    demanded = "the issue" if asks_for_behaviour(text.title, text.body, ()) else ""
    given = () if address_of(issue, settings) else (LinkedIssue(0, text.title, text.body, ""),)
    return Request(
        RequestKind.ISSUE,
        f"Judged against {name}.",
        wanted,
        waiving=given,
        documentation=asks_for_documentation(text.title, ()),
        demanded=demanded,
        unproved=policy.pulls.unproved,
        sources=(source(demanded, text.title, text.body),) if demanded else (),
    )


def _described(own: Pull, policy: Policy) -> Request:
    wanted = request(own, (), policy)
    if wanted.asked is RequestKind.NOTHING:
        return wanted
    return replace(wanted, said="No issue was given, so it is judged against the message of its last commit.")
