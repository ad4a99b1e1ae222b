"""From the inbox to the engine: every claimed delivery gets its run, in the order of arrival."""

import logging
from collections.abc import Callable

from bot.github.values import Delivery, Repository
from bot.storage.inbox import Inbox, Queued
from bot.storage.installations import Installations
from bot.storage.policies import Policies
from bot.storage.subjects import Subjects
from bot.storage.templates import TemplateFiles
from bot.workflows.jobs import Desk, DeskJob, IssueJob, PolicyJob, PullJob, pack
from bot.workflows.router import Context, Intent, Route, desk, route

BATCH = 100

log = logging.getLogger(__name__)

Submit = Callable[[str, str, str, str], None]


class Pump:
    """Everything here may be repeated after a kill: ids, upserts and marks are the same the second time."""

    def __init__(
        self,
        inbox: Inbox,
        subjects: Subjects,
        installations: Installations,
        policies: Policies,
        templates: TemplateFiles,
        context: Context,
        submit: Submit,
    ) -> None:
        self._inbox = inbox
        self._subjects = subjects
        self._installations = installations
        self._policies = policies
        self._templates = templates
        self._context = context
        self._submit = submit

    def turn(self) -> int:
        """Route what waits, at most a batch; how many there were."""
        waiting = self._inbox.pending(BATCH)
        for queued in waiting:
            intent = route(queued.delivery, self._context)
            log.info("%s %s: %s", queued.delivery.event, queued.guid, intent.reason)
            self._start(queued, intent)
            if desk(queued.delivery, self._context).route is Route.DESK:
                self._desk(queued)
        self._inbox.mark_routed([queued.seq for queued in waiting])
        return len(waiting)

    def _start(self, queued: Queued, intent: Intent) -> None:
        if intent.route is Route.INSTALLATION:
            self._install(queued)
        elif intent.route is Route.ISSUE:
            self._issue(queued, intent)
        elif intent.route is Route.PULL:
            self._pull(queued)
        elif intent.route is Route.POLICY:
            self._policy(queued)

    def _issue(self, queued: Queued, intent: Intent) -> None:
        delivery = queued.delivery
        assert delivery.repository and delivery.issue  # the router saw to it
        self._know(queued, delivery.repository)
        if intent.look:
            self._subjects.want(
                delivery.repository.id,
                delivery.issue.number,
                queued.seq,
                installation_id=delivery.installation_id,
                repository=delivery.repository.full_name,
                author=delivery.issue.author,
            )
        job = IssueJob(
            run_id=f"issue:{delivery.repository.id}:{delivery.issue.number}:{_tail(queued)}",
            seq=queued.seq,
            installation_id=delivery.installation_id,
            repository=delivery.repository,
            number=delivery.issue.number,
            received_at=queued.received_at,
            delivery=delivery,
        )
        self._submit("issue", job.run_id, job.subject, pack(job))

    def _pull(self, queued: Queued) -> None:
        delivery = queued.delivery
        subject = delivery.pull or delivery.issue
        assert delivery.repository and subject  # the router saw to it
        self._know(queued, delivery.repository)
        job = PullJob(
            run_id=f"pull:{delivery.repository.id}:{subject.number}:{_tail(queued)}",
            seq=queued.seq,
            installation_id=delivery.installation_id,
            repository=delivery.repository,
            number=subject.number,
            delivery=delivery,
        )
        self._submit("pull", job.run_id, job.subject, pack(job))

    def _desk(self, queued: Queued) -> None:
        delivery = queued.delivery
        assert delivery.repository  # the router saw to it
        self._know(queued, delivery.repository)
        job = DeskJob(
            run_id=f"desk:{delivery.repository.id}:{_number(delivery)}:{_tail(queued)}",
            seq=queued.seq,
            installation_id=delivery.installation_id,
            repository=delivery.repository,
            number=_number(delivery),
            why=Desk.DELIVERY,
            delivery=delivery,
        )
        self._submit("desk", job.run_id, job.subject, pack(job))

    def _policy(self, queued: Queued) -> None:
        assert queued.delivery.repository
        self._know(queued, queued.delivery.repository)
        run_id = f"policy:{queued.delivery.repository.id}:{_tail(queued)}"
        job = PolicyJob(run_id=run_id, seq=queued.seq, delivery=queued.delivery)
        self._submit("policy", job.run_id, job.subject, pack(job))

    def _know(self, queued: Queued, repository: Repository) -> None:
        """An installation nobody announced (its delivery is lost) counts from the first one that names it.

        GitHub sends nothing for a suspended one: so what arrives says that it is awake again, however late and out of
        order the delivery came that put it to sleep.
        """
        known = self._installations.get(queued.delivery.installation_id)
        if known is None or known.suspended:
            account = repository.full_name.partition("/")[0]
            self._installations.upsert(queued.delivery.installation_id, account, now=queued.received_at)

    def _install(self, queued: Queued) -> None:
        delivery, when = queued.delivery, queued.received_at
        if delivery.event == "installation" and delivery.action == "deleted":
            self._forget(delivery)
        elif delivery.event == "installation" and delivery.action == "suspend":
            self._installations.suspend(delivery.installation_id)
        elif delivery.event == "installation" and delivery.action == "unsuspend":
            self._installations.suspend(delivery.installation_id, False)
        elif delivery.action in ("created", "added", "new_permissions_accepted"):
            self._installations.upsert(delivery.installation_id, delivery.account, now=when)
            self._installations.add_repositories(delivery.installation_id, delivery.repositories, now=when)
        elif delivery.action == "removed":
            gone = [repository.id for repository in delivery.repositories]
            self._installations.remove_repositories(delivery.installation_id, gone)
            self._subjects.forget_repositories(gone)

    def _forget(self, delivery: Delivery) -> None:
        """Uninstalled: runs that still wait find no installation and end."""
        repositories = self._installations.repositories(delivery.installation_id)
        for name in {*(repository.full_name for repository in repositories), f"{delivery.account}/.github"}:
            self._policies.forget(name)
            self._templates.forget(name)
        self._subjects.forget_repositories(repository.id for repository in repositories)
        self._installations.remove(delivery.installation_id)
        self._subjects.forget_installation(delivery.installation_id)


def _number(delivery: Delivery) -> int:
    """The pull request a gate belongs to; 0 for a check, which is a commit's."""
    if delivery.group is not None:
        return delivery.group.number or 0
    subject = delivery.pull or delivery.issue
    return subject.number if subject else 0


def _tail(queued: Queued) -> str:
    """Ends a run's id: ids of one subject sort in the order of arrival, and the GUID names the delivery."""
    return f"{queued.seq:012d}:{queued.guid}"
