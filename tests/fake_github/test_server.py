"""The fake as a server and as git sees it: whom it answers, its sign-in, faults that leave traces, another start."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
import requests
from pydantic import SecretStr

from bot.github.client import RepositoryClient
from bot.github.errors import GitHubError, NotFound, Unauthorized
from bot.github.people import SignInApp
from fake_github import FakeGitHub
from fake_github.access import new_private_key

REPO = "acme/widgets"


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def signed(key: str, **claims: object) -> dict[str, str]:
    token = jwt.encode(claims, key, algorithm="RS256")
    return {"Authorization": f"Bearer {token}"}


def test_only_the_apps_own_key_is_accepted(fake_github: FakeGitHub, http: requests.Session) -> None:
    now = int(fake_github.now().timestamp())
    good = {"iat": now - 10, "exp": now + 300, "iss": str(fake_github.app.id)}
    key = fake_github.private_key
    assert http.get(f"{fake_github.url}/app", headers=signed(key, **good)).status_code == 200
    for refused in (
        {},
        {"Authorization": "Bearer nonsense"},
        signed(new_private_key(), **good),
        signed(key, **{**good, "iss": "1"}),
        signed(key, **{**good, "iat": now - 900, "exp": now - 300}),
        signed(key, **{**good, "exp": now + 3600}),
        signed(key, iss=good["iss"]),
        {"Authorization": "Bearer " + jwt.encode(good, "x" * 32, algorithm="HS256")},
    ):
        assert http.get(f"{fake_github.url}/app", headers=refused).status_code == 401


def test_effects_are_counted_even_when_the_answer_is_spoilt(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    fake_github.fail(502, route="/comments")
    fake_github.drop(route="/comments")
    fake_github.fail(502, route="/comments", after_effect=True)
    fake_github.drop(route="/comments", after_effect=True)
    for text in "abcd":
        with pytest.raises(GitHubError):
            repository_client.create_comment(number, text)
    assert [comment.body for comment in fake_github.issue(REPO, number).comments] == ["c", "d"]
    assert [call.request["body"] for call in fake_github.writes(REPO, number)] == ["c", "d"]
    assert fake_github.writes("acme/other") == []


def test_a_slow_call_does_not_hold_up_the_others(
    fake_github: FakeGitHub, repository_client: RepositoryClient, http: requests.Session
) -> None:
    fake_github.slow_down(60, route="/repos/{owner}/{repo}")
    with pytest.raises(requests.Timeout):
        http.get(f"{fake_github.url}/repos/acme/widgets", timeout=0.2)
    assert repository_client.about().default_branch == "main"


def test_an_answer_can_be_late_after_the_work_was_done(
    fake_github: FakeGitHub, repository_client: RepositoryClient, http: requests.Session
) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    repository_client.about()
    (token,) = fake_github.tokens
    fake_github.slow_down(60, method="POST", route="/comments", after_effect=True)
    address = f"{fake_github.url}/repos/{REPO}/issues/{number}/comments"
    with pytest.raises(requests.Timeout):
        http.post(address, json={"body": "Hello"}, headers={"Authorization": f"token {token}"}, timeout=0.5)
    assert len(fake_github.issue(REPO, number).comments) == 1


def test_it_comes_back_under_the_same_address_with_all_it_knew(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    url = fake_github.url
    fake_github.stop()
    fake_github.start()
    assert fake_github.url == url
    assert repository_client.get_issue(number).title == "It broke"


CALLBACK = "http://127.0.0.1:8000/login/callback"
VERIFIER, CHALLENGE = "a" * 43, "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA"


@pytest.fixture
def app(fake_github: FakeGitHub) -> Iterator[SignInApp]:
    client, secret = fake_github.client
    yield SignInApp(fake_github.web_url, fake_github.url, client, SecretStr(secret), CALLBACK)


def test_a_code_counts_once_for_ten_minutes_with_its_verifier(fake_github: FakeGitHub, app: SignInApp) -> None:
    fake = fake_github.sign_in
    code = fake.code("maintainer", CALLBACK, CHALLENGE)
    token = app.token(code, VERIFIER)
    assert app.login(token) == "maintainer"
    with pytest.raises(Unauthorized, match="bad_verification_code"):
        app.token(code, VERIFIER)
    with pytest.raises(Unauthorized, match="bad_verification_code"):
        app.token(fake.code("maintainer", CALLBACK, CHALLENGE), "b" * 43)
    with pytest.raises(Unauthorized, match="redirect_uri_mismatch"):
        app.token(fake.code("maintainer", "http://localhost/other", CHALLENGE), VERIFIER)
    assert token not in repr(app) and "fake-client-secret" not in repr(app)


def test_only_the_app_and_its_own_callbacks_are_known(fake_github: FakeGitHub, app: SignInApp) -> None:
    address = app.authorize_url("state", CHALLENGE)
    assert "maintainer" in requests.get(address, timeout=120).text
    for wrong in (address.replace("127.0.0.1%3A8000", "evil.example"), address.replace("client_id=", "client_id=x")):
        assert requests.get(wrong, timeout=120).status_code == 404
    fake_github.sign_in.callbacks.append("http://127.0.0.1:9/other")
    assert requests.get(address, timeout=120).status_code == 404


def test_a_token_sees_what_its_person_sees(fake_github: FakeGitHub, app: SignInApp) -> None:
    fake_github.create_repository("acme/secret", private=True, collaborators={"maintainer": "read"})
    fake_github.create_repository("acme/apart", private=True, collaborators={"maintainer": "admin"})
    installation = next(iter(fake_github.installations))
    fake_github.add_repositories(installation, ["acme/secret"])
    maintainer, stranger = (fake_github.sign_in.token(login) for login in ("maintainer", "reporter"))
    assert [each.full_name for each in app.repositories(maintainer)] == ["acme/widgets", "acme/secret"]
    assert list(app.repositories(stranger)) == []
    assert app.repository(maintainer, "acme/secret").full_name == "acme/secret"
    assert app.repository(stranger, "acme/widgets").full_name == "acme/widgets"  # anybody may see it
    for token, name in (
        (stranger, "acme/secret"),
        (maintainer, "acme/apart"),
        (maintainer, "../user"),
        (maintainer, "a"),
    ):
        with pytest.raises(NotFound):
            app.repository(token, name)
    app.revoke(maintainer)
    with pytest.raises(Unauthorized):
        app.login(maintainer)


@pytest.fixture
def served(fake_github: FakeGitHub, fake_installation: int) -> Iterator[requests.Session]:
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


def test_a_pull_request_is_compared_from_where_it_parted(fake_github: FakeGitHub, served: requests.Session) -> None:
    start = fake_github.push(REPO, {"a.txt": "1\n2\n", "gone.txt": "x\n", "b.bin": b"\xff"})
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "1\n3", "gone.txt": None, "b.bin": b"\xfe", "new": "n\n"})
    moved = fake_github.push(REPO, {"elsewhere.txt": "y\n"})
    repository = f"{fake_github.url}/repos/{REPO}"
    pull = served.get(f"{repository}/pulls/{number}").json()
    assert pull["base"]["sha"] == start
    compared = served.get(f"{repository}/compare/{moved}...{pull['head']['sha']}").json()
    assert (compared["merge_base_commit"]["sha"], compared["status"]) == (start, "diverged")
    assert (compared["ahead_by"], compared["behind_by"], len(compared["commits"])) == (1, 1, 1)
    files = served.get(f"{repository}/pulls/{number}/files").json()
    assert files == compared["files"]
    assert {item["filename"]: (item["status"], item["additions"], item["deletions"]) for item in files} == {
        "a.txt": ("modified", 1, 1),
        "b.bin": ("modified", 0, 0),
        "gone.txt": ("removed", 0, 1),
        "new": ("added", 1, 0),
    }
    assert files[0]["patch"] == "@@ -1,2 +1,2 @@\n 1\n-2\n+3\n\\ No newline at end of file"
    assert served.get(f"{repository}/compare/{start}...{'0' * 40}").status_code == 404
