"""Who reviews a pull request is the policy's choice."""

from bot.judges.openai.spend import MemorySpend
from bot.policy import Pulls, Review, Strictness
from bot.settings import Settings
from bot.workflows.services import reviewers


def test_a_model_is_asked_as_the_policy_says() -> None:
    model = Settings(judge="openai", model_base_url="http://127.0.0.1:9/v1", model="some-model")
    choose = reviewers(model, MemorySpend())
    assert [choose(Pulls(review=mode)).name for mode in Review] == [
        "some-model with patch-verdict/1",
        "some-model with patch-explain/1",
        "some-model with patch-full/1",
        "some-model with review-step/1",
    ]
    assert choose(Pulls()) is choose(Pulls(drafts=True))
    assert choose(Pulls()).looks


def test_the_offline_judge_keeps_the_promise_of_the_policy() -> None:
    choose = reviewers(Settings(judge="offline"), MemorySpend())
    assert choose(Pulls(strictness=Strictness.LENIENT)) is not choose(Pulls(strictness=Strictness.STRICT))
    assert not choose(Pulls()).looks
