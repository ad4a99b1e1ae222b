"""What a change can concern."""

from bot.verification.differential.examples import reached
from tests.support.cases import cases

SOURCE = '''"""A module."""
import math
RATE = 2

def _inner(n):
    return n * RATE

def price(n):
    """What it costs."""
    return _inner(n)

def other(n):
    return math.sqrt(n)

print("loaded")
'''


@cases
def test_reached(before: str, after: str, found: set[str] | None) -> None:
    assert before in SOURCE
    assert reached(SOURCE, SOURCE.replace(before, after, 1)) == (None if found is None else frozenset(found))
