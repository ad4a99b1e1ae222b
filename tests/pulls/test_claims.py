"""A pull request's claims against what was seen, what it states plainly, and what it cannot take back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.policy import Agents, PullRules
from bot.policy_choices import Scope
from bot.pulls.agents import agents_account, authorship, no_persons_word
from bot.pulls.claims import by_diff, by_runs, shown
from bot.pulls.facts import NOTHING_RAN, Past, Pusher, Statement, StatementFinding, StatementKind
from bot.pulls.statements import LONGEST, MOST, claims
from bot.rendering.pull_reasons import not_covered
from bot.verdicts import Effect
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Red, Standing, Turned
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.changes.parts import as_shown, change_of
from tests.pulls.results import decided
from tests.pulls.test_agents import SIGNATURE, proposal
from tests.support.cases import cases
from tests.support.properties import patient

CODE = ("shop/cart.py", "def total(a):\n    return 1\n", "def total(a):\n    return 2\n")


@cases
def test_by_the_diff(claim: StatementKind, files: list[tuple[str, str, str]], held: StatementFinding) -> None:
    (found,) = by_diff((Statement(claim, "as said", "title"),), change_of(*files), as_shown, dependency=False)
    assert found.held is held
    (told,) = shown((found,))
    assert told.effect is (Effect.MISSING if held is StatementFinding.CONTRADICTED else Effect.NEUTRAL), (
        "none is a merit"
    )
    assert (told.quote, told.where) == ("as said", "title")
    open_ = [each for each in not_covered(decided(claims=(found,))) if each.startswith("The description claims this")]
    assert bool(open_) is (held is StatementFinding.UNCHECKED)


def test_whole_files_tell_a_docstring_from_code() -> None:
    before = 'def total(a):\n    """The total.\n\n    Of one.\n    Or none.\n    """\n    return 1\n'
    said = (Statement(StatementKind.DOCUMENTATION_ONLY, "", "title"),)
    for after, held in (
        (before.replace("Of one.", "Of two."), StatementFinding.SHOWN),
        (before.replace("return 1", "return 2"), StatementFinding.CONTRADICTED),
    ):
        change = change_of(("shop/cart.py", before, after))
        (found,) = by_diff(said, change, lambda file, after=after: (before, after), dependency=False)
        assert found.held is held


@pytest.mark.parametrize(
    ("dependency", "held"), [(True, StatementFinding.CONTRADICTED), (False, StatementFinding.SHOWN)]
)
def test_dependencies(dependency: bool, held: StatementFinding) -> None:
    (found,) = by_diff((Statement(StatementKind.NO_DEPENDENCIES, "", ""),), change_of(CODE), dependency=dependency)
    assert found.held is held


PASSES = TestRun((TestResult("a", TestStatus.PASSED),), 1.0)
FINE = PatchEvidence(Standing.PLAUSIBLE, (), PatchFacts(PASSES, PASSES, PASSES))
TURNED = Turned("tests/test_cart.py::test_total", Red.ASSERTION, counts=True)


@pytest.mark.parametrize(
    ("claim", "patch", "held"),
    [
        (StatementKind.ALL_GREEN, FINE, StatementFinding.SHOWN),
        (StatementKind.ALL_GREEN, NOTHING_RAN, StatementFinding.UNCHECKED),
        (StatementKind.ALL_GREEN, PatchEvidence(Standing.OPEN, (), FINE.facts), StatementFinding.UNCHECKED),
        (StatementKind.ALL_GREEN, replace(FINE, only_tested=PASSES.results), StatementFinding.UNCHECKED),
        (
            StatementKind.ALL_GREEN,
            PatchEvidence(Standing.OPEN, (), FINE.facts, own_failing=("a",)),
            StatementFinding.CONTRADICTED,
        ),
        (StatementKind.BEHAVIOUR_KEPT, FINE, StatementFinding.SHOWN),
        (
            StatementKind.BEHAVIOUR_KEPT,
            PatchEvidence(Standing.PLAUSIBLE, (), FINE.facts, turned=(TURNED,)),
            StatementFinding.CONTRADICTED,
        ),
        (StatementKind.FASTER, FINE, StatementFinding.UNCHECKED),
    ],
)
def test_by_the_runs(claim: StatementKind, patch: PatchEvidence, held: StatementFinding) -> None:
    (found,) = by_runs(by_diff((Statement(claim, "", ""),), change_of(CODE), dependency=False), patch)
    assert found.held is held


def read(body: str, title: str = "Round up") -> set[StatementKind]:
    return {said.claim for said in claims(title, body)}


@cases
def test_claims(body: str, claim: StatementKind) -> None:
    assert read(body) == {claim}


@cases
def test_what_is_no_claim(body: str) -> None:
    assert read(body) == set()


def test_titles() -> None:
    assert read("", "docs(api): explain half") == {StatementKind.DOCUMENTATION_ONLY}


@patient
@given(st.text(), st.text())
def test_every_text_is_read(title: str, body: str) -> None:
    assert len(claims(title, body)) <= MOST


@pytest.mark.parametrize("unit", ["all ", "[x] ", "- ", "`", "(", "no ", "adds tests ", "*", "\n", "all a a tests "])
def test_a_nasty_text_takes_no_more_than_its_length(unit: str) -> None:
    claims("", unit * (LONGEST // len(unit)))


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
