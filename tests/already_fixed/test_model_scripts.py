"""Which of a model's scripts may be run."""

from bot.already_fixed.model_scripts import MOST, accepted
from bot.already_fixed.project import Project
from bot.already_fixed.values import Expectation, Failure
from bot.judges.code import Shows, Sketch
from bot.judges.protocol import Answered
from tests.support.cases import cases

REPORT = "half() of nothing raises a TypeError, and half(3) gives 1 instead of 1.5."
PROJECT = Project(frozenset({"halves"}))
RAISES = Sketch("of nothing raises a TypeError", "import halves\nhalves.half(None)", Shows.RAISES, "TypeError")
ASSERTS = Sketch("half(3) gives 1 instead of 1.5", "from halves import half\nassert half(3) == 1.5", Shows.ASSERTS)


def of(*sketches: Sketch) -> tuple[Expectation, ...]:
    return tuple(one.expectation for one in accepted(Answered(sketches, "some-model"), REPORT, PROJECT))


def test_what_quotes_the_report_and_uses_the_project_may_run() -> None:
    assert of(RAISES, ASSERTS) == (
        Expectation(Failure.RAISES, "TypeError"),
        Expectation(Failure.RAISES, "AssertionError"),
    )


@cases
def test_anything_else_may_not(sketch: Sketch) -> None:
    assert of(sketch) == ()


def test_there_are_only_so_many() -> None:
    assert len(of(*[RAISES] * 10)) == MOST


@cases
def test_what_it_asserts_is_the_reports_word_or_its_own(clause: str, asserted: str, stated: bool) -> None:
    sketch = Sketch(clause, f"from halves import half\nassert {asserted}", Shows.ASSERTS)
    (one,) = accepted(Answered((sketch,), "some-model"), REPORT, PROJECT)
    assert (one.stated, one.may_fail) == (stated, True)
