"""`bouncer bench input`: the paper's figures, cuts that never saw what they judge, and files that are wrong."""

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import main
from lab.data.files import DataError
from lab.data.recorded_labels import LabelledIssue, RecordedLabels, read_labels
from lab.fitting.labels import Labelled, best_cut, cut_within, fit_labels, folds, upper_bound
from lab.scores.bouncer_scores import agreement_rows, bouncer_score, reference_scores
from lab.scores.counts import flips, flips_between, kappa, spearman
from lab.scores.replay import replay_labels, with_cascade
from tests.support.cases import cases

LABELS = ("WELL_SPECIFIED", "REASONABLY_SPECIFIED", "VAGUE", "IMPOSSIBLE_TO_SOLVE")


def test_the_figures_are_those_of_the_paper():
    human = [0, 1, 1, 2, 3, 0]
    found = bouncer_score("x", human, [False, False, True, True, False, False])
    assert found.macro_f == pytest.approx((2 * 1 / (2 + 1 + 1) + 2 * 3 / (6 + 1 + 1)) / 2)
    assert found.i_score == pytest.approx(2 / 3 * (1.5 + 0.5 - 0.5 + 0.5 - 1.5 + 1.5) / 6)
    assert (found.recall_bounce, found.false_bounce) == (0.5, 0.25)
    assert found.kappa == pytest.approx((4 / 6 - (2 * 2 + 4 * 4) / 36) / (1 - (2 * 2 + 4 * 4) / 36))


def test_the_agreement_of_four_labels_is_that_of_the_paper():
    """Section IV-C: the share of people's very label, Cohen's kappa over all four, by hand."""
    people, judge, silent = agreement_rows([0, 0, 1, 2, 3], {"m": [0, 1, 1, 3, None], "mute": [None] * 5, "o": [1] * 5})
    assert (people.judge, people.labels, people.same) == ("people", (2, 1, 1, 1), None)
    assert (judge.judge, judge.labels, judge.same.count, judge.same.of) == ("m", (1, 2, 0, 1), 2, 4)
    assert judge.kappa == pytest.approx((2 / 4 - (2 * 1 + 1 * 2) / 16) / (1 - 4 / 16))
    assert (silent.judge, silent.rho, silent.kappa) == ("o", None, 0)
    assert kappa({(1, 1): 5}) is None


def test_decisions_that_flip_are_told_from_those_that_stay():
    found = flips([True, True, False, False, True], [True, False, True, True, False])
    assert (found.flipped.count, found.flipped.of, found.mended, found.p) == (4, 5, 2, 1)
    both = flips_between({"a": {"x": True, "y": True}, "b": {"y": False}, "c": {"z": True}})
    assert [(*names, each.flipped.count, each.mended) for names, each in both.items()] == [("a", "b", 1, 0)]


def test_references_bound_every_bouncer():
    accept, bounce, perfect = reference_scores([0, 0, 1, 1, 2, 3])
    assert (accept.recall_bounce, accept.false_bounce, bounce.recall_bounce, bounce.false_bounce) == (0, 0, 1, 1)
    assert (perfect.macro_f, perfect.kappa) == (1, 1)
    assert accept.i_score == -bounce.i_score


def test_where_there_is_nothing_to_divide_by_nothing_is_said():
    found = bouncer_score("x", [0, 1], [False, False])
    assert (found.recall_bounce, found.kappa, found.rho) == (None, None, None)
    with pytest.raises(ValueError, match="nothing to compare"):
        bouncer_score("x", [], [])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2))
def test_a_rank_correlation_is_one_with_itself_and_turns_with_its_sign(pairs):
    one, other = zip(*pairs, strict=True)
    if (found := spearman(one, other)) is not None:
        assert -1.000001 <= found <= 1.000001
        assert spearman([-each for each in one], other) == pytest.approx(-found)
        assert spearman(one, one) == pytest.approx(1)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1))
def test_the_best_cut_is_no_worse_than_any_other(told):
    levels, bad = zip(*told, strict=True)

    def macro(cut):
        found = bouncer_score("x", [3 * each for each in bad], [level >= cut for level in levels]).macro_f
        return 0 if found is None else found  # of one class alone

    best = macro(best_cut(levels, bad))
    assert all(macro(cut) <= best + 1e-9 for cut in range(8))


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1), st.sampled_from([0.05, 0.1, 0.25, 0.6]))
def test_a_promise_is_kept_by_its_bound_or_by_the_plain_share(told, promise):
    levels, bad = zip(*told, strict=True)
    cut = cut_within(levels, bad, promise)
    fine = [level for level, each in told if not each]
    false = sum(level >= cut for level in fine)
    assert cut > max(levels) or (fine and upper_bound(false, len(fine)) <= promise)
    plain = cut_within(levels, bad, promise, lambda hits, total: hits / total)
    assert plain <= cut
    assert plain > max(levels) or sum(level >= plain for level in fine) <= promise * len(fine)


def invented(repositories: int = 4, each: int = 40, noise: float = 0.2) -> list[LabelledIssue]:
    """Issues whose human label one model tells well and another not at all."""
    chance = Random(1)
    rows = []
    for number in range(repositories * each):
        human = chance.choice((0, 1, 2, 3))
        seen = human if chance.random() > noise else chance.choice((0, 1, 2, 3))
        grades = {"good": seen, "blind": chance.choice((0, 1, 2, 3))}
        rows.append(LabelledIssue(f"acme__shop{number % repositories}-{number}", human, grades))
    return rows


def test_a_fit_learns_who_can_be_believed():
    issues = [Labelled(each.repository, each.human >= 2, each.grades) for each in invented()]
    fit = fit_labels(issues, ("good", "blind"))
    vague, clear = (fit.probability(Labelled("", False, {"good": g, "blind": 3 - g})) for g in (3, 0))
    assert vague > 0.7 > 0.3 > clear
    silent = fit.probability(Labelled("", False, {}))
    assert clear < silent < vague  # who gave no answer counts as the mean


def test_no_repository_has_a_part_in_what_is_predicted_for_it():
    """One where all answers are turned round changes nothing of what is predicted for it from the others."""
    issues = [Labelled(each.repository, each.human >= 2, each.grades) for each in invented()]
    turned = [
        Labelled(each.repository, not each.bounce, each.grades) if each.repository.endswith("0") else each
        for each in issues
    ]
    before, after = (fit_labels(some, ("good", "blind")).unseen for some in (issues, turned))
    for one, other, issue in zip(before, after, issues, strict=True):
        assert (one == pytest.approx(other)) is issue.repository.endswith("0")


@given(st.lists(st.integers(0, 40), min_size=1, max_size=200))
def test_every_repository_is_held_back_once_and_many_of_them_together(numbers):
    issues = [Labelled(f"r{number}", False, {}) for number in numbers]
    found = folds(issues)
    assert sorted(name for fold in found for name in fold) == sorted({issue.repository for issue in issues})
    assert len(found) == min(12, len(set(numbers))) and all(found)


@pytest.mark.parametrize(
    ("issues", "why"),
    [
        ([Labelled("a", True, {"m": 1}), Labelled("b", True, {"m": 2})], "same answer"),
        ([Labelled("a", True, {"m": 1}), Labelled("a", False, {"m": 2})], "one repository"),
    ],
)
def test_where_nothing_can_be_learnt_it_is_said(issues, why):
    with pytest.raises(ValueError, match=why):
        fit_labels(issues, ("m",))


def test_each_judge_is_measured_raw_and_decided_and_all_together():
    rows = replay_labels(RecordedLabels(("good", "blind"), tuple(invented())), None)
    found = {(row.judge, row.kind): row.score for row in rows}
    assert {kind for judge, kind in found if judge == "good"} == {"raw", "decision", "promise", "share"}
    assert found["good", "raw"].macro_f > 0.75 > found["blind", "raw"].macro_f
    assert found["all models", "decision"].macro_f > 0.75
    assert found["good", "promise"].false_bounce <= 0.12  # promised 5.4%, on 80 fine issues of others
    assert found["good", "share"].bounced >= found["good", "promise"].bounced


def test_with_another_file_the_first_is_only_fitted_on():
    issues = invented()
    turned = tuple(LabelledIssue(each.id, 3 - each.human, each.grades) for each in issues)
    rows = replay_labels(RecordedLabels(("good",), tuple(issues)), RecordedLabels(("good",), turned))
    (decision,) = (row.score for row in rows if (row.judge, row.kind) == ("good", "decision"))
    assert decision.macro_f < 0.3
    with pytest.raises(DataError, match="no model in common"):
        replay_labels(RecordedLabels(("good",), tuple(issues)), RecordedLabels(("other",), turned))


def written(folder: Path, issues: list[LabelledIssue], name: str = "labels.csv") -> Path:
    lines = ["instance_id,human_underspecified,have_issue_text,good,blind"]
    lines += [f"{i.id},{i.human},True,{LABELS[i.grades['good']]},{LABELS[i.grades['blind']]}" for i in issues]
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def told(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", "input", *map(str, arguments)])


def test_the_command_prints_a_table_and_one_document(tmp_path):
    path = written(tmp_path, invented())
    shown = told("--replay", path)
    assert shown.exit_code == 0
    assert shown.output.startswith("160 issues, each repository by the others.")
    assert all(f"{word} " in shown.output for word in ("accept all", "good", "blind", "all models", "best macro-F"))
    document = json.loads(told("--replay", path, "--test", path, "--json").output)
    assert {"name", "macro_f", "i_score", "recall_bounce", "false_bounce", "kappa", "rho"} <= document["rows"][0].keys()
    assert {row["name"] for row in document["reference"]} >= {"o4-mini", "codex"}
    assert all(row["issues"] == 160 for row in document["rows"])
    people, good, blind = document["agreement"]
    assert (sum(people["labels"]), good["same"]["of"]) == (160, 160)
    assert good["kappa"] > 0.6 > 0.2 > blind["kappa"]
    (turned,) = document["flips"]
    assert (turned["from"], turned["to"]) == ("good", "blind") and turned["mended"] < turned["flipped"]["count"] / 2
    assert "o4-mini (paper)" in shown.output and "to wrong" in shown.output


HEAD = "instance_id,human_underspecified,model\n"


@cases
def test_a_file_that_is_wrong_is_named_with_the_mend(text, why, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    found = told("--replay", path, "--json")
    assert found.exit_code == 2, found.output
    document = json.loads(found.stdout)
    assert (document["rows"], document["reference"]) == ([], [])
    assert why in document["error"]


def test_a_file_that_is_not_there_is_named_with_where_it_was_published(tmp_path):
    found = told("--replay", tmp_path / "none.csv")
    assert found.exit_code == 2
    assert "published with BouncerBench" in found.output
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in told("--replay", tmp_path / "bytes.csv").output


def test_a_model_that_left_some_out_is_measured_on_what_it_answered(tmp_path):
    path = tmp_path / "labels.csv"
    rows = "".join(f"{repo}-{n},{n % 4},{LABELS[n % 4] if n > 3 else ''}\n" for repo in "abc" for n in range(20))
    path.write_text(HEAD + rows)
    assert len(read_labels(path).issues) == 60
    document = json.loads(told("--replay", path, "--json").stdout)
    assert {row["issues"] for row in document["rows"] if row["judge"] == "model"} == {48}


def test_issues_that_were_fitted_on_are_counted(tmp_path):
    one, other = written(tmp_path, invented()), written(tmp_path, invented()[:3], "other.csv")
    says = "3 issues are in both files."
    assert says in told("--replay", one, "--test", other).output
    assert json.loads(told("--replay", one, "--test", other, "--json").output)["in_both_files"] == 3
    assert "in both files" not in told("--replay", one).output


def test_models_together_have_rows_of_their_own(tmp_path):
    path = written(tmp_path, invented())
    shown = told("--replay", path, "--vote", "good,blind", "--cascade", "blind, good")
    assert shown.exit_code == 0, shown.output
    assert "blind, then good: the first settles" in shown.output
    document = json.loads(told("--replay", path, "--test", path, "--vote", "good,blind", "--json").output)
    rows = {row["name"]: row for row in document["rows"]}
    assert rows["good + blind, raw"]["false_bounce"] <= rows["good, raw"]["false_bounce"], "both must say so"
    assert rows["all models, decision"]["issues"] == 160
    settled = json.loads(told("--replay", path, "--cascade", "blind,good", "--json").output)["settled_alone"]
    issues = invented()
    assert settled == {"blind, then good": pytest.approx(sum(i.grades["blind"] == 0 for i in issues) / len(issues))}


def test_a_cascade_takes_the_dear_models_label_unless_the_cheap_one_settles_it():
    issues = tuple(
        LabelledIssue(f"a-{cheap}{dear}", 0, {"c": cheap, "d": dear}) for cheap in range(4) for dear in (0, 3)
    )
    both, share = with_cascade(RecordedLabels(("c", "d"), (*issues, LabelledIssue("a-x", 0, {"c": 1}))), "c", "d")
    assert [issue.grades.get("c, then d") for issue in both.issues] == [0, 0, 0, 3, 0, 3, 0, 3, None]
    assert share == 0.25


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--vote", "good"), "name at least two different models"),
        (("--vote", "good,good"), "name at least two different models"),
        (("--vote", "good,none"), "there is no column 'none'. There are good, blind"),
        (("--cascade", "good"), "name two models"),
        (("--cascade", "good,blind,good"), "name two models"),
        (("--cascade", "good,none"), "there is no column 'none'"),
    ],
)
def test_groups_that_cannot_be_made_are_refused(tmp_path, options, why):
    found = told("--replay", written(tmp_path, invented()), *options, "--json")
    assert (found.exit_code, why in json.loads(found.stdout)["error"]) == (2, True), found.output


def test_evidence_beside_labels_is_a_row_of_its_own(tmp_path):
    issues = invented()
    rows = [f"{i.id},{i.human},{LABELS[i.grades['blind']]},{i.human if n % 3 else ''}" for n, i in enumerate(issues)]
    path = tmp_path / "labels.csv"
    path.write_text("instance_id,human_underspecified,blind,evidence:told\n" + "\n".join(rows) + "\n")
    found = {row["name"]: row for row in json.loads(told("--replay", path, "--json").output)["rows"]}
    alone, beside = found["blind, decision"], found["all, with evidence, decision"]
    assert beside["macro_f"] > alone["macro_f"] + 0.1, "the number tells what the label does not"
    assert read_labels(path).evidence == ("told",)
    assert "told" not in read_labels(path).issues[0].evidence


@pytest.mark.parametrize("number", ["many", "nan", "inf", "1e999", "-1e200"])
def test_evidence_that_is_no_number_is_refused(tmp_path, number):
    path = tmp_path / "labels.csv"
    path.write_text(f"instance_id,human_underspecified,m,evidence:words\na-1,1,VAGUE,{number}\n")
    found = told("--replay", path, "--json")
    assert (found.exit_code, "it must be a number, or empty" in json.loads(found.stdout)["error"]) == (2, True)
