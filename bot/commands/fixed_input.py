"""Where `bouncer fixed` takes a report and a history from."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bot.already_fixed.project import project_of
from bot.already_fixed.reading.version import reported_revision, said_version
from bot.already_fixed.revisions import RevisionSource
from bot.already_fixed.search_and_run import Suspected
from bot.commands.issue_input import address_of, read_source
from bot.commands.own_clone import commit_of, files_of, open_clone
from bot.commands.verify_input import read_policy
from bot.github import commits
from bot.github.errors import GitHubError
from bot.history.refs import Refs, refs, tag_of
from bot.history.values import Sought
from bot.issues.parse import parse
from bot.policy import Policy
from bot.reports import Report
from bot.settings import Settings


@contextmanager
def in_clone(
    source: str, repo: Path, reported: str | None, head: str | None, settings: Settings
) -> Iterator[Suspected]:
    """The report in `source`, beside the repository at `repo`, as long as the block lasts.

    reported: a version, a branch, a tag or a commit; without one the version that the report names. head: `HEAD`
    without one. Raises `InputError` for what was given; what the history lacks is told in `problem`.
    """
    report = parse(read_source(source, settings))
    place, number = address_of(source, settings) or ("", None)
    with ExitStack() as held:
        clone = open_clone(held, repo)
        key = hashlib.sha256(str(repo.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:40]
        sha = clone.commit("HEAD") if head is None else commit_of(clone, repo, "--head", head)
        if sha is None:
            nothing = RevisionSource(clone.directory, "", owner=str(repo.resolve()))
            sought = Sought(report.visible_title, report.visible_text, number, repository=place)
            problem = "The repository's HEAD names no commit, so there is no history."
            yield Suspected(report, sought, nothing, repo, Refs(), key, Policy().verify, problem)
            return
        named, remark = _refs(repo)
        files = files_of(clone, repo, sha, settings)
        assert files.tree
        policy = read_policy(files)
        problem = ""
        old: str | None
        names = {*project_of(files.tree).packages, repo.resolve().name.removesuffix(".git"), place.partition("/")[2]}
        if reported is not None:
            said, old = reported, _reported(clone, repo, reported, named)
            problem = _apart(clone, old, sha, reported, head or "HEAD")
        else:
            said = said_version(report.visible_title, report.visible_text, names)
            old, remark = reported_revision(repo, sha, said) if not remark else (None, remark)
        alike = _alike(place, report, number, settings) if number is not None else ()
        sought = Sought(report.visible_title, report.visible_text, number, said, place, alike, tuple(sorted(names)))
        repository = RevisionSource(
            clone.directory, sha, old, str(repo.resolve()), max_bytes=settings.repository_mb * 1_000_000
        )
        notes = (remark,) if remark else ()
        yield Suspected(report, sought, repository, repo, named, key, policy.verify, problem, notes)


def _alike(place: str, report: Report, number: int, settings: Settings) -> tuple[int, ...]:
    """Closed issues like it, where GitHub tells anybody; nothing depends on it."""
    # Imported here: the client takes a while, which a file need not wait for.
    from bot.github.public import public_repository
    from bot.workflows.already_fixed.similar_issues import relatives

    try:
        return relatives(public_repository(settings.github_api_url, place), report, number)
    except GitHubError:
        return ()


def _refs(repo: Path) -> tuple[Refs, str]:
    """Its branches and versions, or why there are none, as a sentence."""
    try:
        return refs(repo), ""
    except GitHubError:
        return Refs(), "Its tags and branches cannot be read: one of them names a commit that is missing."


def _reported(clone: commits.Clone, repo: Path, given: str, named: Refs) -> str:
    """The commit that a version or a ref stands for. Raises `InputError`."""
    tag = None if clone.commit(given) else tag_of(named.tags, given)
    return named.tags[tag] if tag else commit_of(clone, repo, "--reported", given)


def _apart(clone: commits.Clone, old: str, new: str, reported: str, head: str) -> str:
    """Why nothing can be told between two commits, as a sentence; empty where they have one in common."""
    try:
        if commits.merge_base(clone.directory, old, new):
            return ""
        shallow = (clone.directory / "shallow").exists()
    except GitHubError as error:
        return f"The history between {reported} and {head} cannot be read: {error}."
    why = "the clone is shallow; fetch all of its history" if shallow else "their histories are unrelated"
    return f"{reported} and {head} have no commit in common: {why}."
