"""Which commands run tests."""

from bot.pulls.trajectories.shell import pipelines
from bot.pulls.trajectories.steps import runs_tests
from tests.support.cases import cases


@cases
def test_runs_tests(line: str) -> None:
    assert any(runs_tests(command) for commands in pipelines(line) for command in commands)


@cases
def test_runs_none(line: str) -> None:
    assert not any(runs_tests(command) for commands in pipelines(line) for command in commands)
