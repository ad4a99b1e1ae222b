"""Who may see what: whoever GitHub shows a repository, asked with that person's own token, and nobody else."""

import logging
import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import NoReturn

from flask import Response, abort, render_template, request

from bot.github.errors import Forbidden, GitHubError, NotFound, Unauthorized
from bot.github.people import SignInApp, VisibleRepository
from bot.settings import Settings
from webhooks.session import Person, current_person, forget_person

SECONDS_SEEN, SECONDS_UNSEEN = 300.0, 60.0  # an answer of GitHub's counts: whoever loses a role sees nothing soon after
MOST_KEPT = 10_000
CALLBACK = "/login/callback"
_NEEDED = ("client_id", "client_secret", "public_url")
# The only places to go back to: pages of our own that need signing in, a dashboard with what was chosen there.
_FILTER = r"(?:days|door|decision|before|run)=[\w.:%+-]{0,200}"
_DASHBOARD = rf"/repositories/[\w.-]{{1,100}}/[\w.-]{{1,100}}(?:\?{_FILTER}(?:&{_FILTER}){{0,4}})?"
_OWN = re.compile(rf"/repositories|{_DASHBOARD}|/(?:verdicts|welcome)/[\w-]{{32}}", re.ASCII)

Seen = tuple[VisibleRepository, ...] | None
log = logging.getLogger("bouncer.access")


def sign_in_app(settings: Settings) -> SignInApp | None:
    """`None` while signing in is not switched on."""
    if unset(settings) or settings.client_secret is None:
        return None
    return SignInApp(
        web_url=settings.github_web_url,
        api_url=settings.github_api_url,
        client_id=settings.client_id,
        client_secret=settings.client_secret,
        redirect_uri=settings.public_url.rstrip("/") + CALLBACK,
    )


def unset(settings: Settings) -> tuple[str, ...]:
    """The settings that signing in still needs."""
    given = {name: getattr(settings, name) for name in _NEEDED}
    given["client_secret"] = settings.client_secret and settings.client_secret.get_secret_value()
    return tuple(f"BOUNCER_{name.upper()}" for name in _NEEDED if not given[name])


@dataclass(slots=True)
class RepositoryAccess:
    """What a request may see. app: `None` while signing in is not switched on, and another one once the client secret
    was changed; needed: what switching it on lacks."""

    app: SignInApp | None
    needed: tuple[str, ...] = ()
    _kept: OrderedDict[tuple[bytes, str], tuple[float, Seen]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def person(self) -> Person:
        """Who asks. Ends the request with a page that says how to sign in."""
        if self.app is None:
            refuse(
                f"Nobody can sign in here yet, so this page is not shown. Whoever runs this server switches that on "
                f"with {' and '.join(f'`{name}`' for name in self.needed)}.",
                403,
            )
        person = current_person()
        if person is None:
            refuse("Sign in with GitHub to see this page.", 403, sign_in=True)
        return person

    def require(self, repo_id: int, full_name: str) -> Person:
        """Whoever asks may see this repository, or the request ends. A name alone may be another's by now."""
        person = self.person()
        seen = self.repository(person, full_name)
        if seen is None or seen.id != repo_id:
            abort(404)
        return person

    def repository(self, person: Person, full_name: str) -> VisibleRepository | None:
        """One by its name, if GitHub shows it to this person."""
        app = self._app()
        found = self._asked(person, full_name.lower(), lambda: (app.repository(person.token, full_name),))
        return found[0] if found else None

    def repositories(self, person: Person) -> tuple[VisibleRepository, ...]:
        """Those with the App in which the person has a role."""
        app = self._app()
        return self._asked(person, "", lambda: tuple(app.repositories(person.token))) or ()

    def forget(self, person: Person) -> None:
        """Whoever has a copy of the cookie sees nothing here any more."""
        gone = _hashed(person)
        with self._lock:
            for key in [each for each in self._kept if each[0] == gone]:
                del self._kept[key]

    def _app(self) -> SignInApp:
        assert self.app is not None  # there is a person
        return self.app

    def _asked(self, person: Person, what: str, ask: Callable[[], Seen]) -> Seen:
        """What GitHub says, or said lately; `None` for what this person may not see."""
        key = (_hashed(person), what)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept[0] > monotonic():
            return kept[1]
        try:
            seen: Seen = ask()
        except Unauthorized:
            forget_person()
            refuse("GitHub no longer accepts this sign-in. Sign in again.", 403, sign_in=True)
        except (NotFound, Forbidden):
            seen = None
        except GitHubError as error:
            log.warning("GitHub did not say what somebody may see: %s", error)
            refuse("GitHub does not answer, so nobody can say what you may see. Try again in a minute.", 503)
        until = monotonic() + (SECONDS_UNSEEN if seen is None else SECONDS_SEEN)
        with self._lock:
            self._kept[key] = until, seen
            self._kept.move_to_end(key)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return seen


def own_path(wanted: str) -> str:
    """It, where it is a page of our own; else the list of repositories."""
    return wanted if _OWN.fullmatch(wanted) else "/repositories"


def _hashed(person: Person) -> bytes:
    return sha256(person.token.encode()).digest()


def refuse(sentence: str, status: int, *, sign_in: bool = False) -> NoReturn:
    """End the request with a page that says why, and, for `sign_in`, leads back here afterwards."""
    asked = request.full_path if request.query_string else request.path
    html = render_template("message.html", sentence=sentence, back=own_path(asked) if sign_in else "")
    response = Response(html, status)
    if status == 503:
        response.headers["Retry-After"] = "60"
    abort(response)
