"""Everything that is put into words is put into words whole: whoever adds a value to an enumeration is told here."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

import pytest

import bot
from bot.judges.reviews import PatchReview, ReviewMode
from bot.policy_choices import ReviewRules
from bot.rendering import run_words, words
from bot.rendering.page import page_of
from bot.verdicts import Decision, PatchLabel, Verdict
from tests.pulls.results import a_result

# They name some values only, by intention: all others are asked for with `get`, or cannot come.
SOME = {
    "bot.commands.sandbox._EXITS": "every other end is the same exit status",
    "bot.already_fixed.model_scripts._FAILURES": "an assertion is told before",
    "bot.history.log._COLUMNS": "other sorts of files are not searched",
    "bot.rendering.pull_reasons._NAMES_THEM": "the other sentences name no tests",
    "bot.rendering.pull_reasons._SHOWN": "the other sentences say nothing of what the issue shows",
    "bot.issues.clarify._SECTIONS": "nobody writes a heading for the others",
    "bot.issues.decide._CORE": "of the others nothing is asked",
    "bot.judges.openai.evaluator._CONTRADICTS": "two of the four contradict",
    "bot.judges.openai.patches.PROMPTS": "an agent's walk has a prompt of its own",
    "bot.judges.openai.programs.PROMPTS": "a bare verdict is asked by another prompt, and there is no fourth mode",
    "bot.sandbox.bubblewrap._ENDINGS": "too large a result is told by who reads it",
    "bot.sandbox.container._ENDINGS": "what is left went well, or is told by whoever found it",
    "bot.workflows.pull.workflow.UNFINISHED": "the ends that leave a check hanging",
}


def mappings() -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Every mapping of a module whose keys are values of one enumeration, by its name."""
    for info in pkgutil.walk_packages(bot.__path__, "bot."):
        if ".inside." in info.name or info.name.endswith("__main__"):
            continue  # scripts that run in the sandbox
        for name, found in vars(importlib.import_module(info.name)).items():
            kinds = {type(key) for key in found if key is not None} if isinstance(found, dict) and found else set()
            if len(kinds) == 1 and issubclass(next(iter(kinds)), StrEnum):
                yield f"{info.name}.{name}", found


def test_every_mapping_knows_every_value() -> None:
    lacking = {
        name: missing
        for name, found in mappings()
        if name not in SOME and (missing := set(type(next(key for key in found if key))) - found.keys())
    }
    assert lacking == {}
    known = {"words.ITEMS", "words.KINDS", "run_words.MODES"}
    assert {name for name, _ in mappings()} >= {f"bot.rendering.{name}" for name in known}


def test_every_label_has_words() -> None:
    assert words.LABELS.keys() == set(words.SpecificationLabel)


@pytest.mark.parametrize("mode", ReviewMode)
def test_a_review_of_any_sort_has_a_page(mode: ReviewMode) -> None:
    review = PatchReview(PatchLabel.CORRECT_AND_PRECISE, False, 0.1, "a judge", mode)
    verdict = Verdict(Decision.ACCEPT, review.label, 0.1, review.judge, None, ("Fine.",))
    assert ("The reviewer was asked for", run_words.MODES[mode]) in page_of(
        a_result(verdict, "c" * 40, review=replace(review))
    ).facts
    assert {each.value for each in ReviewRules} <= {each.value for each in ReviewMode}
