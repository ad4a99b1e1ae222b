"""What a record adds to a verdict: neutral all of it, and nothing where it holds nothing."""

from bot.pulls.trajectories.evidence import evidence
from bot.verdicts import Effect, Evidence

from . import records
from .records import bash, edit, grep, read

A = "/repo/a.py"


def test_the_record_its_smells_and_what_it_shows() -> None:
    actions = (grep(), read(A), read(A), bash("git log -3"), edit(A))
    found = evidence(records.claude(*actions), "runs/s.jsonl")
    assert [item.check for item in found] == [
        "trajectory_read",
        "no_test_smell",
        "no_op_cat_smell",
        "check_git_history",
    ]
    assert {item.effect for item in found} == {Effect.NEUTRAL}
    said = "A record of the agent's work was read: 5 tool calls."
    assert found[0] == Evidence("trajectory_read", Effect.NEUTRAL, said, "runs/s.jsonl", "trajectory")
    assert found[2].found.startswith("Weak: ")
    assert (found[3].quote, found[3].where) == ("git log -3", "trajectory, tool call 4")


def test_what_was_not_read_whole_says_so() -> None:
    cut = records.claude(bash("pytest"), bash("pytest"))[:-40]
    (found,) = evidence(cut, "s.jsonl")
    assert found.found.endswith("2 tool calls. The file breaks off or is damaged; that part was left out.")


def test_nothing_of_what_is_none() -> None:
    for data in (b"", b"{}", b'{"joints": [1]}', b"\0" * 100):
        assert evidence(data, "s.traj") == ()


def test_names_and_commands_are_bounded() -> None:
    long = bash("git log " + "x" * 5_000)
    found = evidence(records.claude(long), "n" * 5_000)
    assert all(len(item.quote) <= 200 for item in found)
