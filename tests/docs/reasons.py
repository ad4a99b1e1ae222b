"""The first reason of a verdict on a pull request, as each rule gives it in the table of the tests of deciding."""

from typing import Any

from bot.pulls.decide import PullGround, ground_of
from bot.rendering.pull_reasons import reasons
from tests.pulls import test_decide
from tests.pulls.results import decided, known

# Their sentence is another's: of what could not be read or run, of a risk or a maintainer.
QUOTED = ("could not be read", "not executed", "cannot be judged", "named risk", "upheld by a maintainer")
NEEDS_NOTHING = ("red to green", "fixed already, and left alone", "fixed already, and nothing broke")


def reasons_told() -> set[str]:
    """Each sentence of a rule that has one of its own."""
    [rows] = [mark.args[1] for mark in test_decide.test_the_table.pytestmark if mark.name == "parametrize"]
    told, grounds = set(), set()
    for differs, _, _ in rows:
        given: dict[str, Any] = {"review": test_decide.YES, "patch": test_decide.PLAUSIBLE, **differs}
        grounds.add(ground := ground_of(known(**given)))
        if ground not in (*QUOTED, *NEEDS_NOTHING):
            told.add(reasons(decided(**given))[0])
    assert grounds == set(PullGround)
    return told
