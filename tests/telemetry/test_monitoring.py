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

from bot.settings import Settings
from bot.telemetry.metrics import REGISTRY
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
    cases.write_text(yaml.safe_dump({"rule_files": [str(MONITORING / "alerts.yml")], "tests": CASES}))
    tested = subprocess.run([promtool(), "test", "rules", cases], capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout + tested.stderr


def case(alert: str, series: dict[str, str], *, fires: bool) -> dict[str, object]:
    """After half an hour of these samples, one a minute."""
    rule = next(rule for rule in RULES if rule["alert"] == alert)
    wanted = [{"exp_labels": rule["labels"]}] if fires else []
    if fires:
        return {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [
                {
                    "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})',
                    "eval_time": "30m",
                    "exp_samples": [{"labels": "{}", "value": len(wanted)}],
                }
            ],
        }
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [{"eval_time": "30m", "alertname": alert, "exp_alerts": []}],
    }


BROKEN = 'bouncer_sandbox_jobs_total{executor="b", status="sandbox_error"}'
UNAVAILABLE = 'bouncer_verdicts_total{door="pulls", decision="unavailable"}'
REACHED = 'bouncer_verdicts_total{door="pulls", decision="accept"}'
CASES = [
    case("BouncerDatabaseDown", {"bouncer_database_up": "0x40"}, fires=True),
    case("BouncerDatabaseDown", {"bouncer_database_up": "1x40"}, fires=False),
    case("BouncerDeliveriesWait", {"bouncer_inbox_oldest_seconds": "0+60x40"}, fires=True),
    case("BouncerDeliveriesWait", {"bouncer_inbox_oldest_seconds": "4x40"}, fires=False),
    case("BouncerWorkerSilent", {"bouncer_worker_heartbeat_timestamp_seconds": "0x40"}, fires=True),
    case("BouncerWorkerSilent", {"bouncer_worker_heartbeat_timestamp_seconds": "0+60x40"}, fires=False),
    case("BouncerRunsFail", {'bouncer_runs_total{workflow="issue", outcome="failed"}': "0x20 1x20"}, fires=True),
    case("BouncerRunsFail", {'bouncer_runs_total{workflow="issue", outcome="ended"}': "0+1x40"}, fires=False),
    case("BouncerCannotJudge", {UNAVAILABLE: "0+1x40", REACHED: "0+1x40"}, fires=True),
    case("BouncerCannotJudge", {UNAVAILABLE: "0x40", REACHED: "0+1x40"}, fires=False),
    case("BouncerModelFails", {'bouncer_model_calls_total{model="m", outcome="failed"}': "0+1x40"}, fires=True),
    case("BouncerModelFails", {'bouncer_model_calls_total{model="m", outcome="answered"}': "0+1x40"}, fires=False),
    case("BouncerGitHubLimit", {'bouncer_github_rate_limit_remaining{resource="core"}': "499x40"}, fires=True),
    case("BouncerGitHubLimit", {'bouncer_github_rate_limit_remaining{resource="core"}': "500x40"}, fires=False),
    case(
        "BouncerSandboxBroken",
        {'bouncer_sandbox_jobs_total{executor="b", status="sandbox_error"}': "0+1x40"},
        fires=True,
    ),
    case("BouncerSandboxBroken", {'bouncer_sandbox_jobs_total{executor="b", status="exited"}': "0+1x40"}, fires=False),
]
