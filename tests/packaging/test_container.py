"""The image and the compose file, checked without a container engine: every instruction, path, name and setting."""

import json
import re
import shlex
from configparser import ConfigParser
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from bot.cli import COMMANDS
from bot.settings import Settings
from bot.workflows.worker import DRAIN

ROOT = Path(__file__).parents[2]
SECRETS = re.compile(r"secret|private_key(?!_path)|api_key|password|token", re.IGNORECASE)


class Instruction(NamedTuple):
    stage: int
    name: str
    value: str


@pytest.fixture(scope="module")
def dockerfile() -> list[Instruction]:
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    stage, found = -1, []  # what stands before the first stage is in stage -1
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if line.strip():
            name, value = line.split(maxsplit=1)
            stage += name == "FROM"
            found.append(Instruction(stage, name, value.strip()))
    return found


def values(dockerfile: list[Instruction], name: str, stage: int = 1) -> list[str]:
    return [step.value for step in dockerfile if step.name == name and step.stage == stage]


def variables(dockerfile: list[Instruction], stage: int) -> dict[str, str]:
    pairs = [word for value in values(dockerfile, "ENV", stage) for word in shlex.split(value)]
    return dict(pair.split("=", 1) for pair in pairs)


def test_every_instruction_is_one_docker_knows(dockerfile: list[Instruction]) -> None:
    assert {step.name for step in dockerfile} <= {
        *(
            "ARG",
            "FROM",
            "ENV",
            "WORKDIR",
            "COPY",
            "RUN",
            "USER",
            "VOLUME",
            "EXPOSE",
            "HEALTHCHECK",
            "ENTRYPOINT",
            "CMD",
        )
    }


def test_the_base_has_a_python_and_an_sqlite_that_work(dockerfile: list[Instruction]) -> None:
    images = {step.value.split()[0] for step in dockerfile if step.name == "FROM"}
    assert images == {"${PYTHON_IMAGE}"}, "a release names it by digest"
    # Debian 13 (trixie) has SQLite 3.46; Debian 12 has 3.40, which fails from Python 3.12 on.
    assert [step.value for step in dockerfile if step.name == "ARG"] == ["PYTHON_IMAGE=python:3.13-slim-trixie"]


def test_what_is_copied_exists_and_is_not_ignored(dockerfile: list[Instruction]) -> None:
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [source for value in values(dockerfile, "COPY", 0) for source in value.split()[:-1]]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source in kept, f"{source} is not let through by .dockerignore"


def test_the_build_copies_what_the_wheel_is_built_from(dockerfile: list[Instruction]) -> None:
    project = (ROOT / "pyproject.toml").read_text()
    needed = {*json.loads(re.search(r"^packages = (\[.*\])$", project, re.MULTILINE)[1])}  # type: ignore[index]
    needed |= {"pyproject.toml", "README.md", "LICENSE", "constraints.txt"}
    assert {source for value in values(dockerfile, "COPY", 0) for source in value.split()[:-1]} == needed


def test_secrets_and_state_stay_out_of_the_image() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[0] == "*", "nothing is copied unless it is named"
    for secret in ("private-key.pem", ".env", "var/bouncer.db", ".git/config"):
        assert not any(fnmatch(secret.split("/")[0], line[1:]) for line in lines if line.startswith("!"))


def test_only_what_was_built_reaches_the_image(dockerfile: list[Instruction]) -> None:
    assert values(dockerfile, "COPY") == ["--from=build /opt/bouncer /opt/bouncer"]


def test_it_runs_as_a_fixed_user_without_rights(dockerfile: list[Instruction]) -> None:
    assert values(dockerfile, "USER") == ["10001:10001"]
    created = " ".join(values(dockerfile, "RUN"))
    assert "groupadd --gid 10001" in created and "useradd --uid 10001 --gid 10001" in created
    names = [step.name for step in dockerfile if step.stage == 1]
    assert "RUN" not in names[names.index("USER") :]


def test_it_starts_a_command_that_exists(dockerfile: list[Instruction]) -> None:
    assert values(dockerfile, "ENTRYPOINT") == ['["bouncer"]']
    (arguments,) = values(dockerfile, "CMD")
    assert json.loads(arguments)[0] in COMMANDS


def test_its_settings_exist_and_none_is_a_secret(dockerfile: list[Instruction]) -> None:
    settings = {name: value for name, value in variables(dockerfile, 1).items() if name.startswith("BOUNCER_")}
    assert {name.removeprefix("BOUNCER_").lower() for name in settings} <= set(Settings.model_fields)
    assert not any(SECRETS.search(name) for name in settings)
    loaded = Settings(**{name.removeprefix("BOUNCER_").lower(): value for name, value in settings.items()})
    assert loaded.host == "0.0.0.0"
    assert f"{loaded.port}" == values(dockerfile, "EXPOSE")[0]
    assert loaded.database_url.startswith(f"sqlite:///{values(dockerfile, 'VOLUME')[0]}/")


def test_the_health_check_is_python_that_compiles(dockerfile: list[Instruction]) -> None:
    (check,) = values(dockerfile, "HEALTHCHECK")
    command = json.loads(check.partition("CMD ")[2])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "HEALTHCHECK", "exec")
    assert "/readyz" in command[2]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return loaded


def test_compose_starts_commands_that_exist(compose: dict[str, Any]) -> None:
    commands = {name: service["command"][0] for name, service in compose["services"].items() if "command" in service}
    assert commands == {"migrate": "migrate", "web": "serve", "worker-1": "worker"}
    assert set(commands.values()) <= set(COMMANDS)


def test_what_works_may_end_before_it_is_killed(compose: dict[str, Any]) -> None:
    services = (each for each in compose["services"].values() if each["image"].startswith("bouncer"))
    assert all(float(each["stop_grace_period"].removesuffix("s")) > DRAIN + 5 for each in services)


def test_compose_uses_settings_that_exist(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name in service.get("environment", {}):
            if name.startswith("BOUNCER_"):
                assert name.removeprefix("BOUNCER_").lower() in Settings.model_fields


def test_compose_holds_no_secret(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            if SECRETS.search(name):
                assert value.startswith("${") and ":?" in value, f"{name} must come from .env"


def test_workers_have_stable_ids_and_are_never_scaled(compose: dict[str, Any]) -> None:
    workers = {name: service for name, service in compose["services"].items() if service.get("command") == ["worker"]}
    ids = [service["environment"]["BOUNCER_WORKER_ID"] for service in workers.values()]
    assert ids == list(workers), "the id is the service's name"
    assert not any({"deploy", "scale"} & set(service) for service in workers.values())


def test_everything_waits_for_the_tables(compose: dict[str, Any]) -> None:
    for name in ("web", "worker-1"):
        assert compose["services"][name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert compose["services"]["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}


def test_only_the_web_listens_and_only_on_loopback(compose: dict[str, Any]) -> None:
    ports = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    given = compose["services"]["worker-1"]["environment"]
    watched = Settings(metrics_port=given["BOUNCER_METRICS_PORT"], metrics_host=given["BOUNCER_METRICS_HOST"])
    assert (watched.metrics_port, watched.metrics_host) == (9464, "0.0.0.0"), "within the network, where alerts need it"
    assert ports == {"web": ["127.0.0.1:8000:8000"]}


def test_the_image_and_the_worker_have_what_judging_takes(
    dockerfile: list[Instruction], compose: dict[str, Any]
) -> None:
    assert {"git", "bubblewrap"} <= set(shlex.split(" ".join(values(dockerfile, "RUN"))))
    cache = variables(dockerfile, 1)["BOUNCER_CACHE_DIR"]
    assert f"install --directory --owner=10001 --group=10001 {cache}" in " ".join(values(dockerfile, "RUN"))
    worker = compose["services"]["worker-1"]
    kept = {place.partition(":")[0]: place.partition(":")[2] for place in worker["volumes"]}
    assert cache in kept.values()
    assert set(kept) <= set(compose["volumes"])
    options = dict(re.split("[=:]", option, maxsplit=1) for option in worker["security_opt"])
    assert (ROOT / options.pop("seccomp")).is_file()
    assert options == {"no-new-privileges": "true", "systempaths": "unconfined", "apparmor": "unconfined"}
    assert compose["services"]["web"]["security_opt"] == ["no-new-privileges:true"], "it runs nobody's code"


def test_the_systemd_unit_can_be_started() -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    text = (ROOT / "docs" / "bouncer.service").read_text()
    unit.read_string(text)
    service = unit["Service"]
    assert unit["Install"]["WantedBy"] == "multi-user.target"
    assert shlex.split(service["ExecStart"])[1] in COMMANDS
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    given = dict(re.findall(r"^Environment=BOUNCER_(\w+)=(.+)$", text, re.MULTILINE))
    assert {name.lower() for name in given} <= set(Settings.model_fields)
    assert given["CACHE_DIR"] == f"/var/cache/{service['CacheDirectory']}"
    assert not {"RestrictNamespaces", "PrivateUsers", "ProtectProc"} & set(service), "the sandbox could not start"
