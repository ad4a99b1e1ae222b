"""From a model's label to a probability, and from a promise to a threshold on it.

The figures come from recorded answers of five models beside human labels; `benchmarks/calibrate_models.py` makes the
table. Those answers were given to another prompt than ours: the best known stand-in, not a measurement of it. A model
of another family gets the pooled probabilities and the cut that kept the promise for each of the five.
"""

import json
import re
from functools import cache
from importlib import resources
from typing import Any, cast

from bot.policy_choices import Strictness
from bot.verdicts import SpecificationLabel

LABELS = tuple(SpecificationLabel)  # from best to worst


def probability(model: str, label: SpecificationLabel) -> float:
    """That a maintainer would want an issue bounced which this model gives this label."""
    return float(_family(model)["probability"][label.value])


def threshold(model: str, strictness: Strictness) -> float:
    """Bounce from this probability on: halfway between the mildest label that may bounce and the label below it."""
    entry = _family(model)
    start = LABELS.index(SpecificationLabel(entry["bounce"][strictness.value]["from"]))
    levels = [float(entry["probability"][label.value]) for label in LABELS]
    return (levels[start - 1] + levels[start]) / 2


def judged_by(judge: str) -> str:
    """The model in a judge's name: `gpt-4.1` in `gpt-4.1 with issue-specification/1`."""
    return judge.rpartition(" with ")[0] or judge


@cache
def _family(model: str) -> dict[str, Any]:
    name = model.rpartition("/")[2].lower()
    table = _table()
    for entry in table["models"].values():
        if re.fullmatch(entry["pattern"], name):
            return cast(dict[str, Any], entry)
    return cast(dict[str, Any], table["other"])


@cache
def _table() -> dict[str, Any]:
    text = resources.files("bot.judges.calibration").joinpath("model_calibration.json").read_text(encoding="utf-8")
    return cast(dict[str, Any], json.loads(text))
