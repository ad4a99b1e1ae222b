"""Which prose nobody but people reads."""

from bot.changes.mentions import MOST, has_readers
from tests.support.cases import cases


@cases
def test_what_a_program_names_is_no_mere_prose(path: str, where: str, line: str) -> None:
    def mentions(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        assert any(text in line for text in texts)
        return ((where, line),)

    assert has_readers((path,), mentions)


@cases
def test_prose_that_is_only_shown_packed_or_pointed_to_stays_prose(path: str, where: str, line: str) -> None:
    assert not has_readers((path,), lambda texts: ((where, line),))


def test_what_cannot_be_known_is_no_yes() -> None:
    assert not has_readers((), lambda texts: None)
    assert has_readers(("README.md",), lambda texts: None)
    for paths in ([f"{number}.md" for number in range(MOST + 1)], ["a/" * 99 + "b.md"], ["a\nb.md"]):
        assert has_readers(paths, lambda texts: ())
