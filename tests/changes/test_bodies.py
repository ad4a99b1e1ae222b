"""Where functions of other languages lie."""

from hypothesis import given
from hypothesis import strategies as st

from bot.changes.bodies import ENDINGS, bodies
from tests.support.cases import cases
from tests.support.properties import patient


@cases
def test_functions_that_do_something(path: str, text: str, found: list[tuple[str, str]]) -> None:
    source = text.encode()
    assert [(one.name, text[one.opens - 1]) for one in bodies(path, source)] == found
    assert all(1 <= one.first <= one.last <= text.count("\n") + 1 for one in bodies(path, source))


@cases
def test_types_of_what_a_function_gives(path: str, text: str, gives: tuple[str, ...]) -> None:
    assert [one.gives for one in bodies(path, text.encode())] == [gives]


@patient
@given(st.text(max_size=300), st.sampled_from(ENDINGS))
def test_every_text_is_read(text: str, ending: str) -> None:
    bodies(f"a{ending}", text.encode())
