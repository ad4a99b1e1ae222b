"""Models answer once: the same question to the same model with the same prompt is answered from a cache.

What is kept is the answer before any filter, so that a better filter needs no new answer. A cache that fails is one
that is empty.
"""

import hashlib
import json
import logging
from collections.abc import Callable
from typing import Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.judges.code import BlindJudge, Interface, SpecTest, TestWriter
from bot.judges.protocol import Answered, NoJudgement

T = TypeVar("T")

log = logging.getLogger(__name__)

_tests = TypeAdapter(tuple[SpecTest, ...])
_demand = TypeAdapter(SpecTest | None)


class Cache(Protocol):
    """Texts by key. The table in storage is one."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, text: str) -> None: ...


class CachedTestWriter:
    """A `TestWriter` that asks another one only what it has not asked before."""

    def __init__(self, writer: TestWriter, cache: Cache) -> None:
        self._writer = writer
        self._cache = cache
        self.name = writer.name

    def write(self, specification: str, interface: Interface) -> Answered[tuple[SpecTest, ...]] | NoJudgement:
        key = cache_key(specification, interface, self.name)
        return _once(self._cache, key, _tests, self.name, lambda: self._writer.write(specification, interface))


class CachedBlindJudge:
    """A `BlindJudge` that asks another one only what it has not asked before.

    place: among those that are asked the same. Each has an answer of its own, or one would agree with itself.
    """

    def __init__(self, judge: BlindJudge, cache: Cache, place: int) -> None:
        self._judge = judge
        self._cache = cache
        self._place = place
        self.name = judge.name

    def demands(self, specification: str, interface: Interface, call: str) -> Answered[SpecTest | None] | NoJudgement:
        key = cache_key(specification, interface, self.name, call, str(self._place))
        return _once(self._cache, key, _demand, self.name, lambda: self._judge.demands(specification, interface, call))


def cache_key(specification: str, interface: Interface, judge: str, *more: str) -> str:
    """Of all that is asked, and of the name of who is, which holds model, prompt and prompt version."""
    parts = [specification, interface.module, *interface.signatures, "", *interface.examples, "", judge, *more]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _once(
    cache: Cache, key: str, kind: TypeAdapter[T], judge: str, ask: Callable[[], Answered[T] | NoJudgement]
) -> Answered[T] | NoJudgement:
    try:
        if (text := cache.get(key)) is not None:
            return Answered(kind.validate_json(text), judge)
    except ValidationError:
        pass  # written by another version
    except Exception as error:  # noqa: BLE001 - a judge never raises
        log.warning("the cache of models' answers cannot be read: %s", type(error).__name__)
    answered = ask()
    if isinstance(answered, Answered):
        try:
            cache.put(key, kind.dump_json(answered.answer).decode())
        except Exception as error:  # noqa: BLE001 - a judge never raises
            log.warning("the cache of models' answers cannot be written: %s", type(error).__name__)
    return answered
