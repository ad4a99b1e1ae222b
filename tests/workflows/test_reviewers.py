"""Who reviews a pull request is the policy's choice."""

from bot.judges.openai.spend import MemorySpend
from bot.policy import PullRules
from bot.policy_choices import ReviewRules, Strictness
from bot.settings import Settings
from bot.workflows.services import reviewers


def test_a_model_is_asked_as_the_policy_says() -> None:
    model = Settings(judge="openai", model_base_url="http://127.0.0.1:9/v1", model="some-model")
    choose = reviewers(model, MemorySpend())
    assert [choose(PullRules(review=mode)).name for mode in ReviewRules] == [
        "some-model with patch-verdict/1",
        "some-model with patch-explain/1",
        "some-model with patch-full/1",
        "some-model with review-step/1",
    ]
    assert choose(PullRules()) is choose(PullRules(drafts=True))
    assert choose(PullRules()).looks


def test_the_offline_judge_keeps_the_promise_of_the_policy() -> None:
    choose = reviewers(Settings(judge="offline"), MemorySpend())
    assert choose(PullRules(strictness=Strictness.LENIENT)) is not choose(PullRules(strictness=Strictness.STRICT))
    assert not choose(PullRules()).looks
