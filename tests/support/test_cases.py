"""No table is left without its test, and a row that does not fit is refused."""

from pathlib import Path

import pytest

from tests.support import cases

TABLES = [path for path in Path(__file__).parents[1].rglob("test_*.yaml") if path.with_suffix(".py").exists()]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_is_read_by_its_test(path: Path) -> None:
    source = path.with_suffix(".py").read_text(encoding="utf-8")
    named = (name for name in cases.tables(path) if name != "shared")  # whose parts the others name
    assert all(f"def {name}(" in source or f'"{name}"' in source for name in named)


@cases.cases
def test_a_row_that_does_not_fit_is_refused(row: object, said: str) -> None:
    names, makers = ["number", "name"], [cases._maker(int), cases._maker(str)]
    with pytest.raises(AssertionError, match=said):
        cases._made(row, names, makers, "here")
