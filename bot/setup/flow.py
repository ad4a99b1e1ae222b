"""Setting up, without pages. Who may: whoever reads the console, once, and not for long. And its steps: where the App
is to be, its credentials, and where they are kept."""

import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hmac import compare_digest
from urllib.parse import urlsplit

from bot.errors import PlainError
from bot.github.auth import check_private_key
from bot.github.registration import (
    DOTCOM,
    ORGANIZATION,
    AppCredentials,
    ManifestError,
    api_url_of,
    convert,
    out_of_reach,
    take_over,
)
from bot.settings import Settings, web_address

LIFETIME = 30 * 60.0  # seconds
MOST_TRIES = 10


class Guard:
    """A token that is printed and taken once, for a session that one browser keeps. Thread-safe.

    clock: seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(24)
        self.state = secrets.token_urlsafe(24)  # GitHub brings it back with the code
        self.form_mark = secrets.token_urlsafe(24)  # forms of these pages bring it along
        self._clock, self._ends = clock, clock() + LIFETIME
        self._session = ""
        self._wrong = 0
        self._lock = threading.Lock()

    @property
    def over(self) -> bool:
        """Whether its time has come: then nobody is let in, and who was in is no more."""
        return self._clock() >= self._ends

    def admit(self, token: str) -> str:
        """The new session of whoever brings the token first; empty for everybody else. Ten wrong ones end it."""
        with self._lock:
            if self.over or self._session or self._wrong >= MOST_TRIES:
                return ""
            if not compare_digest(token.encode(), self.token.encode()):
                self._wrong += 1
                return ""
            self._session = secrets.token_urlsafe(32)
            return self._session

    def knows(self, session: str) -> bool:
        """Whether it is the session that was let in."""
        with self._lock:
            return not self.over and bool(self._session) and compare_digest(session.encode(), self._session.encode())

    def refusal(self) -> str:
        """Why a token is not taken, with the mend, in words that tell a stranger nothing of use."""
        with self._lock:
            if self.over:
                return "The time for setting up is over."
            if self._wrong >= MOST_TRIES:
                return "There were too many wrong tries."
            if self._session:
                return "The link was opened already, in another browser."
        return "This needs the link that the console shows."


def invitation(guard: Guard, address: str) -> str:
    """What the console says: the link, and for how long."""
    minutes = round(LIFETIME / 60)
    return f"Set Bouncer up within {minutes} minutes: {address.rstrip('/')}/setup?token={guard.token}"


class SetupError(PlainError):
    """What was given cannot be used. The message says the mend."""


@dataclass(frozen=True, slots=True)
class AppPlace:
    """public_url: where GitHub and people reach this server; empty while nobody has said. web_url, api_url: of the
    GitHub. organization: who will own the App; empty for the person who is signed in there."""

    public_url: str
    web_url: str
    api_url: str
    organization: str = ""

    @property
    def warning(self) -> str:
        """What will not work, though it may be meant so."""
        if self.public_url and self.web_url == DOTCOM and out_of_reach(self.public_url):
            host = urlsplit(self.public_url).netloc
            return f"github.com cannot reach {host}. For a trial at home use a tunnel, and give its address."
        return ""

    def environment(self) -> dict[str, str]:
        """The variables for it."""
        of_github = {"BOUNCER_GITHUB_WEB_URL": self.web_url, "BOUNCER_GITHUB_API_URL": self.api_url}
        return {"BOUNCER_PUBLIC_URL": self.public_url, **(of_github if self.web_url != DOTCOM else {})}


class SetupFlow:
    """What has been done so far. `keep` stores the variables of an App; it raises `SettingsError` where it cannot."""

    def __init__(self, settings: Settings, keep: Callable[[AppCredentials, Mapping[str, str]], None]) -> None:
        self.place = AppPlace(settings.public_url, settings.github_web_url, settings.github_api_url)
        self.fixed_address = bool(settings.public_url)  # the environment would beat what is given here
        self._fixed_github = settings.github_web_url != DOTCOM
        self._keep = keep
        self.credentials: AppCredentials | None = None
        self.finished = threading.Event()
        self._turn = threading.Lock()  # whoever presses a button twice asks twice at once

    @property
    def has_app(self) -> bool:
        """Whether there is an App whose credentials are stored."""
        return self.finished.is_set()

    def choose(self, public_url: str, web_url: str, organization: str) -> None:
        """Raises SetupError, and then nothing has changed."""
        place = self.place
        if organization and not ORGANIZATION.fullmatch(organization):
            raise SetupError("An organisation's name has letters, digits and single hyphens, e.g. acme.")
        if not self.fixed_address:
            place = replace(place, public_url=_base(public_url, "this server", "https://bouncer.example.com"))
        web_url = _base(web_url or place.web_url, "GitHub", DOTCOM)
        if web_url != place.web_url and not self._fixed_github:
            place = replace(place, web_url=web_url, api_url=api_url_of(web_url))
        self.place = replace(place, organization=organization)

    def convert_code(self, code: str) -> None:
        """Change the code for the credentials and keep them. Raises ManifestError, or SettingsError: then `save` may be
        tried again, for GitHub gives them only once."""
        with self._turn:
            if self.credentials is None:
                self.credentials = convert(self.place.api_url, code)
            self._save()

    def take_over(self, app_id: str, private_key: str) -> None:
        """Use an App that exists, unless one is kept already. Raises SetupError, ManifestError or SettingsError."""
        if not re.fullmatch(r"[1-9]\d{0,15}", app_id.strip()):
            raise SetupError("The App ID is the number on the App's settings page.")
        if not self.place.public_url:
            raise SetupError("Say first where GitHub reaches this server.")
        pem = private_key.replace("\r\n", "\n").strip() + "\n"
        check_private_key(pem, "The private key")
        with self._turn:
            if not self.has_app:
                self.credentials = take_over(self.place.api_url, int(app_id), pem, self.place.public_url)
            self._save()

    def save(self) -> None:
        """Keep what GitHub gave. Raises SettingsError, or ManifestError where there is nothing yet."""
        with self._turn:
            self._save()

    def _save(self) -> None:
        if self.has_app:
            return
        if self.credentials is None:
            raise ManifestError("There is no App yet. Begin again from the first page.")
        self._keep(self.credentials, {**self.credentials.environment(), **self.place.environment()})
        self.finished.set()


def _base(address: str, whose: str, example: str) -> str:
    """Without what follows the host. Raises SetupError."""
    try:
        parts = urlsplit(web_address(address.strip(), example))
    except ValueError:
        raise SetupError(f"Give the address of {whose}, e.g. {example}") from None
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise SetupError(f"Give the address of {whose} alone, e.g. {example}, without a path.")
    return f"{parts.scheme}://{parts.netloc}"
