"""The longest files first, so that no test process ends with one of them while the others have nothing left to do.

`make test` hands out whole files in this order.
"""

import pytest

# Those of half a minute and more, by the time each takes.
LONGEST = (
    "demo/test_demo",
    "sandbox/test_hostile_container",
    "verification/testing/test_forgery",
    "crash/test_kill_at_effects",
    "verification/test_filter",
    "workflows/test_verifier",
    "workflows/test_processes",
    "workflows/test_faults",
    "workflows/test_engine_life",
    "crash/test_storm",
    "crash/test_kill_in_pull",
    "crash/test_kill_at_gate",
    "packaging/test_wheel",
    "webhooks/test_serve",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"tests/{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
