"""`bouncer judge pull`: judge one change as the gate would, without GitHub. Writes nothing there."""

import json
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from bot.changes.read import LARGEST, read_change
from bot.changes.values import Change
from bot.commands.judge_pull_execute import execute
from bot.commands.judge_pull_input import Proposed, in_clone
from bot.commands.scratch import scratch
from bot.commands.shared import (
    InputError,
    Refusing,
    executor_option,
    files,
    json_option,
    own_settings,
    patch_judge_option,
)
from bot.commands.statement_file import StatementFile
from bot.commands.verify_input import policy_source
from bot.github import commits
from bot.github.code import GitCode
from bot.github.errors import GitHubError
from bot.judges.factory import make_patch_reviewer
from bot.judges.openai.spend import MemorySpend, Spend
from bot.judges.patches import PatchSubject
from bot.judges.reviews import ReviewMode
from bot.plain_text import clean
from bot.pulls.facts import PullFacts
from bot.pulls.judgement import concluded, first_facts, judged, opinion
from bot.rendering.pull_reasons import reasons
from bot.rendering.pull_view import pull_json, pull_view
from bot.settings import Settings
from bot.verdicts import Decision

NOT_JUDGED = 3


@click.command(
    cls=Refusing,
    said="judge pull",
    short_help="Judge one change: a pull request's address, or two commits of a repository here.",
)
@click.argument("address", required=False)
@click.option("--repo", type=click.Path(path_type=Path), help="A git repository; it is only read.")
@click.option("--base", metavar="REF", help="What the change is merged into: a branch, a tag or a commit.")
@click.option("--head", metavar="REF", help="The change's last commit: a branch, a tag or a commit.")
@click.option(
    "--issue",
    metavar="FILE",
    shell_complete=files,
    help="What was asked for, in a form that `bouncer judge issue` takes.",
)
@patch_judge_option
@executor_option
@click.option("--statement", metavar="FILE", type=click.Path(path_type=Path), help="Sign the verdict into this file.")
@json_option
def pull(
    address: str | None,
    repo: Path | None,
    base: str | None,
    head: str | None,
    issue: str | None,
    judged_by: str | None,
    executor: str | None,
    statement: Path | None,
    as_json: bool,
) -> None:
    """Judge the change between two commits as the gate would: by its diff, by a judge, and by running it in a sandbox.

    Give the ADDRESS of a public pull request, or --repo with --base and --head. The diff starts where the two branched.
    What runs is the head merged into the base, with the base's .github/bouncer.yml. Without --issue the change is
    judged against its last commit's message.

    Exit status: 0 for any verdict reached, 2 for bad input, 3 when the verdict is UNAVAILABLE.
    """
    click.get_current_context().with_resource(scratch())
    started = time.monotonic()
    settings = own_settings(judge=judged_by, executor=executor)
    signed = StatementFile.of(statement, settings) if statement else None
    with _source(address, repo, base, head, issue, settings) as change:
        facts = facts_of(change, settings)
        told = concluded(facts, head=change.head, base=change.tip, agent=change.agent, asked=change.wanted.said)
        told = replace(told, policy=policy_source(change.before))
    if signed:
        signed.write(told, repository=change.repository, number=change.number)
    verdict = told.verdict
    if as_json:
        click.echo(
            json.dumps(
                pull_json(told, base=change.tip, seconds=time.monotonic() - started),
                ensure_ascii=False,
            )
        )
        if verdict.decision is Decision.UNAVAILABLE:
            click.echo(f"bouncer judge pull: {clean(' '.join(reasons(told)))}", err=True)
    else:
        Console().print(pull_view(told, title=change.title, notes=change.notes))
    raise click.exceptions.Exit(NOT_JUDGED if verdict.decision is Decision.UNAVAILABLE else 0)


def _source(
    address: str | None, repo: Path | None, base: str | None, head: str | None, issue: str | None, settings: Settings
) -> AbstractContextManager[Proposed]:
    """Raises `InputError`, when it is entered at the latest."""
    if address:
        if repo or base or head or issue:
            raise InputError("an address is enough. Leave out --repo, --base, --head and --issue.")
        from bot.commands.judge_pull_github import on_github  # PyGithub takes a while to import

        return nullcontext(on_github(address, settings))
    if not (repo and base and head):
        raise InputError("give the address of a pull request, or --repo with --base and --head.")
    return in_clone(repo, base, head, issue, settings)


def facts_of(proposed: Proposed, settings: Settings, spend: Spend | None = None) -> PullFacts:
    """All that is gathered, asked and executed of a change before it is decided. Never raises for what models say and
    programs do.

    spend: where the cost of models is counted, for who counts it.
    """
    change, wanted, policy = _change(proposed), proposed.wanted, proposed.policy.pulls
    subject = PatchSubject(wanted.specification or wanted.description, change, asked=bool(wanted.specification))
    spend = spend or MemorySpend()
    reviewer = make_patch_reviewer(settings, spend, ReviewMode(policy.review), policy.strictness)
    code = GitCode(proposed.directory, proposed.head)
    return judged(
        first_facts(wanted, change, proposed.whole, proposed.mentions),
        ask=lambda: opinion(reviewer, subject, code),
        execute=lambda review: execute(proposed, subject, review, settings, spend),
    )


def _change(proposed: Proposed) -> Change:
    try:
        return read_change(commits.diff(proposed.directory, proposed.base, proposed.head, LARGEST + 1))
    except GitHubError as error:
        return Change((), f"The change cannot be read: {error}.")
