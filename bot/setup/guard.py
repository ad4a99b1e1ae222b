"""Who may set Bouncer up: whoever reads the console, once, and not for long."""

import secrets
import threading
import time
from collections.abc import Callable
from hmac import compare_digest

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
