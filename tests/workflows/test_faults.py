"""Each call of a first look and of a clearing fails once, in each way GitHub knows: in the end all is written, once."""

from collections.abc import Callable

import pytest

from tests.support.lengths import EVERY_TRICK
from tests.workflows.hours import finish, no_waiting
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE, House

CALLS = {
    "policy": ("GET", "/contents/{path}"),
    "issue": ("GET", "/issues/{issue_number}"),
    "comments": ("GET", "/issues/{issue_number}/comments"),
    "label": ("POST", "/issues/{issue_number}/labels"),
    "label's look": ("PATCH", "/labels/{name}"),
    "comment": ("POST", "/issues/{issue_number}/comments"),
    "label off": ("DELETE", "/issues/{issue_number}/labels/{name}"),
    "comment again": ("PATCH", "/issues/comments/{comment_id}"),
}
LIMIT = "You have exceeded a secondary rate limit."
FAULTS: dict[str, Callable[[House, str, str], None]] = {
    "down": lambda house, method, route: house.github.fail(502, method=method, route=route),
    "down after": lambda house, method, route: house.github.fail(500, method=method, route=route, after_effect=True),
    "dropped": lambda house, method, route: house.github.drop(method=method, route=route),
    "dropped after": lambda house, method, route: house.github.drop(method=method, route=route, after_effect=True),
    "limited": lambda house, method, route: house.github.fail(
        403, method=method, route=route, message=LIMIT, headers={"retry-after": "0"}
    ),
    "revoked": lambda house, method, route: house.github.fail(401, method=method, route=route),
}


@pytest.mark.parametrize("fault", ["down", "limited", "revoked", *(["dropped"] if EVERY_TRICK else [])])
def test_whatever_fails_is_written_once_in_the_end(house: House, fault: str) -> None:
    """Each call once: nothing has happened on GitHub when it fails."""
    look_and_clear(house, fault, *CALLS)


@pytest.mark.parametrize("fault", ["dropped after", *(["down after"] if EVERY_TRICK else [])])
def test_what_happened_though_the_answer_was_lost_is_not_done_again(house: House, fault: str) -> None:
    """One call at a time, each that changes something."""
    for call, (method, _) in CALLS.items():
        if method != "GET":
            look_and_clear(house, fault, call)


def look_and_clear(house: House, fault: str, *calls: str) -> None:
    no_waiting(house)
    house.github.traffic.clear()
    repo = house.repository()
    for call in calls:
        FAULTS[fault](house, *CALLS[call])
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    finish(house)
    assert house.held(repo, number), calls
    assert house.spoken(repo, number), calls
    house.github.edit_issue(repo, number, title=CLEAR_TITLE, body=CLEAR)
    finish(house)
    assert not house.held(repo, number), calls
    assert "- [ ]" not in house.spoken(repo, number), calls
    history = house.issue(repo, number).history
    assert (history.count("labeled"), history.count("unlabeled")) == (1, 1), calls
