"""The settings choose the judge."""

import subprocess
import sys

from bot.changes.values import Change
from bot.judges.factory import make_judge, make_models, make_patch_judge, make_patch_reviewer
from bot.judges.openai.spend import MemorySpend
from bot.judges.patches import PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.policy_choices import Strictness
from bot.settings import Settings
from tests.judges.joiner import subject


def test_the_default_is_the_offline_judge() -> None:
    assert make_judge(Settings(judge="offline"), MemorySpend()).name.startswith("offline/")


def test_a_model_is_named_with_its_prompt() -> None:
    judge = make_judge(Settings(judge="openai", model="some-model"), MemorySpend())
    assert judge.name == "some-model with issue-specification/1"


def test_code_is_judged_by_a_model_or_by_nobody() -> None:
    assert make_models(Settings(judge="offline"), MemorySpend()) is None
    judges = make_models(Settings(judge="openai", model="some-model"), MemorySpend())
    assert judges is not None
    assert [judges.writer.name, judges.blind.name, judges.reviewer.name] == [
        "some-model with specification-tests/1",
        "some-model with blind-demand/1",
        "some-model with review-verdict/1",
    ]


def test_the_offline_judge_loads_no_model_library() -> None:
    """The command line answers in milliseconds; the SDK alone takes far longer to import."""
    program = (
        "import sys; from bot.judges.factory import make_judge; from bot.settings import Settings;"
        "from bot.judges.openai.spend import MemorySpend; from bot.judges import calibration;"
        "make_judge(Settings(judge='offline'), MemorySpend()); sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_patches_are_judged_in_the_mode_that_was_asked_for() -> None:
    model = Settings(judge="openai", model="some-model")
    assert make_patch_judge(model, MemorySpend()).name == "some-model with patch-verdict/1"
    assert make_patch_judge(model, MemorySpend(), ReviewMode.LABEL).name == "some-model with patch-label/1"
    assert make_patch_reviewer(model, MemorySpend(), ReviewMode.FULL).name == "some-model with patch-full/1"
    for judge in (make_patch_judge, make_patch_reviewer):
        assert judge(Settings(judge="offline"), MemorySpend()).name.startswith("offline-patch/")


def test_the_offline_judge_rejects_without_grounding_anything() -> None:
    settings, spend = Settings(judge="offline"), MemorySpend()
    reviews = [make_patch_reviewer(settings, spend, strictness=each).review(subject()) for each in Strictness]
    assert all(isinstance(review, PatchReview) and review.consistent and not review.grounded for review in reviews)
    assert not any(review.rationale for review in reviews), "what it counted tells a reader nothing"


def test_the_offline_judge_may_be_unavailable() -> None:
    unread = PatchSubject("Do it.", Change((), problem="it breaks off"))
    assert isinstance(make_patch_reviewer(Settings(judge="offline"), MemorySpend()).review(unread), NoJudgement)
