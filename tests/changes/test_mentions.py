"""Which prose nobody but people reads."""

from bot.changes.mentions import MOST, only_for_people
from tests.support.cases import cases


@cases
def test_what_a_program_names_is_no_mere_prose(path: str, where: str, line: str) -> None:
    def mentions(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        assert any(text in line for text in texts)
        return ((where, line),)

    assert not only_for_people((path,), mentions)


@cases
def test_prose_that_is_only_shown_packed_or_pointed_to_stays_prose(path: str, where: str, line: str) -> None:
    assert only_for_people((path,), lambda texts: ((where, line),))


def test_what_cannot_be_known_is_no_yes() -> None:
    assert only_for_people((), lambda texts: None)
    assert not only_for_people(("README.md",), lambda texts: None)
    assert not only_for_people((f"{number}.md" for number in range(MOST + 1)), lambda texts: ())
    assert not only_for_people(("a/" * 99 + "b.md",), lambda texts: ())
    assert not only_for_people(("a\nb.md",), lambda texts: ())
