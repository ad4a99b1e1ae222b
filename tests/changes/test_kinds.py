"""What a file is for, told from its path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from tests.support.cases import table
from tests.support.properties import patient

KINDS = table(dict[FileKind, tuple[str, ...]], __file__, "KINDS")
LONGEST = "x" * 10_000 + ".py"


@pytest.mark.parametrize(
    ("path", "kind"), [(LONGEST, FileKind.OTHER), *((path, kind) for kind, paths in KINDS.items() for path in paths)]
)
def test_kinds(path: str, kind: FileKind) -> None:
    assert kind_of(path) is kind


@patient
@given(st.text())
def test_every_text_is_a_path(path: str) -> None:
    assert kind_of(path) in FileKind
