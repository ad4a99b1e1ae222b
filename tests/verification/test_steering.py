"""What a change may not redefine: the command that judges it."""

import pytest

from bot.verification.steering import as_before
from bot.verification.values import Program, Suite

BASE = Program(None, {"package.json": b"old", "src/a.js": b"old", "scripts/check.sh": b"old", "go.mod": b"old"})


@pytest.mark.parametrize(
    ("line", "path", "before"),
    [
        ("npm test", "package.json", b"old"),
        ("npm test", "packages/one/jest.config.ts", None),
        ("npm test", "src/a.js", b"new"),
        ("go test ./...", "go.mod", b"new"),
        ("sh ./scripts/check.sh", "scripts/check.sh", b"old"),
        ("npm test", "scripts/check.sh", b"new"),
        ("echo 'a", "package.json", b"old"),
    ],
)
def test_the_base_says_what_a_command_does(line: str, path: str, before: bytes | None) -> None:
    changed = Program(None, {**BASE.files, path: b"new"})
    assert as_before(changed, BASE, Suite(command=("/bin/sh", "-c", line))).files[path] == before


def test_pytest_is_kept_from_it_by_the_run() -> None:
    changed = Program(None, {**BASE.files, "package.json": b"new"})
    assert as_before(changed, BASE, Suite()) is changed
