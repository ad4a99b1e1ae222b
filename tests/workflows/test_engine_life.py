"""Starting, stopping, being killed: the engine as a process, on SQLite and on PostgreSQL."""

import logging
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from bot.storage.database import Database, DatabaseError
from bot.workflows.durable.engine import AHEAD, LEADER, LONG_QUEUE, Engine
from bot.workflows.durable.step import step
from bot.workflows.durable.worker_lock import WorkerLock, WorkerRunning
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.runs import count_unfinished, outcome, outcomes
from tests.support.waiting import eventually


@pytest.fixture
def url(database_url: str) -> Iterator[str]:
    database = Database.open(database_url)
    yield database.engine_url
    database.close()


ONCE = pytest.mark.parametrize("database_url", ONE, indirect=True)  # where another database adds nothing


@contextmanager
def running(
    url: str,
    run: Callable[[str], str],
    worker_id: str = "worker-1",
    threads: int = 3,
    poll_seconds: float = 0.1,
    long: frozenset[str] = frozenset(),
) -> Iterator[Engine]:
    engine = Engine(url, {"toy": run}, worker_id=worker_id, threads=threads, poll_seconds=poll_seconds, long=long)
    engine.start()
    try:
        yield engine
    finally:
        engine.stop()


def taken(lock: WorkerLock) -> bool:
    """PostgreSQL lets go of a lock a moment after its session has ended."""
    with suppress(WorkerRunning):
        lock.acquire()
    return lock.is_ours()


@ONCE
def test_stopping_lets_a_running_one_end(url: str) -> None:
    inside, ended = threading.Event(), threading.Event()

    def run(argument: str) -> str:
        inside.set()
        time.sleep(0.3)
        ended.set()
        return "done"

    engine = Engine(url, {"toy": run}, poll_seconds=0.1)
    engine.start()
    engine.submit("toy", "a:1", "a", "")
    assert inside.wait(300)
    engine.stop(drain=10)
    assert ended.is_set()
    with running(url, run):
        assert outcome("a:1") == "done"


@ONCE
def test_who_submits_and_who_ends_say_so_that_nobody_waits_for_the_clock(url: str) -> None:
    with running(url, lambda argument: "done", threads=1, poll_seconds=3600) as engine:
        for subject in ("a", "b"):
            for number in (1, 2):
                engine.submit("toy", f"{subject}:{number}", subject, "")
        eventually(lambda: count_unfinished() == 0)
        assert outcomes("") == ["done"] * 4


def test_a_run_that_the_databases_trouble_ended_is_taken_up_and_its_steps_are_not_done_again(
    url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two steps, where the database may be away as well; a run that is under way is left alone. However often
    that happens, it is no death of the worker."""
    monkeypatch.setattr("bot.workflows.durable.engine.MOST_ATTEMPTS", 2)
    tries, paid, inside, hold = iter(range(9)), iter(range(9)), threading.Event(), threading.Event()

    def run(argument: str) -> str:
        if argument:
            inside.set()
            hold.wait(60)
            return "held"
        price = step("pay", int, lambda: next(paid))
        if next(tries) < 4:
            raise sa.exc.InternalError("INSERT", {}, psycopg.errors.ReadOnlySqlTransaction("may not be written"))
        return f"done for {price}"

    with caplog.at_level(logging.WARNING), running(url, run) as engine:
        engine.submit("toy", "a:1", "a", "")
        engine.submit("toy", "b:1", "b", "held")
        assert inside.wait(300)
        looks: list[int] = []
        eventually(lambda: "no longer owned" in caplog.text)
        eventually(lambda: looks.append(engine.adopt()) or looks[-1])  # type: ignore[func-returns-value]
        assert (looks[0], looks[-1]) == (0, 1)
        eventually(lambda: engine.adopt() + 1 and outcome("a:1") == "done for 0")
        hold.set()
        eventually(lambda: outcome("b:1") == "held")
    assert "Traceback" not in caplog.text


def test_one_worker_id_runs_once(url: str) -> None:
    with running(url, lambda argument: "done") as engine:
        other = WorkerLock(url, "worker-1")
        with pytest.raises(WorkerRunning, match="BOUNCER_WORKER_ID"):
            other.acquire()
        WorkerLock(url, "worker-2").acquire()
        assert engine.alive()
    eventually(lambda: taken(other))
    other.release()
    assert not other.is_ours()


def test_a_takeover_that_fails_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent, other = (WorkerLock(f"sqlite:///{tmp_path}/a.db", LEADER) for _ in range(2))
    silent.acquire()
    with pytest.raises(WorkerRunning):
        other.acquire(silent=0.0)  # it sees the sign of life for the first time

    def broken(path: Path, target: Path) -> Path:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as disk, pytest.raises(DatabaseError, match="Input/output"):
        disk.setattr(Path, "replace", broken)
        other.acquire(silent=0.0)
    other.acquire(silent=0.0)
    assert other.is_ours() and not silent.is_ours()
    other.release()


def test_one_worker_hands_on_and_the_next_takes_over(url: str) -> None:
    other = WorkerLock(url, LEADER)
    other.acquire()
    with running(url, lambda argument: "done") as engine:
        assert not engine.lead(), "somebody else does"
        other.release()
        eventually(engine.lead)  # PostgreSQL ends a session once it has a moment for it
        assert engine.lead(), "and goes on to"
        with pytest.raises(WorkerRunning):
            other.acquire()
    eventually(lambda: taken(other))
    other.release()


def test_who_gives_no_sign_of_life_loses_the_lead_and_learns_of_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.workflows.durable.engine.SILENCE", 0.0)
    silent, third = WorkerLock(url, LEADER), WorkerLock(url, LEADER)
    silent.acquire()
    with running(url, lambda argument: "done") as engine:
        eventually(engine.lead)
        assert not silent.is_ours()
        silent.release()
        with pytest.raises(WorkerRunning):
            third.acquire()
        assert engine.lead()
    eventually(lambda: taken(third))
    third.release()


@pytest.mark.sqlite("signs of life in a file")
def test_who_gives_signs_of_life_or_never_gave_one_keeps_the_lead(tmp_path: Path) -> None:
    """A full disk takes none."""
    url = f"sqlite:///{tmp_path}/engine.db"
    leader, other = WorkerLock(url, LEADER), WorkerLock(url, LEADER)
    leader.acquire()

    def refused() -> bool:
        with pytest.raises(WorkerRunning):
            other.acquire(silent=0.0)
        return leader.is_ours()

    assert all(refused() for _ in range(3))
    leader._path.write_bytes(b"")
    for _ in range(3):
        with pytest.raises(WorkerRunning):
            other.acquire(silent=0.0)
    assert leader.is_ours()
    leader._path.unlink()
    assert not leader.is_ours(), "whoever comes next makes another"
    leader.release()


@ONCE
def test_a_worker_that_may_run_more_at_once_changes_nothing_for_another(url: str) -> None:
    """dbos keeps how many runs of a queue a worker takes in the database, for all of them."""
    busy, most, first, others = list[str](), list[int](), threading.Event(), threading.Event()

    def run(argument: str) -> str:
        busy.append(argument)
        most.append(len(busy))
        (first if argument == "a" else others).wait(60)
        busy.remove(argument)
        return "done"

    with running(url, run, threads=1, long=frozenset({"toy"})) as engine:
        engine._register_queue(LONG_QUEUE, 5)
        engine.submit("toy", "a:1", "a", "a")
        eventually(lambda: busy == ["a"])
        for subject in "bc":
            engine.submit("toy", f"{subject}:1", subject, subject)
        first.set()
        eventually(lambda: engine._queues is not None and {"b:1", "c:1"} <= engine._queues.active_runs())
        others.set()
        eventually(lambda: count_unfinished() == 0)
    assert max(most) == 1


@ONCE
def test_another_hands_on_while_the_runs_of_one_that_ends_are_waited_for(url: str) -> None:
    inside, hold, other = threading.Event(), threading.Event(), WorkerLock(url, LEADER)

    def run(argument: str) -> str:
        inside.set()
        hold.wait(60)
        return "done"

    with running(url, run) as engine:
        assert engine.lead()
        engine.submit("toy", "a:1", "a", "")
        assert inside.wait(300)
        ending = threading.Thread(target=engine.stop, kwargs={"drain": 60})
        ending.start()
        eventually(lambda: taken(other))
        assert ending.is_alive()
        hold.set()
        ending.join()
    other.release()


@ONCE
def test_what_is_under_way_when_a_worker_is_told_to_end_did_not_end_it(url: str) -> None:
    inside, hold = threading.Event(), threading.Event()

    def run(argument: str) -> str:
        inside.set()
        hold.wait(60)
        return "done"

    def noted() -> object:
        place = "workflow_status" if url.startswith("sqlite") else "dbos.workflow_status"
        with sa.create_engine(url).connect() as connection:
            return connection.execute(sa.text(f"SELECT attributes FROM {place}")).scalar_one()

    with running(url, run) as engine:
        engine.submit("toy", "a:1", "a", "")
        assert inside.wait(300)
        assert engine._queues is not None
        engine._queues.begin_again("a:1", 7)
        assert "7" in str(noted())
        ending = threading.Thread(target=engine.stop, kwargs={"drain": 60})
        ending.start()
        eventually(lambda: noted() is None)
        hold.set()
        ending.join()


@ONCE
def test_a_worker_takes_some_runs_ahead_and_counts_the_subjects_that_wait(url: str) -> None:
    gate, begun = threading.Event(), list[str]()

    def run(argument: str) -> str:
        begun.append(argument)
        gate.wait(10)
        return "done"

    with running(url, run, threads=1) as engine:
        for number in range(AHEAD + 2):
            for time_ in (1, 2):
                engine.submit("toy", f"{number}:{time_}", str(number), str(number))
        eventually(lambda: engine.count_waiting() == AHEAD + 2 and begun)  # of those taken, the second runs wait
        assert len(begun) == 1, "one thread, however many are taken"
        gate.set()
        eventually(lambda: count_unfinished() == 0)
        assert engine.count_waiting() == 0
        assert len(begun) == 2 * (AHEAD + 2)


@ONCE
def test_nothing_is_advertised(url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    with running(url, lambda argument: "done"):
        pass
    printed = capfd.readouterr()
    assert "console" not in (caplog.text + printed.out + printed.err).lower()
    assert "conductor" not in (caplog.text + printed.out + printed.err).lower()


@pytest.mark.sqlite("its write-ahead log")
def test_sqlite_keeps_a_write_ahead_log_and_others_out(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "engine.db"
    with running(f"sqlite:///{path}", lambda argument: "done"):
        pass
    assert sqlite3.connect(path).execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert path.stat().st_mode & 0o777 == 0o600


class Toy:
    """A real worker process with toy workflows and its journal."""

    def __init__(self, url: str, directory: Path) -> None:
        self.url, self.directory = url, directory
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, worker_id: str = "worker-1") -> None:
        command = [sys.executable, "-m", "tests.workflows.toy", self.url, worker_id, str(self.directory / "journal")]
        with (self.directory / "stderr").open("ab") as stderr:
            self.process = subprocess.Popen(command, stderr=stderr)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    @property
    def lines(self) -> list[str]:
        path = self.directory / "journal"
        return path.read_text().splitlines() if path.exists() else []

    def wait_for(self, line: str) -> None:
        eventually(lambda: line in self.lines)

    def touch(self, name: str) -> None:
        (self.directory / name).touch()

    def end(self) -> None:
        assert self.process is not None
        self.touch("end")
        assert self.process.wait(300) == 0


@pytest.fixture
def toy(url: str, tmp_path: Path) -> Iterator[Toy]:
    toy = Toy(url, tmp_path)
    yield toy
    if toy.process is not None and toy.process.poll() is None:
        toy.kill()


@pytest.mark.crash
@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_a_killed_run_resumes_and_pays_once_and_nothing_leaves_the_machine(toy: Toy, tmp_path: Path) -> None:
    toy.touch("hang")
    toy.start()
    toy.wait_for("reached first")
    toy.kill()
    (tmp_path / "hang").unlink()
    toy.start()
    toy.wait_for("finished first for 7")
    toy.end()
    assert toy.lines.count("paid first") == 1
    assert toy.lines.count("reached first") == 2
    if toy.url.startswith("sqlite"):  # else the database is connected to
        assert [line for line in toy.lines if line.startswith("connect")] == []
    assert "console.dbos.dev" not in (toy.directory / "stderr").read_text()


@pytest.mark.crash
@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ["postgres"], indirect=True)
def test_work_of_a_worker_that_is_gone_is_adopted(toy: Toy, url: str) -> None:
    toy.touch("hang")
    toy.start(worker_id="worker-9")
    toy.wait_for("reached first")
    seen: list[str] = []

    def paid(argument: str) -> str:
        price = step("pay", int, lambda: 0)
        seen.append(f"{argument} {price}")
        return "done"

    engine = Engine(url, {"paid": paid}, worker_id="worker-2", poll_seconds=0.1)
    engine.start()
    try:
        assert engine.adopt() == 0, "its worker still runs"
        toy.kill()
        eventually(lambda: engine.adopt() == 1)
        assert eventually(lambda: outcome("subject:1")) == "done"
    finally:
        engine.stop()
    assert seen == ["first 7"]


@pytest.mark.crash
@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ["postgres"], indirect=True)
def test_a_leader_that_is_stopped_and_lives_is_replaced_and_stays_so(
    toy: Toy, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.touch("lead")
    toy.start(worker_id="worker-9")
    toy.wait_for("leads")
    with running(url, lambda argument: "done", worker_id="worker-2") as engine:
        assert not engine.lead()
        assert toy.process is not None
        toy.process.send_signal(signal.SIGSTOP)
        monkeypatch.setattr("bot.workflows.durable.engine.SILENCE", 1.0)
        eventually(engine.lead)
        toy.process.send_signal(signal.SIGCONT)
        toy.wait_for("leads no more")
        assert engine.lead()
    eventually(lambda: toy.lines.count("leads") == 2)
    toy.end()
