"""Which commands run tests."""

from bot.pulls.trajectories.steps import steps_of
from bot.pulls.trajectories.values import StepKind
from tests.support.cases import cases


@cases
def test_runs_tests(line: str) -> None:
    assert StepKind.TEST in {step.kind for step in steps_of(line, "")}


@cases
def test_runs_none(line: str) -> None:
    assert StepKind.TEST not in {step.kind for step in steps_of(line, "")}
