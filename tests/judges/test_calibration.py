"""What is learnt from people's labels, which cut it leads to, and that it counts before the shipped table."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.issues.decide import decide_issue
from bot.judges.calibration import model_calibration
from bot.judges.calibration.calibration import LABELS, LabelWorth, bounces, judge_key, keys
from bot.judges.offline import rules
from bot.policy import Policy
from bot.policy_choices import PROMISES, Strictness
from bot.verdicts import Basis, BasisCut, BasisKind, Decision, SpecificationLabel
from lab.fitting.from_labels import SHRINK, LabelledAnswer, fit_calibration, fit_jointly, pool_violators
from lab.fitting.labels import Labelled, lower_bound, upper_bound
from lab.fitting.reliability import reliability
from tests.issues.builders import facts, judgement
from tests.judges.calibrations import NOW, answers, calibration
from tests.support.cases import cases

VAGUE, CLEAR = SpecificationLabel.VAGUE, SpecificationLabel.WELL_SPECIFIED
MODEL = "gpt-4.1 with issue-specification/2"


def test_a_cut_is_the_mildest_label_that_keeps_its_promise_by_its_bound() -> None:
    fitted = fit_calibration("some-model", answers(400, 200), NOW)
    for strictness, point in fitted.calibration.points.items():
        assert point.at_most is not None and point.at_most <= PROMISES[strictness]
        assert point.holds_from is VAGUE  # nobody was ever given a milder one
    measured = fitted.measured[Strictness.LENIENT]
    assert measured.recall == pytest.approx(0.5, abs=0.07)
    assert measured.false_bounces == pytest.approx(0.02, abs=0.015)


def test_a_promise_that_no_label_keeps_holds_nothing() -> None:
    fitted = fit_calibration("some-model", answers(200, 100, wrong=0.2), NOW)
    assert fitted.calibration.points[Strictness.LENIENT].holds_from is SpecificationLabel.IMPOSSIBLE_TO_SOLVE
    told = [LabelledAnswer(f"r{n % 3}", 3 if n % 4 == 0 else 0, n % 2 == 0) for n in range(300)]
    told += [LabelledAnswer("r1", 3, False)] * 100
    points = fit_calibration("some-model", told, NOW).calibration.points
    assert points[Strictness.STRICT].holds_from is None
    assert not bounces(judgement(judge="some-model", label=LABELS[3]), Strictness.STRICT, calibration(None))


@pytest.mark.parametrize(
    ("fine", "chosen"), [(5, set()), (20, {"strict"}), (40, {"strict", "balanced"}), (60, {*PROMISES})]
)
def test_with_too_few_fine_issues_the_shipped_cut_counts(fine: int, chosen: set[str]) -> None:
    """With none held of 60 the upper bound is 4.3%; with none of 40 it is 6.3%, so 5% cannot be promised."""
    fitted = fit_calibration("gpt-4.1", answers(fine, 30, wrong=0), NOW)
    assert {*fitted.calibration.points} == chosen
    for strictness, measured in fitted.measured.items():
        assert measured.shipped is (strictness not in chosen)
        if measured.shipped:
            assert measured.holds_from is model_calibration.holds_from("gpt-4.1", strictness)


def test_few_issues_are_drawn_to_the_shipped_probability_and_many_are_not() -> None:
    shipped = model_calibration.probability("gpt-4.1", VAGUE)
    few = fit_calibration("gpt-4.1", [*answers(60, 0), *(LabelledAnswer("acme/shop1", 2, True),) * 2], NOW).calibration
    fine = sum(answer.grade == 2 for answer in answers(60, 0))
    assert few.labels[VAGUE].probability == pytest.approx((2 + SHRINK * shipped) / (fine + 2 + SHRINK), abs=1e-3)
    many = fit_calibration("gpt-4.1", answers(900, 900), NOW).calibration
    assert many.labels[VAGUE].probability > 0.9 > shipped


def test_no_repository_has_a_part_in_what_is_measured_on_it() -> None:
    """Turned round answers of one repository change what is predicted for all others, and nothing for itself."""
    told = answers(300, 300)
    turned = [replace(each, bounce=not each.bounce) if each.repository == "acme/shop0" else each for each in told]
    before, after = (fit_calibration("some-model", some, NOW).unseen for some in (told, turned))
    for one, other, issue in zip(before, after, told, strict=True):
        assert (one == other) is (issue.repository == "acme/shop0")


def test_what_is_measured_is_measured_with_cuts_of_other_repositories() -> None:
    """One repository alone has a judge that is always wrong: others never learn of it, so there the promise breaks."""
    good = [LabelledAnswer(f"r{n % 3}", 0 if n % 2 else 3, n % 2 == 0) for n in range(300)]
    odd = [LabelledAnswer("odd", 3, False) for _ in range(40)]
    told = fit_calibration("some-model", [*good, *odd], NOW).measured[Strictness.LENIENT]
    assert told.false_bounces == pytest.approx(40 / 190)


def test_one_repository_is_enough_for_itself_alone() -> None:
    told = answers(100, 60, repositories=1)
    with pytest.raises(ValueError, match=r"one repository.*--repo"):
        fit_calibration("some-model", told, NOW)
    fitted = fit_calibration("some-model", told, NOW, repository="acme/shop0")
    assert fitted.calibration.repository == "acme/shop0" and len(fitted.unseen) == 160
    with pytest.raises(ValueError, match="the same answer"):
        fit_calibration("some-model", answers(10, 0), NOW)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=4))
def test_probabilities_never_fall_with_the_label(counts: list[tuple[int, int]]) -> None:
    levels = [(min(hits, total), total) for hits, total in counts]
    found = pool_violators(levels)
    assert found == sorted(found) and all(0 <= each <= 1 for each in found)
    assert sum(share * total for share, (_, total) in zip(found, levels, strict=True)) == pytest.approx(
        sum(hits for hits, _ in levels)
    )


@given(st.integers(0, 50), st.integers(1, 50))
def test_bounds_enclose_the_share(hits: int, total: int) -> None:
    hits = min(hits, total)
    share, rounding = hits / total, 1e-9
    assert -rounding <= lower_bound(hits, total) <= share + rounding
    assert share - rounding <= upper_bound(hits, total) <= 1 + rounding


def test_several_judges_are_one_probability() -> None:
    told = answers(150, 150)
    issues = [Labelled(each.repository, each.bounce, {"a": each.grade, "b": 3 - each.grade}) for each in told]
    joint = fit_jointly(issues, ("a", "b"))
    assert joint.judges == 2 and len(joint.unseen) == 300
    strict = joint.measured[Strictness.STRICT]
    assert strict.recall is not None and strict.recall > 0.4
    assert strict.false_bounces is not None and strict.false_bounces < 0.1


@cases
def test_a_judge_is_known_by_its_family(name: str, key: str) -> None:
    assert judge_key(name) == key
    assert keys(name)[0] == key and keys(name)[-1] == key.partition(" with ")[0]


@cases
def test_a_calibration_decides_before_the_shipped_cut(
    label: SpecificationLabel, holds_from: SpecificationLabel | None, held: bool
) -> None:
    answer = judgement(model_calibration.probability("gpt-4.1", label), label=label, judge=MODEL)
    assert bounces(answer, Strictness.BALANCED, calibration(holds_from)) is held
    unpointed = calibration(holds_from, points={})
    assert bounces(answer, Strictness.BALANCED, unpointed) is bounces(answer, Strictness.BALANCED)


def test_a_rules_label_holds_only_where_a_rule_spoke() -> None:
    by_rule = judgement(label=VAGUE, judge="offline/1", probability=None, rule=rules.RULES[0].name)
    here = calibration(judge="offline/1")
    assert bounces(by_rule, Strictness.LENIENT, here)
    assert not bounces(replace(by_rule, rule=""), Strictness.LENIENT, here)


def test_the_verdict_has_the_probability_of_the_calibration_and_says_what_it_stands_on() -> None:
    answer = judgement(0.7177, label=VAGUE, judge=MODEL)
    told = decide_issue(facts(judgement=answer, calibration=calibration()), policy := Policy())
    assert told.decision is Decision.BOUNCE and told.probability == pytest.approx(0.6)
    assert told.basis == Basis(BasisKind.SERVER, 300, 0.1, "2026-05-04", cut=BasisCut.CHOSEN)
    let_through = decide_issue(facts(judgement=answer, calibration=calibration(None)), policy)
    assert let_through.decision is Decision.ACCEPT
    shipped = decide_issue(facts(judgement=answer), policy)
    assert shipped.probability == 0.7177 and shipped.basis == Basis(BasisKind.SHIPPED, 1021, 0.1)
    other = decide_issue(facts(judgement=replace(answer, judge="foo-7b with issue-specification/2")), policy)
    assert other.basis == Basis(BasisKind.POOLED, 5105, 0.1)
    here = calibration(repository="acme/shop", points={})
    assert decide_issue(facts(judgement=answer, calibration=here), policy).basis == Basis(
        BasisKind.REPOSITORY, 300, 0.1, "2026-05-04"
    )
    fitted = decide_issue(facts(judgement=replace(answer, judge="offline/1")), policy).basis
    assert fitted == Basis(BasisKind.WEIGHTS, 224, 0.1)
    ruled = judgement(label=VAGUE, judge="offline/1", probability=None, rule=rules.RULES[2].name, reason="Too short.")
    assert decide_issue(facts(judgement=ruled), policy).basis is None


def test_labels_that_a_calibration_does_not_know_keep_their_probability() -> None:
    answer = judgement(0.7177, label=VAGUE, judge=MODEL)
    here = calibration(labels={CLEAR: LabelWorth(0.1, 3)})
    assert decide_issue(facts(judgement=answer, calibration=here), Policy()).probability == 0.7177


def test_a_perfect_order_has_a_smaller_area_than_none() -> None:
    good = reliability([0.05] * 40 + [0.95] * 40 + [0.45] * 10 + [0.55] * 10, [False] * 40 + [True] * 50 + [False] * 10)
    assert good.curve[0].coverage == 0.8 and good.curve[0].risk == 0
    assert good.area == pytest.approx(sum(max(0, n - 80) / n for n in range(81, 101)) / 100)
    assert good.at_random == pytest.approx(0.2) and good.area < good.at_random
    assert [each.issues for each in good.bins] == [40, 10, 10, 40]
    assert good.error == pytest.approx((80 * 0.05 + 10 * 0.55 + 10 * 0.55) / 100)
    blind = reliability([0.3] * 100, [False] * 70 + [True] * 30)
    assert blind.area == pytest.approx(blind.at_random) == pytest.approx(0.3)
    assert blind.brier == pytest.approx(0.21) and blind.error == pytest.approx(0)


@pytest.mark.parametrize("probabilities", [[], [float("nan")], [1.1]])
def test_nothing_is_measured_of_nothing(probabilities: list[float]) -> None:
    with pytest.raises(ValueError, match=r"no issue|from 0 to 1"):
        reliability(probabilities, [True] * len(probabilities))


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=40))
def test_all_answers_are_on_the_curve(told: list[tuple[int, bool]]) -> None:
    found = reliability([each / 10 for each, _ in told], [bad for _, bad in told])
    assert found.curve[-1].coverage == 1
    assert found.curve[-1].risk == pytest.approx(found.at_random)
    assert 0 <= found.area <= 1 and sum(each.issues for each in found.bins) == len(told)
