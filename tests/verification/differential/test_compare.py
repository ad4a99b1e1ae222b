"""Original against fix: what counts as the same, whom a difference speaks for, and the whole in the real sandbox."""

import base64
import datetime
import pickle
import sys

import pytest

from bot.sandbox.protocol import Outcome, Status
from bot.verification.calls.call import call_once
from bot.verification.calls.equality import equal, same
from bot.verification.differential.compare import (
    OF_SCRIPT,
    Versions,
    VisibleCalls,
    compare,
    doubt,
    inputs,
    monotonous,
)
from bot.verification.differential.domain import Domain
from bot.verification.differential.expression import read
from bot.verification.values import Ending, Generator, Observed, Program
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP, Remembering, StandIn

EXECUTOR = Remembering(BUBBLEWRAP)


def program(body):
    return Program(None, {"solution.py": f"def f(items):\n    {body}\n".encode()})


def shown(*calls):
    return VisibleCalls(dict.fromkeys(calls))


def returned(value, mutated=""):
    return Observed(Ending.RETURNED, value, mutated)


RAISED, OTHER_RAISED = Observed(Ending.RAISED, "KeyError"), Observed(Ending.RAISED, "ValueError")
TIMEOUT, DIED = Observed(Ending.TIMEOUT), Observed(Ending.DIED)


@cases
def test_values_are_equal_as_python_has_it_but_for_rounding(one, other, alike):
    assert equal(one, other) is alike
    assert equal(other, one) is alike


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (RAISED, OTHER_RAISED, True),
        (RAISED, returned("None"), False),
        (RAISED, TIMEOUT, False),
        (DIED, DIED, True),
        (returned("None", "[[1]]"), returned("None", "[[2]]"), False),
        (returned("3", "[[1]]"), returned("3"), True),
        (returned("3", "Box(size=1)"), returned("3", "Box(size=2)"), False),
        (returned("3", "Box(size=1, more=2)"), returned("3", "Box(size=1)"), True),
        (Observed(Ending.RAISED, "KeyError", "Box(size=1)"), Observed(Ending.RAISED, "KeyError", "Box(size=2)"), False),
        (Observed(Ending.RAISED, "KeyError", "Step(1)"), Observed(Ending.RAISED, "KeyError", "Step(2)"), False),
    ],
)
def test_which_exception_and_what_is_changed_beside_a_result_do_not_count(one, other, alike):
    assert same(one, other) is alike


def test_programs_that_do_the_same_agree_on_many_inputs():
    found = compare(
        Versions(EXECUTOR, program("return sum(items)"), program("return sum(sorted(items))"), shown("f([3, 1, 2, 5])"))
    )
    assert len(found.calls) > 60
    assert found.differences == ()
    assert not found.problem and not found.doubt and not found.outside


def test_a_difference_is_found_and_the_plainest_comes_first():
    original, fix = program("return items[0]"), program("return max(items)")
    found = compare(Versions(EXECUTOR, original, fix, shown("f([9, 1, 2, 2])")))
    assert found.differences
    assert found.differences == tuple(sorted(found.differences, key=lambda one: (len(one.call), one.call)))
    first = found.differences[0]
    assert first.original != first.fix
    assert found == compare(Versions(EXECUTOR, original, fix, shown("f([9, 1, 2, 2])")))


def test_an_input_from_elsewhere_counts_inside_the_domain_and_is_no_evidence_outside():
    original = program("return 0 if items == [17, 4, 1] else sum(items)")
    fix = program("return sum(items) if items and min(items) >= 0 else None")
    extra = [(Generator.REVIEW, f"f({items})") for items in ("[-5]", "[]", "[17, 4, 1]")]
    found = compare(Versions(EXECUTOR, original, fix, shown("f([9, 1, 2, 2])")), extra_calls=extra)
    assert [one.call for one in found.differences] == ["f([17, 4, 1])"]
    assert found.outside == 2


def test_constants_of_the_sources_lead_to_where_behaviour_changes():
    original, fix = program("return 0 if items == 517 else items"), program("return items")
    found = compare(Versions(EXECUTOR, original, fix, shown("f(400)")))
    assert [one.call for one in found.differences] == ["f(517)"]


KEEPS = "global n; n = globals().get('n', 0) + 1; return items if n < 2 else {}"


@pytest.mark.parametrize(("body", "steady"), [(KEEPS, False), ("__import__('os').urandom(1); return items", True)])
def test_where_one_call_follows_another_a_difference_is_a_doubt(body: str, steady: bool) -> None:
    """None that can be shown: made alone, the call gives what the fix gives."""
    found = compare(Versions(EXECUTOR, program(body), program("return items"), shown("f([9, 1, 2])")))
    assert found.differences == () and len(found.calls) > 5
    assert (found.doubt == "") is steady, found.doubt


@pytest.mark.parametrize(("other", "doubted"), [("lambda: items * 2", True), ("items * 1", False)])
def test_what_is_not_written_down_is_not_compared(other: str, doubted: bool) -> None:
    """Functions that are returned look alike, whatever they would do."""
    original = program("return lambda: items" if doubted else "return items")
    found = compare(Versions(EXECUTOR, original, program(f"return {other}"), shown("f(4)", "f(6)")))
    assert (not found.calls) is doubted and ("cannot be written" in found.problem) is doubted


def test_where_some_calls_return_what_is_not_written_down_the_others_do_not_speak_for_them() -> None:
    body = "return (lambda: items) if items > 5 else items"
    one, other = program(body), program(body.replace("(lambda: items)", "(lambda: items * 2)"))
    found = compare(Versions(EXECUTOR, one, other, shown("f(4)", "f(6)")))
    assert found.calls and not any(call == "f(6)" for call in found.calls) and "cannot be written" in found.doubt


@pytest.mark.parametrize("calls", [("f()",), ("f(3)",)])
def test_where_nothing_can_be_varied_agreement_is_a_doubt(calls: tuple[str, ...]) -> None:
    one, other = (Program(None, {"solution.py": f"def f(n=3):\n    return {n} + n\n".encode()}) for n in ("3", "1 + 2"))
    found = compare(Versions(EXECUTOR, one, other, shown(*calls)))
    assert ("nothing near them" in found.doubt) is (calls == ("f()",)), found.doubt


@pytest.mark.parametrize(("other", "found"), [("KeyError", True), ("ValueError", False)])
def test_which_exception_is_raised_counts_where_one_is_raised_on_purpose(other: str, found: bool) -> None:
    one, fix = (program(f"if items % 2: raise {name}(items)\n    return items // 2") for name in (other, "ValueError"))
    found_ = compare(Versions(EXECUTOR, one, fix, shown("f(8)", "f(3)"))).differences
    assert bool(found_) is found


@pytest.mark.parametrize(("path", "doubted"), [("rates.json", True), ("web/app.js", True), ("README.md", False)])
def test_what_is_no_python_is_not_compared(path: str, doubted: bool) -> None:
    one, other = (
        Program(None, {**program(f"return items + {plus}").files, path: text})
        for plus, text in (("2", b"1"), ("1 + 1", b"2"))
    )
    found = compare(Versions(EXECUTOR, one, other, shown("f(8)", "f(3)")))
    assert ("no Python" in found.doubt) is doubted, found.doubt


def test_constants_of_the_lines_that_differ_come_first():
    rows = "".join(f"'zone{at}': {at}, " for at in range(60))
    body = f"return {{{rows}\n        'last': %d}}.get(items, 0)"
    found = compare(Versions(EXECUTOR, program(body % 70), program(body % 90), shown("f('zonea')", "f('zoneb')")))
    assert [one.call for one in found.differences] == ["f('last')"]


def test_a_loop_that_does_not_end_on_a_visible_size_is_a_difference():
    original = program("while items == [9, 1, 2]: pass\n    return sum(items)")
    found = compare(Versions(EXECUTOR, original, program("return sum(items)"), shown("f([9, 1, 2, 2])")))
    assert found.differences
    assert {one.original.ending for one in found.differences} == {Ending.TIMEOUT}


def test_nothing_to_vary_and_no_sandbox_are_said():
    one = program("return 1")
    assert "no call that can be made" in compare(Versions(EXECUTOR, one, one, shown("f(x)"))).problem

    broken = StandIn(Outcome(Status.SANDBOX_ERROR, None, b"", b"", {}, 0.0, (), "no room"))
    assert "no room" in compare(Versions(broken, one, one, shown("f(1)"))).problem
    assert doubt(broken, one, shown("f(1)")) == ""


def test_calls_that_end_otherwise_without_their_tests_are_not_compared():
    """As of what the tests set up first."""
    one, other = program("return TABLE[items]"), program("return TABLE.get(items)")
    found = compare(Versions(EXECUTOR, one, other, VisibleCalls({"f(3)": Ending.RETURNED})))
    assert found.calls == found.differences == () and "end otherwise" in found.problem
    assert compare(Versions(EXECUTOR, one, other, VisibleCalls({"f(3)": Ending.RAISED}))).calls


def test_a_program_that_ignores_its_input_is_doubted():
    assert "same value" in doubt(EXECUTOR, program("return False"), shown("f([9, 1, 2, 2])"))
    assert doubt(EXECUTOR, program("return sum(items)"), shown("f([9, 1, 2, 2])")) == ""
    assert monotonous([returned("1")] * 3) == ""


def test_to_agree_on_breaking_off_says_little():
    original, fix = program("return {10: 1}[sum(items)]"), program("return {10: 1}[sum([*items])]")
    assert "Both fail" in compare(Versions(EXECUTOR, original, fix, shown("f([9, 1])"))).doubt


def test_to_refuse_most_alike_is_agreement_where_enough_is_taken():
    """What checks a text refuses most of what lies near one that it takes."""
    original = program("if not items.isdigit():\n        raise ValueError(items)\n    return int(items)")
    fix = program("if items.isdigit():\n        return int(items)\n    raise ValueError(items)")
    found = compare(Versions(EXECUTOR, original, fix, shown("f('41')", "f('7')", "f('x')")))
    assert found.calls and found.doubt == ""


SIZES = "from enum import Enum\n\n\nclass Size(Enum):\n    S = 1\n    M = 2\n    L = 3\n\n\n"


@pytest.mark.parametrize(
    ("original", "fix", "calls", "different"),
    [
        (
            "5 if size is Size.S else 7",
            "{Size.S: 5, Size.M: 7, Size.L: 9}[size]",
            ("f(Size.S)", "f(Size.M)"),
            "f(Size.L)",
        ),
        ("5 if size is Size.S else 7", "[5, 7, 7][size.value - 1]", ("f(Size.S)", "f(Size.M)", "f(Size.L)"), ""),
        ("5 if size else 7", "[7, 5][size]", ("f(True)", "f(False)"), ""),
    ],
)
def test_any_member_of_an_enumeration_may_be_given(
    original: str, fix: str, calls: tuple[str, ...], different: str
) -> None:
    """Where each was, nothing is left to be tried."""
    one, other = (
        Program(None, {"solution.py": f"{SIZES}def f(size):\n    return {body}\n".encode()}) for body in (original, fix)
    )
    found = compare(Versions(EXECUTOR, one, other, shown(*calls)))
    assert [each.call for each in found.differences] == [different] * bool(different)
    assert found.doubt == ""


@pytest.mark.parametrize(
    "line", ["    XL: int = 4\n", "    XL, XXL = 4, 5\n", "".join(f"    S{at} = {at}\n" for at in range(4, 99))]
)
@pytest.mark.parametrize("both", [True, False])
def test_agreement_on_some_members_is_not_whole(line: str, both: bool) -> None:
    """Whoever wrote the change may have taken the others away."""
    short, long = (f"{SIZES.rstrip()}\n{more}\n\ndef f(size):\n    return " for more in ("", line))
    pair = [(long if both else short) + "size.value + 1\n", long + "1 + size.value\n"]
    one, other = (Program(None, {"solution.py": text.encode()}) for text in pair)
    found = compare(Versions(EXECUTOR, one, other, shown("f(Size.S)", "f(Size.M)", "f(Size.L)")))
    assert found.doubt or found.differences or len(found.calls) > 3


def test_members_are_those_of_the_module_that_the_calls_name(tmp_path):
    """The enumeration stands in a file of the tree that nothing changes."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "sizes.py").write_text(SIZES)
    body = b"from shop.sizes import Size\n\n\ndef price(size):\n    return "
    one = Program(tmp_path, {"shop/cart.py": body + b"5 if size is Size.S else 7\n"})
    other = Program(tmp_path, {"shop/cart.py": body + b"{Size.S: 5, Size.M: 7, Size.L: 9}[size]\n"})
    calls = dict.fromkeys(f"shop.cart.price(shop.sizes.Size.{name})" for name in "SM")
    found = compare(Versions(EXECUTOR, one, other, VisibleCalls(calls, module="")))
    assert [each.call for each in found.differences] == ["shop.cart.price(shop.sizes.Size.L)"]


def test_of_scripts_fewer_calls_are_made():
    """Each is a process of its own, and there must be time left to see whether they would notice a defect."""
    made = [read(f"run_script('count.py {{}}', make_file('a.txt', {text!r}))") for text in ("one two", "one", "b c")]
    examples = {str(each): each for each in made if each}
    assert len(examples) == 3 and len(inputs(examples, Domain.of(examples.values()), 0, ())) <= 3 + 2 * OF_SCRIPT + 1


def test_to_agree_on_copies_alone_says_little():
    copy = base64.b64encode(pickle.dumps(datetime.date(2026, 1, 2))).decode()
    found = compare(Versions(EXECUTOR, program("return 3"), program("return 1 + 2"), shown(f"f(unpickled('{copy}'))")))
    assert len(found.calls) == 1 and found.doubt.startswith("Only what the tests give was compared")
    more = shown(f"f(unpickled('{copy}'))", "f([1, 2])")
    versions = Versions(EXECUTOR, program("return [3]"), program("return [1 + 2]"), more)
    assert not compare(versions).doubt.startswith("Only")


def test_a_program_that_breaks_off_inside_the_domain_is_doubted():
    assert "It fails on" in doubt(EXECUTOR, program("return items[0] + items[3]"), shown("f([9, 1, 2, 2])"))


ENDS_ALL = b"""import os
def f(items):
    if items != [1, 2]: os.kill(-1, 9)
    return 2
"""


def test_a_program_that_ends_the_comparison_differs():
    found = compare(
        Versions(EXECUTOR, Program(None, {"solution.py": ENDS_ALL}), program("return len(items)"), shown("f([1, 2])"))
    )
    assert {one.original.ending for one in found.differences} == {Ending.DIED}
    assert {*found.calls} == {"f([1, 2])", *(one.call for one in found.differences)}


def test_where_no_call_was_finished_nothing_agrees():
    silent = StandIn(Outcome(Status.EXITED, 0, b"", b"", {}, 0.0, ()))
    found = compare(Versions(silent, program("return 1"), program("return 2"), shown("f([1, 2])")))
    assert found.calls == ()
    assert found.doubt == "So nothing is known about their behaviour beyond the tests."


def test_what_prints_gives_its_value_alone_where_it_is_asked_as_users_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what its tests assert of it would be a lie."""
    monkeypatch.setattr("sys.stdout", sys.stdout)  # which a call puts its own in the place of
    names = {"send": lambda: print("hello") or 0}
    assert call_once("send()", names, plain=True)[1] == "0"
    assert call_once("send()", names, plain=False)[1] == "Printed('hello\\n', 0)"
