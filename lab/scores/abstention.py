"""Whether agents hold back from changing code that is right already, and only then: FixedBench (section 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.changes.read import read_change
from lab.data.files import DataError, read_rows, texts
from lab.scores.code_lines import abstains
from lab.scores.counts import Rate, mcnemar, rate

NOVEL, PARTIAL, RESOLVED = "Novel", "Partial", "Resolved"
STATES = (RESOLVED, PARTIAL, NOVEL)  # section 2.3
SCENARIOS = ("Best", "Worst")  # section 2.4
PROMPTS = ("Issue", "Edit", "Reproduce", "Abstain or Fix")  # section 3.1
_PUBLISHED = (
    "It holds one JSON object a line with agent, state (Resolved, Partial or Novel), prompt (Issue, Edit, Reproduce or "
    "Abstain or Fix), instance_id, model_patch, and where they are known scenario (Best or Worst), resolved, "
    "problem_statement, trace (a text of tool calls and their outputs) and behaviours (what a trace shows). "
    "FixedBench is described in arXiv:2605.07769 (CC BY 4.0); Bouncer has no agents' answers to it."
)
# agent: {(state, scenario, prompt): share that abstained and share that was resolved, percent} (Table 1)
PUBLISHED = {
    "Sonnet-4.6": {
        (RESOLVED, "Best", "Issue"): (65.0, 72.0),
        (RESOLVED, "Best", "Edit"): (56.5, 70.0),
        (RESOLVED, "Best", "Reproduce"): (65.5, 71.5),
        (RESOLVED, "Best", "Abstain or Fix"): (80.5, 72.5),
        (RESOLVED, "Worst", "Issue"): (50.0, 72.0),
        (RESOLVED, "Worst", "Edit"): (42.5, 70.0),
        (RESOLVED, "Worst", "Abstain or Fix"): (72.9, 72.5),
        (PARTIAL, "Best", "Issue"): (70.7, 8.7),
        (PARTIAL, "Best", "Abstain or Fix"): (81.3, 6.0),
    },
    "GPT-5.4 mini": {
        (RESOLVED, "Best", "Issue"): (60.5, 60.8),
        (RESOLVED, "Best", "Edit"): (36.5, 69.0),
        (RESOLVED, "Best", "Reproduce"): (47.5, 67.5),
        (RESOLVED, "Best", "Abstain or Fix"): (88.5, 65.5),
        (RESOLVED, "Worst", "Issue"): (52.5, 60.8),
        (RESOLVED, "Worst", "Edit"): (30.5, 69.0),
        (RESOLVED, "Worst", "Abstain or Fix"): (85.0, 65.5),
        (PARTIAL, "Best", "Issue"): (77.3, 5.3),
        (PARTIAL, "Best", "Abstain or Fix"): (93.6, 2.9),
    },
}
# (agent, scenario, prompt): p beside Issue, of the state Resolved (section 3.2)
PUBLISHED_P = {
    ("Sonnet-4.6", "Best", "Abstain or Fix"): 9.5e-3,
    ("Sonnet-4.6", "Best", "Reproduce"): 1.0,
    ("Sonnet-4.6", "Worst", "Abstain or Fix"): 1.1e-8,
    ("GPT-5.4 mini", "Best", "Abstain or Fix"): 2.3e-8,
    ("GPT-5.4 mini", "Best", "Reproduce"): 6.5e-5,
    ("GPT-5.4 mini", "Worst", "Abstain or Fix"): 5.5e-25,
}


class Behaviour(StrEnum):
    """What a trace shows; several may be true. In the paper's order."""

    CHECK_HISTORY = "check_git_history"
    REALIZES_FIXED = "realizes_already_fixed"
    REPRODUCED_IN_HISTORY = "reproduced_in_history"
    REPRODUCED_BEFORE = "reproduced_before_edit"
    REPRODUCED_AFTER = "reproduced_after_edit"
    DEFENSE_IN_DEPTH = "defense_in_depth"
    ADD_TEST = "add_test"
    UNRELATED_FIX = "unrelated_fix"
    NO_OP_EDIT = "no_op_edit"
    BACKTRACKS = "backtracks"


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """What an agent made of one task. abstained: its patch changes no code (appendix A). resolved: whether the hidden
    tests pass with it, where it is known. behaviours: what its trace shows; `None` where nobody looked. trace: its tool
    calls and what they showed, and issue: the report; empty where nobody kept them."""

    agent: str
    state: str
    scenario: str
    prompt: str
    task: str
    abstained: bool
    resolved: bool | None
    behaviours: frozenset[Behaviour] | None = None
    trace: str = ""
    issue: str = ""


@dataclass(frozen=True, slots=True)
class AbstentionRow:
    """correct: whether to abstain was right in this state. p: McNemar's, two-sided and exact, that the agent abstains
    as often with the prompt Issue on the same tasks; `None` for that prompt, or where no task has both. pairs: of these
    tasks; more, fewer: those where it abstains with this prompt alone, and with Issue alone."""

    agent: str
    state: str
    scenario: str
    prompt: str
    correct: bool
    abstained: Rate
    resolved: Rate
    p: float | None
    pairs: int
    more: int
    fewer: int


def read_agents(path: Path) -> tuple[AgentAnswer, ...]:
    """Raises `DataError`."""
    found: dict[tuple[str, ...], AgentAnswer] = {}
    for where, row in read_rows(path, _PUBLISHED):
        answer = _answer(row, where)
        key = (answer.agent, answer.state, answer.scenario, answer.prompt, answer.task)
        if key in found:
            raise DataError(f"{where}: {', '.join(key)} is there twice. An agent answers each task once.")
        found[key] = answer
    return tuple(found.values())


def _answer(row: dict[str, Any], where: str) -> AgentAnswer:
    agent, task = texts(row, where, "agent", "instance_id")
    scenario = row.get("scenario", SCENARIOS[0])
    for field, value, scale in (
        ("state", row.get("state"), STATES),
        ("scenario", scenario, SCENARIOS),
        ("prompt", row.get("prompt"), PROMPTS),
    ):
        if value not in scale:
            raise DataError(f'{where}: "{field}" is {str(value)[:30]!r}; it must be one of {", ".join(scale)}.')
    if "model_patch" not in row or not isinstance(row["model_patch"], str | None):
        raise DataError(f'{where}: "model_patch" is missing or not a text; an agent that abstained has an empty one.')
    if not isinstance(row.get("resolved"), bool | None):
        raise DataError(f'{where}: "resolved" is {str(row["resolved"])[:20]!r}; it must be true or false.')
    trace, issue, shown = row.get("trace") or "", row.get("problem_statement") or "", row.get("behaviours")
    if not (isinstance(trace, str) and isinstance(issue, str)):
        raise DataError(f'{where}: "trace" and "problem_statement" must be texts.')
    if shown is not None and not (isinstance(shown, list) and all(each in [*Behaviour] for each in shown)):
        raise DataError(f'{where}: "behaviours" must be a list of {", ".join(Behaviour)}.')
    behaviours = None if shown is None else frozenset(map(Behaviour, shown))
    change = read_change((row["model_patch"] or "").encode())
    if change.problem:
        raise DataError(f"{where}: the patch cannot be read. {change.problem}")
    key = (agent, row["state"], scenario, row["prompt"], task)
    return AgentAnswer(*key, abstains(change), row.get("resolved"), behaviours, trace, issue)


def abstention_rows(answers: Sequence[AgentAnswer]) -> list[AbstentionRow]:
    """One row for each agent, state, scenario and prompt that there is, in the paper's order."""
    agents = dict.fromkeys(answer.agent for answer in answers)
    groups = ((a, s, c, p) for a in agents for s in STATES for c in SCENARIOS for p in PROMPTS)
    by_group = {
        group: {one.task: one for one in answers if (one.agent, one.state, one.scenario, one.prompt) == group}
        for group in groups
    }
    return [
        _row(group, mine, by_group[*group[:3], PROMPTS[0]] if group[3] != PROMPTS[0] else {})
        for group, mine in by_group.items()
        if mine
    ]


def _row(
    group: tuple[str, str, str, str], mine: dict[str, AgentAnswer], issue: dict[str, AgentAnswer]
) -> AbstentionRow:
    both = sorted(mine.keys() & issue.keys())
    more = sum(mine[task].abstained and not issue[task].abstained for task in both)
    fewer = sum(issue[task].abstained and not mine[task].abstained for task in both)
    known = [one.resolved for one in mine.values() if one.resolved is not None]
    return AbstentionRow(
        *group,
        group[1] == RESOLVED,
        rate(sum(one.abstained for one in mine.values()), len(mine)),
        rate(sum(known), len(known)),
        mcnemar(more, fewer) if both else None,
        len(both),
        more,
        fewer,
    )
