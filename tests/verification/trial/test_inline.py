"""Rust's tests inside of the code that they test."""

import pytest

from bot.verification.files.bodies import Bodies, only_tests, places, with_tests_of
from bot.verification.files.index import FileIndex
from bot.verification.values import Program

PRODUCT = b"use std::fmt;\n\n/// One.\n#[inline]\npub fn one() -> u8 {\n    1\n}\n"
TESTS = b"#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {\n        assert_eq!(super::one(), 1);\n    }\n}"
BASE = PRODUCT + b"\n" + TESTS + b"\n"
TWO = BASE.replace(b"    1\n", b"    2\n")
COMMAND = ("/bin/sh", "-c", "cargo test")


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        (BASE, TESTS),
        (PRODUCT, b""),
        (b"#[test]\nfn works() {}\n" + PRODUCT, b"#[test]\nfn works() {}"),
        (b"#[tokio::test]\nasync fn works() {}\n", b"#[tokio::test]\nasync fn works() {}"),
        (b"#[cfg(test)]\nuse a::b;\nuse c::d;\n", b"#[cfg(test)]\nuse a::b;"),
        (
            b"#[cfg(test)]\n// Why.\n#[allow(dead_code)]\nmod a;\n",
            b"#[cfg(test)]\n// Why.\n#[allow(dead_code)]\nmod a;",
        ),
        (b"#[cfg(not(test))]\nfn product() {}\n", b""),
        (b'#[cfg(feature = "a")]\nfn product() { test() }\n', b""),
    ],
)
def test_what_only_tests_have(source: bytes, tests: bytes) -> None:
    assert only_tests(source) == tests


@pytest.mark.parametrize(
    ("head", "judged"),
    [
        (TWO.replace(b", 1)", b", 2)"), TWO),
        (TWO.replace(b"#[test]", b"#[test]\n    #[ignore]"), TWO),
        (TWO.replace(TESTS + b"\n", b""), TWO.replace(TESTS, b"\n" + TESTS)),
        (TESTS.replace(b"works", b"holds") + b"\n" + PRODUCT, TESTS + b"\n" + PRODUCT),
        (TWO + b"\n#[test]\nfn more() {}\n", TWO + b"\n\n"),
    ],
    ids=["weakened", "ignored", "removed", "elsewhere", "more"],
)
def test_the_bases_tests_judge_the_heads_code(head: bytes, judged: bytes) -> None:
    base = Program(None, {"src/lib.rs": BASE})
    judges = FileIndex.of(base, Program(None, {"src/lib.rs": head}), COMMAND)
    assert judges.inline == {"src/lib.rs"}
    assert judges.judged.files == {"src/lib.rs": judged}
    assert with_tests_of(BASE, head) == judged


@pytest.mark.parametrize("attribute", [b"#[cfg_attr(test, derive(Debug))]", b'#[cfg(any(test, feature = "a"))]'])
def test_a_products_item_that_names_tests_in_its_attribute_is_the_heads(attribute: bytes) -> None:
    """It is what is judged: were the base's taken, nobody would see it break."""
    base, head = (source.replace(b"#[inline]", attribute) for source in (BASE, TWO))
    judges = FileIndex.of(Program(None, {"src/lib.rs": base}), Program(None, {"src/lib.rs": head}), COMMAND)
    assert judges.judged.files == {"src/lib.rs": head}


def test_code_that_changes_beside_the_same_tests_is_the_heads_as_it_is() -> None:
    base = Program(None, {"src/lib.rs": BASE})
    judges = FileIndex.of(base, Program(None, {"src/lib.rs": TWO}), COMMAND)
    assert judges.inline == frozenset()
    assert judges.judged.files == {"src/lib.rs": TWO}


def test_a_test_is_found_in_the_file_of_its_module() -> None:
    name = "src/lib.rs::price::cents::tests::works"
    assert [place for place, _ in places(name)] == [
        *("src/price/cents/tests.rs", "src/price/cents/tests/mod.rs", "src/price/cents.rs", "src/price/cents/mod.rs"),
        *("src/price.rs", "src/price/mod.rs", "src/lib.rs"),
    ]
    files = {"crates/shop/src/price/cents.rs": TESTS}
    bodies = Bodies(files.get, frozenset(files))
    assert bodies.place(name) == "crates/shop/src/price/cents.rs"
    assert "assert_eq!" in bodies.source(name)
    assert not bodies.has("src/lib.rs::price::tests::works")
