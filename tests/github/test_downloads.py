"""Files beside GitHub's API: bounded, without a token, and from nowhere else."""

import pytest

from bot.github.downloads import download, redirect_target
from bot.github.errors import GitHubError, NotFound, Rejected, Unavailable
from fake_github import FakeGitHub


def test_an_attached_file_is_followed_to_where_it_is_kept(fake_github: FakeGitHub) -> None:
    assert download(fake_github.attach("a.txt", b"held"), 4) == b"held"


def test_bounds(fake_github: FakeGitHub) -> None:
    address = fake_github.attach("a.txt", b"x" * 200_000)
    with pytest.raises(Rejected, match="larger than it may be"):
        download(address, 199_999)
    with pytest.raises(Unavailable, match="too long"):
        download(address, 1_000_000, within=-1)


def test_what_cannot_be_seen(fake_github: FakeGitHub) -> None:
    with pytest.raises(NotFound):
        download(fake_github.attach("a.txt", b"held", private=True), 4)
    with pytest.raises(GitHubError):
        download("http://127.0.0.1:1/user-attachments/files/1/a.txt", 4)


@pytest.mark.parametrize(
    ("address", "location", "follows"),
    [
        (
            "https://github.com/a",
            "https://objects.githubusercontent.com/b?sig=1",
            "https://objects.githubusercontent.com/b?sig=1",
        ),
        ("https://github.com/a", "/b", "https://github.com/b"),
        ("https://github.com/a", "http://objects.githubusercontent.com/b", ""),
        ("https://github.com/a", "https://objects.githubusercontent.com:8443/b", ""),
        ("https://github.com/a", "https://githubusercontent.com.evil.example/b", ""),
        ("https://github.com/a", "https://evilgithubusercontent.com/b", ""),
        ("https://github.com/a", "https://evil.example/.githubusercontent.com", ""),
        ("https://github.com/a", "https://github.com@evil.example/", ""),
        ("https://github.com/a", "http://169.254.169.254/latest/meta-data", ""),
        ("https://github.com/a", "http://github.com/b", ""),
        ("https://github.com/a", "file:///etc/passwd", ""),
        ("https://github.com/a", "https://evil.example\\@objects.githubusercontent.com/", ""),
        ("https://github.com/a", "https://evil.example\\.githubusercontent.com/", ""),
        ("https://github.com/a", "https://me@objects.githubusercontent.com/", ""),
        ("https://ghe.example/a", "https://ghe.example/b", "https://ghe.example/b"),
    ],
)
def test_where_a_redirect_may_lead(address: str, location: str, follows: str) -> None:
    if follows:
        assert redirect_target(address, location) == follows
        return
    with pytest.raises(Rejected, match="another host"):
        redirect_target(address, location)


@pytest.mark.parametrize("location", ["https://[", "https://github.com:99999/"])
def test_a_redirect_to_no_address(location: str) -> None:
    with pytest.raises(Rejected):
        redirect_target("https://github.com/a", location)
