"""Calibrations with good values, and invented answers to make them from."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

from bot.judges.calibration.calibration import LABELS, Calibration, CalibrationSource, LabelWorth, OperatingPoint
from bot.policy_choices import Strictness
from bot.verdicts import SpecificationLabel
from lab.fitting.from_labels import LabelledAnswer

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def calibration(holds_from: SpecificationLabel | None = SpecificationLabel.VAGUE, **difference: Any) -> Calibration:
    """Of the server, for gpt-4.1, which holds from that label on at each strictness."""
    default = Calibration(
        judge="gpt-4.1",
        repository="",
        made_at=NOW,
        source=CalibrationSource.LABELS,
        issues=300,
        repositories=4,
        labels={label: LabelWorth(0.2 * (1 + grade), 75) for grade, label in enumerate(LABELS)},
        points={strictness: OperatingPoint(holds_from, 0.01, 0.03) for strictness in Strictness},
    )
    return replace(default, **difference)


def answers(fine: int, bad: int, *, repositories: int = 4, wrong: float = 0.02) -> list[LabelledAnswer]:
    """A judge that calls most fine issues well specified and half of the others vague."""
    chance = Random(3)
    told = []
    for number in range(fine + bad):
        bounce = number >= fine
        grade = 2 if chance.random() < (0.5 if bounce else wrong) else 0
        told.append(LabelledAnswer(f"acme/shop{number % repositories}", grade, bounce))
    return told
