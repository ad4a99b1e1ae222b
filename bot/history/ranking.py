"""How likely each change is the fix: a conditional logit over the changes and one more choice, that none of them is.

    p(i) = exp(u_i) / (1 + sum_j exp(u_j)),  u_i = bias + weights . features_i

(McFadden 1974). `benchmarks/train_fixed_search.py` fits the weights; what they give is measured by repository, each
with weights that have not seen it (`benchmarks/fixed_search.py`). Pure.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp
from typing import Any

FEATURES = (
    # FTS5's bm25 of the report's words by column, of all columns, of the title's words and of the names from code,
    # relative to the best change's ...
    *("subject", "body", "paths", "places", "code", "documentation", "tests", "all", "title", "names"),
    *("title in subject", "title in documentation", "title in code", "title in tests"),
    *("names in places", "names in code", "names in tests"),
    # ... and relative to what a change could have at most.
    *("all reached", "title reached", "names reached", "subject reached", "tests reached"),
    *("title in subject reached", "title in tests reached", "names in tests reached"),
    *("trace file", "trace function", "has tests", "has code", "paths touched", "says fix", "says add", "notes"),
    *("lines grown", "lines shrunk", "files created"),
)


@dataclass(frozen=True, slots=True)
class Weights:
    """weights: by feature. cut: the score from which a change is called likely. mentions, closes: what it counts that a
    change names the report's number, or says that it closes it; set, not fitted."""

    bias: float
    weights: tuple[float, ...]
    cut: float
    mentions: float
    closes: float

    @classmethod
    def read(cls, raw: dict[str, Any]) -> "Weights":
        """From the JSON the training writes."""
        return cls(
            raw["bias"],
            tuple(raw["weights"][name] for name in FEATURES),
            raw["cut"],
            raw["mentions"],
            raw["closes"],
        )

    def probabilities(self, rows: Sequence[Sequence[float]], named: Sequence[bool | None]) -> list[float]:
        """One for each row of features; together at most 1. named: whether it says that it closes the report's number,
        `None` where it does not name it."""
        told = {None: 0.0, False: self.mentions, True: self.closes}
        utilities = [
            self.bias + told[closes] + sum(weight * value for weight, value in zip(self.weights, row, strict=True))
            for row, closes in zip(rows, named, strict=True)
        ]
        highest = max([0.0, *utilities])
        shares = [exp(utility - highest) for utility in utilities]
        whole = exp(-highest) + sum(shares)
        return [share / whole for share in shares]


@cache
def weights() -> Weights:
    """The ones Bouncer comes with."""
    return Weights.read(json.loads(resources.files("bot.history").joinpath("weights.json").read_text("utf-8")))
