"""Hostile programs in a container, where containers work here: together, or standing for the rest.

`make hostile` runs every one. What is read of a job's results and of its end is the same code for all executors, and
tests/sandbox/test_hostile.py runs every program in bubblewrap.
"""

from pathlib import Path

import pytest

from tests.sandbox.contained import APART, Host, contain, contain_together
from tests.sandbox.hostile import Hostile
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import CONTAINER

# What the engine's own bounds hold, and the ends it has to bring about itself; the rest is in test_container.py.
STANDING = (
    "fork bomb",
    "memory of many processes",
    "stopping itself",
    "processor time",
    "disk, /work",
    "disk, /dev/shm",
    "a socket among plain files",
    "a signal to everyone",
    "a daemon that holds the output",
    "children that ignore every signal",
)


@pytest.mark.parametrize(
    "hostile", [each for each in APART if EVERY_TRICK or each.name in STANDING], ids=lambda each: each.name
)
def test_a_hostile_program_is_contained(
    hostile: Hostile, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contain(CONTAINER, hostile, host, tmp_path, monkeypatch)


def test_what_is_refused_at_once_is_refused_in_one_container(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    contain_together(CONTAINER, host, monkeypatch)


def test_what_stands_for_the_rest_is_there() -> None:
    assert set(STANDING) <= {each.name for each in APART}
