"""The fake as git sees it: the SHAs are git's own, and what can be fetched is what GitHub would let one fetch."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from fake_github import FakeGitHub

REPO = "acme/widgets"


@pytest.fixture
def http(fake_github: FakeGitHub, fake_installation: int) -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"token {fake_github.access.issue_token(fake_installation)[0]}"
        yield session


def git(*words: str, at: Path | None = None) -> "subprocess.CompletedProcess[str]":
    quiet = {"PATH": os.environ["PATH"], "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(["git", *words], cwd=at, env=quiet, capture_output=True, text=True)


def address(fake: FakeGitHub, repo: str, token: str = "") -> str:
    return fake.web_url.replace("//", f"//x-access-token:{token}@" if token else "//") + f"/{repo}.git"


def test_a_clone_holds_what_was_pushed_and_git_finds_no_fault(fake_github: FakeGitHub, tmp_path: Path) -> None:
    fake_github.push(REPO, {"src/a.py": "a = 1\n", "src.txt": "", "src-b": b"\xff\0", "README.md": None})
    number = fake_github.open_pull(REPO, "Change it\n\nbecause", {"src/a.py": "a = 2\n"}, by="robot[bot]")
    clone = tmp_path / "clone"
    done = git("clone", "-q", "-c", "transfer.fsckObjects=true", address(fake_github, REPO), str(clone))
    assert done.returncode == 0, done.stderr
    assert git("fsck", "--full", "--strict", at=clone).returncode == 0
    assert sorted(path.name for path in clone.iterdir()) == [".git", "src", "src-b", "src.txt"]
    assert (clone / "src-b").read_bytes() == b"\xff\0"
    assert git("rev-parse", "HEAD", at=clone).stdout.strip() == fake_github.repo(REPO).branches["main"]
    assert git("fetch", "-q", "origin", f"refs/pull/{number}/head", at=clone).returncode == 0
    pull = fake_github.repo(REPO).issues[number].pull
    assert pull is not None
    assert git("rev-parse", "FETCH_HEAD", at=clone).stdout.strip() == pull.head
    assert git("show", "FETCH_HEAD:src/a.py", at=clone).stdout == "a = 2\n"
    assert fake_github.git.calls[REPO, "git-upload-pack"] >= 2


def test_private_repositories_open_to_the_tokens_that_cover_them(fake_github: FakeGitHub) -> None:
    for name in ("acme/secret", "acme/other"):
        fake_github.create_repository(name, private=True)
    token, _ = fake_github.access.issue_token(fake_github.install("acme", ["acme/secret"]))
    seen = {
        (repo, shown): git("ls-remote", address(fake_github, repo, shown)).returncode == 0
        for repo in (REPO, "acme/secret", "acme/other", "acme/nothing")
        for shown in ("", token, "wrong")
    }
    for shown in ("", token, "wrong"):  # git sends credentials only when it is asked for them
        assert seen.pop((REPO, shown))
    assert [case for case, opened in seen.items() if opened] == [("acme/secret", token)]
    fake_github.expire_tokens()
    assert git("ls-remote", address(fake_github, "acme/secret", token)).returncode != 0


def test_nobody_pushes(fake_github: FakeGitHub, fake_installation: int, tmp_path: Path) -> None:
    token, _ = fake_github.access.issue_token(fake_installation)
    git("clone", "-q", address(fake_github, REPO, token), str(tmp_path / "clone"))
    assert git("push", "origin", "HEAD:refs/heads/mine", at=tmp_path / "clone").returncode != 0


def test_the_old_name_leads_on_and_faults_are_seen(fake_github: FakeGitHub) -> None:
    old = address(fake_github, REPO)
    fake_github.rename_repository(REPO, "gadgets")
    assert git("ls-remote", old).returncode == 0
    fake_github.fail(503)
    assert git("ls-remote", old).returncode != 0


def test_a_pull_request_is_compared_from_where_it_parted(fake_github: FakeGitHub, http: requests.Session) -> None:
    start = fake_github.push(REPO, {"a.txt": "1\n2\n", "gone.txt": "x\n", "b.bin": b"\xff"})
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "1\n3", "gone.txt": None, "b.bin": b"\xfe", "new": "n\n"})
    moved = fake_github.push(REPO, {"elsewhere.txt": "y\n"})
    repository = f"{fake_github.url}/repos/{REPO}"
    pull = http.get(f"{repository}/pulls/{number}").json()
    assert pull["base"]["sha"] == start
    compared = http.get(f"{repository}/compare/{moved}...{pull['head']['sha']}").json()
    assert (compared["merge_base_commit"]["sha"], compared["status"]) == (start, "diverged")
    assert (compared["ahead_by"], compared["behind_by"], len(compared["commits"])) == (1, 1, 1)
    files = http.get(f"{repository}/pulls/{number}/files").json()
    assert files == compared["files"]
    assert {item["filename"]: (item["status"], item["additions"], item["deletions"]) for item in files} == {
        "a.txt": ("modified", 1, 1),
        "b.bin": ("modified", 0, 0),
        "gone.txt": ("removed", 0, 1),
        "new": ("added", 1, 0),
    }
    assert files[0]["patch"] == "@@ -1,2 +1,2 @@\n 1\n-2\n+3\n\\ No newline at end of file"
    assert http.get(f"{repository}/compare/{start}...{'0' * 40}").status_code == 404
