"""Which files a command's tests are, by the custom of their language: what is one is taken from the base."""

import pytest

from bot.verification.trial.custom import by_custom
from bot.verification.trial.judges import Judges
from bot.verification.values import Program

TESTS = (
    *("Tests/Helper/TableTest.php", "Tests/Fixtures/table.php", "tests/TableTest.php", "src/Table/TableTest.php"),
    *("Tests/AppTests/Table.swift", "AppUITests/Login.swift", "src/App.Tests/Tester.cs", "App.Test/Table.cs"),
    *("src/test/java/TableIT.java", "src/integrationTest/kotlin/Table.kt", "core/src/commonTest/kotlin/Table.kt"),
    *("java/org/shop/TableTests.java", "shop/src/TableSpec.scala", "test/plug/conn_test.exs", "lib/conn_test.exs"),
    *("lib/table_test.dart", "src/table_test.cc", "src/table_unittest.cc", "src/shop_SUITE.erl", "lib/shop_spec.rb"),
    *("gem/spec/support/shop.rb", "spec/spec_helper.rb", "tests/shop.bats", "t/shop.t", "src/shop_test.rs"),
)
PRODUCT = (
    *("src/Latest.php", "src/TestHandler.php", "src/Test/TestCase.php", "src/main/java/org/LoadTest.java"),
    *("lib/plug/adapters/test/conn.ex", "lib/rack/test/methods.rb", "lib/plug/test.ex", "app/models/ab_test.rb"),
    *("src/spec/parser.js", "Sources/VaporTesting/Client.swift", "src/ProductSpec.cs", "src/contest.cc", "src/it.java"),
    *("moshi/src/main/kotlin/test.kt", "src/attestation/a.go", "Console/Tester/CommandTester.php"),
)


@pytest.mark.parametrize("path", TESTS)
def test_a_test_is_the_bases_whatever_the_change_makes_of_it(path: str) -> None:
    base = Program(None, {"phpunit.xml": b"", path: b"old", "src/a.php": b"old"})
    head = Program(None, {"phpunit.xml": b"", path: b"new", "src/a.php": b"new"})
    judges = Judges.of(base, head, ("/bin/sh", "-c", "phpunit --log-junit {junit}"))
    assert judges.judged(base).files == {**base.files, "src/a.php": b"new"}
    assert judges.tests_by_custom(path)


@pytest.mark.parametrize("path", PRODUCT)
def test_what_only_sounds_like_a_test_is_judged(path: str) -> None:
    assert not by_custom(path)
