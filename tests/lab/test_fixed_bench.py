"""`bouncer bench fixed`: how often agents hold back, what Bouncer says of the three states, and bad files."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import main
from lab.commands import bench_fixed
from lab.fixed.states import ALL, BY_TEXT, CEILING, GONE, MINUS, NONE, RIGHT, stages, state_rows
from lab.scores.abstention import PUBLISHED, PUBLISHED_P, Behaviour, abstention_rows, read_agents
from lab.scores.counts import mcnemar, rate
from tests.lab.patches import diff, write
from tests.support.cases import cases
from tests.support.model import ScriptedModel, completion, failure


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BOUNCER_CACHE_DIR", str(tmp_path / "cache"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", "fixed", *map(str, arguments)])


def row(task: str, state: str, prompt: str, patch: str | None, **more: Any) -> dict[str, Any]:
    return {"agent": "one", "instance_id": task, "state": state, "prompt": prompt, "model_patch": patch, **more}


COMMENT = diff(0).replace("     return", "+    # nothing to do\n     return").replace("+1,2 @@", "+1,3 @@")


def test_to_hold_back_is_to_change_no_code(tmp_path: Path) -> None:
    """FixedBench, appendix A: tests, documents and comments do not count."""
    patches = [None, "", COMMENT, diff(1, "tests/test_cart.py"), diff(1, "README.md"), diff(1)]
    file = write(tmp_path, [row(f"t{n}", "Resolved", "Issue", patch) for n, patch in enumerate(patches)])
    assert [answer.abstained for answer in read_agents(file)] == [True] * 5 + [False]


def test_half_a_character_ends_nothing(tmp_path: Path) -> None:
    """JSON can hold a lone surrogate, and no file can."""
    given = row("t", "Novel", "Issue", COMMENT.replace("nothing", "no \ud800"), agent="one \ud800 \U0001f600")
    done = run("--predictions", write(tmp_path, [given]), "--json")
    assert (done.exit_code, json.loads(done.stdout)["rows"][0]["agent"]) == (0, "one ? \U0001f600"), done.output


def test_right_and_wrong_abstention_are_told_apart_and_tested_in_pairs(tmp_path: Path) -> None:
    rows = [row(f"t{n}", "Resolved", "Issue", diff(1) if n < 6 else "", resolved=n < 8) for n in range(10)]
    rows += [row(f"t{n}", "Resolved", "Abstain or Fix", "") for n in range(9)]
    rows += [row(f"t{n}", "Partial", "Issue", "" if n else diff(1), resolved=False) for n in range(4)]
    file = write(tmp_path, rows)
    done = run("--predictions", file, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    issue, abstain, partial = document["rows"]
    assert (issue["abstained"]["share"], issue["correct"], issue["p"]) == (0.4, True, None)
    assert issue["resolved"]["share"] == 0.8
    assert (abstain["abstained"]["share"], abstain["pairs"]) == (1, 9)
    assert (abstain["more"], abstain["fewer"]) == (6, 0)
    assert abstain["p"] == pytest.approx(2 / 2**6)  # six changed one way, none the other
    assert abstain["resolved"] == {"count": 0, "of": 0, "share": None, "low": None, "high": None}
    assert (partial["abstained"]["share"], partial["correct"]) == (0.75, False)
    paper = {(each["agent"], each["state"], each["scenario"], each["prompt"]): each for each in document["reference"]}
    assert paper["GPT-5.4 mini", "Partial", "Best", "Abstain or Fix"]["abstained"] == pytest.approx(0.936)
    shown = run("--predictions", file).output
    assert "40.0%" in shown and "75.0%" in shown and "Sonnet-4.6 (paper)" in shown
    assert "5.5e-25" in shown, "what is small is no zero"


def test_what_traces_show_is_told_of_those_that_hold_back_and_of_the_others(tmp_path: Path) -> None:
    """FixedBench, section 3.3. Traces that nobody looked at are not counted."""
    rows = [row("t1", "Resolved", "Issue", "", behaviours=["realizes_already_fixed", "add_test"])]
    rows += [row("t2", "Resolved", "Issue", diff(1), behaviours=["no_op_edit"])]
    rows += [row("t3", "Resolved", "Issue", diff(1), behaviours=[]), row("t4", "Resolved", "Issue", diff(1))]
    file = write(tmp_path, rows)
    found = {each["behaviour"]: each for each in json.loads(run("--predictions", file, "--json").stdout)["behaviours"]}
    assert [*found] == [*Behaviour]
    assert (found["realizes_already_fixed"]["abstained"]["share"], found["no_op_edit"]["edited"]["share"]) == (1, 0.5)
    assert (found["no_op_edit"]["edited"]["of"], found["unrelated_fix"]["edited"]["count"]) == (2, 0)
    shown = run("--predictions", file).output
    assert "no_op_edit" in shown and "87.1%" in shown
    assert "no_op_edit" not in run("--predictions", write(tmp_path, rows[3:])).output


def test_a_model_is_asked_what_a_trace_shows(
    tmp_path: Path, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, and only of a trace that nobody looked at; without an answer it stays so."""
    monkeypatch.setenv("BOUNCER_JUDGE", "openai")
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", scripted_model.settings().model_base_url)
    scripted_model.script(completion(json.dumps({"behaviours": ["defense_in_depth", "no_op_edit"]})), failure(401))
    more = {"problem_statement": "It crashes.", "trace": "$ grep total"}
    rows = [row("t1", "Resolved", "Issue", diff(1), **more), row("t2", "Resolved", "Issue", "", trace="$ git log")]
    rows += [row("t3", "Resolved", "Issue", "", **more, behaviours=[]), row("t4", "Resolved", "Issue", "")]
    file = write(tmp_path, rows)
    done = run("--predictions", file, "--behaviours", "--jobs", 1, "--yes", "--json")
    assert done.exit_code == 0, done.output
    found = {each["behaviour"]: each for each in json.loads(done.stdout)["behaviours"]}
    assert (found["no_op_edit"]["edited"]["share"], found["defense_in_depth"]["edited"]["of"]) == (1, 1)
    assert found["no_op_edit"]["abstained"]["of"] == 1
    assert len(scripted_model.requests) == 2
    assert "It crashes." in scripted_model.requests[0].prompt and "$ grep total" in scripted_model.requests[0].prompt
    none = run("--predictions", write(tmp_path, rows[3:]), "--behaviours", "--yes")
    assert (none.exit_code, "no row has a trace" in none.output) == (2, True)
    assert "goes with --predictions" in run("--repos", tmp_path, "--behaviours").output
    monkeypatch.setenv("BOUNCER_JUDGE", "offline")
    assert "reads no traces" in run("--predictions", file, "--behaviours").output


def test_scenarios_and_agents_are_never_mixed(tmp_path: Path) -> None:
    rows = [row("t1", "Resolved", "Issue", ""), row("t1", "Resolved", "Edit", diff(1), scenario="Worst")]
    rows += [row("t1", "Resolved", "Edit", diff(1)) | {"agent": "other"}]
    found = abstention_rows(read_agents(write(tmp_path, rows)))
    assert {(each.agent, each.scenario, each.pairs) for each in found} == {
        ("one", "Best", 0),
        ("one", "Worst", 0),
        ("other", "Best", 0),
    }


def test_the_papers_p_values_are_of_this_size() -> None:
    """Exact p by hand: 1 of 6 that changed, and 5 of 25."""
    assert mcnemar(5, 1) == pytest.approx(2 * (1 + 6) / 64)
    assert mcnemar(20, 5) == pytest.approx(0.004077, abs=1e-6)


@given(st.integers(0, 400), st.integers(0, 400))
def test_a_p_value_is_one_whichever_way_it_is_asked(more: int, fewer: int) -> None:
    assert 0 < mcnemar(more, fewer) == mcnemar(fewer, more) <= 1
    assert mcnemar(more, more) == 1


def test_a_share_of_nothing_is_none() -> None:
    assert (rate(0, 0).share, rate(0, 0).low) == (None, None)
    assert rate(13, 20).low == pytest.approx(0.4329, abs=1e-4)


def test_what_was_published_is_whole() -> None:
    assert {len(rows) for rows in PUBLISHED.values()} == {9}
    assert all(("Resolved", *key) in PUBLISHED[agent] for agent, *key in PUBLISHED_P)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "the file is empty"),
        (["{"], "line 1: this is not JSON"),
        ([row("t", "Fixed", "Issue", "")], "'Fixed'; it must be one of Resolved, Partial, Novel"),
        ([row("t", "Novel", "Please", "")], "'Please'; it must be one of Issue, Edit"),
        ([row("t", "Novel", "Issue", "", scenario="Middle")], "'Middle'; it must be one of Best, Worst"),
        ([row("t", "Novel", "Issue", "") | {"agent": ""}], '"agent" is missing'),
        ([{"agent": "a", "instance_id": "t", "state": "Novel", "prompt": "Issue"}], '"model_patch" is missing'),
        ([row("t", "Novel", "Issue", "", resolved="yes")], "'yes'; it must be true or false"),
        ([row("t", "Novel", "Issue", "no diff at all\n@@ -1 +1,2")], "the patch cannot be read"),
        ([row("t", "Novel", "Issue", "", trace=["ls"])], "must be texts"),
        ([row("t", "Novel", "Issue", "", behaviours=["sleeps"])], "must be a list of check_git_history"),
        ([row("t", "Novel", "Issue", "", behaviours="add_test")], "must be a list of check_git_history"),
        ([row("t", "Novel", "Issue", "")] * 2, "one, Novel, Best, Issue, t is there twice"),
    ],
)
def test_predictions_that_are_wrong_are_named_with_the_mend(tmp_path: Path, given: list[Any], why: str) -> None:
    done = run("--predictions", write(tmp_path, given), "--json")
    assert done.exit_code == 2, done.output
    document = json.loads(done.stdout)
    assert (document["rows"], why in document["error"]) == ([], True), document


@cases
def test_one_of_both_is_measured(arguments: tuple[str, ...], why: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, why in done.output) == (2, True), done.output


def answer(name: str, stage: str, runs: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"id": name, "repository": "a/b", "stage": stage, "why": "", "runs": runs, "tests": {}, **more}


def test_statuses_are_counted_by_state_and_by_what_decided() -> None:
    partial = {"Partial 1": "ALREADY_FIXED", "Partial 2": "STILL_PRESENT"}
    ceiling = {"minus": {"Resolved": "ALREADY_FIXED"}, "tests": {"Novel": "not fixed", "Resolved": "fixed"}}
    found = state_rows(
        [
            answer("a", RIGHT, {"Novel": "STILL_PRESENT", "Resolved": "ALREADY_FIXED", **partial}),
            answer("b", RIGHT, {"Novel": "STILL_PRESENT", "Resolved": "POSSIBLY_FIXED"}, **ceiling),
            answer("c", GONE, {"Novel": "STILL_PRESENT"}),
            answer("d", NONE, {}),
        ]
    )
    counts = {
        (each.basis, each.stage, each.repository, each.state): (each.fixed.count, each.fixed.of) for each in found
    }
    assert counts[BY_TEXT, RIGHT, ALL, "Resolved"] == counts[BY_TEXT, RIGHT, "a/b", "Resolved"] == (1, 2)
    assert counts[BY_TEXT, RIGHT, ALL, "Partial"] == (1, 2)
    assert counts[BY_TEXT, RIGHT, ALL, "Novel"] == (0, 2)
    assert counts[BY_TEXT, GONE, ALL, "Novel"] == (0, 1)
    assert (counts[MINUS, RIGHT, ALL, "Resolved"], counts[CEILING, RIGHT, ALL, "Resolved"]) == ((1, 1), (1, 1))
    assert stages([answer("d", NONE, {})])[ALL][NONE] == 1


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A git directory of a known name, and two reports about it whose text shows nothing to run."""
    repos, data = tmp_path / "repos", tmp_path / "data"
    repos.mkdir()
    data.mkdir()
    work = repos / "psf+requests" / "repo"
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    (work / "cart.py").write_text("def total(items):\n    return items[0]\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(work), "add", "."], check=True)
    subprocess.run(["git", "-C", str(work), *who, "commit", "-qm", "Start"], check=True)
    base = subprocess.run(["git", "-C", str(work), "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    hunk = {"before": "    return items[0]\n", "after": "    return sum(items)\n"}
    pair = {
        "repo": "psf/requests",
        "base_commit": base.stdout.strip(),
        "created_at": "2024-01-01T00:00:00Z",
        "problem_statement": "The total is wrong\nIt is too low.",
        "files": [{"path": "cart.py", "new_file": False, "hunks": [hunk]}],
    }
    write(data, [{"instance_id": f"psf__requests-{n}", **pair} for n in (1, 2)], "already_fixed_pairs.jsonl")
    write(data, [{"instance_id": "psf__requests-9"}], "issues_annotated.jsonl")
    patch = {"instance_id": "psf__requests-1", "submission": "a", "resolved": False, "model_patch": diff(1)}
    write(data, [patch], "patch_triples.jsonl")
    yield repos, data


def test_own_statuses_are_kept_and_gone_on_with(world: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    repos, data = world
    asked: list[str] = []
    real = bench_fixed.state_answer

    def breaking(row: dict[str, Any], *more: Any) -> dict[str, Any]:
        if len(asked) == 1:
            asked.append("")
            raise KeyboardInterrupt
        asked.append(row["instance_id"])
        return real(row, *more)

    monkeypatch.setattr(bench_fixed, "state_answer", breaking)
    arguments = ("--repos", repos, "--data", data, "--only", "psf/requests", "--telling")
    stopped = run(*arguments)
    assert (stopped.exit_code, "stopped after 1 of 2" in stopped.output) == (130, True), stopped.output
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (document["reports"], document["wanted"], document["stages"][ALL][NONE]) == (2, 2, 2)
    assert sorted(filter(None, asked)) == ["psf__requests-1", "psf__requests-2"]
    assert "2 of 2 reports" in run(*arguments).output


def test_no_repository_and_no_data_are_told(world: tuple[Path, Path], tmp_path: Path) -> None:
    repos, data = world
    done = run("--repos", tmp_path / "none", "--data", data)
    assert (done.exit_code, "named OWNER+NAME.git" in done.output) == (2, True), done.output
    missing = run("--repos", repos, "--data", tmp_path)
    assert (missing.exit_code, "SWE-bench with their fixes" in missing.output) == (2, True), missing.output
    write(data, [{"instance_id": "x"}], "patch_triples.jsonl")
    odd = run("--repos", repos, "--data", data)
    assert (odd.exit_code, "the rows are not as expected" in odd.output) == (2, True), odd.output
