"""What is left of a day's budget: nobody spends everybody's, or lets their own change pass by spending their own."""

import pytest

from bot.policy import Budgets
from bot.pulls.admission import spent_budget
from bot.verdicts import Cause
from tests.support.cases import cases


@cases
def test_ten_judgements_a_day(looks: dict[str, int], own: int, blame: Cause | None) -> None:
    found = spent_budget(Budgets(per_repository=10), looks, own)
    assert (found and found.blame) is blame


@pytest.mark.parametrize(("most", "own", "blame"), [(0, 0, Cause.OUTSIDE), (1, 0, None), (1, 1, Cause.CHANGE)])
def test_the_smallest_budgets(most: int, own: int, blame: Cause | None) -> None:
    found = spent_budget(Budgets(per_repository=most), {"agent": own}, own)
    assert (found and found.blame) is blame
    assert not own or (found and found.why.startswith("Whoever pushed it has had 1 judgement today, and"))
