"""Files beside GitHub's API: bounded, without a token, and from nowhere else."""

import pytest

from bot.github.downloads import download, redirect_target
from bot.github.errors import GitHubError, NotFound, Rejected, Unavailable
from fake_github import FakeGitHub
from tests.support.cases import cases


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


@cases
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
