"""What a change can concern."""

from bot.verification.differential.examples import reached
from tests.support.cases import cases, table

SOURCE = table(str, __file__, "SOURCE")


@cases
def test_reached(before: str, after: str, found: set[str] | None) -> None:
    assert before in SOURCE
    assert reached(SOURCE, SOURCE.replace(before, after, 1)) == (None if found is None else frozenset(found))
