"""How far an issue is within a coding agent's reach: what moves the guess, and what it asks for."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.issues.agent_reach import CHECK, WEIGHTS, AgentPast, packaged, reach
from bot.issues.decide import decide_issue
from bot.issues.parse import parse
from bot.rendering.issue_page import issue_page
from bot.rendering.issue_view import issue_json, verdict_view
from bot.reports import IssueText
from bot.verdicts import Decision, IssueKind, Item, SpecificationLabel, State
from tests.issues.builders import facts, judgement, policy, report
from tests.support.cases import cases

WELL, REASONABLY, VAGUE, IMPOSSIBLE = SpecificationLabel
REACH = policy(issues={"labels": {"within_reach": "reach"}})
NOTHING_PAST = AgentPast()
SOME = {"prose_words": 80.0, "code_lines": 10.0}


def chance(
    features: dict[str, float], label: SpecificationLabel | None = None, past: AgentPast = NOTHING_PAST
) -> float:
    answer = judgement(label=label, judge="gpt-4.1 with issue-specification/1") if label else None
    return reach(features, answer, past).chance


def test_what_moves_the_guess_as_it_was_measured() -> None:
    typical = chance(SOME)
    assert chance(SOME | {"prose_words": 300.0}) > typical
    assert chance(SOME | {"code_lines": 200.0}) < typical
    assert chance(SOME | {"source_files": 1.0}) > typical
    assert chance(SOME | {"source_files": 3.0}) == chance(SOME | {"source_files": 30.0})
    labels = [chance(SOME, label) for label in SpecificationLabel]
    assert labels == sorted(labels, reverse=True)
    assert labels[0] > typical > labels[-1]


def test_an_offline_judges_label_is_no_models() -> None:
    offline = reach(SOME, judgement(label=VAGUE, judge="offline/2"), NOTHING_PAST)
    assert offline == reach(SOME, None, NOTHING_PAST)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_repositorys_past_moves_it_the_way_it_went(merged: int, unmerged: int) -> None:
    found, typical = chance(SOME, past=AgentPast(merged, unmerged)), chance(SOME)
    assert (found > typical) is (merged > unmerged)
    assert 0 < found < 1


def test_a_few_pull_requests_move_it_little() -> None:
    typical = chance(SOME)
    assert chance(SOME, past=AgentPast(1, 0)) - typical < 0.05


def test_names_of_source_files_and_lines_of_code_are_counted() -> None:
    code = "import app\napp.save()\nprint(app.name)"
    text = f"It fails in `src/app/save.py` and in src/app/save.py too, see lib/Menu.tsx.\n\n```python\n{code}\n```\n"
    counted = parse(IssueText("Saving fails in save.py", text)).features
    assert (counted["source_files"], counted["code_lines"]) == (2.0, 3.0)
    assert parse(IssueText("t", "Read docs.pylons.org and main.pyramid.")).features["source_files"] == 0


@cases
def test_only_a_clear_issue_to_work_on_is_guessed_about(
    probability: float, kind: IssueKind, asked_for: bool, found: int
) -> None:
    said = {Item.OBSERVED: "Saving crashes", Item.GOAL: "it should save", Item.SUBJECT: "saving"}
    shown = report(kind=kind, features=SOME, items=said | ({Item.STEPS: None} if kind is IssueKind.BUG else {}))
    given = facts(judgement=judgement(probability, kind=kind), report=shown)
    verdict = decide_issue(given, REACH if asked_for else policy())
    assert sum(line.check == CHECK for line in verdict.evidence) == found
    assert found or not verdict.within_reach


def test_the_evidence_says_that_it_is_a_guess_and_from_what() -> None:
    verdict = decide_issue(facts(judgement=judgement(0.01), past=AgentPast(7, 3)), REACH)
    (line,) = (line for line in verdict.evidence if line.check == CHECK)
    assert "a guess from how it is written, and agents' pull requests here (7 of 10 merged)" in line.found


@cases
def test_a_held_report_that_names_no_place_is_asked_for_it(
    features: dict[str, float], labels: dict[str, str], most: int, asks: bool
) -> None:
    rules = policy(issues={"labels": labels, "max_questions": most})
    verdict = decide_issue(facts(report=report(features=features)), rules)
    assert verdict.decision is Decision.BOUNCE
    asked = [question.item for question in verdict.questions]
    assert (Item.SUBJECT in asked) is asks
    assert len(asked) <= most
    assert asked[-1] is Item.SUBJECT or not asks, "what holds the issue comes first"


def test_it_never_holds_an_issue() -> None:
    given = facts(judgement=judgement(0.01), report=report(features={"code_lines": 1e6}), past=AgentPast(0, 10_000))
    assert decide_issue(given, REACH).decision is Decision.ACCEPT


def test_weights_are_read_as_they_are_written() -> None:
    raw = {"made_by": "x", "issues": 3, "intercept": 1.0, "features": {"prose": [2.0, 0.5, 0.1]}, "cut": 0.0}
    assert WEIGHTS.validate_python(raw).score({"prose": 3.0}) == pytest.approx(1.2)
    assert WEIGHTS.validate_python(raw).score({}) == 1.0
    assert set(packaged().features) == {"prose", "code", "files", "label"}


def test_page_terminal_and_json_say_the_same() -> None:
    verdict = decide_issue(facts(judgement=judgement(0.01), past=AgentPast(7, 3)), REACH)
    (line,) = (line for line in verdict.evidence if line.check == CHECK)
    page = issue_page(verdict, state=State.ACTIVE, held=False, left_alone="")
    assert line.found in [shown.found for shown in page.evidence]
    assert line.found in [shown["found"] for shown in issue_json(verdict)["evidence"]]
    console = Console(width=400, record=True, file=StringIO())
    console.print(verdict_view(verdict))
    assert line.found in console.export_text()
