"""The settings choose the judge."""

import subprocess
import sys

from bot.judges.factory import make_code_judges, make_judge
from bot.judges.spend import MemorySpend
from bot.settings import Settings


def test_the_default_is_the_offline_judge() -> None:
    assert make_judge(Settings(judge="offline"), MemorySpend()).name.startswith("offline/")


def test_a_model_is_named_with_its_prompt() -> None:
    judge = make_judge(Settings(judge="openai", model="some-model"), MemorySpend())
    assert judge.name == "some-model with issue-specification/1"


def test_code_is_judged_by_a_model_or_by_nobody() -> None:
    assert make_code_judges(Settings(judge="offline"), MemorySpend()) is None
    judges = make_code_judges(Settings(judge="openai", model="some-model"), MemorySpend())
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
        "from bot.judges.spend import MemorySpend; from bot.judges import calibration;"
        "make_judge(Settings(judge='offline'), MemorySpend()); sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
