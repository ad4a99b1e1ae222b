"""CrossHair: what it finds is a call and no more, whatever a program prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.protocol import Outcome, Status
from bot.verification.differential import symbolic
from bot.verification.differential.compare import Versions, VisibleCalls
from bot.verification.differential.symbolic import MOST, search
from bot.verification.values import Environment, Program
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP, StandIn

FARE = "def fare(zone, child):\n    return 0 if child else zone * 2\n"


def printing(stdout: bytes = b"", status: Status = Status.EXITED) -> StandIn:
    """An executor whose program printed what it liked."""
    return StandIn(Outcome(status, 1, stdout, b"", {}, 0.1, ()))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is processor time, also where others use the processor."""
    monkeypatch.setattr(symbolic, "STARTING", 90.0)


def versions(executor, original, fix, shown, **more):
    files = ({"solution.py": source.encode()} for source in (original, fix))
    return Versions(executor, *(Program(None, each) for each in files), VisibleCalls(dict.fromkeys(shown), **more))


@cases
def test_a_needle_is_found_and_is_a_call(original: str, fix: str, shown: list[str], expected: str) -> None:
    found = search(versions(BUBBLEWRAP, original, fix, shown), "solution.py", 3.0)
    assert any(call.startswith(expected) for call in found), found


def test_nothing_is_found_between_equal_programs_or_where_one_leaves() -> None:
    for fix in (FARE.replace("zone * 2", "2 * zone"), FARE + "import os\nos._exit(0)\n"):
        assert search(versions(BUBBLEWRAP, FARE, fix, ["fare(20, True)"]), "solution.py", 1.0) == ()


@cases
def test_only_calls_with_literals_are_read(line: str, expected: list[str]) -> None:
    said = f"noise\n{line}\n  searched_original.asked : returns 1\n".encode()
    found = search(versions(printing(said), FARE, FARE, ["fare(1, False)"]), "solution.py", 1.0)
    assert found == tuple(expected)


@given(st.text())
def test_any_output_has_an_answer(text: str) -> None:
    said = f"Given: ({text}),\n{text}".encode(errors="replace")
    assert isinstance(search(versions(printing(said), FARE, FARE, ["fare(1, False)"]), "solution.py", 1.0), tuple)


def test_there_is_an_end_of_calls() -> None:
    said = "".join(f"Given: (p0={n}, p1=True),\n" for n in range(1000)).encode()
    found = search(versions(printing(said), FARE, FARE, ["fare(1, False)"]), "solution.py", 1.0)
    assert len(found) == MOST


@pytest.mark.parametrize("status", [Status.WALL, Status.MEMORY, Status.SANDBOX_ERROR, Status.OUTPUT_LIMIT])
def test_what_was_printed_before_the_end_still_counts(status: Status) -> None:
    said = printing(b"Given: (p0=3, p1=True),\n", status)
    assert search(versions(said, FARE, FARE, ["fare(1, False)"]), "solution.py", 1.0) == ("fare(3, True)",)


@cases
def test_types_are_those_of_the_visible_calls_or_the_annotations(
    parameters: str, shown: list[str], expected: str
) -> None:
    executor, source = printing(), f"def f({parameters}):\n    return 1\n"
    search(versions(executor, source, source + "\n", shown), "solution.py", 1.0)
    assert bool(executor.jobs) is bool(expected)
    sides = [job.files["searched_fix.py"] for job in executor.jobs]
    assert [(side or b"").decode().partition("asked(")[2].partition("):\n")[0] for side in sides] == [expected] * len(
        sides
    )


def test_a_module_of_a_package_stands_beside_itself() -> None:
    executor, files = printing(), {"sea/ferry.py": FARE.encode()}
    both = Program(None, files), Program(None, {"sea/ferry.py": (FARE + "\n").encode()})
    search(Versions(executor, *both, VisibleCalls({"fare(1, True)": None}, "sea.ferry")), "sea/ferry.py", 1.0)
    (job,) = executor.jobs
    assert job.files["sea/fix_beside_it.py"] == both[1].files["sea/ferry.py"]
    assert b"'sea.fix_beside_it'" in (job.files["searched_fix.py"] or b"")
    assert b"'sea.ferry'" in (job.files["searched_original.py"] or b"")


def test_nothing_runs_where_it_is_not_installed_or_another_image_does(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = printing()
    there = Environment(image="projects/own")
    assert search(versions(executor, FARE, FARE, ["fare(1, True)"], environment=there), "solution.py", 1.0) == ()
    monkeypatch.setattr(symbolic, "crosshair_version", str)
    assert search(versions(executor, FARE, FARE, ["fare(1, True)"]), "solution.py", 1.0) == ()
    assert not executor.jobs
