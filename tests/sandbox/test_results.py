"""What goes into a job and comes out of it, honest and hostile: nothing is followed, and all stays within bounds."""

import io
import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.pack import PackError, pack
from bot.sandbox.protocol import Job, Limits
from bot.sandbox.results import ResultsError, read, unpack


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


MOST = 1_000_000


def member(
    name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, target: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, len(content)
    return info, content


def stream(*members: tuple[tarfile.TarInfo, bytes]) -> io.BytesIO:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    file.seek(0)
    return file


def test_files_come_back_with_their_paths() -> None:
    long = "d/" * 120 + "f"
    given = stream(
        member("a", b"1"), member("d", kind=tarfile.DIRTYPE), member("./d/b", b"2" * 600), member(long, b"3")
    )
    assert read(given, MOST, 10) == {"a": b"1", "d/b": b"2" * 600, long: b"3"}


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ([member("../a", b"x")], "leads out"),
        ([member("a/../../b", b"x")], "leads out"),
        ([member("/etc/passwd", b"x")], "leads out"),
        ([member("a", b"x"), member("a", b"y")], "same name"),
        ([member("a", b"x"), member("./a", b"y")], "same name"),
        ([member("a", kind=tarfile.SYMTYPE, target="/etc/passwd")], "not a plain file"),
        ([member("a", b"x"), member("b", kind=tarfile.LNKTYPE, target="a")], "not a plain file"),
        ([member("a", kind=tarfile.FIFOTYPE)], "not a plain file"),
        ([member("./", b"x")], "not a plain file"),
        ([member("a", kind=tarfile.CHRTYPE)], "not a plain file"),
        ([member("a", kind=tarfile.BLKTYPE)], "not a plain file"),
        ([member("a", kind=tarfile.GNUTYPE_SPARSE)], "not a plain file"),
        ([member("a", kind=tarfile.XHDTYPE, content=b"13 path=../b\n")], "not a plain file"),
        ([member("a", b"x" * (MOST + 1))], "larger than"),
        ([member("a", b"x" * MOST), member("b", b"x")], "larger than"),
        ([member(str(n)) for n in range(11)], "more than 10"),
        ([member("a\udcff")], "not valid UTF-8"),
        ([member("x" * 5000)], "too long"),
    ],
)
def test_what_is_not_a_plain_file_with_a_plain_name_is_refused(
    members: list[tuple[tarfile.TarInfo, bytes]], problem: str
) -> None:
    with pytest.raises(ResultsError, match=problem) as error:
        read(stream(*members), MOST, 10)
    assert "passwd" not in str(error.value)


def test_a_stream_that_ends_early_is_no_result() -> None:
    whole = stream(member("a", b"x" * 2000)).getvalue()
    for length in (0, 100, 512, 1000, 512 + 2048):
        with pytest.raises(ResultsError):
            read(io.BytesIO(whole[:length]), MOST, 10)


def test_no_more_is_read_than_may_be_kept() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1) -> bytes:
            self.given += size
            return b"x" * size

    info, _ = member("a")
    info.size = 10**12
    endless = Endless()
    header = io.BytesIO(info.tobuf(tarfile.GNU_FORMAT))

    class Stream(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            return header.read(size) or endless.read(size)

    with pytest.raises(ResultsError, match="larger than"):
        read(Stream(), MOST, 10)  # type: ignore[arg-type]
    assert endless.given == 0


@given(st.binary(max_size=3000))
def test_any_bytes_are_results_or_a_plain_problem(content: bytes) -> None:
    try:
        read(io.BytesIO(content), MOST, 10)
    except ResultsError as error:
        assert str(error).isascii()


@given(st.data())
def test_a_damaged_stream_is_results_or_a_plain_problem(data: st.DataObject) -> None:
    whole = bytearray(stream(member("a", b"x" * 700), member("b" * 150, b"y")).getvalue()[:4096])
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, 2500))] = data.draw(st.integers(0, 255))
    for header in (0, 1536):  # make the sums fit again, so that damage reaches further than the sum
        block = whole[header : header + 512]
        total = sum(block[:148]) + sum(block[156:]) + 8 * 32
        whole[header + 148 : header + 156] = b"%06o\0 " % total
    try:
        read(io.BytesIO(whole), MOST, 10)
    except ResultsError as error:
        assert str(error).isascii()


def test_an_environment_is_laid_out_with_links_last(tmp_path: Path) -> None:
    program = member("bin/tool", b"#!")
    program[0].mode = 0o4755
    unpack(
        stream(
            member("lib64", kind=tarfile.SYMTYPE, target="lib"),
            member("lib", kind=tarfile.DIRTYPE),
            member("lib/a.py", b"1"),
            program,
        ),
        tmp_path,
        MOST,
        10,
    )
    assert (tmp_path / "lib64/a.py").read_bytes() == b"1"
    assert (tmp_path / "bin/tool").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "lib/a.py").stat().st_mode & 0o7777 == 0o644


@pytest.mark.parametrize(
    "members",
    [
        [member("x", kind=tarfile.SYMTYPE, target="../outside"), member("x/planted", b"1")],
        [member("x", kind=tarfile.SYMTYPE, target="../outside"), member("x", b"1")],
        [member("a", b"1"), member("a", b"2")],
        [member("a", b"1"), member("a/b", b"2")],
        [member("../outside/planted", b"1")],
        [member("a", kind=tarfile.LNKTYPE, target="../outside/kept")],
        [member("a", kind=tarfile.CHRTYPE)],
        [member("a", b"x" * (MOST + 1))],
        [member("..", kind=tarfile.DIRTYPE)],
        [member("", b"x")],
    ],
)
def test_nothing_is_laid_out_beside_the_directory(tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    (tmp_path / "into").mkdir()
    with pytest.raises(ResultsError):
        unpack(stream(*members), tmp_path / "into", MOST, 10)
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_text() == "kept"
