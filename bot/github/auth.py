"""The App's credentials: its own token, and one for each installation, renewed before it ends."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial
from typing import Any, cast

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from github.Auth import AppAuth

from bot.github.channel import Channel, Clock
from bot.github.errors import Forbidden, Gone, NotFound, NoToken, Rejected
from bot.settings import Settings, SettingsError

log = logging.getLogger(__name__)

RENEW_BEFORE = 300.0  # seconds before its end: longer than any one call may take


def read_private_key(settings: Settings) -> str:
    """The App's private key in PEM. Raises `SettingsError` with the mend; the key never appears in it."""
    if settings.private_key is not None and settings.private_key.get_secret_value().strip():
        source = "BOUNCER_PRIVATE_KEY"
        pem = settings.private_key.get_secret_value().replace("\\n", "\n")  # as one-line environment files hold it
    elif settings.private_key_path is not None:
        source = f"BOUNCER_PRIVATE_KEY_PATH ({settings.private_key_path})"
        try:
            pem = settings.private_key_path.read_text("ascii")
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise SettingsError(
                f"{source} cannot be read: {reason}. Point it at the .pem file downloaded from the App's settings page."
            ) from None
        except UnicodeDecodeError:
            raise SettingsError(f"{source} is not a PEM file. {_MEND}") from None
    else:
        raise SettingsError(
            "The App's private key is missing. Set BOUNCER_PRIVATE_KEY_PATH to the .pem file downloaded from the App's "
            "settings page, or BOUNCER_PRIVATE_KEY to its text."
        )
    check_private_key(pem, source)
    return pem


def check_private_key(pem: str, source: str) -> None:
    """Raises `SettingsError` unless it is an App's private key; it says of `source` what is wrong with it."""
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except TypeError:
        raise SettingsError(f"{source} is protected by a passphrase; give the key without one.") from None
    except (ValueError, UnsupportedAlgorithm):
        raise SettingsError(f"{source} contains no private key. {_MEND}") from None
    if not isinstance(key, RSAPrivateKey):
        raise SettingsError(f"{source} is not an RSA key. {_MEND}")


_MEND = "Use the whole .pem file downloaded from the App's settings page, from BEGIN to END."


class AppToken:
    """The App itself: a short-lived token of PyGithub's making, signed with its key, made anew for every call."""

    def __init__(self, app_id: int, private_key: str, read_again: Callable[[], str] | None = None) -> None:
        """private_key: as `read_private_key` gave it. read_again: gives it as it is now, once GitHub refused it; raises
        `SettingsError`."""
        self._app_id, self._key, self._read_again = app_id, private_key, read_again
        self._auth = _auth(app_id, private_key)
        self._lock = threading.Lock()
        self.refusals = 0  # how often GitHub did not take the key

    def header(self) -> str:
        return f"Bearer {self._auth.token}"

    def forget(self) -> bool:
        """Read the key again: it may have been replaced while this process runs. True also where another thread has
        done so since; one more try costs one call."""
        self.refusals += 1
        if self._read_again is None:
            return False
        with self._lock:
            try:
                key = self._read_again()
            except SettingsError as error:
                log.warning("GitHub refuses the App's key, and there is no other one: %s", error)
                return False
            if key != self._key:
                self._key, self._auth = key, _auth(self._app_id, key)
                log.info("GitHub refused the App's key; a new one was read")
        return True


def _auth(app_id: int, private_key: str) -> AppAuth:
    """PyGithub's, with a key that is read once: reading it also tries whether its numbers are primes, which takes 80
    times as long as signing."""
    return AppAuth(app_id, cast(Any, cache(partial(load_pem_private_key, private_key.encode(), None))))


class InstallationToken:
    """One installation's token, fetched when needed and shared by all threads."""

    def __init__(self, app: Channel, installation_id: int, clock: Clock) -> None:
        self._app = app
        self._path = f"/app/installations/{installation_id}/access_tokens"
        self._clock = clock
        self._lock = threading.Lock()
        self._token = ""
        self._renew_at = 0.0

    def header(self) -> str:
        """Raises a `GitHubError`: `NoToken` where GitHub gives none, as after the App was uninstalled."""
        with self._lock:  # held while fetching: the others would only fetch another one
            if not self._token or self._clock.wall() >= self._renew_at:
                data = self._fetch()
                self._token = data["token"]
                self._renew_at = datetime.fromisoformat(data["expires_at"]).timestamp() - RENEW_BEFORE
            return f"token {self._token}"

    def _fetch(self) -> Any:
        try:
            return self._app.call("POST", self._path, repeatable=True, paced=False).data
        except NotFound:
            raise NoToken("the App is not installed there any more", 404) from None
        except (Forbidden, Gone, Rejected) as error:
            raise NoToken(str(error), error.status) from None

    def forget(self) -> bool:
        """GitHub refused it, so it was revoked or its permissions changed: another one may be fetched."""
        with self._lock:
            self._token = ""
        return True
