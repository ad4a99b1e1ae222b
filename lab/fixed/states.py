"""FixedBench's three states, from real repositories: does Bouncer see by running what a report shows that it is fixed?

The commit that a fix was made from is the revision that its report is about, and the head is one of (FixedBench,
section 2.3)

- Novel: that very commit. A report is *covered* where its reproductions fail there as reported and the report says, of
  each of them, what should come instead (`bot.already_fixed.reading.expectations`): only then can running decide. What
  other states give never counts for it. Reports that show an exception, or no end, and say no more have rows of their
  own: there it can be seen that what went wrong is gone, no more. Where a report shows an output and does not say what
  it should be, no other state is run; it is called possibly fixed at most.
- Resolved: with the fix's patch. It should be called fixed. Without the tests that came with it, as the paper has it:
  the project's own tests then still hold what the fix changed. Merged is the same with them, as a repository has it.
- Partial: with a model's patch that did not resolve it (without those that were picked by the tests, and without those
  that leave the code alone by the paper's appendix A). It must not be called fixed.

Reproductions are made from the report's text alone, without a model and without history. The ceiling: the tests that
came with the fix; and *head minus fix*, for which no other revision is known and history gives the state's own patch as
the candidate, whose message names the issue. So a Partial counts there that says of itself that it is the fix.
All runs in the sandbox, on this machine's Python (`lab.fixed.recipes`). What does not run there is not covered.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.project import project_of
from bot.already_fixed.reading.blocks import pieces
from bot.already_fixed.reading.expectations import tells_right
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.revisions import RevisionSource, tree
from bot.already_fixed.run_at_revisions import examine
from bot.already_fixed.values import Failure, FixedFacts, Reproduction, Seen
from bot.history.values import Candidate
from bot.issues.parse import parse
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.verdicts import FixStatus
from lab.fixed.cases import MERGED, FixedCase, case
from lab.fixed.recipes import FIXED, NOT_FIXED, hidden_tests, says
from lab.scores.abstention import NOVEL, PARTIAL, RESOLVED
from lab.scores.counts import Rate, rate

SECONDS = 600.0  # for one look at one state
REPORT = 1800.0  # for all looks at one report; states that come later are left out
EACH = 60.0  # for one run of one reproduction, so that a busy machine does not decide
NONE, ELSE, OUTPUT, GONE, RIGHT = "nothing to run", "not as reported", "output alone", "exception alone", "says right"
STAGES = (NONE, ELSE, OUTPUT, GONE, RIGHT)  # how far a report came, from nothing to covered
FAILING = (RIGHT, GONE)  # whose other states are run


@dataclass(frozen=True, slots=True)
class Looking:
    """partials: patches of one report, at most. telling: run only reports whose text alone says what is right."""

    partials: int
    telling: bool


def state_answer(
    row: dict[str, Any], repository: Path, place: Path, looking: Looking, executor: Executor, settings: Settings
) -> dict[str, Any]:
    """What was seen of one report, as it is kept. repository: its git directory. place: where states may be made."""
    began = time.monotonic()
    answer: dict[str, Any] = {"id": row["instance_id"], "repository": row["repo"], "stage": NONE, "why": ""}
    answer |= {"runs": {}, "says": {}, "tests": {}}
    made = case(row, repository, place, looking.partials)
    if made is None:
        return answer | {"why": "the fix's patch cannot be applied"}
    if looking.telling and (kind := _by_text(made)) != RIGHT:
        return answer | {"stage": kind, "why": "by its text alone"}
    for state in made.states:
        left = REPORT - (time.monotonic() - began)
        if left <= 0:
            break
        facts = _look(made, state, min(SECONDS, left), executor, settings)
        fixed = decide_fixed(facts)
        answer["runs"][state], answer["says"][state] = fixed.status.value, list(fixed.reasons)
        if state == NOVEL:
            answer |= {"stage": stage_of(facts), "why": _why(facts, made.text.body)}
            if answer["stage"] not in FAILING:
                break
    return answer | {"seconds": round(time.monotonic() - began, 1)}


def wants_ceiling(answer: dict[str, Any]) -> bool:
    """Whether it fails at the base as reported and has no ceiling yet."""
    return bool(answer["runs"]) and answer["stage"] in FAILING and "minus" not in answer


def with_ceiling(
    answer: dict[str, Any],
    row: dict[str, Any],
    repository: Path,
    place: Path,
    looking: Looking,
    executor: Executor,
    settings: Settings,
) -> dict[str, Any]:
    """The same answer with what the fix's own tests say, and head minus fix."""
    made = case(row, repository, place, looking.partials)
    if made is None:
        return answer
    return answer | {"minus": _minus(made, executor, settings), "tests": _tested(made, executor, settings)}


def _look(made: FixedCase, state: str, seconds: float, executor: Executor, settings: Settings) -> FixedFacts:
    repository = RevisionSource(made.directory, made.states[state], made.states[NOVEL], owner=made.repository)
    return examine(parse(made.text), repository, (), executor, made.policy, settings, seconds=seconds, each=EACH)


def _minus(made: FixedCase, executor: Executor, settings: Settings) -> dict[str, str]:
    """The statuses by the patch taken out of the head, where history says that it is about the report."""
    found = {}
    for state, head in made.states.items():
        if state != NOVEL:
            fix = Candidate(head, "A fix", made.created, 1.0, (), True, None, None, (), likely=True)
            repository = RevisionSource(made.directory, head, owner=made.repository)
            report, policy = parse(made.text), made.policy
            facts = examine(report, repository, (fix,), executor, policy, settings, seconds=SECONDS, each=EACH)
            found[state] = decide_fixed(facts).status.value
    return found


def stage_of(facts: FixedFacts) -> str:
    """How far it came at the base, and whether the report can decide."""
    failing = [trial.reproduction for trial in facts.trials if trial.head and trial.head.seen is Seen.AS_REPORTED]
    return _kind(failing, ELSE if facts.trials else NONE)


def _by_text(made: FixedCase) -> str:
    """The same by the report's text, as if all that it shows failed at the base."""
    base, report = made.states[NOVEL], parse(made.text)
    with tree(RevisionSource(made.directory, base), base) as place:
        found = extract(report.visible_title, report.visible_text, project_of(place))
    return _kind(found.reproductions, NONE)


def _kind(shown: Sequence[Reproduction], none: str) -> str:
    silent = [one for one in shown if not one.variant_of and not tells_right(one)]
    if not shown:
        return none
    if not silent:
        return RIGHT
    return OUTPUT if any(one.expectation.failure is Failure.PRINTS for one in silent) else GONE


def _why(facts: FixedFacts, text: str) -> str:
    """Why it is not covered; of what is, what was seen."""
    own = (trial for trial in facts.trials if trial.head and not trial.reproduction.variant_of)
    says = " / ".join(dict.fromkeys(f"{trial.head.seen}: {trial.head.says}" for trial in own if trial.head))
    if facts.problem or says:
        return facts.problem or says
    if facts.unread:
        return f"it shows a failure of {facts.unread[0]}, which cannot be run"
    return "it shows nothing to run, though code" if any(each.code for each in pieces(text)) else "it shows no code"


def _tested(made: FixedCase, executor: Executor, settings: Settings) -> dict[str, str]:
    """What the fix's own tests say of each state; of nothing but the base where they do not fail there."""
    found: dict[str, str] = {}
    for state, sha in made.states.items() if made.tests else ():
        found[state] = _run_tests(made, sha, executor, settings)
        if found[NOVEL] != NOT_FIXED:
            break
    return found


def _run_tests(made: FixedCase, sha: str, executor: Executor, settings: Settings) -> str:
    given = made.policy, made.files, made.tests
    return says(hidden_tests(made.directory, sha, made.repository, *given, executor, settings))


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
