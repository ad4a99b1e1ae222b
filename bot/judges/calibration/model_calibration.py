"""From a model's label to a probability, and from a promise to a threshold on it.

The figures come from recorded answers of five models beside human labels; the table is made by
`lab/benchmarks/calibrate_models.py`. Those answers were given to another prompt than ours: the best known stand-in,
not a measurement of it. A model of another family gets the pooled probabilities and the cut that kept the promise for
each of the five; so does a group of models that vote, unless all of them are among the five.
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
    return float(_entry(model)["probability"][label.value])


def threshold(model: str, strictness: Strictness) -> float:
    """Bounce from this probability on: halfway between the mildest label that may bounce and the label below it."""
    start = LABELS.index(holds_from(model, strictness))
    levels = [probability(model, label) for label in LABELS]
    return (levels[start - 1] + levels[start]) / 2


def holds_from(model: str, strictness: Strictness) -> SpecificationLabel:
    """The mildest label that holds an issue."""
    return SpecificationLabel(_entry(model)["bounce"][strictness.value]["from"])


def answers(model: str) -> int:
    """How many recorded answers its figures stand on."""
    return int(_entry(model)["answers"])


def settles(model: str, label: SpecificationLabel) -> bool:
    """Whether nobody else need be asked: with this label people bounce an issue less often than any other."""
    return probability(model, label) < float(_table()["share"])


def family(model: str) -> str:
    """What the table calls this model; its own name, in lower case, where it is not there. Of several that vote
    (`a + b`), in the order of the alphabet."""
    if len(together := model.split(" + ")) > 1:
        return " + ".join(sorted(map(family, together)))
    name = model.rpartition("/")[2].lower()
    found = (known for known, entry in _table()["models"].items() if re.fullmatch(entry["pattern"], name))
    return next(found, model.lower())


def is_known(model: str) -> bool:
    """Whether answers of its family were recorded; of any other the figures are those of all together."""
    return family(model) in _measured()


def judged_by(judge: str) -> str:
    """The model in a judge's name: `gpt-4.1` in `gpt-4.1 with issue-specification/2`."""
    return judge.rpartition(" with ")[0] or judge


def _entry(model: str) -> dict[str, Any]:
    return _measured().get(family(model)) or cast(dict[str, Any], _table()["other"])


@cache
def _measured() -> dict[str, dict[str, Any]]:
    """Each family, and each group of them that votes."""
    return _table()["models"] | _table()["together"]  # type: ignore[no-any-return]


@cache
def _table() -> dict[str, Any]:
    text = resources.files("bot.judges.calibration").joinpath("model_calibration.json").read_text(encoding="utf-8")
    return cast(dict[str, Any], json.loads(text))
