"""Attempts from their start to their end, and which of them is chosen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from bot.judges.agent.commands import Cat, CodeSearch, Command, EditLines, Finish, RunTests
from bot.judges.openai.agent import OpenAIStepper
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import NoJudgement
from bot.judges.steps import LoopEnd, Repair, Task
from bot.verdicts import Usage
from bot.verification.programs import content
from bot.verification.repair import bench as module
from bot.verification.repair.loop import repair
from bot.verification.values import Program, Suite, TestResult, TestRun, TestStatus
from tests.judges.joiner import subject
from tests.judges.stepping import Script, step
from tests.support.cases import table
from tests.support.model import ScriptedModel, completion, failure
from tests.support.sandbox import BUBBLEWRAP, StandIn

EXECUTOR = BUBBLEWRAP
WRONG = 'def join(items):\n    """Items, in order."""\n    return ",".join(items[1:])\n'
RIGHT = WRONG.replace("items[1:]", "items")
TESTS = table(str, __file__, "TESTS")
TASK = Task(subject())
PATH = "src/joiner.py"
DONE = Finish("success")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / PATH).write_text(WRONG)
    (tmp_path / "tests" / "test_joiner.py").write_text(TESTS)
    return Program(tmp_path, {})


def put(line: str, *more: str) -> EditLines:
    """The third line replaced."""
    return EditLines(PATH, 3, 3, "\n".join((f"    {line}", *more)))


MEND = put('return ",".join(items)')
SAME = put('return ",".join(items[1:])')
BROKEN = put('return ",".join(')


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Suites are not run but read: as many tests fail as the file says `fail`. Gives what was run."""
    seen: list[str] = []

    def run(executor: object, program: Program, suite: Suite, *, seconds: float) -> TestRun:
        text = (content(program, PATH) or b"").decode()
        seen.append(text)
        if "no sandbox" in text:
            return TestRun((), 0.0, "there is no sandbox", unavailable=True)
        bad = [TestResult(f"test_{n}", TestStatus.FAILED) for n in range(text.count("fail"))]
        return TestRun((TestResult("test_x", TestStatus.PASSED), *bad), 0.1, "it ended early" if "odd" in text else "")

    monkeypatch.setattr(module, "run_suite", run)
    return seen


def mended(program: Program, *attempts: list[Command | NoJudgement], **options: Any) -> Repair:
    options = {"attempts": len(attempts), "seconds": 60.0, **options}
    return repair(EXECUTOR, program, Suite(), TASK, Script(*attempts), **options)


# End to end.


def test_a_wrong_change_is_mended(program: Program, scripted_model: ScriptedModel) -> None:
    scripted_model.script(
        step("test"),
        step("code_search", text="items["),
        step("cat", path=PATH),
        step("edit", path="tests/test_joiner.py", first=5, last=5, text="    assert True"),
        step("edit", path=PATH, first=3, last=3, text='    return ",".join(items)'),
        step("test"),
        step("finish", outcome="success"),
    )
    stepper = OpenAIStepper(scripted_model.settings(model_timeout=60), MemorySpend())
    found = repair(EXECUTOR, program, Suite(), TASK, stepper, seconds=600)
    assert found.files == {PATH: RIGHT}
    assert (found.chosen, found.problem, found.usage.calls) == (0, "", 7)
    (attempt,) = found.attempts
    assert (attempt.ended, attempt.why) == (LoopEnd.FINISHED, "A fix was made with which all tests pass.")
    assert [one.number for one in attempt.steps] == [1, 2, 3, 4, 5, 6, 7]
    assert [(one.command, one.argument, one.failed) for one in attempt.steps] == [
        ("test", "", False),
        ("code_search", "items[", False),
        ("cat", PATH, False),
        ("edit", "tests/test_joiner.py 5-5", True),
        ("edit", f"{PATH} 3-3", False),
        ("test", "", False),
        ("finish", "success", False),
    ]
    before, found_at, shown, _, edited, after, _ = (one.output for one in attempt.steps)
    assert before.startswith("1 failed, 1 did not fail.\nFAILED tests/test_joiner.py::test_all\n")
    assert "assert join" in before
    assert found_at == f'{PATH}:3:    return ",".join(items[1:])'
    assert shown.count("\n") == 2
    assert edited.endswith('3     return ",".join(items)')
    assert after == "0 failed, 2 did not fail."
    assert program.tree is not None
    assert (program.tree / PATH).read_text() == WRONG
    adapter = TypeAdapter(Repair)
    assert adapter.validate_json(adapter.dump_json(found)) == found  # it crosses a checkpoint


def test_what_steers_the_run_cannot_be_won_over(program: Program) -> None:
    """Names that pytest or the interpreter reads at its start are refused, however the tests are asked to pass."""
    attempt: list[Command | NoJudgement] = [
        EditLines("conftest.py", 1, 0, "collect_ignore_glob = ['*']"),
        EditLines("src/conftest.py", 1, 0, "import pytest"),
        EditLines("pytest.ini", 1, 0, "[pytest]\npython_functions = nothing"),
        EditLines("tests/__init__.py", 1, 0, "raise SystemExit(0)"),
        put("import os; os._exit(0)"),
        DONE,
    ]
    found = mended(program, attempt)
    assert set(found.attempts[0].files) == {PATH}
    assert "all tests pass" not in found.attempts[0].why
    assert [one.failed for one in found.attempts[0].steps] == [True, True, True, True, False, False]


# How an attempt ends.


@pytest.mark.parametrize(
    ("attempt", "ended", "why"),
    [
        ([MEND, DONE], LoopEnd.FINISHED, "A fix was made with which all tests pass."),
        ([put("# fail"), DONE], LoopEnd.FINISHED, "A fix was made with which 1 test fails."),
        ([put("# fail fail"), DONE], LoopEnd.FINISHED, "A fix was made with which 2 tests fail."),
        (
            [put("# odd"), DONE],
            LoopEnd.FINISHED,
            "A fix was made, but the run of its tests does not count: it ended early",
        ),
        ([DONE], LoopEnd.FINISHED, "The fix is equal to the change."),
        ([SAME, DONE], LoopEnd.FINISHED, "The fix is equal to the change."),
        ([MEND, SAME, DONE], LoopEnd.FINISHED, "The fix is equal to the change."),
        (
            [BROKEN, DONE],
            LoopEnd.FINISHED,
            "The fix does not parse: there is a syntax error in line 3 of a changed file.",
        ),
        ([put("# no sandbox"), DONE], LoopEnd.FINISHED, "The tests could not be run on the fix: there is no sandbox"),
        ([MEND, Finish("failure")], LoopEnd.GAVE_UP, "It gave up."),
        ([Finish("right")], LoopEnd.RIGHT, "It says that the change is right."),
        ([*(Cat(f"{n}.py") for n in range(25)), DONE], LoopEnd.STEPS, "It was not done after 25 steps."),
        ([Cat(PATH)] * 3 + [DONE], LoopEnd.PRUNED, "It gave the same command 3 times without a change in between."),
        ([CodeSearch(f"w{n}x") for n in range(6)], LoopEnd.PRUNED, "Twice it searched 3 times in a row."),
        ([MEND] * 6, LoopEnd.PRUNED, "Twice it edited one file 3 times in a row without trying it."),
        ([MEND], LoopEnd.MODEL, "Nothing more is scripted."),
        ([], LoopEnd.MODEL, "Nothing more is scripted."),
    ],
)
def test_how_an_attempt_ends(
    program: Program, runs: list[str], attempt: list[Command | NoJudgement], ended: LoopEnd, why: str
) -> None:
    found = mended(program, attempt)
    (made,) = found.attempts
    assert (made.ended, made.why) == (ended, why)
    has_fix = why.startswith("A fix was made")
    assert (found.chosen is None) is not has_fix
    assert found.problem == ("" if has_fix else f"No fix was found. {why}")
    assert bool(found.files) is has_fix
    assert found.says_right is (ended is LoopEnd.RIGHT)


def test_the_whole_suite_runs_after_the_last_edit(program: Program, runs: list[str]) -> None:
    mended(program, [put("# fail"), RunTests(), MEND, DONE])
    assert len(runs) == 2  # once more after the last edit
    runs.clear()
    mended(program, [MEND, RunTests(), DONE])
    assert runs == [RIGHT]  # not again
    runs.clear()
    mended(program, [MEND, RunTests(("tests/test_joiner.py",)), DONE])
    assert runs == [RIGHT, RIGHT]  # some tests are not all


def test_fewer_steps_can_be_allowed(program: Program, runs: list[str]) -> None:
    assert mended(program, [MEND, RunTests(), DONE], steps=2).attempts[0].ended is LoopEnd.STEPS
    assert mended(program, [MEND, DONE], steps=2).attempts[0].ended is LoopEnd.FINISHED


def test_what_was_edited_when_the_steps_ran_out_is_a_fix_if_all_tests_pass(program: Program, runs: list[str]) -> None:
    found = mended(program, [Cat(PATH), MEND], steps=2)
    assert (found.chosen, found.files) == (0, {PATH: RIGHT})
    said = "It was not done after 2 steps. With what it had edited by then all tests pass."
    assert (found.attempts[0].ended, found.attempts[0].why) == (LoopEnd.STEPS, said)
    for unfinished in (put("# fail"), SAME, BROKEN, Cat(PATH)):
        found = mended(program, [Cat(PATH), unfinished], steps=2)
        assert (found.chosen, found.problem) == (None, "No fix was found. It was not done after 2 steps.")


# Attempts and the choice.


def test_the_first_attempt_that_passes_ends_the_search(program: Program, runs: list[str]) -> None:
    script = Script([put("# fail"), DONE], [MEND, DONE], [put("# longer", "# and", "# better"), DONE])
    found = repair(EXECUTOR, program, Suite(), TASK, script, attempts=3, seconds=600)
    assert (len(found.attempts), found.chosen, found.files) == (2, 1, {PATH: RIGHT})
    assert found.usage == Usage(4, 40, 4)


def test_an_attempt_starts_anew_and_knows_what_was_edited_in_vain(program: Program, runs: list[str]) -> None:
    """Passerine, section VI-A."""
    first = [put("# fail"), EditLines("new.py", 1, 0, "x = 1"), DONE]
    script = Script(first, [Finish("right")], [Finish("failure")], [Cat(PATH), MEND, DONE])
    found = repair(EXECUTOR, program, Suite(), TASK, script, attempts=4, seconds=600)
    assert [len(history) for history in script.histories] == [0, 1, 2, 0, 0, 0, 1, 2]
    assert "items[1:]" in found.attempts[3].steps[0].output
    assert found.attempts[0].files.keys() == {PATH, "new.py"}
    assert found.files == {PATH: RIGHT}
    assert [attempt.passes for attempt in found.attempts] == [False, False, False, True]
    before, after = script.tasks[0], script.tasks[-1]
    (told,) = after.earlier  # nothing of one that edited nothing, or says that the change is right
    assert before.earlier == ()
    assert told.startswith("A fix was made with which 1 test fails.\n")
    assert "+    # fail\n" in told and "+++ b/new.py" in told and "FAILED test_0" in told


@pytest.mark.parametrize(
    ("attempts", "chosen"),
    [
        ([[put("# fail fail"), DONE], [put("# fail"), DONE], [put("# fail fail"), DONE]], 1),
        ([[put("# fail", "#", "#"), DONE], [put("# fail", "#"), DONE]], 1),
        ([[put("# fail"), DONE], [put("# fail"), DONE]], 0),
        ([[put("# odd"), DONE], [put("# fail fail fail"), DONE]], 1),
        ([[Finish("failure")], [put("# fail"), DONE]], 1),
        ([[put("# fail")], [put("# fail fail"), DONE]], 1),
        ([[put("# no sandbox"), DONE], [DONE]], None),
    ],
)
def test_where_none_passes_the_best_is_chosen(
    program: Program, runs: list[str], attempts: list[list[Command | NoJudgement]], chosen: int | None
) -> None:
    found = mended(program, *attempts)
    assert len(found.attempts) == len(attempts)
    assert found.chosen == chosen


# Time, money, sandbox, model.


def ticking(*times: float) -> Callable[[], float]:
    """A clock that shows these, and the last one for ever."""
    left = list(times)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def test_no_step_is_begun_without_time(program: Program, runs: list[str]) -> None:
    found = mended(program, [MEND, DONE], seconds=10.0, attempts=3, clock=ticking(0, 1, 9.5))
    assert [attempt.ended for attempt in found.attempts] == [LoopEnd.TIME]
    assert [one.command for one in found.attempts[0].steps] == ["edit"]
    assert found.problem == "No fix was found. There was no time left."
    assert not runs


def test_a_fix_that_could_not_be_tried_is_none(program: Program, runs: list[str]) -> None:
    found = mended(program, [MEND, DONE], seconds=10.0, clock=ticking(0, 1, 2, 11))
    assert found.problem == "No fix was found. There was no time left to run the tests on the fix."
    assert not runs


def test_a_run_gets_the_time_that_is_left(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def run(executor: object, program: Program, suite: Suite, *, seconds: float) -> TestRun:
        given.append(seconds)
        return TestRun((), 0.0)

    monkeypatch.setattr(module, "run_suite", run)
    mended(program, [RunTests()], seconds=50.0, run_seconds=20.0, clock=lambda: 0.0)
    mended(program, [RunTests()], seconds=10.0, run_seconds=20.0, clock=lambda: 0.0)
    assert given == [20.0, 10.0]


def test_nothing_is_asked_where_nothing_may_run(program: Program) -> None:
    script = Script([MEND, DONE])
    bare = StandIn(problem="bubblewrap is not installed")
    found = repair(bare, program, Suite(), TASK, script, seconds=600)
    assert not bare.jobs
    assert found == Repair(problem="Nothing may run here: bubblewrap is not installed")
    assert not script.started


@pytest.mark.parametrize("position", range(4))
def test_a_model_that_fails_ends_the_attempt_wherever_it_is(program: Program, runs: list[str], position: int) -> None:
    down = NoJudgement("script", "The model is down.", True, Usage(1, 5, 0))
    commands: list[Command | NoJudgement] = [Cat(PATH), MEND, RunTests(), DONE]
    commands[position] = down
    found = mended(program, commands, attempts=1)
    (attempt,) = found.attempts
    assert (attempt.ended, attempt.why, len(attempt.steps)) == (LoopEnd.MODEL, "The model is down.", position)
    assert found.files == {}
    assert found.usage.calls == position + 1


def test_the_spend_ceiling_ends_it(program: Program, runs: list[str], scripted_model: ScriptedModel) -> None:
    scripted_model.script(*(step("cat", path=f"{number}.py") for number in range(25)))
    settings = scripted_model.settings(
        model_timeout=60, model_price_in=1000.0, model_price_out=1.0, model_spend_per_day=8.0
    )
    spend = MemorySpend()
    found = repair(EXECUTOR, program, Suite(), TASK, OpenAIStepper(settings, spend), attempts=2, seconds=600)
    assert [attempt.ended for attempt in found.attempts] == [LoopEnd.MODEL, LoopEnd.MODEL]
    assert "ceiling" in found.problem
    assert len(found.attempts[0].steps) > 1
    assert spend.spent_today() == pytest.approx(found.usage.money)
    assert found.usage.money <= 8.0


def test_answers_that_are_no_commands_end_it(program: Program, runs: list[str], scripted_model: ScriptedModel) -> None:
    scripted_model.script(step("cat", path=PATH), completion("rm -rf /"), step("bash"), failure(401))
    stepper = OpenAIStepper(scripted_model.settings(model_timeout=60), MemorySpend())
    found = repair(EXECUTOR, program, Suite(), TASK, stepper, attempts=2, seconds=600)
    assert [(attempt.ended, len(attempt.steps)) for attempt in found.attempts] == [
        (LoopEnd.MODEL, 1),
        (LoopEnd.MODEL, 0),
    ]
    assert "could not be used" in found.attempts[0].why
    assert "refuses the key" in found.attempts[1].why
