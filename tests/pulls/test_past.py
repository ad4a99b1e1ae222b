"""What a pull request cannot take back, and whose word counts."""

import pytest

from bot.policy import Agents, PullRules
from bot.policy_choices import Scope
from bot.pulls.agents import agents_account, authorship, no_persons_word
from bot.pulls.facts import Past, Pusher
from tests.pulls.test_agents import SIGNATURE, proposal
from tests.support.cases import cases

HEAD = "b" * 40
SIGNED = ("Its description contains Claude Code's signature.",)
HOUSE = Agents(logins=("house-coder",), exempt=("acme-release[bot]", "octocat"))


def pushed(login: str, number: int = 3) -> Past:
    return Past(pushers=(Pusher(login, login.endswith("[bot]"), HEAD, number),))


@cases
def test_whoever_pushes_counts(login: str, says: str) -> None:
    is_bot = login.endswith("[bot]")
    assert (says in agents_account(login, is_bot, HOUSE)) and bool(agents_account(login, is_bot, HOUSE)) is bool(says)
    found = authorship(proposal(), PullRules(agents=HOUSE), pushed(login))
    assert found.agent is bool(says)
    assert found.reasons[0].startswith("Commits were pushed to it by `" if says else "Nothing shows")


def test_only_ascii_is_exempt() -> None:
    assert "\u212aate".lower() == "kate", "so lowering alone would take it for another"
    assert agents_account("\u212aate[bot]", True, Agents(exempt=("kate[bot]",)))


@pytest.mark.parametrize(
    ("author", "past", "agent"),
    [
        ("ada", Past(signs=SIGNED), True),  # the signature was deleted
        ("ada", Past(), False),
        ("ada", Past(twin=7), True),  # opened anew from the agent's branch
        ("ada", pushed("devin-ai-integration[bot]", 7), True),  # with a commit of one's own on top
        ("ada", pushed("grace", 7), False),
        ("octocat", Past(signs=SIGNED, twin=7), False),  # exempt, whatever it shows
        ("octocat", pushed("devin-ai-integration[bot]"), True),  # but not whoever pushes to it
        ("devin-ai-integration[bot]", pushed("octocat"), True),  # an exempt push makes nobody else exempt
        ("dependabot[bot]", pushed("github-actions[bot]"), False),
        ("dependabot[bot]", pushed("cursor[bot]"), True),
    ],
)
def test_what_was_known_counts_beside_what_it_shows(author: str, past: Past, agent: bool) -> None:
    assert authorship(proposal(author), PullRules(agents=HOUSE), past).agent is agent


@pytest.mark.parametrize(
    ("past", "judged"),
    [
        (Past(), False),
        (Past(signs=SIGNED, twin=7), False),
        (pushed("octocat"), False),
        (pushed("acme-release[bot]"), False),  # exempt as well
        (pushed("grace"), True),  # a person's code is on it now
        (pushed("grace", 7), True),  # or was taken from her pull request
        (pushed("devin-ai-integration[bot]"), True),
    ],
)
def test_where_everybody_is_judged_an_exempt_authors_own_pushes_are_not(past: Past, judged: bool) -> None:
    everybody = PullRules(scope=Scope.ALL, agents=HOUSE)
    assert authorship(proposal("OctoCat"), everybody, past).in_scope is judged
    assert authorship(proposal("grace"), everybody, past).in_scope


def test_the_first_reasons_are_told_once_they_are_gone() -> None:
    gone = authorship(proposal(), PullRules(), Past(signs=SIGNED))
    assert gone.reasons == (f"It counted as a coding agent's before, and stays one: {SIGNED[0]}",)
    assert authorship(proposal(body=SIGNATURE), PullRules(), Past(signs=SIGNED)).reasons == SIGNED


@pytest.mark.parametrize(("scope", "judged"), [(Scope.AGENTS, False), (Scope.ALL, True)])
def test_a_maintainers_word_lifts_it_and_the_reasons_stay(scope: Scope, judged: bool) -> None:
    found = authorship(proposal(body=SIGNATURE), PullRules(scope=scope), Past(signs=SIGNED, person="grace"))
    assert (found.agent, found.in_scope) == (False, judged)
    assert found.reasons[0].startswith("`grace` says that it is a person's") and found.reasons[1:] == SIGNED


@cases
def test_whose_word_counts(login: str, through_app: bool, refused: str) -> None:
    why = no_persons_word(login, login.endswith("[bot]"), through_app, HOUSE)
    assert refused in why and bool(why) is bool(refused)
