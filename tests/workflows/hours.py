"""Hours that pass at once: for Bouncer, for what waits for its hour in the engine, for calls that GitHub puts off."""

import time
from datetime import timedelta

from sqlalchemy import update

from bot.workflows.durable.engine import LONG_QUEUE, QUEUE
from bot.workflows.durable.github_step import PATIENCE
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
        if house.engine.unfinished():
            let_pass(house, seconds=wait + 1)
    assert house.engine.unfinished() == 0


def go_by(house: House, span: timedelta) -> None:
    """So much time goes by; what became due begins, beside what is still under way."""
    house.clock.advance(seconds=span.total_seconds())
    queues = house.engine._queues
    assert queues is not None
    system = queues._dbos._sys_db
    runs = system.tables.workflow_status
    sooner = runs.c.delay_until_epoch_ms - int(span.total_seconds() * 1000)
    with system.engine.begin() as engine:
        engine.execute(update(runs).where(runs.c.status == "DELAYED").values(delay_until_epoch_ms=sooner))
    system.transition_delayed_workflows()  # dbos itself does so once a second
    for name in (QUEUE, LONG_QUEUE):
        queues.ring(name)
    house.worker.housekeep()
