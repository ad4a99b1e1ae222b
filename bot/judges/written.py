"""Tests are written once: the same question to the same model with the same prompt is answered from a cache."""

import hashlib
import json
import logging
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from bot.judges.code import Interface, SpecTest, TestWriter
from bot.judges.protocol import Answered, NoJudgement

log = logging.getLogger(__name__)

_tests = TypeAdapter(tuple[SpecTest, ...])


class Cache(Protocol):
    """Texts by key. The table in storage is one."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, text: str) -> None: ...


class CachedTestWriter:
    """A `TestWriter` that asks another one only what it has not asked before. A cache that fails is one that is empty.

    What is kept is the answer before any filter, so that a better filter needs no new answer.
    """

    def __init__(self, writer: TestWriter, cache: Cache) -> None:
        self._writer = writer
        self._cache = cache

    @property
    def name(self) -> str:
        return self._writer.name

    def write(self, specification: str, interface: Interface) -> Answered[tuple[SpecTest, ...]] | NoJudgement:
        key = cache_key(specification, interface, self.name)
        if (known := self._known(key)) is not None:
            return Answered(known, self.name)
        written = self._writer.write(specification, interface)
        if isinstance(written, Answered):
            self._keep(key, written.answer)
        return written

    def _known(self, key: str) -> tuple[SpecTest, ...] | None:
        try:
            text = self._cache.get(key)
            return None if text is None else _tests.validate_json(text)
        except ValidationError:
            return None  # written by another version
        except Exception as error:  # noqa: BLE001 - a judge never raises
            log.warning("the cache of written tests cannot be read: %s", type(error).__name__)
            return None

    def _keep(self, key: str, tests: tuple[SpecTest, ...]) -> None:
        try:
            self._cache.put(key, _tests.dump_json(tests).decode())
        except Exception as error:  # noqa: BLE001 - a judge never raises
            log.warning("the cache of written tests cannot be written: %s", type(error).__name__)


def cache_key(specification: str, interface: Interface, writer: str) -> str:
    """Of specification, interface, and the writer's name, which holds model, prompt and prompt version."""
    parts = [specification, interface.module, *interface.signatures, "", *interface.examples, "", writer]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
