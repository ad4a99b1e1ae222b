"""Recorded answers of a bouncer: what `bouncer judge issues` and `bouncer judge patches` write, and what BouncerBench's
leaderboard takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.verdicts import Decision, IssueKind, PatchLabel, SpecificationLabel
from lab.data.files import DataError, parse_json, read_text

INPUT, OUTPUT = "input_bounce", "output_bounce"
RAW_BOUNCE = 2  # the third of four labels, from which on the paper's bouncers bounce (sections III-A1 and III-A2)
_SCALES: dict[str, type[StrEnum]] = {INPUT: SpecificationLabel, OUTPUT: PatchLabel}
# Written instead of a label where a report was decided without one: a vulnerability, a task, a release.
_NO_LABEL = frozenset(kind.value.upper() for kind in IssueKind)
_RECORDED = "Recorded answers are what `bouncer judge issues --out FILE` or `bouncer judge patches --out FILE` writes."


@dataclass(frozen=True, slots=True)
class Answer:
    """bounce: the decision. grade: its label, 0 (best) to 3; `None` where it gave none. judged: whether it could say
    anything at all; what was not judged is not bounced."""

    bounce: bool
    grade: int | None
    judged: bool

    @property
    def raw_bounce(self) -> bool:
        return self.grade is not None and self.grade >= RAW_BOUNCE


def read_predictions(path: Path) -> dict[str, Any]:
    """The file as it is, by id. Raises `DataError`."""
    found = parse_json(read_text(path, _RECORDED), str(path))
    if not isinstance(found, dict):
        raise DataError(f"{path}: this is no JSON object of answers by id. {_RECORDED}")
    if not found:
        raise DataError(f"{path}: there is no answer in it.")
    return found


def answers_of(predictions: Mapping[str, Any], key: str, where: str) -> dict[str, Answer]:
    """key: `input_bounce` or `output_bounce`. Raises `DataError` for what is no answer."""
    return {name: _answer(each, key, f"{where}, {name}") for name, each in predictions.items()}


def _answer(given: Any, key: str, where: str) -> Answer:
    label = (given.get("label") or "") if isinstance(given, dict) else ""
    if label == Decision.UNAVAILABLE:
        return Answer(False, None, False)
    scale = [each.value for each in _SCALES[key]]
    if label and not (isinstance(label, str) and (label in scale or label in _NO_LABEL)):
        raise DataError(f"{where}: the label {str(label)[:40]!r} is not one of {', '.join(scale)}.")
    grade = scale.index(label) if label in scale else None
    if isinstance(given, dict) and isinstance(given.get(key), bool):
        return Answer(given[key], grade, True)
    if grade is None or key in given:
        raise DataError(f'{where}: "{key}" is missing or not true or false.')
    return Answer(grade >= RAW_BOUNCE, grade, True)  # the published outputs hold a label alone


def bounces_by_kind(answers: Sequence[Answer]) -> dict[str, list[bool]]:
    """What is bounced by the label alone (`raw`), where there is any, and by the `decision`."""
    labelled = any(answer.grade is not None for answer in answers)
    raw = {"raw": [answer.raw_bounce for answer in answers]} if labelled else {}
    return {**raw, "decision": [answer.bounce for answer in answers]}


def in_order(answers: Mapping[str, Answer], ids: Sequence[str], where: str) -> tuple[list[Answer], int]:
    """The answers to these, and how many more there are. Raises `DataError` where one is missing."""
    missing = [name for name in ids if name not in answers]
    if missing:
        shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        raise DataError(
            f"{where}: {len(missing)} of {len(ids)} have no answer ({shown}). Have them judged too, or take them out "
            "of the data: figures over a part would not be comparable."
        )
    return [answers[name] for name in ids], len(answers.keys() - set(ids))
