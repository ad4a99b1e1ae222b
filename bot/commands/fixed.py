"""`bouncer fixed`: say whether a report still holds, from a repository's history and by running what it shows."""

import json
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bot.already_fixed.run_at_revisions import SECONDS
from bot.already_fixed.search_and_run import look
from bot.already_fixed.values import Fixed
from bot.commands.fixed_input import in_clone
from bot.commands.scratch import scratch
from bot.commands.shared import (
    NumberRange,
    Refusing,
    executor_option,
    files,
    json_option,
    own_settings,
    patch_judge_option,
    runner,
)
from bot.history.values import Searched
from bot.judges.factory import make_reproduction_writer
from bot.judges.openai.spend import MemorySpend
from bot.plain_text import clean
from bot.rendering.fix_view import fix_json, fix_view
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities, Executor
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
            lambda: _HISTORY_ONLY if no_execute else _executor(settings),
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


def _executor(settings: Settings) -> Executor | str:
    executor = choose(settings, runner(settings))
    return f"Nothing may run here: {executor.problem}" if isinstance(executor, Capabilities) else executor
