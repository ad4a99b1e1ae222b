"""What nobody opened, through the real sandbox: only where all that may open it ran."""

from pathlib import Path

import pytest

from bot.verification.stage import Stage
from bot.verification.standing import stand
from bot.verification.values import Base, Program, Suite
from tests.support.sandbox import BUBBLEWRAP

MEMBERS = 'def members(club):\n    with open(f"docs/{club}.txt") as lines:\n        return lines.read().split()\n'
DOOR = f'{MEMBERS}\n\ndef may_enter(name):\n    return name in members("guests")\n'
TEST = 'import door\n\n\ndef test_guest():\n    assert door.may_enter("ada")\n'
BASE = {
    "door.py": DOOR.encode(),
    "tests/test_door.py": TEST.encode(),
    "docs/guests.txt": b"ada\n",
    "docs/history.txt": b"It began in a kitchen.\n",
}
UNTRIED = {"door.py": f"{DOOR}\n\ndef shown(page):\n    return open(page).read()\n".encode()}
LISTS = (
    b"import os\ndef test_pages():\n    for page in os.listdir('docs'):\n        assert open(f'docs/{page}').read()\n"
)


@pytest.mark.parametrize(
    ("base", "change", "unread"),
    [
        ({}, {"docs/history.txt": b"It began in a shed.\n"}, True),
        ({}, {"docs/guests.txt": b"ada grace\n"}, False),
        ({}, {"docs/history.txt": b"It began.\n", "door.py": b"# A door.\n" + DOOR.encode()}, False),
        (UNTRIED, {"docs/history.txt": b"It began in a shed.\n"}, False),
        ({"tests/test_docs.py": LISTS}, {"docs/history.txt": b"It began in a shed.\n"}, False),
        ({"docs/conf.py": UNTRIED["door.py"]}, {"docs/history.txt": b"It began in a shed.\n"}, True),
        ({"shown.js": b"exports.shown = page => fs.readFileSync(page)\n"}, {"docs/history.txt": b"So.\n"}, False),
    ],
)
def test_what_no_run_opened(tmp_path: Path, base: dict[str, bytes], change: dict[str, bytes], unread: bool) -> None:
    for path, text in {**BASE, **base}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text)
    head = Program(tmp_path, change)
    stage = Stage(BUBBLEWRAP, Base(Program(tmp_path, {}), Suite()), head, head, Suite(), seconds=60)
    patch = stand(stage).patch
    assert patch is not None and patch.unread is unread, patch
