"""Who judges and what is judged, and what is watched while it is."""

import pytest

from bot.verification.testing.sources import is_test_file
from bot.verification.trial.judging_files import JudgingFiles
from bot.verification.trial.setup import guard, readers
from bot.verification.values import Program, Suite, TestResult, TestRun, TestStatus
from tests.support.cases import cases, table

BASE = Program(
    None,
    {
        "pkg/__init__.py": b"",
        "pkg/jobs.py": b"from tests.tools import helper\n",
        "job_spec.py": b"",
        "perf_test.py": b"",
        "tests/test_a.py": b"import yaml\nimport tests.own\n",
        "tests/own.py": b"",
        "tests/tools.py": b"",
        "tests/data.json": b"",
        "conftest.py": b"",
    },
)


RAN = TestRun(
    tuple(TestResult(name, TestStatus.PASSED) for name in ("tests/test_a.py::test_f", "pkg/jobs.py::pkg.jobs.work")),
    0.1,
)


@cases
def test_who_judges_and_what_is_judged(path: str, text: bytes | None, judged: bool) -> None:
    head = Program(None, {**BASE.files, path: text})
    judges = JudgingFiles.of(BASE, head).after(RAN)
    assert (judges.judged.files.get(path) == text) is judged
    assert judges.is_beside(path) is not judged


def test_a_new_file_is_one_of_tests_where_it_is_called_as_those_that_ran() -> None:
    files = {"shop.py": b"", "check_shop.py": b"import shop\n\n\ndef test_shop(): pass\n"}
    new = dict.fromkeys(("check_more.py", "more.py", "shop_more.py"), b"def test_more(): pass\n")
    judges = JudgingFiles.of(Program(None, files), Program(None, {**files, **new}))
    ran = TestRun((TestResult("check_shop.py::test_shop", TestStatus.PASSED),), 0.1)
    assert judges.after(ran).beside == {"check_more.py"}


FLAT = {"shop/__init__.py": b"", "shop/price.py": b"", "src/app.js": b"", "tests/test_a.py": b"import shop.price\n"}


@cases
def test_no_new_file_stands_before_one_of_the_product_s_own(
    change: dict[str, bytes | None], path: str, judged: bool
) -> None:
    judges = JudgingFiles.of(Program(None, FLAT), Program(None, {**FLAT, **change}))
    ran = TestRun((TestResult("tests/test_a.py::test", TestStatus.PASSED),), 0.1)
    assert judges.after(ran).is_beside(path) is not judged


def test_a_module_that_the_bases_tests_want_and_nobody_has_shadows_nothing() -> None:
    said = "tests/test_a.py:1: in <module>\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'"
    wants = TestRun((*RAN.results, TestResult("tests/test_b.py", TestStatus.ERROR, said)), 0.1)
    judges = JudgingFiles.of(BASE, Program(None, {**BASE.files, "yaml.py": b"new", "json/__init__.py": b"new"}))
    assert judges.after(RAN).beside == {"yaml.py", "json/__init__.py"}
    assert judges.after(wants).beside == {"json/__init__.py"}


QA = {
    "shop/__init__.py": b"",
    "shop/price.py": b"import json\nopen('rates.json')\n",
    "qa/test_price.py": b"import shop.price\nfrom helper import same\n",
    "qa/helper.py": b"",
    "qa/golden.json": b"",
}
AMONG = table(dict[str, bytes], __file__, "AMONG")


def _helped(other: dict[str, bytes] | None = None) -> dict[str, bytes]:
    """Helpers where tests lie among code."""
    files = {
        "shop/__init__.py": b"",
        "shop/price.py": b"",
        "shop/helper.py": b"",
        "shop/checks.py": b"import pytest\n",
        "shop/sums.py": b"",
        "shop/test_tools.py": b"",
        "shop/test_price.py": b"import shop.price, shop.sums, shop.test_tools, shop.helper\nfrom .checks import a\n",
    }
    return {**files, **(other or {})}


MIXED = {**QA, "qa/price.py": b"", "qa/test_helper.py": b"import helper\n"}
USED = {**QA, "shop/price.py": b"import qa.helper\n"}


@pytest.mark.parametrize(
    ("files", "path", "judged"),
    [
        (QA, "qa/helper.py", False),
        (QA, "qa/golden.json", False),
        (QA, "qa/more.json", False),
        (QA, "shop/rates.json", True),
        (MIXED, "qa/helper.py", True),  # it has a test of its own
        (USED, "qa/helper.py", True),  # the product imports it
        ({"shop.py": b"", "qa/test_all.py": b"", "qa/core.py": b""}, "qa/core.py", True),  # all that is tested there
        (AMONG, "shop/golden.json", False),
        (AMONG, "shop/rates.json", True),  # named by both
        (AMONG, "shop/cases/one.toml", False),  # by its ending
        (AMONG, "shop/cases/two.toml", False),
        (AMONG, "shop/test_price.txt", False),  # by the test's own name
        (AMONG, "shop/other.txt", True),
        (AMONG, "shop/parts/some.toml", True),  # where code lies
        (AMONG, "README.md", True),
        (_helped(), "shop/helper.py", False),
        (_helped(), "shop/checks.py", False),  # by what it imports
        (_helped(), "shop/test_tools.py", False),  # without a test
        (_helped({"pyproject.toml": b"[project.scripts]\nx = 'shop.helper:main'\n"}), "shop/helper.py", True),
        (_helped(), "shop/sums.py", True),  # nothing says that it is for testing
        (_helped({"shop/price.py": b"from shop.helper import same\n"}), "shop/helper.py", True),  # the product's
        (_helped({"shop/more_fakes.py": b"import shop.checks\n"}), "shop/checks.py", False),  # one of another
        (
            _helped({"shop/price.py": b"import shop.more_fakes\n", "shop/more_fakes.py": b"import shop.checks\n"}),
            "shop/checks.py",
            True,
        ),
        (_helped({"shop/test_helper.py": b"import shop.helper\n"}), "shop/helper.py", True),  # it is tested itself
        (_helped({"shop/test_price.py": b"import shop.price\n"}), "shop/helper.py", True),  # nobody's
    ],
)
def test_what_lies_beside_tests_judges_where_they_alone_use_it(
    files: dict[str, bytes], path: str, judged: bool
) -> None:
    base = Program(None, files)
    found = tuple(
        TestResult(f"{each}::test", TestStatus.PASSED) for each in files if is_test_file(each) and files[each]
    )
    judges = JudgingFiles.of(base, Program(None, {**files, path: b"new"})).after(TestRun(found, 0.1))
    assert judges.is_beside(path) is not judged
    assert (path in judges.judging) is (path in files and not judged)


@cases
def test_by_custom_a_command_is_judged_by_what_lies_beside_its_tests(path: str, judged: bool) -> None:
    jest = b'{"setupFiles": ["<rootDir>/config/setup.js"], "transform": {"a": "./config/transform.js"}}'
    told = b'{"scripts": {"test": "jest"}, "jest": %s}' % jest
    files = {"package.json": told, path: b"old"}
    judges = JudgingFiles.of(
        Program(None, files), Program(None, {**files, path: b"new"}), ("/bin/sh", "-c", "npm test")
    )
    assert judges.is_beside(path) is not judged


def test_a_command_takes_its_tests_and_its_scripts_from_the_base() -> None:
    files = {
        "package.json": b'{"scripts": {"test": "node scripts/run.js"}}',
        "scripts/run.js": b"",
        "src/a.test.js": b"",
        "src/a.js": b"",
    }
    base = Program(None, files)
    head = Program(None, dict.fromkeys((*files, "src/b.test.js", "scripts/path.js"), b"new"))
    judged = JudgingFiles.of(base, head, ("/bin/sh", "-c", "npm test")).judged
    assert judged.files == {**files, "src/a.js": b"new"}


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
    assert readers(JudgingFiles.of(base, Program(None, {**files, path: b"new"}))) == found


def test_what_is_watched_while_the_heads_own_tests_run() -> None:
    files = {"a.py": b"", "tests/test_a.py": b"def test_a(): pass\n", "tests/data.json": b"", "conftest.py": b""}
    head = {**files, "tests/test_a.py": b"new", "tests/test_b.py": b"def test_b(): pass\n", "tests/more.json": b""}
    base = Program(None, files)
    judges = JudgingFiles.of(base, Program(None, head))
    suite = guard(Suite(select=("tests/test_a.py", "tests/test_b.py")), judges, judges.judging, frozenset(head))
    assert suite.watched == {"tests/test_a.py", "tests/test_b.py", "conftest.py"}  # a test may write to its data
    assert suite.locked == {"tests/test_b.py"}


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
    judges = JudgingFiles.of(Program(None, files), Program(None, {**files, **change}))
    ran = TestRun((TestResult("tests/test_tide.py::test", TestStatus.PASSED),), 0.1)
    assert judges.after(ran).is_beside(path) is not judged


def test_scripts_that_only_tests_load_serve_them() -> None:
    test = b'const { same } = require("../lib/testing.js")\nconst { tide } = require("../lib/tide.js")\n'
    files = {"lib/testing.js": b"", "lib/tide.js": b"", "test/tide.test.js": test, "package.json": b"{}"}
    command = ("/bin/sh", "-c", "node --test")
    head = Program(None, {**files, "lib/testing.js": b"new"})
    for base, judged in (
        (files, False),
        ({**files, "lib/tide.js": b'require("./testing.js")\n'}, True),
        ({**files, "package.json": b'{"exports": "./lib/testing.js"}'}, True),
        ({**files, "test/testing.test.js": b'require("../lib/testing.js")\n'}, True),
    ):
        judges = JudgingFiles.of(Program(None, base), Program(None, {**base, **head.files}), command)
        assert judges.is_beside("lib/testing.js") is not judged, base
