"""The services of compose.yaml as containers, on a real PostgreSQL and the fake GitHub, judge an issue and a change."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fake_github import FakeGitHub
from tests.support.podman import IMAGE, Podman, as_service, service
from tests.support.postgres import free_port, running_server

REPOSITORY, AGENT = "acme/prices", "copilot-swe-agent[bot]"
SOURCE = "def total(prices):\n    return sum(prices[1:])\n"
TEST = "from prices import total\n\n\ndef test_nothing():\n    assert total([]) == 0\n"
MENDED = {
    "prices.py": SOURCE.replace("[1:]", ""),
    "tests/test_prices.py": TEST + "\n\ndef test_all():\n    assert total([100, 20]) == 120\n",
}
FILES = {
    ".github/bouncer.yml": "mode: enforce\nverify:\n  setup: []\n  test: pytest\n",
    "conftest.py": "",
    "prices.py": SOURCE,
    "tests/test_prices.py": TEST,
}
PATIENCE = 120  # seconds


def compose(podman: Podman) -> str:
    """`migrate`, `web` and `worker-1`, each with the options that compose.yaml gives it; and beside them `bouncer
    doctor`, in a container like the worker's."""
    with running_server() as server, FakeGitHub() as github:
        port = free_port()
        settings = {"BOUNCER_DATABASE_URL": server.create(), "BOUNCER_PORT": str(port), **github.environment()}
        podman("run", "--rm", *container("migrate", settings))
        with started(podman, "web", settings), started(podman, "worker-1", settings):
            until("the web process is ready", lambda: answers(port))
            github.create_repository(REPOSITORY, files=FILES)
            github.app.webhook_url = f"http://127.0.0.1:{port}/webhook"
            github.install("acme", [REPOSITORY])
            vague = github.open_issue(REPOSITORY, "It doesn't work", "Please fix.")
            until("the issue is held", lambda: bool(github.issue(REPOSITORY, vague).labels))
            github.open_pull(REPOSITORY, "Count the first price too", MENDED, by=AGENT)
            until("the check is completed", lambda: any(check.conclusion for check in github.checks(REPOSITORY)))
            (check,) = github.checks(REPOSITORY)
            assert check.conclusion == "success", check
            assert github.issue(REPOSITORY, vague).labels == ("needs-clarification",)
            proven = examined(podman, settings)
    return f"an issue held, a pull request run: {check.title}; {proven}"


def examined(podman: Podman, settings: dict[str, str]) -> str:
    """What `bouncer doctor` says there: it runs a verification in the sandbox, and nothing fails. The package index is
    not asked for: whether this machine reaches it says nothing of the image."""
    asked = container("worker-1", settings, "doctor", "--offline", "--json")
    checks = json.loads(podman("run", "--rm", *asked, check=False))["checks"]
    assert [each for each in checks if each["outcome"] == "fail"] == []
    passed = {each["check"] for each in checks if each["outcome"] == "pass"}
    assert {"database", "github", "cache", "sandbox", "verification"} <= passed
    return f"{len(checks)} lines of bouncer doctor, none fails"


def container(name: str, settings: dict[str, str], *command: str) -> list[str]:
    """What `podman run` takes for a service, with its own command or another. The machine's own network leads to
    PostgreSQL and to the fake GitHub."""
    given = {**service(name)["environment"], **settings}
    variables = [part for key, value in given.items() for part in ("--env", f"{key}={value}")]
    return [*as_service(name), "--network", "host", *variables, IMAGE, *(command or service(name)["command"])]


@contextmanager
def started(podman: Podman, name: str, settings: dict[str, str]) -> Iterator[None]:
    podman("run", "--detach", "--name", name, *container(name, settings))
    try:
        yield
    except AssertionError:
        print(podman("logs", name))
        raise
    finally:
        podman("rm", "--force", "--time", "30", name)


def until(what: str, done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.2)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
