"""What only a person can decide, how it is answered, and that the answer is a test ever after."""

import ast
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.code import SpecTest
from bot.verification.fix_guided.questions import (
    AnswerChoice,
    Given,
    Ruling,
    VerificationQuestion,
    as_test,
    box,
    clicked,
    question,
    rule,
    ruled,
    specification_hash,
    spoken,
)
from bot.verification.model_tests import source
from bot.verification.values import Difference, Ending, Generator, Observed, Side
from tests.support.cases import cases
from tests.support.properties import patient

SPECIFICATION = "Return the middle number of the list."
ONE = Observed(Ending.RETURNED, "2")
OTHER = Observed(Ending.RETURNED, "3")
DIFFERENCE = Difference("middle( [1, 2, 3, 4] )", ONE, OTHER, Generator.MUTATION)


def asked(difference: Difference = DIFFERENCE, specification: str = SPECIFICATION) -> VerificationQuestion:
    found = question(difference, specification, "solution")
    assert found is not None
    return found


def test_a_question_shows_outcomes_and_not_whose_they_are() -> None:
    turned = replace(DIFFERENCE, original=OTHER, fix=ONE)
    assert asked() == asked(turned)
    assert {asked().a, asked().b} == {ONE, OTHER}


def test_an_id_is_stable_and_about_one_thing() -> None:
    same = replace(DIFFERENCE, call="middle([1, 2, 3,  4])", generator=Generator.HYPOTHESIS)
    assert asked(same, f"  {SPECIFICATION}\n").id == asked().id
    others = [
        asked(replace(DIFFERENCE, call="middle([1])")),
        asked(replace(DIFFERENCE, fix=Observed(Ending.TIMEOUT))),
        asked(replace(DIFFERENCE, fix=replace(OTHER, mutated="([],)"))),
        asked(specification="Another text."),
        question(DIFFERENCE, SPECIFICATION, "other"),
    ]
    assert len({asked().id, *(other.id for other in others if other)}) == 6
    assert len(asked().id) == 8 and asked().id.islower()


def test_the_input_can_be_pasted_and_run() -> None:
    found = asked(replace(DIFFERENCE, call="middle([Point(1), len('ab')])"))
    assert found.program == "from solution import Point, middle\nprint(repr(middle([Point(1), len('ab')])))"
    program = "def middle(numbers): return numbers\ndef Point(x): return x\n" + found.program.split("\n", 1)[1]
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown == "[1, 2]\n"


def test_objects_that_a_call_makes_are_no_names_to_import() -> None:
    found = asked(replace(DIFFERENCE, call="(o1 := Box(1), o1.put(2), o1.get())[-1]"))
    assert found.names == ("Box",)


@pytest.mark.parametrize(
    "call", ["", "middle(", "1 + 1", "run_script('tool.py {}', 3)", "middle(1); x", "\x00", "(" * 5000]
)
def test_what_does_not_run_is_no_question(call: str) -> None:
    assert question(replace(DIFFERENCE, call=call), SPECIFICATION, "solution") is None


def test_what_cannot_be_written_is_no_question() -> None:
    odd = replace(DIFFERENCE, fix=Observed(Ending.RETURNED, "'\ud800'"))
    assert question(odd, SPECIFICATION, "solution") is None
    assert question(replace(DIFFERENCE, call=f"middle('{'x' * 5000}')"), SPECIFICATION, "solution") is None


def test_a_module_that_cannot_be_imported_is_no_question() -> None:
    assert question(DIFFERENCE, SPECIFICATION, "not-a-module") is None


@patient
@given(st.text(max_size=60))
def test_any_text_in_the_call_stays_on_the_line_it_is_on(text: str) -> None:
    found = question(replace(DIFFERENCE, call=f"middle([{text!r}])"), SPECIFICATION, "solution")
    assert found is not None
    assert len(found.program.split("\n")) == 2
    ast.parse(found.program)


def test_white_space_does_not_make_another_specification() -> None:
    assert specification_hash("a  b\n") == specification_hash("a b\u200b") != specification_hash("a c")


# Answers.


def comment(found: VerificationQuestion) -> str:
    lines = [f"{box(found, choice)} text" for choice in AnswerChoice]
    return "\n".join(["<!-- bouncer -->", "Which is right?", "", *lines, "", "Bye."])


@pytest.mark.parametrize("choice", AnswerChoice)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("tick", ["x", "X"])
def test_a_tick_is_an_answer(choice: AnswerChoice, end: str, tick: str) -> None:
    before = comment(asked())
    line = box(asked(), choice)
    after = before.replace(line, line.replace("[ ]", f"[{tick}]")).replace("\n", end)
    assert clicked(after, before) == Given(asked().id, choice)
    assert clicked(after + end, before) == Given(asked().id, choice)


A, B = (box(asked(), choice) for choice in (AnswerChoice.A, AnswerChoice.B))
TICKED_A, TICKED_B = A.replace("[ ]", "[x]"), B.replace("[ ]", "[x]")
BEFORE = comment(asked())


@pytest.mark.parametrize(
    ("after", "before"),
    [
        (BEFORE, BEFORE),
        (BEFORE, BEFORE.replace(A, TICKED_A)),
        (BEFORE.replace(A, TICKED_A.upper()), BEFORE.replace(A, TICKED_A)),
        (BEFORE.replace(A, TICKED_A.replace("[x]", "[X]")), BEFORE.replace(A, TICKED_A)),
        (BEFORE.replace(A, TICKED_A).replace(B, TICKED_B), BEFORE),
        (BEFORE.replace(A, TICKED_A), BEFORE.replace(B, TICKED_B)),
        (BEFORE.replace(f"{A} text", f"{TICKED_A} other text"), BEFORE),
        (BEFORE.replace(A, TICKED_A) + "\nmore", BEFORE),
        (BEFORE.replace(A, TICKED_A).replace("Bye.", "Hello."), BEFORE),
        (BEFORE.replace(A, TICKED_A.replace(asked().id, "aaaaaaaa")), BEFORE),
        (BEFORE.replace(A, TICKED_A.replace(" a ", " b ")), BEFORE),
        (BEFORE.replace(A, "> " + TICKED_A), BEFORE.replace(A, "> " + A)),
        (BEFORE.replace(A, TICKED_A.replace("[x]", "[xx]")), BEFORE),
        (f"{TICKED_A}", ""),
        ("", BEFORE),
        ("", ""),
        ("- [x] A", "- [ ] A"),
        ("- [x] <!-- bouncer:answer SHORT a -->", "- [ ] <!-- bouncer:answer SHORT a -->"),
        ("- [x] <!-- bouncer:answer abcdefgh c -->", "- [ ] <!-- bouncer:answer abcdefgh c -->"),
        (BEFORE.replace(A, TICKED_A).replace("\n", "\u2028"), BEFORE),
    ],
)
def test_any_other_edit_is_none(after: str, before: str) -> None:
    assert clicked(after, before) is None


def test_a_second_tick_is_the_newer_answer() -> None:
    first = BEFORE.replace(A, TICKED_A)
    assert clicked(first.replace(B, TICKED_B), first) == Given(asked().id, AnswerChoice.B)


bodies = st.lists(
    st.sampled_from([A, TICKED_A, B, TICKED_B, "\n", " ", "x", "\r", "> ", "```", "<!--"]), max_size=12
).map("".join) | st.text(max_size=80)


@patient
@given(bodies, bodies)
def test_no_body_makes_it_raise_or_answers_more_than_a_box(after: str, before: str) -> None:
    found = clicked(after, before)
    if found:
        assert after.count("[x]") == before.count("[x]") + 1


@cases
def test_an_answer_in_a_comment(rest: str, answer: Given | None) -> None:
    assert spoken(rest) == answer


# What an answer does from then on.


def ruling(expected: Observed | None, call: str = asked().call) -> Ruling:
    return Ruling("abcdefgh", specification_hash(SPECIFICATION), call, expected)


@pytest.mark.parametrize("choice", AnswerChoice)
def test_an_answer_is_an_outcome(choice: AnswerChoice) -> None:
    found = rule(asked(), choice)
    assert (found.question, found.specification, found.call) == (asked().id, asked().specification, asked().call)
    assert found.expected == {"a": asked().a, "b": asked().b, "either": None}[choice]


@pytest.mark.parametrize("expected", [ONE, Observed(Ending.RAISED, "ValueError", "([1],)"), None])
def test_a_ruling_can_be_kept(expected: Observed | None) -> None:
    found = ruling(expected)
    assert Ruling.of(found.question, found.specification, found.call, found.stored) == found


def test_what_was_never_kept_is_refused() -> None:
    with pytest.raises(ValueError):
        Ruling.of("abcdefgh", "", "f()", '{"ending": "sideways"}')


@cases
def test_an_answer_becomes_a_test(expected: Observed | None, said: str | None) -> None:
    test = as_test(ruling(expected))
    assert test == (said and SpecTest("A maintainer's answer to question abcdefgh.", "middle([1, 2, 3, 4])", said))
    if test:
        ast.parse(source([test], "solution"))


def test_a_call_that_is_more_than_literals_becomes_no_test() -> None:
    assert as_test(ruling(ONE, "middle([Point(1)])")) is None


def test_an_answer_decides_later_programs() -> None:
    found = ruled(DIFFERENCE, [ruling(OTHER, "middle([1])"), ruling(OTHER)])
    assert found == replace(DIFFERENCE, favours=Side.FIX, why="A maintainer answered what is right for this input.")
    turned = replace(DIFFERENCE, original=OTHER, fix=Observed(Ending.TIMEOUT))
    assert ruled(turned, [ruling(OTHER)]) == replace(
        turned, favours=Side.ORIGINAL, why="A maintainer answered what is right for this input."
    )


def test_where_either_will_do_there_is_no_evidence() -> None:
    assert ruled(DIFFERENCE, [ruling(None)]) is None


@pytest.mark.parametrize("rulings", [[], [ruling(OTHER, "middle([1])")], [ruling(Observed(Ending.RETURNED, "4"))]])
def test_an_answer_to_something_else_decides_nothing(rulings: list[Ruling]) -> None:
    assert ruled(DIFFERENCE, rulings) == DIFFERENCE
