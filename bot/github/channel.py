"""Calls under one credential: paced, repeated where that is safe, answered with data or a `GitHubError`.

Writes are a little apart, and nothing is sent while GitHub asks for patience. Each installation has its own `Pace`, so
waiting for one never holds up another's calls. A wait longer than `patience` is not slept through here: it raises
`RateLimited`, so that a workflow can sleep durably and leave its thread to others.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from bot.github.errors import RateLimited, Rejected, Unauthorized, Unavailable, error_for
from bot.github.graphql import as_rest
from bot.github.rate_limit import LIMITED, LIMITS, REQUESTS
from bot.github.transport import HttpAnswer, Transport
from bot.telemetry import traces

TRIES = 4
SECONDARY_WAIT = 60.0  # seconds, where GitHub asks for patience without saying how much
LONGEST_RESET = 3600.0  # seconds: GitHub counts by the hour, so it is this machine's clock that says more
MOST_PAGES = 100

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as three functions, so that hours pass in a test at once. All in seconds."""

    wall: Callable[[], float] = time.time
    ticks: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Pace:
    """Thread-safe. gap: the least seconds between two writes. patience: the most seconds one call may wait here."""

    def __init__(self, gap: float, patience: float, clock: Clock | None = None) -> None:
        self._gap = gap
        self._patience = patience
        self.clock = clock or Clock()
        self._lock = threading.Lock()
        self._next_write = self._blocked_until = self.clock.ticks()

    def wait_for_turn(self, *, write: bool) -> None:
        """Reserve the next free moment, then sleep until it comes. Raises `RateLimited` when that takes too long."""
        with self._lock:
            now = self.clock.ticks()
            start = max(now, self._blocked_until, self._next_write if write else now)
            wait = start - now
            if wait > self._patience:
                raise RateLimited(f"GitHub asks for patience: {wait:.0f} more seconds", 0, wait)
            if write:
                self._next_write = start + self._gap
        if wait > 0:
            self.clock.sleep(wait)

    def block(self, seconds: float) -> None:
        """No call before so many seconds from now."""
        with self._lock:
            self._blocked_until = max(self._blocked_until, self.clock.ticks() + seconds)


class Credential(Protocol):
    """What goes into the Authorization header."""

    def header(self) -> str: ...

    def forget(self) -> bool:
        """GitHub refused it. Whether a fresh one may be tried."""
        ...


class StaticToken:
    """A token as somebody made it in GitHub's settings, or has it in a job. Without one GitHub answers as it answers
    anybody: 60 calls an hour of each address."""

    def __init__(self, token: str = "") -> None:
        self._token = token

    def header(self) -> str:
        return f"Bearer {self._token}" if self._token else ""

    def forget(self) -> bool:
        return False


class Channel:
    """One credential's way to GitHub. Thread-safe; waits concern this channel alone."""

    def __init__(self, transport: Transport, credential: Credential, pace: Pace) -> None:
        self._transport = transport
        self.credential = credential
        self._pace = pace
        self._clock = pace.clock

    def call(
        self,
        method: str,
        path: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        repeatable: bool | None = None,
        paced: bool | None = None,
    ) -> HttpAnswer:
        """The answer, 2xx, 304, or 302 with where else to go. Raises a `GitHubError`.

        repeatable: doing it twice is the same as doing it once; so is every method but POST. Only then a call is
            repeated after a lost connection or a 5xx. What certainly was not carried out (no connection, rate limit,
            refused token) is always tried again.
        paced: keep the least time between writes; everything but GET does.
        """
        repeatable = method != "POST" if repeatable is None else repeatable
        paced = method != "GET" if paced is None else paced
        fresh = False
        for attempt in range(TRIES):
            self._pace.wait_for_turn(write=paced)
            last = attempt == TRIES - 1
            try:
                authorization = self.credential.header()
                answer = self._sent(method, path, authorization, parameters=parameters, headers=headers, body=body)
                if path == self._transport.graphql_url:
                    answer = as_rest(answer)
                self._heed(answer)
                if answer.status < 300 or answer.status in (302, 304):
                    return answer
                raise self._error(method, path, answer)
            except Unauthorized:
                if last or fresh or not self.credential.forget():
                    raise
                fresh = True
            except RateLimited as limit:
                if last:
                    raise
                log.info("GitHub's rate limit: waiting %.0f seconds", limit.retry_after)
            except Unavailable as error:
                if last or (error.maybe_done and not repeatable):
                    raise
                self._clock.sleep(0.5 * 2**attempt)
        raise AssertionError("unreachable")

    def _sent(self, method: str, path: str, authorization: str, **given: Any) -> HttpAnswer:
        try:
            with traces.span("GitHub call", method=method):
                answer = self._transport.send(method, path, authorization, **given)
                traces.tell(status=answer.status)
        except Unavailable:
            REQUESTS.labels("none").inc()
            raise
        REQUESTS.labels(f"{answer.status // 100}xx").inc()
        LIMITS.record(self, answer.headers)
        return answer

    def query(self, query: str, variables: Mapping[str, Any]) -> Any:
        """The data a GraphQL query asks for. It changes nothing, so it is repeated and not paced like a write."""
        body = {"query": query, "variables": dict(variables)}
        answer = self.call("POST", self._transport.graphql_url, body=body, repeatable=True, paced=False)
        return answer.data["data"]

    def location(self, path: str) -> str:
        """Where something is kept beside the API; the address is good for a short time, for whoever has it."""
        found = str(self.call("GET", path).headers.get("location", ""))
        if urlsplit(found).scheme not in ("https", urlsplit(self._transport.graphql_url).scheme):
            raise Rejected(f"GET {path}: it is kept nowhere that can be trusted")
        return found

    def pages(
        self, path: str, *, parameters: Mapping[str, Any] | None = None, key: str = "", most: int = MOST_PAGES
    ) -> Iterator[Any]:
        """All items of a list, page by page. key: where the list lies in an object that wraps it. most: so many pages
        of 100."""
        answer = self.call("GET", path, parameters={"per_page": 100, **(parameters or {})})
        for _ in range(most):
            yield from answer.data[key] if key else answer.data
            following = _next(answer.headers.get("link", ""))
            if not following:
                return
            answer = self.call("GET", following)
        log.warning("stopped reading a list at GitHub after %d pages", most)

    def _heed(self, answer: HttpAnswer) -> None:
        """Hold back this channel's calls as GitHub's headers ask."""
        if _is_rate_limit(answer):
            LIMITED.inc()
            self._pace.block(self._patience_asked(answer))
        elif (
            answer.headers.get("x-ratelimit-remaining") == "0"
            and answer.headers.get("x-ratelimit-resource") != "search"
        ):
            self._pace.block(self._until_reset(answer))  # searches are counted apart, and hold back nothing else

    def _patience_asked(self, answer: HttpAnswer) -> float:
        asked = answer.headers.get("retry-after", "")
        if asked.isdigit():
            return float(asked)
        if answer.headers.get("x-ratelimit-remaining") == "0":
            return self._until_reset(answer)
        return SECONDARY_WAIT

    def _until_reset(self, answer: HttpAnswer) -> float:
        reset = answer.headers.get("x-ratelimit-reset", "")
        if not reset.isdigit():
            return SECONDARY_WAIT
        return (
            min(max(0.0, float(reset) - self._clock.wall()), LONGEST_RESET) + 1
        )  # it may happen anywhere within that second

    def _error(self, method: str, path: str, answer: HttpAnswer) -> Exception:
        what = f"{method} {urlsplit(path).path}: {answer.status}"
        message = f"{what} {answer.message}".rstrip()
        if _is_rate_limit(answer):
            return RateLimited(message, answer.status, self._patience_asked(answer))
        if answer.status >= 500:
            return Unavailable(message, answer.status, maybe_done=True)
        return error_for(answer.status, message)


def _is_rate_limit(answer: HttpAnswer) -> bool:
    if answer.status == 429:
        return True
    exhausted = answer.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in answer.headers
    return answer.status == 403 and (exhausted or "rate limit" in answer.message.lower())


def _next(link: str) -> str:
    """The address of the next page in a Link header."""
    for part in link.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return address.strip().strip("<>")
    return ""
