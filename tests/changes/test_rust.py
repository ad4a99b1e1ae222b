"""Which attributes make a Rust item a test: its base's version is run, so what is wrongly called one breaks unseen."""

import pytest

from bot.verification.trial.code_of_tests import only_tests

DEEP = "not(" * 500 + "test" + ")" * 500


@pytest.mark.parametrize(
    ("attribute", "is_test"),
    [
        ("#[test]", True),
        ("#[ tokio::test ]", True),
        ('#[tokio::test(flavor = "multi_thread")]', True),
        ("#[bench]", True),
        ("#[test_case(1, 2)]", True),
        ("#[cfg(test)]", True),
        ("#[cfg(all(unix, test,))]", True),
        ('#[cfg(all(feature = "a", all(test)))]', True),
        ("#[cfg(any(test))]", True),
        ("#[cfg(not(not(test)))]", True),
        ("#[cfg_attr(test, derive(Debug))]", False),
        ('#[cfg(any(test, feature = "testing"))]', False),
        ("#[cfg(not(test))]", False),
        ("#[cfg(not(any(test, unix)))]", False),
        ("#[cfg(not(all(test, unix)))]", False),
        ('#[cfg(feature = "test")]', False),
        (r'#[cfg(feature = "a\" , test")]', False),
        ('#[deprecated(note = "the test")]', False),
        ("#[doc(test(no_crate_inject))]", False),
        ("#[allow(test)]", False),
        ("#[cfg()]", False),
        ("#[cfg(", False),
        ("#[cfg(maybe(test))]", False),
        (f"#[cfg({DEEP})]", False),
    ],
)
def test_an_item_is_a_test_where_nothing_else_would_compile_it(attribute: str, is_test: bool) -> None:
    assert bool(only_tests(f"{attribute}\nfn tests() {{}}\n".encode())) is is_test
