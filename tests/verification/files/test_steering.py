"""What a change may not redefine: the command that judges it."""

import json

import pytest

from bot.verification.environments.commands import parse
from bot.verification.files.index import FileIndex
from bot.verification.files.steering import as_before, beside_scripts, builds, with_steering_of
from bot.verification.values import Program, Suite
from tests.support.cases import cases, table

BASE = Program(None, {"package.json": b"old", "src/a.js": b"old", "scripts/check.sh": b"old", "go.mod": b"old"})


@cases
def test_the_base_says_what_a_command_does(line: str, path: str, before: bytes | None) -> None:
    changed = Program(None, {**BASE.files, path: b"new"})
    assert as_before(changed, BASE, Suite(command=("/bin/sh", "-c", line))).files[path] == before


@cases
def test_a_build_says_which_tests_there_are_where_nobody_sees_which_ran(path: str) -> None:
    assert builds(path, ("/bin/sh", "-c", "run-tests"))
    assert not builds(path, ("/bin/sh", "-c", "run-tests --xml {junit}"))
    assert not builds(path, parse("cargo test")[0].command or ())


@pytest.mark.parametrize("path", ["src/pom.py", "src/gradle.php", "build/price.rs", "src/mix.ex", "lib/builder.rb"])
def test_code_is_no_part_of_a_build(path: str) -> None:
    assert not builds(path, ("/bin/sh", "-c", "run-tests"))


REACHED = Program(
    None,
    {
        "package.json": b'{"main": "lib/price.js", "scripts": {"test": "make check", "lint": "node tools/lint.js"}}',
        "Makefile": b"check:\n\t./scripts/check\n",
        "scripts/check": b"sh scripts/unit.sh\nruff check shop/price.py\n",
        "scripts/unit.sh": b"python3 -m unittest\n",
        "tools/lint.js": b"",
        "lib/price.js": b"",
        "shop/price.py": b"",
    },
)


def reached(program: Program, line: str) -> frozenset[str]:
    return FileIndex.of(program, program, ("/bin/sh", "-c", line)).reached


def test_scripts_are_reached_over_each_other_and_what_they_work_on_is_not() -> None:
    scripts = {"package.json", "Makefile", "scripts/check", "scripts/unit.sh", "tools/lint.js"}
    assert reached(REACHED, "npm test") == scripts
    strange = Program(None, {**REACHED.files, "package.json": b'["lib/price.js"]'})
    assert reached(strange, "npm test") == scripts - {"tools/lint.js"} | {"lib/price.js"}


@cases
def test_what_a_command_reaches_from_its_own_folder(files: dict[str, str], command: str, found: set[str]) -> None:
    program = Program(None, {path: text.encode() for path, text in files.items()})
    assert {path for path in reached(program, command) if "." in path or path in files} == found


PACKAGE = {"name": "a", "scripts": {"test": "node --test"}, "jest": {"bail": 1}, "main": "a.js"}


@cases
def test_a_package_says_where_its_own_files_are_and_not_how_it_is_tested(after: object, judged: object) -> None:
    kept = with_steering_of(json.dumps(PACKAGE).encode(), json.dumps(after).encode())
    tested = {key: PACKAGE[key] for key in ("name", "scripts", "jest")}
    assert json.loads(kept) == (PACKAGE if judged is None else tested | judged)
    assert with_steering_of(b"{", b"{}") == b"{"


LOADING = table(dict[str, bytes], __file__, "LOADING")


def test_what_a_script_loads_from_its_own_folder_is_a_part_of_it() -> None:
    product = {"scripts/other.js", "scripts/conf.js", "ci/idle.py", "lib/price.js", "shop/price.py", "tools/convert.js"}
    found = reached(Program(None, LOADING), "npm test")
    assert found == LOADING.keys() - product


@cases
def test_what_a_script_might_load_in_another_s_place_lies_beside_it(path: str, beside: bool) -> None:
    assert beside_scripts(path, {"package.json", "scripts/run.js", "run.js"}) is beside


def test_pytest_is_kept_from_it_by_the_run() -> None:
    changed = Program(None, {**BASE.files, "package.json": b"new"})
    assert as_before(changed, BASE, Suite()) is changed
