"""Every hostile program on every executor that works here, but for containers, which have a file of their own."""

from pathlib import Path

import pytest

from bot.sandbox.protocol import Executor
from tests.sandbox.contained import Host, contain
from tests.sandbox.hostile import HOSTILE, Hostile
from tests.support.sandbox import usable_executors

EXECUTORS = [executor for executor in usable_executors() if executor.name != "container"]


@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda executor: executor.name)
@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_hostile_program_is_contained(
    executor: Executor, hostile: Hostile, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contain(executor, hostile, host, tmp_path, monkeypatch)


def test_there_are_at_least_forty_programs_with_names_of_their_own() -> None:
    assert len({hostile.name for hostile in HOSTILE}) == len(HOSTILE) >= 40
