"""What a message says that it fixes, and what it only refers to."""

from hypothesis import given
from hypothesis import strategies as st

from bot.history.names import claims
from tests.support.cases import cases


@cases
def test_what_says_that_it_fixes(message: str) -> None:
    assert any(claims(message).get((12, repository)) for repository in ("", "acme/grid"))


@cases
def test_what_only_refers(message: str) -> None:
    assert not claims(message).get((12, ""))


def test_each_number_once_with_its_repository() -> None:
    said = "See #11, fixes #12 and #13, part of acme/grid#14, closes https://forge.example/Acme/Grid/issues/15, see #12"
    assert claims(said) == {(11, ""): False, (12, ""): True, (13, ""): True, (15, "acme/grid"): True}


@given(
    st.lists(st.sampled_from(["fixes ", "not ", "#12", ", ", "and ", "(", "gh-3", ": ", "\n", "for ", "x"])).map(
        "".join
    )
)
def test_any_text_is_read(text: str) -> None:
    assert all(number > 0 for number, _ in claims(text))
