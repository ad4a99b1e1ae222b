"""Tables of cases: YAML beside a test's file, of the same name, each under its test's name.

    test_halves_are_exact:
      - [3, 1.5]
      - [4, 2]

A row is the list of the first parameters' values, the values by the parameters' names, or the one value that there is.
Where each row has a name of its own, a table maps the names to the rows. What a parameter's annotation says is made of
its value: a tuple, a set, a member of an enumeration, a data class. What several tests share stands in the same file
under a name of its own.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

Test = Callable[..., None]
Made = TypeVar("Made")


@cache
def tables(path: Path) -> dict[str, Any]:
    """Every table of a file, by its name."""
    found = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    assert isinstance(found, dict), f"{path}: no tables by their names"
    return found


def table(kind: type[Made], file: str, name: str) -> Made:
    """What stands beside the file under this name, as a value of the kind."""
    return TypeAdapter(kind).validate_python(tables(Path(file).with_suffix(".yaml"))[name])


def cases(test: Test) -> Test:
    """The test, once for each row of its table."""
    path = Path(inspect.getfile(test)).with_suffix(".yaml")
    table = tables(path).get(test.__name__)
    assert table, f"{path}: no rows for {test.__name__}"
    named = isinstance(table, dict)
    rows = list(table.values()) if named else table
    parameters = inspect.signature(test).parameters
    names = _names(rows[0], list(parameters))
    makers = [_maker(parameters[name].annotation) for name in names]
    values = [_made(row, names, makers, f"{path}: {test.__name__}: {row}") for row in rows]
    marked: Test = pytest.mark.parametrize(names, values, ids=list(table) if named else None)(test)
    return marked


def _names(row: Any, parameters: list[str]) -> list[str]:
    if isinstance(row, dict) and row.keys() <= set(parameters):
        return [name for name in parameters if name in row]
    return parameters[: len(row)] if isinstance(row, list) else parameters[:1]


def _maker(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(Any if annotation is inspect.Parameter.empty else annotation)


def _made(row: Any, names: list[str], makers: list[TypeAdapter[Any]], where: str) -> list[Any]:
    given = list(row) if isinstance(row, list) else [row]
    if isinstance(row, Mapping) and row.keys() == set(names):
        given = [row[name] for name in names]
    assert len(given) == len(names), f"{where}: not a value each for {', '.join(names)}"
    try:
        return [maker.validate_python(value) for maker, value in zip(makers, given, strict=True)]
    except ValidationError as problem:
        raise AssertionError(f"{where}: {problem}") from None
