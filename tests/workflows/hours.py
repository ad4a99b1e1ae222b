"""Hours that pass at once: for Bouncer, for what waits for its hour in the engine, for calls that GitHub puts off."""

import time
from datetime import timedelta

from sqlalchemy import update

from bot.workflows.durable.engine import LONG_QUEUE, QUEUE
from bot.workflows.durable.queue_wakeup import Queues
from bot.workflows.durable.step import PATIENCE
from tests.support.runs import count_unfinished
from tests.workflows.house import House


def no_waiting(house: House) -> None:
    """Waits within a call take next to no time, and its patience counts by the house's clock, which it never sees go
    back: no machine's clock for such waits does."""
    clock = house.services.github._clock
    seen = [house.clock.ahead.total_seconds()]

    def ticks() -> float:
        seen[0] = max(seen[0], house.clock.ahead.total_seconds())
        return time.monotonic() + seen[0]

    given = {
        "sleep": lambda seconds: time.sleep(min(seconds, 0.01)),
        "ticks": ticks,
        "wall": lambda: house.clock().timestamp(),
    }
    for name, value in given.items():
        object.__setattr__(clock, name, value)


def let_pass(house: House, **units: float) -> None:
    """So much time goes by; what became due is done, also what came back later."""
    go_by(house, timedelta(**units))
    house.settle(120)


def finish(house: House) -> None:
    """What there is to do is done, also what comes back later, as often as it does."""
    house.settle(240)
    for wait in PATIENCE:
        if count_unfinished():
            let_pass(house, seconds=wait + 1)
    assert count_unfinished() == 0


def go_by(house: House, span: timedelta) -> None:
    """So much time goes by; what became due begins, beside what is still under way."""
    house.clock.advance(seconds=span.total_seconds())
    until = _queues(house)._dbos._sys_db.tables.workflow_status.c.delay_until_epoch_ms
    _change_what_waits(house, delay_until_epoch_ms=until - int(span.total_seconds() * 1000))
    _queues(house)._dbos._sys_db.transition_delayed_workflows()  # dbos itself does so once a second
    for name in (QUEUE, LONG_QUEUE):
        _queues(house).ring(name)
    house.worker.housekeep()


def forget_what_waits(house: House) -> None:
    """What was to come back later never does."""
    _change_what_waits(house, status="CANCELLED")


def _change_what_waits(house: House, **values: object) -> None:
    system = _queues(house)._dbos._sys_db
    runs = system.tables.workflow_status
    with system.engine.begin() as connection:
        connection.execute(update(runs).where(runs.c.status == "DELAYED").values(**values))


def _queues(house: House) -> Queues:
    assert house.engine._queues is not None
    return house.engine._queues
