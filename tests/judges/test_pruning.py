"""Which trajectories are ended for going round in circles, and which are left alone."""

from bot.judges.agent.loop import why_pruned
from bot.judges.steps import AgentStep
from tests.support.cases import cases


def steps(*lines: str) -> list[AgentStep]:
    """`cat a.py`, `edit a.py 1-2`; with a `!` in front it failed."""
    found = []
    for number, line in enumerate(lines, 1):
        command, _, argument = line.removeprefix("!").partition(" ")
        found.append(AgentStep(number, command, argument, "", failed=line.startswith("!")))
    return found


@cases
def test_what_prunes(lines: list[str], why: str) -> None:
    assert why_pruned(steps(*lines)) == why
    if why:
        assert why_pruned(steps(*lines[:-1])) == ""
