"""Which trajectories are ended for going round in circles, and which are left alone."""

import pytest

from bot.judges.agent.pruning import why_pruned
from bot.judges.steps import AgentStep

CIRCLE = "It gave the same command 3 times without a change in between."
SEARCHES = "Twice it searched 3 times in a row."
EDITS = "Twice it edited one file 3 times in a row without trying it."


def steps(*lines: str) -> list[AgentStep]:
    """`cat a.py`, `edit a.py 1-2`; with a `!` in front it failed."""
    found = []
    for number, line in enumerate(lines, 1):
        command, _, argument = line.removeprefix("!").partition(" ")
        found.append(AgentStep(number, command, argument, "", failed=line.startswith("!")))
    return found


SEARCH = [f"code_search word{number}" for number in range(9)]
EDIT = [f"edit a.py {number}-{number}" for number in range(1, 9)]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], ""),
        (["cat a.py", "cat b.py", "cat a.py"], ""),  # re-reading alone is in half of the runs that pass
        (["cat a.py", "cat a.py", "cat b.py", "cat b.py", "cat c.py", "cat c.py"], ""),
        (["cat a.py", "cat a.py 200-", "cat a.py 400-", "cat a.py 600-"], ""),
        (["cat a.py", "cat b.py", "cat a.py", "cat b.py", "cat a.py"], CIRCLE),
        (["cat a.py", "cat a.py", "edit a.py 1-1", "cat a.py", "cat a.py"], ""),
        (["cat a.py", "cat a.py", "!edit tests/a.py 1-1", "cat a.py"], CIRCLE),
        (["test", "edit a.py 1-1", "test", "edit a.py 1-1", "test", "edit a.py 1-1", "test"], ""),
        (["test", "test", "test"], CIRCLE),
        (["!edit t.py 1-1"] * 3, CIRCLE),
        (["!cat nowhere.py"] * 3, CIRCLE),
        (SEARCH[:3], ""),
        (SEARCH[:5], ""),
        (SEARCH[:6], SEARCHES),
        ([*SEARCH[:3], "cat a.py", *SEARCH[3:5]], ""),
        ([*SEARCH[:3], "cat a.py", *SEARCH[3:6]], SEARCHES),
        ([*SEARCH[:2], "cat a.py", *SEARCH[2:4], "cat b.py", *SEARCH[4:6]], ""),
        (EDIT[:5], ""),
        (EDIT[:6], EDITS),
        ([*EDIT[:3], "test", *EDIT[3:6]], EDITS),
        ([*EDIT[:3], "test", *EDIT[3:5], "test", *EDIT[5:7]], ""),
        ([*EDIT[:3], "edit b.py 1-1", "edit b.py 2-2", "edit b.py 3-3"], ""),
        (["edit a b.py 1-1", "edit a c.py 1-1"] * 3, ""),
        ([line for edit in EDIT for line in (edit, "test")], ""),
    ],
)
def test_what_prunes(lines: list[str], why: str) -> None:
    assert why_pruned(steps(*lines)) == why
    if why:
        assert why_pruned(steps(*lines[:-1])) == ""
