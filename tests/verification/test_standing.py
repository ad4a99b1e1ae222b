"""What stands beside a change that the tests let pass: through the real sandbox."""

from pathlib import Path

from bot.verification.standing import stand
from bot.verification.values import Base, Program, Suite
from tests.support.sandbox import usable_executors


def test_a_test_that_the_change_made_notice_less_is_named(tmp_path: Path) -> None:
    check = "from toll import toll\ndef test_toll(): assert toll(3) == 14\n"
    (tmp_path / "toll.py").write_text("def toll(axles):\n    return axles * 3 + 5\n")
    (tmp_path / "test_toll.py").write_text(check)
    base = Program(tmp_path, {})
    suite = Suite(select=("test_toll.py",))
    head = Program(tmp_path, {"toll.py": b"def toll(axles):\n    return 5 + axles * 3\n"})
    weak = Program(tmp_path, {**head.files, "test_toll.py": check.replace("==", "!= 0 or 0 ==").encode()})
    stood = stand(usable_executors()[0], Base(base, suite), weak, suite, seconds=120)
    assert stood.patch is not None
    assert [lost.test for lost in stood.patch.lost_kills] == ["test_toll.py::test_toll"], stood
