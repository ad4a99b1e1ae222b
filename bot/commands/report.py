"""`bouncer report`: what was judged and bounced, and how often that was right by what people did afterwards."""

import json
import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from textwrap import fill
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from bot.commands.shared import InputError, Refusing, json_option
from bot.live.figures import figures_of, first_model_saving, question_rows, without_verdict
from bot.live.precision import Bounce, PrecisionRow, tallies_of
from bot.live.verdicts import read_verdicts
from bot.plain_text import clean
from bot.rendering.comment import template
from bot.rendering.dashboard import claim_words
from bot.rendering.precision import NOISE, removal_words, sample_words, share_words, span_words
from bot.settings import load
from bot.storage.database import Database, absent_file
from bot.storage.judgements import Rejections
from bot.storage.repositories import repository_names
from bot.storage.retention import Retention
from bot.storage.subjects import SubjectRecord, Subjects
from bot.storage.welcomes import Welcomes, welcome_pages

_WIDTH = 110  # of the table: narrower, its figures would be cut off


@click.command(cls=Refusing, said="report")
@click.option("--repo", metavar="OWNER/NAME", help="Only this repository.")
@click.option("--since", metavar="DATE|DAYS", default="90d", show_default=True, help="2026-01-31, or 30d.")
@click.option("--subjects", is_flag=True, help="List each bounce, with what came of it.")
@json_option
def report(repo: str | None, since: str, subjects: bool, as_json: bool) -> None:
    """Show how often bounces were right, by what maintainers and reporters did afterwards.

    Reads the server's database and writes nothing. In `observe`, --subjects lists what would have been held. Exit
    status: 0 for any outcome, 2 for bad input or a database that cannot be read.
    """
    start = _moment(since, datetime.now(UTC))
    settings = load()
    url = settings.database_url
    if absent := absent_file(url):
        raise InputError(
            f"There is no {absent}. Where a server has one, start this in the server's directory, or set "
            "BOUNCER_DATABASE_URL to its full path."
        )
    with closing(Database.open(url)) as database:
        database.check()
        decided, acts = read_verdicts(database, start)
        asked = _asked(database)
        number = _number(database, repo)
        claims = Rejections(database).tallies(start, None if number is None else [number])
        removed = Retention(database).count_removed(number)
        welcomes = welcome_pages(Welcomes(database).all(), settings.public_url, repo)
    if repo:
        wanted = repo.lower()
        decided = [each for each in decided if each.repository.lower() == wanted]
        acts = [each for each in acts if each.repository.lower() == wanted]
        if not decided and not welcomes:
            raise InputError(f"Nothing was judged in {clean(repo)} since {start:%Y-%m-%d}. Is it spelled OWNER/NAME?")
    figures = figures_of(tallies_of(decided), decided, acts)
    bounces, alone, rows = figures.bounces, without_verdict(decided, acts), figures.rows
    questions = question_rows(asked, bounces)
    saving = first_model_saving(decided, settings.first_model) if settings.first_model else None
    if as_json:
        document = {
            "since": start.isoformat(),
            "rows": [_document(row) for row in rows],
            "without_verdict": alone,
            "removed": removed.count,
            "first_model": asdict(saving) if saving else None,
            "questions": [asdict(row) for row in questions],
            "welcomes": welcomes,
            "claims": [asdict(row) for row in claims],
            "bounces": [_bounce(each) for each in bounces],
        }
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    console = Console(width=_WIDTH, markup=False, emoji=False)  # a model may be called anything
    with console.capture() as table:
        console.print(_table(rows))
    words = {"removal_words": removal_words, "claim_words": claim_words, "span_words": span_words}
    said = template("report.txt.j2", **words).render(
        welcomes=welcomes,
        removed=removed,
        start=start,
        count=len(decided),
        bounces=bounces,
        table=table.get().rstrip("\n"),
        sample=sample_words(figures.with_word, len(bounces)),
        alone=alone,
        noise=fill(NOISE, _WIDTH),
        saving=saving,
        questions=questions,
        claims=claims,
        subjects=subjects,
    )
    click.echo(said, nl=False)


def _moment(since: str, now: datetime) -> datetime:
    if found := re.fullmatch(r"(\d{1,4})d", since):
        return now - timedelta(days=int(found[1]))
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise InputError(f"--since {clean(since)}: give a date such as 2026-01-31, or days such as 30d.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _number(database: Database, repo: str | None) -> int | None:
    """The repository's, by which rows name it; 0 for one that nobody knows."""
    if repo is None:
        return None
    return next((number for number, name in repository_names(database).items() if name.lower() == repo.lower()), 0)


def _asked(database: Database) -> dict[tuple[str, int], SubjectRecord]:
    names = repository_names(database)
    asked = Subjects(database).with_questions()
    return {(names[each.repo_id], each.number): each for each in asked if each.repo_id in names}


def _table(rows: Sequence[PrecisionRow]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("subject", "rule", "judge"):
        table.add_column(column)
    for column in ("judged", "bounced", "right", "wrong", "precision", "missed", "observed", "answer", "money"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.subject,
            clean(f"{row.rule} ({row.kind})" if row.kind not in ("", "all") else row.rule),
            clean(row.judge),
            *map(str, (row.judged, row.bounced, row.right, row.wrong)),
            share_words(row.precision),
            str(row.missed) if row.missed else "",
            f"{row.observed} ({row.accepted_later} accepted later)" if row.observed else "",
            span_words(row.answer),
            f"{row.money:.2f}" if row.money else "",
        )
    return table


def _document(row: PrecisionRow) -> dict[str, Any]:
    seconds = row.answer.total_seconds() if row.answer is not None else None
    counts = ("judged", "bounced", "right", "wrong", "missed", "observed", "accepted_later")
    names = ("subject", "kind", "rule", "judge", *counts)
    return {
        **{name: getattr(row, name) for name in names},
        "with_word": row.precision.total,
        "precision": row.precision.share,
        "interval": row.precision.interval,
        "seconds_to_answer": seconds,
        "money": row.money,
    }


def _bounce(bounce: Bounce) -> dict[str, Any]:
    first = bounce.first
    return {
        "subject": first.subject,
        "repository": first.repository,
        "number": first.number,
        "at": first.at.isoformat(),
        "mode": first.mode,
        "rule": first.rule,
        "judge": first.judge,
        "event": bounce.event.name.lower(),
        "word": bounce.word,
        "seconds": bounce.after.total_seconds() if bounce.after is not None else None,
    }
