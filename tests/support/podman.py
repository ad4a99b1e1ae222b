"""Podman with a store of its own, which starts containers as compose.yaml says."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
IMAGE = "localhost/bouncer:proof"
LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096")
# Docker's words for what podman calls otherwise.
OPTIONS = {"systempaths=unconfined": "unmask=ALL", "no-new-privileges:true": "no-new-privileges"}


@dataclass(frozen=True, slots=True)
class Podman:
    """scratch: the directory of its store. Every call ends the program where podman fails."""

    scratch: Path

    def __call__(self, *arguments: str, check: bool = True) -> str:
        store = ("--root", str(self.scratch / "store"), "--runroot", str(self.scratch / "run"))
        command = ["podman", *store, "--runtime", "runc", "--cgroup-manager", "cgroupfs", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if check and done.returncode:
            sys.exit(f"podman {arguments[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def inside(self, *arguments: str, flags: tuple[str, ...] = ()) -> str:
        """What `bouncer ARGUMENTS` prints in a container like a worker's, without a network."""
        return self("run", "--rm", "--network", "none", *as_service("worker-1"), *flags, IMAGE, *arguments)


def service(name: str) -> dict[str, Any]:
    """Of compose.yaml."""
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"][name]
    return loaded


def as_service(name: str) -> tuple[str, ...]:
    """The options that start a container as a service of compose.yaml is started, except for its settings and ports."""
    said = service(name)
    flags = [*LIMITS, *(["--read-only"] if said["read_only"] else [])]
    lists = {"--tmpfs": said["tmpfs"], "--cap-drop": said["cap_drop"], "--volume": said.get("volumes", [])}
    for flag, values in lists.items():
        flags += [part for value in values for part in (flag, value)]
    return (*flags, *(part for value in said["security_opt"] for part in ("--security-opt", OPTIONS.get(value, value))))
