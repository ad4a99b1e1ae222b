"""Builds the image from the Dockerfile without a registry, and judges a pull request inside it.

`make image-proof`: needs root, podman, runc, mmdebstrap, PostgreSQL, and the way to Debian and the package index; takes
minutes, so it is no part of the tests. The base image is a root file system of Debian 13 with Debian's own Python, put
where the Dockerfile looks for `python:3.13-slim-trixie`. The store is a directory of its own, deleted at the end.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.packaging.compose_proof import FILES, MENDED, compose
from tests.support.podman import IMAGE, LIMITS, Podman

ROOT = Path(__file__).parents[2]
MIRROR = "http://deb.debian.org/debian"
PACKAGES = "python3,python3-venv,python3-pip,ca-certificates"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"  # this machine's: it may have a proxy of its own
SERVER = "bouncer-proof-server"
STARTS_WITHIN = 60  # seconds

ISSUE = "total() leaves out the first price\n\n`total([100, 20])` returns `20` but should return `120`.\n"


def base(podman: Podman) -> str:
    """Puts Debian where the Dockerfile looks for its base."""
    (name,) = re.findall(r"^ARG PYTHON_IMAGE=(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    archive = podman.scratch / "debian.tar"
    link = 'ln -s python3 "$1/usr/bin/python"'
    made = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", f"--customize-hook={link}"]
    subprocess.run([*made, "trixie", str(archive), MIRROR], check=True)
    # Debian forbids pip to touch its own packages; the official image has none.
    variables = ("--change", "ENV PIP_BREAK_SYSTEM_PACKAGES=1", "--change", "ENV PIP_IGNORE_INSTALLED=1")
    podman("import", "--quiet", *variables, str(archive), f"docker.io/library/{name}")
    return f"Debian 13 as {name}"


def build(podman: Podman) -> str:
    """Every instruction of the Dockerfile."""
    ways = ("--network", "host", "--isolation", "chroot", "--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro")
    podman("build", "--pull=never", "--format", "docker", *ways, "--tag", IMAGE, ".")
    size = int(podman("image", "inspect", "--format", "{{.Size}}", IMAGE))
    return f"{podman.inside('--version').strip()}, {size / 1e6:.0f} MB"


def user(podman: Podman) -> str:
    """It is nobody of consequence, and git is there."""
    told = podman("run", "--rm", *LIMITS, "--entrypoint", "sh", IMAGE, "-c", "id -u; git --version; bwrap --version")
    number, *programs = told.splitlines()
    assert number == "10001", told
    return f"user {number}, {', '.join(programs)}"


def health(podman: Podman) -> str:
    """The image's own check turns well once the server answers."""
    secret = ("--env", "BOUNCER_WEBHOOK_SECRET=" + "0123456789abcdef" * 2)
    podman("run", "--detach", "--name", SERVER, "--network", "none", *LIMITS, *secret, IMAGE, "serve")
    try:
        until = time.monotonic() + STARTS_WITHIN
        while "unhealthy" in (said := podman("healthcheck", "run", SERVER, check=False)):
            assert time.monotonic() < until, podman("logs", SERVER)
            time.sleep(1)
        assert said == "", said
    finally:
        podman("rm", "--force", "--time", "5", SERVER)
    return "healthy"


def sandbox(podman: Podman) -> str:
    """The profile lets bubblewrap make its namespaces; without it no code is run."""
    return probed(podman)


def own_users(podman: Podman) -> str:
    """So it does where the container has users of its own, as a pod with `hostUsers: false`."""
    return probed(podman, "--uidmap", "0:200000:65536", "--gidmap", "0:200000:65536")


def probed(podman: Podman, *flags: str) -> str:
    said = json.loads(podman.inside("sandbox", "probe", "--json", flags=flags))
    (executor,) = [one for one in said["executors"] if one["usable"]]
    return f"{executor['executor']} {executor['version']}: {', '.join(executor['enforced'])}"


def pull_request(podman: Podman) -> str:
    """A change that mends what its issue says is run, and accepted."""
    repository = change(podman.scratch / "repository")
    shown = ("--volume", f"{repository}:/repository:ro")
    asked = ("--repo", "/repository", "--base", "main", "--head", "fix", "--issue", "/repository/issue.md", "--json")
    said = json.loads(podman.inside("judge", "pull", *asked, flags=shown))
    assert said["verdict"] == "ACCEPT", said
    assert said["turned"] or said["tests"]["own"], said
    return f"{said['verdict']}: {said['reasons'][0]}"


def change(repository: Path) -> Path:
    """A small repository with a branch that mends it. Nothing has to be installed, so no network is needed."""

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=proof", "-c", "user.email=proof@example.com")
        subprocess.run(["git", *who, *arguments], cwd=repository, check=True, capture_output=True)

    def commit(message: str, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (repository / name).parent.mkdir(exist_ok=True)
            (repository / name).write_text(text)
        git("add", "--all")
        git("commit", "--message", message)

    repository.mkdir()
    git("init", "--initial-branch", "main")
    commit("Prices", FILES)
    git("switch", "--create", "fix")
    commit("Count the first price too", MENDED)
    (repository / "issue.md").write_text(ISSUE)
    subprocess.run(["chown", "--recursive", "10001:10001", str(repository)], check=True)
    return repository


STEPS: tuple[Callable[[Podman], str], ...] = (base, build, user, health, sandbox, own_users, pull_request, compose)


def main() -> None:
    """Each step with what it showed and how long it took."""
    missing = [name for name in ("podman", "runc", "mmdebstrap") if shutil.which(name) is None]
    if missing:
        sys.exit(f"First: apt-get install {' '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="bouncer-image-", dir="/var/tmp", ignore_cleanup_errors=True) as scratch:
        podman = Podman(Path(scratch))
        podman.scratch.chmod(0o755)
        for step in STEPS:
            started = time.monotonic()
            told = step(podman)
            print(f"{step.__name__:<13} {time.monotonic() - started:6.1f} s  {told}", flush=True)
        podman("rmi", "--all", "--force", check=False)


if __name__ == "__main__":
    main()
