"""What is remembered about files is bounded by their bytes, however many or however large they are."""

from collections.abc import Callable

from bot.verification.syntax import ENTRY, text_cache


def counting(most: int) -> tuple[Callable[[bytes], int], list[bytes]]:
    """The length of a text, and which texts it was found out for."""
    found: list[bytes] = []

    @text_cache(most)
    def length(source: bytes) -> int:
        found.append(source)
        return len(source)

    return length, found


def test_what_was_asked_last_is_remembered_up_to_so_many_bytes() -> None:
    length, found = counting(2 * (ENTRY + 4))
    first, second, third = b"four", b"1234", b"and4"
    assert [length(first), length(second), length(first)] == [4, 4, 4]
    assert found == [first, second]
    assert length(third) == 4  # in place of the second, which was not asked for longest
    assert [length(first), length(second)] == [4, 4]
    assert found == [first, second, third, second]


def test_what_is_larger_than_all_of_it_is_answered_and_not_kept() -> None:
    length, found = counting(ENTRY)
    assert [length(b"large"), length(b"large")] == [5, 5]
    assert found == [b"large", b"large"]
