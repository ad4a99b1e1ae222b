"""What can be broken in a file of each language, and how."""

from hypothesis import given
from hypothesis import strategies as st

from bot.verification.defects.defect import BREAKABLE, defects, places
from tests.support.cases import cases
from tests.support.properties import patient


@cases
def test_functions_and_constants(path: str, text: str, found: dict[str, list[str]]) -> None:
    """found: by the name of a function or constant, how the line of its first defects begins with each of them."""
    source = text.encode()
    there = places(defects(path, source))
    assert {place.name for place in there} == found.keys()
    for place, its in there.items():
        assert 1 <= place.first <= place.last <= text.count("\n") + 1
        for defect, says in zip(its, found[place.name], strict=False):
            assert says in defect.apply(source).decode(), defect.told


@cases
def test_types_of_what_a_function_gives(path: str, text: str, statements: list[str]) -> None:
    told = [each.told.partition(" → ")[2] for each in defects(path, text.encode())]
    assert told[: len(statements)] == statements


@patient
@given(st.text(max_size=300), st.sampled_from(BREAKABLE))
def test_every_text_is_read(text: str, ending: str) -> None:
    defects(f"a{ending}", text.encode())
