"""The first reason of a verdict on a pull request, as each rule gives it in the table of the tests of deciding."""

from bot.pulls.decide import PullGround, ground_of
from bot.rendering.pull_reasons import reasons
from tests.pulls import test_decide
from tests.pulls.results import decided, known
from tests.support.cases import tables

# Their sentence is another's: of what could not be read or run, of a risk or a maintainer.
QUOTED = ("could not be read", "not executed", "cannot be judged", "named risk", "upheld by a maintainer")
NEEDS_NOTHING = ("red to green", "fixed already, and left alone", "fixed already, and nothing broke")


def reasons_told() -> set[str]:
    """Each sentence of a rule that has one of its own."""
    told, grounds = set(), set()
    for differs, _, _ in tables(test_decide.TABLE)["test_the_table"]:
        given = test_decide.told(differs)
        grounds.add(ground := ground_of(known(**given)))
        if ground not in (*QUOTED, *NEEDS_NOTHING):
            told.add(reasons(decided(**given))[0])
    assert grounds == set(PullGround)
    return told
