"""`bouncer bench review`: shares by how the reviewer was asked, the filter on its fixes, and bad files."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.sandbox.bubblewrap import BubblewrapExecutor
from lab.data.programs import Pair
from lab.scores.review import PUBLISHED, RecordedReview, review_rows, to_test
from tests.lab.patches import write
from tests.support.model import ScriptedModel, completion, failure, reword


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", "review", *map(str, arguments)])


def row(task: str, correct: bool, verdict: str, mode: str = "Full", **more: Any) -> dict[str, Any]:
    given = {"judge": "one", "dataset": "HumanEval", "task": task, "correct": correct, "mode": mode, "verdict": verdict}
    return given | more


def test_each_way_of_asking_has_its_own_shares(tmp_path: Path) -> None:
    rows = [row(f"t{n}", True, "no" if n < 3 else "Yes") for n in range(4)]
    rows += [
        row(f"t{n}", False, "yes" if n < 1 else "no", consistency="consistent" if n else "unclear") for n in range(4)
    ]
    rows += [row("t0", False, "no", "Explain", bug="mismatch", symptom="match")]
    rows += [row("t0", True, "no", "Direct"), row("t0", True, "yes", "Direct", judge="other")]
    file = write(tmp_path, rows)
    done = run("--answers", file, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    found = {(each["judge"], each["mode"]): each for each in document["rows"]}
    full = found["one", "Full"]
    assert (full["false_rejections"]["share"], full["false_acceptances"]["share"]) == (0.75, 0.25)
    assert (full["consistent"]["count"], full["consistent"]["of"]) == (3, 4)
    assert full["bug"]["share"] is None
    explain = found["one", "Explain"]
    assert (explain["bug"]["share"], explain["symptom"]["share"], explain["false_rejections"]["share"]) == (0, 1, None)
    assert (found["one", "Direct"]["false_rejections"]["share"], found["other", "Direct"]["kind"]) == (1, "verdict")
    assert len(document["reference"]) == sum(len(modes) for modes in PUBLISHED.values()) * 3
    assert "GPT-4o (paper)" in run("--answers", file).output


def test_decisions_that_flip_between_modes_are_counted(tmp_path: Path) -> None:
    """Of programs that were judged in both, in the product's own words; a flip mends or spoils a decision."""
    said = {("a", True): ("yes", "no"), ("b", True): ("no", "yes"), ("a", False): ("yes", "no"),
            ("b", False): ("no", "no"), ("c", True): ("yes", "no"), ("d", True): ("yes",)}  # fmt: skip
    asked = ("Direct", "Full")
    rows = [row(*one, how, mode) for one, both in said.items() for mode, how in zip(asked, both, strict=False)]
    rows += [row("e", True, "yes", "Direct", judge="other"), row("e", True, "no", judge="other", dataset="MBPP")]
    rows += [row("a", True, "yes", wording=1)]
    file = write(tmp_path, rows)
    (found,) = json.loads(run("--answers", file, "--json").stdout)["flips"]
    assert (found["judge"], found["dataset"], found["modes"]) == ("one", "HumanEval", ["Direct", "Full"])
    assert (found["flips"]["flipped"]["count"], found["flips"]["flipped"]["of"]) == (4, 5)
    assert (found["rejected"], found["flips"]["mended"], found["flips"]["p"]) == (3, 2, 1)
    assert "Direct to Full" in run("--answers", file).output
    assert "Direct to" not in run("--answers", write(tmp_path, rows[:1])).output


def test_faults_that_pass_and_reasons_for_wrong_rejections_are_told(tmp_path: Path) -> None:
    """Of wrong programs those with a label, and of right ones those whose rejection has a reason."""
    rows = [row("Python/0", False, "yes"), row("t", False, "yes"), row("Python/0", False, "no", wording=1)]
    rows += [row(f"t{n}", True, "no", reason=why) for n, why in enumerate(["logic_error"] * 2 + ["misread_spec", ""])]
    rows += [row("t9", True, "yes", reason="logic_error")]
    file, data = write(tmp_path, rows), programs(tmp_path)
    document = json.loads(run("--answers", file, "--data", data, "--json").stdout)
    found = [(each["by"], each["kind"], each["found"]["count"], each["found"]["of"]) for each in document["kinds"]]
    assert found == [
        ("bug type", "operator misuse", 1, 1), ("reason", "logic_error", 2, 3), ("reason", "misread_spec", 1, 3),
        ("symptom", "incorrect output", 1, 1),
    ]  # fmt: skip
    assert "operator misuse" in run("--answers", file, "--data", data).output
    assert "operator misuse" not in run("--answers", file, "--data", tmp_path / "none").output


def test_the_papers_figures_stand_where_they_belong() -> None:
    """Its abstract's: GPT-4o's false rejections on HumanEval go from 26.2% to 73.2% (Table 2)."""
    assert (PUBLISHED["GPT-4o"]["Direct"][1], PUBLISHED["GPT-4o"]["Full"][1]) == (26.2, 73.2)


def test_a_lifted_rejection_counts_as_accepted_in_a_row_of_its_own() -> None:
    right, wrong = (RecordedReview("one", "QuixBugs", "t", correct, "Full", False, "x") for correct in (True, False))
    direct = RecordedReview("one", "QuixBugs", "t", True, "Direct", False, "x")
    silent = RecordedReview("two", "QuixBugs", "t", True, "Full", False)
    rows = review_rows([right, wrong, direct, silent], {right: True, wrong: False, direct: True})
    found = {(each.judge, each.mode, each.kind): each for each in rows}
    assert found["one", "Full", "verdict"].false_rejections.share == 1
    assert found["one", "Full", "filtered"].false_rejections.share == 0
    assert found["one", "Full", "filtered"].false_acceptances.share == 0
    assert ("one", "Direct", "filtered") in found
    assert ("two", "Full", "filtered") not in found


def test_only_rejections_with_a_fix_of_a_known_program_are_tried() -> None:
    known = [Pair("HumanEvalPack", "t", "right", "wrong", "tests", "says", True)]
    some = [
        RecordedReview("one", "HumanEval", "t", True, "Full", False, "fix"),
        RecordedReview("one", "HumanEval", "t", False, "Full", False, "fix"),
        RecordedReview("one", "HumanEval", "t", True, "Direct", True, "fix"),
        RecordedReview("one", "HumanEval", "t", True, "Explain", False),
        RecordedReview("one", "MBPP", "t", True, "Full", False, "fix"),
    ]
    found = to_test(some, known)
    assert list(found) == some[:1]
    assert (found[some[0]].original, found[some[0]].fix, found[some[0]].tests) == ("right", "fix", "tests")


def programs(folder: Path) -> Path:
    """One task of our own in the form of each data set."""
    pack = {
        "task_id": "Python/0",
        "entry_point": "f",
        "declaration": "def f(n):\n",
        "canonical_solution": "    return n + 1\n",
        "buggy_solution": "    return n - 1\n",
        "example_test": "def check(f):\n    assert f(3) == 4\ncheck(f)",
        "docstring": "Adds one.",
        "bug_type": "operator misuse",
        "failure_symptoms": "incorrect output",
    }
    write(folder, [pack], "humanevalpack.jsonl")
    solution = {
        "dataset": "mbpp",
        "task_id": "1",
        "test": "assert f(3) == 4",
        "prompt": "Adds one.",
        "entry_point": "f",
    }
    write(folder, [solution | {"solution": "def f(n): return n + 1", "correct": True}], "llm_solutions.jsonl")
    write(folder, [{"name": "g", "test_cases": []}], "quixbugs.jsonl")
    write(folder, [{"task_id": "1", "test_setup_code": "x"}], "mbpp.jsonl")
    return folder


def test_the_fixes_are_executed_beside_the_programs(tmp_path: Path) -> None:
    if not BubblewrapExecutor().probe().usable:
        pytest.skip("nothing can be run here")
    same = "def f(n):\n    return 1 + n\n"
    rows = [row("Python/0", True, "no", fix=same), row("Python/0", False, "no", fix=same)]
    done = run("--answers", write(tmp_path, rows), "--filter", "--data", programs(tmp_path), "--json")
    assert done.exit_code == 0, done.output
    found = {(each["mode"], each["kind"]): each for each in json.loads(done.stdout)["rows"]}
    assert found["Full", "verdict"]["false_rejections"]["share"] == 1
    assert found["Full", "filtered"]["false_rejections"]["share"] == 0  # the same program, written otherwise
    assert found["Full", "filtered"]["false_acceptances"]["share"] == 0  # the fix passes what the program fails


def test_a_filter_without_anything_to_try_is_refused(tmp_path: Path) -> None:
    if not BubblewrapExecutor().probe().usable:
        pytest.skip("nothing can be run here")
    done = run("--answers", write(tmp_path, [row("t", True, "no")]), "--filter", "--data", programs(tmp_path))
    assert (done.exit_code, "no rejection has a fix" in done.output) == (2, True), done.output


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "the file is empty"),
        (["[1]"], "one JSON object"),
        ([row("t", True, "maybe")], "'maybe'; it must be one of yes, no"),
        ([row("t", True, "no", "Short")], "'Short'; it must be one of Direct"),
        ([row("t", True, "no", dataset="CodeNet")], "'CodeNet'; it must be one of HumanEval"),
        ([row("t", True, "no") | {"correct": 1}], "'1'; it must be true or false"),
        ([row("t", True, "no", consistency="mostly")], "'mostly'; it must be one of consistent"),
        ([row("t", True, "no", bug=["match"])], "it must be one of match"),
        ([row("t", True, "no", reason="dislike")], "it must be one of misread_spec"),
        ([row("t", True, "no", fix=3)], '"fix" is not a text'),
        ([row("", True, "no")], '"task" is missing'),
        ([row("t", True, "no"), row("t", True, "yes")], "is there twice"),
    ],
)
def test_answers_that_are_wrong_are_named_with_the_mend(tmp_path: Path, given: list[Any], why: str) -> None:
    done = run("--answers", write(tmp_path, given), "--json")
    assert done.exit_code == 2, done.output
    assert why in json.loads(done.stdout)["error"]


def test_what_is_not_there_is_named_with_what_it_holds(tmp_path: Path) -> None:
    done = run("--answers", tmp_path / "none.jsonl")
    assert (done.exit_code, "HumanEvalPack and QuixBugs (both MIT)" in done.output) == (2, True)


@pytest.fixture
def model(scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedModel:
    monkeypatch.setenv("BOUNCER_JUDGE", "openai")
    monkeypatch.setenv("BOUNCER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", scripted_model.settings().model_base_url)
    return scripted_model


def said(**answer: str) -> Any:
    return completion(json.dumps(answer))


SHOWN = {"clause": "Adds one.", "call": "f(1)", "working": "1 + 1", "expected": "2", "fix": "def f(n):\n    return 2\n"}


def test_a_model_is_asked_in_three_ways_about_each_program(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the right program and of the wrong one; a fix is asked for after a bare no alone."""
    model.script(said(verdict="yes"), said(verdict="no"), said(**SHOWN))
    model.script(said(verdict="no", rationale="Too high."), said(verdict="no", rationale="Too low."))
    model.script(
        said(verdict="no", rationale="x", fix="def f(n): return n"), said(verdict="yes", rationale="", fix="x")
    )
    model.script(*(said(quote="", label=label) for label in ("consistent", "NO_but_positive", "unclear")))
    model.script(
        said(bug="mismatch", symptom="match"), said(category="added_requirement"), said(category="logic_error")
    )
    arguments = ("--data", programs(tmp_path), "--jobs", 1, "--yes", "--json")
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    shares = {
        each["mode"]: (each["false_rejections"]["share"], each["false_acceptances"]["share"])
        for each in json.loads(done.stdout)["rows"]
    }
    assert shares == {"Direct": (0, 0), "Explain": (1, 0), "Full": (1, 1)}
    looks = {
        each["mode"]: [each[what]["share"] for what in ("consistent", "bug", "symptom")]
        for each in json.loads(done.stdout)["rows"]
    }
    # Of the wrong program alone the fault is asked for, and nothing of an answer without a reason.
    assert looks == {"Direct": [None] * 3, "Explain": [0.5, 0, 1], "Full": [0, None, None]}
    assert "operator misuse" in model.requests[10].prompt
    asked = [request.prompt for request in model.requests[:7]]
    assert ["mend" in prompt for prompt in asked] == [False, False, True, False, False, True, True]
    assert ["def f(n):" in prompt and "Adds one." in prompt for prompt in asked] == [True] * 7
    again = run(*arguments, "--mode", "Full")
    assert [each["mode"] for each in json.loads(again.stdout)["rows"]] == ["Full"]
    kinds = {(each["mode"], each["by"], each["kind"]): each["found"] for each in json.loads(done.stdout)["kinds"]}
    assert kinds["Full", "bug type", "operator misuse"]["share"] == 1
    assert (
        kinds["Explain", "reason", "added_requirement"]["of"],
        kinds["Direct", "symptom", "incorrect output"]["share"],
    ) == (1, 0)
    assert len(model.requests) == 13  # known from before
    reword(monkeypatch, "review-fix")
    model.script(said(verdict="yes"), said(verdict="no"), said(**SHOWN))
    run(*arguments, "--mode", "Direct")
    assert len(model.requests) == 16, "the second question of Direct is another one now"


def test_another_model_may_be_the_evaluator_and_need_not_answer(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever gave the reasons does not judge them, and the reviews count without its word."""
    monkeypatch.setenv("BOUNCER_MODELS", json.dumps([{"model": "other", "base_url": model.settings().model_base_url}]))
    monkeypatch.setenv("BOUNCER_EVALUATOR_MODEL", "other")
    model.script(said(verdict="yes", rationale="Fine."), said(verdict="no", rationale="Too low."))
    model.always(failure(401))
    done = run("--data", programs(tmp_path), "--mode", "Explain", "--jobs", 1, "--yes", "--json")
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["false_rejections"]["share"], row["consistent"]["share"], row["bug"]["share"]) == (0, None, None)
    assert [request.body["model"] for request in model.requests][:3] == ["gpt-4.1", "gpt-4.1", "other"]


def test_the_ceiling_is_one_for_all_ways_of_asking(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_MODEL_PRICE_OUT", "1000")  # 4.00 for an answer of 4,000 tokens
    monkeypatch.setenv("BOUNCER_MODEL_SPEND_PER_DAY", "9")
    answer = json.dumps({"verdict": "yes", "rationale": "Fine.", "fix": ""})
    model.always(completion(answer, usage=(0, 4000)))
    done = run("--data", programs(tmp_path), "--mode", "Explain", "--mode", "Full", "--jobs", 1, "--yes")
    assert (done.exit_code, "2 questions got no answer" in done.output) == (0, True), done.output
    assert len(model.requests) == 2


def test_a_name_is_no_markup(tmp_path: Path) -> None:
    given = [row("t", True, "yes") | {"judge": "[/odd] :smile:"}]
    done = run("--answers", write(tmp_path, given))
    assert (done.exit_code, "[/odd] :smile:" in done.output) == (0, True), done.output


def test_what_got_no_answer_is_left_out_and_said(tmp_path: Path, model: ScriptedModel) -> None:
    model.script(said(verdict="yes", rationale="Fine."))
    model.always(failure(401))
    done = run("--data", programs(tmp_path), "--mode", "Explain", "--jobs", 1, "--yes")
    assert (done.exit_code, "1 questions got no answer" in done.output) == (0, True), done.output
    nothing = run("--data", programs(tmp_path), "--mode", "Direct", "--jobs", 1, "--yes")
    assert nothing.exit_code == 3


def test_the_offline_judge_reads_no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_JUDGE", "offline")
    done = run("--data", programs(tmp_path))
    assert (done.exit_code, "Set BOUNCER_JUDGE=openai, or name --answers" in done.output) == (2, True)
    both = run("--answers", "x", "--mode", "Full")
    assert (both.exit_code, "nobody is asked" in both.output) == (2, True)


def test_the_spread_of_wordings_is_printed(tmp_path: Path) -> None:
    """Of programs that were judged in all of them; the other figures are those of the first."""
    said_of = {"t0": "yes no yes", "t1": "no no no", "t2": "yes no no", "t3": "yes"}
    rows = [
        row(task, task != "t1", verdict, wording=wording)
        for task, verdicts in said_of.items()
        for wording, verdict in enumerate(verdicts.split())
    ]
    file = write(tmp_path, rows)
    document = json.loads(run("--answers", file, "--json").stdout)
    (plain,), (spread,) = document["rows"], document["wordings"]
    assert (plain["false_rejections"]["of"], plain["false_rejections"]["share"]) == (3, 0)
    found = spread["false_rejections"]
    assert (spread["wordings"], found["least"], found["greatest"], round(found["deviation"], 4)) == (3, 0, 1, 0.4082)
    assert (spread["flipped"]["count"], spread["flipped"]["of"]) == (2, 3)
    assert spread["false_acceptances"] == {"least": 0, "greatest": 0, "deviation": 0}
    assert "0.0% to 100.0%" in run("--answers", file).output
    assert "wording" in run("--answers", write(tmp_path, [row("t", True, "yes", wording="2")])).output
    assert "--paraphrased" in run("--answers", file, "--paraphrased", 1).output


def test_a_model_is_asked_in_other_words_too(tmp_path: Path, model: ScriptedModel) -> None:
    """A fix is asked for in the same words, and what other words gave is looked at no further."""
    model.script(said(verdict="yes", rationale="Fine."), said(verdict="no", rationale="Too low."))
    model.script(said(verdict="no", rationale="Hm."), said(verdict="no", rationale="Too low."))
    model.script(*[said(quote="", label="consistent")] * 2, said(bug="match", symptom="match"))
    done = run("--data", programs(tmp_path), "--mode", "Explain", "--paraphrased", 1, "--jobs", 1, "--yes", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["rows"][0]["false_rejections"]["share"] == 0
    (spread,) = document["wordings"]
    assert (spread["false_rejections"]["greatest"], spread["flipped"]["count"], spread["flipped"]["of"]) == (1, 1, 2)
    systems = [request.body["messages"][0]["content"] for request in model.requests[:4]]
    assert len({each[:40] for each in systems}) == 2
    model.script(said(verdict="yes"), said(verdict="no"), said(**SHOWN))
    model.script(said(verdict="yes"), said(verdict="no"), said(**SHOWN))
    run("--data", programs(tmp_path), "--mode", "Direct", "--paraphrased", 1, "--jobs", 1, "--yes")
    fixes = [each.body["messages"][0]["content"] for each in model.requests if "counterexample" in each.prompt]
    assert [each.partition("mark ")[0] for each in fixes] == [fixes[0].partition("mark ")[0]] * 2
