"""Which files a command's tests are, by the custom of their language: what is one is taken from the base."""

import json

import pytest

from bot.verification.trial.files_of_tests import by_custom
from bot.verification.trial.judging_files import JudgingFiles
from bot.verification.values import Program, TestResult, TestRun, TestStatus
from tests.support.cases import cases, table

TESTS = (
    *("Tests/Helper/TableTest.php", "Tests/Fixtures/table.php", "tests/TableTest.php", "src/Table/TableTest.php"),
    *("Tests/AppTests/Table.swift", "AppUITests/Login.swift", "src/App.Tests/Tester.cs", "App.Test/Table.cs"),
    *("src/test/java/TableIT.java", "src/integrationTest/kotlin/Table.kt", "core/src/commonTest/kotlin/Table.kt"),
    *("java/org/shop/TableTests.java", "shop/src/TableSpec.scala", "test/plug/conn_test.exs", "lib/conn_test.exs"),
    *("lib/table_test.dart", "src/table_test.cc", "src/table_unittest.cc", "src/shop_SUITE.erl", "lib/shop_spec.rb"),
    *("gem/spec/support/shop.rb", "spec/spec_helper.rb", "tests/shop.bats", "t/shop.t", "src/shop_test.rs"),
    *(
        "t/lib/Same.pm",
        "src/testFixtures/java/Shop.java",
        "src/it/shop/pom.xml",
        "Shop.Tests.Unit/Made.cs",
        "unit_tests/a.c",
    ),
    *("features/rates.feature", "features/steps/rates.py", "api-tests/rates.http", "checks/shop.robot"),
)
PRODUCT = (
    *("src/Latest.php", "src/TestHandler.php", "src/Test/TestCase.php", "src/main/java/org/LoadTest.java"),
    *("lib/plug/adapters/test/conn.ex", "lib/rack/test/methods.rb", "lib/plug/test.ex", "app/models/ab_test.rb"),
    *("src/spec/parser.js", "Sources/VaporTesting/Client.swift", "src/ProductSpec.cs", "src/contest.cc", "src/it.java"),
    *(
        "lib/Price/tests/Sum.pm",
        "app/src/main/java/org/shop/test/Table.java",
        "src/features/support/a.ts",
        "lib/contests/a.js",
    ),
    *("moshi/src/main/kotlin/test.kt", "src/attestation/a.go", "Console/Tester/CommandTester.php"),
)


@pytest.mark.parametrize("path", TESTS)
def test_a_test_is_the_bases_whatever_the_change_makes_of_it(path: str) -> None:
    base = Program(None, {"phpunit.xml": b"", path: b"old", "src/a.php": b"old"})
    head = Program(None, {"phpunit.xml": b"", path: b"new", "src/a.php": b"new"})
    judges = JudgingFiles.of(base, head, ("/bin/sh", "-c", "phpunit --log-junit {junit}"))
    assert judges.judged(base).files == {**base.files, "src/a.php": b"new"}
    assert judges.tests_by_custom(path)


@pytest.mark.parametrize("path", PRODUCT)
def test_what_only_sounds_like_a_test_is_judged(path: str) -> None:
    assert not by_custom(path)


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
    judged = JudgingFiles.of(base, head, ("sh", "run")).after(RAN).judged(base)
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
    judged = JudgingFiles.of(base, head, ("npm", "test")).judged(base).files[f"{folder}package.json"]
    assert (b"b.js" in (judged or b"")) is is_the_heads
