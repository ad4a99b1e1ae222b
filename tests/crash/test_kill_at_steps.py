"""kill -9 at every boundary of every step of every workflow: its effect done, its value stored, and around the run.

The first run of its occasion that comes to such a place stops there for ever. Once nothing else moves, the worker is
killed and starts again, until no run has a new place to stop at. With `make chaos` each place has a kill of its own,
also on PostgreSQL. Which places there are, the code itself says: a new workflow or step that nothing here brings about
fails the test.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.rendering.comment import mark_of
from bot.rendering.gate import NAME
from bot.workflows.jobs import Why
from tests.crash.fleet import Fleet, labels_put_on, labels_taken_off
from tests.crash.standing_in import BEGUN, BREAKING, BROKEN, DONE, ENDED, FIXED, HOLDING, STORED, Place
from tests.crash.test_kill_at_effects import feed
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.waiting import eventually
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE
from tests.workflows.stored import MARKER, step_names, workflow_names

pytestmark = pytest.mark.crash

TOWN = "acme/town"
AGENT = "copilot-swe-agent[bot]"
CODE = "def half(n):\n    return n // 2\n"
ISSUES = """issues:
  labels: {agent_ready: agent-ready}
  brief: auto
  no_response: {remind_after_days: 7}
  already_fixed: {close_after_days: 7}
budgets: {per_repository: 100000, per_author: 100000}
"""
FILES = {
    TOWN: ISSUES + "mode: enforce\n",
    f"acme/{BREAKING}": "mode: enforce\n",
    "acme/ready": "issues: {labels: {agent_ready: ready}, brief: auto, already_fixed: {enabled: false}}\n",
    "acme/reviewed": "pulls: {enabled: false}\n",
    "acme/spoilt": "issues: nonsense\n",
    f"acme/{BROKEN}": "mode: advise\n",
}
SUGGESTED = {"path": "half.py", "line": 2, "body": "```suggestion\n    return n / 2\n```"}


class Town:
    """Some repositories, and what people do there, in the order in which one thing needs the other."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet, self.github = fleet, fleet.github
        for name, policy in FILES.items():
            self.github.create_repository(name, files={".github/bouncer.yml": policy})
        self.github.install("acme", list(FILES))
        self.vague: list[int] = []
        self.clear: list[int] = []
        self.fixed: list[int] = []
        self.holding: list[int] = []
        self.pulls: list[int] = []

    def waves(self) -> Iterator[Callable[[], None]]:
        """Each once the one before has settled."""
        yield from (self.open, self.go_on, self.a_week_later)

    def open(self) -> None:
        self.vague = [self._report(VAGUE_TITLE, VAGUE) for _ in range(4)]
        self.clear = [self._report(CLEAR_TITLE, CLEAR) for _ in range(2)]
        self.fixed = [self._report(CLEAR_TITLE, f"{CLEAR}\n{FIXED}") for _ in range(2)]
        self.holding = [self._report(CLEAR_TITLE, f"{CLEAR}\n{HOLDING}")]
        for part in range(4):
            self.pulls.append(self._propose(f"part{part}.py"))
        self.persons = self._propose("persons.py", by="acme")
        for part in range(2):
            self.github.open_pull(f"acme/{BREAKING}", "Halve", {f"part{part}.py": CODE}, by=AGENT)
        for part in range(2):
            name = f"part{part}.py"
            number = self.github.open_pull("acme/reviewed", "Halve", {name: CODE}, by="agent[bot]")
            remark = SUGGESTED | {"path": name}
            self.github.review("acme/reviewed", number, "Wrong.", by="critic[bot]", remarks=[remark])
        self.github.open_issue("acme/spoilt", VAGUE_TITLE, VAGUE)
        self.github.open_issue("acme/ready", CLEAR_TITLE, CLEAR)

    def go_on(self) -> None:
        self.github.comment(TOWN, self.vague[0], "/bouncer help\n/bouncer recheck", by="acme")
        self.github.comment(TOWN, self.vague[1], "I do not know either.", by="reporter")
        self.github.comment(TOWN, self.clear[0], "/bouncer fixed", by="acme")
        self.github.edit_issue(TOWN, self.vague[2], title=CLEAR_TITLE, body=CLEAR)
        self.unneeded = self._propose("unneeded.py", body=f"Fixes #{self.fixed[0]}")
        self.needed = self._propose("needed.py", body=f"Fixes #{self.holding[0]}")
        self.github.queue(TOWN, self.pulls[0], by="acme")
        self.github.push("acme/spoilt", {".github/bouncer.yml": "mode: advise\n"}, by="acme")
        self.github.push(f"acme/{BROKEN}", {".github/bouncer.yml": "mode: enforce\n"}, by="acme")

    def a_week_later(self) -> None:
        self.fleet.pass_time(days=8)

    def _report(self, title: str, body: str) -> int:
        return self.github.open_issue(TOWN, title, body)

    def _propose(self, file: str, body: str = "", by: str = AGENT) -> int:
        return self.github.open_pull(TOWN, "Halve", {file: CODE}, body=body, by=by)

    # How all has to be

    def wrong(self) -> list[str]:
        """Of every subject that is not as it has to be, and everything that was written twice."""
        held = {self.vague[0], self.vague[1], self.vague[3]}
        found = [f"{number}: held {is_held}" for number, is_held in self._issues() if is_held != (number in held)]
        for repository in FILES:
            for number in self.github.repo(repository).issues:
                found += self._doubled(repository, number)
            found += [
                f"{repository} {run.head_sha}: {run.status} {run.title}"
                for run in self.github.checks(repository)
                if run.status != "completed"
            ]
        wanted = {self.pulls[0]: "success", self.persons: "success", self.unneeded: "failure"}
        wanted[self.needed] = "action_required"  # what its issue shows still fails
        for number, conclusion in wanted.items():
            found += self._check(TOWN, number, conclusion)
        for number in self.github.repo(f"acme/{BREAKING}").issues:
            found += self._check(f"acme/{BREAKING}", number, "failure")
        closed = [self.github.issue(TOWN, number).state for number in self.fixed]
        return found + ([] if closed == ["closed"] * 2 else [f"fixed: {closed}"])

    def _issues(self) -> Iterator[tuple[int, bool]]:
        for number in (*self.vague, *self.clear, *self.fixed, *self.holding):
            yield number, LABEL in self.github.issue(TOWN, number).labels

    def _check(self, repository: str, number: int, conclusion: str) -> list[str]:
        pull = self.github.repo(repository).issues[number].pull
        assert pull is not None
        runs = [run for run in self.github.checks(repository) if (run.head_sha, run.name) == (pull.head, NAME)]
        ended = [(run.conclusion, run.title) for run in runs]
        return [] if [each for each, _ in ended] == [conclusion] else [f"{repository}#{number}: {ended}"]

    def _doubled(self, repository: str, number: int) -> list[str]:
        seen = self.github.issue(repository, number)
        marks = [mark_of(comment.body) or MARKER.findall(comment.body)[:1] for comment in seen.bouncer_comments]
        twice = (
            len(marks) != len(set(map(str, marks))) or labels_put_on(seen.history) - labels_taken_off(seen.history) > 2
        )
        return [f"{repository}#{number}: {marks} {seen.history}"] if twice else []


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_whatever_is_killed_where_is_done_once_in_the_end(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        fleet.environment["BOUNCER_WORKER_THREADS"] = "32"
        (tmp_path / "stops").touch()
        town = Town(fleet)
        for wave in town.waves():
            wave()
            live_and_die(fleet)
        assert not town.wrong(), "\n".join(town.wrong())
    places = stopped(tmp_path)
    assert not missing({(workflow, step, moment) for workflow, _, step, moment in places}), places


def live_and_die(fleet: Fleet) -> None:
    """Until nothing is left to be done, also of what GitHub tells of meanwhile."""
    while True:
        before = len(stopped(fleet.directory))
        feed(fleet)
        (fleet.directory / "kept").unlink(missing_ok=True)
        fleet.start_quick_worker()
        eventually(lambda before=before: is_still(fleet, before), seconds=120)  # type: ignore[misc]
        fleet.kill("worker")
        if len(stopped(fleet.directory)) == before and not feed(fleet):
            return


def is_still(fleet: Fleet, before: int) -> bool:
    """Nothing moves any more; on a long day, something stopped."""
    count = len(stopped(fleet.directory)) - before
    return (EVERY_DEATH and count > 0) or ((fleet.directory / "kept").exists() and fleet.still(count))


def stopped(directory: Path) -> list[Place]:
    file = directory / "stopped.jsonl"
    return [tuple(json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def missing(known: set[tuple[str, str, str]]) -> list[str]:
    """Workflows and steps that the code has, and where no run was killed at each moment."""
    found = []
    for workflow in (line.partition(": ")[2] for line in workflow_names()):
        found += [f"{workflow} {moment}" for moment in (BEGUN, ENDED) if (workflow, "", moment) not in known]
    named = [line.removeprefix("step: ").rpartition(", ") for line in step_names()]
    for step, _, times in [*named, *((why.value, "", "1") for why in (Why.FOUND, Why.FIXED))]:
        for moment in (DONE, STORED):
            there = {workflow for workflow, its, at in known if (its, at) == (step, moment)}
            if len(there) != int(times):
                found.append(f"{step!r} {moment}: only in {sorted(there)}, of {times}")
    return found
