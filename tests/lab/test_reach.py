"""What maintainers' acts and invented attempts may change: calibrations, and how far issues are within reach."""

import json
import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from bot.issues.agent_reach import WEIGHTS
from bot.judges.calibration import model_calibration
from bot.judges.calibration.calibration import LABELS, CalibrationSource, basis
from bot.live.precision import BY_MAINTAINERS, Event
from bot.policy_choices import Strictness
from bot.verdicts import BasisCut, SpecificationLabel
from lab.fitting.from_acts import MOST_OF_AUTHOR, JudgedIssue, calibrate_from_acts
from lab.fitting.from_labels import SHRINK
from lab.training import reach
from lab.training.reach import NAMES, TriedIssue, area, fit, load, unseen
from tests.issues.builders import judgement
from tests.judges.calibrations import NOW, calibration

CLEAR = "Saving fails\nSaving the file in save.py fails with an error, it should save.\n"


def invented(seed: int = 7) -> list[TriedIssue]:
    """Prose helps and code hurts; the repositories differ in how hard they are, which says nothing of an issue."""
    draw = random.Random(seed)
    issues = []
    for place in range(400):
        counted = {"prose": draw.uniform(2, 6), "code": draw.uniform(0, 4), "files": float(draw.randint(0, 3))}
        chance = 1 / (1 + np.exp(-(counted["prose"] - 4 - counted["code"] + 2 - place % 5 / 2)))
        attempts = draw.randint(1, 15)
        resolved = sum(draw.random() < chance for _ in range(attempts))
        issues.append(TriedIssue(f"r{place % 5}", counted, attempts, resolved, attempts * 0.3))
    return issues


def test_it_finds_what_makes_issues_easy_on_repositories_that_it_has_not_seen() -> None:
    issues = invented()
    scores = unseen(issues, ("prose", "code", "files"))
    half = np.array([2 * issue.resolved >= issue.attempts for issue in issues])
    assert area(scores, half) > 0.8
    weights = fit(issues, ("prose", "code", "files"))["features"]
    assert weights["prose"][2] > 0.2 and weights["code"][2] < -0.2 and abs(weights["files"][2]) < 0.1


def test_a_label_that_is_not_known_counts_as_typical() -> None:
    issues = invented()
    weights = WEIGHTS.validate_python(fit(issues, NAMES[:3]) | {"cut": 0.0})
    typical = {name: mean for name, (mean, _, _) in weights.features.items()}
    assert weights.score({}) == pytest.approx(weights.score(typical))


@pytest.mark.parametrize(
    ("scores", "truth", "share"),
    [([1, 2, 3, 4], [0, 0, 1, 1], 1.0), ([1, 2, 3, 4], [1, 1, 0, 0], 0.0), ([1, 1, 1, 1], [1, 0, 1, 0], 0.5)],
)
def test_the_area_under_the_curve(scores: list[float], truth: list[int], share: float) -> None:
    assert area(np.array(scores, dtype=float), np.array(truth, dtype=bool)) == share


def test_the_data_is_read_as_it_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "DATA", tmp_path)
    row = {"instance_id": "a__b-1", "problem_statement": CLEAR}
    (tmp_path / "issues_annotated.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "issues_unannotated.jsonl").write_text(json.dumps(row | {"instance_id": "a__b-2"}) + "\n")
    (tmp_path / "issue_labels_by_model.csv").write_text("instance_id,human_underspecified,gpt-4.1\na__b-1,2,VAGUE\n")
    tried = [("one", True), ("two", False), ("polydev", True)]
    rows = ({"instance_id": "a__b-1", "submission": run, "resolved": right} for run, right in tried)
    (tmp_path / "patch_triples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    (issue,) = load()
    assert (issue.repository, issue.attempts, issue.resolved, issue.counted["label"]) == ("a__b", 2, 1, 2.0)
    assert issue.counted["files"] == 1.0
    (tmp_path / "patch_triples.jsonl").unlink()
    with pytest.raises(SystemExit, match="nothing was measured"):
        reach.main()


WELL, _, VAGUE, IMPOSSIBLE = SpecificationLabel
MODEL = "gpt-4.1 with issue-specification/2"


def judged(
    fine: int = 0, *, wrong: int = 0, right: int = 0, silent: int = 0, label: SpecificationLabel = VAGUE
) -> list[JudgedIssue]:
    """Each issue of another author."""
    kinds: Iterable[tuple[int, SpecificationLabel, bool, bool | None]] = (
        (fine, WELL, False, None),
        (wrong, label, True, False),
        (right, label, True, True),
        (silent, label, True, None),
    )
    return [
        JudgedIssue("acme/shop", f"{label}{bounced}{word}{n}", label, bounced, word)
        for many, label, bounced, word in kinds
        for n in range(many)
    ]


@pytest.mark.parametrize(
    ("issues", "now"),
    [
        (judged(100, silent=20), VAGUE),  # nobody said anything
        (judged(100, right=20), VAGUE),
        (judged(100, wrong=12), VAGUE),  # 12 of 112: above 10%, but not surely
        (judged(100, wrong=22), IMPOSSIBLE),  # 22 of 122: surely
        (judged(100, wrong=22, label=IMPOSSIBLE), None),
        (judged(5, wrong=1), VAGUE),  # one act proves nothing
        (judged(1000, wrong=22), VAGUE),
    ],
)
def test_a_cut_moves_only_where_acts_break_its_promise(issues: list[JudgedIssue], now: SpecificationLabel) -> None:
    kept = calibrate_from_acts(MODEL, issues, None, NOW).kept[Strictness.BALANCED]
    assert (kept.before, kept.now) == (VAGUE, now)


def test_whoever_adds_an_event_says_whether_it_is_a_maintainers() -> None:
    assert {*Event} - BY_MAINTAINERS == {Event.ANSWERED, Event.PUSHED, Event.NOTHING}


def test_a_verdict_says_that_acts_made_its_cut_stricter() -> None:
    answer = judgement(0.7177, label=IMPOSSIBLE, judge=MODEL)
    broken = calibrate_from_acts(MODEL, judged(100, wrong=22), None, NOW).calibration
    told = basis(answer, Strictness.BALANCED, broken)
    assert told and (told.from_acts, told.cut) == (True, BasisCut.STRICTER)
    kept = basis(answer, Strictness.STRICT, broken)
    assert kept and kept.cut is BasisCut.SHIPPED


@pytest.mark.parametrize("strictness", Strictness)
@pytest.mark.parametrize("issues", [judged(3), judged(500, right=300), judged(0, wrong=50), judged(0, right=1)])
def test_no_cut_is_ever_loosened(issues: list[JudgedIssue], strictness: Strictness) -> None:
    kept = calibrate_from_acts(MODEL, issues, None, NOW).kept[strictness]
    assert kept.before is model_calibration.holds_from("gpt-4.1", strictness)
    assert kept.now is None or LABELS.index(kept.now) >= LABELS.index(kept.before)


def test_acts_count_on_top_of_what_was_calibrated_before() -> None:
    before = calibration(IMPOSSIBLE)
    found = calibrate_from_acts(MODEL, judged(100, wrong=22), before, NOW, repository="acme/shop")
    assert found.kept[Strictness.BALANCED].now is IMPOSSIBLE, "its cut holds less than what broke the promise"
    assert found.calibration.points == before.points
    assert found.calibration.repository == "acme/shop" and found.calibration.source is CalibrationSource.ACTS
    nothing = calibrate_from_acts(MODEL, judged(100, wrong=22), calibration(None), NOW)
    assert all(kept.now is None and not kept.moved for kept in nothing.kept.values())


def test_a_labels_probability_is_drawn_to_what_counted_before() -> None:
    shipped = model_calibration.probability("gpt-4.1", VAGUE)
    few = calibrate_from_acts(MODEL, judged(10, wrong=1), None, NOW).calibration.labels[VAGUE]
    assert few.probability == pytest.approx(SHRINK * shipped / (SHRINK + 1), abs=1e-3) and few.issues == 1
    both = calibrate_from_acts(MODEL, judged(10, wrong=5, right=15), None, NOW).calibration.labels[VAGUE]
    assert both.probability == pytest.approx((15 + SHRINK * shipped) / (SHRINK + 20), abs=1e-3)
    silent = calibrate_from_acts(MODEL, judged(10, silent=50), None, NOW)
    assert silent.calibration.labels[VAGUE].probability == pytest.approx(shipped, abs=1e-3)
    assert not silent.changes


def test_nobody_drowns_the_maintainers_words_by_opening_many() -> None:
    words = judged(100, wrong=22)
    flood = [JudgedIssue("acme/shop", "Stranger", WELL, False) for _ in range(5_000)]
    alone, drowned = (calibrate_from_acts(MODEL, some, None, NOW) for some in (words, [*flood, *words]))
    assert drowned.judged == alone.judged + MOST_OF_AUTHOR
    assert drowned.kept[Strictness.BALANCED].now is alone.kept[Strictness.BALANCED].now is IMPOSSIBLE


def test_the_rules_are_held_to_their_promise_too() -> None:
    found = calibrate_from_acts("offline/1", judged(100, wrong=22), None, NOW)
    assert found.kept[Strictness.BALANCED].now is IMPOSSIBLE and not found.calibration.labels
    assert found.kept[Strictness.STRICT].now is None
    assert found.changes and not calibrate_from_acts("offline/1", judged(100, wrong=2), None, NOW).changes
