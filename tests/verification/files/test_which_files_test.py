"""Whether a file is a test, by its path alone: one table, in which all that ask it agree."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.changes.kinds import is_test_by_path, is_test_module, kind_of, steers_pytest
from bot.changes.read import read_change
from bot.changes.risks.lines import is_product
from bot.changes.risks.testing import steers
from bot.changes.values import Change, FileKind
from bot.history.writer import _sorts
from bot.pulls.facts import Substance
from bot.pulls.reading import substance
from bot.verification.files.index import FileIndex
from bot.verification.files.loads import Loads
from bot.verification.fix_guided.specified import subject
from bot.verification.repair.bench import why_protected
from bot.verification.testing.inside.judging_files import STEERING
from bot.verification.testing.select import select_tests
from bot.verification.testing.sources import subject_of
from bot.verification.trial.own import own_files
from bot.verification.values import Program, Suite
from tests.support.cases import cases, table

BY_COMMAND = ("/bin/sh", "-c", "phpunit --log-junit {junit}")
TESTS, PRODUCT = (table(dict[str, tuple[str, ...]], __file__, name) for name in ("TESTS", "PRODUCT"))
ROWS = [(path, rows is TESTS) for rows in (TESTS, PRODUCT) for paths in rows.values() for path in paths]


def diff_of(path: str) -> str:
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old = 1\n+new = 2\n"


def index_of(path: str, before: bytes | None) -> FileIndex:
    base = {"phpunit.xml": b"", "src/a.php": b"", **({path: before} if before else {})}
    return FileIndex.of(Program(None, base), Program(None, {**base, path: b"new = 2"}), BY_COMMAND)


def of_change(change: Change) -> bool:
    """Whether nothing but tests is there to run; what says how they run is more than a test."""
    return substance(change, lambda texts: (), idle=False) is Substance.TESTS or steers(change.files[0])


# Who asks, and how each shows what it takes the file for.
ASKING: dict[str, Callable[[str], bool]] = {
    "the path": is_test_by_path,
    "its kind": lambda path: kind_of(path) is FileKind.TEST,
    "the change": lambda path: of_change(read_change(diff_of(path))),
    "named risks": lambda path: not is_product(read_change(diff_of(path)).files[0]),
    "the history": lambda path: _sorts(path)[0],
    "the repair": lambda path: "tests are not edited" in why_protected(path, Suite()),
    "who judges": lambda path: index_of(path, b"old = 1").judges(path),
    "who judges, of a new file": lambda path: index_of(path, None).judges(path),
}


@pytest.mark.parametrize("who", ASKING)
@pytest.mark.parametrize(("path", "test"), ROWS)
def test_all_that_ask_agree(path: str, test: bool, who: str) -> None:
    assert ASKING[who](path) is test


@cases
def test_python_s_tools_look_into_what_is_named_as_a_test(path: str, named: bool) -> None:
    text = b"def test_price(): pass\n"
    program = Program(None, {path: text, "shop/price.py": b"", "tests/test_other.py": text})
    assert is_test_module(path) is named
    assert (path in select_tests([Loads.of(program)], {path})[0]) is named


@cases
def test_a_change_s_own_tests_are_those_that_pytest_collects(
    path: str, collected: list[str], there: bool, own: bool
) -> None:
    text = b"def test_price(): pass\n"
    base = {"shop/price.py": b"", **dict.fromkeys(collected, text), **({path: text} if there else {})}
    index = FileIndex.of(Program(None, base), Program(None, {**base, path: text + b"#"}))
    judges = replace(index, collected=frozenset(collected))
    assert (own_files(judges) == (path,)) is own


@cases
def test_what_a_file_of_tests_is_about(path: str, name: str) -> None:
    assert subject_of(path) == name


@cases
def test_what_steers_pytest(path: str, steers: bool) -> None:
    assert steers_pytest(path) is steers
    assert index_of(path, b"old").judges(path) is (steers or is_test_by_path(path) or path == "Makefile")


@pytest.mark.parametrize("path", STEERING)
def test_what_is_watched_inside_steers(path: str) -> None:
    assert steers_pytest(path)
    assert steers_pytest(f"shop/{path}")


@pytest.mark.parametrize(("more", "found"), [((), True), (("tests/helper.py",), True), (("shop/more.py",), False)])
def test_the_one_module_that_a_fix_changes_is_none_of_the_tests(more: tuple[str, ...], found: bool) -> None:
    program = Program(None, {"shop/price.py": b"def price(amount):\n    return amount\n"})
    assert (subject(program, ("shop/price.py", *more)) is not None) is found
