"""What is said of files in which no known test noticed anything."""

from collections.abc import Iterable
from pathlib import Path
from unittest.mock import create_autospec

from bot.verification.defects.defect import Defect, DefectKind
from bot.verification.defects.every_file import for_every_file, together
from bot.verification.defects.runs import Broken, TimedRuns, Watched
from bot.verification.patch_evidence import Control, Proof
from bot.verification.syntax import Function
from bot.verification.values import Program, Suite, TestRun
from tests.support.cases import cases

HEAD = Watched(Program(Path("/"), {}), Suite(), TestRun((), 1.0))


@cases
def test_every_file_is_asked_about(
    found: Proof, answers: list[bool | None], kind: DefectKind, proof: Proof, unnoticed: list[int], late: bool
) -> None:
    """found: what the control came to, by `seen.py` where it is proved. answers: of all tests, of one file after the
    other; `None` for want of time."""
    left = iter(answers)
    runs = create_autospec(TimedRuns, instance=True)

    def any_notices(asked: Iterable[tuple[Watched, Broken]]) -> bool | None:
        ((_, broken),) = asked
        assert broken
        return next(left)

    runs.any_notices.side_effect = any_notices
    places = [Function(path, "f", 1, 2) for path in ("seen.py", *(f"{number}.py" for number in range(len(answers))))]
    touched = {each: [Defect(each.path, (0, 0), b"0", kind, each, "")] for each in places}
    known = Control(found, ("seen.py:f",) if found is Proof.PROVED else ())
    if found is not Proof.PROVED:
        del touched[places[0]]
    control = for_every_file(known, touched, runs, [HEAD])
    assert next(left, "all were asked") == "all were asked"
    assert (control.proof, control.unnoticed) == (proof, tuple(f"{number}.py:f" for number in unnoticed))
    assert ("time" in control.why) is late


@cases
def test_two_controls_of_one_change(one: Proof, other: Proof, both: Proof, named: str) -> None:
    found = together(Control(one, ("a",), ("a",)), Control(other, ("b",), ("b",)))
    assert (found.proof, *map("".join, (found.broken, found.unnoticed))) == (both, named, named)
