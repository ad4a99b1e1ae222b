"""Reports looked at in small real repositories, with the real sandbox."""

from pathlib import Path

from bot.verdicts import FixStatus
from tests.fixed.house import BROKEN, HALF, REPORT, SECOND, WHOLE, candidate, look, repository


def test_what_fails_before_and_passes_now_is_fixed(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, BROKEN + "\n# more\n", WHOLE, WHOLE + "\n# more\n")
    found = look(there, REPORT, tmp_path)
    assert found.status is FixStatus.ALREADY_FIXED, found
    assert found.fixed_by == shas[2]


def test_head_minus_fix_needs_no_old_revision(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, WHOLE, WHOLE + "\n# more\n")
    found = look(there, REPORT, tmp_path, [candidate(shas[2]), candidate(shas[1])])
    assert found.status is FixStatus.ALREADY_FIXED, found
    assert found.candidates[0].commit == shas[1]


def test_what_still_fails_is_still_present(tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", BROKEN, BROKEN + "\n# more\n")
    assert look(there, REPORT, tmp_path).status is FixStatus.STILL_PRESENT


def test_half_a_fix_is_no_fix(tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", BROKEN, HALF)
    found = look(there, REPORT + SECOND, tmp_path)
    assert found.status is FixStatus.PARTIALLY_FIXED, found
