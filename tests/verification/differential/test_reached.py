"""What a change can concern."""

import pytest

from bot.verification.differential.examples import reached

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


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("math.sqrt(n)", "n ** 0.5", {"other"}),
        ("return n * RATE", "return RATE * n", {"_inner", "price"}),
        ("RATE = 2", "RATE = 3", {"RATE", "_inner", "price"}),
        ("import math", "import cmath as math", {"math", "other"}),
        ("A module", "The module", set()),
        ("    return n * RATE", "    # as ever\n    return n * RATE", set()),
        ("def other(n)", "def others(n)", {"other", "others"}),
        ('print("loaded")', 'print("there")', None),
        ("def other", "def other(", None),
    ],
)
def test_reached(before: str, after: str, found: set[str] | None) -> None:
    assert before in SOURCE
    assert reached(SOURCE, SOURCE.replace(before, after, 1)) == (None if found is None else frozenset(found))
