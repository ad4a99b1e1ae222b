"""`bouncer bench input` of a judge and of recorded answers: its rows, what it spends, and where it goes on."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.commands.predictions import Journal, predict_all
from bot.commands.shared import Interrupted
from lab.data.answers import Answer, answers_of
from lab.data.files import DataError
from lab.data.issues import AnnotatedIssue
from lab.scores.bouncer_scores import input_rows
from lab.scores.counts import draw, thirds
from tests.support.cases import cases
from tests.support.model import ScriptedModel, completion, failure, reword

CLEAR = (
    "Saving a file twice raises KeyError\n`store.save('a'); store.save('a')` raises `KeyError: 'a'`.\n\n"
    "Expected: the second call overwrites the first.\n\n1. Run the line above.\n2. See the error.\n"
)
VAGUE = "It is broken\nPlease fix."
pytestmark = pytest.mark.usefixtures("offline", "own_cache")


def row(name: str, human: int, text: str) -> dict[str, Any]:
    return {"instance_id": name, "underspecified": human, "problem_statement": text}


def data(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "issues.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


FOUR = (row("a-1", 0, CLEAR), row("a-2", 1, CLEAR + "More."), row("a-3", 2, VAGUE), row("a-4", 3, VAGUE + "!"))


def run(*arguments: object, **more: Any) -> Result:
    return CliRunner().invoke(main, ["bench", "input", *map(str, arguments)], **more)


def told(*arguments: object) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_offline_judge_is_measured_by_its_label_and_by_its_decision(tmp_path: Path) -> None:
    document = told("--data", data(tmp_path, *FOUR))
    rows = {(each["judge"], each["kind"], each["part"]): each for each in document["rows"]}
    decision = rows["offline/1, strict", "decision", "all"]
    assert (decision["recall_bounce"], decision["false_bounce"], decision["macro_f"]) == (1, 0, 1)
    assert decision["i_score"] == pytest.approx(2 / 3)
    assert {"raw", "decision"} == {kind for judge, kind, _ in rows if judge.startswith("offline")}
    assert [each["name"] for each in document["rows"][:3]] == ["accept all", "bounce all", "perfect"]
    assert {each["name"] for each in document["reference"]} >= {"o4-mini"}
    assert not any(each["judge"] in {ref["name"] for ref in document["reference"]} for each in document["rows"])
    shown = run("--data", tmp_path / "issues.jsonl").output
    assert "decision" in shown and "longest third" in shown and "other sample" in shown


def test_only_some_rows_are_measured_where_a_key_says_so(tmp_path: Path) -> None:
    file = data(tmp_path, *({**each, "sampled": number != 1} for number, each in enumerate(FOUR)))
    assert told("--data", file, "--only", "sampled")["rows"][0]["issues"] == 3
    assert told("--data", file, "--limit", 3)["rows"][0]["issues"] == 3
    missing = run("--data", file, "--only", "sample")
    assert (missing.exit_code, "Is --only right?" in missing.output) == (2, True)


def test_the_raw_label_and_the_decision_are_two_rows_by_length_as_well() -> None:
    issues = [
        AnnotatedIssue(f"a-{n}", human, "x" * size)
        for n, (human, size) in enumerate([(0, 9), (3, 8), (1, 1), (2, 2), (0, 5), (3, 4)])
    ]
    answers = [Answer(n == 1, grade, True) for n, grade in enumerate((0, 1, 2, 3, None, 2))]
    rows = {(each.kind, each.part): each.score for each in input_rows("m", issues, answers)}
    assert (rows["raw", "all"].bounced, rows["decision", "all"].bounced) == (3, 1)
    assert rows["raw", "all"].i_score == pytest.approx(2 / 3 * (1.5 - 1.5 - 0.5 + 0.5 + 1.5 + 1.5) / 6)
    assert rows["raw", "shortest third"].issues == 2
    assert rows["decision", "longest third"].recall_bounce == 1  # the long ones are the first two
    assert rows["decision", "middle third"].recall_bounce == 0


def test_a_third_of_one_class_alone_has_no_macro_f() -> None:
    issues = [AnnotatedIssue(str(n), 3 if n < 2 else 0, "x" * n) for n in range(6)]
    rows = input_rows("m", issues, [Answer(False, 0, True)] * 6)
    assert {row.score.macro_f for row in rows if row.part == "shortest third"} == {None}


def test_thirds_and_draws_are_the_same_each_time() -> None:
    assert list(thirds([5, 1, 1, 9, 7]).values()) == [[1], [0, 2], [3, 4]]
    assert draw(range(9), 3) == draw(range(9), 3)
    assert draw(range(3), 9) == [0, 1, 2]


def answers(folder: Path, **labels: Any) -> Path:
    path = folder / "answers.json"
    path.write_text(json.dumps({name.replace("_", "-"): each for name, each in labels.items()}))
    return path


def said(label: str, bounce: bool) -> dict[str, Any]:
    return {"input_bounce": bounce, "probability": 0.5, "label": label, "trace": "x"}


def test_flips_to_another_bouncer_and_the_labels_are_told(tmp_path: Path) -> None:
    """BouncerBench, sections IV-C and IV-E."""
    file = data(tmp_path, *FOUR)
    held = {each["instance_id"]: {"label": "VAGUE", "input_bounce": True} for each in FOUR}
    other = tmp_path / "other.json"
    other.write_text(json.dumps(held))
    document = told("--data", file, "--beside", other)
    (found,) = document["flips"]
    assert (found["from"], found["to"], found["flipped"]["count"], found["mended"]) == (
        "offline/1, strict", "other", 2, 0,
    )  # fmt: skip
    people, judge = document["agreement"]
    assert (people["labels"], sum(judge["labels"])) == ([1, 1, 1, 1], 4)
    assert "to wrong" in run("--data", file, "--beside", other).output
    same = told("--data", file, "--answers", other, "--beside", other)["flips"]
    assert [(each["to"], each["flipped"]["count"]) for each in same] == [(str(other), 0)]
    refused = run("--replay", file, "--beside", other)
    assert (refused.exit_code, "--replay goes with" in refused.output) == (2, True)


def test_recorded_answers_are_measured_and_more_of_them_are_left_out(tmp_path: Path) -> None:
    kept = answers(
        tmp_path,
        a_1=said("WELL_SPECIFIED", False),
        a_2=said("VAGUE", False),
        a_3=said("UNAVAILABLE", False),
        a_4={"label": "VAGUE", "explanation": "as BouncerBench published them"},
        b_9=said("TASK", False),
    )
    document = told("--data", data(tmp_path, *FOUR), "--answers", kept)
    rows = {each["kind"]: each for each in document["rows"] if each["judge"] == "answers" and each["part"] == "all"}
    assert (rows["raw"]["bounced"], rows["decision"]["bounced"]) == (2, 1)
    assert (document["unavailable"], document["left_out"]) == (1, 1)
    shown = run("--data", tmp_path / "issues.jsonl", "--answers", kept).output
    assert "1 were not judged" in shown and "1 further answers" in shown


def test_what_judge_issues_writes_gives_the_same_figures_as_judging_here(tmp_path: Path) -> None:
    """And what --export writes is that file."""
    file, out = data(tmp_path, *FOUR), tmp_path / "out.json"
    assert CliRunner().invoke(main, ["judge", "issues", str(file), "--out", str(out)]).exit_code == 0
    recorded, asked = told("--data", file, "--answers", out), told("--data", file, "--export", tmp_path / "send" / "in")
    figures = [[{**each, "judge": "", "name": ""} for each in document["rows"]] for document in (recorded, asked)]
    assert figures[0] == figures[1]
    assert (tmp_path / "send" / "in" / "input_bouncer.json").read_text() == out.read_text()


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "the file is empty"),
        (["{"], "line 1: this is not JSON"),
        (["[]"], "one JSON object"),
        ([FOUR[0], FOUR[0]], "line 2: the id 'a-1' is there twice"),
        ([{**FOUR[0], "underspecified": 4}], "'4'; it must be 0, 1, 2 or 3"),
        ([{**FOUR[0], "underspecified": True}], "'True'; it must be"),
        (['{"instance_id": "a", "problem_statement": "x", "underspecified": NaN}'], "a number that is none"),
        ([{**FOUR[0], "problem_statement": None}], '"problem_statement" is missing'),
        ([{**FOUR[0], "instance_id": ""}], '"instance_id" is missing'),
        ([FOUR[0], FOUR[1]], "all of these 2 issues, or none"),
    ],
)
def test_data_that_is_wrong_is_named_with_the_mend(tmp_path: Path, rows: list[Any], why: str) -> None:
    path = tmp_path / "issues.jsonl"
    path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in rows))
    done = run("--data", path, "--json")
    assert done.exit_code == 2, done.output
    document = json.loads(done.stdout)
    assert (document["rows"], document["reference"]) == ([], [])
    assert why in document["error"]


@cases
def test_answers_that_are_wrong_are_named_with_the_mend(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "answers.json"
    path.write_text(text)
    done = run("--data", data(tmp_path, *FOUR), "--answers", path)
    assert (done.exit_code, why in done.output) == (2, True), done.output


def test_what_is_not_there_is_named_with_where_it_is_published(tmp_path: Path) -> None:
    done = run("--data", tmp_path / "none.jsonl")
    assert done.exit_code == 2
    assert "huggingface.co/datasets/SWE-bench" in done.output and "licence" in done.output
    assert (
        "`bouncer judge issues --out FILE`" in run("--data", data(tmp_path, *FOUR), "--answers", tmp_path / "no").output
    )


@cases
def test_options_that_do_not_go_together_are_refused(tmp_path: Path, arguments: tuple[Any, ...], why: str) -> None:
    done = run("--data", data(tmp_path, *FOUR), *arguments)
    assert (done.exit_code, why in done.output) == (2, True), done.output


def test_nothing_judged_is_no_figure(tmp_path: Path) -> None:
    nothing = {"label": "UNAVAILABLE", "input_bounce": False}
    kept = answers(tmp_path, a_1=nothing, a_2=nothing, a_3=nothing, a_4=nothing)
    done = run("--data", data(tmp_path, *FOUR), "--answers", kept)
    assert done.exit_code == 3


@pytest.fixture
def model(scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    settings = scripted_model.settings()
    monkeypatch.setenv("BOUNCER_JUDGE", "openai")
    monkeypatch.setenv("BOUNCER_MODEL", settings.model)
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", settings.model_base_url)
    monkeypatch.setenv("BOUNCER_MODEL_PRICE_IN", "2")
    monkeypatch.setenv("BOUNCER_MODEL_PRICE_OUT", "8")
    return scripted_model


def test_a_model_is_asked_after_a_yes_and_what_it_cost_is_said(tmp_path: Path, model: ScriptedModel) -> None:
    file = data(tmp_path, *FOUR)
    refused = run("--data", file, input="n\n")
    assert (refused.exit_code, "nothing was asked" in refused.output) == (2, True)
    assert "4 questions to" in refused.output and "16,000 out" in refused.output
    assert run("--data", file, input="").exit_code == 2  # nobody there to ask
    model.script(*(completion(label=label) for label in ("WELL_SPECIFIED", "REASONABLY_SPECIFIED", "VAGUE", "VAGUE")))
    done = run("--data", file, "--jobs", 1, input="y\n")
    assert done.exit_code == 0, done.output
    assert "4 calls of" in done.stderr and "4,000 tokens in, 400 out, 0.01 spent" in done.stderr
    again = run("--data", file, "--json")  # nothing more is asked
    rows = [each for each in json.loads(again.stdout)["rows"] if each["part"] == "all" and each["kind"] == "raw"]
    assert (rows[0]["recall_bounce"], rows[0]["false_bounce"]) == (1, 0)
    assert len(model.requests) == 4


def test_the_cost_of_each_model_is_said_and_what_a_cheap_one_saved(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_MODELS", '[{"model": "o4-mini", "price_in": 1, "price_out": 4}]')
    monkeypatch.setenv("BOUNCER_FIRST_MODEL", "o4-mini")
    labels = ("WELL_SPECIFIED", "WELL_SPECIFIED", "VAGUE", "VAGUE", "VAGUE", "VAGUE")
    model.script(*(completion(label=label, usage=(10_000, 1000)) for label in labels))
    done = run("--data", data(tmp_path, *FOUR), "--jobs", 1, input="y\n")
    assert done.exit_code == 0, done.output
    assert "4 questions to o4-mini" in done.stderr and "4 questions to gpt-4.1" in done.stderr
    assert "4 calls of o4-mini: 40,000 tokens in, 4,000 out, 0.06 spent." in done.stderr
    assert "2 calls of gpt-4.1: 20,000 tokens in, 2,000 out, 0.06 spent." in done.stderr
    assert "o4-mini settled 2 of 4 alone, which saved about 0.06." in done.stderr
    monkeypatch.setenv("BOUNCER_FIRST_MODEL", "")
    assert "4 questions to gpt-4.1" in run("--data", data(tmp_path, *FOUR), input="n\n").output, "other answers"


@pytest.mark.parametrize("fails", ["o4-mini", "gpt-4.1"])
def test_nothing_was_saved_where_one_of_a_cascade_does_not_answer(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    monkeypatch.setenv("BOUNCER_MODELS", '[{"model": "o4-mini", "price_in": 1, "price_out": 4}]')
    monkeypatch.setenv("BOUNCER_FIRST_MODEL", "o4-mini")
    each = (failure(401), completion(label="VAGUE"))
    model.script(*(each if fails == "o4-mini" else each[::-1]) * 4)
    done = run("--data", data(tmp_path, *FOUR), "--jobs", 1, "--yes")
    assert "o4-mini settled 0 of 4 alone." in done.stderr


def test_a_vote_that_lacks_a_voter_is_kept_only_where_it_would_be_the_same(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "BOUNCER_MODELS", '[{"model": "o4-mini"}, {"model": "qwen3-32b", "base_url": "http://127.0.0.1:9"}]'
    )
    monkeypatch.setenv("BOUNCER_VOTER_MODELS", "o4-mini,qwen3-32b")
    monkeypatch.setattr("bot.judges.openai.endpoint.MAX_TRIES", 1)
    file = data(tmp_path, *FOUR)
    model.script(*(completion(label=label) for label in ("VAGUE", "VAGUE") * 3), completion(label="VAGUE"),
                 completion(label="WELL_SPECIFIED"))  # fmt: skip
    done = run("--data", file, "--yes", "--jobs", 1)
    assert done.exit_code == 0 and "1 were not judged." in done.stdout
    model.always(completion(label="VAGUE"))
    again = run("--data", file, "--yes")
    assert again.exit_code == 0 and "not judged" not in again.stdout
    assert len(model.requests) == 10, "one issue is asked about again"


def test_what_was_answered_for_a_few_is_not_asked_again_for_all(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = data(tmp_path, *FOUR)
    model.always(completion(label="VAGUE"))
    assert run("--data", file, "--only", "sampled", "--yes").exit_code == 2  # no such row: nobody is asked
    few = data(tmp_path, FOUR[1], FOUR[2])
    assert run("--data", few, "--yes").exit_code == 0
    done = run("--data", data(tmp_path, *FOUR), "--yes")
    assert "2 questions to" in done.stderr and "2 more are known from before" in done.stderr
    assert len(model.requests) == 4
    run("--data", file, "--yes", "--strictness", "lenient")  # another decision is another run
    assert len(model.requests) == 8
    reword(monkeypatch, "review-verdict")
    run("--data", file, "--yes")
    assert len(model.requests) == 8, "another question's prompt"
    reword(monkeypatch, "issue-specification")
    run("--data", file, "--yes")
    assert len(model.requests) == 12, "answers to another prompt are none"


def test_a_run_that_stopped_goes_on_and_half_a_line_of_its_cache_does_not_count(
    tmp_path: Path, model: ScriptedModel
) -> None:
    file = data(tmp_path, *FOUR)
    model.script(*(completion(label="VAGUE") for _ in range(4)))
    assert run("--data", file, "--yes").exit_code == 0
    (cache,) = (tmp_path / "cache" / "bench").iterdir()
    lines = cache.read_text().split("\n")
    cache.write_text("\n".join(lines[:3]) + "\n" + lines[3][:40])
    model.script(completion(label="VAGUE"), completion(label="VAGUE"))
    done = run("--data", file, "--yes")
    assert "2 questions to" in done.stderr and "2 more are known from before" in done.stderr
    assert len(model.requests) == 6


def test_what_was_paid_for_stays_beside_a_line_that_two_runs_or_a_full_disk_spoiled(tmp_path: Path) -> None:
    journal, path = Journal(tmp_path / "kept", ["x"]), tmp_path / "kept"
    journal.resume()
    for name in ("a", "b", "c"):
        journal.keep(name, {"label": "VAGUE"})
    before = path.stat().st_ino, path.read_bytes()
    assert list(journal.resume()) == ["a", "b", "c"]
    assert (path.stat().st_ino, path.read_bytes()) == before, "nothing is written without need"
    head, a, b, c, _ = before[1].split(b"\n")
    path.write_bytes(b"\n".join([head, a, b[:9] + b"\xff" + b[9:], c, b'["d", {"la\xff\xfe']))
    assert list(journal.resume()) == ["a", "c"]
    journal.keep("d", {"label": "VAGUE"})
    assert list(Journal(path, ["x"]).resume()) == ["a", "c", "d"]


def test_a_cache_directory_that_cannot_be_made_is_named(tmp_path: Path, model: ScriptedModel) -> None:
    (tmp_path / "cache").write_text("")
    done = run("--data", data(tmp_path, *FOUR), "--yes")
    assert done.exit_code == 2 and "Set BOUNCER_CACHE_DIR to another." in done.stderr


def test_ctrl_c_says_how_far_it_came_and_keeps_it(tmp_path: Path) -> None:
    asked: list[int] = []

    def predict(number: int) -> dict[str, Any]:
        if len(asked) == 2:
            raise KeyboardInterrupt
        asked.append(number)
        return {"label": "VAGUE", "input_bounce": True}

    subjects = {f"a-{number}": number for number in range(4)}
    with pytest.raises(Interrupted, match=r"stopped after 2 of 4\. The same command goes on from there"):
        predict_all(subjects, predict, Journal(tmp_path / "kept", ["x"]))
    more: list[int] = []
    found = predict_all(subjects, lambda n: more.append(n) or {"label": "x"}, Journal(tmp_path / "kept", ["x"]), jobs=2)
    assert (sorted(more), list(found)) == ([2, 3], list(subjects))


def test_a_bounce_alone_is_an_answer() -> None:
    assert answers_of({"a": {"input_bounce": True}}, "input_bounce", "x") == {"a": Answer(True, None, True)}
    with pytest.raises(DataError):
        answers_of({"a": {"input_bounce": None, "label": "VAGUE"}}, "input_bounce", "x")
