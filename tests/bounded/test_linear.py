"""Every parser of what strangers wrote takes four times as long for four times the text, and not sixteen times."""

from collections.abc import Callable

import pytest

from bot.changes.risks.catalogue import risks
from bot.verification.files.bodies import Bodies
from bot.verification.syntax import functions_of, innermost
from tests.bounded.growth import grows
from tests.bounded.parsers import PARSERS, chain, texts

SHORT = 500  # characters


@pytest.mark.parametrize("name", PARSERS)
def test_the_work_grows_with_the_text(name: str) -> None:
    read = PARSERS[name]
    for (what, short), (_, long) in zip(texts(SHORT), texts(4 * SHORT), strict=True):
        assert not grows(read, short, long), f"{name} takes too long with {what}"


def demands_of_tests(size: int) -> object:
    """What so many tests demand that use a table with as many entries."""
    table = f"TABLE = [{'1, ' * size}]\n"
    source = table + "".join(f"def test_{number}():\n    assert TABLE\n" for number in range(size))
    bodies = Bodies({"test_a.py": source.encode()}.get)
    return [bodies.demands(f"test_a.py::test_{number}") for number in range(size)]


def lines_of_functions(size: int) -> object:
    source = "".join(f"def f{number}():\n    return {number}\n" for number in range(size))
    around = innermost(functions_of("a.py", source.encode()))
    return [around(line) for line in range(2 * size)]


@pytest.mark.parametrize("read", [demands_of_tests, lines_of_functions])
def test_the_work_grows_with_the_number_of_tests_and_functions(read: Callable[[int], object]) -> None:
    sizes = {"short": 300, "long": 1_200}
    assert not grows(lambda which: read(sizes[which]), "short", "long")


def test_the_work_grows_with_the_number_of_files() -> None:
    changes = {"short": chain(100), "long": chain(400)}
    assert not grows(lambda which: risks(changes[which]), "short", "long")
