"""The four modes against a real server, through the real SDK."""

import json
from typing import Any

import pytest

from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.judges.agent.edits import Edit
from bot.judges.openai.patch_texts import CHANGE, ISSUE, change_text, patch_texts
from bot.judges.openai.patches import MAX_RATIONALE, PROMPTS, OpenAIPatchJudge, read_first
from bot.judges.openai.spend import MemorySpend
from bot.judges.patches import BOUNCED, PatchSubject, probability_of_wrong
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.policy_choices import ReviewRules
from bot.verdicts import Effect, PatchLabel
from tests.judges.joiner import changed, subject
from tests.support.cases import cases
from tests.support.model import KEY, Scripted, ScriptedModel, completion, failure

EDIT = {"path": "src/joiner.py", "before": "items[0:]", "after": "items"}


def answer(**fields: Any) -> Scripted:
    return completion(json.dumps(fields))


def judged(
    server: ScriptedModel, mode: ReviewMode, *answers: Scripted, given: PatchSubject | None = None
) -> PatchReview | NoJudgement:
    server.script(*answers)
    return OpenAIPatchJudge(server.settings(model_timeout=60), MemorySpend(), mode).judge(given or subject())


@pytest.mark.parametrize(
    ("mode", "fields", "label", "rationale"),
    [
        (ReviewMode.DIRECT, {"verdict": "yes"}, PatchLabel.CORRECT_AND_PRECISE, ""),
        (ReviewMode.DIRECT, {"verdict": "no"}, PatchLabel.INCORRECT, ""),
        (ReviewMode.DIRECT, {"verdict": "no", "rationale": "Because."}, PatchLabel.INCORRECT, ""),
        (ReviewMode.EXPLAIN, {"verdict": "yes", "rationale": "All."}, PatchLabel.CORRECT_AND_PRECISE, "All."),
        (ReviewMode.EXPLAIN, {"verdict": "no", "rationale": "None."}, PatchLabel.INCORRECT, "None."),
        (ReviewMode.FULL, {"verdict": "yes", "rationale": "All.", "fix": []}, PatchLabel.CORRECT_AND_PRECISE, "All."),
        (ReviewMode.FULL, {"verdict": "no", "rationale": "None.", "fix": [EDIT]}, PatchLabel.INCORRECT, "None."),
        *((ReviewMode.LABEL, {"reasoning": "So.", "label": label.value}, label, "So.") for label in PatchLabel),
    ],
)
def test_every_mode_is_read(
    scripted_model: ScriptedModel, mode: ReviewMode, fields: dict[str, Any], label: PatchLabel, rationale: str
) -> None:
    found = judged(scripted_model, mode, answer(**fields))
    assert isinstance(found, PatchReview)
    assert (found.label, found.rationale) == (label, rationale)
    assert found.probability == probability_of_wrong(label)
    assert found.usage.calls == 1
    (request,) = scripted_model.requests
    order = list(request.body["response_format"]["json_schema"]["schema"]["properties"])
    assert order[0] == ("reasoning" if mode is ReviewMode.LABEL else "verdict")
    assert KEY not in json.dumps(request.body)


def test_a_judge_is_named_by_its_prompt(scripted_model: ScriptedModel) -> None:
    names = [OpenAIPatchJudge(scripted_model.settings(model_timeout=60), MemorySpend(), mode).name for mode in PROMPTS]
    assert names == [f"gpt-4.1 with patch-{name}/1" for name in ("verdict", "explain", "full", "label")]


def test_the_policy_names_modes_that_are_there() -> None:
    assert [ReviewMode(review.value) for review in ReviewRules] == [
        ReviewMode.DIRECT,
        ReviewMode.EXPLAIN,
        ReviewMode.FULL,
        ReviewMode.AGENTIC,
    ]


@cases
def test_one_repair_and_then_unavailable(
    scripted_model: ScriptedModel, mode: ReviewMode, fields: dict[str, Any]
) -> None:
    found = judged(scripted_model, mode, answer(**fields), answer(**fields))
    assert isinstance(found, NoJudgement)
    assert found.retry
    assert found.usage.calls == 2


def test_a_failing_endpoint_is_unavailable(scripted_model: ScriptedModel) -> None:
    found = judged(scripted_model, ReviewMode.DIRECT, failure(401, KEY))
    assert isinstance(found, NoJudgement)
    assert KEY not in found.reason


@pytest.mark.parametrize(
    ("raw", "fix"),
    [
        ([EDIT], (Edit("src/joiner.py", "items[0:]", "items"),)),
        ([EDIT, {"path": "a.py"}], ()),
        ([EDIT, None], ()),
        ([EDIT] * 21, ()),
        ([], ()),
        ([{**EDIT, "after": "\ud800"}], (Edit("src/joiner.py", "items[0:]", "?"),)),
    ],
)
def test_a_fix_is_taken_whole_or_not_at_all(raw: list[Any], fix: tuple[Edit, ...]) -> None:
    full = json.dumps({"verdict": "no", "rationale": "None.", "fix": raw})
    assert read_first(ReviewMode.FULL, full).fix == fix


def test_a_yes_has_no_fix() -> None:
    full = json.dumps({"verdict": "yes", "rationale": "All.", "fix": [EDIT]})
    assert read_first(ReviewMode.FULL, full).fix == ()


def test_a_rationale_is_bounded() -> None:
    text = json.dumps({"verdict": "no", "rationale": "x" * 20_000})
    assert len(read_first(ReviewMode.EXPLAIN, text).rationale) == MAX_RATIONALE


def test_issue_change_and_context_are_shown(scripted_model: ScriptedModel) -> None:
    judged(scripted_model, ReviewMode.DIRECT, answer(verdict="yes"), given=subject(context="def split(text): ..."))
    prompt = scripted_model.requests[0].prompt
    assert "An empty list gives an empty text." in prompt
    assert '@@ -3 +3 @@\n def join(items):\n-    return ",".join(items[:-1])\n+    return' in prompt
    assert "def split(text): ..." in prompt


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (subject(issue="x" * (ISSUE + 1)), "The issue is too long to be judged whole (24,001 characters"),
        (subject(changed("+" + "x" * CHANGE)), "The change is too long to be judged whole"),
        (subject(issue=" \u200b\n"), "There is no request to compare"),
        (PatchSubject("Do it.", Change((), problem="it breaks off")), "The change could not be read whole."),
    ],
)
def test_what_cannot_be_read_whole_is_not_asked_about(
    scripted_model: ScriptedModel, given: PatchSubject, says: str
) -> None:
    found = judged(scripted_model, ReviewMode.DIRECT, given=given)
    assert isinstance(found, NoJudgement)
    assert found.reason.startswith(says)
    assert not found.retry
    assert not scripted_model.requests


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (FileChange("a.png", FileKind.OTHER, FileStatus.ADDED, binary=True), "binary"),
        (FileChange("a", FileKind.OTHER, FileStatus.ADDED, changed().hunks, link=True), "a symbolic link"),
        (FileChange("lib", FileKind.OTHER, FileStatus.MODIFIED, submodule=True), "a submodule"),
        (FileChange("uv.lock", FileKind.LOCK, FileStatus.MODIFIED, changed().hunks), "lock"),
        (FileChange("old.py", FileKind.CODE, FileStatus.DELETED, changed().hunks), "deleted whole"),
    ],
)
def test_what_nobody_writes_is_told_and_not_shown(file: FileChange, text: str) -> None:
    shown = change_text(Change((file,)))
    assert f"({text}, {file.added} lines added" in shown
    assert "join" not in shown


def test_a_deleted_test_is_shown() -> None:
    file = FileChange("tests/test_join.py", FileKind.TEST, FileStatus.DELETED, changed().hunks)
    assert "items[:-1]" in change_text(Change((file,)))


def test_a_rename_names_both() -> None:
    file = FileChange("b.py", FileKind.CODE, FileStatus.RENAMED, old_path="a.py")
    assert change_text(Change((file,))) == "renamed code file b.py from a.py"


def test_a_name_stays_on_its_line() -> None:
    shown = change_text(Change((changed("+x", path="a\n+y\u202e.py"),)))
    assert shown.split("\n")[0] == "modified code file a\\n+y\\u{202e}.py"


def test_an_empty_change_says_so() -> None:
    assert change_text(Change(())) == "It changes no file."


def test_what_hides_is_told_and_does_not_hide() -> None:
    given = subject(changed("+x = 1\u202e"), issue="Do\u200b it.", context="y = 2\u2066")
    texts = patch_texts(given)
    assert not isinstance(texts, str)
    assert texts.issue == "Do it."
    assert "x = 1\\u{202e}" in texts.change
    assert "y = 2\\u{2066}" in texts.context
    assert [(found.effect, found.where) for found in texts.evidence] == [
        (Effect.HIDDEN, "the issue"),
        (Effect.HIDDEN, "the change"),
        (Effect.HIDDEN, "the code around the change"),
    ]
    plain = patch_texts(subject())
    assert not isinstance(plain, str)
    assert plain.evidence == ()


def test_the_prior_follows_from_the_published_rates() -> None:
    """Mean recall 16.24% and mean false bounces 5.06% of five models, 405 wrong of 642 (BouncerBench, Table III)."""
    wrong, right = 405, 642 - 405
    bounced = 0.1624 * wrong / (0.1624 * wrong + 0.0506 * right)
    accepted = 0.8376 * wrong / (0.8376 * wrong + 0.9494 * right)
    for label in PatchLabel:
        expected = bounced if label in BOUNCED else accepted
        assert probability_of_wrong(label) == pytest.approx(expected, abs=0.005)
