"""The cases of the filter, as a table. A row says how it differs from a fix that behaves like the original."""

from dataclasses import replace
from typing import Any

import pytest

from bot.judges.code import SpecTest
from bot.verdicts import Decision
from bot.verification.cases import FilterFacts, decide
from bot.verification.evidence import Case
from bot.verification.model_tests import CLAIMS_FILE, EXAMPLES_FILE
from bot.verification.values import (
    Difference,
    Differential,
    Ending,
    Observed,
    Side,
    Strength,
    TestResult,
    TestRun,
    TestStatus,
)
from tests.support.cases import cases

ACCEPT, BOUNCE, UNAVAILABLE = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE


def run(*statuses: str, problem: str = "", unavailable: bool = False) -> TestRun:
    """A run whose tests are named `t1`, `t2`, … and ended so."""
    results = tuple(TestResult(f"t{number}", TestStatus(status)) for number, status in enumerate(statuses, 1))
    return TestRun(results, 0.1, problem, unavailable)


def written(file: str, *statuses: str, problem: str = "") -> TestRun:
    """A run of tests that stand in a file of Bouncer's own."""
    results = tuple(TestResult(f"{file}::t{number}", TestStatus(status)) for number, status in enumerate(statuses, 1))
    return TestRun(results, 0.1, problem)


def named(**statuses: str) -> TestRun:
    """A run of tests by name; `a__b` is test `b` of file `a.py`, and `a` the file as a whole."""
    names = {name: name.replace("__", ".py::") if "__" in name else f"{name}.py" for name in statuses}
    return TestRun(tuple(TestResult(names[name], TestStatus(status)) for name, status in statuses.items()), 0.1)


def differs(favours: Side | None = None, quote: str = "", call: str = "f(0)") -> Difference:
    said = Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "2")
    return Difference(call, *said, generator="mutation", favours=favours, quote=quote)


def compared(*differences: Difference, **more: Any) -> Differential:
    return Differential(**{"calls": ("f(1)", "f(2)"), "differences": differences, **more})


PASS, FAIL = run("passed"), run("failed")
SHOWN, NOT_SHOWN = written(EXAMPLES_FILE, "passed"), written(EXAMPLES_FILE, "failed")
READ, NOT_READ = written(CLAIMS_FILE, "passed"), written(CLAIMS_FILE, "failed")
TEST = SpecTest("a clause", "f(1)", "2")
EQUAL = FilterFacts(original=PASS, fix=PASS, differential=compared(), strength=Strength(4, 4, True, "a tool"))
GONE = run(problem="The program ended the test run.")
NO_SANDBOX = run(problem="No sandbox works here.", unavailable=True)

FIRST = frozenset({"f(0)"})
TABLE = [
    # No fix to try: nothing is run, and nothing speaks for or against the rejection.
    ("the change is right", {"no_fix": "No fix was found.", "fix_agent_agrees": True}, Case.NO_FIX, UNAVAILABLE),
    ("no fix", {"no_fix": "The rejection came without a fix."}, Case.NO_FIX, UNAVAILABLE),
    # Nothing could run, or nothing that ran counts.
    ("no runs", {"original": None, "fix": None}, None, UNAVAILABLE),
    ("no sandbox", {"original": NO_SANDBOX, "fix": NO_SANDBOX}, None, UNAVAILABLE),
    ("no sandbox any more", {"fix": NO_SANDBOX}, None, UNAVAILABLE),
    ("all skipped", {"original": run("skipped"), "fix": run("skipped")}, None, UNAVAILABLE),
    ("all flaky", {"original": run("flaky"), "fix": run("flaky")}, None, UNAVAILABLE),
    ("failed once, flaky beside it", {"original": run("failed"), "fix": run("flaky")}, None, UNAVAILABLE),
    ("nothing collected", {"original": GONE, "fix": GONE}, None, UNAVAILABLE),
    # The repository's tests tell.
    ("original fails", {"original": FAIL}, Case.REPAIR_SUCCESS, BOUNCE),
    ("original breaks", {"original": run("error")}, Case.REPAIR_SUCCESS, BOUNCE),
    ("a timeout is a failed test", {"original": run("timeout")}, Case.REPAIR_SUCCESS, BOUNCE),
    ("original ends the run", {"original": GONE}, Case.REPAIR_SUCCESS, BOUNCE),
    ("fix fails", {"fix": FAIL}, Case.OVER_REPAIR, ACCEPT),
    ("fix fails, but there is a doubt", {"fix": FAIL, "doubt": "It breaks off."}, Case.OVER_REPAIR, UNAVAILABLE),
    (
        "fix fails, but the tests are weak",
        {"fix": FAIL, "strength": Strength(9, 4, True, "a tool")},
        Case.OVER_REPAIR,
        UNAVAILABLE,
    ),
    (
        "fix fails, and the tests are not weak",
        {"fix": FAIL, "strength": Strength(8, 4, True, "a tool")},
        Case.OVER_REPAIR,
        ACCEPT,
    ),
    (
        "fix fails, nothing to mutate",
        {"fix": FAIL, "strength": Strength(0, 0, True, "a tool")},
        Case.OVER_REPAIR,
        ACCEPT,
    ),
    ("fix ends the run", {"fix": GONE}, Case.OVER_REPAIR, ACCEPT),
    (
        "original cannot be imported",
        {"original": named(t="error"), "fix": named(t__a="passed")},
        Case.REPAIR_SUCCESS,
        BOUNCE,
    ),
    ("fix cannot be imported", {"original": named(t__a="passed"), "fix": named(t="error")}, Case.OVER_REPAIR, ACCEPT),
    ("neither can be imported", {"original": named(t="error"), "fix": named(t="error")}, Case.BOTH_FAIL, BOUNCE),
    ("both fail", {"original": FAIL, "fix": FAIL}, Case.BOTH_FAIL, BOUNCE),
    (
        "each fails another",
        {"original": run("failed", "passed"), "fix": run("passed", "failed")},
        Case.BOTH_FAIL,
        BOUNCE,
    ),
    ("what the fix skips it does not repair", {"original": FAIL, "fix": run("skipped")}, None, UNAVAILABLE),
    (
        "it repairs one and skips the other",
        {"original": run("failed", "failed"), "fix": run("passed", "skipped")},
        Case.BOTH_FAIL,
        BOUNCE,
    ),
    (
        "the original skips what the fix passes",
        {"original": run("passed", "skipped"), "fix": run("passed", "passed")},
        Case.UNDECIDED,
        UNAVAILABLE,
    ),
    (
        "the original skips, the fix fails",
        {"original": run("passed", "skipped"), "fix": run("failed", "passed")},
        Case.UNDECIDED,
        UNAVAILABLE,
    ),
    (
        "a flaky test counts for nobody",
        {"original": run("passed", "failed"), "fix": run("passed", "flaky")},
        Case.EQUIVALENT,
        ACCEPT,
    ),
    (
        "withdrawn against the repository's tests",
        {"original": FAIL, "fix": FAIL, "withdrawn": True},
        Case.BOTH_FAIL,
        BOUNCE,
    ),
    ("it failed once, and no time was left", {"original": FAIL, "once": True}, Case.REPAIR_SUCCESS, UNAVAILABLE),
    ("both failed once", {"original": FAIL, "fix": FAIL, "once": True}, Case.BOTH_FAIL, UNAVAILABLE),
    # The issue's own examples tell.
    ("example: original fails", {"augmented_original": NOT_SHOWN, "augmented_fix": SHOWN}, Case.REPAIR_SUCCESS, BOUNCE),
    ("example: fix fails", {"augmented_original": SHOWN, "augmented_fix": NOT_SHOWN}, Case.OVER_REPAIR, ACCEPT),
    (
        "example: both fail, so nothing shows that it can be met",
        {"augmented_original": NOT_SHOWN, "augmented_fix": NOT_SHOWN},
        Case.BOTH_FAIL,
        UNAVAILABLE,
    ),
    ("the repository's tests come first", {"fix": FAIL, "augmented_original": NOT_SHOWN}, Case.OVER_REPAIR, ACCEPT),
    (
        "tests that could not run say nothing",
        {"augmented_original": NO_SANDBOX, "augmented_fix": SHOWN},
        Case.EQUIVALENT,
        ACCEPT,
    ),
    # What a model wrote is a claim: only the jury makes it count.
    (
        "model: original fails",
        {"augmented_original": NOT_READ, "augmented_fix": READ},
        Case.REPAIR_SUCCESS,
        UNAVAILABLE,
    ),
    (
        "model: original fails, and the jury says the same",
        {"augmented_original": NOT_READ, "augmented_fix": READ, "settled": (TEST,)},
        Case.REPAIR_SUCCESS,
        BOUNCE,
    ),
    ("model: fix fails", {"augmented_original": READ, "augmented_fix": NOT_READ}, Case.OVER_REPAIR, UNAVAILABLE),
    ("model: both fail", {"augmented_original": NOT_READ, "augmented_fix": NOT_READ}, Case.BOTH_FAIL, UNAVAILABLE),
    (
        "model: both fail, and the jury says the same",
        {"augmented_original": NOT_READ, "augmented_fix": NOT_READ, "settled": (TEST,)},
        Case.BOTH_FAIL,
        BOUNCE,
    ),
    (
        "model: both fail, rejection withdrawn",
        {"augmented_original": NOT_READ, "augmented_fix": NOT_READ, "withdrawn": True, "rounds": 1},
        Case.BOTH_FAIL,
        ACCEPT,
    ),
    (
        "a wrong test of a model's does not outvote the jury",
        {
            "augmented_original": NOT_READ,
            "augmented_fix": READ,
            "differential": compared(differs(Side.ORIGINAL, "quoted")),
        },
        Case.UNDECIDED,
        ACCEPT,
    ),
    (
        "a model's test that ends the run is no example of the issue",
        {
            "augmented_original": written(CLAIMS_FILE, "passed", problem="The program ended the test run."),
            "augmented_fix": READ,
        },
        Case.REPAIR_SUCCESS,
        UNAVAILABLE,
    ),
    (
        "an example comes before the jury's word on something else",
        {
            "augmented_original": NOT_SHOWN,
            "augmented_fix": NOT_SHOWN,
            "differential": compared(differs(Side.ORIGINAL, "quoted")),
        },
        Case.BOTH_FAIL,
        UNAVAILABLE,
    ),
    # They differ and no test says who is right: the distinguishing input decides.
    ("answered for the fix", {"differential": compared(differs(Side.FIX)), "answered": FIRST}, Case.UNDECIDED, BOUNCE),
    (
        "answered for the original",
        {"differential": compared(differs(Side.ORIGINAL)), "answered": FIRST},
        Case.UNDECIDED,
        ACCEPT,
    ),
    ("differ", {"differential": compared(differs())}, Case.UNDECIDED, UNAVAILABLE),
    ("a hunch does not block", {"differential": compared(differs(Side.FIX))}, Case.UNDECIDED, UNAVAILABLE),
    ("only the original answers", {"differential": compared(differs(Side.ORIGINAL))}, Case.OVER_REPAIR, ACCEPT),
    (
        "on one input only the original answers, on another both",
        {"differential": compared(differs(Side.ORIGINAL), differs(call="f(1)"))},
        Case.UNDECIDED,
        UNAVAILABLE,
    ),
    ("a quote that decides nothing", {"differential": compared(differs(None, "quoted"))}, Case.UNDECIDED, UNAVAILABLE),
    ("quoted for the fix", {"differential": compared(differs(Side.FIX, "quoted"))}, Case.UNDECIDED, BOUNCE),
    ("quoted for the original", {"differential": compared(differs(Side.ORIGINAL, "quoted"))}, Case.UNDECIDED, ACCEPT),
    (
        "one broken requirement is enough",
        {"differential": compared(differs(), differs(Side.ORIGINAL, "one"), differs(Side.FIX, "two"))},
        Case.UNDECIDED,
        BOUNCE,
    ),
    # Nothing tells them apart: over-correction, if anything looked.
    ("equal", {}, Case.EQUIVALENT, ACCEPT),
    ("equal, tests weak", {"strength": Strength(9, 1, True, "a tool")}, Case.EQUIVALENT, ACCEPT),
    ("equal but outside the domain", {"differential": compared(outside=3)}, Case.EQUIVALENT, ACCEPT),
    ("agreement that says little", {"differential": compared(doubt="Both break off.")}, Case.EQUIVALENT, UNAVAILABLE),
    ("not compared, mutants noticed", {"differential": None}, Case.EQUIVALENT, ACCEPT),
    ("compared, no mutants", {"strength": None}, Case.EQUIVALENT, ACCEPT),
    ("nothing looked", {"differential": None, "strength": None}, Case.EQUIVALENT, UNAVAILABLE),
    (
        "nothing compared, nothing noticed",
        {"differential": Differential(problem="No call to compare."), "strength": Strength(5, 0, True, "a tool")},
        Case.EQUIVALENT,
        UNAVAILABLE,
    ),
]


@pytest.mark.parametrize(("facts", "case", "decision"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_case(facts: dict[str, Any], case: Case | None, decision: Decision) -> None:
    verified = decide(replace(EQUAL, **facts))
    assert (verified.case, verified.decision) == (case, decision)
    assert verified.reasons
    assert all(reason.endswith(".") for reason in verified.reasons)
    told_apart = "differential" in facts and bool(facts["differential"] and facts["differential"].differences)
    shown = told_apart and case not in (Case.REPAIR_SUCCESS, Case.EQUIVALENT, Case.BOTH_FAIL)
    assert (verified.difference is not None) == shown
    assert verified.outcome is not None and verified.outcome.row.rejection is decision


def reasons(**facts: Any) -> str:
    return " ".join(decide(replace(EQUAL, **facts)).reasons)


def test_the_distinguishing_input_is_the_one_that_decides() -> None:
    quoted = differs(Side.FIX, "a requirement", call="f([])")
    assert decide(replace(EQUAL, differential=compared(differs(), quoted))).difference == quoted


def test_weak_tests_are_called_weak() -> None:
    assert "notice 1 of 9 small defects in the changed lines. That is few" in reasons(
        strength=Strength(9, 1, True, "a tool")
    )
    assert "little" not in reasons()
    assert "tried in the time there was" in reasons(strength=Strength(9, 8, False, "a tool"))


def test_what_there_was_no_time_for_is_said() -> None:
    assert "no time left for the mutants" in reasons(unfinished=("the mutants",), strength=None)


def test_generators_are_told_apart() -> None:
    seen = reasons(differential=compared(differs(), agreed=("hypothesis", "review")))
    assert (
        "Found by inputs near those of the tests; Hypothesis and the reviewer's own example found no difference."
        in seen
    )


ANSWER = "test_bouncer_answers_1.py::test_specification_"


@cases
def test_a_maintainers_answer_is_no_test_of_the_repository(names: tuple[str, ...], said: str) -> None:
    original, fix = (
        TestRun(tuple(TestResult(name, status) for name in names), 0.1)
        for status in (TestStatus.FAILED, TestStatus.PASSED)
    )
    assert reasons(original=original, fix=fix).startswith(said)


def test_rounds_are_counted() -> None:
    assert "asked again twice" in reasons(original=FAIL, fix=FAIL, rounds=2)


def test_no_text_of_a_stranger_enters_a_reason() -> None:
    result = TestResult("test_EVIL", TestStatus.FAILED, "EVIL")
    hostile = TestRun((result,), 0.1)
    found = Difference(
        "f('EVIL')", Observed(Ending.RETURNED, "EVIL"), Observed(Ending.DIED), "EVIL", Side.FIX, quote="EVIL"
    )
    for facts in ({"original": hostile}, {"fix": hostile}, {"differential": compared(found, agreed=("EVIL",))}):
        assert "EVIL" not in reasons(**facts)
