"""The embedded judge of patches: what it counts, clear-cut changes, unread ones, its label and its weights."""

import json
from dataclasses import replace
from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.judges.offline.patch_features import MOST_LINES, features_of
from bot.judges.offline.patches import DOES_NOTHING, NAME, WEIGHTS, OfflinePatchJudge, packaged
from bot.judges.patches import BOUNCED, PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchJudge, PatchReview
from bot.policy_choices import Strictness
from bot.verdicts import PatchLabel
from tests.judges.patches import BAD, GOOD, ISSUE, TESTS_ALONE, subject
from tests.support.cases import cases
from tests.support.properties import patient


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


def edit(added: str, removed: str = "", path: str = "kettle/lid.py", around: str = "") -> str:
    lines = [f" {line}" for line in around.splitlines()]
    lines += [f"-{line}" for line in removed.splitlines()] + [f"+{line}" for line in added.splitlines()]
    old, new = (sum(line[0] != sign for line in lines) for sign in "+-")
    return "\n".join([f"--- a/{path}", f"+++ b/{path}", f"@@ -1,{old} +1,{new} @@", *lines, ""])


@pytest.mark.parametrize(
    ("name", "diff", "issue", "value"),
    [
        ("words of the issue's title", GOOD, ISSUE, 8),
        ("links in the issue", GOOD, ISSUE + "See https://example.com/a and http://example.com/b.", 2),
        ("code blocks in the issue", GOOD, ISSUE, 1),
        ("lines of code in the issue", GOOD, ISSUE, 3),
        ("files touched", BAD, ISSUE, 2),
        ("files touched", GOOD, ISSUE, 1),
        ("places touched", BAD, ISSUE, 3),
        ("lines of tests added", GOOD, ISSUE, 3),
        ("share of lines that are new", edit("a\nb\nc", "d"), ISSUE, 3 / 5),
        ("files named in the issue", GOOD, ISSUE, 1),
        ("files named in the issue", BAD, ISSUE, 0),
        ("modules named in the issue", GOOD, ISSUE, 1),
        ("folders named in the issue", GOOD, ISSUE, 1),
        ("share of the path in the issue", GOOD, ISSUE, 3 / 4),
        ("share of the issue's names met", GOOD, ISSUE, 2 / 4),  # kettle, heater of them and EmptyKettle
        ("names of the title not met", GOOD, ISSUE, 0),
        ("names of the title not met", BAD, ISSUE, 2),
        ("share of new lines quoted from the issue", edit("kettle = Kettle(litres=0)"), ISSUE, 1 / 2),
        ("touched lines quoted in the issue", edit("x", "kettle = Kettle(litres=0)"), ISSUE, 1),
        ("new words the issue lacks", edit("steam = boil", around="boil = 1"), ISSUE, 1),
        ("new attributes the issue lacks", edit("a = kettle.whistle_loudly"), ISSUE, 1),
        ("new literals the issue lacks", edit("a = 'never said'\nb = 'litres'"), ISSUE, 1),
    ],
)
def test_a_feature(name: str, diff: str, issue: str, value: float) -> None:
    assert features_of(issue, read_change(diff))[name] == pytest.approx(value)


@pytest.mark.parametrize("words", ["touched", "removed", "added"])
def test_what_the_issue_speaks_of_often_weighs_more(words: str) -> None:
    change = read_change(edit("litres = 1", "litres = 2", around="litres = 3"))
    name = f"weight of the {words} words in the issue"
    weights = [features_of(issue, change)[name] for issue in ("Tea", "Tea\nlitres", "Tea\nlitres litres litres")]
    assert weights == sorted(set(weights))
    assert weights[0] == 0


def test_the_weights_know_exactly_these_features() -> None:
    assert set(features_of(ISSUE, read_change(GOOD))) == set(packaged().features)


def test_what_comes_behind_the_limit_is_not_read() -> None:
    much = edit("a = 1\n" * MOST_LINES + "a = kettle.whistle_loudly\n")
    assert features_of(ISSUE, read_change(much))["new attributes the issue lacks"] == 0


@settings(patient, max_examples=40)
@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=40))
def test_any_text_gives_plain_counts(issue: str, code: str, path: str) -> None:
    for change in (Change(()), read_change(code), read_change(edit(code, issue, path or "a"))):
        assert all(isfinite(value) and value >= 0 for value in features_of(issue, change).values())
