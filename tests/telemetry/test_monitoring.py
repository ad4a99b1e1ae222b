"""The alert rules and the dashboard: they name metrics that exist, and Prometheus' own tool takes them."""

import importlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from prometheus_client import REGISTRY as DEFAULT
from prometheus_client import CollectorRegistry, generate_latest

from bot.judges.openai.spend import CALLS
from bot.settings import Settings
from bot.telemetry.metrics import REGISTRY
from bot.workflows.run_context import RUNS
from bot.workflows.worker import Worker
from fake_github.access import new_private_key
from tests.support.databases import Databases
from tests.support.npm import CACHE
from webhooks.app import create_app

MONITORING = Path(__file__).parents[2] / "docs" / "monitoring"
RULES = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"][0]["rules"]
PANELS = json.loads((MONITORING / "grafana.json").read_text())["panels"]
EXPRESSIONS = [rule["expr"] for rule in RULES] + [target["expr"] for panel in PANELS for target in panel["targets"]]
OPERATION = (MONITORING.parent / "operation.md").read_text()


@pytest.fixture(scope="module")
def exported(databases: Databases) -> set[str]:
    """The names of all samples that the web process and a worker show."""
    importlib.import_module("bot.workflows.worker")  # each metric is declared where it happens
    app = create_app(Settings(webhook_secret="x" * 20, database_url=databases.migrated()))
    shown = app.test_client().get("/metrics").text + generate_latest(REGISTRY).decode()
    return families(shown)


def families(shown: str) -> set[str]:
    """Names by their `# TYPE` lines: a counter without a sample has no other line."""
    found: set[str] = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", shown, re.MULTILINE):
        found |= {name} if kind != "histogram" else {f"{name}_{part}" for part in ("bucket", "sum", "count")}
    return found


def named() -> Iterator[str]:
    for expression in EXPRESSIONS:
        yield from re.findall(r"\bbouncer_[a-z_]+", expression)


def test_every_metric_that_is_asked_for_is_shown(exported: set[str]) -> None:
    assert set(named()) - exported == set()
    assert DEFAULT is not REGISTRY and isinstance(REGISTRY, CollectorRegistry)


def test_every_metric_is_explained(exported: set[str]) -> None:
    own = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exported if name.startswith("bouncer_")}
    assert {name for name in own if f"`{name}`" not in OPERATION} == set()


def test_every_alert_says_what_to_do() -> None:
    for rule in RULES:
        assert rule["annotations"]["summary"].endswith((".", "}.")), rule["alert"]
        assert rule["annotations"]["mend"].endswith(".")
        assert rule["labels"]["severity"] in ("page", "ticket")
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def promtool() -> str:
    """Prometheus' own checker; taken out of Debian's package where it is not installed."""
    if found := shutil.which("promtool"):
        return found
    place = CACHE.parent / "promtool"
    if not (place / "usr/bin/promtool").exists():
        place.mkdir(parents=True, exist_ok=True)
        fetched = subprocess.run(["apt-get", "download", "prometheus"], cwd=place, capture_output=True, check=False)
        packages = list(place.glob("prometheus_*.deb"))
        if fetched.returncode or not packages:
            pytest.skip("promtool is not here, and Debian's package cannot be had")
        subprocess.run(["dpkg-deb", "-x", packages[0], place], check=True, timeout=60)
    return str(place / "usr/bin/promtool")


def test_prometheus_takes_the_rules_and_they_fire_when_they_should(tmp_path: Path) -> None:
    checked = subprocess.run([promtool(), "check", "rules", MONITORING / "alerts.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert f"{len(RULES)} rules found" in checked.stdout
    cases = tmp_path / "cases.yml"
    tests = [case(*each, fires=True) for each in (*FIRING.items(), *NO_WORKER)]
    tests += [case(*each, fires=False) for each in QUIET.items()]
    cases.write_text(yaml.safe_dump({"rule_files": [str(MONITORING / "alerts.yml")], "tests": tests}))
    tested = subprocess.run([promtool(), "test", "rules", cases], capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_every_alert_is_seen_to_fire_and_to_be_quiet() -> None:
    assert set(FIRING) == set(QUIET) == {rule["alert"] for rule in RULES}


def test_what_alerts_count_is_shown_before_it_happens(databases: Databases) -> None:
    """A series that begins with 1 has not increased."""
    for counter in (RUNS, CALLS):
        counter.clear()  # of other tests
    given = {"judge": "openai", "model": "one", "models": [{"model": "other"}], "private_key": new_private_key()}
    Worker(Settings(app_id=1, webhook_secret="x" * 20, database_url=databases.migrated(), **given))
    shown = generate_latest(REGISTRY).decode()
    counted = {each for rule in RULES for each in re.findall(r'increase\((bouncer_\w+){(\w+="\w+")}', rule["expr"])}
    assert len(counted) == 5
    for name, label in counted:
        assert re.search(rf"^{name}{{[^}}]*{label}[^}}]*}}", shown, re.MULTILINE), name
    for model in ("one", "other"):
        assert f'bouncer_model_calls_total{{model="{model}",outcome="ceiling"}} 0.0' in shown
    for workflow in ("issue", "judging", "already_fixed"):
        assert f'bouncer_runs_total{{outcome="failed",workflow="{workflow}"}} 0.0' in shown


def case(alert: str, series: dict[str, str], *, fires: bool) -> dict[str, object]:
    """After half an hour of these samples, one a minute."""
    given = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
    }
    if not fires:
        return {**given, "alert_rule_test": [{"eval_time": "30m", "alertname": alert, "exp_alerts": []}]}
    firing = f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})'
    wanted = {"expr": firing, "eval_time": "30m", "exp_samples": [{"labels": "{}", "value": 1}]}
    return {**given, "promql_expr_test": [wanted]}


HEARTBEAT = "bouncer_worker_heartbeat_timestamp_seconds"
UNAVAILABLE = 'bouncer_verdicts_total{door="pulls", decision="unavailable"}'
REACHED = 'bouncer_verdicts_total{door="pulls", decision="accept"}'
FAILED, ENDED = (f'bouncer_runs_total{{workflow="issue", outcome="{how}"}}' for how in ("failed", "ended"))
CALLS_FAIL, CEILING, ANSWERED = (
    f'bouncer_model_calls_total{{model="m", outcome="{how}"}}' for how in ("failed", "ceiling", "answered")
)
BROKEN, WELL = (f'bouncer_sandbox_jobs_total{{executor="b", status="{how}"}}' for how in ("sandbox_error", "exited"))
# Counts as the product shows them: from its start on, which may be later than that of Prometheus (`_`), with 0 first.
FIRING = {
    "BouncerDatabaseDown": {"bouncer_database_up": "0x40"},
    "BouncerDeliveriesWait": {"bouncer_inbox_oldest_seconds": "0+60x40"},
    "BouncerRunsWait": {"bouncer_runs_oldest_seconds": "1000+60x40"},
    "BouncerWorkerSilent": {f'{HEARTBEAT}{{instance="1"}}': "0+60x40", f'{HEARTBEAT}{{instance="2"}}': "0x40"},
    "BouncerGone": {
        'up{job="bouncer-worker", instance="1"}': "1x40",
        'up{job="bouncer-worker", instance="2"}': "1x10 0x30",
        f'{HEARTBEAT}{{instance="1"}}': "0+60x40",
        f'{HEARTBEAT}{{instance="2"}}': "0+60x10 stale",
    },
    "BouncerRunsFail": {FAILED: "_x5 0x10 1x30", ENDED: "_x5 0+1x40"},
    "BouncerCannotJudge": {UNAVAILABLE: "0+1x40", REACHED: "0+1x40"},
    "BouncerModelFails": {CALLS_FAIL: "_x17 0x5 4x20"},
    "BouncerSpendCeiling": {CEILING: "_x17 0x5 1x20"},
    "BouncerGitHubLimit": {'bouncer_github_rate_limit_remaining{resource="core"}': "499x40"},
    "BouncerSandboxBroken": {BROKEN: "_x17 0x5 4x20"},
}
QUIET = {
    "BouncerDatabaseDown": {"bouncer_database_up": "1x40"},
    "BouncerDeliveriesWait": {"bouncer_inbox_oldest_seconds": "4x40"},
    "BouncerRunsWait": {"bouncer_runs_oldest_seconds": "1700x40"},
    "BouncerWorkerSilent": {HEARTBEAT: "0+60x40"},
    "BouncerGone": {'up{job="bouncer-worker"}': "1x40", 'up{job="node"}': "0x40", HEARTBEAT: "0+60x40"},
    "BouncerRunsFail": {FAILED: "_x5 0x40", ENDED: "_x5 0+1x40"},
    "BouncerCannotJudge": {UNAVAILABLE: "0x40", REACHED: "0+1x40"},
    "BouncerModelFails": {CALLS_FAIL: "0x20 1x20", ANSWERED: "0+1x40"},
    "BouncerSpendCeiling": {CEILING: "0x5 1x40", ANSWERED: "0+1x40"},
    "BouncerGitHubLimit": {'bouncer_github_rate_limit_remaining{resource="core"}': "500x40"},
    "BouncerSandboxBroken": {BROKEN: "0x20 1x20", WELL: "0+1x40"},
}
NO_WORKER = [("BouncerGone", {HEARTBEAT: "0+60x10 stale"}), ("BouncerGone", {'up{job="node"}': "1x40"})]
