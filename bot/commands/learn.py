"""`bouncer learn`: what a project's maintainers ask reporters for, proposed as a policy to adopt."""

import json
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.backtest.endings import Signal
from bot.backtest.judging import judge_past
from bot.backtest.learning import (
    count_facts,
    figures,
    learn,
    own_words,
    split,
    with_learnt,
)
from bot.backtest.threads import threads_of
from bot.commands.backtest_source import source_of
from bot.commands.shared import (
    InputError,
    NumberRange,
    Refusing,
    files,
    json_option,
    own_settings,
    policy_in,
    policy_option,
)
from bot.judges.offline.issues import OfflineJudge
from bot.plain_text import clean
from bot.rendering.learning import LearntView, learnt_json, learnt_text


@click.command(cls=Refusing, said="learn")
@click.argument("source", metavar="OWNER/REPO|DIR", shell_complete=files)
@click.option(
    "--issues",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="How many of the newest issues.",
)
@click.option(
    "--past",
    type=NumberRange(0.1, 0.9),
    default=0.6,
    show_default=True,
    help="The share of them, the older ones, to learn from; the later ones show whether it lasts.",
)
@click.option(
    "--clone",
    type=click.Path(path_type=Path),
    help="A clone of the repository, beside an export.",
)
@click.option(
    "--branch",
    default="HEAD",
    show_default=True,
    help="The branch of --clone that has the templates.",
)
@policy_option
@json_option
def learn_facts(
    source: str,
    issues: int,
    past: float,
    clone: Path | None,
    branch: str,
    policy_file: Path | None,
    as_json: bool,
) -> None:
    """Propose what to ask reporters for, by what a project's maintainers asked for in their first answers.

    Give OWNER/REPO on GitHub, or a folder with an export of it, as for backtest. Prints entries for issues.ask_for
    and, where no form is known, a form, with what they would have held of later issues. Nothing is written, on GitHub
    or elsewhere, but the fetched export in the cache. Exit status: 0 when it was read, 2 for bad input.
    """
    policy = policy_in(policy_file)
    with ExitStack() as held:
        found = source_of(held, source, issues, 0, clone, branch, own_settings())
        older, later = split(found.past, past)
        threads = tuple(threads_of(older, policy, found.templates))
        if not threads:
            raise InputError(
                f"{source}: no report in it can be learnt from. Read more with --issues, or learn from more of them "
                "with --past."
            )
        learnt = learn(threads)
        proposed = with_learnt(policy, learnt)
        held_later = tuple(
            figures(judge_past(later, OfflineJudge(), each, found.templates), each) for each in (policy, proposed)
        )
        view = LearntView(
            repository=clean(found.past.name),
            threads=len(threads),
            asking=sum(thread.signal is Signal.UNCLEAR for thread in threads),
            counts=count_facts(threads),
            words=own_words(threads),
            learnt=learnt,
            later=(held_later[0], held_later[1]),
            form=not found.templates(datetime.now(UTC)),
            notes=found.notes,
        )
    click.echo(
        json.dumps(learnt_json(view), ensure_ascii=False) if as_json else learnt_text(view),
        nl=as_json,
    )
