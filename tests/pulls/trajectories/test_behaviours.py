"""The ten behaviours of FixedBench, appendix D, as far as calls and outputs show them."""

import pytest

from bot.pulls.trajectories.evidence import read_trajectory
from bot.pulls.trajectories.findings import behaviours
from bot.pulls.trajectories.values import StepKind
from bot.verdicts import Effect, Evidence
from tests.support.cases import cases

from . import records
from .records import bash, edit, read, write

CODE, OTHER, TESTS = "/repo/src/a.py", "/repo/src/b.py", "/repo/tests/test_a.py"
REPRODUCE = (write("/repo/reproduce.py"), bash("python reproduce.py"))
NEW_TEST = edit(TESTS, "import a\n", "import a\n\n\ndef test_it():\n    assert a.x == 2\n")


def seen(check: str, *actions: records.Action) -> bool:
    return check in {one.check for one in every(*actions)}


def every(*actions: records.Action) -> list[Evidence]:
    return list(behaviours(read_trajectory(records.claude(*actions)).steps))


def test_what_shows_it_can_be_looked_up() -> None:
    (found,) = every(read(CODE), bash("git log -3"))
    assert found == Evidence(
        "check_git_history",
        Effect.NEUTRAL,
        "The agent looked at the history of the repository.",
        "git log -3",
        "trajectory, tool call 2",
    )


def test_they_stand_in_the_order_of_the_paper() -> None:
    actions = (
        NEW_TEST,
        edit(CODE),
        bash("git checkout -- src/a.py"),
        *REPRODUCE,
        bash("git checkout HEAD~3 && pytest"),
    )
    assert [one.check for one in every(*actions, bash("git log"))] == [
        "check_git_history",
        "reproduced_in_historic_codebase",
        "reproduced_before_edit",
        "add_test",
        "backtracks_on_fix",
    ]


def test_an_empty_record_shows_nothing() -> None:
    assert not list(behaviours(()))


# 1


@cases
def test_check_git_history(command: str, expected: bool) -> None:
    assert seen("check_git_history", bash(command)) is expected


# 3


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ((bash("git checkout HEAD~3"), bash("python reproduce.py")), True),
        ((bash("git checkout 4f2a91c && pytest"),), True),
        ((bash("git checkout v1.2.0"), bash("pytest"), bash("git checkout -")), True),
        ((bash("git worktree add ../old HEAD^"), bash("cd ../old && pytest")), True),
        ((bash("git show HEAD~1:src/a.py > /tmp/old.py"), bash("python /tmp/old.py")), True),
        ((bash("git checkout HEAD~3"), bash("ls")), False),
        ((bash("git checkout HEAD~3"), bash("git checkout main"), bash("pytest")), False),
        ((bash("git checkout -b fix"), bash("pytest")), False),
        ((bash("git checkout main"), bash("pytest")), False),
        ((bash("git show HEAD~1:src/a.py"), bash("pytest")), False),
        ((bash("git stash"), bash("pytest"), bash("git stash pop")), False),  # its own change away, no older code
    ],
)
def test_reproduced_in_historic_codebase(actions: tuple[records.Action, ...], expected: bool) -> None:
    assert seen("reproduced_in_historic_codebase", *actions) is expected


# 4 and 5


@pytest.mark.parametrize(
    ("actions", "before", "after"),
    [
        ((*REPRODUCE, edit(CODE)), True, False),
        ((*REPRODUCE,), True, False),
        ((bash("python -c 'import a; a.f()'"), edit(CODE)), True, False),
        ((bash("python - <<'E'\nimport a\nE"), edit(CODE)), True, False),
        ((NEW_TEST, bash("pytest tests/test_a.py::test_it"), edit(CODE)), True, False),  # a test is no main code
        ((write("/tmp/x.py"), bash("python /tmp/x.py"), edit(CODE)), True, False),
        ((edit("/repo/README.md"), *REPRODUCE, edit(CODE)), True, False),
        ((edit(CODE), *REPRODUCE), False, True),
        ((edit(CODE), bash("git checkout -- src/a.py"), *REPRODUCE), True, False),  # taken back before
        ((edit(CODE), bash("git stash"), *REPRODUCE, bash("git stash pop")), True, False),
        ((edit(CODE), bash("git stash"), bash("git stash pop"), *REPRODUCE), False, True),
        ((*REPRODUCE, edit(CODE), bash("python reproduce.py")), True, False),  # only after, says the paper
        ((edit(CODE),), False, False),
        ((read(CODE),), False, False),
        ((bash("pytest"), edit(CODE)), False, False),  # which may have been to reproduce it
        ((edit(CODE), bash("pytest")), False, False),
        ((bash("pytest"), edit(CODE), *REPRODUCE), False, False),
        ((bash("black ."), *REPRODUCE), False, False),  # what that changed is not told
        ((bash("git switch topic"), bash("python -c 'import a'")), False, False),
    ],
)
def test_reproduced_before_or_after_edit(actions: tuple[records.Action, ...], before: bool, after: bool) -> None:
    assert seen("reproduced_before_edit", *actions) is before
    assert seen("reproduced_after_edit", *actions) is after


def test_a_new_module_is_main_code_and_a_script_that_is_run_is_not() -> None:
    module = write("/repo/src/new.py")
    assert seen("reproduced_before_edit", module, bash("python -c 'import new'")) is False
    scratch = (write("/repo/src/new.py"), bash("rm src/new.py"))
    assert seen("reproduced_before_edit", *scratch, bash("python -c 'import new'")) is True


def test_an_edit_that_was_refused_changed_nothing() -> None:
    data = records.claude(edit(CODE), failed=True) + b"\n" + records.claude(*REPRODUCE).replace(b"toolu_", b"toolu_9")
    assert "reproduced_before_edit" in {one.check for one in behaviours(read_trajectory(data).steps)}


# 7


@cases
def test_add_test(path: str, text: str) -> None:
    assert seen("add_test", write(path, text)) is True
    assert seen("add_test", edit(path, "x", f"x\n{text}")) is True
    assert seen("add_test", edit(path, text, f"x\n{text}")) is False


@pytest.mark.parametrize(
    "actions",
    [
        (edit(CODE, "x", "def test_it(): pass"),),
        (edit(TESTS, "assert 1", "assert 2"),),
        (edit(TESTS, "def test_it(): pass", "x = 1"),),
        (write("/tmp/tests/test_a.py", "def test_it(): pass"),),
        (write(TESTS, "def test_it(): pass"), bash("rm tests/test_a.py")),
        (NEW_TEST, bash("git checkout -- tests/test_a.py")),
        (bash("pytest"),),
    ],
)
def test_add_no_test(actions: tuple[records.Action, ...]) -> None:
    assert seen("add_test", *actions) is False


def test_a_test_in_a_here_document_counts() -> None:
    line = "cat >> tests/test_a.py <<'E'\n\ndef test_it():\n    pass\nE"
    assert seen("add_test", bash(line)) is True


def test_a_file_of_tests_changed_in_a_way_that_is_not_told() -> None:
    assert seen("add_test", bash("sed -i s/1/2/ tests/test_a.py")) is False
    assert seen("add_test", read(TESTS), write(TESTS, "def test_it(): pass")) is False


# 10


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ((edit(CODE), bash("git checkout -- src/a.py")), True),
        ((edit(CODE), bash("git checkout src/a.py")), True),
        ((edit(CODE), bash("git restore .")), True),
        ((edit(CODE), bash("git checkout .")), True),
        ((edit(CODE), bash("git reset --hard")), True),
        ((edit(CODE), bash("git reset --hard HEAD")), True),
        ((edit(CODE), bash("git stash")), True),
        ((edit(CODE, "x", "y"), edit(CODE, "y", "x")), True),
        ((edit(CODE), ("str_replace_editor", {"command": "undo_edit", "path": CODE}, "")), True),
        ((write("/repo/src/new.py"), edit(CODE), bash("git checkout -- src/a.py")), True),
        ((edit(CODE), bash("git stash"), bash("pytest"), bash("git stash pop")), False),
        ((edit(CODE), bash("git checkout -- src/b.py")), False),
        ((edit(CODE), bash("git checkout -b fix")), False),
        ((edit(CODE), bash("git reset HEAD src/a.py")), False),
        ((edit(CODE, "x", "y"), edit(CODE, "y", "z")), False),
        ((edit(CODE, "x", "y"), edit(OTHER, "y", "x")), False),
        ((edit(TESTS), bash("git checkout -- tests/test_a.py")), False),
        ((*REPRODUCE, bash("rm reproduce.py")), False),
        ((read(CODE),), False),
        ((edit(CODE), bash("git checkout HEAD~1 -- src/a.py")), False),  # not what it was before the agent came
        ((edit(CODE), bash("git reset --hard HEAD~1")), False),
        ((edit(CODE), bash("git switch main")), False),  # what came with that is not told
        ((bash("sed -i s/a/b/ src/a.py"), bash("sed -i s/b/a/ src/a.py")), False),
    ],
)
def test_backtracks_on_fix(actions: tuple[records.Action, ...], expected: bool) -> None:
    assert seen("backtracks_on_fix", *actions) is expected


def test_an_empty_command_is_no_program() -> None:
    kinds = {step.kind for step in read_trajectory(records.claude(bash(""))).steps}
    assert kinds <= {StepKind.OTHER}
