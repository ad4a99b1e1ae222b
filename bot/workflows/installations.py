"""Installed, suspended, uninstalled: what the App may see, by the deliveries that say so."""

from collections.abc import Iterable

from bot.github.deliveries import Delivery
from bot.storage.inbox import Queued
from bot.workflows.delivery import DeliveryHandler, Intent
from bot.workflows.services import Services


def note_installation(services: Services, queued: Queued) -> None:
    """An installation nobody announced (its delivery is lost) counts from the first one that names it.

    GitHub sends nothing for a suspended one: so what arrives says that it is awake again, however late and out of order
    the delivery came that put it to sleep.
    """
    delivery = queued.delivery
    assert delivery.repository is not None  # the dispatcher saw to it
    known = services.installations.get(delivery.installation_id)
    if known is None or known.suspended:
        account = delivery.repository.full_name.partition("/")[0]
        services.installations.upsert(delivery.installation_id, account, now=queued.received_at)


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    delivery, when = queued.delivery, queued.received_at
    installations = services.installations
    if delivery.event == "installation" and delivery.action == "deleted":
        _forget(services, delivery)
    elif delivery.event == "installation" and delivery.action in ("suspend", "unsuspend"):
        installations.suspend(delivery.installation_id, delivery.action == "suspend")
        services.doubts.wake(delivery.installation_id)
    elif delivery.action in ("created", "added", "new_permissions_accepted"):
        installations.upsert(delivery.installation_id, delivery.account, now=when)
        installations.add_repositories(delivery.installation_id, delivery.repositories, now=when)
    elif delivery.action == "removed":
        gone = [repository.id for repository in delivery.repositories]
        _forget_files(services, (repository.full_name for repository in delivery.repositories))
        installations.remove_repositories(delivery.installation_id, gone)


def _forget(services: Services, delivery: Delivery) -> None:
    """Uninstalled: runs that still wait find no installation and end."""
    repositories = services.installations.repositories(delivery.installation_id)
    _forget_files(services, (*(repository.full_name for repository in repositories), f"{delivery.account}/.github"))
    services.installations.remove(delivery.installation_id)


def _forget_files(services: Services, repositories: Iterable[str]) -> None:
    """The policies and issue templates that were read there."""
    for name in repositories:
        services.policies.forget(name)
        services.templates.forget(name)


HANDLER = DeliveryHandler(
    "installation", frozenset({"installation", "installation_repositories"}), handle=_handle, of_repository=False
)
