"""Which numbers in a branch's name are issues."""

from hypothesis import given
from hypothesis import strategies as st

from bot.history.names import issues_in
from tests.support.cases import cases


@cases
def test_numbers_that_are_issues(branch: str, pull: int | None, numbers: tuple[int, ...]) -> None:
    assert issues_in(branch, pull) == numbers


@given(st.text(max_size=60), st.none() | st.integers(1, 10**6))
def test_any_name_is_read(branch: str, pull: int | None) -> None:
    assert all(0 < number < (pull or 10**7) for number in issues_in(branch, pull))
