"""Source code from the fake GitHub, fetched by the real git: bounded, hardened, and without a trace of the token."""

import base64
import os
import random
import shutil
import stat
import subprocess
import threading
import time
from pathlib import Path

import pytest

from bot.github.app import GitHubApp
from bot.github.channel import Credential
from bot.github.errors import GitHubError, NotFound, Rejected, Unauthorized, Unavailable
from bot.github.mirror import Mirrors
from bot.github.values import Repository
from bot.storage.directories import lock
from fake_github import FakeGitHub

REPO = "acme/widgets"
MB = 1024 * 1024


@pytest.fixture
def mirrors(fake_github: FakeGitHub, tmp_path: Path) -> Mirrors:
    return make(fake_github, tmp_path / "cache")


@pytest.fixture
def credential(github_app: GitHubApp, fake_installation: int) -> Credential:
    return github_app.credential(fake_installation)


def make(fake: FakeGitHub, root: Path, *, max_bytes: int = 10 * MB, total_bytes: int = 100 * MB) -> Mirrors:
    return Mirrors(root, fake.web_url, max_bytes=max_bytes, total_bytes=total_bytes)


def named(fake: FakeGitHub, full_name: str = REPO) -> Repository:
    return Repository(fake.repo(full_name).id, full_name)


def names(tree: Path) -> set[str]:
    return {str(path.relative_to(tree)) for path in tree.rglob("*")}


def noise(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


class Planted:
    """Objects written into the fake's repository by hand, as nobody's honest git would."""

    def __init__(self, fake: FakeGitHub, full_name: str = REPO) -> None:
        self.directory = fake.git.directory(full_name)

    def git(self, *words: str, stdin: bytes = b"") -> str:
        who = {f"GIT_{role}_{part}": "a@b.example" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        done = subprocess.run(
            ["git", *words], cwd=self.directory, input=stdin, capture_output=True, check=True, env={**os.environ, **who}
        )
        return done.stdout.decode().strip()

    def blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=content)

    def commit(self, entries: dict[bytes, tuple[str, bytes | str]]) -> str:
        """name -> (mode, content or SHA); the SHA of a commit with these at its top."""
        raw = b""
        for name, (mode, content) in sorted(entries.items(), key=lambda item: item[0] + b"/" * (item[1][0] == "40000")):
            sha = content if isinstance(content, str) else self.blob(content)
            raw += mode.encode() + b" " + name + b"\0" + bytes.fromhex(sha)
        return self.commit_tree(raw)

    def commit_tree(self, raw: bytes) -> str:
        return self.git("commit-tree", "-m", "planted", self.tree(raw))

    def tree(self, raw: bytes) -> str:
        return self.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)


def test_a_commit_becomes_a_directory_and_is_fetched_once(
    fake_github: FakeGitHub, mirrors: Mirrors, credential: Credential, tmp_path: Path
) -> None:
    first = fake_github.push(REPO, {"src/a.py": "a = 1\n", "b.bin": b"\xff\0"})
    second = fake_github.push(REPO, {"src/a.py": "a = 2\n", "README.md": None})
    tree = mirrors.tree(named(fake_github), second, credential)
    assert names(tree) == {"src", "src/a.py", "b.bin"}
    assert (tree / "src/a.py").read_text() == "a = 2\n"
    assert (tree / "b.bin").read_bytes() == b"\xff\0"
    assert "README.md" in names(mirrors.tree(named(fake_github), first, credential))
    calls = fake_github.git.calls.copy()
    fake_github.stop()
    assert mirrors.tree(named(fake_github), second) == tree
    assert make(fake_github, tmp_path / "cache").tree(named(fake_github), second) == tree
    assert fake_github.git.calls == calls


def test_a_pull_requests_head_is_asked_for_by_its_number(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "1"}, branch="change")
    repository = named(fake_github)
    first = mirrors.fetch(repository, f"refs/pull/{number}/head")
    assert first == fake_github.repo(REPO).branches["change"]
    second = fake_github.push(REPO, {"a.txt": "2"}, branch="change")
    assert mirrors.fetch(repository, f"refs/pull/{number}/head") == second
    assert (mirrors.tree(repository, first) / "a.txt").read_text() == "1"


def test_a_private_repository_needs_the_installations_token(
    fake_github: FakeGitHub, mirrors: Mirrors, github_app: GitHubApp
) -> None:
    fake_github.create_repository("acme/secret", private=True, files={"a": "1"})
    fake_github.create_repository("acme/other", private=True)
    credential = github_app.credential(fake_github.install("acme", ["acme/secret"]))
    secret, sha = named(fake_github, "acme/secret"), fake_github.repo("acme/secret").branches["main"]
    with pytest.raises(Unauthorized):
        mirrors.tree(secret, sha)
    assert names(mirrors.tree(secret, sha, credential)) == {"a"}
    fake_github.expire_tokens()  # it was revoked: another one is fetched
    newer = fake_github.push("acme/secret", {"b": "2"})
    assert names(mirrors.tree(secret, newer, credential)) == {"a", "b"}
    with pytest.raises(NotFound):
        mirrors.fetch(named(fake_github, "acme/other"), fake_github.repo("acme/other").branches["main"], credential)


@pytest.mark.parametrize("wanted", ["main", "--upload-pack=touch x", "refs/heads/main", "abc", "../x", "A" * 40, ""])
def test_only_full_shas_and_pull_requests_are_fetched(fake_github: FakeGitHub, mirrors: Mirrors, wanted: str) -> None:
    with pytest.raises(Rejected):
        mirrors.fetch(named(fake_github), wanted)
    assert not fake_github.git.calls


def test_what_goes_wrong_is_told_apart(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    repository, sha = named(fake_github), fake_github.repo(REPO).branches["main"]
    with pytest.raises(NotFound, match="does not have that commit"):
        mirrors.fetch(repository, "0" * 39 + "1")
    with pytest.raises(NotFound, match="does not have that commit"):
        mirrors.fetch(repository, "refs/pull/77/head")
    for status, kind in ((403, "may not read"), (404, "no such repository"), (503, "no usable answer")):
        fake_github.fail(status)
        with pytest.raises(GitHubError, match=kind):
            mirrors.fetch(repository, sha)
    fake_github.rename_repository(REPO, "gadgets")
    with pytest.raises(NotFound, match="has moved"):  # a token goes nowhere but to the address it was meant for
        mirrors.fetch(repository, sha)
    fake_github.stop()
    with pytest.raises(Unavailable):
        mirrors.fetch(Repository(repository.id, "acme/gadgets"), sha)


def test_a_repository_that_is_too_large_is_refused_and_leaves_nothing(fake_github: FakeGitHub, tmp_path: Path) -> None:
    mirrors = make(fake_github, tmp_path, max_bytes=MB)
    huge = fake_github.push(REPO, {"noise": noise(3 * MB)})
    with pytest.raises(Rejected, match="BOUNCER_REPOSITORY_MB"):
        mirrors.tree(named(fake_github), huge)
    inflated = fake_github.push(REPO, {"noise": None, "zeros": bytes(2 * MB)})
    with pytest.raises(Rejected, match="BOUNCER_REPOSITORY_MB"):  # small on the way, large on the disk
        mirrors.tree(named(fake_github), inflated)
    assert sum(path.lstat().st_size for path in tmp_path.rglob("*") if path.is_file()) < MB


def test_a_copy_that_outgrew_its_size_starts_anew(fake_github: FakeGitHub, tmp_path: Path) -> None:
    mirrors = make(fake_github, tmp_path, max_bytes=MB)
    first = fake_github.push(REPO, {"noise": noise(600_000)})
    second = fake_github.push(REPO, {"noise": noise(600_000, seed=2)})
    for sha in (first, second, first):
        mirrors.fetch(named(fake_github), sha)
        (copy,) = tmp_path.glob("mirrors/*.git")
        assert sum(path.lstat().st_size for path in copy.rglob("*")) < MB


def test_copies_that_nobody_uses_go(fake_github: FakeGitHub, tmp_path: Path) -> None:
    mirrors = make(fake_github, tmp_path, total_bytes=MB)
    for name in ("acme/a", "acme/b", "acme/c"):
        fake_github.create_repository(name, files={"noise": noise(600_000)})
        mirrors.fetch(named(fake_github, name), fake_github.repo(name).branches["main"])
        for copy in tmp_path.glob("mirrors/*.git"):
            used = time.time() - 2 * 3600 - (600 if name != "acme/a" else 0)
            os.utime(copy / "HEAD", (used, used))
    assert [path.stem for path in tmp_path.glob("mirrors/*.git")] == [str(fake_github.repo("acme/c").id)]
    (left,) = tmp_path.glob("mirrors/*.git")
    with lock(left.with_suffix(".lock")):
        assert mirrors.forget_unused(3600) == 0, "somebody fetches it"
    assert (mirrors.forget_unused(3 * 3600), mirrors.forget_unused(3600), left.exists()) == (0, 1, False)


def test_fetches_of_one_repository_wait_for_each_other(fake_github: FakeGitHub, tmp_path: Path) -> None:
    sha = fake_github.push(REPO, {"a": "1"})
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(make(fake_github, tmp_path).fetch(named(fake_github), sha)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [sha] * 4
    assert fake_github.git.calls[REPO, "info/refs"] == 1


def test_the_token_shows_nowhere(
    fake_github: FakeGitHub, credential: Credential, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in arguments, nor on disk, nor in messages; a stand-in for git writes down what it was called with."""
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/arguments\nexec {shutil.which("git")} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("GIT_TRACE_CURL", str(tmp_path / "cache" / "trace"))
    mirrors = make(fake_github, tmp_path / "cache")
    sha = fake_github.push(REPO, {"a": "1"})
    mirrors.tree(named(fake_github), sha, credential)
    said = ""
    for status in (401, 403, 500):
        fake_github.fail(status, times=2)
        with pytest.raises(GitHubError) as caught:
            mirrors.fetch(named(fake_github), fake_github.push(REPO, {"a": str(status)}), credential)
        said += repr(caught.value) + repr(caught.value.__context__)
    for token in fake_github.tokens:
        for secret in (token, base64.b64encode(f"x-access-token:{token}".encode()).decode()):
            assert secret not in said
            for path in tmp_path.rglob("*"):
                assert not path.is_file() or secret.encode() not in path.read_bytes(), path
    assert "fetch" in (tmp_path / "arguments").read_text()


def test_nobody_elses_configuration_counts(
    fake_github: FakeGitHub, mirrors: Mirrors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks, template, marker = tmp_path / "hooks", tmp_path / "template", tmp_path / "marker"
    for place in (hooks, template / "hooks"):
        place.mkdir(parents=True)
        (place / "reference-transaction").write_text(f"#!/bin/sh\ntouch {marker}\n")
        (place / "reference-transaction").chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f"[core]\nhooksPath = {hooks}\n[init]\ntemplateDir = {template}\n"
        f'[url "file:///nowhere"]\ninsteadOf = {fake_github.web_url}\n'
    )
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.hooksPath={hooks}'")
    assert names(mirrors.tree(named(fake_github), fake_github.repo(REPO).branches["main"])) == {"README.md"}
    assert not marker.exists()


def test_attributes_of_the_repository_do_nothing(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    attributes = "tests export-ignore\n*.txt text eol=crlf filter=lfs\nversion.py export-subst\n"
    files = {".gitattributes": attributes, "tests/test_a.py": "", "a.txt": "1\n2\n", "version.py": "$Format:%H$\n"}
    tree = mirrors.tree(named(fake_github), fake_github.push(REPO, files))
    assert (tree / "tests/test_a.py").exists()
    assert (tree / "a.txt").read_bytes() == b"1\n2\n"
    assert (tree / "version.py").read_text() == "$Format:%H$\n"


def test_links_modules_and_odd_names_are_contained(fake_github: FakeGitHub, mirrors: Mirrors, tmp_path: Path) -> None:
    planted = Planted(fake_github)
    outside = tmp_path / "outside"
    outside.write_text("not yours")
    folder = planted.tree(b"100644 file\0" + bytes.fromhex(planted.blob(b"x")))
    sha = planted.commit(
        {
            b"A": ("100644", b"upper"),
            b"\xff\xfe": ("100644", b"no UTF-8"),
            b"a": ("100644", b"lower"),
            b"absolute": ("120000", str(outside).encode()),
            b"chain": ("120000", b"self/../outside"),
            b"dangling": ("120000", b"nothing/here"),
            b"dir": ("40000", folder),
            b"good": ("120000", b"dir/file"),
            b"loop": ("120000", b"loop"),
            b"null": ("120000", b"dir\0file"),
            b"module": ("160000", "1" * 40),
            b"run": ("100755", b"#!/bin/sh\n"),
            b"self": ("120000", b"."),
            b"up": ("120000", b"../../../../../../../../../../etc/passwd"),
            b"-rf": ("100644", b"dash"),
        }
    )
    tree = mirrors.tree(named(fake_github), sha)
    assert {path.name for path in tree.iterdir() if path.is_symlink()} == {"good", "self", "loop", "dangling"}
    for name, target in {"absolute": str(outside), "chain": "self/../outside"}.items():
        assert (tree / name).read_text() == target
    assert (tree / "up").read_text().endswith("etc/passwd")
    assert (tree / "good").read_text() == "x"
    assert (tree / "A").read_text() + (tree / "a").read_text() == "upperlower"
    assert (tree / "module").is_dir() and not list((tree / "module").iterdir())
    assert stat.S_IMODE((tree / "run").stat().st_mode) == 0o755
    assert stat.S_IMODE((tree / "a").stat().st_mode) == 0o644
    assert (tree / os.fsdecode(b"\xff\xfe")).exists() and (tree / "-rf").exists()


@pytest.mark.parametrize("name", [b".git", b".GIT", b"..", b".", b"a/b", b"../x", b".git ", b"git~1", b"/etc"])
def test_names_that_are_none_are_refused(fake_github: FakeGitHub, mirrors: Mirrors, name: bytes) -> None:
    planted = Planted(fake_github)
    inner = planted.tree(b"100644 config\0" + bytes.fromhex(planted.blob(b"[core]")))
    sha = planted.commit_tree(b"40000 " + name + b"\0" + bytes.fromhex(inner))
    with pytest.raises(Rejected):
        mirrors.tree(named(fake_github), sha)


def test_objects_that_are_none_are_refused(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    planted = Planted(fake_github)
    blob = bytes.fromhex(planted.blob(b"x"))
    twice = planted.commit_tree(b"100644 a\0" + blob + b"100644 a\0" + blob)
    link = planted.commit({b"link": ("120000", b"x" * 5000)})
    long = planted.commit({b"n" * 300: ("100644", b"x")})
    modules = planted.commit({b".gitmodules": ("100644", b'[submodule "a"]\npath = a\nurl = --upload-pack=touch x\n')})
    for sha in (twice, link, long, modules):
        with pytest.raises(Rejected):
            mirrors.tree(named(fake_github), sha)
