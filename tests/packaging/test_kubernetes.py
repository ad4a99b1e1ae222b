"""The manifests: valid by Kubernetes' own schemas, and about the image, settings and commands that there are."""

import json
import re
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from bot.cli import COMMANDS
from bot.settings import Settings
from tests.support.pypi import wheel_of

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "deploy/kubernetes").glob("*.yaml"))
OLDEST, NEWEST = "1.33", "1.37"  # the first in which a pod may have users of its own without a feature gate
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def manifests() -> dict[str, dict[str, Any]]:
    """By kind and name."""
    loaded = [one for path in FILES for one in yaml.safe_load_all(path.read_text())]
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in loaded}


MANIFESTS = manifests()
PODS = {name: one["spec"]["template"]["spec"] for name, one in MANIFESTS.items() if "template" in one.get("spec", {})}
WORKER, WEB, DOCTOR = (
    PODS[f"{name}"] for name in ("StatefulSet/bouncer-worker", "Deployment/bouncer-web", "Job/bouncer-doctor")
)
CONTAINERS = [
    pytest.param(pod, container, id=f"{name}/{container['name']}")
    for name, pod in PODS.items()
    for container in (*pod.get("initContainers", []), *pod["containers"])
]


@cache
def schemas(version: str) -> dict[str, str]:
    """Kubernetes' own, turned into JSON Schema; unknown fields are refused."""
    with zipfile.ZipFile(wheel_of("kubernetes-validate", "1.37.0")) as wheel:
        place = f"kubernetes_validate/kubernetes-json-schema/v{version}.0-local-strict/"
        names = [name for name in wheel.namelist() if name.startswith(place)]
        return {name.removeprefix(place): wheel.read(name).decode() for name in names}


def validator(one: dict[str, Any], version: str) -> jsonschema_rs.Validator:
    known = schemas(version)
    schema = json.loads(known["-".join([one["kind"].lower(), *one["apiVersion"].split("/")]) + ".json"])
    whole = {**schema, "$defs": json.loads(known["_definitions.json"])["$defs"]}
    del whole["$id"]
    return jsonschema_rs.validator_for(json.loads(json.dumps(whole).replace("/api/_definitions.json#", "#")))


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("name", MANIFESTS)
def test_kubernetes_would_take_it(name: str, version: str) -> None:
    check = validator(MANIFESTS[name], version)
    assert [f"{list(error.instance_path)}: {error.message}" for error in check.iter_errors(MANIFESTS[name])] == []


def test_the_schemas_notice_a_wrong_field() -> None:
    wrong = json.loads(json.dumps(MANIFESTS["Deployment/bouncer-web"]))
    wrong["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    assert list(validator(wrong, NEWEST).iter_errors(wrong))


def test_everything_is_in_one_namespace_and_each_name_is_there_once() -> None:
    assert len(MANIFESTS) == sum(1 for path in FILES for _ in yaml.safe_load_all(path.read_text()))
    places = {one["metadata"].get("namespace") for name, one in MANIFESTS.items() if not name.startswith("Namespace/")}
    assert places == {"bouncer"} and "Namespace/bouncer" in MANIFESTS


@pytest.mark.parametrize(("pod", "container"), CONTAINERS)
def test_a_container_starts_what_the_image_has(pod: dict[str, Any], container: dict[str, Any]) -> None:
    assert container["image"] == "ghcr.io/OWNER/NAME:VERSION", "one name to replace everywhere"
    if "command" not in container:
        assert container["args"][0] in COMMANDS
    assert {mount["name"] for mount in container["volumeMounts"]} <= volumes(pod)
    for given in container.get("env", []):
        assert given["name"].removeprefix("BOUNCER_").lower() in Settings.model_fields
        assert "value" not in given, "what is the same everywhere stands in the ConfigMap"


def volumes(pod: dict[str, Any]) -> set[str]:
    claimed = MANIFESTS["StatefulSet/bouncer-worker"]["spec"]["volumeClaimTemplates"] if pod is WORKER else []
    return {volume["name"] for volume in pod["volumes"]} | {claim["metadata"]["name"] for claim in claimed}


@pytest.mark.parametrize(("pod", "container"), CONTAINERS)
def test_a_container_has_no_rights_and_no_token(pod: dict[str, Any], container: dict[str, Any]) -> None:
    security = container["securityContext"]
    assert security["allowPrivilegeEscalation"] is False and security["readOnlyRootFilesystem"] is True
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert pod["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)


@pytest.mark.parametrize("name", [name for name in PODS if not name.startswith("DaemonSet/")])
def test_it_runs_as_the_user_of_the_image(name: str) -> None:
    user, group = re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)[0]
    security = PODS[name]["securityContext"]
    assert (security["runAsUser"], security["runAsGroup"]) == (int(user), int(group))
    assert security["runAsNonRoot"] is True


def test_settings_come_from_one_map_and_one_secret_that_is_not_here() -> None:
    for name, pod in PODS.items():
        if not name.startswith("DaemonSet/"):
            assert pod["containers"][0]["envFrom"] == [
                {"configMapRef": {"name": "bouncer"}},
                {"secretRef": {"name": "bouncer"}},
            ]
    given = MANIFESTS["ConfigMap/bouncer"]["data"]
    assert {name.removeprefix("BOUNCER_").lower() for name in given} <= set(Settings.model_fields)
    assert not any(one["kind"] == "Secret" for one in MANIFESTS.values())


def test_the_page_makes_the_secret_with_settings_that_exist() -> None:
    page = (ROOT / "docs/kubernetes.md").read_text()
    (made,) = re.findall(r"kubectl create secret generic bouncer .*?--from-env-file=(\S+)", page, re.DOTALL)
    assert made == "app.env"
    assert "--from-file=bouncer.json=docs/seccomp-bouncer.json" in page
    assert (ROOT / "docs/seccomp-bouncer.json").is_file()
    assert all(f"deploy/kubernetes/{path.name}" in page for path in FILES)


def test_each_worker_keeps_its_id_and_its_cache() -> None:
    stateful = MANIFESTS["StatefulSet/bouncer-worker"]["spec"]
    (worker,) = WORKER["containers"]
    assert worker["env"] == [{"name": "BOUNCER_WORKER_ID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
    (claim,) = stateful["volumeClaimTemplates"]
    places = {mount["name"]: mount["mountPath"] for mount in worker["volumeMounts"]}
    (cache_dir,) = re.findall(r"BOUNCER_CACHE_DIR=(\S+)", DOCKERFILE)
    assert places[claim["metadata"]["name"]] == cache_dir
    assert f"Service/{stateful['serviceName']}" in MANIFESTS


def test_prometheus_reaches_the_metrics_of_each_worker() -> None:
    given = MANIFESTS["ConfigMap/bouncer"]["data"]
    (port,), service = WORKER["containers"][0]["ports"], MANIFESTS["Service/bouncer-worker"]["spec"]
    assert given["BOUNCER_METRICS_PORT"] == str(port["containerPort"]) and given["BOUNCER_METRICS_HOST"] == "0.0.0.0"
    assert service["ports"] == [{"name": "metrics", "port": port["containerPort"], "targetPort": port["name"]}]
    assert service["clusterIP"] == "None", "not for anybody outside"


def test_a_worker_may_make_a_sandbox_and_proves_it_before_it_starts() -> None:
    (probe,), (worker,), (doctor,) = WORKER["initContainers"], WORKER["containers"], DOCTOR["containers"]
    assert probe["args"] == ["sandbox", "probe", "--executor", "bubblewrap"]
    assert worker["securityContext"] == probe["securityContext"] == doctor["securityContext"]
    assert worker["securityContext"]["seccompProfile"] == {"type": "Localhost", "localhostProfile": "bouncer.json"}
    assert worker["securityContext"]["procMount"] == "Unmasked"
    assert WORKER["hostUsers"] is DOCTOR["hostUsers"] is False, "Kubernetes unmasks /proc there alone"
    assert worker["volumeMounts"] == doctor["volumeMounts"]
    # The same as compose's worker has.
    assert set(COMPOSE["worker-1"]["security_opt"]) == {
        *(
            "no-new-privileges:true",
            "seccomp=docs/seccomp-bouncer.json",
            "systempaths=unconfined",
            "apparmor=unconfined",
        )
    }
    assert WEB["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, "it runs nobody's code"


def test_the_profile_is_put_where_the_workers_look() -> None:
    pod = PODS["DaemonSet/bouncer-seccomp"]
    (container,) = pod["containers"]
    name = WORKER["containers"][0]["securityContext"]["seccompProfile"]["localhostProfile"]
    assert f"/profile/{name} /node/{name}" in container["command"][2]
    places = {volume["name"]: volume for volume in pod["volumes"]}
    assert places["node"]["hostPath"]["path"] == "/var/lib/kubelet/seccomp"


def test_the_service_leads_to_the_port_of_the_web_process() -> None:
    (container,) = WEB["containers"]
    (port,) = container["ports"]
    assert f"EXPOSE {port['containerPort']}" in DOCKERFILE
    service = MANIFESTS["Service/bouncer-web"]["spec"]
    assert service["ports"][0]["targetPort"] == port["name"]
    assert service["selector"] == MANIFESTS["Deployment/bouncer-web"]["spec"]["template"]["metadata"]["labels"]
    routes = (ROOT / "webhooks/health.py").read_text()
    for probe in ("readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert asked["port"] == port["name"] and f'"{asked["path"]}"' in routes


@pytest.mark.parametrize("name", PODS)
def test_a_set_finds_its_own_pods(name: str) -> None:
    spec = MANIFESTS[name]["spec"]
    labels = spec["template"]["metadata"]["labels"]
    assert labels == {"app": MANIFESTS[name]["metadata"]["name"]}
    assert spec.get("selector", {"matchLabels": labels}) == {"matchLabels": labels}
