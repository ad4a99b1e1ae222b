"""Everything that is put into words is put into words whole: whoever adds a value to an enumeration is told here."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from enum import StrEnum
from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

import bot
from bot.issues.facts import IssueGround
from bot.judges.calibration.calibration import Calibration, CalibrationSource, LabelWorth
from bot.judges.reviews import PatchReview, ReviewMode
from bot.live.figures import Period
from bot.plain_text import count_of
from bot.policy_choices import ReviewRules
from bot.pulls.decide import PullGround
from bot.rendering import issue_reasons, pull_reasons, words
from bot.rendering.comment import render
from bot.rendering.plots import precision_plot, verdicts_plot
from bot.rendering.precision import removal_words, sample_words
from bot.rendering.pull_page import page_of
from bot.storage.retention import RemovedVerdicts
from bot.verdicts import Decision, PatchLabel, Verdict
from bot.verification.evidence import Case, Verified
from bot.verification.values import Differential, Strength
from lab.commands.calibrate_view import calibration_lines
from tests.pulls.results import a_result, changed

# They name some values only, by intention: all others are asked for with `get`, or cannot come.
SOME = {
    "bot.commands.sandbox._EXITS": "every other end is the same exit status",
    "bot.already_fixed.model_scripts._FAILURES": "an assertion is told before",
    "bot.history.log._COLUMNS": "other sorts of files are not searched",
    "bot.rendering.words.WRITTEN_TESTS": "the others write no test",
    "bot.verification.fix_guided.cases._WRITTEN": "the others write no test from the issue",
    "bot.issues.patterns.SECTION_OF": "nobody writes a heading for the others",
    "bot.issues.parts._TOLD_BY": "the others are told by what stands first",
    "bot.issues.decide._CORE": "of the others nothing is asked",
    "bot.judges.openai.questions._CONTRADICTS": "two of the four contradict",
    "bot.judges.openai.patches.PROMPTS": "an agent's walk has a prompt of its own",
    "lab.models.programs.PROMPTS": "a bare verdict is asked by another prompt, and there is no fourth mode",
    "bot.live.verdicts._ENDS": "what is opened again is told by its own function",
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
    known = {"words.ITEMS", "issue_view.KINDS", "words.MODES"}
    assert {name for name, _ in mappings()} >= {f"bot.rendering.{name}" for name in known}


def test_every_rule_has_its_sentence() -> None:
    for grounds, sentences in ((PullGround, pull_reasons._sentences()), (IssueGround, issue_reasons._sentences())):
        assert [ground for ground in grounds if not hasattr(sentences, ground.name.lower())] == []


def test_every_label_has_words() -> None:
    assert words.LABELS.keys() == set(words.SpecificationLabel)


DAY = datetime(2026, 3, 4, tzinfo=UTC)
CALIBRATION = Calibration("a judge", "", DAY, CalibrationSource.ACTS, 1, 1, {None: LabelWorth(0.1, 1)}, {})


NOTICED = Strength(1, 0, True, "tree-sitter 0.26.1")
FILTERED = Verified(
    Decision.ACCEPT, Case.EQUIVALENT, ("They agree.",), differential=Differential(("f(1)",)), strength=NOTICED
)
ONE = a_result(Verdict(Decision.ACCEPT, PatchLabel.CORRECT_AND_PRECISE, 0.1, "a judge", None, ("Fine.",)))


def shown(view: RenderableType) -> str:
    console = Console(width=200, file=StringIO(), record=True)
    console.print(view)
    return console.export_text()


def precision(right: int, wrong: int) -> str:
    return precision_plot([Period(DAY.date(), bounced=9, right=right, wrong=wrong)]).said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (count_of(0, "verdict"), "0 verdicts"),
        (count_of(1200, "verdict"), "1,200 verdicts"),
        (sample_words(0, 1), "People's actions confirm or contradict 0 of 1 bounce."),
        (sample_words(2, 3), "People's actions confirm or contradict 2 of 3 bounces."),
        (
            removal_words(RemovedVerdicts(1, DAY)),
            "1 verdict from before 2026-03-04 was removed by age and counts no more.",
        ),
        (removal_words(RemovedVerdicts(2, DAY)), "2 verdicts from before 2026-03-04 were removed by age and count no"),
        (precision(1, 0), "1 of 1 bounce that people answered was right."),
        (precision(0, 1), "0 of 1 bounce that people answered was right."),
        (precision(2, 1), "2 of 3 bounces that people answered were right."),
        (render("rounds", bounced=words.times_words(1, more=False)), "This pull request was bounced once, so"),
        (render("rounds", bounced=words.times_words(3, more=False)), "This pull request was bounced 3 times, so"),
        (
            render("rounds", bounced=words.times_words(20, more=True)),
            "was bounced 20 times or more, so",
        ),
        (calibration_lines(CALIBRATION)[0], "from what maintainers did with 1 issue of 1 repository"),
        (calibration_lines(CALIBRATION)[1], "from 1 issue"),
        (dict(page_of(changed(ONE, verified=FILTERED)).facts)["Compared"], "1 input"),
    ],
)
def test_one_of_a_thing_is_no_things(told: str, said: str) -> None:
    assert said in told


@pytest.mark.parametrize("mode", ReviewMode)
def test_a_review_of_any_sort_has_a_page(mode: ReviewMode) -> None:
    review = PatchReview(PatchLabel.CORRECT_AND_PRECISE, False, 0.1, "a judge", mode)
    verdict = Verdict(Decision.ACCEPT, review.label, 0.1, review.judge, None, ("Fine.",))
    assert ("The reviewer was asked for", words.MODES[mode]) in page_of(
        a_result(verdict, "c" * 40, review=replace(review))
    ).facts
    assert {each.value for each in ReviewRules} <= {each.value for each in ReviewMode}


def test_large_numbers_are_grouped_everywhere_and_no_date_is_cut_at_the_edge() -> None:
    months = [Period(date(2026, month, 1), judged=5000) for month in range(1, 12)]
    plot = verdicts_plot(months)
    assert plot.said == "55,000 verdicts, at most 5,000 in one month." and plot.up[1].text == "5,000"
    assert plot.across[-1].at <= plot.width - 28, "half of a date such as 2026-12"
    assert sample_words(1200, 15000) == "People's actions confirm or contradict 1,200 of 15,000 bounces."
