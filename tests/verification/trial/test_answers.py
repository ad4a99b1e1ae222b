"""What gives a test its answer, and what only looks like it."""

from bot.verification.trial.answers import answers
from tests.support.cases import cases

BEFORE = b"def total(items):\n    return sum(a * b for a, b in items)\n"
TESTS = (
    b"def test_total():\n    assert total([(10, 2), (5, 3)]) == 35\n    assert name(4096) == 'a page'\n"
    b"    assert greet('good morning, everybody') == 'hello'\n    assert kind(7) == 35\n",
    b'{"items": [[2, 3], [4, 5]], "total": 26}',
    b"\xff\x00 neither of both",
)
BODY = "    return sum(a * b for a, b in items)\n"


def _told(body: str, tests=TESTS, before=BEFORE) -> tuple[str, ...]:
    after = f"def total(items):\n{body}{BODY}".encode()
    return answers({"shop.py": (before, after)}, tests)


@cases
def test_an_answer_is_told(body: str) -> None:
    assert len(_told(body)) == 1


@cases
def test_what_only_looks_like_one_is_not(body: str) -> None:
    assert _told(body) == ()


def test_what_the_base_answers_already_is_not_the_changes() -> None:
    body = "    if items == [(10, 2), (5, 3)]:\n        return 35\n"
    assert _told(body, before=f"def total(items):\n{body}{BODY}".encode()) == ()


def test_what_does_not_parse_says_nothing() -> None:
    assert answers({"shop.py": (None, b"def ("), "shop.js": (None, b"x")}, TESTS) == ()
