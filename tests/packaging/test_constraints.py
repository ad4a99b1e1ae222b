"""constraints.txt pins what the project asks for, so that a setup can be repeated."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


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
