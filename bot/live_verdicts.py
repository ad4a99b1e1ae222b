"""What was decided and what people did to it, read for whoever counts how often that was right: `bouncer report`, the
dashboards, calibration."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import assert_never

from bot.live_precision import Decided, Event, PersonAct, Subject
from bot.policy_choices import Mode
from bot.storage.database import Database
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.judgements import Judgements
from bot.storage.ledger import Act, Ledger
from bot.storage.overrides import Override, Overrides
from bot.storage.repository_names import repository_names
from bot.verdicts import Decision, SpecificationLabel

_EVENTS = {Act.LABEL_REMOVED: Event.LABEL_REMOVED, Act.ACCEPT: Event.ACCEPTED}
# Of dictionaries: an enumeration takes several times as long to find its member.
_SUBJECTS = {each.value: each for each in Subject}
_MODES = {each.value: each for each in Mode}
_DECISIONS = {each.value: each for each in Decision}
_LABELS = {label.value: label for label in SpecificationLabel}

Name = Callable[[int], str]


def read_verdicts(
    database: Database, start: datetime, repo_id: int | None = None
) -> tuple[list[Decided], list[PersonAct]]:
    """Every verdict from then on, and what maintainers did to them. repo_id: of this repository alone."""
    names = repository_names(database)

    def name(number: int) -> str:
        return names.get(number, f"repository {number}, which was removed")

    return _decided(database, start, repo_id, name), _acts(database, start, repo_id, name)


def _decided(database: Database, start: datetime, repo_id: int | None, name: Name) -> list[Decided]:
    names, runs = cache(name), cache(Judgements(database).runs)
    return [
        Decided(
            _SUBJECTS[subject] if subject else _subject(run, kind, label, runs()),
            names(repo),
            number,
            at,
            _MODES[mode],
            _DECISIONS[decision],
            kind or "",
            ground,
            judge,
            money,
            _LABELS.get(label or ""),
            author,
        )
        for run, repo, number, author, at, mode, decision, label, judge, kind, money, subject, ground in Ledger(
            database
        ).outlines(start, repo_id)
    ]


def _subject(run: str, kind: str | None, label: str | None, runs: dict[str, str]) -> Subject:
    """Of a decision that an earlier version wrote down."""
    if run in runs:
        return Subject.PULL
    return Subject.ISSUE if kind is not None or label in _LABELS else Subject.REVIEW


def _acts(database: Database, start: datetime, repo_id: int | None, name: Name) -> list[PersonAct]:
    acts = [
        PersonAct(Subject.ISSUE, name(each.repo_id), each.number, each.at, _EVENTS[each.act])
        for each in Ledger(database).disagreements(start, repo_id)
    ]
    acts += [
        PersonAct(Subject.PULL, name(each.repo_id), each.number, each.at, _override(each))
        for each in Overrides(database).since(start, repo_id)
        if not each.carried_from
    ]
    ends = Endings(database).since(start, repo_id)
    acts += [PersonAct(*at, event) for each in ends if (event := _ending(each)) for at in [_at(each, name)]]
    return acts + _reopened(ends, name)


def _at(ending: EndingRecord, name: Name) -> tuple[Subject, str, int, datetime]:
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


def _reopened(endings: Sequence[EndingRecord], name: Name) -> list[PersonAct]:
    """A merged pull request did not do what was asked where a maintainer opens its issue again."""
    merges = [each for each in endings if each.sort is EndingSort.MERGED]
    again = [each for each in endings if each.sort is EndingSort.REOPENED and each.by_maintainer]
    return [
        PersonAct(Subject.PULL, name(merge.repo_id), merge.number, each.at, Event.REOPENED)
        for each in again
        for merge in merges
        if merge.repo_id == each.repo_id and each.number in merge.issues and merge.at <= each.at
    ]


def _override(override: Override) -> Event:
    bounced = override.verdict is not None and override.verdict.decision is Decision.BOUNCE
    return Event.OVERRIDDEN if bounced else Event.OVERRIDDEN_UNDECIDED
