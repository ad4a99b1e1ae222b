"""Who judges and what is judged, what is watched meanwhile, and what a change may not redefine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.changes.kinds import is_test_module
from bot.verification.environments.commands import parse
from bot.verification.files.bodies import Bodies
from bot.verification.files.index import FileIndex
from bot.verification.files.loads import Loads, closure
from bot.verification.files.rust_tests import only_tests
from bot.verification.files.steering import as_before, beside_scripts, builds
from bot.verification.trial.setup import guard, readers
from bot.verification.values import Program, Suite, TestResult, TestRun, TestStatus
from tests.support.cases import cases, table


@dataclass(frozen=True)
class Row:
    path: str
    judged: bool
    more: dict[str, bytes] = field(default_factory=dict)
    change: dict[str, bytes | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Listed:
    files: dict[str, bytes]
    rows: tuple[Row, ...]
    command: str = ""
    ran: tuple[str, ...] = ()


PROGRAMS = table(dict[str, Listed], __file__, "PROGRAMS")
ROWS = [(name, row) for name, program in PROGRAMS.items() for row in program.rows]


def ran_of(files: Mapping[str, bytes], names: tuple[str, ...] = ()) -> TestRun:
    found = names or tuple(f"{path}::test" for path, text in files.items() if is_test_module(path) and text)
    return TestRun(tuple(TestResult(name, TestStatus.PASSED) for name in found), 0.1)


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{name}-{row.path}" for name, row in ROWS])
def test_who_judges_and_what_is_judged(name: str, row: Row) -> None:
    program = PROGRAMS[name]
    base = {**program.files, **row.more}
    head = {**base, row.path: b"new", **row.change}
    command = ("/bin/sh", "-c", program.command) if program.command else None
    judges = FileIndex.of(Program(None, base), Program(None, head), command).after(ran_of(base, program.ran))
    assert judges.judges(row.path) is not row.judged
    assert (judges.judged.files.get(row.path) == head[row.path]) is row.judged
    assert (row.path in judges.judging) is (row.path in base and not row.judged)


def test_a_module_that_the_bases_tests_want_and_nobody_has_shadows_nothing() -> None:
    said = "tests/test_a.py:1: in <module>\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'"
    mixed = PROGRAMS["mixed"]
    base, ran = Program(None, mixed.files), ran_of(mixed.files, mixed.ran)
    wants = TestRun((*ran.results, TestResult("tests/test_b.py", TestStatus.ERROR, said)), 0.1)
    judges = FileIndex.of(base, Program(None, {**base.files, "yaml.py": b"new", "json/__init__.py": b"new"}))
    assert judges.after(ran).beside == {"yaml.py", "json/__init__.py"}
    assert judges.after(wants).beside == {"json/__init__.py"}


@cases
def test_which_tests_may_read_what_lies_beside_them(path: str, found: set[str]) -> None:
    files = {
        "a.py": b"",
        "tests/test_a.py": b"CASES = 'cases'\nENDING = '.json'\ndef test_a(): pass\n",
        "tests/test_b.py": b"import loading\ndef test_b(): pass\n",
        "tests/loading.py": b"open('prices.toml')\n",
        "tests/test_c.py": b"def test_c(): pass\n",
    }
    base = Program(None, files)
    judges = FileIndex.of(base, Program(None, {**files, path: b"new"}))
    assert readers(judges, Bodies(files.get)) == found


def test_a_link_that_becomes_a_file_is_judged_as_the_base_has_it(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/price.js").symlink_to("nowhere.js")
    base = Program(tmp_path, {"lib/a.js": b"require('./price')", "test/a.js": b"require('../lib/a')"})
    changed = Program(tmp_path, {**base.files, "lib/price.js": b"new"})
    assert not FileIndex.of(base, changed, ("npm", "test")).judges("lib/price.js")


def test_what_is_watched_while_the_heads_own_tests_run() -> None:
    files = {"a.py": b"", "tests/test_a.py": b"def test_a(): pass\n", "tests/data.json": b"", "conftest.py": b""}
    head = {**files, "tests/test_a.py": b"new", "tests/test_b.py": b"def test_b(): pass\n", "tests/more.json": b""}
    base = Program(None, files)
    judges = FileIndex.of(base, Program(None, head))
    suite = guard(Suite(select=("tests/test_a.py", "tests/test_b.py")), judges, judges.judging, frozenset(head))
    assert suite.watched == {"tests/test_a.py", "tests/test_b.py", "conftest.py"}  # a test may write to its data
    assert suite.locked == {"tests/test_b.py"}


@pytest.mark.parametrize(("beside", "judged"), [({}, False), ({"limit/option.go": b"package limit\n"}, True)])
def test_a_package_of_go_serves_tests_as_a_whole(beside: dict[str, bytes], judged: bool) -> None:
    """Its files do not load each other, so one alone says nothing."""
    files = {
        "go.mod": b"module example.org/shop\n",
        "price/price.go": b"package price\n",
        "limit/check.go": b'package limit\n\nimport "testing"\n',
        "price/price_test.go": b'package price\n\nimport "example.org/shop/limit"\n',
        **beside,
    }
    change = {
        "price/price.go": b"package price\n\nvar N = 1\n",
        "limit/check.go": b'package limit\n\nimport _ "testing"\n',
    }
    judges = FileIndex.of(Program(None, files), Program(None, {**files, **change}), ("go", "test", "./..."))
    assert judges.judges("limit/check.go") is not judged
    assert not judges.judges("price/price.go")


COAST = {
    "coast/__init__.py": b"",
    "coast/tide.py": b"def safe(metres):\n    return metres <= 3\n",
    "tests/test_tide.py": b"from coast import tide\n",
}
TOOL = b"def equal(found, wanted):\n    assert found == wanted\n"
PURE = b"def rounded(metres):\n    return round(metres)\n"
USES = b"from coast import tide\nfrom %s import *\n"


@cases
def test_what_only_tests_reach_is_judged_by_the_base_wherever_it_lies(
    path: str, text: str, by: str, more: dict[str, str], alone: bool, judged: bool
) -> None:
    texts = {"TOOL": TOOL, "PURE": PURE}
    others = {name: said.encode() for name, said in more.items()}
    files = {**COAST, by: USES % path.removesuffix(".py").replace("/", ".").encode(), path: texts[text], **others}
    change = {path: b"from coast import tide\n\ntide.safe = print\n"}
    change |= {} if alone else {"coast/tide.py": b"def safe(metres):\n    return True\n"}
    judges = FileIndex.of(Program(None, files), Program(None, {**files, **change}))
    ran = TestRun((TestResult("tests/test_tide.py::test", TestStatus.PASSED),), 0.1)
    assert judges.after(ran).judges(path) is not judged


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


FILES = table(dict[str, str], __file__, "FILES")


@cases
def test_what_a_file_loads(path: str, found: set[str]) -> None:
    loads = Loads.of(Program(None, {path: text.encode() for path, text in FILES.items()}))
    assert loads.by(path) == found


def test_a_change_is_followed_however_many_files_lie_between() -> None:
    loads = Loads.of(Program(None, {path: text.encode() for path, text in FILES.items()}))
    assert closure(["lib/a.js"], loads.by) == {
        "lib/b.ts",
        "lib/e.ts",
        "index.js",
        "c.js",
        "lib/d/index.mjs",
    }
    after = loads.after({"lib/b.ts": None, "lib/a.js": b"require('./b'); require('./new')", "lib/new.ts": b""})
    assert closure(["lib/a.js"], after.by) == {"lib/new.ts"}


DEEP = "not(" * 500 + "test" + ")" * 500


@cases
def test_an_item_is_a_test_where_nothing_else_would_compile_it(attribute: str, is_test: bool) -> None:
    assert bool(only_tests(f"{attribute}\nfn tests() {{}}\n".encode())) is is_test


def test_a_condition_too_deep_to_be_read_makes_none() -> None:
    assert only_tests(f"#[cfg({DEEP})]\nfn tests() {{}}\n".encode()) == b""
