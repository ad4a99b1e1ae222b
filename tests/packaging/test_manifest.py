"""app.yml asks for what Bouncer uses, docs/permissions.md justifies it, and constraints.txt pins what is asked for."""

import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bot.github.events import HANDLED

ROOT = Path(__file__).parents[2]
ALWAYS_SENT = {"installation", "installation_repositories"}  # GitHub refuses them in a manifest
KEYS = {"name", "description", "url", "public", "hook_attributes", "redirect_url", "callback_urls", "setup_url"}
KEYS |= {"default_permissions", "default_events", "request_oauth_on_install", "setup_on_update"}
NEEDS = {
    "issues": "issues",
    "issue_comment": "issues",
    "push": "contents",
    "pull_request": "pull_requests",
    "pull_request_review": "pull_requests",
    "pull_request_review_comment": "pull_requests",
    "pull_request_review_thread": "pull_requests",
    "check_run": "checks",
    "check_suite": "checks",
    "merge_group": "merge_queues",
    "repository": "metadata",
}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "app.yml").read_text())
    return loaded


def table(heading: str) -> dict[str, list[str]]:
    """The rows below a heading of docs/permissions.md, by their first cell."""
    section = (ROOT / "docs/permissions.md").read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return {cells[0].strip("`"): cells[1:] for cells in rows[2:]}


def test_github_would_take_the_manifest(manifest: dict[str, Any]) -> None:
    assert set(manifest) <= KEYS
    assert re.fullmatch(r"[^\n]{1,34}", manifest["name"])
    assert manifest["public"] is False
    for address in (manifest["url"], manifest["hook_attributes"]["url"]):
        assert urlsplit(address).scheme == "https"
    assert urlsplit(manifest["hook_attributes"]["url"]).path == "/webhook"
    assert all(access in ("read", "write") for access in manifest["default_permissions"].values())


def test_events_are_those_bouncer_handles(manifest: dict[str, Any]) -> None:
    assert sorted(manifest["default_events"]) == manifest["default_events"]
    assert set(manifest["default_events"]) == HANDLED - ALWAYS_SENT


def test_each_event_has_the_permission_github_asks_for(manifest: dict[str, Any]) -> None:
    assert {NEEDS[event] for event in manifest["default_events"]} <= set(manifest["default_permissions"])


def test_permissions_are_exactly_those_needed(manifest: dict[str, Any]) -> None:
    assert manifest["default_permissions"] == {
        "checks": "write",
        "contents": "read",
        "issues": "write",
        "members": "read",
        "merge_queues": "read",
        "metadata": "read",
        "pull_requests": "write",
        "statuses": "write",
    }


def test_each_permission_is_justified(manifest: dict[str, Any]) -> None:
    documented = table("Permissions")
    assert {name: row[0] for name, row in documented.items()} == manifest["default_permissions"]
    assert all(len(row[1]) > 20 for row in documented.values())


def test_each_event_is_justified(manifest: dict[str, Any]) -> None:
    documented = table("Events")
    assert set(documented) == set(manifest["default_events"])
    assert all(len(row[0]) > 20 for row in documented.values())


def test_the_link_that_registers_the_app_asks_for_the_same(manifest: dict[str, Any]) -> None:
    (link,) = re.findall(r"https://github\.com/settings/apps/new\?[^>\s]+", (ROOT / "docs/installation.md").read_text())
    asked = parse_qs(urlsplit(link).query, strict_parsing=True)
    assert asked.pop("events[]") == manifest["default_events"]
    assert asked.pop("public") == ["false"]
    assert asked.pop("webhook_active") == ["true"]
    assert asked.pop("name") == [manifest["name"]]
    assert {name: access for name, (access,) in asked.items()} == manifest["default_permissions"]


def test_every_requirement_is_pinned_to_a_version_it_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"].values()
    asked = [Requirement(line) for line in project["project"]["dependencies"]]
    extras = project["project"]["optional-dependencies"].values()
    asked += [Requirement(line) for group in (*groups, *extras) for line in group if isinstance(line, str)]
    pinned = {canonicalize_name(pin.name): pin for pin in pins()}
    for requirement in asked:
        pin = pinned.get(canonicalize_name(requirement.name))
        assert pin, f"{requirement.name} is not pinned; run: make lock"
        (version,) = pin.specifier
        assert requirement.specifier.contains(version.version, prereleases=True), f"{requirement}; run: make lock"


def test_every_line_is_an_exact_version_and_no_address() -> None:
    for pin in pins():
        assert [part.operator for part in pin.specifier] == ["=="], pin
        assert pin.url is None
    assert "://" not in (ROOT / "constraints.txt").read_text()


def test_every_package_of_a_server_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text().partition("\ndependencies = [\n")[2].partition("\n]")[0].splitlines()
    assert [line for line in lines if "tree-sitter-" not in line and not re.search(r'",  # \w', line)] == []
    assert len(lines) > 20


def pins() -> list[Requirement]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if not re.match(r"\s*(#|$)", line)]
