"""The longest files first, so that no test process ends with one of them while the others have nothing left to do.

`make test` hands out whole files in this order.
"""

import pytest

# Those of five seconds and more, by the time each takes.
LONGEST = (
    "hostile_pulls/test_hostile",
    "already_fixed/test_run_at_revisions",
    "demo/test_demo",
    "hostile_pulls/test_compiled",
    "verification/trial/test_trial",
    "crash/test_upgrade",
    "verification/test_standing",
    "workflows/test_verifier",
    "verification/test_filter",
    "verification/test_control",
    "verification/testing/test_forgery",
    "pulls/trajectories/test_hostile",
    "verification/strength/test_lost",
    "crash/test_kill_in_pull",
    "workflows/test_gate_faults",
    "sandbox/test_hostile_container",
    "verification/testing/test_run",
    "workflows/test_processes",
    "sandbox/test_bubblewrap",
    "commands/test_fixed",
    "webhooks/test_serve",
    "packaging/test_wheel",
    "verification/differential/test_compare",
    "judges/test_model_calibration",
    "verification/strength/test_lost_by_command",
    "workflows/test_stale",
    "workflows/test_pull_workflow",
    "verification/environments/test_sandboxed",
    "sandbox/test_container",
    "workflows/test_gate_fix",
    "commands/test_verify",
    "commands/test_judge_pull",
    "issues/test_language",
    "crash/test_kill_at_effects",
    "verification/test_stage",
    "workflows/test_engine_life",
    "already_fixed/test_own_tests",
    "verification/differential/test_observe",
    "already_fixed/test_trial",
    "workflows/test_faults",
    "workflows/test_closing",
    "workflows/test_whose",
    "workflows/test_gate_hostile",
    "github/test_runner",
    "workflows/test_published_examples",
    "workflows/test_meanwhile",
    "workflows/test_examiner",
    "workflows/test_broken",
    "verification/strength/test_noticed",
    "workflows/test_trouble",
    "crash/test_kill_at_gate",
    "already_fixed/test_guess",
    "commands/test_cli",
    "workflows/test_first_look",
    "rendering/test_comment",
    "workflows/test_answers",
    "workflows/test_modes",
    "verification/strength/test_measure",
    "history/test_search",
    "workflows/test_reconcile",
    "commands/test_doctor",
    "workflows/test_templates",
    "workflows/test_engine",
    "sandbox/test_hostile",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"tests/{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
