"""`bouncer bench output`: the paper's figures and sample, judges that never saw what they judge, and bad files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import main
from lab.data.answers import Answer
from lab.data.files import DataError
from lab.data.patches import RecordedPatch, read_patches, to_draw_from
from lab.fitting.labels import upper_bound
from lab.fitting.patches import CountedPatch, cut_within, weights_by_repository
from lab.scores.patch_scores import (
    DRAWS,
    SAMPLE,
    PatchScore,
    mean_of_draws,
    one_a_task,
    output_rows,
    patch_score,
    submission_rows,
)
from tests.lab.patches import ISSUE, diff, row, rows, write
from tests.support.model import ScriptedModel, completion

pytestmark = pytest.mark.usefixtures("offline", "own_cache")


def run(*arguments: object, **more: Any) -> Result:
    return CliRunner().invoke(main, ["bench", "output", *map(str, arguments)], **more)


def told(*arguments: object) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def patch(wrong: bool, passed: float | None = None, task: str = "a-1", **more: Any) -> RecordedPatch:
    return RecordedPatch(f"{task}/{wrong}{passed}", task, ISSUE, diff(1), wrong, passed, **more)


def test_the_o_score_is_the_papers() -> None:
    """Section II-B2: a decision counts by the share of passed tests, whether the patch is right or wrong."""
    some = [patch(False, 1.0), patch(False, 1.0), patch(True, 0.75), patch(True, 0.5), patch(True, 0.0)]
    found = patch_score(some, [False, True, True, False, True])
    assert found.o_score == pytest.approx((1 - 1 + 0.75 - 0.5 + 0.0) / 5)
    assert found.o_score_failed == pytest.approx((1 - 1 + 0.25 - 0.5 + 1.0) / 5)
    assert (found.o_score_low, found.o_score_high) == (found.o_score, found.o_score)
    assert (found.recall_bounce, found.false_bounce) == (pytest.approx(2 / 3), 0.5)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 0.99), st.booleans()), min_size=1))
def test_where_shares_are_not_known_the_o_score_lies_between_its_bounds(
    drawn: list[tuple[bool, float, bool]],
) -> None:
    full = [patch(wrong, share if wrong else 1.0) for wrong, share, _ in drawn]
    bare = [patch(wrong) for wrong, _, _ in drawn]
    held = [bounce for _, _, bounce in drawn]
    score, bounds = patch_score(full, held), patch_score(bare, held)
    assert score.o_score is not None
    assert bounds.o_score_low - 1e-9 <= score.o_score <= bounds.o_score_high + 1e-9
    if any(one.wrong for one in bare):
        assert bounds.o_score is None and bounds.o_score_failed is None


def test_one_patch_a_task_is_drawn_as_the_paper_draws() -> None:
    """Without tasks whose tests are no good, and only wrong patches of issues that are to be bounced."""
    some = [
        patch(False, task="a-1", tested=True),
        patch(True, task="a-1", tested=True),
        patch(True, task="a-2", tested=False),
        patch(False, task="a-3", tested=True, human=3),
        patch(True, task="a-3", tested=True, human=3),
        patch(False, task="a-4", tested=True, human=3),
    ]
    assert to_draw_from(some) == [[0, 1], [4]]
    assert {tuple(one_a_task(some, seed)) for seed in range(9)} == {(0, 4), (1, 4)}
    assert one_a_task(some, 3) == one_a_task(some, 3)
    unknown = [patch(one.wrong, task=one.task) for one in some]
    assert len(to_draw_from(unknown)) == 4  # nobody says which tests are good: no task is left out


def test_many_draws_are_less_by_chance_than_one() -> None:
    some = [patch(bool(n % 2), task=f"a-{n // 2}") for n in range(40)]
    answers = [Answer(one.wrong, 3 if one.wrong else 0, True) for one in some]
    found = {(row.judge, row.part): row for row in output_rows("m", some, answers, one_a_task(some, 0), {})}
    assert found["m", DRAWS].score.macro_f == pytest.approx(1)
    assert found["m", SAMPLE].score.patches == 20
    assert found["m", SAMPLE].interval == (1, 1)


def test_a_draw_of_one_class_alone_has_no_macro_f_and_no_interval() -> None:
    some = [patch(True, task="a-1"), patch(True, task="a-2"), patch(False, task="a-2")]
    found = {(row.judge, row.part): row for row in output_rows("m", some, [Answer(True, 3, True)] * 3, [0, 1], {})}
    assert (found["m", SAMPLE].score.macro_f, found["m", SAMPLE].interval) == (None, None)
    assert found["m", "all"].interval is not None


@given(st.data())
def test_many_draws_at_once_are_the_mean_of_each(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 8))
    shares = data.draw(st.sampled_from([st.just(None), st.floats(0, 0.9)]))
    some = [
        patch(wrong, data.draw(shares) if wrong else 1.0)
        for wrong in data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    ]
    held = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    grades = data.draw(st.lists(st.none() | st.integers(0, 3), min_size=size, max_size=size))
    picks = data.draw(st.lists(st.lists(st.integers(0, size - 1), min_size=3, max_size=3), min_size=1, max_size=4))
    each = [
        patch_score([some[at] for at in one], [held[at] for at in one], [grades[at] for at in one]) for one in picks
    ]
    found = mean_of_draws(some, held, grades, picks)
    for name in PatchScore.__slots__:
        values = [getattr(one, name) for one in each]
        wanted = None if None in values else sum(values) / len(values)
        assert getattr(found, name) == (None if wanted is None else pytest.approx(wanted, abs=1e-9)), name


def test_the_offline_judge_is_fitted_on_the_other_repositories(tmp_path: Path) -> None:
    picked, twin = row("acme__shop0-0", 1, True, "polydev-1"), rows()[0] | {"submission": "twin"}
    document = told("--data", write(tmp_path, [*rows(), picked, twin]))
    found = {(each["judge"], each["kind"], each["part"]): each for each in document["rows"]}
    assert found["offline-patch/1, even, held-out", "decision", "all"]["patches"] == 24  # a repeat counts once
    assert found["offline-patch/1, even, held-out", "decision", "one a task"]["patches"] == 12
    assert document["picked_by_tests"] == 1
    assert {"accept all", "bounce all", "perfect", "size alone, held-out"} <= {judge for judge, *_ in found}
    assert {each["name"] for each in document["reference"]} >= {"codex"}
    assert all({"macro_f", "o_score", "recall_bounce", "false_bounce"} <= each.keys() for each in document["rows"])
    shown = run("--data", tmp_path / "patches.jsonl").output
    assert "no O-Score weighted by that" in shown and "1 patches were picked" in shown


def test_what_bouncing_makes_of_each_submission_is_told() -> None:
    """BouncerBench, Table IV. A patch that two submitted is in both; tasks whose tests are bad are in none."""

    def one(task: str, who: str, wrong: bool, **more: Any) -> RecordedPatch:
        return RecordedPatch(f"{task}/{who}", task, ISSUE, f"{wrong}{task}", wrong, **more)

    judged = [one("a-1", "x", False), one("a-2", "x", False), one("a-3", "x", True), one("a-4", "x", True)]
    judged += [one("a-5", "x", True, tested=False), replace(one("a-6", "", True), id="a-6")]
    every = [*judged, one("a-1", "y", False, repeated=True), one("a-7", "y", True)]  # the last was not judged
    first, second = submission_rows(every, judged, [False, True, True, False, True, True])
    assert (first.submission, first.before.count, first.before.of, first.lost.of) == ("y", 1, 1, 1)
    assert (second.submission, second.before.share, second.after.count, second.after.of) == ("x", 0.5, 1, 2)
    assert (second.lost.count, second.lost.of, second.length) == (1, 2, 7.5)


def test_flips_between_two_bouncers_are_told(tmp_path: Path) -> None:
    """Of one patch a task: from a cut by size to the judge, and to the answers of another."""
    file = write(tmp_path, rows())
    document = told("--data", file)
    (size,) = document["flips"]
    assert (size["from"], size["to"]) == ("size alone, held-out", "offline-patch/1, even, held-out")
    assert {row["submission"] for row in document["submissions"]} == {"short", "long"}
    patches = read_patches(file).all
    wrong = {one.id: {"label": "", "output_bounce": one.wrong} for one in patches}
    answers, other = tmp_path / "mine.json", tmp_path / "other.json"
    answers.write_text(json.dumps(wrong))
    other.write_text(json.dumps({name: {"label": "", "output_bounce": False} for name in wrong}))
    (found,) = told("--data", file, "--answers", answers, "--beside", other)["flips"]
    many = sum(patches[at].wrong for at in one_a_task(patches, 0))
    assert (found["from"], found["to"], found["mended"]) == ("mine", "other", 0)
    assert (found["flipped"]["count"], found["flipped"]["of"]) == (many, 12)
    shown = run("--data", file, "--answers", answers, "--beside", other).output
    assert "to wrong" in shown and "SWE-agent (paper)" in shown
    missing = run("--data", file, "--answers", answers, "--beside", tmp_path / "none.json")
    assert (missing.exit_code, "there is no such file" in missing.output) == (2, True)


def test_no_repository_has_a_part_in_its_own_weights() -> None:
    """Turned round where it is judged, it changes nothing of what it is judged by."""
    some = [
        CountedPatch(f"t{n}", f"r{n % 3}", {"size": float(n % 7), "noise": float(n % 2)}, n % 7 > 3, n % 7)
        for n in range(60)
    ]
    turned = [
        CountedPatch(one.task, one.repository, one.counted, one.wrong is (one.repository != "r0"), one.length)
        for one in some
    ]
    before, after = ({name: (fit, cut) for name, fit, cut in weights_by_repository(each)} for each in (some, turned))
    assert before["r0"] == after["r0"]
    assert before["r1"] != after["r1"]


@pytest.mark.parametrize("repositories", [1, 2])
def test_too_few_repositories_to_learn_from_are_told(tmp_path: Path, repositories: int) -> None:
    file = write(tmp_path, rows(repositories))
    done = run("--data", file)
    assert (done.exit_code, "at least three repositories" in done.output) == (2, True)
    packaged = run("--data", file, "--weights", "packaged")
    assert (packaged.exit_code, "use --weights held-out" in packaged.stderr) == (0, True)


def test_shares_of_passed_tests_give_both_o_scores(tmp_path: Path) -> None:
    given = [each | {"output_quality": 1.0 if each["resolved"] else 0.9} for each in rows()]
    document = told("--data", write(tmp_path, given))
    perfect = next(each for each in document["rows"] if (each["name"], each["part"]) == ("perfect", "all"))
    assert perfect["o_score"] == pytest.approx((12 + 12 * 0.9) / 24)
    assert perfect["o_score_failed"] == pytest.approx((12 + 12 * 0.1) / 24)


def test_issues_beside_the_patches_are_joined(tmp_path: Path) -> None:
    bare = [{key: each[key] for key in each if key != "problem_statement"} for each in rows()]
    file = write(tmp_path, bare)
    assert "nobody knows what was asked" in run("--data", file).output
    tasks = sorted({each["instance_id"] for each in bare})
    issue = {"problem_statement": ISSUE, "underspecified": 3, "false_negative": 0, "other_major_issues": 0}
    write(tmp_path, [{"instance_id": name, **issue} for name in tasks[1:]], "issues_annotated.jsonl")
    assert f"no text of the issue '{tasks[0]}'" in run("--data", file).output
    write(tmp_path, [{"instance_id": tasks[0], "problem_statement": ISSUE}], "issues_unannotated.jsonl")
    vague = read_patches(file).all
    assert {one.vague for one in vague if one.task != tasks[0]} == {True}
    assert {one.tested for one in vague} == {True, None}


def test_recorded_answers_of_one_patch_a_task_are_those_the_export_writes(tmp_path: Path) -> None:
    file, out = write(tmp_path, rows()), tmp_path / "send"
    asked = told("--data", file, "--one-a-task", "--export", out)
    kept = json.loads((out / "output_bouncer.json").read_text())
    assert sorted(kept) == sorted({each["instance_id"] for each in rows()})
    assert all({"output_bounce", "trace"} <= each.keys() for each in kept.values())
    again = told("--data", file, "--one-a-task", "--answers", out / "output_bouncer.json")
    ones, others = ([one["macro_f"] for one in each["rows"] if one["kind"] == "decision"] for each in (asked, again))
    assert ones == others
    told("--data", file, "--export", tmp_path / "all")  # of all patches, the drawn ones are sent
    assert json.loads((tmp_path / "all" / "output_bouncer.json").read_text()) == kept
    missing = run("--data", file, "--answers", out / "output_bouncer.json")
    assert (missing.exit_code, "24 of 24 have no answer" in missing.output) == (2, True)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "the file is empty"),
        (["{"], "line 1: this is not JSON"),
        ([row("a-1", 1, True), row("a-1", 2, False)], "line 2: the patch of 'a-1/agent-1' is there twice"),
        ([row("a-1", 1, True, model_patch=3)], '"model_patch" is missing'),
        ([row("a-1", 1, True, problem_statement=None)], "there is no text of the issue 'a-1'"),
        ([row("a-1", 1, True) | {"resolved": "yes"}], "'yes'; it must be true or false"),
        ([row("a-1", 1, True) | {"resolved": None}], "'None'; it must be true or false"),
        ([row("a-1", 1, True, underspecified=9)], "'9'; it must be 0, 1, 2 or 3"),
        ([row("a-1", 1, True, output_quality=1.5)], "'1.5'; it must be a share"),
        ([row("a-1", 1, True, output_quality=True)], "'True'; it must be a share"),
        ([row("a-1", 1, True, output_quality=0.5)], "contradict each other"),
        (['{"instance_id": "a", "output_quality": NaN}'], "a number that is none"),
        ([row("a-1", 1, True), row("b-1", 1, True)], "all of these 2 patches are right, or all wrong"),
        ([row("a-1", 1, True, "polydev")], "all of these 0 patches"),
        (
            [row("a-1", 1, True, false_negative=2), row("b-1", 1, False, false_negative=3)],
            "would draw none of these patches",
        ),
    ],
)
def test_data_that_is_wrong_is_named_with_the_mend(tmp_path: Path, given: list[Any], why: str) -> None:
    done = run("--data", write(tmp_path, given), "--json")
    assert done.exit_code == 2, done.output
    document = json.loads(done.stdout)
    assert (document["rows"], why in document["error"]) == ([], True), document


def test_what_is_not_there_is_named_with_where_it_is_published(tmp_path: Path) -> None:
    done = run("--data", tmp_path / "none.jsonl")
    assert done.exit_code == 2
    assert "github.com/SWE-bench/experiments" in done.output and "licences" in done.output


@pytest.mark.parametrize("arguments", [("--judge", "offline"), ("--strictness", "strict"), ("--weights", "packaged")])
def test_with_answers_nobody_judges(tmp_path: Path, arguments: tuple[str, str]) -> None:
    done = run("--data", write(tmp_path, rows()), "--answers", "x.json", *arguments)
    assert (done.exit_code, "nobody judges" in done.output) == (2, True)


def test_a_model_is_asked_once_about_each_patch(
    tmp_path: Path, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = scripted_model.settings()
    monkeypatch.setenv("BOUNCER_JUDGE", "openai")
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", settings.model_base_url)
    scripted_model.always(completion(json.dumps({"reasoning": "Wrong.", "label": "INCORRECT"})))
    arguments = ("--data", write(tmp_path, rows()), "--one-a-task", "--limit", 9, "--jobs", 3)
    assert run(*arguments, "--weights", "packaged").exit_code == 2
    done = run(*arguments, "--yes", "--json")
    assert done.exit_code == 0, done.output
    assert "7 questions to" in done.stderr and "not known without BOUNCER_MODEL_PRICE_IN" in done.stderr
    assert run(*arguments, "--json").stdout == done.stdout  # the second time nothing is asked
    assert len(scripted_model.requests) == 7  # of nine, two are alike
    rest = [each for each in json.loads(done.stdout)["rows"] if each["kind"] == "raw" and each["part"] == "one a task"]
    assert [each["recall_bounce"] for each in rest] == [1]


def test_a_fit_without_both_kinds_is_refused() -> None:
    one = [CountedPatch(f"t{n}", f"r{n}", {"size": 1.0}, n == 0, 1) for n in range(3)]
    with pytest.raises(DataError, match="right and wrong ones"):
        list(weights_by_repository(one))


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 30)), min_size=2, max_size=60),
    st.sampled_from([0.05, 0.1, 0.25]),
)
def test_a_promised_cut_keeps_the_promise_by_a_bound_that_counts_tasks(
    patches: list[tuple[float, bool, int]], promise: float
) -> None:
    chances = np.array([chance for chance, _, _ in patches])
    wrong = np.array([*(bad for _, bad, _ in patches[:-1]), False])
    tasks = [str(task) for _, _, task in patches]
    cut = cut_within(chances, wrong, tasks, promise)
    right = [(chance, task) for chance, bad, task in zip(chances, wrong, tasks, strict=True) if not bad]
    many = len({task for _, task in right})
    share = sum(chance >= cut for chance, _ in right) / len(right)
    assert cut == 1.0 or upper_bound(share * many, many) <= promise


def test_patches_of_one_task_do_not_make_a_cut_surer() -> None:
    chances, wrong = np.linspace(0, 0.9, 400), np.zeros(400, dtype=bool)
    by_task = cut_within(chances, wrong, [str(place % 20) for place in range(400)], 0.25)
    alone = cut_within(chances, wrong, [str(place) for place in range(400)], 0.25)
    assert 0.5 < alone < by_task < 1.0
