"""Whether an issue that says enough is within a coding agent's reach: a guess, from how it is written. Pure.

The paper on Passerine (sections III and VI) finds that what a report holds decides whether an agent can repair a bug,
and proposes to abstain from the others. `lab/training/reach.py` fits three numbers of a report, and a model's label
where there is one, to how many public agents' runs resolved an issue. It is a weak guess (BENCHMARKS.md says how weak):
it orders issues, and holds none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp, log, log1p

from pydantic import TypeAdapter

from bot.judges.protocol import Judgement
from bot.verdicts import Effect, Evidence, Item, Question, SpecificationLabel

CHECK = "agent_reach"
_PRIOR = 5  # merged and unmerged pull requests that a repository counts with before it has any
_MOST_FILES = 3  # named source files that count
_GRADES = {label: float(grade) for grade, label in enumerate(SpecificationLabel)}


@dataclass(frozen=True, slots=True)
class AgentPast:
    """How coding agents' pull requests of a repository ended."""

    merged: int = 0
    unmerged: int = 0


@dataclass(frozen=True, slots=True)
class AgentReach:
    """chance: that an agent's attempt resolves the issue, as public agents of 2023 to 2025 did. likely: it is among the
    third that they resolved most often."""

    chance: float
    likely: bool


@dataclass(frozen=True, slots=True)
class ReachWeights:
    """A logistic regression. features: name -> (mean, spread, weight). cut: where the upper third begins."""

    intercept: float
    features: dict[str, tuple[float, float, float]]
    cut: float

    def score(self, counted: Mapping[str, float]) -> float:
        """The log odds. What is not known counts as typical."""
        return self.intercept + sum(
            weight * (counted[name] - mean) / spread
            for name, (mean, spread, weight) in self.features.items()
            if name in counted
        )


WEIGHTS = TypeAdapter(ReachWeights)  # reads the JSON that the training writes


@cache
def packaged() -> ReachWeights:
    """The weights that come with Bouncer."""
    return WEIGHTS.validate_json(resources.files("bot.issues").joinpath("agent_reach_weights.json").read_bytes())


def reach_features(features: Mapping[str, float], label: SpecificationLabel | None) -> dict[str, float]:
    """What the regression reads. features: of the parsed report. label: a model's; `None` without one."""
    counted = {
        "prose": log1p(features.get("prose_words", 0.0)),
        "code": log1p(features.get("code_lines", 0.0)),
        "files": min(features.get("source_files", 0.0), _MOST_FILES),
    }
    return counted if label is None else counted | {"label": _GRADES[label]}


def reach(features: Mapping[str, float], judgement: Judgement | None, past: AgentPast) -> AgentReach:
    """The guess. past: moves it by what became of the repository's own agents' pull requests."""
    by_model = judgement is not None and " with " in judgement.judge
    score = packaged().score(reach_features(features, judgement.label if judgement and by_model else None))
    score += log((past.merged + _PRIOR) / (past.unmerged + _PRIOR))
    return AgentReach(1 / (1 + exp(-score)), score >= packaged().cut)


def shown(found: AgentReach, past: AgentPast) -> Evidence:
    """The guess as a line of evidence."""
    here = f", and agents' pull requests here ({past.merged} of {past.merged + past.unmerged} merged)"
    stands_on = f"how it is written{here if past.merged + past.unmerged else ''}"
    says = "is among the third that coding agents resolve most often" if found.likely else "is harder than most"
    return Evidence(CHECK, Effect.NEUTRAL, f"For a coding agent this issue {says}: a guess from {stands_on}.")


def enriching(features: Mapping[str, float]) -> Question | None:
    """What would put a report closer to an agent's reach: the place in the project, where it names none."""
    if features.get("source_files") or features.get("concrete"):
        return None
    return Question(Item.SUBJECT, keys=(Item.SUBJECT.value,))
