"""Files of data that lie beside the checkout: read whole, and refused with the line and the mend."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from bot.errors import PlainError
from bot.reports import IssueText

BESIDE = Path("../shared/data")  # where data lies that is not part of the project
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"  # the same, wherever a script is called
TO_BE_BOUNCED = 2  # from this human label on an issue is (BouncerBench, section II-A)
_LARGEST = 500_000_000  # bytes


class DataError(PlainError):
    """The data is absent or not what it should be. The message names the file and the mend."""


def read_text(path: Path, published: str) -> str:
    """published: where the file comes from and under which licence, for whoever lacks it. Raises `DataError`."""
    try:
        if path.stat().st_size > _LARGEST:
            raise DataError(f"{path}: the file is larger than {_LARGEST // 1_000_000} MB. Is it the right one?")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. {published}") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}. {published}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: this is not UTF-8 text.") from None


def read_rows(path: Path, published: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a JSON Lines file with where it stands. Raises `DataError`, also for a file without any."""
    empty = True
    for number, line in enumerate(read_text(path, published).split("\n"), 1):
        if line.strip():
            where, empty = f"{path}, line {number}", False
            row = parse_json(line, where)
            if not isinstance(row, dict):
                raise DataError(f"{where}: each line must be one JSON object.")
            yield where, row
    if empty:
        raise DataError(f"{path}: the file is empty.")


def parse_json(text: str, where: str) -> Any:
    """JSON without `NaN` and `Infinity`, and without a key that is there twice. A lone surrogate, which no file can
    hold, is read as `?`. Raises `DataError`."""
    try:
        found = json.loads(text, parse_constant=_no_number, object_pairs_hook=_once)
        if "\\ud" in text.lower():
            whole = json.dumps(found, ensure_ascii=False).encode(errors="replace")
            return json.loads(whole, object_pairs_hook=_once)
        return found
    except _Twice as error:
        raise DataError(f"{where}: {str(error)!r} is there twice. Each must be unique.") from None
    except (ValueError, RecursionError):
        raise DataError(f"{where}: this is not JSON, or it holds a number that is none.") from None


def texts(row: dict[str, Any], where: str, *fields: str) -> tuple[str, ...]:
    """The texts of these fields. Raises `DataError` where one is missing."""
    for field in fields:
        if not isinstance(row.get(field), str) or not row[field]:
            raise DataError(f'{where}: "{field}" is missing or not a text.')
    return tuple(row[field] for field in fields)


def issue_text(text: str) -> IssueText:
    """Of a text whose first line is the title."""
    title, _, body = text.partition("\n")
    return IssueText(title.strip(), body)


def label_of(row: dict[str, Any], where: str, field: str) -> int:
    """A human label, 0 to 3. Raises `DataError`."""
    value = row.get(field)
    if type(value) is not int or not 0 <= value <= 3:
        raise DataError(f'{where}: "{field}" is {str(value)[:20]!r}; it must be 0, 1, 2 or 3.')
    return value


class _Twice(Exception):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


def _no_number(_: str) -> NoReturn:
    raise ValueError
