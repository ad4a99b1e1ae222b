"""Which way leads to an environment in which tests pass. Nothing runs: a stand-in takes the sandbox's place."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.policy import Verify
from bot.sandbox.protocol import Job, Outcome
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Prepared, Setup
from bot.verification.environments.working import prepare_working
from bot.verification.values import Origin, Program
from tests.support.cases import cases
from tests.verification.environments.house import settings
from tests.verification.environments.test_prepare import StandIn

LOCKED = {"pyproject.toml": b'[project]\nname = "a"\nversion = "1"\n', "a.py": b"A = 1\n" * 20}
LOCK = {"uv.lock": b'[[package]]\nname = "b"\nversion = "1"\n'}
CI = "on: push\njobs: {t: {runs-on: x, steps: [{run: make parser}, {run: pip install -e .}, {run: pytest}]}}"
LONG_AGO = datetime(2019, 1, 5, tzinfo=UTC)


class Picky(StandIn):
    """Sets up what fits."""

    def __init__(self, fits: Callable[[dict[str, object]], bool]) -> None:
        super().__init__()
        self.fits = fits

    def run(self, job: Job) -> Outcome:
        self.exit_code = 0 if self.fits(json.loads(job.argv[-1])) else 1
        return super().run(job)

    @property
    def tried(self) -> list[tuple[str, str]]:
        plans = [json.loads(job.argv[-1]) for job in self.jobs]
        return [(plan["as_of"][:4], "loose" if plan["loose"] else "locked") for plan in plans]


def found(
    executor: Picky,
    cache: Path,
    *,
    works: Sequence[float] = (1.0,) * 9,
    made: datetime | None = LONG_AGO,
    policy: Verify | None = None,
) -> Prepared | EnvironmentProblem:
    """works: the share of tests that pass by one way after the other."""
    base, shares = Program(None, {**LOCKED, **LOCK}), iter(works)
    return prepare_working(
        Setup(executor, policy or Verify(), settings(cache), Origin("1", made=made)),
        base,
        None,
        works=lambda _: next(shares),
    )


def test_the_repositorys_own_way_is_the_first(tmp_path: Path) -> None:
    executor = Picky(lambda plan: True)
    assert isinstance(found(executor, tmp_path), Prepared)
    assert executor.tried == [("", "locked")]


def test_where_that_cannot_be_set_up_packages_of_its_time_are_taken_and_that_is_remembered(tmp_path: Path) -> None:
    executor = Picky(lambda plan: str(plan["as_of"]).startswith("2022"))
    for _ in range(2):
        ready = found(executor, tmp_path)
        assert isinstance(ready, Prepared)
        (told,) = ready.without
        assert told.startswith("all that they ask for (line 1 of setup failed: ")
        assert executor.tried == [("", "locked"), ("2019", "loose"), ("2022", "loose")]


def test_where_no_test_passes_other_ways_are_tried_and_the_repositorys_own_stays(tmp_path: Path) -> None:
    executor = Picky(lambda plan: True)
    ready = found(executor, tmp_path, works=(0.0,) * 9)
    assert isinstance(ready, Prepared)
    assert executor.tried == [("", "locked"), ("2019", "loose"), ("2022", "loose"), ("", "loose")]


def test_nothing_is_missing_where_it_takes_what_ci_runs_besides(tmp_path: Path) -> None:
    base = Program(None, {**LOCKED, ".github/workflows/ci.yml": CI.encode()})
    executor = Picky(lambda plan: "make parser" in str(plan["setup"]))
    ready = prepare_working(Setup(executor, Verify(), settings(tmp_path), Origin("1")), base, None, works=lambda _: 1.0)
    assert isinstance(ready, Prepared)
    assert (len(executor.jobs), ready.without) == (2, ())


@cases
def test_where_too_few_tests_pass_packages_of_its_time_are_tried(
    tmp_path: Path, works: tuple[float, ...], years: list[str]
) -> None:
    executor = Picky(lambda plan: True)
    for _ in range(2):
        ready = found(executor, tmp_path, works=works)
        assert isinstance(ready, Prepared)
    tried = [year for year, _ in executor.tried]
    assert tried[: len(works)] == ["", "2019", "2022"][: len(works)]
    assert len(executor.tried) == len(works)
    assert json.loads(next(tmp_path.rglob("trail.json")).read_text())[1][:4] == years[-1]


def test_the_first_failure_is_the_one_that_is_told(tmp_path: Path) -> None:
    executor = Picky(lambda plan: False)
    problem = found(executor, tmp_path, made=None, works=(0.5,))
    assert isinstance(problem, EnvironmentProblem)
    assert "-c /tmp/pins.txt" in problem.command
    assert executor.tried == [("", "locked"), ("", "loose")]
    bare = found(executor, tmp_path, made=None)
    assert isinstance(bare, Prepared)
    assert bare.described.endswith("nothing is installed")  # nor is it needed
    assert len(executor.jobs) == 4  # a failure may be the network's: it is not remembered


def test_what_the_policy_says_is_done_as_it_says(tmp_path: Path) -> None:
    executor = Picky(lambda plan: False)
    found(executor, tmp_path, made=None, policy=Verify(setup=("make deps",), test="pytest"))
    assert [json.loads(job.argv[-1])["setup"] for job in executor.jobs] == [["make deps"]]


@pytest.mark.parametrize("made", [None, datetime.now(UTC)])
def test_a_new_commit_has_no_other_time(tmp_path: Path, made: datetime | None) -> None:
    executor = Picky(lambda plan: False)
    found(executor, tmp_path, made=made)
    assert executor.tried == [("", "locked"), ("", "loose")]


def test_a_commit_of_the_last_year_has_the_packages_of_its_month_where_those_of_today_do_not_do(tmp_path: Path) -> None:
    made = datetime.now(UTC) - timedelta(days=40)
    month = f"{made.date().replace(day=1) + timedelta(days=31):%Y-%m}-01T00:00:00Z"
    executor = Picky(lambda plan: plan["as_of"] == month)
    assert isinstance(found(executor, tmp_path, made=made), Prepared)
    assert [json.loads(job.argv[-1])["as_of"] for job in executor.jobs] == ["", month]


@pytest.mark.parametrize(
    ("works", "away", "of_head"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_a_head_that_fails_is_blamed_where_its_base_is_set_up_again_and_tested(
    tmp_path: Path, works: bool, away: bool, of_head: bool
) -> None:
    base, head = Program(None, LOCKED), Program(None, {**LOCKED, "setup.py": b"fail"})
    policy = Verify(setup=("make deps",), test="pytest")

    def tried(executor: StandIn, changed: Program | None) -> Prepared | EnvironmentProblem:
        return prepare_working(
            Setup(executor, policy, settings(tmp_path), Origin("1")), base, changed, works=lambda _: works
        )

    class Breaking(StandIn):
        def run(self, job: Job) -> Outcome:
            self.exit_code = int(away or "setup.py" in job.files)
            return super().run(job)

    assert isinstance(tried(StandIn(), None), Prepared)  # from now on the base's is kept
    problem = tried(Breaking(), head)
    assert isinstance(problem, EnvironmentProblem)
    assert problem.of_head is of_head
