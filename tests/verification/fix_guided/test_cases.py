"""The cases of the filter, as a table. A row says how it differs from a fix that behaves like the original."""

from dataclasses import replace
from typing import Any

from bot.judges.code import SpecTest
from bot.verdicts import Decision
from bot.verification.evidence import Case
from bot.verification.fix_guided.cases import FilterFacts, decide
from bot.verification.model_tests import CLAIMS_FILE, EXAMPLES_FILE
from bot.verification.values import (
    Difference,
    Differential,
    Ending,
    Generator,
    Observed,
    Side,
    Strength,
    TestResult,
    TestRun,
    TestStatus,
)
from tests.support.cases import cases


def ran(told: Any, file: str = "") -> TestRun | None:
    """A run of tests that ended so, by their names, or one after the other as `t1`, `t2`, … of a file. `gone`: of one
    that the program ended."""
    if told is None or told == "no sandbox":
        return told and TestRun((), 0.1, "No sandbox works here.", unavailable=True)
    ended = told if isinstance(told, dict) else {f"{file}t{at}": each for at, each in enumerate(told.split(), 1)}
    results = tuple(TestResult(name, TestStatus(each)) for name, each in ended.items() if each != "gone")
    return TestRun(results, 0.1, "The program ended the test run." if "gone" in ended.values() else "")


def differs(favours: str = "", quote: str = "", call: str = "f(0)") -> Difference:
    said = Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "2")
    return Difference(
        call, *said, generator=Generator.MUTATION, favours=Side(favours) if favours else None, quote=quote
    )


def compared(*differences: Difference, **more: Any) -> Differential:
    return Differential(**{"calls": ("f(1)", "f(2)"), "differences": differences, **more})


FAIL = ran("failed")
TEST = SpecTest("a clause", "f(1)", "2")
EQUAL = FilterFacts(
    original=ran("passed"),
    fix=ran("passed"),
    edited=ran("passed"),
    differential=compared(),
    strength=Strength(4, 4, True, "a tool"),
)


def facts_of(row: dict[str, Any]) -> FilterFacts:
    """`EQUAL`, but for this. example, claim: how the issue's examples and a model's tests ended on both sides."""
    facts = row | {side: ran(row[side]) for side in ("original", "fix", "edited") if side in row}
    for kind, file in (("example", EXAMPLES_FILE), ("claim", CLAIMS_FILE)):
        if kind in facts:
            original, fix = (ran(each, f"{file}::") for each in facts.pop(kind))
            facts |= {"augmented_original": original, "augmented_fix": fix}
    if facts.get("strength"):
        facts["strength"] = Strength(*facts["strength"], True, "a tool")
    if "differences" in facts:
        facts["differential"] = compared(*(differs(**each) for each in facts.pop("differences")))
    if "compared" in facts:
        more = facts.pop("compared")
        facts["differential"] = compared(**more) if more else None
    settled = (TEST,) if facts.pop("settled", False) else ()
    return replace(EQUAL, **facts | {"answered": frozenset(facts.get("answered", ())), "settled": settled})


@cases
def test_case(case: Case | None, decision: Decision, differs_by: dict[str, Any]) -> None:
    verified = decide(facts_of(differs_by))
    assert (verified.case, verified.decision) == (case, decision)
    assert verified.reasons
    assert all(reason.endswith(".") for reason in verified.reasons)
    shown = "differences" in differs_by and case not in (Case.REPAIR_SUCCESS, Case.EQUIVALENT, Case.BOTH_FAIL)
    assert (verified.difference is not None) == shown
    assert verified.outcome is not None and verified.outcome.row.rejection is decision


def reasons(**facts: Any) -> str:
    return " ".join(decide(replace(EQUAL, **facts)).reasons)


def test_the_distinguishing_input_is_the_one_that_decides() -> None:
    quoted = differs(Side.FIX, "a requirement", call="f([])")
    assert decide(replace(EQUAL, differential=compared(differs(), quoted))).difference == quoted


def test_weak_tests_are_called_weak() -> None:
    said = reasons(fix=FAIL, strength=Strength(9, 1, True, "a tool"))
    assert "notice 1 of 9 small defects in the changed lines. That is few" in said
    assert "small defects" not in reasons(fix=FAIL)
    assert "tried in the time there was" in reasons(fix=FAIL, strength=Strength(2, 2, False, "a tool"))


def test_what_there_was_no_time_for_is_said() -> None:
    assert "no time left for the mutants" in reasons(unfinished=("the mutants",), strength=None)


def test_it_is_said_by_what_a_difference_was_found() -> None:
    for generator in Generator:
        seen = reasons(differential=compared(replace(differs(), generator=generator)))
        assert f"Found by {generator}. 2 calls of `f` were compared." in seen


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
        "f('EVIL')", Observed(Ending.RETURNED, "EVIL"), Observed(Ending.DIED), Generator.REVIEW, Side.FIX, quote="EVIL"
    )
    for facts in ({"original": hostile}, {"fix": hostile}, {"differential": compared(found)}):
        assert "EVIL" not in reasons(**facts)
