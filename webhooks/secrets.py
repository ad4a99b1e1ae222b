"""Is this really GitHub? The HMAC SHA-256 of the raw body, compared in constant time, before anything is parsed. The
secrets that count are those of the settings, and as the settings file has them once they were changed there."""

import hashlib
import hmac
import logging
import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import SecretStr

from bot.settings import NO_APP, Settings, SettingsError, with_new_secrets
from bot.telemetry import logs

HEADER = "X-Hub-Signature-256"
SHORTEST_SECRET = 16  # characters
BETWEEN_LOOKS = 1.0  # seconds between two looks into the file: anybody can send a wrong signature

_FORM = re.compile(r"sha256=[0-9a-f]{64}")

Found = TypeVar("Found")
log = logging.getLogger("bouncer.webhook")


def is_well_formed(signature: str) -> bool:
    """Whether a header could be a signature at all; worth knowing before a body is read."""
    return _FORM.fullmatch(signature) is not None


def is_genuine(signature: str, body: bytes, secrets: Sequence[bytes]) -> bool:
    """Whether one of the secrets made this signature of this body. Every secret is tried, whichever fits."""
    fits = [hmac.compare_digest(sign(body, secret).encode(), signature.encode()) for secret in secrets]
    return any(fits)


def sign(body: bytes, secret: bytes) -> str:
    """The header GitHub sends with this body."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def webhook_secrets(settings: Settings) -> tuple[bytes, ...]:
    """The current secret and, during a rotation, the previous one. Raises SettingsError without a current one."""
    current = _secret(settings.webhook_secret)
    if not settings.has_app:
        raise SettingsError(NO_APP)
    if not current:
        raise SettingsError(
            "BOUNCER_WEBHOOK_SECRET is not set. Make one with `openssl rand -hex 32`, and enter the same in the App's "
            "settings on GitHub; without it Bouncer could not tell GitHub from anybody else."
        )
    secrets = tuple(secret for secret in (current, _secret(settings.webhook_secret_previous)) if secret)
    if min(map(len, secrets)) < SHORTEST_SECRET:
        log.warning("a webhook secret is shorter than %d characters; use `openssl rand -hex 32`", SHORTEST_SECRET)
    return secrets


class Signatures:
    """Thread-safe."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises SettingsError without a current secret."""
        self._settings, self._clock = settings, clock
        self._secrets = webhook_secrets(settings)
        self._lock = threading.Lock()
        self._looked = clock()

    def fit(self, signature: str, body: bytes) -> bool:
        """Whether GitHub made this signature. Where the current secret did not, the file may have been changed
        meanwhile: it may have a new one, and no previous one any more."""
        if is_genuine(signature, body, self._secrets[:1]):
            return True
        self._look_again()
        return is_genuine(signature, body, self._secrets)

    def _look_again(self) -> None:
        with self._lock:
            now = self._clock()
            if now - self._looked < BETWEEN_LOOKS:
                return
            self._looked = now
            if read := read_again(self._settings, webhook_secrets, self._secrets, "webhook secret"):
                self._settings, self._secrets = read


def read_again(
    settings: Settings, made: Callable[[Settings], Found], before: Found, what: str
) -> tuple[Settings, Found] | None:
    """The settings with the secrets as the settings file has them now, and what is made of them; `None` where the file
    cannot be read, or nothing is made. before: what was made of them until now. what: it is, for the log."""
    try:
        settings = with_new_secrets(settings)
        found = made(settings)
    except SettingsError as error:
        log.warning("the settings file cannot be read again: %s", error)
        return None
    if found and found != before:
        logs.set_up(settings)  # so that it hides the new one too
        log.info("the %s was changed in the settings file", what)
    return (settings, found) if found else None


def _secret(value: SecretStr | None) -> bytes:
    return value.get_secret_value().encode() if value else b""
