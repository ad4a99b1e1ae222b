"""`bouncer fixed`: say whether a report still holds, from a repository's history and by running what it shows."""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bot.already_fixed.project import project_of
from bot.already_fixed.reading.version import reported_revision, said_version
from bot.already_fixed.revisions import RevisionSource
from bot.already_fixed.run_at_revisions import SECONDS
from bot.already_fixed.search_and_run import Suspected, look
from bot.already_fixed.values import Fixed
from bot.commands.issue_input import address_of, read_source
from bot.commands.own_clone import commit_of, files_of, open_clone
from bot.commands.scratch import scratch
from bot.commands.shared import (
    NumberRange,
    Refusing,
    executor_of,
    executor_option,
    files,
    json_option,
    own_settings,
    patch_judge_option,
)
from bot.commands.verify_input import read_policy
from bot.github import commits
from bot.github.errors import GitHubError
from bot.history.refs import Refs, refs, tag_of
from bot.history.values import Searched, Sought
from bot.issues.parse import parse
from bot.judges.factory import make_reproduction_writer
from bot.judges.openai.spend import MemorySpend
from bot.plain_text import clean
from bot.policy import Policy
from bot.rendering.fix_view import fix_json, fix_view
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import FixStatus

NOTHING_KNOWN = 3
_FOR_HISTORY = 0.5  # of the time is what its index may take, so that the rest is there to run what the report shows
_HISTORY_ONLY = "Nothing was run, as you asked: this is what history says."


def _nothing(message: str) -> dict[str, Any]:
    """Bad input: nothing could be looked at, so the document says just that, and why."""
    return fix_json(Fixed(FixStatus.UNKNOWN, 0.0, reasons=(message,)), Searched((), 0))


@click.command(
    cls=Refusing, said="fixed", nothing=_nothing, short_help="Say whether what an issue reports is fixed already."
)
@click.argument("issue", shell_complete=files)
@click.option("--repo", required=True, type=click.Path(path_type=Path), help="A git repository; it is only read.")
@click.option(
    "--reported",
    metavar="REF",
    help="Where it was seen: a version, branch, tag or commit. Default: what the issue names.",
)
@click.option("--head", metavar="REF", help="Where it may be fixed: a version, branch, tag or commit.  [default: HEAD]")
@click.option("--no-execute", is_flag=True, help="Search only the history; run nothing.")
@click.option(
    "--timeout", default=SECONDS, show_default=True, type=NumberRange(1, 3600), help="Seconds for everything."
)
@patch_judge_option
@executor_option
@json_option
def fixed(
    issue: str,
    repo: Path,
    reported: str | None,
    head: str | None,
    no_execute: bool,
    timeout: float,
    judged_by: str | None,
    executor: str | None,
    as_json: bool,
) -> None:
    """Say whether the bug that ISSUE reports still exists at the head of --repo.

    ISSUE has a form that `bouncer judge issue` takes. The history names the commit that may have fixed it. What the
    report shows is run in a sandbox: at the head, at the head without that commit, and at the reported revision.

    Exit status: 0 for any status reached, 2 for bad input, 3 when the status is UNKNOWN.
    """
    click.get_current_context().with_resource(scratch())
    started = time.monotonic()
    settings = own_settings(judge=judged_by, executor=executor)
    with in_clone(issue, repo, reported, head, settings) as suspected:
        left = timeout - (time.monotonic() - started)
        answer = look(
            suspected,
            lambda: _HISTORY_ONLY if no_execute else executor_of(settings),
            settings,
            seconds=left,
            index_seconds=left if no_execute else _FOR_HISTORY * left,
            writer=make_reproduction_writer(settings, MemorySpend()),
        )
    found, repository = answer.fixed, suspected.repository
    if as_json:
        document = fix_json(
            found,
            answer.searched,
            head=repository.head,
            reported=repository.reported,
            executed=not no_execute,
            lacking=answer.lacking,
        )
        click.echo(json.dumps(document))  # in ASCII: code stands in it as it was written
        if found.status is FixStatus.UNKNOWN:
            click.echo(f"bouncer fixed: {clean(' '.join(found.reasons))}", err=True)
    else:
        took = f"{time.monotonic() - started:.1f} s"
        title = suspected.report.visible_title
        Console().print(fix_view(found, answer.searched, title=title, took=took, lacking=answer.lacking))
    raise click.exceptions.Exit(NOTHING_KNOWN if found.status is FixStatus.UNKNOWN else 0)


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
        files = files_of(clone, repo, settings, sha)
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
    from bot.workflows.already_fixed.relatives import relatives

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
