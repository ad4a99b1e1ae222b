"""`bouncer report`: what was judged and bounced, and how often that was right by what people did afterwards."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, assert_never

import click
from rich.console import Console
from rich.table import Table

from bot.commands.shared import InputError, Refusing, json_option
from bot.live_precision import (
    Bounce,
    Decided,
    Event,
    PersonAct,
    PrecisionRow,
    Subject,
    Word,
    bounces_of,
    missed_of,
    precision_rows,
)
from bot.live_questions import AskedIssue, question_rows
from bot.live_saving import saving_of
from bot.plain_text import clean
from bot.policy_choices import Mode
from bot.rendering.words import ITEMS
from bot.settings import load
from bot.storage.database import Database, absent_file
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.judgements import Judgements
from bot.storage.ledger import Act, Entry, Ledger
from bot.storage.overrides import Override, Overrides
from bot.storage.repository_names import repository_names
from bot.storage.subjects import Subjects
from bot.verdicts import Decision, SpecificationLabel

_WIDTH = 110  # of the table: narrower, its figures would be cut off
_AGAINST = (Event.LABEL_REMOVED, Event.ACCEPTED, Event.OVERRIDDEN, Event.OVERRIDDEN_UNDECIDED)
_EVENTS = {Act.LABEL_REMOVED: Event.LABEL_REMOVED, Act.ACCEPT: Event.ACCEPTED}
_NOISE = (
    "right and wrong are acts of people, which are noisy labels: people who label the same issues agree moderately\n"
    "(published kappa 0.44 to 0.62). A bounce without such an act counts as neither."
)


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
        raise InputError(f"There is no {absent} yet. Nothing was judged here; `bouncer migrate` makes the tables.")
    database = Database.open(url)
    try:
        database.check()
        decided, acts = read_verdicts(database, start)
        asked = _asked(database)
    finally:
        database.close()
    if repo:
        wanted = repo.lower()
        decided = [each for each in decided if each.repository.lower() == wanted]
        acts = [act for act in acts if act.repository.lower() == wanted]
        if not decided:
            raise InputError(f"Nothing was judged in {clean(repo)} since {start:%Y-%m-%d}. Is it spelled OWNER/NAME?")
    bounces, alone = bounces_of(decided, acts), _without_verdict(decided, acts)
    rows = precision_rows(decided, bounces, missed_of(decided, acts))
    questions = question_rows(asked, bounces)
    saving = saving_of(decided, settings.first_model) if settings.first_model else None
    if as_json:
        document: dict[str, Any] = {
            "since": start.isoformat(),
            "rows": [_document(row) for row in rows],
            "without_verdict": alone,
        }
        document["first_model"] = asdict(saving) if saving else None
        document["questions"] = [asdict(row) for row in questions]
        click.echo(json.dumps(document | {"bounces": [_bounce(each) for each in bounces]}, ensure_ascii=False))
        return
    if not decided:
        click.echo(f"Nothing was judged since {start:%Y-%m-%d}.")
        return
    click.echo(f"Since {start:%Y-%m-%d}: {len(decided)} verdicts, {len(bounces)} bounces.\n")
    Console(width=_WIDTH).print(_table(rows))
    with_word = sum(bounce.word is not Word.NONE for bounce in bounces)
    click.echo(f"\n{with_word} of {len(bounces)} bounces have an act that says right or wrong.")
    if alone:
        click.echo(f"{alone} words of maintainers are against verdicts that are older, or that were deleted.")
    click.echo(_NOISE)
    if saving:
        money = f", which saved about {saving.money:.2f}" if saving.money else ""
        issues = saving.settled + saving.passed_on
        click.echo(f"{clean(saving.model)} settled {saving.settled} of {issues} judged issues alone{money}.")
    for row in questions:
        click.echo(
            f"asked for {ITEMS[row.item]}: {row.asked}, "
            f"answered {row.answered}, needless {row.needless}, open {row.open}"
        )
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


def read_verdicts(database: Database, start: datetime) -> tuple[list[Decided], list[PersonAct]]:
    """Every verdict from then on, and what maintainers did to them."""
    ledger, names, runs = Ledger(database), repository_names(database), Judgements(database).runs()

    def name(repo_id: int) -> str:
        return names.get(repo_id, f"repository {repo_id}, which was removed")

    decided = [
        Decided(
            _subject(entry, runs),
            name(entry.repo_id),
            entry.number,
            entry.at,
            entry.mode,
            entry.verdict.decision,
            entry.verdict.kind.value if entry.verdict.kind else "",
            entry.verdict.ground,
            entry.verdict.judge,
            entry.usage.money,
            entry.verdict.label if isinstance(entry.verdict.label, SpecificationLabel) else None,
            entry.author,
        )
        for entry in ledger.since(start)
    ]
    acts = [
        PersonAct(Subject.ISSUE, name(each.repo_id), each.number, each.at, _EVENTS[each.act])
        for each in ledger.disagreements(start)
    ]
    acts += [
        PersonAct(Subject.PULL, name(each.repo_id), each.number, each.at, _override(each))
        for each in Overrides(database).since(start)
        if not each.carried_from
    ]
    ends = Endings(database).since(start)
    acts += [PersonAct(*at, event) for each in ends if (event := _ending(each)) for at in [_at(each, name)]]
    return decided, acts + _reopened(ends, name)


def _at(ending: EndingRecord, name: Callable[[int], str]) -> tuple[Subject, str, int, datetime]:
    of_issue = ending.sort in (EndingSort.DONE, EndingSort.NOT_PLANNED, EndingSort.REOPENED)
    return Subject.ISSUE if of_issue else Subject.PULL, name(ending.repo_id), ending.number, ending.at


def _ending(ending: EndingRecord) -> Event | None:
    """What an ending is to a verdict on its subject; nothing where no maintainer brought it about."""
    if not ending.by_maintainer:
        return None
    match ending.sort:
        case EndingSort.DONE:
            return Event.DONE
        case EndingSort.NOT_PLANNED:
            return Event.NOT_PLANNED
        case EndingSort.MERGED:
            return Event.MERGED
        case EndingSort.CLOSED:
            return Event.CLOSED
        case EndingSort.REVERTED:
            return Event.REVERTED
        case EndingSort.REOPENED:
            return None  # of its pull request: `_reopened`
        case _:
            assert_never(ending.sort)


def _reopened(endings: Sequence[EndingRecord], name: Callable[[int], str]) -> list[PersonAct]:
    """A merged pull request did not do what was asked where a maintainer opens its issue again."""
    merges = [each for each in endings if each.sort is EndingSort.MERGED]
    again = [each for each in endings if each.sort is EndingSort.REOPENED and each.by_maintainer]
    return [
        PersonAct(Subject.PULL, name(merge.repo_id), merge.number, each.at, Event.REOPENED)
        for each in again
        for merge in merges
        if merge.repo_id == each.repo_id and each.number in merge.issues and merge.at <= each.at
    ]


def _asked(database: Database) -> dict[tuple[str, int], AskedIssue]:
    names = repository_names(database)
    return {
        (names[each.repo_id], each.number): AskedIssue(each.asked, each.satisfied)
        for each in Subjects(database).asked()
        if each.repo_id in names
    }


def _without_verdict(decided: Sequence[Decided], acts: Sequence[PersonAct]) -> int:
    """Words against verdicts that are not here: people may delete those of past days, and `--since` leaves some out."""
    known = {(each.subject, each.repository, each.number) for each in decided}
    against = (act for act in acts if act.event in _AGAINST)
    return sum((act.subject, act.repository, act.number) not in known for act in against)


def _override(override: Override) -> Event:
    bounced = override.verdict is not None and override.verdict.decision is Decision.BOUNCE
    return Event.OVERRIDDEN if bounced else Event.OVERRIDDEN_UNDECIDED


def _subject(entry: Entry, runs: dict[str, str]) -> Subject:
    if entry.workflow_id in runs:
        return Subject.PULL
    of_issue = entry.verdict.kind is not None or isinstance(entry.verdict.label, SpecificationLabel)
    return Subject.ISSUE if of_issue else Subject.REVIEW


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
            _precision(row),
            str(row.missed) if row.missed else "",
            f"{row.observed} ({row.accepted_later} accepted later)" if row.observed else "",
            _days(row.answer),
            f"{row.money:.2f}" if row.money else "",
        )
    return table


def _precision(row: PrecisionRow) -> str:
    if row.precision is None or row.interval is None:
        return "-"
    low, high = row.interval
    return f"{100 * row.precision:.0f}% ({100 * low:.0f}-{100 * high:.0f})"


def _days(span: timedelta | None) -> str:
    if span is None:
        return ""
    return f"{span.total_seconds() / 3600:.0f} h" if span < timedelta(days=2) else f"{span.days} d"


def _list(bounces: Iterable[Bounce]) -> None:
    click.echo("")
    for bounce in bounces:
        first = bounce.first
        told = "would have been bounced" if first.mode is Mode.OBSERVE else "bounced"
        why = f"{first.rule} by {first.judge}" if first.rule else first.judge
        after = f" after {_days(bounce.after)}" if bounce.after is not None else ""
        where = f"{first.at:%Y-%m-%d}  {clean(first.repository)}#{first.number}"
        click.echo(f"{where}  {told}: {clean(why)}; {bounce.event}{after}")


def _document(row: PrecisionRow) -> dict[str, Any]:
    seconds = row.answer.total_seconds() if row.answer is not None else None
    counts = ("judged", "bounced", "right", "wrong", "missed", "observed", "accepted_later")
    names = ("subject", "kind", "rule", "judge", *counts)
    return {
        **{name: getattr(row, name) for name in names},
        "with_word": row.with_word,
        "precision": row.precision,
        "interval": row.interval,
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
