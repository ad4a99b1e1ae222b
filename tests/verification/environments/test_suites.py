"""Which suites a change concerns, what a test command line means, and what the policy's own leaves out."""

import json
from pathlib import Path

from bot.policy import Verify
from bot.verification.environments.commands import parse, with_reports
from bot.verification.environments.detect import suites_of_change
from bot.verification.environments.manifests import Manifests
from bot.verification.testing.tools import join_commands
from bot.verification.values import Environment, Program, Suite
from tests.support.cases import cases

BASE = {
    "pyproject.toml": '[project]\nname = "hall"\nversion = "1"\n',
    "hall.py": "PLACES = open('shared/rows.json').read()\n",
    "tests/test_hall.py": "import hall\n",
    "package.json": '{"scripts": {"test": "node --test page/", "all": "npm test && pytest"}}',
    "page/plan.js": "module.exports = 1;\n",
    "page/plan.test.js": "require('./plan');\n",
    "page/read.test.ts": "import { readFileSync } from 'fs';\nreadFileSync('tools/print.py');\n",
    "tools/print.py": "print(1)\n",
    "README.md": "# Hall\n",
    "shared/rows.json": "[]\n",
}


@cases
def test_suites_of_the_languages_that_change_and_those_that_name_what_changes(
    changed: list[str], test: str | None, run: list[str], left: list[str]
) -> None:
    base = Program(None, {path: text.encode() for path, text in BASE.items()})
    found = suites_of_change(base, Verify(test=test), changed)
    assert ([each.test for each in found.run], [each.test for each in found.left]) == (run, left)


@cases
def test_suites_in_folders(changed: list[str], run: list[str]) -> None:
    script = '{"scripts": {"test": "node --test"}}'
    files = {
        "pyproject.toml": BASE["pyproject.toml"],
        "tests/test_hall.py": "",
        "web/app/package.json": script,
        "web/app/main.js": "require('../../lib/share.js');\n",
        "lib/package.json": script,
        ".github/workflows/test.yml": (
            "on: push\njobs:\n  test:\n    steps:\n    - run: pytest\n"
            "    - run: cd web/app && npm test\n    - run: cd lib && npm test\n"
        ),
    }
    base = Program(None, {path: text.encode() for path, text in files.items()})
    assert sorted(each.name for each in suites_of_change(base, Verify(), changed).run) == sorted(run)


@cases
def test_where_there_is_one_suite_it_is_the_one(kept: str, changed: list[str], test: str | None, run: str) -> None:
    files = {
        path: text.encode() for path, text in BASE.items() if path.startswith((kept, "page/", "tools/", "shared/"))
    }
    base = Program(None, files)
    found = suites_of_change(base, Verify(test=test), changed)
    assert ([each.test for each in found.run], found.left) == ([run], ())


NPM, GO = '{"scripts": {"test": "node --test"}}', "module a\n"
BESIDE = {
    "pyproject.toml": BASE["pyproject.toml"],
    "tests/test_hall.py": "",
    "gauge/go.mod": GO,
    "gauge/parse_test.go": "",
    "gauge/read.go": "// as hall.py has it\n",
    "core/Cargo.toml": "",
    "core/src/lib.rs": "#[tokio::test]\nasync fn sums() {}\n",
    "laws/Cargo.toml": "",
    "laws/src/lib.rs": "proptest! {\n    #[test]\n    fn sums(a: u8) {}\n}\n",
    "rows/Cargo.toml": "",
    "rows/src/lib.rs": "mod sums {\n    #[test]\n    fn all() {}\n}\n",
    "binding/Cargo.toml": "",  # neither has tests
    "binding/src/lib.rs": "",
    "wasm/go.mod": GO,
    "examples/shop/package.json": NPM,
    "tests/sample/package.json": NPM,
    "vendor/lib/Cargo.toml": "",
    "tools/requirements.txt": "",  # Python's tests are those of the root
}
APART = {
    "pairing/package.json": NPM,
    "pairing/round.js": "",
    "ratings/elo.py": "",
    "ratings/tests/unit/test_elo.py": "import elo\n",
    "ratings/tests/test_all.py": "",
    "page.js": "",
}


@cases
def test_projects_in_folders_beside_what_the_root_tests(
    files: str, changed: list[str], run: list[str], tmp_path: Path
) -> None:
    """In languages that nothing else tests there. What lies elsewhere is no matter of theirs."""
    ci = "on: push\njobs: {test: {steps: [{run: npm test, working-directory: pairing}]}}\n"
    more = {"by npm": {"package.json": NPM}, "by ci": {".github/workflows/test.yml": ci}}.get(files, {})
    for path, text in (BESIDE if files == "beside" else APART | more).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = suites_of_change(Program(tmp_path, {}), Verify(), changed)
    assert [each.name for each in found.run] == run


@cases
def test_suites_that_tell_by_their_exit_status_run_for_their_language_and_what_their_files_name(
    changed: list[str], run: list[str]
) -> None:
    files = {
        "Makefile": "test:\n\tpython3 -m unittest discover -s tests\n\tsh tests/labels.sh\n",
        "tests/test_hall.py": "",
        "tests/labels.sh": "set -e\n[ $(bin/label a) = A ]\n",
        "t/hall.t": "open 'rows.txt'",
        "lib/Hall.pm": "1;",
        "release.sh": "bin/seat",
        "rows.txt": "",
        ".github/workflows/test.yml": "on: push\njobs: {test: {steps: [{run: make test}]}}\n",
    }
    base = Program(None, {path: text.encode() for path, text in files.items()})
    assert [each.test for each in suites_of_change(base, Verify(), changed).run] == run


def test_a_suite_runs_for_what_its_command_names() -> None:
    ci = "on: push\njobs:\n  test:\n    steps:\n    - run: pytest tests\n    - run: python -m doctest seats.py\n"
    files = dict.fromkeys(("tests/test_hall.py", "seats.py", "rows.py", "eats.py"), b"")
    base = Program(None, {**files, ".github/workflows/test.yml": ci.encode()})
    tests = {path: [each.test for each in suites_of_change(base, Verify(), [path]).run] for path in files}
    assert tests["seats.py"] == ["pytest tests", "python -m doctest seats.py"]
    assert tests["rows.py"] == tests["eats.py"] == ["pytest tests"]


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
