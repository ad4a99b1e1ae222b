"""Recorded labels of models beside human ones, from a CSV file: what `bouncer bench input --replay` reads."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite, nan
from pathlib import Path

from bot.verdicts import SpecificationLabel
from lab.data.files import DataError, read_text

ID, HUMAN = "instance_id", "human_underspecified"
EVIDENCE = "evidence:"  # begins the name of a column of numbers
_NO_MODEL = frozenset({ID, HUMAN, "have_issue_text"})
GRADES = {label.value: grade for grade, label in enumerate(SpecificationLabel)}  # from best to worst
_LARGEST = 1e12  # of evidence: squares of it are added up
_WHERE = "Recorded answers of five models were published with BouncerBench (Mathews and Nagappan, 2025)."


@dataclass(frozen=True, slots=True)
class LabelledIssue:
    """human: 0 (clear) to 3. grades: by model, 0 (well specified) to 3; a model that gave no answer is absent.
    evidence: numbers by name; absent where they are not known."""

    id: str
    human: int
    grades: dict[str, int]
    evidence: dict[str, float] = field(default_factory=dict)

    @property
    def repository(self) -> str:
        """As SWE-bench names issues: `owner__name-number`."""
        return self.id.rpartition("-")[0] or self.id


@dataclass(frozen=True, slots=True)
class RecordedLabels:
    """models: the columns. together: columns that were made from several of them. evidence: names of numbers."""

    models: tuple[str, ...]
    issues: tuple[LabelledIssue, ...]
    together: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


def read_labels(path: Path) -> RecordedLabels:
    """Raises `DataError`, with the line, for a file that is missing, empty or holds what is no answer."""
    text = read_text(path, _WHERE)
    reader = csv.DictReader(text.splitlines(), restkey="", strict=True)
    try:
        columns = [name for name in reader.fieldnames or () if name]
        evidence = tuple(name for name in columns if name.startswith(EVIDENCE))
        models = tuple(name for name in columns if name not in _NO_MODEL and name not in evidence)
        missing = [name for name in (ID, HUMAN) if name not in columns]
        if missing:
            raise DataError(f"{path}: the column {missing[0]} is missing. The first line must name the columns.")
        if not models:
            raise DataError(f"{path}: there is no column of a model beside {ID} and {HUMAN}.")
        if len(set(columns)) < len(columns):
            raise DataError(f"{path}: two columns have the same name.")
        issues = tuple(_issues(path, reader, models, evidence))
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}.") from None
    if not issues:
        raise DataError(f"{path}: there is no issue in it.")
    return RecordedLabels(models, issues, evidence=tuple(name.removeprefix(EVIDENCE) for name in evidence))


def _issues(
    path: Path, reader: "csv.DictReader[str]", models: tuple[str, ...], evidence: tuple[str, ...]
) -> Iterator[LabelledIssue]:
    seen: set[str] = set()
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        if "" in row or any(value is None for value in row.values()):
            raise DataError(f"{where}: it has not as many values as there are columns.")
        if not row[ID] or row[ID] in seen:
            raise DataError(f"{where}: {'the id ' + repr(row[ID]) + ' is there twice' if row[ID] else 'no id'}.")
        seen.add(row[ID])
        if row[HUMAN] not in ("0", "1", "2", "3"):
            raise DataError(f"{where}: {HUMAN} is {row[HUMAN][:20]!r}; it must be 0, 1, 2 or 3.")
        for model in models:
            if row[model] and row[model] not in GRADES:
                known = ", ".join(GRADES)
                raise DataError(f"{where}: {model} says {row[model][:40]!r}; it must be one of {known}, or empty.")
        grades = {model: GRADES[row[model]] for model in models if row[model]}
        numbers = {name.removeprefix(EVIDENCE): _number(row[name], name, where) for name in evidence if row[name]}
        yield LabelledIssue(row[ID], int(row[HUMAN]), grades, numbers)


def _number(text: str, name: str, where: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = nan
    if not isfinite(found) or abs(found) > _LARGEST:
        raise DataError(f"{where}: {name} is {text[:20]!r}; it must be a number, or empty, at most {_LARGEST:g}.")
    return found
