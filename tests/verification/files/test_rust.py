"""Which attributes make a Rust item a test: its base's version is run, so what is wrongly called one breaks unseen."""

from bot.verification.files.bodies import only_tests
from tests.support.cases import cases

DEEP = "not(" * 500 + "test" + ")" * 500


@cases
def test_an_item_is_a_test_where_nothing_else_would_compile_it(attribute: str, is_test: bool) -> None:
    assert bool(only_tests(f"{attribute}\nfn tests() {{}}\n".encode())) is is_test


def test_a_condition_too_deep_to_be_read_makes_none() -> None:
    assert only_tests(f"#[cfg({DEEP})]\nfn tests() {{}}\n".encode()) == b""
