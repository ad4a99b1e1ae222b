"""One question to an OpenAI-compatible endpoint, bounded in time, size, attempts and money."""

import json
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, DefaultHttpxClient, OpenAI, Timeout

from bot.judges.openai.completion import Completion, NoAnswer, ToolRequest, parse, text_of
from bot.judges.openai.dialect import KEY_WORDS, Dialect, mentions, other_cap, plain_body, question_body, simpler
from bot.judges.openai.spend import Purse, prices
from bot.settings import Settings
from bot.verdicts import Usage

MAX_BODY = 1_000_000  # bytes of one response
MAX_TRIES = 3  # of one question, for what may pass: rate limits, failing servers, lost connections
CONNECT = 10.0  # seconds to reach the endpoint at all
MAX_WAIT = 30.0  # seconds between two tries

log = logging.getLogger(__name__)

# Found out once a process, by address and model.
_dialects: dict[tuple[str, str], Dialect] = {}
_watch: ContextVar[Callable[[str, Mapping[str, Any]], None]] = ContextVar("_watch")


def _watch_connection(request: httpx2.Request) -> None:
    """The call that sends this request learns of the connection that is made for it."""
    request.extensions["trace"] = _watch.get()


@contextmanager
def _cut_off(seconds: float) -> Iterator[None]:
    """Ends the connections that are made meanwhile, after so long. Between two reads a server keeps within every limit
    that says again and again that it will go on (`100 Continue`), or sends a header a byte at a time."""
    sockets: list[socket.socket] = []

    def note(event: str, known: Mapping[str, Any]) -> None:
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            sockets.append(known["return_value"].get_extra_info("socket"))

    def end() -> None:
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    before = _watch.set(note)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _watch.reset(before)


@cache
def _trust() -> ssl.SSLContext:
    """Read once a process: the certificates take longer to read than everything else of a client."""
    return httpx2.create_ssl_context()


class Endpoint:
    """The model named by the settings. Safe for threads."""

    def __init__(
        self,
        settings: Settings,
        purse: Purse,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._purse = purse
        self._clock = clock
        self._sleep = sleep
        self._prices = prices(settings)
        self._key = settings.model_api_key.get_secret_value() if settings.model_api_key else ""
        self._client = OpenAI(
            # Never None: the SDK would take a key from OPENAI_API_KEY and send it to an address it was not meant for.
            api_key=self._key or "no-key",
            base_url=settings.model_base_url,
            max_retries=0,
            http_client=DefaultHttpxClient(
                follow_redirects=False,  # a redirect would send the question to an address nobody configured
                verify=_trust(),
                # A connection for each call, which can be cut off without harm to another call.
                limits=httpx2.Limits(max_keepalive_connections=0),
                event_hooks={"request": [_watch_connection]},
            ),
        )

    @property
    def host(self) -> str:
        """Where questions go, without path, user or password."""
        return urlsplit(self._settings.model_base_url).hostname or "the model endpoint"

    def deadline(self) -> float:
        """When a judgement that starts now must be over: one full answer and one repair."""
        return self._clock() + 2 * self._settings.model_timeout

    def ask(
        self,
        messages: Sequence[Mapping[str, str]],
        schema: Mapping[str, Any],
        deadline: float,
        paid: Callable[[Usage], None],
    ) -> str:
        """The answer's text, of whatever shape. `paid` is told the usage of every call that was made.

        Raises NoAnswer, CutOff or CeilingReached.
        """

        def body(dialect: Dialect) -> dict[str, Any]:
            return question_body(self._settings, messages, schema, dialect)

        completion, dialect = self._tried(body, len(json.dumps(schema)), simpler, deadline, paid)
        text = text_of(completion)
        self._dialect = replace(dialect, proven=True)
        return text

    def turn(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        deadline: float,
        paid: Callable[[Usage], None],
    ) -> list[ToolRequest]:
        """What it calls next in a conversation in which it may call tools; nothing ends it. Raises as `ask` does."""

        def body(dialect: Dialect) -> dict[str, Any]:
            functions = [{"type": "function", "function": dict(tool)} for tool in tools]
            return {**plain_body(self._settings, messages, dialect), "tools": functions}

        completion, _ = self._tried(body, len(json.dumps(list(tools))), other_cap, deadline, paid)
        calls = completion.choices[0].message.tool_calls or []
        if not calls:
            text_of(completion)
        return calls

    def _tried(
        self,
        body: Callable[[Dialect], dict[str, Any]],
        beside: int,
        simpler: Callable[[Dialect, APIStatusError], Dialect | None],
        deadline: float,
        paid: Callable[[Usage], None],
    ) -> tuple[Completion, Dialect]:
        """What came back, and the dialect it was asked in. beside: characters sent beside the messages."""
        if (self._settings.model_spend_per_day or self._settings.model_own_spend_per_day) and not self._prices.known:
            mend = f"see {self._settings.where('model_price_in')} and {self._settings.where('model_price_out')}"
            raise NoAnswer(f"a spend ceiling means nothing without token prices: {mend}", retry=False)
        tries = 1
        while True:
            dialect = self._dialect
            try:
                return self._call(body(dialect), beside, deadline, paid), dialect
            except APIStatusError as error:
                if other := simpler(dialect, error):
                    self._dialect = other
                    continue
                problem, wait = self._explain(error), _wait(error, tries)
            except APITimeoutError:
                raise self._too_slow() from None
            except APIConnectionError:
                problem = NoAnswer(f"the model endpoint {self.host} could not be reached", retry=True)
                wait = _pause(tries)
            if not problem.retry or wait is None or tries == MAX_TRIES or self._clock() + wait >= deadline:
                raise problem
            log.info("model endpoint failed (%s), trying again in %.1f s", problem.reason, wait)
            self._sleep(wait)
            tries += 1

    @property
    def _dialect(self) -> Dialect:
        return _dialects.get((self._settings.model_base_url, self._settings.model), Dialect())

    @_dialect.setter
    def _dialect(self, dialect: Dialect) -> None:
        _dialects[self._settings.model_base_url, self._settings.model] = dialect

    def _call(self, body: dict[str, Any], beside: int, deadline: float, paid: Callable[[Usage], None]) -> Completion:
        """One HTTP call. Once the request is out it counts at its worst cost, until the endpoint says better."""
        size = sum(_bytes_of(message) for message in body["messages"]) + beside
        worst = self._prices.usage(size // 2 + 200, self._settings.model_max_tokens)
        until = min(deadline, self._clock() + self._settings.model_timeout)
        if until <= self._clock():
            raise self._too_slow()
        with self._purse.call(worst) as charge:
            try:
                raw = self._post(body, until)
            except (APIConnectionError, NoAnswer) as error:
                if not isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout):
                    charge.usage = worst
                    paid(worst)
                    if self._clock() > until:
                        raise self._too_slow() from None
                raise
            completion = parse(raw)
            charge.usage = self._usage(completion, size, len(raw)) if completion else worst
            paid(charge.usage)
        if completion is None:
            raise self._explain_body(raw)
        return completion

    def _post(self, body: dict[str, Any], until: float) -> bytes:
        """The response's bytes, read with a size limit and to a deadline that a trickle of bytes cannot push back."""
        remaining = until - self._clock()
        create = self._client.chat.completions.with_streaming_response.create
        raw = bytearray()
        timeout = Timeout(remaining, connect=min(CONNECT, remaining))
        try:
            with _cut_off(remaining), create(**body, timeout=timeout) as response:
                for chunk in response.iter_bytes():
                    raw += chunk
                    if len(raw) > MAX_BODY:
                        raise NoAnswer(f"the model endpoint {self.host} sent far too much", retry=False)
        except httpx2.TimeoutException:
            raise self._too_slow() from None
        except httpx2.HTTPError:
            raise NoAnswer(f"the model endpoint {self.host} broke off its answer", retry=True) from None
        if self._clock() > until:  # an answer that was cut off may look complete
            raise self._too_slow()
        return bytes(raw)

    def _usage(self, completion: Completion, size: int, received: int) -> Usage:
        """What the endpoint counted; else about four bytes a token."""
        counted = completion.usage
        if counted and (counted.prompt_tokens > 0 or counted.completion_tokens > 0):
            return self._prices.usage(max(0, counted.prompt_tokens), max(0, counted.completion_tokens))
        return self._prices.usage(size // 4, min(received // 4, self._settings.model_max_tokens))

    def _too_slow(self) -> NoAnswer:
        return NoAnswer(f"the model did not answer within {self._settings.model_timeout:g} seconds", retry=True)

    def _explain(self, error: APIStatusError) -> NoAnswer:
        """Our own words for a failing status. The endpoint's message stays out: it may quote the key or the report."""
        status, model, host, where = error.status_code, self._settings.model, self.host, self._settings.where
        if status in (401, 403) or mentions(error, *KEY_WORDS):
            return NoAnswer(
                f"the model endpoint {host} refuses the key ({status}): see {where('model_api_key')}", retry=False
            )
        if status == 404:
            mend = f"see {where('model')} and {where('model_base_url')}"
            return NoAnswer(f"the model endpoint {host} does not know the model {model} (404): {mend}", retry=False)
        if status == 402 or mentions(error, "insufficient_quota"):
            return NoAnswer(f"the account at {host} has no credit left ({status})", retry=False)
        if status == 429:
            return NoAnswer(f"the model endpoint {host} limits the rate of calls (429)", retry=True)
        if status in (400, 413, 422):
            if mentions(error, "context_length", "context length", "context size", "too long", "maximum context"):
                return NoAnswer(f"the question is too long for {model}", retry=False)
            if mentions(error, "content_filter", "content_policy", "content management policy"):
                return NoAnswer("the model's content filter refused the question", retry=False)
            for word, setting in (("temperature", "model_temperature"), ("reasoning", "model_effort")):
                if mentions(error, word):
                    return NoAnswer(f"the model refuses the {word} it was given: see {where(setting)}", retry=False)
            return NoAnswer(f"the model endpoint {host} refuses the question ({status})", retry=False)
        return NoAnswer(f"the model endpoint {host} failed ({status})", retry=status in (408, 409) or status >= 500)

    def _explain_body(self, raw: bytes) -> NoAnswer:
        """Some endpoints report failures with status 200 and an `error` in the body."""
        if b'"error"' in raw[:2000]:
            return NoAnswer(f"the model endpoint {self.host} answered with an error", retry=True)
        mend = f"see {self._settings.where('model_base_url')}"
        return NoAnswer(f"what {self.host} sent is not a chat completion: {mend}", retry=True)


def _bytes_of(message: Mapping[str, Any]) -> int:
    calls = message.get("tool_calls")
    return len(message["content"].encode()) + (len(json.dumps(calls)) if calls else 0)


def _wait(error: APIStatusError, tries: int) -> float | None:
    """Seconds the endpoint asks for, else a growing pause; `None` when it asks for more than we wait."""
    try:
        asked = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return _pause(tries)
    return asked if 0 <= asked <= MAX_WAIT else None


def _pause(tries: int) -> float:
    return float(2 ** (tries - 1))
