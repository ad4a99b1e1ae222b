"""Columns that are made from recorded labels: of models that vote, and of a cheap one before an expensive one."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.judges.calibration.model_calibration import LABELS, settles
from bot.judges.openai.several import majority_label, voters_name
from bot.verdicts import SpecificationLabel
from lab.data.files import DataError
from lab.data.recorded_labels import LabelledIssue, RecordedLabels


def with_vote(labels: RecordedLabels, models: Sequence[str]) -> RecordedLabels:
    """With a column `a + b` for what they say together, where all of them answered. Raises `DataError`."""
    _check(labels, models, "--vote")
    return _with(labels, voters_name(models), models, lambda grades: LABELS.index(_majority(grades)))


def with_cascade(labels: RecordedLabels, cheap: str, strong: str) -> tuple[RecordedLabels, float]:
    """With a column `a, then b`, and the share of issues that the cheap model settles alone. Raises `DataError`."""
    _check(labels, (cheap, strong), "--cascade")

    def settled(grade: int) -> bool:
        return settles(cheap, LABELS[grade])

    made = _with(
        labels, f"{cheap}, then {strong}", (cheap, strong), lambda both: both[0] if settled(both[0]) else both[1]
    )
    both = [issue for issue in labels.issues if cheap in issue.grades and strong in issue.grades]
    return made, sum(settled(issue.grades[cheap]) for issue in both) / max(1, len(both))


def _majority(grades: Sequence[int]) -> SpecificationLabel:
    return majority_label([LABELS[grade] for grade in grades])


def _with(
    labels: RecordedLabels, name: str, models: Sequence[str], grade: Callable[[Sequence[int]], int]
) -> RecordedLabels:
    def more(issue: LabelledIssue) -> LabelledIssue:
        if any(model not in issue.grades for model in models):
            return issue
        return replace(issue, grades=issue.grades | {name: grade([issue.grades[model] for model in models])})

    return replace(labels, together=(*labels.together, name), issues=tuple(map(more, labels.issues)))


def _check(labels: RecordedLabels, models: Sequence[str], option: str) -> None:
    if len(set(models)) < 2:
        raise DataError(f"{option}: name at least two different models, separated by commas.")
    if unknown := next((model for model in models if model not in labels.models), None):
        raise DataError(f"{option}: there is no column {unknown!r}. There are {', '.join(labels.models)}.")
