"""What there is to judge in a change, told from the diff alone; what is left of a day's budget."""

from dataclasses import replace

import pytest

from bot.changes.read import read_change
from bot.child_process import TooLong
from bot.github.values import LinkedIssue
from bot.policy import Budgets
from bot.pulls.admission import spent_budget
from bot.pulls.facts import NeedlessChange, PullFacts, RequestKind, Statement, StatementKind, Substance
from bot.pulls.judgement import ReviewAnswer, concluded, first_facts, is_given, judged
from bot.pulls.reading import read_facts
from bot.pulls.request import MAY_NOT, Request
from bot.rendering.pull_reasons import not_covered, reasons
from bot.verdicts import Cause, Effect
from bot.verification.evidence import HeadTrial
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.changes.parts import as_shown, change_of
from tests.support.cases import cases

CI = change_of((".github/workflows/ci.yml", "a\n", "b\n"))
CONFTEST = change_of(("tests/conftest.py", "a\n", "@pytest.fixture\ndef cart():\n    return 1\n"))
NEEDLESS = [(True, Substance.TESTS, True), (False, Substance.CODE, False)]
NOTHING = (lambda file: None, lambda texts: ())  # no file can be had, and no line names one
PASSES = TestRun((TestResult("a", TestStatus.PASSED),), 1.0)


@cases
def test_what_a_program_may_read_is_executed(path: str, substance: Substance) -> None:
    diff = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-one\n+two\n"
    assert read_facts(RequestKind.ISSUE, read_change(diff), "It should say two.").substance is substance


def test_what_takes_too_long_to_read_is_the_changes_own_doing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.pulls.reading.risks_of", lambda *_: TooLong())
    found = read_facts(RequestKind.ISSUE, CI, "")
    assert (found.unread, found.blame) == (TooLong().reason, Cause.CHANGE)


def test_what_was_code_is_no_paper_for_being_moved_among_it() -> None:
    moved = "diff --git a/{0} b/docs/a.md\nsimilarity index 100%\nrename from {0}\nrename to docs/a.md\n"
    said = [
        read_facts(RequestKind.ISSUE, read_change(moved.format(path)), "").substance for path in ("src/a.md", "a.md")
    ]
    assert said == [Substance.CODE, Substance.PAPER]


def test_only_others_words_turn_a_risk_into_a_remark() -> None:
    asks = "Update the CI workflow to 3.13"
    own = first_facts(Request(RequestKind.DESCRIPTION, description=asks), CI, *NOTHING, is_given)
    elsewhere = first_facts(Request(RequestKind.ISSUE, specification=asks), CI, *NOTHING, is_given)
    assert own.risks == elsewhere.risks == ("It changes what CI runs.",)
    file, issue = LinkedIssue(0, asks, "", ""), LinkedIssue(7, asks, "", "ada")
    given = first_facts(Request(RequestKind.ISSUE, specification=asks, waiving=(file,)), CI, *NOTHING, is_given)
    assert (given.risks, given.remarks) == ((), ("It changes what CI runs, as an issue by somebody else asks.",))
    named = first_facts(Request(RequestKind.ISSUE, specification=asks, waiving=(issue,)), CI, *NOTHING, is_given)
    assert (named.risks, named.remarks) == (own.risks, (MAY_NOT.format(number=7),))


def test_a_link_is_one_risk_which_others_may_allow() -> None:
    link = read_change(
        "diff --git a/lib b/lib\nnew file mode 120000\n--- /dev/null\n+++ b/lib\n@@ -0,0 +1 @@\n+src/lib\n"
    )
    said = "It is a symbolic link, which may lead anywhere."
    assert read_facts(RequestKind.ISSUE, link, "").risks == (said,)
    allowed = read_facts(RequestKind.ISSUE, link, "", others="Please add lib, a symlink to src.")
    assert (allowed.risks, len(allowed.remarks)) == ((), 1)


@pytest.mark.parametrize(("leaves_code", "substance", "runs"), NEEDLESS)
def test_what_nobody_needs_is_run_all_the_same_where_only_its_tests_are_left(
    leaves_code: bool, substance: Substance, runs: bool
) -> None:
    def execute(review: object) -> HeadTrial:
        ran.append(review)
        return HeadTrial(PatchEvidence(Standing.PLAUSIBLE, (), PatchFacts(PASSES, PASSES, PASSES)))

    def ask() -> ReviewAnswer:
        raise AssertionError("nobody has to judge what nobody needs")

    ran: list[object] = []
    facts = PullFacts(substance=substance, unneeded=NeedlessChange((12,), "b" * 40, leaves_code=leaves_code))
    assert (judged(facts, ask, execute).trial.patch is not None) is runs
    assert ran == [None] * runs


RAN = PatchEvidence(Standing.PLAUSIBLE, (), PatchFacts(PASSES, PASSES, PASSES))


@pytest.mark.parametrize(
    ("found", "substance"),
    [
        (HeadTrial(RAN), Substance.PAPER),
        (HeadTrial(problem="It cannot be set up."), Substance.PAPER),
        (HeadTrial(RAN, opened=("docs/words.md",)), Substance.CODE),
        (HeadTrial(replace(RAN, regressions=("a",))), Substance.CODE),
        (HeadTrial(conflict=("docs/words.md",)), Substance.CODE),
        (HeadTrial(blame=Cause.CHANGE), Substance.CODE),
    ],
)
def test_documentation_is_judged_as_what_runs_where_tests_open_or_miss_it(
    found: HeadTrial, substance: Substance
) -> None:
    facts = judged(PullFacts(substance=Substance.PAPER), lambda: ReviewAnswer(None), lambda review: found)
    assert facts.substance is substance
    assert (facts.trial is found) is (substance is Substance.CODE)


def test_a_test_beside_it_makes_no_mere_tests_of_a_document_that_a_program_names() -> None:
    change = change_of(("docs/words.md", "a\n", "b\n"), ("tests/test_a.py", "a = 1\n", "a = 2\n"))
    lines = (("shop/a.py", "x = open('docs/words.md')"),)
    for named, expected in ((lines, Substance.CODE), ((), Substance.TESTS)):
        assert read_facts(RequestKind.DESCRIPTION, change, "", mentions=lambda texts, n=named: n).substance is expected


def test_what_sets_tests_up_is_left_to_what_runs() -> None:
    facts = read_facts(RequestKind.DESCRIPTION, CONFTEST, "")
    assert (facts.substance, facts.risks) == (Substance.CODE, ())


def test_a_contradicted_claim_asks_for_a_person_and_the_rest_is_told() -> None:
    said = (
        Statement(StatementKind.DOCUMENTATION_ONLY, "Docs only", "description"),
        Statement(StatementKind.FASTER, "2x faster", "title"),
    )
    code = change_of(("shop/cart.py", "a = 1\n", "a = 2\n"))
    result = concluded(
        first_facts(Request(RequestKind.DESCRIPTION, claims=said), code, as_shown, NOTHING[1], is_given), head="h"
    )
    assert "It says that only documentation changed, and code changed." in reasons(result)
    assert not_covered(result) == (
        "No code of this change was run.",
        "The description claims this, and it was not checked: it makes something faster.",
    )
    (told,) = (item for item in result.verdict.evidence if item.check == "claim_documentation_only")
    assert (told.effect, told.quote) == (Effect.MISSING, "Docs only")


@cases
def test_ten_judgements_a_day(looks: dict[str, int], own: int, blame: Cause | None) -> None:
    found = spent_budget(Budgets(per_repository=10), looks, own)
    assert (found and found.blame) is blame


@pytest.mark.parametrize(("most", "own", "blame"), [(0, 0, Cause.OUTSIDE), (1, 0, None), (1, 1, Cause.CHANGE)])
def test_the_smallest_budgets(most: int, own: int, blame: Cause | None) -> None:
    found = spent_budget(Budgets(per_repository=most), {"agent": own}, own)
    assert (found and found.blame) is blame
    assert not own or (found and found.why.startswith("Whoever pushed it has had 1 judgement today, and"))
