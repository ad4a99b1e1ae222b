"""How likely each change is the fix: a conditional logit over the changes and one more choice, that none of them is.

    p(i) = exp(u_i) / (1 + sum_j exp(u_j)),  u_i = bias + weights . features_i

(McFadden 1974). `lab/training/fixed_search.py` fits the weights; what they give is measured by repository, each
with weights that have not seen it (`lab/benchmarks/fixed_search.py`). Pure.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from math import exp, log
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

TRACED = (  # what git says of the best ones, `traced.Traced.features`
    *("code in tests", "longer code in tests", "words in message", "title in message", "words in notes"),
    *("longer words in notes", "names picked", "line changed"),
)
LIKELY = ("bias", "log odds", "lead")  # what decides whether a change is called a likely fix

_LEAST = 0.001  # a probability below is none


@dataclass(frozen=True, slots=True)
class SearchWeights:
    """weights, traced, likely: by feature. cut: the probability from which a change is called a likely fix. mentions,
    closes: what it counts that a change names the report's number, or says that it closes it; related: that it says so
    of a report with the same symptoms, half where it only names one. These three are set, not fitted."""

    bias: float
    weights: tuple[float, ...]
    cut: float
    mentions: float
    closes: float
    related: float
    traced: tuple[float, ...]
    likely: tuple[float, ...]

    @classmethod
    def read(cls, raw: dict[str, Any]) -> "SearchWeights":
        """From the JSON the training writes."""
        named = {"weights": FEATURES, "traced": TRACED, "likely": LIKELY}
        ordered = {key: tuple(raw[key][name] for name in names) for key, names in named.items()}
        return cls(**{each.name: ordered.get(each.name, raw[each.name]) for each in fields(cls)})

    def told(self, closes: bool | None, related: bool | None = None) -> float:
        """What it counts whether a change says that it closes the report, and one with the same symptoms; `None` where
        it does not name it."""
        own = {None: 0.0, False: self.mentions, True: self.closes}[closes]
        return max(own, {None: 0.0, False: self.related / 2, True: self.related}[related])

    def probabilities(self, rows: Sequence[Sequence[float]], told: Sequence[float]) -> list[float]:
        """One for each row of features; together at most 1. told: what the naming of numbers counts for each."""
        utilities = [
            self.bias + said + sum(weight * value for weight, value in zip(self.weights, row, strict=True))
            for row, said in zip(rows, told, strict=True)
        ]
        highest = max([0.0, *utilities])
        shares = [exp(utility - highest) for utility in utilities]
        whole = exp(-highest) + sum(shares)
        return [share / whole for share in shares]

    def moved(self, chances: Sequence[float], traced: Sequence[Sequence[float] | None]) -> list[float]:
        """The probabilities once git was asked; `None` where it was not. That none is the fix keeps its weight."""
        none = max(1 - sum(chances), 1e-12)
        shares = [
            chance * exp(sum(weight * value for weight, value in zip(self.traced, row, strict=True))) if row else chance
            for chance, row in zip(chances, traced, strict=True)
        ]
        whole = none + sum(shares)
        return [share / whole for share in shares]

    def calls(self, chance: float, chances: Sequence[float]) -> bool:
        """Whether a change is called a likely fix, by a logistic regression over what `standing` gives."""
        utility = sum(weight * value for weight, value in zip(self.likely, standing(chance, chances), strict=True))
        return 1 / (1 + exp(-utility)) >= self.cut


def standing(chance: float, chances: Sequence[float]) -> tuple[float, ...]:
    """How a change stands among all, in the order of `LIKELY`: by its probability, and by how far it is ahead of the
    best one beside it."""
    first, second = (*sorted(chances, reverse=True), 0.0, 0.0)[:2]
    own, other = (min(max(share, _LEAST), 1 - _LEAST) for share in (chance, second if chance == first else first))
    return 1.0, log(own / (1 - own)), log(own / other)


@cache
def weights() -> SearchWeights:
    """The ones Bouncer comes with."""
    return SearchWeights.read(json.loads(resources.files("bot.history").joinpath("weights.json").read_text("utf-8")))
