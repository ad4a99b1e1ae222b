"""The same question to the same model is asked once."""

from dataclasses import replace

import pytest

from bot.judges.code import Interface, SpecTest
from bot.judges.protocol import Answered, NoJudgement
from bot.judges.written import CachedTestWriter, cache_key
from bot.verdicts import Usage

TEXT = "Return the sum."
INTERFACE = Interface("solution", ("total(numbers)",), ("assert total([1]) == 1",))
TESTS = (SpecTest("Return the sum.", "total(['\x00', 'é'])", "raises TypeError"),)


class MemoryCache(dict[str, str]):
    """A cache of one test."""

    def put(self, key: str, text: str) -> None:
        self[key] = text


class Writer:
    name = "some-model with specification-tests/1"

    def __init__(self, answer: Answered[tuple[SpecTest, ...]] | NoJudgement | None = None) -> None:
        self.answer = answer or Answered(TESTS, self.name, Usage(1, 10, 10, 0.5))
        self.asked = 0

    def write(self, specification: str, interface: Interface) -> Answered[tuple[SpecTest, ...]] | NoJudgement:
        self.asked += 1
        return self.answer


def test_a_repeat_costs_no_call() -> None:
    writer, cache = Writer(), MemoryCache()
    first = CachedTestWriter(writer, cache).write(TEXT, INTERFACE)
    second = CachedTestWriter(writer, cache).write(TEXT, INTERFACE)
    assert first == writer.answer
    assert second == Answered(TESTS, writer.name, Usage())
    assert writer.asked == 1


def test_no_tests_at_all_is_an_answer_too() -> None:
    writer = Writer(Answered((), Writer.name))
    cached = CachedTestWriter(writer, MemoryCache())
    assert cached.write(TEXT, INTERFACE) == cached.write(TEXT, INTERFACE)
    assert writer.asked == 1


def test_a_failure_is_not_kept() -> None:
    writer = Writer(NoJudgement("x", "The model is away.", True))
    cached = CachedTestWriter(writer, MemoryCache())
    cached.write(TEXT, INTERFACE)
    cached.write(TEXT, INTERFACE)
    assert writer.asked == 2


def test_every_part_of_the_question_counts() -> None:
    keys = {
        cache_key(TEXT, INTERFACE, "a with p/1"),
        cache_key(TEXT + " ", INTERFACE, "a with p/1"),
        cache_key(TEXT, INTERFACE, "b with p/1"),
        cache_key(TEXT, INTERFACE, "a with p/2"),
        cache_key(TEXT, replace(INTERFACE, module="other"), "a with p/1"),
        cache_key(TEXT, replace(INTERFACE, examples=()), "a with p/1"),
        cache_key(
            TEXT, replace(INTERFACE, signatures=("total(numbers)", "assert total([1]) == 1"), examples=()), "a with p/1"
        ),
    }
    assert len(keys) == 7


class Broken:
    def get(self, key: str) -> str | None:
        raise OSError("no database")

    def put(self, key: str, text: str) -> None:
        raise OSError("no database")


@pytest.mark.parametrize("cache", [Broken(), None])
def test_a_cache_that_fails_is_one_that_is_empty(cache: Broken | None) -> None:
    writer = Writer()
    if cache is None:
        unreadable = MemoryCache()
        unreadable.put(cache_key(TEXT, INTERFACE, Writer.name), '[{"call": 1}]')
    assert CachedTestWriter(writer, cache or unreadable).write(TEXT, INTERFACE) == writer.answer
    assert writer.asked == 1


def test_what_cannot_be_kept_is_still_given() -> None:
    odd = Answered((replace(TESTS[0], clause="\ud800"),), Writer.name)
    assert CachedTestWriter(Writer(odd), MemoryCache()).write(TEXT, INTERFACE) == odd
