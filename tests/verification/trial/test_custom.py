"""Which files a command's tests are, by the custom of their language: what is one is taken from the base."""

import json

import pytest

from bot.changes.kinds import is_test
from bot.verification.trial.judging_files import JudgingFiles
from bot.verification.values import Program, TestResult, TestRun, TestStatus
from tests.support.cases import cases, table

TESTS, PRODUCT = (table(tuple[str, ...], __file__, name) for name in ("TESTS", "PRODUCT"))


@pytest.mark.parametrize(("path", "test"), [(path, paths is TESTS) for paths in (TESTS, PRODUCT) for path in paths])
def test_a_test_is_the_bases_whatever_the_change_makes_of_it(path: str, test: bool) -> None:
    base = Program(None, {"phpunit.xml": b"", path: b"old", "src/a.php": b"old"})
    head = Program(None, {"phpunit.xml": b"", path: b"new", "src/a.php": b"new"})
    judges = JudgingFiles.of(base, head, ("/bin/sh", "-c", "phpunit --log-junit {junit}"))
    assert judges.judged.files == {**base.files, path: b"old" if test else b"new", "src/a.php": b"new"}
    assert is_test(path) is test


STRAY = table(dict[str, bytes], __file__, "STRAY")
RAN = TestRun(tuple(TestResult(f"{path}::a", TestStatus.PASSED) for path in ("spec.js", "inside.js", "gone.js")), 0.1)


@cases
def test_who_judges_where_a_command_runs_the_tests(path: str, judges: bool) -> None:
    base = Program(None, STRAY)
    head = Program(None, {**STRAY, path: b"new"})
    assert JudgingFiles.of(base, head, ("sh", "run")).after(RAN).judges(path) is judges


@cases
def test_new_product_may_lie_where_tests_do_and_stands_before_nothing_of_theirs(
    path: str, code: str, admitted: bool
) -> None:
    user = "lib/user.js" if path.endswith(".js") else "shop/user.py"
    base = Program(None, STRAY)
    head = Program(None, {**STRAY, user: code.encode(), path: b"new"})
    judged = JudgingFiles.of(base, head, ("sh", "run")).after(RAN).judged
    assert (judged.files.get(path) == b"new") is admitted


@cases
@pytest.mark.parametrize("folder", ["", "packages/shop/"])
def test_a_package_leads_to_the_heads_files_unless_it_led_to_tests(
    says: dict[str, object], is_the_heads: bool, folder: str
) -> None:
    """Else another file could stand in the place of what tests check with."""
    files = {f"{folder}lib/a.js": b"", f"{folder}test/a.js": b""}
    base = Program(None, {**files, f"{folder}package.json": json.dumps(says).encode()})
    head = Program(None, {**files, f"{folder}package.json": b'{"main": "b.js"}'})
    judged = JudgingFiles.of(base, head, ("npm", "test")).judged.files[f"{folder}package.json"]
    assert (b"b.js" in (judged or b"")) is is_the_heads
