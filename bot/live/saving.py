"""What a cheap model that is asked first saved, from the money that single verdicts cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean

from bot.live.precision import Subject, VerdictRow


@dataclass(frozen=True, slots=True)
class FirstModelSaving:
    """settled: issues that the cheap model judged alone. passed_on: those that others judged after it. money: what
    those would have cost for the settled ones; `None` where no verdict tells."""

    model: str
    settled: int
    passed_on: int
    money: float | None


def first_model_saving(decided: Iterable[VerdictRow], model: str) -> FirstModelSaving:
    """model: the cheap one. Only issues that a model judged count. What others cost is a passed-on verdict's cost less
    a settled one's, on average."""
    by_model = [one for one in decided if one.subject is Subject.ISSUE and " with " in one.judge]
    settled = [one.usage.money for one in by_model if one.judge.startswith(f"{model} with ")]
    passed_on = [one.usage.money for one in by_model if not one.judge.startswith(f"{model} with ")]
    each = mean(passed_on) - mean(settled) if settled and passed_on else None
    money = len(settled) * each if each is not None and each > 0 else None
    return FirstModelSaving(model, len(settled), len(passed_on), money)
