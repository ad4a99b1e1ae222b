"""The four smells of Passerine, each with what looks like it and is none."""

import pytest

from bot.pulls.trajectories.evidence import read_trajectory
from bot.pulls.trajectories.findings import same_file, smells
from bot.pulls.trajectories.values import SessionStep, StepKind, Trajectory
from bot.verdicts import Effect, Evidence
from tests.support.cases import cases

from . import records
from .records import bash, edit, grep, read

A, B = "/repo/a.py", "/repo/b.py"
TEST = bash("pytest")


def seen(trajectory: Trajectory) -> list[Evidence]:
    return list(smells(trajectory))


def found(*actions: records.Action) -> set[str]:
    return {evidence.check for evidence in smells(read_trajectory(records.claude(*actions)))}


def test_a_good_session_smells_of_nothing() -> None:
    assert not found(grep(), read(A), edit(A), TEST, read(A), bash("git diff"))


def test_every_smell_is_neutral_evidence_in_the_order_of_the_paper() -> None:
    actions = [grep()] * 3 + [read(A)] * 2 + [edit(A)] * 3
    smelled = seen(read_trajectory(records.claude(*actions)))
    assert [one.check for one in smelled] == [
        "no_test_smell",
        "no_op_cat_smell",
        "consecutive_search",
        "consecutive_edits",
    ]
    assert {one.effect for one in smelled} == {Effect.NEUTRAL}
    assert smelled[1] == Evidence(
        "no_op_cat_smell",
        Effect.NEUTRAL,
        "Weak: The agent read a file again once without a change to it in between.",
        A,
        "trajectory, tool call 5",
    )


def test_nothing_is_said_of_an_empty_record() -> None:
    assert not seen(Trajectory(problem="This is no record."))
    assert not seen(Trajectory())


# no test


@pytest.mark.parametrize(
    "command", ["pytest", "cd api && npm test", "timeout 5 go test ./...", "bash -lc 'make check'", "python test_a.py"]
)
def test_a_test_was_run(command: str) -> None:
    assert "no_test_smell" not in found(bash(command))


@pytest.mark.parametrize("command", ["python reproduce.py", "grep -rn pytest .", "pytest --version", "test -f a.py"])
def test_no_test_was_run(command: str) -> None:
    assert "no_test_smell" in found(bash(command))


def test_the_calls_are_counted() -> None:
    def sentence(*actions: records.Action) -> str:
        return seen(read_trajectory(records.claude(*actions)))[0].found

    assert sentence(bash("ls")) == "Weak: The agent ran no test in its one tool call."
    assert sentence(read(A), bash("./a")) == "Weak: The agent ran no test in 2 tool calls."


def test_a_record_that_was_not_read_whole_may_hold_a_test() -> None:
    data = records.claude(read(A))
    assert "no_test_smell" in {one.check for one in smells(read_trajectory(data))}
    assert not seen(read_trajectory(data + b'\n{"type": "assis'))


# a file read again


@cases
def test_a_file_was_read_again(actions: tuple[records.Action, ...]) -> None:
    assert "no_op_cat_smell" in found(*actions, TEST)


@cases
def test_a_file_was_not_read_again(actions: tuple[records.Action, ...]) -> None:
    assert "no_op_cat_smell" not in found(*actions, TEST)


def test_an_edit_that_was_refused_changes_nothing() -> None:
    refused = ("Edit", edit(A)[1], "<tool_use_error>String to replace not found in file.")
    lines = records.claude(read(A), refused, read(A), TEST).replace(b'"is_error": false', b'"is_error": true', 2)
    # the first read and the edit failed now: nothing was shown before the second read
    assert not seen(read_trajectory(lines))
    steps = (
        SessionStep(StepKind.READ, "Read", A, call=0),
        SessionStep(StepKind.EDIT, "Edit", A, failed=True, call=1),
        SessionStep(StepKind.READ, "Read", A, call=2),
        SessionStep(StepKind.TEST, "pytest", call=3),
    )
    assert [one.check for one in smells(Trajectory(steps))] == ["no_op_cat_smell"]


def test_a_file_written_from_elsewhere_may_be_the_same() -> None:
    steps = (
        SessionStep(StepKind.READ, "cat", A, call=0),
        SessionStep(StepKind.EDIT, "sed", "a.py", call=1),
        SessionStep(StepKind.READ, "cat", A, call=2),
        SessionStep(StepKind.TEST, "pytest", call=3),
    )
    assert not seen(Trajectory(steps))


@cases
def test_which_paths_may_name_one_file(one: str, other: str, same: bool) -> None:
    assert same_file(one, other) is same


# three searches


@cases
def test_three_searches_in_a_row(actions: tuple[records.Action, ...]) -> None:
    assert found(*actions, TEST) == {"consecutive_search"}


@cases
def test_no_three_searches_in_a_row(actions: tuple[records.Action, ...]) -> None:
    assert not found(*actions, TEST)


def test_a_note_between_two_searches_is_no_step() -> None:
    note = ("TodoWrite", {"todos": []}, "")
    assert found(grep(), note, grep(), note, grep(), TEST) == {"consecutive_search"}


# three edits of one file


@cases
def test_three_edits_of_one_file_in_a_row(actions: tuple[records.Action, ...]) -> None:
    assert found(*actions, TEST) == {"consecutive_edits"}


@cases
def test_no_three_edits_of_one_file_in_a_row(actions: tuple[records.Action, ...]) -> None:
    assert not found(*actions, TEST)


def test_patches_of_several_files_edit_each_of_them_in_a_row() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Update File: b.py\n@@\n-x\n+y\n*** End Patch"
    line = f"apply_patch <<'E'\n{patch}\nE"
    assert found(bash(line), bash(line), bash(line), TEST) == {"consecutive_edits"}
    assert not found(bash(line), bash(line), TEST)


def test_the_quote_is_short() -> None:
    data = records.claude(*[bash("grep " + "x" * 1000)] * 3, TEST)
    assert len(seen(read_trajectory(data))[0].quote) == 200
