"""The settings choose the judge; the same question to the same model is asked once."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.changes.values import Change
from bot.judges.code import Interface, SpecTest
from bot.judges.factory import make_judge, make_models, make_patch_judge, make_patch_reviewer
from bot.judges.openai.spend import MemorySpend
from bot.judges.patches import PatchSubject
from bot.judges.protocol import Answered, NoJudgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.judges.written import CachedBlindJudge, CachedTestWriter, cache_key
from bot.policy_choices import Strictness
from bot.settings import Settings
from bot.storage.directories import TextCache
from bot.verdicts import Usage
from tests.judges.joiner import subject


def test_the_default_is_the_offline_judge() -> None:
    assert make_judge(Settings(judge="offline"), MemorySpend()).name.startswith("offline/")


def test_a_model_is_named_with_its_prompt() -> None:
    judge = make_judge(Settings(judge="openai", model="some-model"), MemorySpend())
    assert judge.name == "some-model with issue-specification/2"


def test_code_is_judged_by_a_model_or_by_nobody() -> None:
    assert make_models(Settings(judge="offline"), MemorySpend()) is None
    judges = make_models(Settings(judge="openai", model="some-model"), MemorySpend())
    assert judges is not None
    assert [judges.writers[0].name, judges.blind[0].name, judges.reviewer.name] == [
        "some-model with specification-tests/1",
        "some-model with blind-demand/1",
        "some-model with review-verdict/1",
    ]


def test_the_offline_judge_loads_no_model_library() -> None:
    """The command line answers in milliseconds; the SDK alone takes far longer to import."""
    program = (
        "import sys; from bot.judges.factory import make_judge; from bot.settings import Settings;"
        "from bot.judges.openai.spend import MemorySpend; from bot.judges import calibration;"
        "make_judge(Settings(judge='offline'), MemorySpend()); sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_patches_are_judged_in_the_mode_that_was_asked_for() -> None:
    model = Settings(judge="openai", model="some-model")
    assert make_patch_judge(model, MemorySpend()).name == "some-model with patch-verdict/1"
    assert make_patch_judge(model, MemorySpend(), ReviewMode.LABEL).name == "some-model with patch-label/1"
    assert make_patch_reviewer(model, MemorySpend(), ReviewMode.FULL).name == "some-model with patch-full/1"
    for judge in (make_patch_judge, make_patch_reviewer):
        assert judge(Settings(judge="offline"), MemorySpend()).name.startswith("offline-patch/")


def test_the_offline_judge_rejects_without_grounding_anything() -> None:
    settings, spend = Settings(judge="offline"), MemorySpend()
    reviews = [make_patch_reviewer(settings, spend, strictness=each).review(subject()) for each in Strictness]
    assert all(isinstance(review, PatchReview) and review.consistent and not review.grounded for review in reviews)
    assert not any(review.rationale for review in reviews), "what it counted tells a reader nothing"


def test_the_offline_judge_may_be_unavailable() -> None:
    unread = PatchSubject("Do it.", Change((), problem="it breaks off"))
    assert isinstance(make_patch_reviewer(Settings(judge="offline"), MemorySpend()).review(unread), NoJudgement)


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


class Blind:
    name = "some-model with blind-demand/1"

    def __init__(self, *answers: Answered[SpecTest | None] | NoJudgement) -> None:
        self.answers = list(answers)

    def demands(self, specification: str, interface: Interface, call: str) -> Answered[SpecTest | None] | NoJudgement:
        return self.answers.pop(0)


def test_each_blind_judge_answers_once(tmp_path: Path) -> None:
    """One that was asked before does not speak for another one; silence is an answer, and a failure is none."""
    silent, demand = Answered(None, Blind.name), Answered(TESTS[0], Blind.name)
    cache, blind = TextCache(tmp_path), Blind(demand, silent, NoJudgement("x", "The model is away.", True), silent)
    for _ in range(2):
        first, second = (CachedBlindJudge(blind, cache, place) for place in range(2))
        assert [each.demands(TEXT, INTERFACE, "total([])") for each in (first, second)] == [demand, silent]
    assert isinstance(first.demands(TEXT, INTERFACE, "total([2])"), NoJudgement)
    assert first.demands(TEXT, INTERFACE, "total([2])") == silent
    assert not blind.answers


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
