"""Work in a child: what it gives back, what ends it, and what it cannot see."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.child_process import TooLong, run_in_child
from bot.issues.parse import parse
from bot.reports import IssueText
from bot.verdicts import Decision
from tests.support.waiting import eventually

ENDLESS = r"(a+)+$"


def test_it_gives_what_the_function_gives() -> None:
    text = IssueText("It fails", "half(1) raises `KeyError`, it should return 2.")
    assert run_in_child(parse, text) == parse(text)


def test_members_of_enumerations_come_back_as_python_3_11_2_writes_them_and_nothing_else_does() -> None:
    """Debian 12's Python, which many servers run: it writes `getattr(kind, name)` for a member."""
    assert run_in_child(as_older_python_has_it, "Decision", "BOUNCE") is Decision.BOUNCE
    for name in ("__init__", "mro", "_value2member_map_"):
        assert run_in_child(as_older_python_has_it, "Decision", name) == TooLong()
    assert run_in_child(as_older_python_has_it, "Verdict", "__init__") == TooLong()


def test_what_never_ends_is_ended_and_the_next_is_served() -> None:
    assert run_in_child(search, ENDLESS, "a" * 40 + "b", seconds=0.2) == TooLong()
    assert run_in_child(search, "a", "ba") == 1


def test_what_takes_too_much_memory_is_refused() -> None:
    with pytest.raises(RuntimeError, match="MemoryError"):
        run_in_child(many, 1 << 31)
    assert run_in_child(many, 3) == 3


def test_what_an_earlier_piece_left_in_memory_fails_no_later_one() -> None:
    """The child's memory is full, though nobody asks for much: another child does it."""
    assert run_in_child(keep, 600 << 20) == 1
    assert run_in_child(many, 600 << 20) == 600 << 20


def test_a_failure_is_told_without_the_text() -> None:
    with pytest.raises(RuntimeError) as failed:
        run_in_child(search, "(secret", "x")
    assert "secret" not in str(failed.value)


def test_a_child_sees_nothing_of_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BOUNCER_WEBHOOK_SECRET", "winding secret")
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        seen = run_in_child(surroundings)
    assert not isinstance(seen, TooLong)
    assert "winding secret" not in seen[0]
    assert str(tmp_path) not in seen[1]


def test_threads_share_the_children() -> None:
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(lambda number: run_in_child(search, "b", "a" * number + "b"), range(40))) == list(
            range(40)
        )
    assert len({run_in_child(own_number) for _ in range(3)}) == 1


def test_a_fork_has_children_of_its_own() -> None:
    first, (read, write) = run_in_child(own_number), os.pipe()
    if not (pid := os.fork()):
        os.write(write, str(run_in_child(own_number)).encode())
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    assert int(os.read(read, 100)) != first
    assert run_in_child(own_number) == first


def test_a_child_ends_with_its_parent() -> None:
    told_by = "print(run_in_child(own_number), flush=True)"
    code = f"from tests.bounded.test_child_process import *; {told_by}; os.kill(os.getpid(), 9)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    eventually(lambda: not Path(f"/proc/{int(told.stdout)}/cmdline").exists())


def test_a_forged_answer_makes_nothing() -> None:
    assert run_in_child(Forged) == TooLong()


class Forged:
    def __reduce__(self) -> object:
        return os.system, ("true",)


def search(pattern: str, text: str) -> int | None:
    found = re.search(pattern, text)
    return found.start() if found else None


def many(number: int) -> int:
    return len(bytes(number))


KEPT: list[bytes] = []


def keep(number: int) -> int:
    KEPT.append(bytes(number))
    return len(KEPT)


def own_number() -> int:
    return os.getpid()


def surroundings() -> tuple[str, str]:
    links = [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink() and link.exists()]
    return repr(dict(os.environ)), repr(links)


class Written:
    """Pickled as `getattr` of a value of Bouncer's."""

    def __init__(self, kind: str, name: str) -> None:
        self._given = (kind, name)

    def __reduce__(self) -> tuple[object, tuple[object, str]]:
        from bot import verdicts

        return getattr, (getattr(verdicts, self._given[0]), self._given[1])


def as_older_python_has_it(kind: str, name: str) -> object:
    return Written(kind, name)
