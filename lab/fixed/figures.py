"""What came of FixedBench's three states: how often each was called fixed, with intervals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.verdicts import FixStatus
from lab.fixed.cases import MERGED
from lab.fixed.hidden_tests import FIXED, NOT_FIXED
from lab.fixed.states import FAILING, STAGES
from lab.scores.abstention import NOVEL, PARTIAL, RESOLVED
from lab.scores.counts import Rate, rate

BY_TEXT, MINUS, CEILING = "the report's text", "head minus fix", "the fix's own tests"
ALL = "all"


@dataclass(frozen=True, slots=True)
class StateRow:
    """basis: what decided. stage: `says right` (covered) or `exception alone`. fixed: how often the state was called
    fixed. statuses: how often each status was given."""

    basis: str
    stage: str
    repository: str
    state: str
    fixed: Rate
    statuses: Mapping[str, int]


def state_rows(answers: Sequence[Mapping[str, Any]]) -> list[StateRow]:
    """By the report's text, for each repository too; then the two ceilings, where they were run."""
    rows: list[StateRow] = []
    for stage in FAILING:
        covered = [answer for answer in answers if answer["stage"] == stage]
        rows += _rows(BY_TEXT, stage, ALL, [answer["runs"] for answer in covered], FixStatus.ALREADY_FIXED)
        for repository in sorted({answer["repository"] for answer in covered}):
            mine = [answer["runs"] for answer in covered if answer["repository"] == repository]
            rows += _rows(BY_TEXT, stage, repository, mine, FixStatus.ALREADY_FIXED)
        minus = [answer["minus"] for answer in covered if answer.get("minus")]
        rows += _rows(MINUS, stage, ALL, minus, FixStatus.ALREADY_FIXED)
        tested = [answer["tests"] for answer in covered if answer["tests"].get(NOVEL) == NOT_FIXED]
        rows += _rows(CEILING, stage, ALL, tested, FIXED)
    return rows


def _rows(basis: str, stage: str, repository: str, runs: Sequence[Mapping[str, str]], fixed: str) -> list[StateRow]:
    found = []
    for name in (NOVEL, RESOLVED, MERGED, PARTIAL):
        seen = Counter(status for each in runs for state, status in each.items() if state.split(" ")[0] == name)
        if seen:
            statuses = dict(sorted(seen.items()))
            found.append(StateRow(basis, stage, repository, name, rate(seen[fixed], seen.total()), statuses))
    return found


def stages(answers: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """How far the reports of each repository came, and all of them."""
    names = (*sorted({answer["repository"] for answer in answers}), ALL)
    found = {}
    for name in names:
        own = Counter(answer["stage"] for answer in answers if name in (answer["repository"], ALL))
        found[name] = {stage: own[stage] for stage in STAGES}
    return found
