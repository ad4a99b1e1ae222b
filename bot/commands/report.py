"""`bouncer report`: what was judged and bounced, and how often that was right by what people did afterwards."""

import json
import re
from collections.abc import Iterable, Sequence
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
from bot.plain_text import clean, count_of
from bot.policy_choices import Mode
from bot.rendering.dashboard import claim_words
from bot.rendering.precision import NOISE, removal_words, sample_words, share_words, span_words
from bot.rendering.words import ITEMS
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
        document: dict[str, Any] = {
            "since": start.isoformat(),
            "rows": [_document(row) for row in rows],
            "without_verdict": alone,
            "removed": removed.count,
        }
        document["first_model"] = asdict(saving) if saving else None
        document["questions"] = [asdict(row) for row in questions]
        document["welcomes"] = welcomes
        document["claims"] = [asdict(row) for row in claims]
        click.echo(json.dumps(document | {"bounces": [_bounce(each) for each in bounces]}, ensure_ascii=False))
        return
    for name, url in welcomes.items():
        click.echo(f"What it would have said about the last issues of {clean(name)}: {url}")
    if removed.until and removed.until > start:
        click.echo(removal_words(removed))
    if not decided:
        click.echo(f"Nothing was judged since {start:%Y-%m-%d}.")
        return
    click.echo(f"Since {start:%Y-%m-%d}: {count_of(len(decided), 'verdict')}, {count_of(len(bounces), 'bounce')}.\n")
    Console(width=_WIDTH, markup=False, emoji=False).print(_table(rows))  # a model may be called anything
    click.echo("\n" + sample_words(figures.with_word, len(bounces)))
    if alone:
        words = "1 action of a maintainer is" if alone == 1 else f"{alone} actions of maintainers are"
        click.echo(f"{words} against verdicts that are older or deleted.")
    click.echo(fill(NOISE, _WIDTH))
    if saving:
        money = f", which saved about {saving.money:.2f}" if saving.money else ""
        issues = count_of(saving.settled + saving.passed_on, "judged issue")
        click.echo(f"{clean(saving.model)} settled {saving.settled} of {issues} alone{money}.")
    for row in questions:
        click.echo(
            f"asked for {ITEMS[row.item]}: {row.asked}, "
            f"answered {row.answered}, needless {row.needless}, open {row.open}"
        )
    for claim in claims:
        click.echo(claim_words(claim))
    if subjects:
        _list(bounces)


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


def _list(bounces: Iterable[Bounce]) -> None:
    click.echo("")
    for bounce in bounces:
        first = bounce.first
        told = "would have been bounced" if first.mode is Mode.OBSERVE else "bounced"
        why = f"{first.rule} by {first.judge}" if first.rule else first.judge
        after = f" after {span_words(bounce.after)}" if bounce.after is not None else ""
        where = f"{first.at:%Y-%m-%d}  {clean(first.repository)}#{first.number}"
        click.echo(f"{where}  {told}: {clean(why)}; {bounce.event}{after}")


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
