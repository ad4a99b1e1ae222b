"""The GitHub App: who it is, where it is installed, which deliveries it missed."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from bot.github.auth import AppToken, InstallationToken, read_private_key
from bot.github.channel import Channel, Clock, Credential, Pace
from bot.github.client import RepositoryClient
from bot.github.deliveries import HookDelivery
from bot.github.payloads import to_delivery, to_installation, to_repository
from bot.github.transport import Transport
from bot.github.values import Installation, Repository
from bot.settings import NO_APP, Settings, SettingsError, with_new_secrets

PATIENCE = 10.0  # seconds a call may wait in its thread; see bot/github/channel.py
# Of 100. After an outage the oldest attempts, which GitHub forgets first, are on the last page of its log; and a
# repository that is not listed counts as one that the App reaches no more.
MOST_LONG_PAGES = 1000


class GitHubApp:
    """Thread-safe; one for each process. Every method that talks to GitHub raises `bot.github.errors.GitHubError`."""

    def __init__(
        self,
        app_id: int,
        private_key: str,
        api_url: str,
        *,
        seconds_between_writes: float,
        patience: float = PATIENCE,
        clock: Clock | None = None,
        read_key_again: Callable[[], str] | None = None,
    ) -> None:
        """private_key: PEM. api_url: GitHub's REST address. The other numbers are seconds. read_key_again: gives the
        key as it is now, once GitHub refused the one it had."""
        self.id = app_id
        self._gap = seconds_between_writes
        self._patience = patience
        self._clock = clock or Clock()
        self._transport = Transport(api_url)
        self._token = AppToken(app_id, private_key, read_key_again)
        self._own = self._channel(self._token)
        self._lock = threading.Lock()
        self._installations: dict[int, Channel] = {}
        self._slug = ""

    @classmethod
    def from_settings(
        cls, settings: Settings, *, patience: float = PATIENCE, clock: Clock | None = None
    ) -> "GitHubApp":
        """Raises `SettingsError`, with the mend, when the App's id or key cannot be used. Asks GitHub nothing."""
        if not settings.has_app:
            raise SettingsError(NO_APP)
        if settings.app_id is None:
            raise SettingsError("Set BOUNCER_APP_ID to the number on the App's settings page.")
        address = urlsplit(settings.github_api_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError("BOUNCER_GITHUB_API_URL must look like https://HOST/api/v3 or https://api.github.com.")
        return cls(
            settings.app_id,
            read_private_key(settings),
            settings.github_api_url,
            seconds_between_writes=settings.seconds_between_writes,
            patience=patience,
            clock=clock,
            read_key_again=lambda: read_private_key(with_new_secrets(settings)),
        )

    @property
    def slug(self) -> str:
        """The App's name in addresses; its comments are by `<slug>[bot]`. Asked once."""
        if not self._slug:
            self._slug = str(self._own.call("GET", "/app").data["slug"])
        return self._slug

    @property
    def refusals(self) -> int:
        """How often GitHub refused the App's key in this process."""
        return self._token.refusals

    def repository(self, installation_id: int, repository: Repository) -> RepositoryClient:
        """What Bouncer does in one repository, as this installation."""
        return RepositoryClient(self._installed(installation_id), repository, self.id, lambda: f"{self.slug}[bot]")

    def credential(self, installation_id: int) -> Credential:
        """What opens this installation's repositories to git."""
        return self._installed(installation_id).credential

    def installations(self) -> tuple[Installation, ...]:
        """All accounts that installed the App."""
        return tuple(to_installation(item) for item in self._own.pages("/app/installations"))

    def installation_repositories(self, installation_id: int) -> tuple[Repository, ...]:
        """The repositories an installation covers."""
        channel = self._installed(installation_id)
        pages = channel.pages("/installation/repositories", key="repositories", most=MOST_LONG_PAGES)
        return tuple(to_repository(item) for item in pages)

    def deliveries(self, since: datetime) -> tuple[HookDelivery, ...]:
        """The delivery log from then on, newest first; GitHub keeps three days. `since` is an aware time."""
        found = []
        for item in self._own.pages("/app/hook/deliveries", most=MOST_LONG_PAGES):
            delivery = to_delivery(item)
            if datetime.fromisoformat(delivery.delivered_at).astimezone(UTC) < since:
                break
            found.append(delivery)
        return tuple(found)

    def redeliver(self, delivery_id: int) -> None:
        """Ask GitHub to send a delivery again, under the same GUID."""
        self._own.call("POST", f"/app/hook/deliveries/{delivery_id}/attempts", repeatable=True)

    def _channel(self, credential: AppToken | InstallationToken) -> Channel:
        return Channel(self._transport, credential, Pace(self._gap, self._patience, self._clock))

    def _installed(self, installation_id: int) -> Channel:
        with self._lock:
            if installation_id not in self._installations:
                token = InstallationToken(self._own, installation_id, self._clock)
                self._installations[installation_id] = self._channel(token)
            return self._installations[installation_id]
