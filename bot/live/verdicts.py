"""What was decided and what people did to it, read for whoever counts how often that was right: `bouncer report`, the
dashboards, calibration."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache

from bot.live.precision import Event, PersonAct, Subject, VerdictRow, VerdictTally
from bot.storage.database import Database
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.ledger import Act, Disagreements, Ledger, numbers_in_doubt
from bot.storage.overrides import Overrides
from bot.storage.repositories import repository_names
from bot.storage.store import Numbers
from bot.verdicts import Decision

_EVENTS = {Act.LABEL_REMOVED: Event.LABEL_REMOVED, Act.ACCEPT: Event.ACCEPTED}
_ENDS = {  # what an ending that a maintainer brought about is to a verdict on its subject; for `REOPENED`: `_reopened`
    EndingSort.DONE: Event.DONE,
    EndingSort.NOT_PLANNED: Event.NOT_PLANNED,
    EndingSort.MERGED: Event.MERGED,
    EndingSort.CLOSED: Event.CLOSED,
    EndingSort.REVERTED: Event.REVERTED,
}
_OF_ISSUES = (EndingSort.DONE, EndingSort.NOT_PLANNED)

Name = Callable[[int], str]


def read_verdicts(database: Database, start: datetime) -> tuple[list[VerdictRow], list[PersonAct]]:
    """Every verdict from then on, and what maintainers did to them."""
    names = repository_names(database)

    @cache
    def name(number: int) -> str:
        return names.get(number, f"repository {number}, which was removed")

    return list(Ledger(database).verdict_rows(start, name)), _acts(database, name, start)


def read_disputable(database: Database, start: datetime, repo_id: int) -> tuple[list[VerdictRow], list[PersonAct]]:
    """The same of one repository, and only of the subjects of which people could say that a verdict was wrong. No
    repository is named."""
    numbers = numbers_in_doubt(repo_id, start)
    decided = Ledger(database).verdict_rows(start, _nameless, repo_id, numbers, brief=True)
    return list(decided), _acts(database, _nameless, start, repo_id, numbers)


def _nameless(repo_id: int) -> str:
    return ""


def read_tallies(database: Database, repo_id: int, starts: Sequence[datetime]) -> list[VerdictTally]:
    """Every verdict of a repository from the first of these moments on, added up from each to the next."""
    return list(Ledger(database).tallies(repo_id, starts))


def _acts(
    database: Database, name: Name, start: datetime, repo_id: int | None = None, among: Numbers = None
) -> list[PersonAct]:
    acts = [
        PersonAct(Subject.ISSUE, name(repo), number, at, _EVENTS[act])
        for repo, number, at, act in Disagreements(database).acts(start, repo_id)
    ]
    for each in Overrides(database).since(start, repo_id):
        bounced = each.verdict is not None and each.verdict.decision is Decision.BOUNCE
        event = Event.OVERRIDDEN if bounced else Event.OVERRIDDEN_UNDECIDED
        if not each.carried_from:
            acts.append(PersonAct(Subject.PULL, name(each.repo_id), each.number, each.at, event))
    ends = Endings(database).since(start, repo_id, among)
    for ending in ends:
        if ending.by_maintainer and ending.sort in _ENDS:
            subject = Subject.ISSUE if ending.sort in _OF_ISSUES else Subject.PULL
            acts.append(PersonAct(subject, name(ending.repo_id), ending.number, ending.at, _ENDS[ending.sort]))
    return acts + _reopened(ends, name)


def _reopened(ended: Sequence[EndingRecord], name: Name) -> list[PersonAct]:
    """A merged pull request did not do what was asked where a maintainer opens its issue again."""
    merges: dict[tuple[int, int], list[EndingRecord]] = defaultdict(list)
    for each in ended:
        if each.sort is EndingSort.MERGED:
            for issue in each.issues:
                merges[each.repo_id, issue].append(each)
    return [
        PersonAct(Subject.PULL, name(merge.repo_id), merge.number, each.at, Event.REOPENED)
        for each in ended
        if each.sort is EndingSort.REOPENED and each.by_maintainer
        for merge in merges[each.repo_id, each.number]
        if merge.at <= each.at
    ]
