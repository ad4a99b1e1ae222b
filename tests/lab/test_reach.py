"""Fitting how far issues are within reach, on invented attempts: it finds what was put in, on repositories unseen."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from bot.issues.agent_reach import WEIGHTS
from lab.training import reach
from lab.training.reach import NAMES, TriedIssue, area, fit, load, unseen

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
