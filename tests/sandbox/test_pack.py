"""A job's tree as a tar stream: nothing is followed, nothing leads a file elsewhere, and it stays within bounds."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from bot.sandbox.pack import PackError, pack
from bot.sandbox.protocol import Job, Limits


def packed(job: Job) -> dict[str, bytes | str | None]:
    """Path -> content of a file, `-> target` of a link, None of a directory."""
    stream = io.BytesIO()
    pack(job, stream)
    stream.seek(0)
    found: dict[str, bytes | str | None] = {}
    with tarfile.open(fileobj=stream) as tar:
        for entry in tar:
            assert entry.name not in found, "twice"
            file = tar.extractfile(entry) if entry.isreg() else None
            found[entry.name] = file.read() if file else f"-> {entry.linkname}" if entry.issym() else None
    return found


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "package").mkdir()
    (tmp_path / "package/code.py").write_text("old")
    (tmp_path / "other.py").write_text("other")
    return tmp_path


def test_the_files_replace_and_delete_what_the_tree_holds(tree: Path) -> None:
    files = {"package/code.py": b"new", "other.py": None, "tests/deep/test_it.py": b"test"}
    assert packed(Job(("true",), tree, files)) == {
        "package": None,
        "package/code.py": b"new",
        "tests/deep/test_it.py": b"test",
    }


def test_deleting_a_directory_deletes_what_is_below(tree: Path) -> None:
    assert packed(Job(("true",), tree, {"package": None})) == {"other.py": b"other"}


@pytest.mark.parametrize("target", ["/etc", "../..", "package", "."])
def test_a_link_planted_in_the_tree_leads_no_file_elsewhere(tree: Path, target: str) -> None:
    (tree / "tests").symlink_to(target)
    (tree / "oracle.py").symlink_to("other.py")
    files = {"tests/test_it.py": b"test", "oracle.py": b"oracle"}
    found = packed(Job(("true",), tree, files))
    assert "tests" not in found
    assert found["tests/test_it.py"] == b"test"
    assert found["oracle.py"] == b"oracle"


def test_links_stay_links_and_secrets_behind_them_stay_outside(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret"
    outside.write_text("secret")
    (tree / "link").symlink_to(outside)
    (tree / "up").symlink_to(outside.parent)
    assert packed(Job(("true",), tree))["link"] == f"-> {outside}"
    assert "up/secret" not in packed(Job(("true",), tree))


def test_pipes_and_sockets_are_left_out(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    assert "pipe" not in packed(Job(("true",), tree))


def test_executable_files_stay_executable(tree: Path) -> None:
    (tree / "run.sh").write_text("#!/bin/sh")
    (tree / "run.sh").chmod(0o4755)
    stream = io.BytesIO()
    pack(Job(("true",), tree), stream)
    stream.seek(0)
    with tarfile.open(fileobj=stream) as tar:
        modes = {entry.name: (entry.mode, entry.uid) for entry in tar}
    assert modes["run.sh"] == (0o755, 65534), "and lose set-user-id"
    assert modes["other.py"] == (0o644, 65534)


@pytest.mark.parametrize(
    "limits", [Limits(disk=7), Limits(files=2), Limits(disk=10)], ids=["tree too large", "too many", "files too large"]
)
def test_a_tree_that_exceeds_the_limits_is_refused(tree: Path, limits: Limits) -> None:
    with pytest.raises(PackError, match="larger than the job may write"):
        packed(Job(("true",), tree, {"more.py": b"123"}, limits=limits))
