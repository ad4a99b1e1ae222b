"""The longest files first, so that no test process ends with one of them while the others have nothing left to do.

`make test` hands out whole files in this order.
"""

import pytest

# Those of fifteen seconds and more, by the time each takes.
LONGEST = (
    "demo/test_demo",
    "hostile_pulls/test_hostile",
    "verification/test_filter",
    "verification/testing/test_forgery",
    "sandbox/test_hostile_container",
    "fixed/test_examine",
    "workflows/test_verifier",
    "workflows/test_desk",
    "workflows/test_faults",
    "workflows/test_processes",
    "crash/test_kill_at_effects",
    "webhooks/test_serve",
    "crash/test_storm",
    "crash/test_kill_in_pull",
    "workflows/test_engine_life",
    "verification/testing/test_run",
    "commands/test_cli",
    "storage/test_stores",
    "commands/test_judge_pull",
    "bounded/test_linear",
    "verification/test_control",
    "verification/trial/test_trial",
    "workflows/test_gate_stale",
    "webhooks/test_receive",
    "verification/testing/test_intruders",
    "workflows/test_gate_faults",
    "workflows/test_gate",
    "workflows/test_gate_hostile",
    "workflows/test_reconcile",
    "commands/test_verify",
    "packaging/test_wheel",
    "verification/differential/test_compare",
    "commands/test_fixed",
    "sandbox/test_container",
    "demo/test_browser",
    "workflows/test_meanwhile",
    "workflows/test_examiner",
    "crash/test_kill_at_gate",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"tests/{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
