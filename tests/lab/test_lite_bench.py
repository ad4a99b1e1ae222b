"""`bouncer bench lite`: what both doors in a row leave to look at."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from lab.data.patches import RecordedPatch
from lab.scores.lite_rows import (
    BOTH,
    INPUT_ALONE,
    NONE,
    OUTPUT_ALONE,
    PERFECT,
    PUBLISHED,
    LiteRow,
    lite_rows,
    right_lost,
)
from tests.lab.patches import rows, write
from tests.support.cases import cases
from tests.support.model import ScriptedModel, completion

pytestmark = pytest.mark.usefixtures("offline", "own_cache")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", "lite", *map(str, arguments)])


def labelled() -> list[dict[str, Any]]:
    return [each | {"underspecified": 3 if each["instance_id"].endswith("7") else 0} for each in rows()]


def test_what_is_held_at_the_first_door_never_comes_to_the_second() -> None:
    some = [
        RecordedPatch(str(n), str(n), "", "", wrong, human=human)
        for n, (wrong, human) in enumerate([(True, 3), (True, 0), (False, 0), (False, 0), (True, 0)])
    ]
    issues, patches = [True, False, True, False, False], [True, True, True, False, False]
    found = {row.name: row for row in lite_rows(some, issues, patches)}
    assert found[NONE] == LiteRow(NONE, 5, 0, 0, 0, 0, 3, 2)
    assert found[INPUT_ALONE] == LiteRow(INPUT_ALONE, 5, 1, 1, 0, 0, 2, 1)
    assert found[OUTPUT_ALONE] == LiteRow(OUTPUT_ALONE, 5, 0, 0, 2, 1, 1, 1)
    assert found[BOTH] == LiteRow(BOTH, 5, 1, 1, 1, 0, 1, 1)
    assert found[PERFECT] == LiteRow(PERFECT, 5, 1, 0, 2, 0, 0, 2)
    assert (found[BOTH].wrong_share, right_lost(found[BOTH], found[NONE])) == (0.5, 0.5)


def test_the_published_flow_gives_the_published_shares() -> None:
    """Section V-B and Table IV: 42.6% of 333 are wrong, 19.4% of the right ones are lost."""
    row = LiteRow("x", **PUBLISHED)
    assert row.wrong_share == pytest.approx(0.426, abs=5e-4)
    assert right_lost(row, LiteRow("y", 642, 0, 0, 0, 0, 405, 237)) == pytest.approx(0.194, abs=5e-4)
    assert row.held_vague + row.held_clear + row.held_wrong + row.held_right + row.left == row.tickets


def test_where_nothing_is_left_no_share_is_said() -> None:
    (*_, row, _) = lite_rows([RecordedPatch("a", "a", "", "", True, human=0)], [True], [True])
    assert (row.wrong_share, right_lost(row, row)) == (None, None)


def test_the_judges_of_both_doors_are_asked_and_the_leaderboards_file_is_written(tmp_path: Path) -> None:
    file = write(tmp_path, labelled())
    done = run("--data", file, "--json", "--export", tmp_path / "send")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    kinds = [each["kind"] for each in document["rows"]]
    assert kinds == ["input", "output", *["in a row"] * 5]
    assert (document["rows"][0]["issues"], document["rows"][1]["patches"]) == (12, 12)
    assert document["reference"][0]["wrong_share"] == pytest.approx(0.426, abs=5e-4)
    sent = json.loads((tmp_path / "send" / "lite_bouncer.json").read_text())
    assert all(set(each) == {"input_bounce", "output_bounce", "trace"} for each in sent.values())
    kept = tmp_path / "send" / "lite_bouncer.json"
    again = json.loads(run("--data", file, "--issue-answers", kept, "--patch-answers", kept, "--json").stdout)
    for one, other in zip(document["rows"][2:], again["rows"][2:], strict=True):
        assert one | {"judge": ""} == other | {"judge": ""}
    shown = run("--data", file)
    assert "both doors, perfect" in shown.output and "right lost" in shown.output


def test_the_ceiling_is_one_for_both_doors(
    tmp_path: Path, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_JUDGE", "openai")
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", scripted_model.base_url)
    monkeypatch.setenv("BOUNCER_MODEL_PRICE_OUT", "1000")  # 4.00 for an answer of 4,000 tokens
    monkeypatch.setenv("BOUNCER_MODEL_SPEND_PER_DAY", "49")
    scripted_model.always(completion(label="VAGUE", usage=(0, 4000)))
    done = run("--data", write(tmp_path, labelled()), "--jobs", 1, "--yes")
    assert (done.exit_code, "12 issues or patches were not judged" in done.output) == (0, True), done.output
    assert len(scripted_model.requests) == 12


@cases
def test_bad_input_is_refused_with_the_mend(tmp_path: Path, more: tuple[str, ...], why: str) -> None:
    done = run("--data", write(tmp_path, labelled()), *more)
    assert (done.exit_code, why in done.output) == (2, True), done.output


def test_patches_of_issues_that_nobody_labelled_are_refused(tmp_path: Path) -> None:
    done = run("--data", write(tmp_path, rows()))
    assert (done.exit_code, "No issue of these patches has a human label" in done.output) == (2, True)
