"""What is done with an issue or a pull request in the end is kept: `bouncer report` compares with verdicts what people
do, and what was found of something that is closed is not kept for ever.

It starts no workflow: one row, the same however often the delivery is handled.
"""

import re
from dataclasses import replace

from bot.github.deliveries import Delivery
from bot.github.values import Pull
from bot.policy_choices import Door
from bot.pulls.issue_links import closing
from bot.storage.endings import EndingRecord, EndingSort
from bot.storage.inbox import Queued
from bot.workflows.commands import not_a_persons
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, take
from bot.workflows.policies import policy_remembered
from bot.workflows.services import Services

MOST = 20  # issues of one merge
_REVERTS = re.compile(r"^Reverts (?P<place>[\w.-]+/[\w.-]+)#(?P<number>[1-9]\d{0,9})[ \t]*$", re.M)  # GitHub's button
_LONGEST = 10_000  # characters of a description


def _wants(delivery: Delivery, context: AppIdentity) -> Intent:
    if delivery.pull is None and delivery.issue is None:
        return ignore("it names no issue and no pull request")
    if delivery.action in ("closed", "reopened"):
        return take("how it ended is kept")
    return ignore("it ends nothing")


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    delivery = queued.delivery
    assert delivery.repository  # the dispatcher saw to it
    subject = delivery.pull or delivery.issue
    assert subject  # it was asked whether it is wanted
    persons = _by_person(services, delivery)
    again = delivery.pull is not None and delivery.action == "reopened"  # which says nothing of a verdict
    record = EndingRecord(
        guid=queued.guid,
        repo_id=delivery.repository.id,
        number=subject.number,
        sort=_sort_of(delivery),
        who=delivery.sender,
        by_maintainer=persons and delivery.sender != subject.author and not again,
        at=queued.received_at,
        issues=_closes(services, delivery.pull),
    )
    services.endings.add(record)
    if record.sort is EndingSort.MERGED and (reverted := _reverts(delivery)):
        that = replace(record, guid=f"{queued.guid} reverts", number=reverted, sort=EndingSort.REVERTED)
        services.endings.add(replace(that, by_maintainer=persons, issues=()))


def _sort_of(delivery: Delivery) -> EndingSort:
    if delivery.action == "reopened":
        return EndingSort.REOPENED
    if delivery.pull is not None:
        return EndingSort.MERGED if delivery.pull.merged else EndingSort.CLOSED
    unplanned = delivery.issue is not None and delivery.issue.state_reason in ("not_planned", "duplicate")
    return EndingSort.NOT_PLANNED if unplanned else EndingSort.DONE


def _by_person(services: Services, delivery: Delivery) -> bool:
    """GitHub lets nobody but the author close without triage rights, and nobody merge without write access; but bots
    and agents have such rights too, and theirs is no maintainer's word. Who merges or closes what is their own says
    nothing of the verdict either."""
    assert delivery.repository
    return not not_a_persons(delivery, policy_remembered(services, delivery.repository, Door.PULLS))


def _closes(services: Services, pull: Pull | None) -> tuple[int, ...]:
    """The issues of this repository that a merge closes by what the description says."""
    if pull is None or not pull.merged:
        return ()
    named = closing(f"{pull.title}\n{pull.body[:_LONGEST]}", services.web_url)
    return tuple(dict.fromkeys(number for place, number in named if not place))[:MOST]


def _reverts(delivery: Delivery) -> int:
    """The pull request of this repository that a merged one takes back, as GitHub's button writes it; 0 for none."""
    assert delivery.pull and delivery.repository
    if not delivery.pull.title.startswith("Revert "):
        return 0
    found = _REVERTS.search(delivery.pull.body[:_LONGEST])
    same = found is not None and found["place"].lower() == delivery.repository.full_name.lower()
    return int(found["number"]) if found and same else 0


HANDLER = DeliveryHandler("endings", frozenset({"issues", "pull_request"}), _wants, _handle)
