"""What a test command line means."""

import json

from bot.verification.environments.commands import parse, with_reports
from bot.verification.environments.manifests import Manifests
from bot.verification.testing.tools import join_commands
from bot.verification.values import Environment, Program, Suite
from tests.support.cases import cases


@cases
def test_pytest_is_recognised(line: str, select: tuple[str, ...], variables: dict[str, str]) -> None:
    assert parse(line) == (Suite(select=select, environment=Environment(variables=variables)), ())


@cases
def test_what_is_written_for_unittest_and_django_or_an_installer_is_run_by_pytest(
    line: str, select: tuple[str, ...], variables: dict[str, str], needs: tuple[str, ...]
) -> None:
    files = {"tests/test_a.py": b"", "manage.py": b'x.setdefault("DJANGO_SETTINGS_MODULE", "site_.settings")'}
    manifests = Manifests(Program(None, files))
    assert parse(line, manifests) == (Suite(select=select, environment=Environment(variables=variables)), needs)
    assert parse(line, manifests, bare=True)[0].command == ("/bin/sh", "-c", line)


@cases
def test_everything_else_counts_by_its_exit_status(line: str) -> None:
    assert parse(line) == (Suite(command=("/bin/sh", "-c", line)), ())


SHORT = {
    "JEST": "jest --coverage=false --ci --json --outputFile={report:jest}",
    "MOCHA": "mocha test --reporter json --reporter-option output={report:mocha}",
    **{f"AS({line})": with_reports(line, {}) for line in ("node a.js", "node --test")},
}


@cases
def test_what_runs_a_runner_is_looked_through(
    line: str, scripts: dict[str, object], told: str | dict[str, str]
) -> None:
    """told: what runs, or the kind of each part."""
    manifests = Manifests(Program(None, {"package.json": json.dumps({"scripts": scripts}).encode()}))
    parts = {written(part): kind for part, kind in told.items()} if isinstance(told, dict) else {}
    others = {part: kind for part, kind in parts.items() if kind != "test"}
    whole = join_commands(parts, others, [part for part in parts if part not in others])
    expected = whole if isinstance(told, dict) else written(told)
    assert parse(line, manifests)[0].command == ("/bin/sh", "-c", expected)


def written(text: str) -> str:
    for short, long in SHORT.items():
        text = text.replace(short, long)
    return text
