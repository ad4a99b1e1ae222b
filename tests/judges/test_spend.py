"""The ceiling holds, whoever asks at once and however calls end."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from bot.judges.openai.spend import CeilingReached, InFlight, MemorySpend, Prices, Purse
from bot.verdicts import Usage


def purse(spend: MemorySpend, ceiling: float, in_flight: InFlight | None = None) -> Purse:
    return Purse(spend, ceiling, "judge/1", in_flight or InFlight())


def cost(money: float) -> Usage:
    return Usage(1, 10, 10, money)


def test_prices_are_for_a_million_tokens() -> None:
    assert Prices(2.0, 8.0).usage(500_000, 250_000) == Usage(1, 500_000, 250_000, 3.0)


def test_a_settled_call_counts_at_its_real_cost() -> None:
    spend = MemorySpend()
    wallet = purse(spend, 10.0)
    for _ in range(5):
        with wallet.call(cost(6.0)) as charge:
            charge.usage = cost(1.0)
    assert spend.spent_today() == 5.0
    with (
        pytest.raises(CeilingReached, match="today's spend ceiling of 10 is reached") as reached,
        wallet.call(cost(6.0)),
    ):
        pass
    assert reached.value.tomorrow, "what is spent stays spent until the day ends"


def test_what_is_in_flight_counts_across_judges_of_a_process() -> None:
    together = InFlight()
    spend = MemorySpend()
    with (
        purse(spend, 10.0, together).call(cost(6.0)),
        pytest.raises(CeilingReached) as reached,
        purse(spend, 10.0, together).call(cost(6.0)),
    ):
        pass
    assert not reached.value.tomorrow, "it may fit as soon as the other call ends"


def test_a_call_that_fails_gives_its_reservation_back() -> None:
    in_flight = InFlight()
    with pytest.raises(ZeroDivisionError), purse(MemorySpend(), 10.0, in_flight).call(cost(6.0)):
        raise ZeroDivisionError
    assert sum(in_flight.money.values()) == 0.0


def test_a_call_that_fails_after_costing_is_recorded() -> None:
    spend = MemorySpend()
    with pytest.raises(ZeroDivisionError), purse(spend, 10.0).call(cost(6.0)) as charge:
        charge.usage = cost(2.0)
        raise ZeroDivisionError
    assert spend.spent_today() == 2.0


def test_no_ceiling_means_none() -> None:
    spend = MemorySpend()
    with purse(spend, 0.0).call(cost(1e9)) as charge:
        charge.usage = cost(1e9)
    assert spend.spent_today() == 1e9


def test_many_threads_never_overshoot() -> None:
    spend = MemorySpend()
    wallet = purse(spend, 10.0)

    def call(_: int) -> bool:
        try:
            with wallet.call(cost(1.0)) as charge:
                charge.usage = cost(1.0)
        except CeilingReached:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        made = sum(pool.map(call, range(200)))
    assert made == 10
    assert spend.spent_today() == 10.0


def test_a_new_day_starts_at_nothing() -> None:
    today = [date(2026, 1, 1)]
    spend = MemorySpend(lambda: today[0])
    spend.record(cost(4.0), "judge/1")
    today[0] = date(2026, 1, 2)
    assert spend.spent_today() == 0.0


def test_what_was_spent_before_counts_for_the_ceiling_and_is_not_said_again() -> None:
    first = MemorySpend()
    first.record(cost(4.0), "judge with x/1")
    then = MemorySpend(before=first)
    then.record(cost(1.0), "judge with y/1")
    assert (then.spent_today(), then.spent_today("judge"), then.spent_today("other")) == (5.0, 5.0, 0.0)
    assert then.used["judge"].money == 1.0


def of(model: str, spend: MemorySpend, own: float, together: InFlight | None = None) -> Purse:
    return Purse(spend, 10.0, f"{model} with issue-specification/2", together or InFlight(), own=own)


def test_a_models_own_ceiling_leaves_the_others_alone() -> None:
    spend = MemorySpend()
    for model in ("dear", "cheap"):
        with of(model, spend, own=5.0).call(cost(4.0)) as charge:
            charge.usage = cost(4.0)
    with (
        pytest.raises(CeilingReached, match="today's spend ceiling of 5 for dear is reached"),
        of("dear", spend, own=5.0).call(cost(1.5)),
    ):
        pass
    with of("dearer", spend, own=5.0).call(cost(1.5)):
        pass
    with pytest.raises(CeilingReached, match="ceiling of 10 is reached"), of("dearer", spend, own=5.0).call(cost(2.5)):
        pass
    assert (spend.spent_today(), spend.spent_today("dear"), spend.spent_today("de")) == (8.0, 4.0, 0.0)


def test_what_is_in_flight_counts_for_its_own_model() -> None:
    spend, together = MemorySpend(), InFlight()
    with of("dear", spend, 5.0, together).call(cost(4.0)):
        with of("cheap", spend, 5.0, together).call(cost(4.0)):
            pass
        with pytest.raises(CeilingReached, match="for dear"), of("dear", spend, 5.0, together).call(cost(2.0)):
            pass
