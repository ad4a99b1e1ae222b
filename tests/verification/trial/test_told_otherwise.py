"""The questions of code whether it is tested, and an answer in their place."""

import pytest

from bot.verification.trial.told_otherwise import answered

NONE = frozenset[bytes]()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("    if 'pytest' in sys.modules:", "    if (False):"),
        ("    if 'pytest' not in sys.modules and n:", "    if (False) and n:"),
        ("    if 'pytest' in __import__('sys').modules:", "    if (False):"),
        ("    if os.environ.get('PYTEST_CURRENT_TEST'):", "    if (False):"),
        ("    n = 1 if not os.environ['PYTEST_VERSION'] else 2", "    n = 1 if not (False) else 2"),
        ("    n = n and os.environ.get('PYTEST_VERSION') == '8'", "    n = n and (False)"),
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
    assert answered(f"def f(n):\n{line}\n{body}".encode(), NONE, False).decode().splitlines()[1] == told


def test_what_may_be_more_than_yes_or_no_is_no_question() -> None:
    source = b"n = os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw')\nf(os.environ['PYTEST_VERSION'])\n"
    assert answered(source, NONE, False) == source


def test_what_the_base_asks_already_is_not_told() -> None:
    source = b"A = 'pytest' in sys.modules\nB = 'pytest' in sys.modules\n"
    assert answered(source, frozenset({b"A = 'pytest' in sys.modules"}), True) == source.replace(
        b"B = 'pytest' in sys.modules", b"B = (True)"
    )
    long = b"A = 'pytest' in sys.modules or " + b"1 or " * 1_000 + b"2\n"
    assert answered(long, NONE, True) == long
