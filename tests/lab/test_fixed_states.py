"""Which reports the benchmark of the three states counts as covered: by the report and the base alone."""

import pytest

from bot.already_fixed.values import Expectation, Failure, FixedFacts, Form, Reproduction, Run, Seen, Trial
from lab.fixed.states import ELSE, GONE, NONE, OUTPUT, RIGHT, stage_of

FAILS, PASSES, NOT = Run(Seen.AS_REPORTED), Run(Seen.PASSES), Run(Seen.CANNOT_RUN)


def shown(failure: Failure, head: Run | None, right: str = "", variant_of: str = "") -> Trial:
    expected = Expectation(failure, right=right)
    return Trial(
        Reproduction("one", Form.SESSION, "half(3)", expected, "the example", variant_of=variant_of), head=head
    )


RAISES, PRINTS = Failure.RAISES, Failure.PRINTS


@pytest.mark.parametrize(
    ("trials", "stage"),
    [
        ((), NONE),
        ((shown(RAISES, PASSES),), ELSE),
        ((shown(RAISES, NOT, "1.5"),), ELSE),
        ((shown(RAISES, None),), ELSE),
        ((shown(RAISES, FAILS, "1.5"),), RIGHT),
        ((shown(PRINTS, FAILS, "1.5"), shown(PRINTS, PASSES)), RIGHT),
        ((shown(RAISES, FAILS, "1.5"), shown(RAISES, FAILS, "", "another")), RIGHT),
        ((shown(RAISES, FAILS),), GONE),
        ((shown(Failure.HANGS, FAILS),), GONE),
        ((shown(PRINTS, FAILS, "1.5"), shown(RAISES, FAILS)), GONE),
        ((shown(PRINTS, FAILS),), OUTPUT),
        ((shown(PRINTS, FAILS), shown(RAISES, FAILS)), OUTPUT),
    ],
)
def test_the_table(trials: tuple[Trial, ...], stage: str) -> None:
    assert stage_of(FixedFacts(trials)) == stage
