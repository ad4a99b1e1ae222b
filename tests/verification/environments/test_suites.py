"""Which suites a change concerns, and which the policy's own command leaves out."""

from bot.policy import Verify
from bot.verification.environments.suites import suites_of_change
from bot.verification.values import Program
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
