"""What is known of a report, and what follows from it."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.decide import decide_fixed, still_failing
from bot.already_fixed.reading.expectations import UNASKED
from bot.already_fixed.values import Expectation, Failure, FixedFacts, Form, Reproduction, Run, Seen, Trial
from bot.history.values import Candidate
from bot.verdicts import FixStatus
from tests.already_fixed.house import candidate
from tests.support.cases import cases
from tests.support.properties import patient

FIX, OTHER = "f" * 40, "0" * 40
LIKELY = candidate(FIX, score=0.8, released_in="1.2")
UNLIKELY = candidate(FIX, score=0.1, likely=False, names_issue=False)
NAMING, NAMELESS = replace(UNLIKELY, names_issue=True), replace(LIKELY, names_issue=False)
APART = candidate(OTHER, score=0.02, likely=False)
NEXT = candidate(OTHER, score=0.5)
MANY = 500  # commits that were ranked
REVERTED = candidate(FIX, score=0.9, reverted_by=OTHER)

FAILS, PASSES = Run(Seen.AS_REPORTED, "it raises TypeError"), Run(Seen.PASSES, "it ends as it should")
CHANGED, NOT = Run(Seen.OTHERWISE, "it raises KeyError"), Run(Seen.CANNOT_RUN, "it waits for input")
UNCLEAR = Run(Seen.OTHERWISE, "it prints something else than reported", unclear=True)
FLAKY = Run(Seen.FLAKY, "flaky")
NONE = Run(Seen.AS_REPORTED, "it raises TypeError", "TypeError: 'NoneType' object is not iterable", place="a")
ELSEWHERE, CHECKED = replace(NONE, place="b"), replace(NONE, shown="IndexError: list index out of range")


def trial(
    head: Run | None,
    reported: Run | None = None,
    without: Run | None = None,
    name: str = "reproduction_1",
    variant_of: str = "",
    right: str = "2",
) -> Trial:
    """An example that raises, and of which the report says what should come instead."""
    expected = Expectation(Failure.RAISES, right=right)
    shown = Reproduction(name, Form.SCRIPT, "f()", expected, f"the {name} example", variant_of=variant_of)
    return Trial(shown, reported, head, without, FIX if without else "")


def silent(head: Run | None, reported: Run | None = None, without: Run | None = None) -> Trial:
    """An example that raises, and of which the report says no more."""
    return trial(head, reported, without, right="")


def another(head: Run | None, reported: Run | None = None, without: Run | None = None) -> Trial:
    return trial(head, reported, without, "reproduction_2")


def variant(head: Run | None, reported: Run | None = None, without: Run | None = None) -> Trial:
    """Of which the report says that it fails, too."""
    return trial(head, reported, without, "reproduction_1_variant_1", "reproduction_1", right="")


def guessed(head: Run | None, reported: Run | None = None) -> Trial:
    """A variant with inputs that nobody named."""
    named = variant(head, reported)
    return replace(named, reproduction=replace(named.reproduction, may_fail=True))


def before(head: Run | None, then: Run | None) -> Trial:
    """Run at the commit before a candidate, and nowhere else before."""
    return replace(trial(head), before=then, followed_by=FIX)


def written(head: Run | None, reported: Run | None = None, number: int = 1, *, stated: bool = True) -> Trial:
    """A model's script that asserts something, by the report's own values or not."""
    one = trial(head, reported, name=f"written_{number}", right="")
    expected = Expectation(Failure.RAISES, "AssertionError")
    code = "assert f() == 2"
    return replace(
        one,
        reproduction=replace(
            one.reproduction, code=code, expectation=expected, may_fail=True, judge="m", stated=stated
        ),
    )


def printed(head: Run | None, reported: Run | None = None, right: str = "") -> Trial:
    """An example that shows an output, and says or does not say what it should be."""
    other = another(head, reported)
    expected = Expectation(Failure.PRINTS, wrong=("1",), right=right)
    return replace(other, reproduction=replace(other.reproduction, expectation=expected))


@dataclass(frozen=True)
class Case:
    why: str
    trials: tuple[Trial, ...]
    status: FixStatus
    candidates: tuple[Candidate, ...] = ()
    more: dict[str, object] = field(default_factory=dict)


S = FixStatus
CASES = [
    # One reproduction
    Case("it fails before and passes now", (trial(PASSES, FAILS),), S.ALREADY_FIXED),
    Case("it passes, and fails without the fix", (trial(PASSES, None, FAILS),), S.ALREADY_FIXED),
    Case("it could not run before, and fails without the fix", (trial(PASSES, NOT, FAILS),), S.ALREADY_FIXED),
    Case("it fails now", (trial(FAILS),), S.STILL_PRESENT),
    Case("it fails before and now", (trial(FAILS, FAILS),), S.STILL_PRESENT),
    Case("it fails now, whatever history says", (trial(FAILS),), S.STILL_PRESENT, (LIKELY,)),
    Case("it passes on both sides and so proves nothing", (trial(PASSES, PASSES),), S.UNKNOWN),
    Case("it passes now, and was run nowhere else", (trial(PASSES),), S.UNKNOWN),
    Case("it passes now, and failed otherwise before", (trial(PASSES, CHANGED),), S.UNKNOWN),
    Case("it fails otherwise now", (trial(CHANGED),), S.UNKNOWN),
    Case("it failed as reported, and fails otherwise now", (trial(CHANGED, FAILS),), S.UNKNOWN),
    Case("it failed as reported, and gives what nobody can judge", (trial(UNCLEAR, FAILS),), S.POSSIBLY_FIXED),
    Case("it gives what nobody can judge, whatever history says", (trial(UNCLEAR),), S.POSSIBLY_FIXED, (LIKELY,)),
    Case("it cannot run now", (trial(NOT, FAILS),), S.UNKNOWN),
    Case("it is flaky now", (trial(FLAKY, FAILS),), S.UNKNOWN),
    Case("it was flaky before", (trial(PASSES, FLAKY),), S.UNKNOWN),
    Case("it was not run", (trial(None),), S.UNKNOWN),
    # Several
    Case("both are mended", (trial(PASSES, FAILS), another(PASSES, FAILS)), S.ALREADY_FIXED),
    Case("one is mended, one still fails", (trial(PASSES, FAILS), another(FAILS)), S.PARTIALLY_FIXED),
    Case("one still fails, one proves nothing", (trial(PASSES, PASSES), another(FAILS)), S.STILL_PRESENT),
    Case("one is mended, one proves nothing", (trial(PASSES, FAILS), another(PASSES, PASSES)), S.ALREADY_FIXED),
    Case("one is mended, one cannot run", (trial(PASSES, FAILS), another(NOT)), S.POSSIBLY_FIXED),
    Case("one is mended, one fails otherwise", (trial(PASSES, FAILS), another(CHANGED)), S.UNKNOWN),
    Case(
        "one is mended, one fails otherwise than it did",
        (trial(PASSES, FAILS), another(CHANGED, FAILS)),
        S.PARTIALLY_FIXED,
    ),
    Case("one is mended, one is not clear", (trial(PASSES, FAILS), another(UNCLEAR, FAILS)), S.POSSIBLY_FIXED),
    # Whatever goes wrong at the head, history does not have it called fixed
    Case("it fails otherwise, history is likely", (trial(CHANGED),), S.UNKNOWN, (LIKELY,)),
    Case("it failed, and fails otherwise, history is likely", (trial(CHANGED, FAILS),), S.UNKNOWN, (LIKELY,)),
    Case("two fail, history is likely", (trial(FAILS), another(FAILS)), S.STILL_PRESENT, (LIKELY,)),
    Case("two fail otherwise, history is likely", (trial(CHANGED), another(CHANGED)), S.UNKNOWN, (LIKELY,)),
    Case("two changed, history is likely", (trial(CHANGED, FAILS), another(CHANGED, FAILS)), S.UNKNOWN, (LIKELY,)),
    Case("one cannot run, one fails otherwise", (trial(NOT), another(CHANGED)), S.UNKNOWN, (LIKELY,)),
    Case("a model's two fail, history is likely", (written(FAILS), written(FAILS, number=2)), S.UNKNOWN, (LIKELY,)),
    # What a model asserts
    Case("a model's fails before and now", (written(FAILS, FAILS),), S.STILL_PRESENT, (LIKELY,)),
    Case("a model's is mended", (written(PASSES, FAILS),), S.ALREADY_FIXED),
    Case(
        "a model's is mended, another still fails",
        (written(PASSES, FAILS), written(FAILS, FAILS, 2)),
        S.PARTIALLY_FIXED,
    ),
    Case("a model's own claim fails before and now", (written(FAILS, FAILS, stated=False),), S.UNKNOWN, (LIKELY,)),
    Case(
        "a model's is mended, its own claim fails",
        (written(PASSES, FAILS), written(FAILS, FAILS, 2, stated=False)),
        S.UNKNOWN,
        (LIKELY,),
    ),
    Case("a model's is mended, another cannot run", (written(PASSES, FAILS), written(NOT, FAILS, 2)), S.POSSIBLY_FIXED),
    Case("a model's passes on both sides", (written(PASSES, PASSES),), S.UNKNOWN),
    Case("one is mended, one is flaky", (trial(PASSES, FAILS), another(FLAKY)), S.POSSIBLY_FIXED),
    Case("one is mended, more is shown", (trial(PASSES, FAILS),), S.POSSIBLY_FIXED, (), {"unread": ("an example",)}),
    # Outputs
    Case("it prints what is shown", (printed(FAILS),), S.STILL_PRESENT),
    Case("one is mended, an output that may be right stays", (trial(PASSES, FAILS), printed(FAILS)), S.POSSIBLY_FIXED),
    Case("one changed, an output that may be right stays", (trial(CHANGED, FAILS), printed(FAILS)), S.STILL_PRESENT),
    Case(
        "one is not clear, an output that may be right stays", (trial(UNCLEAR, FAILS), printed(FAILS)), S.POSSIBLY_FIXED
    ),
    Case("one is mended, a wrong output stays", (trial(PASSES, FAILS), printed(FAILS, None, "2")), S.PARTIALLY_FIXED),
    # What is gone, and nobody says what should come instead
    Case("an exception is gone", (silent(PASSES, FAILS),), S.POSSIBLY_FIXED),
    Case("it is gone by a commit nobody knows", (silent(PASSES, FAILS),), S.POSSIBLY_FIXED, (), {"fixed_by": FIX}),
    Case("history says what may be the cause, nothing shows it", (silent(PASSES, FAILS),), S.POSSIBLY_FIXED, (LIKELY,)),
    Case(
        "the commit that names the issue stopped it", (silent(PASSES, None, FAILS),), S.ALREADY_FIXED, (APART, NAMING)
    ),
    Case("a likely commit stopped it", (silent(PASSES, None, FAILS),), S.ALREADY_FIXED, (APART, NAMELESS)),
    Case("a search found it", (silent(PASSES, FAILS),), S.ALREADY_FIXED, (NAMING,), {"fixed_by": FIX}),
    Case("the first, an unlikely one, stopped it", (silent(PASSES, None, FAILS),), S.POSSIBLY_FIXED, (UNLIKELY,)),
    Case("an unlikely one behind it stopped it", (silent(PASSES, None, FAILS),), S.POSSIBLY_FIXED, (APART, UNLIKELY)),
    Case("one that was taken back stopped it", (silent(PASSES, None, FAILS),), S.POSSIBLY_FIXED, (REVERTED,)),
    Case(
        "a search found it, history knows it not",
        (silent(PASSES, FAILS),),
        S.POSSIBLY_FIXED,
        (),
        {"fixed_by": FIX, "proven": LIKELY},
    ),
    Case("one is right, another only gone", (another(PASSES, FAILS), silent(PASSES, FAILS)), S.POSSIBLY_FIXED),
    Case("it is only gone, a variant too", (silent(PASSES, FAILS), variant(PASSES, FAILS)), S.POSSIBLY_FIXED),
    Case("it is right, a variant only gone", (trial(PASSES, FAILS), variant(PASSES, FAILS)), S.ALREADY_FIXED),
    Case("only a variant failed, and is gone", (trial(PASSES), variant(PASSES, FAILS)), S.POSSIBLY_FIXED),
    Case("it is gone, another still fails", (silent(PASSES, FAILS), another(FAILS)), S.PARTIALLY_FIXED),
    Case(
        "it came back, and is gone by the old fix",
        (silent(PASSES, FAILS, FAILS),),
        S.POSSIBLY_FIXED,
        (NAMING,),
        {"regression": True},
    ),
    # Variants
    Case("a variant fails as before", (trial(PASSES, FAILS), variant(FAILS, FAILS)), S.PARTIALLY_FIXED),
    Case("a variant never failed before", (trial(PASSES, FAILS), variant(FAILS, PASSES)), S.ALREADY_FIXED),
    Case("a variant cannot run", (trial(PASSES, FAILS), variant(NOT)), S.ALREADY_FIXED),
    Case("a variant that failed fails otherwise", (trial(PASSES, FAILS), variant(CHANGED, FAILS)), S.POSSIBLY_FIXED),
    Case("only a variant fails", (trial(PASSES), variant(FAILS)), S.UNKNOWN),
    Case(
        "an output of a named input stays, nothing else failed",
        (
            trial(PASSES),
            replace(
                printed(FAILS, FAILS), reproduction=replace(printed(FAILS).reproduction, variant_of="reproduction_1")
            ),
        ),
        S.UNKNOWN,
    ),
    Case("another input fails at the same line", (trial(PASSES, NONE), guessed(NONE, NONE)), S.PARTIALLY_FIXED),
    Case("another input fails elsewhere", (trial(PASSES, NONE), guessed(ELSEWHERE, NONE)), S.POSSIBLY_FIXED),
    Case("another input may be refused", (trial(PASSES, NONE), guessed(CHECKED, CHECKED)), S.POSSIBLY_FIXED),
    Case("the line is not known", (trial(PASSES, FAILS), guessed(FAILS, FAILS)), S.POSSIBLY_FIXED),
    Case("another input fails, nothing else did", (trial(PASSES), guessed(NONE, NONE)), S.UNKNOWN),
    Case("another input fails, the example too", (trial(NONE), guessed(CHECKED, CHECKED)), S.STILL_PRESENT),
    Case(
        "only another input failed, and is gone",
        (trial(PASSES), replace(guessed(PASSES, FAILS), without_fix=FAILS, fix=FIX)),
        S.POSSIBLY_FIXED,
        (NAMING,),
    ),
    # Before a candidate
    Case("it fails before a candidate", (before(PASSES, FAILS),), S.ALREADY_FIXED, (LIKELY,)),
    Case("it passes before a candidate, too", (before(PASSES, PASSES),), S.UNKNOWN),
    Case("it came back, an old fix mended it", (before(PASSES, FAILS),), S.UNKNOWN, (), {"regression": True}),
    # What was not run
    Case("one is mended, one was not run", (trial(PASSES, FAILS), another(None)), S.POSSIBLY_FIXED),
    Case("not all was run", (trial(PASSES, FAILS),), S.POSSIBLY_FIXED, (), {"problem": "The time ran out."}),
    # History
    Case("nothing runs, history is likely", (), S.POSSIBLY_FIXED, (LIKELY,)),
    Case("nothing can run, history is likely", (trial(NOT),), S.POSSIBLY_FIXED, (LIKELY,)),
    Case("nothing runs, history is unlikely", (), S.UNKNOWN, (UNLIKELY,)),
    Case("history says it is beyond its own cut", (), S.POSSIBLY_FIXED, (replace(UNLIKELY, likely=True),)),
    Case("the next is close", (), S.UNKNOWN, (LIKELY, NEXT)),
    Case("the next is far behind", (), S.POSSIBLY_FIXED, (LIKELY, APART)),
    Case("the first was taken back, the next stands", (), S.POSSIBLY_FIXED, (REVERTED, NEXT)),
    Case("it shares the project's name alone", (), S.UNKNOWN, (replace(NAMELESS, shared=1),)),
    Case("it shares the name, and says that it closes the report", (), S.POSSIBLY_FIXED, (replace(LIKELY, shared=0),)),
    Case("the history is short", (), S.UNKNOWN, (LIKELY,), {"commits": 99}),
    Case("the history is just long enough", (), S.POSSIBLY_FIXED, (LIKELY,), {"commits": 100}),
    Case("the fix was taken back", (), S.UNKNOWN, (REVERTED,)),
    Case("nothing at all", (), S.UNKNOWN),
    # What came back after a fix
    Case("it came back, and history knows the old fix", (), S.UNKNOWN, (LIKELY,), {"regression": True}),
    Case("it came back and fails", (trial(FAILS),), S.STILL_PRESENT, (), {"regression": True}),
    Case("the old fix is still needed", (trial(PASSES, None, FAILS),), S.UNKNOWN, (LIKELY,), {"regression": True}),
    Case("it came back and went again", (trial(PASSES, FAILS),), S.ALREADY_FIXED, (), {"regression": True}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.why)
def test_the_table(case: Case) -> None:
    given = {"commits": MANY, **case.more}
    found = decide_fixed(FixedFacts(case.trials, case.candidates, **given))  # type: ignore[arg-type]
    assert found.status is case.status
    assert found.reasons, "every answer says why"


def test_what_was_only_read_never_counts_more_than_what_was_seen() -> None:
    sure = replace(LIKELY, score=1.0)
    seen = [
        FixedFacts((trial(PASSES, None, FAILS),), (sure,)),
        FixedFacts((trial(PASSES, FAILS),), (sure,)),
        FixedFacts((trial(FAILS),), (sure,)),
        FixedFacts((trial(PASSES, FAILS),), (sure,), unread=("an example that leaves something out",)),
        FixedFacts((trial(UNCLEAR, FAILS),), (sure,)),
        FixedFacts((), (sure,), commits=MANY),
        FixedFacts((), (LIKELY,), commits=MANY),
        FixedFacts(),
    ]
    confidences = [decide_fixed(facts).confidence for facts in seen]
    assert confidences == sorted(set(confidences), reverse=True)


def test_the_one_that_still_fails_is_named_first() -> None:
    found = decide_fixed(FixedFacts((trial(PASSES, FAILS), another(FAILS))))
    assert found.reasons[0].startswith("The reproduction_2 example: At the head it still fails")


def test_what_the_report_says_in_its_own_way_is_not_said_to_be_missing() -> None:
    assert "does not say" in decide_fixed(FixedFacts((silent(PASSES, FAILS),))).reasons[-1]
    found = decide_fixed(FixedFacts((silent(PASSES, FAILS),), unread=(UNASKED,)))
    assert found.status is FixStatus.POSSIBLY_FIXED
    assert not any("does not say" in reason for reason in found.reasons)


@cases
def test_another_call_that_is_wrong_too_and_gives_what_it_gave(then: str, now: str, status: FixStatus) -> None:
    before, after = (Run(Seen.OTHERWISE, "it prints something else", shown) for shown in (then, now))
    expected = Expectation(Failure.PRINTS, wrong=("1",))
    told = variant(after, before)
    told = replace(told, reproduction=replace(told.reproduction, expectation=expected))
    assert decide_fixed(FixedFacts((trial(PASSES, FAILS), told))).status is status
    nobody = replace(told, reproduction=replace(told.reproduction, may_fail=True))
    assert decide_fixed(FixedFacts((trial(PASSES, FAILS), nobody))).status is FixStatus.ALREADY_FIXED


def test_what_may_fail_rightly_is_told_as_open() -> None:
    found = decide_fixed(FixedFacts((trial(PASSES, CHECKED), guessed(CHECKED, CHECKED))))
    assert found.reasons[1].endswith("At the head it still fails as reported: it raises TypeError. That may be right.")


def test_what_running_proved_leads_and_its_release_is_told() -> None:
    proven = candidate(OTHER, score=0.2, released_in="2.0")
    facts = FixedFacts((trial(PASSES, None, FAILS),), (LIKELY, proven), fixed_by=OTHER)
    found = decide_fixed(facts)
    assert [each.commit for each in found.candidates] == [OTHER, FIX]
    assert (found.released_in, found.fixed_by) == ("2.0", OTHER)


def test_what_running_alone_named_leads() -> None:
    alone = candidate(OTHER, released_in="2.0")
    found = decide_fixed(FixedFacts((trial(PASSES, FAILS),), (LIKELY,), fixed_by=OTHER, proven=alone))
    assert [each.commit for each in found.candidates] == [OTHER, FIX]
    assert (found.fix, found.released_in) == (alone, "2.0")


def test_a_release_of_another_candidate_is_not_that_of_the_proven_commit() -> None:
    found = decide_fixed(FixedFacts((trial(PASSES, FAILS),), (LIKELY,), fixed_by=OTHER))
    assert found.released_in is None


def test_why_nothing_ran_is_told() -> None:
    assert "The time ran out." in decide_fixed(FixedFacts((trial(None),), problem="The time ran out.")).reasons


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (trial(PASSES, FAILS), "It fails as reported at the revision the report is about, and passes at the head."),
        (before(PASSES, FAILS), "It fails as reported at the commit before ffffffffff, and passes at the head."),
        (trial(PASSES, None, FAILS), "It passes at the head, and fails as reported without ffffffffff."),
        (
            replace(before(PASSES, FAILS), reported=FLAKY),
            "It gives different results at the same revision, so it proves nothing.",
        ),
        (
            before(PASSES, CHANGED),
            "It passes at the head, but never failed as reported; before, it failed differently: it raises KeyError.",
        ),
    ],
)
def test_where_it_failed_is_told_as_it_is(one: Trial, said: str) -> None:
    assert one.says == said


# Whatever was seen

RUNS = (FAILS, PASSES, CHANGED, UNCLEAR, NOT, FLAKY, NONE, ELSEWHERE, CHECKED)
MADE = {
    "an example": (),
    "one of which no more is said": ("right",),
    "an output": ("printed",),
    "a named input": ("variant",),
    "another input": ("variant", "may_fail"),
    "a model's script": ("judge",),
}
FIXED_BY = {S.STILL_PRESENT: 0, S.PARTIALLY_FIXED: 1, S.UNKNOWN: 2, S.POSSIBLY_FIXED: 2, S.ALREADY_FIXED: 3}


@st.composite
def trials(draw: st.DrawFn, number: int) -> Trial:
    kinds = [kind for kind in MADE.values() if number or "variant" not in kind]
    kind = draw(st.sampled_from(kinds))
    failure = Failure.PRINTS if "printed" in kind else Failure.RAISES
    told = Expectation(failure, wrong=("1",) * ("printed" in kind), right="" if kind else "2")
    shown = Reproduction(f"r{number}", Form.SCRIPT, "f()", told, f"example {number}")
    shown = replace(
        shown, variant_of="r0" * ("variant" in kind), may_fail="may_fail" in kind, judge="m" * ("judge" in kind)
    )
    reported, head, without, before = (draw(st.none() | st.sampled_from(RUNS)) for _ in range(4))
    return Trial(shown, reported, head, without, FIX if without else "", before, OTHER if before else "")


@st.composite
def facts(draw: st.DrawFn) -> FixedFacts:
    return FixedFacts(
        tuple(draw(trials(number)) for number in range(draw(st.integers(0, 4)))),
        tuple(draw(st.lists(st.sampled_from([LIKELY, UNLIKELY, NAMING, APART, REVERTED]), max_size=2))),
        draw(st.sampled_from([None, FIX, OTHER])),
        regression=draw(st.booleans()),
        unread=("an example",) * draw(st.booleans()),
        broken="one" * draw(st.booleans()),
        problem="The time ran out." * draw(st.booleans()),
        commits=draw(st.sampled_from([3, MANY])),
    )


@settings(patient, max_examples=50)
@given(facts())
def test_nothing_open_is_called_fixed_and_nothing_that_fails_is_passed_over(known: FixedFacts) -> None:
    found = decide_fixed(known)
    counting = [
        each
        for each in known.trials
        if each.failed_before or not (each.reproduction.variant_of or each.reproduction.judge)
    ]
    assert found.reasons
    assert 0 <= found.confidence <= 1
    if still_failing(known.trials):
        assert found.status in (S.STILL_PRESENT, S.PARTIALLY_FIXED)
    if found.status is S.POSSIBLY_FIXED:
        wrong = [each for each in known.trials if each.fails_now and each.reproduction.expectation.right]
        assert not wrong, "what goes wrong at the head is never called possibly fixed"
    if found.status is S.ALREADY_FIXED:
        assert all(each.head and each.head.seen is Seen.PASSES and not each.flaky for each in counting)
        assert any(each.failed_before and not each.reproduction.variant_of for each in counting)
        assert not (known.unread or known.broken or known.problem)
        if known.regression:
            assert any(each.reported and each.reported.seen is Seen.AS_REPORTED for each in counting)


@settings(patient, max_examples=50)
@given(facts(), trials(9), st.sampled_from([FAILS, NONE, CHECKED]))
def test_one_more_that_fails_never_makes_it_more_fixed(known: FixedFacts, one: Trial, fails: Run) -> None:
    more = replace(known, trials=(*known.trials, replace(one, head=fails)))
    assert FIXED_BY[decide_fixed(more).status] <= FIXED_BY[decide_fixed(known).status]


@settings(patient, max_examples=50)
@given(facts())
def test_an_older_fix_says_nothing_of_what_came_back(known: FixedFacts) -> None:
    """Whatever was seen without a candidate or before it."""
    back = replace(known, regression=True)
    bare = tuple(replace(each, without_fix=None, before=None) for each in back.trials)
    if decide_fixed(back).status is S.ALREADY_FIXED:
        assert decide_fixed(replace(back, trials=bare)).status is S.ALREADY_FIXED
