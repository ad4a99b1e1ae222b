"""`bouncer bench attempts`: smells by outcome and commands by step, from what a server has stored."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.judges.steps import AgentStep, Attempt, LoopEnd, Repair
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult, stored
from bot.storage.database import Database
from bot.storage.judgements import Judgements
from bot.verdicts import Decision, Verdict
from bot.verification.evidence import HeadTrial
from lab.scores.attempts import PUBLISHED, Smell, smells, step_rows
from tests.storage.test_judgements import JUDGEMENT
from tests.support.cases import cases
from tests.support.databases import Databases


def walk(*commands: str) -> tuple[AgentStep, ...]:
    """`cat a.py`, and `!edit a.py 1-2` for one that was refused."""
    parts = [(each.startswith("!"), *each.removeprefix("!").partition(" ")) for each in commands]
    return tuple(AgentStep(at, name, said, "", bad) for at, (bad, name, _, said) in enumerate(parts, 1))


@cases
def test_what_smells(commands: list[str], smell: list[str]) -> None:
    assert smells(walk(*commands)) == {*map(Smell, smell)}


def test_commands_are_counted_by_step() -> None:
    some = [Attempt(LoopEnd.FINISHED, "", walk(*each), {}) for each in (("cat a.py", "test"), ("cat b.py",), ("test",))]
    assert [(row.number, row.attempts, row.commands) for row in step_rows(some)] == [
        (1, 3, {"cat": 2, "test": 1}), (2, 1, {"test": 1}),
    ]  # fmt: skip


def test_the_papers_figures_stand_where_they_belong() -> None:
    """Table V: of walks on bugs that people report, 66% of those that fail run no test, and 13% of those that pass."""
    assert (PUBLISHED[Smell.NO_TEST][0], [*PUBLISHED]) == ((0.66, 0.13), [*Smell])


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", "attempts", *arguments])


def test_stored_attempts_are_counted_by_outcome(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", url := databases.migrated())
    nothing = run()
    assert (nothing.exit_code, "No attempt at a fix is stored" in nothing.output) == (3, True), nothing.output
    made = Repair(
        (
            Attempt(LoopEnd.PRUNED, "", walk(*["code_search x"] * 3), {}),
            Attempt(LoopEnd.FINISHED, "", walk("cat a.py", "edit a.py 1-1", "test", "finish success"), {}, passes=True),
        )
    )
    verdict = Verdict(Decision.BOUNCE, None, None, "", None, ("No.",))
    result = PullResult(verdict, "a" * 40, facts=PullFacts(trial=HeadTrial(repair=made)))
    with closing(Database.open(url)) as database:
        Judgements(database).keep(replace(JUDGEMENT, result=stored(result)))
        Judgements(database).keep(replace(JUDGEMENT, run_id="judging:2", result=""))
    done = run("--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    found = {each["smell"]: (each["failing"]["share"], each["passing"]["share"]) for each in document["smells"]}
    assert (document["attempts"], found[Smell.SEARCHES], found[Smell.NO_TEST]) == (2, (1, 0), (1, 0))
    assert document["steps"][0] == {"number": 1, "attempts": 2, "commands": {"code_search": 1, "cat": 1}}
    shown = run().output
    assert "human (paper)" in shown and "66.0%" in shown and "50.0%" in shown


@pytest.mark.sqlite("a file that is not there")
def test_no_database_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    done = run()
    assert (done.exit_code, "There is no" in done.output) == (2, True), done.output
