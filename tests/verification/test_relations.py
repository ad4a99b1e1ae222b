"""Relations: stated, about the result, borne out by the examples, and broken only by what breaks them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.literals import Call, Example
from bot.verification.relations import Relation, check, relations
from bot.verification.values import Ending, Observed


def example(call: str, expected: str) -> Example:
    return Example(Call("f", (), call), expected)


def returned(value: str, mutated: str = "") -> Observed:
    return Observed(Ending.RETURNED, value, mutated)


STATED = {
    # specification, an example, the kind, what keeps it, what breaks it
    "truth": ("Write a function to check whether a word reads the same backwards.", ("f('abba')", "True"), "truth",
              ("f('x')", "False"), ("f('x')", "'no'")),
    "count": ("Write a function to count the number of vowels in a word.", ("f('echo')", "2"), "count",
              ("f('x')", "0"), ("f('x')", "-3")),
    "a whole number": ("Return the number of gaps.", ("f([1])", "0"), "count", ("f([2])", "1.0"), ("f([2])", "0.5")),
    "index": ("Return the index of the first negative reading.", ("f([1, -2])", "1"), "index",
              ("f([1])", "-1"), ("f([1, 2])", "7")),
    "ascending": ("It returns the prices in ascending order.", ("f([2, 1])", "[1, 2]"), "ascending",
                  ("f([3, 3, 1])", "[1, 3, 3]"), ("f([3, 1])", "[3, 1]")),
    "descending": ("The result is a list in descending order.", ("f([1, 2])", "[2, 1]"), "descending",
                   ("f([1])", "[1]"), ("f([3, 1])", "[1, 3]")),
    "rearranged": ("Write a function to sort a list using gnome sort.", ("f([2, 1])", "[1, 2]"), "rearranged",
                   ("f([2, 2, 1])", "[1, 2, 2]"), ("f([2, 2, 1])", "[1, 2]")),
    "distinct": ("Write a function to remove duplicates from a basket.", ("f([1, 1, 2])", "[1, 2]"), "distinct",
                 ("f([3])", "[3]"), ("f([3, 3])", "[3, 3]")),
    "selected": ("Write a function to remove all spaces from a string.", ("f('a b')", "'ab'"), "selected",
                 ("f(' ')", "''"), ("f('c d')", "'cd!'")),
    "largest element": ("Find the largest number in the list.", ("f([4, 9])", "9"), "largest_element",
                        ("f([7])", "7"), ("f([7, 8])", "7")),
    "smallest argument": ("Write a function to find the minimum of two numbers.", ("f(4, 9)", "4"), "smallest_argument",
                          ("f(9, 4)", "4"), ("f(9, 4)", "9")),
    "decimals": ("Return the mean rounded to two decimals.", ("f([1, 2])", "1.5"), "decimals",
                 ("f([1])", "0.33"), ("f([1])", "0.333")),
    "kind of numbers": ("Write a function to find all even numbers in a list.", ("f([1, 2])", "[2]"), "all_of_kind",
                        ("f([4])", "[4]"), ("f([4, 5])", "[4, 5]")),
    "type": ("The function returns a tuple of the halves.", ("f('ab')", "('a', 'b')"), "type",
             ("f('')", "('', '')"), ("f('')", "['', '']")),
    "same length": ("Return a list of the same length as the input.", ("f([5])", "[0]"), "same_length",
                    ("f([1, 2])", "[0, 0]"), ("f([1, 2])", "[0]")),
    "empty": ("If the list is empty, return -1.", ("f([5])", "0"), "for_empty", ("f([])", "-1"), ("f([])", "0")),
    "empty list for empty": ("For an empty string return an empty list.", ("f('a')", "['a']"), "for_empty",
                             ("f('')", "[]"), ("f('')", "['']")),
}  # fmt: skip


@pytest.mark.parametrize("specification,shown,kind,keeps,breaks", STATED.values(), ids=STATED)
def test_what_is_stated_is_checked(
    specification: str, shown: tuple[str, str], kind: str, keeps: tuple[str, str], breaks: tuple[str, str]
) -> None:
    (relation,) = [found for found in relations(specification, "f", [example(*shown)]) if found.kind == kind]
    assert relation.clause in specification
    assert check(relation, [(keeps[0], returned(keeps[1]))]) == ()
    (violation,) = check(relation, [(keeps[0], returned(keeps[1])), (breaks[0], returned(breaks[1]))])
    assert (violation.call, violation.observed.value, violation.relation) == (*breaks, relation)


UNSAID = {
    "about the input": "You are given a sorted list in ascending order. Return how far it reaches.",
    "sorted by something else": "Write a function to sort a list in ascending order by the last digit.",
    "a qualified maximum": "Find the largest number in the list that is divisible by three.",
    "the second largest": "Find the second largest number in the list.",
    "a sum of kinds": "Write a function to find the sum of all even numbers in a list.",
    "counts for each": "Write a function to count the number of uses of each letter.",
    "distinct only beside each other": "Write a function to find the distinct elements of adjacent pairs.",
    "another function's words": 'def g(a):\n    """Return the number of gaps."""\n\ndef f(a):\n    """Do it."""\n',
    "inside a doctest": ">>> f('Return the number of gaps.')\n",
    "nothing": "",
}


@pytest.mark.parametrize("specification", UNSAID.values(), ids=UNSAID)
def test_what_is_not_said_of_the_result_is_no_relation(specification: str) -> None:
    assert relations(specification, "f", [example("f([3, 1])", "3"), example("f([1, 3])", "[1, 3]")]) == ()


def test_an_example_that_contradicts_drops_the_relation() -> None:
    specification = "Write a function to check whether a number is tame."
    assert relations(specification, "f", [example("f(1)", "'Yes'")]) == ()
    assert relations(specification, "f", [example("f(1)", "True"), example("f(2)", "'Yes'")]) == ()


def test_a_weak_phrase_needs_an_example() -> None:
    specification = "Write a function to check whether a number is tame."
    assert relations(specification, "f") == ()
    assert relations(specification, "g", [example("f(1)", "True")]) == ()
    assert [found.kind for found in relations(specification, "f", [example("f(1)", "True")])] == ["truth"]


def test_arguments_that_must_stay_as_they_were() -> None:
    (relation,) = relations("Return the total. The function must not modify its input.", "f", [example("f([1])", "1")])
    assert relation.clause == "The function must not modify its input."
    assert check(relation, [("f([1])", returned("1"))]) == ()
    assert len(check(relation, [("f([1])", returned("1", "[]"))])) == 1


@pytest.mark.parametrize("ending", [Ending.RAISED, Ending.TIMEOUT, Ending.DIED])
def test_what_did_not_return_breaks_nothing(ending: Ending) -> None:
    relation = Relation("count", "f", "Return the number of gaps.", "")
    assert check(relation, [("f(1)", Observed(ending, "-1"))]) == ()


UNREADABLE = {
    "an object": ("f(1)", "Point(x=1)"),
    "not a number": ("f(1)", "float('nan')"),
    "a name as argument": ("f(x)", "[-1]"),
    "nested too deep": ("f(1)", "(" * 500),
    "a call nested too deep": ("f(" * 300, "[1]"),
    "not comparable": ("f([{}], [])", "[[], 1j]"),
    "too long": ("f(1)", f"'{'a' * 100_000}'"),
    "no call": ("1 + 1", "-1"),
}


@pytest.mark.parametrize("call,value", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("kind", ["distinct", "ascending", "selected", "rearranged", "largest_element", "decimals"])
def test_what_cannot_be_read_breaks_nothing(kind: str, call: str, value: str) -> None:
    assert check(Relation(kind, "f", "", "", "2"), [(call, returned(value))]) == ()


def test_a_giant_specification_is_read_in_part() -> None:
    assert relations("many words " * 200_000 + ". Return the number of gaps.", "f", [example("f(1)", "1")]) == ()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.text(max_size=20), st.text(max_size=20))
def test_any_text_has_an_answer(specification: str, call: str, value: str) -> None:
    for relation in relations(specification, "f", [example(call, value)]):
        assert relation.clause in specification
        check(relation, [(call, returned(value))])


WORDS = st.sampled_from(
    (
        *("return", "returns", "the", "a", "number", "of", "largest", "list", "in", "ascending", "order", "sorted."),
        *("if", "duplicates", "remove", "true", "function", "to", "write", "count", "index", "even", "numbers", "same"),
        *("length", "as", "input", "empty", "rounded", "two", "decimals", "tuple;", "\n\n", ">>>", "def", "f("),
    )
)


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_clauses_are_verbatim(specification: str) -> None:
    shown = [example("f([2, 1])", "[1, 2]"), example("f(1)", "1"), example("f('a')", "True")]
    for one in shown:
        for relation in relations(specification, "f", [one]):
            assert relation.clause in specification
            assert check(relation, [(one.call.text, returned(one.expected))]) == ()
