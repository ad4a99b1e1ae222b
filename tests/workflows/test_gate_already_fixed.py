"""A coding agent's pull request for an issue that is fixed already, or whose examples still fail with it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.already_fixed.values import Fixed, Run
from bot.verification.patch_evidence import ExampleRuns
from tests.support.cases import cases
from tests.support.waiting import eventually
from tests.workflows.already_fixed import ALREADY, FIX, PARTIALLY, PASSES, POSSIBLY, PRESENT, SHOWN
from tests.workflows.house import CLEAR, CLEAR_TITLE, PLAUSIBLE, UNKNOWN, House, Looked
from tests.workflows.test_gate import AGENT, CODE, ENFORCE, MENDS, check

STILL = "issue 1, the first example: it raises TypeError"


@pytest.fixture(autouse=True)
def looked(house: House) -> Iterator[Looked]:
    """A test of its own goes from red to green, so that a bug report may be answered by it."""
    house.verifier.stood = MENDS
    yield house.examiner
    house.verifier.stood = PLAUSIBLE
    house.examiner.fixed, house.examiner.regression, house.examiner.runs = UNKNOWN, False, {}
    house.verifier.examples = ExampleRuns()
    house.examiner.tried_at.clear()
    house.patch_reviewer.asked.clear()
    house.verifier.meanwhile = lambda: None


def answered(
    house: House, fixed: Fixed, runs: dict[str, Run], files: dict[str, str] | None = None
) -> tuple[str, int, tuple[str, str]]:
    """A report that was looked at, and an agent's answer to it: repository, pull request, its check."""
    house.examiner.fixed, house.examiner.runs = fixed, runs
    repo = house.repository(ENFORCE)
    issue = house.open(repo, CLEAR, title=CLEAR_TITLE)
    number = house.github.open_pull(
        repo, "Load it", {"half.py": CODE} if files is None else files, body=f"Fixes #{issue}", by=AGENT
    )
    house.settle()
    return repo, number, check(house, repo, number)


def test_a_change_of_code_that_nobody_needs_is_bounced_with_the_proof(house: House, looked: Looked) -> None:
    repo, number, (conclusion, title) = answered(house, ALREADY, {SHOWN.name: PASSES})
    assert conclusion == "failure"
    assert title.startswith("Bounced: No change was needed: what issue 1 reports is fixed already by commit ffffffffff")
    (run,) = house.github.checks(repo)
    assert SHOWN.code in run.summary and "the code needs no change" in run.summary
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    assert looked.tried_at == [pull.base]
    assert house.patch_reviewer.asked == [], "nobody has to judge what nobody needs"
    house.say(repo, number, "/bouncer override It is a cleanup.", by="maintainer")
    assert check(house, repo, number) == ("success", "Overridden by maintainer")


def test_documentation_and_tests_pass(house: House) -> None:
    said = "Plausible: What its issue reports is fixed already"
    repo, _, (conclusion, title) = answered(house, ALREADY, {SHOWN.name: PASSES}, {"docs/half.md": "half = 1\n"})
    assert (conclusion, title.partition(",")[0]) == ("success", said)
    tests = house.propose(repo, "Test it", {"tests/test_half.py": "half = 1\n"}, body="Fixes #1", by=AGENT)
    conclusion, title = check(house, repo, tests)
    assert (conclusion, title.partition(",")[0]) == ("success", said)


@cases
def test_what_its_base_does_not_show_to_be_fixed_is_judged(runs: dict[str, Run], said: str, house: House) -> None:
    repo, _, (conclusion, title) = answered(house, ALREADY, runs)
    assert conclusion == "action_required"
    assert title.startswith("A person must look: ")
    (run,) = house.github.checks(repo)
    assert said in run.summary.replace("`", "")
    assert len(house.patch_reviewer.asked) == 1


@pytest.mark.parametrize(
    ("examples", "conclusion", "said"),
    [
        (ExampleRuns((STILL,), shown="half(3)\n"), "action_required", f"still fails with this change: {STILL}"),
        (ExampleRuns(otherwise=(STILL,)), "success", f"reproduction fails in another way: {STILL}"),
        (ExampleRuns(mended=(STILL,)), "success", f"With this change the report's reproduction passes: {STILL}"),
        (ExampleRuns(sources=("issue 1",)), "success", "No example was recognised in issue 1"),
    ],
    ids=["still fails", "otherwise", "mended", "none"],
)
def test_what_the_issue_shows_is_run_and_told(house: House, examples: ExampleRuns, conclusion: str, said: str) -> None:
    house.verifier.examples = examples
    repo, number, (concluded, title) = answered(house, PRESENT, {})
    assert concluded == conclusion
    (run,) = house.github.checks(repo)
    assert said in f"{title} {run.summary.replace('`', '')}"
    assert ("half(3)\n" in run.summary) is bool(examples.shown)
    (source,) = house.verifier.checked[-1].sources
    assert (source.name, source.title, source.text) == ("issue 1", CLEAR_TITLE, CLEAR)
    house.say(repo, number, "/bouncer override It asks for the wrong thing.", by="maintainer")
    assert check(house, repo, number)[0] == "success"


@pytest.mark.parametrize("edited", [False, True])
def test_what_its_own_author_reported_or_edited_is_run_for_nobody(house: House, looked: Looked, edited: bool) -> None:
    repo = house.repository(ENFORCE)
    issue = house.open(repo, CLEAR, title=CLEAR_TITLE, **({} if edited else {"by": AGENT}))
    if edited:
        house.edit(repo, issue, body=f"{CLEAR}\n`half(3)` should be `1`.", by=AGENT)
    house.propose(repo, "Load it", {"half.py": CODE}, body=f"Fixes #{issue}", by=AGENT)
    assert (house.verifier.checked[-1].sources, looked.tried_at) == ((), [])


def test_history_alone_is_told_and_blocks_nobody(house: House, looked: Looked) -> None:
    repo, _, (conclusion, title) = answered(house, POSSIBLY, {})
    assert (conclusion, title.partition(":")[0]) == ("success", "Plausible")
    (run,) = house.github.checks(repo)
    assert f"Issue 1 may be fixed already, by commit {FIX.commit[:10]}" in run.summary.replace("`", "")
    assert looked.tried_at == []


def test_a_report_that_was_edited_since_is_not_known_to_be_fixed(house: House, looked: Looked) -> None:
    looked.fixed, looked.runs = ALREADY, {SHOWN.name: PASSES}
    repo = house.repository(ENFORCE)
    issue = house.open(repo, CLEAR, title=CLEAR_TITLE)
    looked.fixed = replace(ALREADY, status=UNKNOWN.status)
    house.edit(repo, issue, body=CLEAR + "\nWith 2.4.0 too.")
    number = house.propose(repo, "Load it", {"half.py": CODE}, body=f"Fixes #{issue}", by=AGENT)
    assert check(house, repo, number)[0] == "success"


def proposed_early(house: House, policy: str = ENFORCE) -> tuple[str, int, int]:
    """An agent's answer to a report that is only going to be looked at: repository, issue, pull request."""
    repo = house.repository(policy)
    issue = house.open(repo, CLEAR, title=CLEAR_TITLE)
    number = house.propose(repo, "Load it", {"half.py": CODE}, body=f"Fixes #{issue}", by=AGENT)
    return repo, issue, number


def test_what_was_judged_before_its_issue_was_looked_at_is_judged_once_more(house: House, looked: Looked) -> None:
    repo, issue, number = proposed_early(house)
    assert check(house, repo, number)[0] == "success"
    looked.fixed, looked.runs = ALREADY, {SHOWN.name: PASSES}
    house.say(repo, issue, "/bouncer fixed", by="triager")
    assert check(house, repo, number)[0] == "failure"
    assert len(looked.tried_at) == 1
    house.say(repo, issue, "/bouncer fixed", by="triager")
    assert len(looked.tried_at) == 1, "it was judged by that"
    assert len(house.github.checks(repo)) == 1
    assert len(house.issue(repo, number).bouncer_comments) <= 1
    looked.fixed = PARTIALLY
    house.say(repo, issue, "/bouncer fixed", by="triager")
    assert check(house, repo, number)[0] == "success", "something is left to be mended"


def test_what_would_change_no_verdict_judges_nothing_again(house: House, looked: Looked) -> None:
    repo, issue, _ = proposed_early(house)
    for fixed in (POSSIBLY, PARTIALLY, UNKNOWN):
        looked.fixed = fixed
        house.say(repo, issue, "/bouncer fixed", by="triager")
        assert len(house.patch_reviewer.asked) == 1, fixed.status


def test_a_look_that_ends_while_it_is_judged_counts(house: House, looked: Looked) -> None:
    repo = house.repository(ENFORCE)
    issue = house.open(repo, CLEAR, title=CLEAR_TITLE)
    looked.fixed, looked.runs = ALREADY, {SHOWN.name: PASSES}

    def look_once() -> None:
        house.verifier.meanwhile = lambda: None
        found = house.services.fixes.get(house.github.repo(repo).id, issue)
        assert found is not None
        house.meanwhile(lambda: house.github.comment(repo, issue, "/bouncer fixed", by="triager"))
        eventually(lambda: house.services.fixes.get(house.github.repo(repo).id, issue).said != "")  # type: ignore[union-attr]

    house.verifier.meanwhile = look_once
    number = house.propose(repo, "Load it", {"half.py": CODE}, body=f"Fixes #{issue}", by=AGENT)
    assert check(house, repo, number)[0] == "failure"


def test_what_somebody_disagreed_about_speaks_against_nobody(house: House, looked: Looked) -> None:
    repo, number, (conclusion, _) = answered(house, ALREADY, {SHOWN.name: PASSES})
    assert conclusion == "failure"
    house.github.remove_label(repo, 1, "already-fixed")
    house.settle()
    assert check(house, repo, number)[0] == "success"


def test_a_spent_budget_takes_no_verdict_away(house: House, looked: Looked) -> None:
    repo, issue, number = proposed_early(house, f"{ENFORCE}budgets: {{per_repository: 3}}\n")
    looked.fixed, looked.runs = ALREADY, {SHOWN.name: PASSES}
    house.say(repo, issue, "/bouncer fixed", by="triager")
    assert check(house, repo, number)[0] == "success"
