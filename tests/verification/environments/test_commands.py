"""What a test command line means."""

import json

import pytest

from bot.verification.environments.commands import FIRST_PROGRAM, parse, with_reports
from bot.verification.environments.manifests import Manifests
from bot.verification.testing.tools import BESIDE, PROGRAM, join_commands
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


JEST = "jest --coverage=false --ci --json --outputFile={report:jest}"
MOCHA = "mocha test --reporter json --reporter-option output={report:mocha}"


def beside(check: str, test: str) -> str:
    return join_commands([check, test], {check: BESIDE}, [test])


@pytest.mark.parametrize(
    ("line", "scripts", "told"),
    [
        ("npm test", {"test": "cross-env NODE_ENV=test jest"}, f"NODE_ENV=test {JEST}"),
        ("npm test", {"test": "nyc --reporter=lcov mocha test"}, MOCHA),
        (
            "npm test",
            {"test": "npx c8 --all --reporter text mocha test && c8 report"},
            f"{MOCHA} && {FIRST_PROGRAM % ('', 'report')}",
        ),
        ("npm test", {"test": "nyc --all npm run unit", "unit": "A='1 2' jest"}, f"A='1 2' {JEST}"),
        ("npm test", {"test": "tsc && nyc --lines 9 tape a"}, f"tsc && {FIRST_PROGRAM % ('', '--lines 9 tape a')}"),
        ("npm test", {"test": "nyc --lines 100 node a.js"}, with_reports("node a.js", {})),
        ("npm test", {"test": "cross-env A=1 c8 tape a.js"}, FIRST_PROGRAM % ("export A=1; ", "tape a.js")),
        ("node --test --test-coverage-lines=90", {}, with_reports("node --test", {})),
        ("vitest run --coverage", {}, "vitest run --coverage.enabled=false --reporter=json --outputFile={report:jest}"),
        ("npm run test:unit", {"test:unit": "jest"}, JEST),
        ("npm test", {"test": "npm run unit", "unit": "npx jest"}, JEST),
        ("npm test", {"pretest": "npm run build", "build": "tsc", "test": "jest"}, beside("tsc", JEST)),
        ("yarn jest", {}, JEST),
        ("pnpm exec jest", {}, JEST),
        ("npm test -- -x", {"test": "jest"}, JEST.replace("jest", "jest -x", 1)),
        ("yarn test", {"test": "yarn lint && yarn jest"}, beside("yarn lint", JEST)),
        ("npm test", {"test": "npm test"}, "npm test"),
        ("npm test", {"test": "jest && mocha test"}, join_commands([JEST, MOCHA], {}, [JEST, MOCHA])),
        ("npm test", {"test": "cross-env TZ=A npm run a", "a": "date && jest"}, beside("TZ=A date", f"TZ=A {JEST}")),
        (
            "npm test && npm run all && npm run lint",
            {"test": "jest", "all": "node all.js", "lint": "eslint ."},
            join_commands([JEST, "node all.js", "eslint ."], {"node all.js": PROGRAM, "eslint .": BESIDE}, [JEST]),
        ),
        ("A=1 npm test", {"test": "(jest; true) && jest"}, "A=1 npm test"),
        ("npm test", {"test": "jest | tee log"}, "npm test"),
        ("npm test", {"test": "jest; true"}, "npm test"),
        ("npm test", {"test": "tape test.js"}, "npm test"),
        ("npm test", {"test": ["jest"]}, "npm test"),
        ("make test", {"test": "jest"}, "make test"),
        ("go test ./...", {}, "go test -json ./... > {report:go} 2>&1"),
        ("cargo test", {}, "cargo test --no-fail-fast > {report:cargo} 2>&1"),
        ("cargo test -q --lib", {}, "cargo test --no-fail-fast --lib > {report:cargo} 2>&1"),
    ],
)
def test_what_runs_a_runner_is_looked_through(line: str, scripts: dict[str, object], told: str) -> None:
    manifests = Manifests(Program(None, {"package.json": json.dumps({"scripts": scripts}).encode()}))
    assert parse(line, manifests)[0].command == ("/bin/sh", "-c", told)
