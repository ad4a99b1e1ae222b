"""The first policy, and GitHub's pages with it filled in."""

from urllib.parse import parse_qs, urlsplit

import pytest

from bot.policy_choices import Mode
from bot.policy_file import PATH, load
from bot.rendering.starter import new_file_url, new_issue_url, starter_policy


@pytest.mark.parametrize("mode", list(Mode))
def test_the_policy_is_valid_and_says_what_it_is_for(mode: Mode) -> None:
    text = starter_policy(mode)
    assert load(text.encode()).mode is mode
    assert all(f"#   {each.value}:" in text for each in Mode)


def test_the_page_for_a_new_file_holds_the_policy_whatever_the_branch_is_called() -> None:
    address = urlsplit(new_file_url("https://github.com", "acme/widgets", "release/v1 #2", starter_policy()))
    assert address.path == "/acme/widgets/new/release/v1%20%232"
    assert parse_qs(address.query) == {"filename": [PATH], "value": [starter_policy()]}


def test_the_page_for_a_new_issue_names_numbers_and_no_people() -> None:
    address = urlsplit(new_issue_url("https://github.com", "acme/widgets", [9, 4], 30, "https://b.example/welcome/x"))
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    assert address.path == "/acme/widgets/issues/new"
    assert "held 2 until more is said: #9, #4." in query["body"] and "https://b.example/welcome/x" in query["body"]
    assert "@" not in query["body"] + query["title"]


def test_the_only_issue_of_a_repository_is_one() -> None:
    body = parse_qs(urlsplit(new_issue_url("https://github.com", "acme/widgets", [9], 1, "")).query)["body"][0]
    assert body.startswith("Of the last 1 issue Bouncer would have held 1 until")


def test_where_the_page_is_private_the_issue_does_not_name_it() -> None:
    body = parse_qs(urlsplit(new_issue_url("https://github.com", "acme/widgets", [], 3, "")).query)["body"][0]
    assert "held 0 until more is said: none." in body and "welcome" not in body
