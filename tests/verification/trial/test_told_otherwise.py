"""The questions of code whether it is tested, and an answer in their place."""

import pytest

from bot.verification.trial.told_otherwise import answered

EVERY = frozenset(range(1, 100))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("    if 'pytest' in sys.modules:", "    if (False):"),
        ("    if 'pytest' not in sys.modules and n:", "    if (False) and n:"),
        ("    if 'pytest' in __import__('sys').modules:", "    if (False):"),
        ("    if os.environ.get('PYTEST_CURRENT_TEST'):", "    if (False):"),
        ("    n = 1 if os.environ['PYTEST_VERSION'] else 2", "    n = 1 if (False) else 2"),
        ("    if any('pytest' in each for each in sys.modules):", "    if (False):"),
        ("    if 'é' and 'pytest' in sys.modules:", "    if 'é' and (False):"),
        ("    if n in sys.modules:", "    if n in sys.modules:"),
        ("    if os.environ.get('CI'):", "    if os.environ.get('CI'):"),  # a test may well set it
        ("    if find_spec('pytest'):", "    if find_spec('pytest'):"),
        ("    os.environ['PYTEST_VERSION'] = ''", "    os.environ['PYTEST_VERSION'] = ''"),
    ],
)
def test_an_answer_stands_in_the_place_of_the_question_alone(line: str, told: str) -> None:
    body = "        pass\n" if line.endswith(":") else ""
    assert answered(f"def f(n):\n{line}\n{body}".encode(), EVERY, False).decode().splitlines()[1] == told


def test_only_lines_of_the_change_are_told() -> None:
    source = b"A = 'pytest' in sys.modules\nB = 'pytest' in sys.modules\n"
    assert answered(source, frozenset({2, 900}), True) == b"A = 'pytest' in sys.modules\nB = (True)\n"
    long = b"A = 'pytest' in sys.modules or " + b"1 or " * 1_000 + b"2\n"
    assert answered(long, frozenset({1}), True) == long
