"""Fixes that others offer beside an agent's pull request: what is looked up, and what becomes of the check."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.verdicts import Decision
from bot.verification.evidence import Case, Claimant, ClaimEvidence, Ran, Verified
from bot.verification.patch_evidence import Hole
from tests.workflows.house import PLAUSIBLE, House, Told
from tests.workflows.test_gate import AGENT, ENFORCE, MENDS, check

RABBIT, RIVAL = "coderabbitai[bot]", "rival"
TITLE = "Add slug(): it should make a text fit for an address"
ASKED = "It should work like this:\n\n>>> from till import slug\n>>> slug('A b')\n'a-b'\n>>> slug('C d e')\n'c-d-e'\n"
TILL = "def split(cents, people):\n    return [cents // people] * people\n"
TEST = "from till import split\n\n\ndef test_it():\n    assert split(4, 2) == [2, 2]\n"
WRONG, RIGHT = (f"{TILL}\n\ndef slug(text):\n    return text.lower(){end}\n" for end in ("", ".replace(' ', '-')"))
OWN_TEST = "from till import slug\n\n\ndef test_slug():\n    assert slug('A') == 'a'\n"
SUGGESTION = {
    "path": "till.py",
    "line": 6,
    "body": "Wrong.\n```suggestion\n    return '-'.join(text.lower().split())\n```",
}
MISSED = Hole("pull request 3 by rival", "https://github.com/x", "issue 1, the example", "f(1)", "1", "@two")


@pytest.fixture
def told(house: House) -> Iterator[Told]:
    house.verifier.stood = MENDS
    yield house.verifier
    house.verifier.stood, house.verifier.verified = PLAUSIBLE, Told().verified
    house.verifier.checked.clear()


def asked(house: House, policy: str = ENFORCE, **more: Any) -> tuple[str, int]:
    repo = house.repository(policy)
    house.github.push(repo, {"till.py": TILL, "test_till.py": TEST})
    return repo, house.github.open_issue(repo, TITLE, ASKED, **more)


def propose(house: House, repo: str, issue: int, code: str, by: str, test: str = OWN_TEST) -> int:
    """A pull request for the issue."""
    files = {"till.py": code, "test_slug.py": test}
    number = house.github.open_pull(repo, "Add slug()", files, body=f"Fixes #{issue}", by=by)
    house.settle(240)
    return number


def test_rivals_and_suggestions_are_looked_up(house: House, told: Told) -> None:
    repo, issue = asked(house)
    rival = propose(house, repo, issue, RIGHT, RIVAL)
    house.github.open_pull(repo, "Draft", {"a.py": "a = 1\n"}, body=f"Fixes #{issue}", by="other", draft=True)
    elsewhere = house.github.open_issue(repo, "Another", "")
    house.github.open_pull(repo, "Other", {"b.py": "b = 1\n"}, body=f"Fixes #{elsewhere}", by="third")
    number = propose(house, repo, issue, WRONG, AGENT)
    house.github.review(repo, number, "", remarks=[SUGGESTION], state="commented", by=RABBIT)
    house.settle()
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    first, second = told.checked[-1].offered()
    assert (first.author, second.author, second.number) == (RABBIT, RIVAL, rival)
    assert second.base == house.github.repo(repo).issues[rival].pull.base  # type: ignore[union-attr]
    assert second.url == f"{house.settings.github_web_url}/{repo}/pull/{rival}"
    house.github.close_issue(repo, rival)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert [each.author for each in told.checked[-1].offered()] == [RABBIT]


def test_nothing_is_looked_up_where_nothing_is_missed(house: House, told: Told) -> None:
    before = len(house.github.traffic.exchanges)
    propose(house, *asked(house), WRONG, AGENT)
    calls = [str(each.request) for each in house.github.traffic.exchanges[before:]]
    assert not any("closedByPullRequestsReferences" in each for each in calls)


@pytest.mark.parametrize("status", [403, 404, 502])
def test_what_cannot_be_looked_up_is_no_word_on_the_change(house: House, told: Told, status: int) -> None:
    repo, issue = asked(house)
    propose(house, repo, issue, RIGHT, RIVAL)
    propose(house, repo, issue, WRONG, AGENT)
    house.github.fail(status, method="GET", route="/repos/{owner}/{repo}/compare/{basehead}", times=9)
    assert told.checked[-1].offered() == ()


def test_a_hole_goes_to_a_person_who_may_lift_it(house: House, told: Told) -> None:
    told.stood = replace(MENDS, holes=(MISSED,))
    repo, issue = asked(house)
    number = propose(house, repo, issue, WRONG, AGENT)
    conclusion, title = check(house, repo, number)
    assert conclusion == "action_required"
    said = "An example of its issue does not hold with this change, and holds with pull request 3 by rival."
    assert title.startswith(f"A person must look: {said}")
    (run,) = (each for each in house.github.checks(repo) if "An example of its issue" in each.title)
    assert (
        "- Issue 1, the example asks for `f(1)` to give `@two`\n- with this change: `1`\n- with that fix: `@two`"
        in run.summary
    )
    assert "github.com/x" not in run.summary, "no link but those that were looked up"
    house.say(repo, number, "/bouncer override It asks for the wrong thing.", by="maintainer")
    assert check(house, repo, number)[0] == "success"


BY_EXAMPLE = ClaimEvidence(Claimant.EXAMPLE, Ran.REPAIRED)
SHOWS = Verified(Decision.BOUNCE, Case.REPAIR_SUCCESS, ("The fix passes.",), outcome=BY_EXAMPLE)


def review(house: House, repo: str, number: int) -> None:
    house.github.review(repo, number, "", remarks=[SUGGESTION], state="commented", by=RABBIT)
    house.settle()


def test_a_suggestion_never_takes_a_verdict_that_the_budget_does_not_give_again(house: House, told: Told) -> None:
    """The budget of whoever pushed counts, as it does where the commit is judged."""
    told.verified = SHOWS
    repo, issue = asked(house, ENFORCE + "\nbudgets: {per_repository: 4}\n")
    number = propose(house, repo, issue, WRONG, AGENT)
    propose(house, repo, issue, WRONG + "# 2\n", AGENT)
    before = check(house, repo, number), len(told.checked)
    review(house, repo, number)
    assert (check(house, repo, number), len(told.checked)) == before
    assert before[0][0] == "success"


def test_further_suggestions_do_not_have_it_judged_again_and_again(house: House, told: Told) -> None:
    told.verified = SHOWS
    repo, issue = asked(house)
    number = propose(house, repo, issue, WRONG, AGENT)
    many = []
    for _ in range(3):
        review(house, repo, number)
        many.append(len(told.checked))
    assert many == [2, 2, 2]
    house.github.push_to_pull(repo, number, {"till.py": WRONG + "# 3\n"})
    house.settle()
    review(house, repo, number)
    assert len(told.checked) == 4, "once for each commit"


def test_a_suggestion_for_an_older_commit_has_nothing_judged_again(house: House, told: Told) -> None:
    """It was pushed while the suggestion ran."""
    told.verified = SHOWS
    repo, issue = asked(house)
    number = propose(house, repo, issue, WRONG, AGENT)

    def push() -> None:
        told.meanwhile = lambda: None
        house.github.push_to_pull(repo, number, {"till.py": WRONG + "# 2\n"})

    told.meanwhile = push
    review(house, repo, number)
    assert len(told.checked) == 2, "each commit once"


def test_a_suggestion_that_comes_later_has_it_judged_once_more(house: House, told: Told) -> None:
    repo, issue = asked(house)
    number = propose(house, repo, issue, WRONG, AGENT)
    assert check(house, repo, number)[0] == "success"
    told.stood = replace(MENDS, holes=(MISSED,))

    def checked() -> int:
        review(house, repo, number)
        return len(told.checked)

    assert (checked(), check(house, repo, number)[0]) == (1, "success"), "it shows nothing"
    told.verified = SHOWS
    assert (checked(), check(house, repo, number)[0]) == (2, "action_required")
    assert checked() == 2, "once"
