"""From label to probability to decision, for the model judge."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.judges.calibration import model_calibration
from bot.policy_choices import Strictness
from bot.verdicts import SpecificationLabel
from lab.benchmarks.calibrate_models import MODELS as MADE_OF
from lab.benchmarks.calibrate_models import calibration_table, probabilities
from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "issue_labels_by_model.csv"
WELL, REASONABLY, VAGUE, IMPOSSIBLE = SpecificationLabel

MODELS = ["gpt-4.1", "o4-mini", "claude-3.7-sonnet", "gemma3:27b", "qwen3:32b", "something-new"]


def recorded(test: Callable[[], None]) -> Callable[[], None]:
    """Needs the answers that the figures are from, which no clone brings along."""
    absent = pytest.mark.skipif(not DATA.exists(), reason="the recorded answers are not here")
    return pytest.mark.may_skip("they may not be published")(absent(test))


def bounced_from(model: str, strictness: Strictness) -> SpecificationLabel | None:
    limit = model_calibration.threshold(model, strictness)
    bounced = [label for label in SpecificationLabel if model_calibration.probability(model, label) >= limit]
    assert bounced == list(SpecificationLabel)[len(SpecificationLabel) - len(bounced) :]
    return bounced[0] if bounced else None


@cases
def test_the_label_a_bounce_starts_from(model: str, cuts: tuple[SpecificationLabel, ...]) -> None:
    assert tuple(bounced_from(model, strictness) for strictness in Strictness) == cuts


@pytest.mark.parametrize("model", MODELS)
def test_probabilities_rise_with_the_label(model: str) -> None:
    found = [model_calibration.probability(model, label) for label in SpecificationLabel]
    assert found == sorted(found)
    assert 0 < found[0] < found[-1] < 1


@cases
def test_models_are_known_by_their_whole_name(name: str, same_as: str) -> None:
    for label in SpecificationLabel:
        assert model_calibration.probability(name, label) == model_calibration.probability(same_as, label)


def test_the_model_in_a_judges_name() -> None:
    assert model_calibration.judged_by("gpt-4.1 with issue-specification/2") == "gpt-4.1"
    assert model_calibration.judged_by("offline/1") == "offline/1"


def answers(*, hasty: str) -> list[dict[str, str]]:
    """400 clear issues and 130 that are not. Every model knows nearly all; the hasty one takes 40 clear for vague."""
    given = [(WELL, "0", 300), (WELL, "1", 40), (REASONABLY, "1", 60), (REASONABLY, "2", 20), (VAGUE, "3", 100)]
    rows = []
    for label, by_people, times in [*given, (IMPOSSIBLE, "3", 10)]:
        said = dict.fromkeys(MADE_OF, label.value) | ({hasty: VAGUE.value} if times == 40 else {})
        rows += [{"human_underspecified": by_people, **said}] * times
    return [*rows, {"human_underspecified": "0", **dict.fromkeys(MADE_OF, "")}]  # an answer that nobody could read


def test_a_label_is_bounced_from_where_the_promise_holds_for_each_model() -> None:
    made = calibration_table(answers(hasty="o4-mini"))

    def starts(entry: dict[str, Any]) -> list[str]:
        return [cut["from"] for cut in entry["bounce"].values()]

    assert {entry["answers"] for entry in made["models"].values()} == {530}
    assert starts(made["models"]["gpt-4.1"]) == [VAGUE, VAGUE, REASONABLY], "0, 0 and 15% of the clear"
    assert starts(made["models"]["o4-mini"]) == [IMPOSSIBLE, IMPOSSIBLE, VAGUE], "10% are at most 12.7%"
    assert starts(made["other"]) == [IMPOSSIBLE, IMPOSSIBLE, VAGUE], "whoever it is"
    together = [starts(made["together"][group]) for group in made["together"] if "o4-mini" in group]
    assert together == [[VAGUE, VAGUE, REASONABLY]] * 15, "outvoted"
    cut = made["models"]["o4-mini"]["bounce"]["strict"]
    assert (cut["false_bounces"], cut["at_most"], cut["caught"]) == (0.1, 0.1274, 0.8462)


def test_probabilities_are_drawn_to_the_pooled_ones_and_rise() -> None:
    made = calibration_table(answers(hasty="o4-mini"))
    pooled, gpt, hasty = (
        made["other"]["probability"],
        *(made["models"][m]["probability"] for m in ("gpt-4.1", "o4-mini")),
    )
    assert pooled == {WELL: 0.0, REASONABLY: 0.25, VAGUE: round(500 / 540, 4), IMPOSSIBLE: 1.0}
    assert gpt[VAGUE] == round((100 + 10 * 500 / 540) / 110, 4)
    assert hasty[VAGUE] < pooled[VAGUE] < gpt[VAGUE]
    backwards = [("WELL_SPECIFIED", True)] * 3 + [("REASONABLY_SPECIFIED", False)] + [("VAGUE", True)]
    levelled = probabilities([*backwards, ("IMPOSSIBLE_TO_SOLVE", True)], None)
    assert list(levelled.values()) == [0.75, 0.75, 1.0, 1.0], "a milder label is never worse"


SCRIPT = (sys.executable, "-m", "lab.benchmarks.calibrate_models")


@recorded
def test_the_committed_table_is_what_the_script_makes() -> None:
    done = subprocess.run([*SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_documented_figures_are_the_committed_ones() -> None:
    printed = subprocess.run([*SCRIPT, "--table"], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "docs" / "internals" / "judges.md").read_text(encoding="utf-8")
    assert page.split("<!-- table:begin -->\n")[1].split("<!-- table:end -->")[0] == printed


def test_what_two_models_give_can_be_printed() -> None:
    printed = subprocess.run([*SCRIPT, "--votes"], capture_output=True, text=True, check=True).stdout
    cut = "`REASONABLY_SPECIFIED` | 7.4% | 25.4%"
    assert f"| claude-3.7-sonnet + gpt-4.1 | {cut} | {cut} |" in printed.splitlines()


PAIR, TRIPLE = "gpt-4.1-2025-04-14 + claude-3-7-sonnet-latest", "qwen3:32b + gpt-4.1 + claude-3.7-sonnet"


def test_models_that_vote_have_figures_of_their_own_in_any_order() -> None:
    assert tuple(bounced_from(PAIR, strictness) for strictness in Strictness) == (VAGUE, REASONABLY, REASONABLY)
    assert model_calibration.family(TRIPLE) == "claude-3.7-sonnet + gpt-4.1 + qwen3_32b-q8_0"
    assert model_calibration.is_known(PAIR)
    assert model_calibration.is_known(TRIPLE)


@pytest.mark.parametrize("group", ["gpt-4.1 + something-new", "gpt-4.1 + gpt-4.1-2025-04-14"])
def test_any_other_group_counts_as_other_models(group: str) -> None:
    assert not model_calibration.is_known(group)
    assert bounced_from(group, Strictness.STRICT) is bounced_from("something-new", Strictness.STRICT)


@pytest.mark.parametrize("model", MODELS)
def test_a_first_model_settles_what_it_calls_well_specified(model: str) -> None:
    assert [label for label in SpecificationLabel if model_calibration.settles(model, label)] == [WELL]


@recorded
def test_recorded_labels_go_through_the_decision_as_before() -> None:
    script = [sys.executable, "-m", "lab.benchmarks.replay_labels"]
    table = subprocess.run(script, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert (Path(__file__).parent / "snapshots" / "replayed_labels.md").read_text(encoding="utf-8") == table
