"""Every hostile program in bubblewrap; containers have a file of their own.

What is refused at once runs in one sandbox; `make hostile` gives each program one of its own.
"""

from pathlib import Path

import pytest

from tests.sandbox.contained import APART, Host, contain, contain_together
from tests.sandbox.hostile import HOSTILE, Hostile
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import BUBBLEWRAP


@pytest.mark.parametrize("hostile", HOSTILE if EVERY_TRICK else APART, ids=lambda hostile: hostile.name)
def test_a_hostile_program_is_contained(
    hostile: Hostile, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contain(BUBBLEWRAP, hostile, host, tmp_path, monkeypatch)


def test_what_is_refused_at_once_is_refused_in_one_sandbox(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    contain_together(BUBBLEWRAP, host, monkeypatch)


def test_there_are_at_least_forty_programs_with_names_of_their_own() -> None:
    assert len({hostile.name for hostile in HOSTILE}) == len(HOSTILE) >= 40
