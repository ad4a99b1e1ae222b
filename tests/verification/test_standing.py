"""What stands beside a change that the tests let pass: through the real sandbox."""

from pathlib import Path

from bot.verification.standing import stand
from bot.verification.values import Base, Program, Suite
from tests.support.sandbox import BUBBLEWRAP

CHECK = "from toll import toll\ndef test_toll(): assert toll(3) == 14\n"
FILES = {
    "toll.py": "def toll(axles):\n    return axles * 3 + 5\n",
    "tests/test_toll.py": CHECK,
    "tests/test_moved.py": CHECK,
    "tests/helping.py": "from toll import toll\ndef costs(axles, price): assert toll(axles) == price\n",
    "tests/test_helped.py": "from helping import costs\ndef test_toll(): costs(3, 14)\ndef test_is(): assert costs\n",
}


def test_tests_that_the_change_made_notice_less_are_named(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    weak = CHECK.replace("==", "!= 0 or 0 ==").encode()
    changed = {
        "tests/test_toll.py": weak,
        "tests/test_moved.py": None,
        "tests/test_there.py": weak,
        "tests/helping.py": FILES["tests/helping.py"].replace("== price", "== price or price").encode(),
    }
    stood = stand(BUBBLEWRAP, Base(Program(tmp_path, {}), Suite()), Program(tmp_path, changed), Suite())
    assert stood.patch is not None
    lost = {each.test for each in stood.patch.lost_kills if each.killed_now < each.killed}
    assert lost == {f"tests/test_{name}.py::test_toll" for name in ("toll", "moved", "helped")}, stood
