"""Programs that differ in a few files, run in one sandbox: each as if it were alone."""

from pathlib import Path

import pytest

from bot.sandbox.protocol import Job, Outcome
from bot.verification.testing import run as running
from bot.verification.testing.inside.judging_files import Tree
from bot.verification.testing.run import run_each, run_experiments
from bot.verification.values import Experiment, Keeper, Program, Suite, TestRun
from tests.support.sandbox import BUBBLEWRAP

CODE = {"shop.py": "def price():\n    return 1\n", "data/prices.txt": "1\n", "src/.keep": ""}
LEAVES = """\
import os, pathlib, shop

def test_price():
    assert shop.price() == 1

def test_alone():
    there = [pathlib.Path(each) for each in ("left", "/tmp/left", "/dev/shm/left", "deep/er/left")]
    assert not any(path.exists() for path in there)
    assert pathlib.Path("data/prices.txt").read_text() == "1\\n"
    for path in there:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("here")
    os.unlink("data/prices.txt")
    os.rmdir("data")
"""


class Counting:
    """Counts its jobs."""

    name, probe = BUBBLEWRAP.name, staticmethod(BUBBLEWRAP.probe)

    def __init__(self) -> None:
        self.jobs = 0

    def run(self, job: Job) -> Outcome:
        self.jobs += 1
        return BUBBLEWRAP.run(job)


def ran(folder: Path, tests: str, prices: list[int]) -> tuple[list[TestRun], int]:
    for path, text in {**CODE, "tests/test_shop.py": tests}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    executor = Counting()
    programs = [Program(folder, {"shop.py": b"def price():\n    return %d\n" % price}) for price in prices]
    return run_experiments(executor, [Experiment(each, Suite()) for each in programs], seconds=600), executor.jobs


def told(run: TestRun) -> dict[str, str]:
    return {each.name.partition("::")[2]: each.status.value for each in run.results}


def test_each_finds_the_files_as_they_were(tmp_path: Path) -> None:
    runs, jobs = ran(tmp_path, LEAVES, [1, 2, 1])
    assert jobs == 1
    assert [run.problem for run in runs] == ["", "", ""]
    assert [told(run)["test_price"] for run in runs] == ["passed", "failed", "passed"]
    assert {told(run)["test_alone"] for run in runs} == {"passed"}


def test_one_that_kills_what_starts_it_takes_no_other_along_and_none_can_write_there(tmp_path: Path) -> None:
    hostile = """\
import os, pytest, shop

def test_price():
    with pytest.raises(OSError):
        os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR)
    os.close(os.open("/proc/self/mem", os.O_RDWR))
    if shop.price() == 2:
        os.kill(os.getppid(), 9)
        os._exit(0)
    assert shop.price() == 1
"""
    runs, _ = ran(tmp_path, hostile, [1, 2, 3, 1])
    assert [told(run)["test_price"] for run in runs] == ["passed", "error", "failed", "passed"]


def test_a_suite_for_one_of_them_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_one(): assert 0\ndef test_two(): pass\n")
    asked = [
        Experiment(Program(tmp_path, {}), Suite(select=("test_a.py::test_two",))),
        Experiment(Program(tmp_path, {}), Suite(select=("test_a.py",)), broken={"test_a.py": None}),
        Experiment(Program(tmp_path, {}), Suite(until=frozenset({"test_a.py::test_one"}))),
    ]
    two, gone, first = run_experiments(BUBBLEWRAP, asked, seconds=600)
    assert told(two) == {"test_two": "passed"}
    assert gone.problem != ""
    assert told(first) == {"test_one": "failed"}


def test_files_are_put_back_with_their_modes_and_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/run").write_text("1")
    (tmp_path / "a/run").chmod(0o755)
    (tmp_path / "a/link").symlink_to("run")
    monkeypatch.setattr("bot.verification.testing.inside.judging_files.PLACES", (".",))
    tree, before = Tree(), there(tmp_path)
    (tmp_path / "a/run").chmod(0o600)
    (tmp_path / "a/link").unlink()
    (tmp_path / "a/link").mkdir()
    (tmp_path / "a/link/new").write_text("2")
    (tmp_path / "a/b").rmdir()
    (tmp_path / "a/b").write_text("a file")
    assert tree.put_back()
    assert there(tmp_path) == before
    monkeypatch.setattr(tree, "room", -1)
    assert not tree.put_back()


def there(folder: Path) -> dict[str, tuple[int, str]]:
    def text(path: Path) -> str:
        return str(path.readlink()) if path.is_symlink() else "" if path.is_dir() else path.read_text()

    return {str(path.relative_to(folder)): (path.lstat().st_mode, text(path)) for path in sorted(folder.rglob("*"))}


def test_of_a_test_with_a_red_case_hardly_any_other_runs(tmp_path: Path) -> None:
    """The next one may, for which its module's fixtures were kept."""
    cases = "@pytest.mark.parametrize('n', range(9))\ndef test_price(n):\n    assert shop.price() == 1\n"
    (tmp_path / "test_shop.py").write_text(f"import pytest, shop\n{cases}\ndef test_other():\n    pass\n")
    programs = [Program(tmp_path, {"shop.py": b"def price():\n    return %d\n" % price}) for price in (1, 2)]
    green, red = run_experiments(BUBBLEWRAP, [Experiment(each, Suite(), once=True) for each in programs], seconds=600)
    assert (len(green.passing), green.problem) == (10, "")
    found = told(red)
    assert (found.pop("test_price[0]"), found.pop("test_other")) == ("failed", "passed")
    assert found in ({}, {"test_price[1]": "failed"})


def test_where_time_ends_each_result_stays_with_its_own_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    made, known = TestRun((), 1.0), TestRun((), 2.0)
    asked = [Experiment(Program(None, {name: b""}), Suite()) for name in "abc"]

    class Knowing(Keeper):
        def find(self, experiment: Experiment) -> TestRun | None:
            return known if experiment is asked[2] else None

    monkeypatch.setattr(running, "run_experiments", lambda *_, seconds: [made])  # of two
    assert run_each(BUBBLEWRAP, Knowing(), asked, seconds=1) == [made, None, known]
