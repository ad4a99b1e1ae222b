"""What is sent again, what never is, and how long is waited."""

import socket
import threading
from urllib.parse import urlsplit

import pytest

from bot.github.channel import TRIES
from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, GitHubError, Gone, RateLimited, Rejected, Unauthorized, Unavailable
from fake_github import FakeGitHub
from tests.github.conftest import Hours
from tests.github.test_checks import check
from tests.support.waiting import eventually
from tests.telemetry.metered import grown

REPO = "acme/widgets"
COMMENTS = "/issues/{issue_number}/comments"


@pytest.fixture
def number(fake_github: FakeGitHub, hours: Hours) -> int:
    return fake_github.open_issue(REPO, "It broke", "help")


def test_reads_are_repeated(fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours) -> None:
    fake_github.fail(502)
    fake_github.drop()
    assert client.get_issue(number).number == number
    assert len(fake_github.traffic.exchanges) == 3
    assert hours.slept == [0.5, 1.0]


def test_repeating_ends(fake_github: FakeGitHub, client: RepositoryClient, number: int) -> None:
    fake_github.fail(503, times=100)
    with pytest.raises(Unavailable) as caught:
        client.get_issue(number)
    assert caught.value.status == 503
    assert len(fake_github.traffic.exchanges) == 4


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_comment_is_not_posted_again_after_a_server_error(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, status: int, after_effect: bool
) -> None:
    fake_github.fail(status, method="POST", route=COMMENTS, after_effect=after_effect)
    with pytest.raises(Unavailable) as caught:
        client.create_comment(number, "Hello")
    assert caught.value.maybe_done
    assert len(fake_github.traffic.exchanges) == 1
    assert len(fake_github.issue(REPO, number).comments) == (1 if after_effect else 0)


def test_a_comment_is_not_posted_again_when_the_answer_is_lost(
    fake_github: FakeGitHub, client: RepositoryClient, number: int
) -> None:
    fake_github.drop(method="POST", route=COMMENTS, after_effect=True)
    with pytest.raises(Unavailable) as caught:
        client.create_comment(number, "Hello <!-- m -->")
    assert caught.value.maybe_done
    assert len(fake_github.issue(REPO, number).comments) == 1
    assert client.find_own_comment(number, "<!-- m -->") is not None


HALVES = ("cut", "chunk", "text")


@pytest.mark.parametrize("how", HALVES)
def test_half_an_answer_is_none(fake_github: FakeGitHub, client: RepositoryClient, number: int, how: str) -> None:
    """What only reads is asked for again; what may have been done is not done again, whatever the half says."""
    fake_github.halve(how, 2)
    assert client.get_issue(number).title == "It broke"
    assert len(fake_github.traffic.exchanges) == 3
    fake_github.halve(how, method="POST", route=COMMENTS)
    with pytest.raises(Unavailable) as caught:
        client.create_comment(number, "Hello")
    assert caught.value.maybe_done
    assert len(fake_github.issue(REPO, number).comments) == 1


@pytest.mark.parametrize("how", ["cut", "chunk"])
def test_half_a_diff_is_none(fake_github: FakeGitHub, client: RepositoryClient, how: str) -> None:
    pull = client.get_pull(fake_github.open_pull(REPO, "Add", {"new.py": "x = 1\n" * 50}))
    whole = client.difference(pull.base, pull.head)
    fake_github.halve(how, route="/compare/{basehead}")
    assert client.difference(pull.base, pull.head) == whole


def test_a_check_run_is_not_created_again(fake_github: FakeGitHub, client: RepositoryClient) -> None:
    fake_github.fail(502, method="POST", route="/check-runs", after_effect=True)
    wanted = check(fake_github)
    with pytest.raises(Unavailable):
        client.put_check(wanted)
    client.put_check(wanted)
    assert len(fake_github.checks(REPO)) == 1


def test_what_was_refused_for_a_rate_limit_is_sent_again(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours
) -> None:
    fake_github.limit_rate(retry_after=7)
    limited = grown("bouncer_github_rate_limited_total")
    client.create_comment(number, "Hello")
    assert limited() == 1
    assert len(fake_github.issue(REPO, number).comments) == 1
    assert hours.slept == [7.0]


@pytest.mark.parametrize(
    ("headers", "status", "message", "least"),
    [
        ({"retry-after": "30"}, 403, "You have exceeded a secondary rate limit.", 30),
        ({}, 403, "You have exceeded a secondary rate limit.", 60),
        ({}, 429, "Too many requests", 60),
        ({"retry-after": "2"}, 429, "Too many requests", 2),
    ],
)
def test_patience_asked_by_a_secondary_rate_limit(
    fake_github: FakeGitHub,
    client: RepositoryClient,
    number: int,
    hours: Hours,
    headers: dict[str, str],
    status: int,
    message: str,
    least: float,
) -> None:
    fake_github.fail(status, message=message, headers=headers)
    client.get_issue(number)
    assert sum(hours.slept) == pytest.approx(least, abs=0.01)


def test_the_primary_rate_limit_is_waited_out(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours
) -> None:
    fake_github.limit_rate(reset_in=40)
    client.get_issue(number)
    assert 39 <= sum(hours.slept) <= 42


def test_a_clock_that_is_a_day_behind_puts_nothing_off_for_a_day(
    fake_github: FakeGitHub, client: RepositoryClient, number: int
) -> None:
    fake_github.limit_rate(reset_in=40 + 86_400)
    with pytest.raises(RateLimited) as caught:
        client.get_issue(number)
    assert caught.value.retry_after <= 3601


def test_nothing_is_sent_once_the_limit_is_used_up(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours
) -> None:
    """The last allowed answer says `remaining: 0`; the next call would only be refused."""
    fake_github.access.limit = fake_github.access.used[next(iter(fake_github.installations))] + 1
    client.get_issue(number)
    with pytest.raises(RateLimited) as caught:
        client.get_issue(number)
    assert 3000 < caught.value.retry_after < 3700
    assert len(fake_github.traffic.exchanges) == 1
    hours.time += caught.value.retry_after
    assert client.get_issue(number).number == number


def test_a_long_wait_is_left_to_the_caller(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours
) -> None:
    fake_github.limit_rate(retry_after=900)
    with pytest.raises(RateLimited) as caught:
        client.create_comment(number, "Hello")
    assert caught.value.retry_after == pytest.approx(900, abs=1)
    assert hours.slept == []
    with pytest.raises(RateLimited):
        client.get_issue(number)
    assert len(fake_github.traffic.exchanges) == 1, "the second call must not even be sent"


def test_a_token_that_is_refused_at_the_last_try_is_said(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours
) -> None:
    fake_github.fail(502, TRIES - 1, method="GET", route="/issues/{issue_number}")
    fake_github.fail(401, method="GET", route="/issues/{issue_number}")
    with pytest.raises(Unauthorized):
        client.get_issue(number)


def test_rate_limits_without_end_are_given_up(fake_github: FakeGitHub, client: RepositoryClient, number: int) -> None:
    fake_github.limit_rate(retry_after=1, times=100)
    with pytest.raises(RateLimited):
        client.get_issue(number)
    assert len(fake_github.traffic.exchanges) == 4


def test_a_refusal_is_no_rate_limit(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours
) -> None:
    fake_github.app.permissions["issues"] = "read"
    with pytest.raises(Forbidden):
        client.create_comment(number, "Hello")
    assert len(fake_github.traffic.exchanges) == 1
    assert hours.slept == []


@pytest.fixture
def before() -> set[threading.Thread]:
    return set(threading.enumerate())


def test_no_connection_means_nothing_was_done_so_everything_is_tried_again(
    before: set[threading.Thread], fake_github: FakeGitHub, client: RepositoryClient, number: int, hours: Hours
) -> None:
    fake_github.stop()
    own = [thread for thread in threading.enumerate() if "process_request" in thread.name and thread not in before]
    eventually(lambda: not any(thread.is_alive() for thread in own))  # all hung up
    with socket.socket() as nobody, pytest.raises(Unavailable) as caught:
        nobody.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        nobody.bind((urlsplit(fake_github.url).hostname, urlsplit(fake_github.url).port))  # nor another server
        client.create_comment(number, "Hello")
    assert not caught.value.maybe_done
    assert len(hours.slept) == 3
    fake_github.start()
    client.create_comment(number, "Hello")
    assert len(fake_github.issue(REPO, number).comments) == 1


def test_sets_are_repeated_although_they_are_posts(
    fake_github: FakeGitHub, client: RepositoryClient, number: int
) -> None:
    comment = fake_github.comment(REPO, number, "/bouncer help")
    fake_github.fail(502, method="POST", route="/issues/{issue_number}/labels", after_effect=True)
    client.add_label(number, "needs-clarification", color="fbca04", description="d")
    fake_github.drop(method="POST", route="/reactions", after_effect=True)
    client.react(comment, "eyes")
    issue = fake_github.issue(REPO, number)
    assert issue.labels == ("needs-clarification",)
    assert issue.history.count("labeled") == 1
    assert issue.comments[0].reactions == ("eyes",)


@pytest.mark.parametrize(
    ("status", "kind"), [(400, Rejected), (409, Rejected), (422, Rejected), (410, Gone), (451, Rejected)]
)
def test_what_github_refuses_is_not_repeated(
    fake_github: FakeGitHub, client: RepositoryClient, number: int, status: int, kind: type[GitHubError]
) -> None:
    fake_github.fail(status, times=5, message="No,\nnever.")
    with pytest.raises(kind) as caught:
        client.get_issue(number)
    assert str(caught.value) == f"GET /repos/acme/widgets/issues/{number}: {status} No, never."
    assert caught.value.status == status
    assert len(fake_github.traffic.exchanges) == 1


def test_a_proxys_page_is_no_answer(fake_github: FakeGitHub, client: RepositoryClient, number: int) -> None:
    fake_github.fail(502, times=4, message="<html>Bad gateway</html>")
    with pytest.raises(Unavailable):
        client.get_issue(number)
