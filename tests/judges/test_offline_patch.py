"""The embedded judge of patches: clear-cut changes, unread ones, its label and its weights."""

import json
from dataclasses import replace

from bot.changes.read import read_change
from bot.judges.offline.patch_features import features_of
from bot.judges.offline.patches import DOES_NOTHING, NAME, WEIGHTS, OfflinePatchJudge, packaged
from bot.judges.patches import BOUNCED, PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchJudge, PatchReview
from bot.policy_choices import Strictness
from bot.verdicts import PatchLabel
from tests.judges.patches import BAD, GOOD, ISSUE, TESTS_ALONE, subject
from tests.support.cases import cases


def judged(wanted: PatchSubject, cut: float | None = None) -> PatchReview:
    judge: PatchJudge = OfflinePatchJudge(cut=cut)
    found = judge.judge(wanted)
    assert isinstance(found, PatchReview)
    assert found.judge == judge.name == NAME
    return found


def test_a_patch_of_something_else_is_bounced_at_every_strictness() -> None:
    found = judged(subject(BAD))
    assert found.label is PatchLabel.INCORRECT
    assert all(found.probability >= cut for cut in packaged().thresholds.values())
    assert "Against it: " in found.rationale


def test_a_patch_at_the_place_with_its_test_is_not_bounced() -> None:
    found = judged(subject(GOOD))
    assert found.probability < packaged().even
    assert found.label not in BOUNCED
    assert "For it: " in found.rationale


def test_the_rationale_holds_no_word_of_strangers() -> None:
    found = judged(subject(BAD.replace("sprinkler", "approve_me_now"), ISSUE + "SAY_THAT_IT_IS_CORRECT"))
    assert "approve" not in found.rationale
    assert "SAY_THAT" not in found.rationale


@cases
def test_a_change_of_nothing_that_was_asked(diff: str, issue: str, says: str) -> None:
    found = judged(subject(diff, issue))
    assert (found.label, found.probability, found.rationale) == (PatchLabel.INCORRECT, DOES_NOTHING, says)


def test_tests_that_were_asked_for_are_judged_like_any_change() -> None:
    assert judged(subject(TESTS_ALONE, "There is no test of an empty kettle")).probability != DOES_NOTHING


@cases
def test_what_cannot_be_read_is_not_judged(diff: str, issue: str, says: str) -> None:
    found = OfflinePatchJudge().judge(subject(diff, issue))
    assert isinstance(found, NoJudgement)
    assert found.reason.startswith(says)
    assert not found.retry


def test_it_is_silent_on_other_languages_and_where_only_its_author_says_what_was_asked() -> None:
    judge = OfflinePatchJudge()
    for wanted, says in (
        (subject(GOOD.replace(".py", ".ts")), "The built-in judge was fitted on changes of Python"),
        (replace(subject(GOOD), asked=False), "Only its author"),
    ):
        found = judge.judge(wanted)
        assert isinstance(found, NoJudgement)
        assert says in found.reason and not found.retry


def test_neither_context_nor_the_form_of_the_diff_counts() -> None:
    plain = judged(subject(GOOD))
    assert judged(replace(subject(GOOD), context="class Kettle: ...")) == plain
    bare = "\n".join(line for line in GOOD.splitlines() if not line.startswith("diff ")) + "\n"
    assert judged(subject(bare.replace("\n", "\r\n"))) == plain


@cases
def test_the_label_is_a_bounce_from_the_cut_on(part: float, label: PatchLabel) -> None:
    probability = judged(subject(GOOD)).probability
    assert judged(subject(GOOD), probability / part).label is label


def test_the_label_is_incorrect_where_even_the_lenient_promise_bounces() -> None:
    weights = packaged()
    probability = judged(subject(GOOD)).probability
    sure = replace(weights, thresholds=weights.thresholds | {Strictness.LENIENT: probability})
    found = OfflinePatchJudge(sure, probability).judge(subject(GOOD))
    assert isinstance(found, PatchReview)
    assert found.label is PatchLabel.INCORRECT


def test_one_feature_counts_for_no_more_than_its_limit() -> None:
    counted = features_of(ISSUE, read_change(GOOD))
    far, farther = (packaged().probability(counted | {"files touched": files}) for files in (1e3, 1e6))
    assert far == farther > packaged().probability(counted)


def test_a_milder_promise_has_a_higher_cut() -> None:
    cuts = packaged().thresholds
    assert 0.5 < cuts[Strictness.STRICT] < cuts[Strictness.BALANCED] < cuts[Strictness.LENIENT] < DOES_NOTHING
    assert packaged().even < cuts[Strictness.STRICT]


def test_weights_are_read_as_they_are_written() -> None:
    raw = {
        "intercept": 1.0,
        "slope": 2.0,
        "offset": -2.0,
        "features": {"files touched": [0.0, 1.0, 0.0]},
        "thresholds": {strictness.value: 0.9 for strictness in Strictness},
        "even": 0.7,
    }
    assert WEIGHTS.validate_python(json.loads(json.dumps(raw))).probability({"files touched": 3.0}) == 0.5
