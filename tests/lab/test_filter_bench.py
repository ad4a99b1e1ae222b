"""`bouncer bench filter`: pairs from rows, and figures from what the filter said."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from click.testing import CliRunner

from bot.cli import main
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.verdicts import Decision
from bot.verification.evidence import Case
from bot.verification.values import Augmentation
from lab.data import programs
from lab.data.files import DATA, DataError
from lab.data.forms import Form, in_forms
from lab.data.programs import Pair, first_assertion, read_pairs, specification_of, visible_tests
from lab.scores.filter import FilteredPair, fault_rows, score, try_pairs, verify_pair
from tests.support.cases import cases

ACCEPT, BOUNCE, OPEN = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE


def pair(correct=True, task="1", original="def f(n): return n + 1", fix="def f(n): return 1 + n"):
    return Pair("invented", task, original, fix, visible_tests("assert f(3) == 4", "f"), "Adds one.", correct)


def tried(decision, correct, visible=True, task="1"):
    return FilteredPair(pair(correct, task), decision, Case.EQUIVALENT, visible, 2.0)


def test_what_is_left_open_counts_as_not_accepted_and_is_told_apart():
    found = score("all", [tried(ACCEPT, True), tried(OPEN, True), tried(BOUNCE, True), tried(OPEN, False),
                          tried(ACCEPT, False), tried(BOUNCE, False)])  # fmt: skip
    assert (found.false_rejections.count, found.false_rejections.of) == (2, 3)
    assert (found.false_acceptances.count, found.false_acceptances.of) == (1, 3)
    assert found.apart == (1 / 2, 1 / 2)
    assert (found.unavailable_correct, found.unavailable_wrong) == (1, 1)
    assert found.median_seconds == 2.0
    assert ("equivalent", True, "ACCEPT", 1) in found.cases


def test_correct_originals_that_fail_the_visible_tests_are_left_out_and_wrong_ones_are_not():
    found = score("all", [tried(BOUNCE, True, visible=False), tried(BOUNCE, False, visible=False)])
    assert found.left_out == 1
    assert found.false_rejections.of == 0 and found.false_rejections.value is None
    assert found.false_acceptances.of == 1


def test_false_acceptances_are_counted_by_what_is_wrong():
    """Of wrong originals alone, and only of those whose fault has a label."""
    faults = [(ACCEPT, "x", "loops"), (BOUNCE, "x", "loops"), (OPEN, "x", "says nothing"), (ACCEPT, "y", "loops"),
              (ACCEPT, "", "")]  # fmt: skip
    some = [
        replace(tried(how, False), pair=replace(pair(False), bug=bug, symptom=symptom)) for how, bug, symptom in faults
    ]
    right = replace(tried(ACCEPT, True), pair=replace(pair(), bug="x", symptom="loops"))
    found = {
        (row.by, row.fault): (row.accepted.count, row.accepted.of, row.unavailable)
        for row in fault_rows([*some, right])
    }
    assert found == {
        ("bug type", "x"): (1, 3, 1), ("bug type", "y"): (1, 1, 0),
        ("symptom", "loops"): (2, 3, 0), ("symptom", "says nothing"): (0, 1, 1),
    }  # fmt: skip


def test_the_open_programs_of_quixbugs_have_labels_of_ours_in_the_words_of_humanevalpack():
    faults = yaml.safe_load(Path(programs.__file__).with_name("quixbugs_faults.yaml").read_text())
    assert {bug for bug, *_ in faults.values()} == {
        "missing logic", "excess logic", "operator misuse", "variable misuse", "value misuse", "function misuse",
    }  # fmt: skip
    assert {symptom for _, symptom, _ in faults.values()} == {
        "incorrect output", "infinite loop", "runtime error", "stackoverflow",
    }  # fmt: skip
    there = DATA / "quixbugs.jsonl"
    if there.is_file():
        assert [*faults] == sorted(json.loads(line)["name"] for line in there.read_text().splitlines())


def test_the_spread_is_over_tasks():
    alike = [tried(ACCEPT if task % 2 else OPEN, True, task=str(task)) for task in range(20) for _ in range(5)]
    share = score("all", alike).false_rejections
    assert share.low < share.value == 0.5 < share.high
    assert share == score("all", alike).false_rejections


@cases
def test_visible_assertions_become_tests_of_the_module(source, line):
    tests = visible_tests(source, "f")
    assert tests.startswith("from solution import f\n")
    assert f"def test_visible_1():\n    {line}\n" in tests


def test_the_first_assertion_and_the_specification_are_found():
    assert first_assertion("def check(c):\n    assert c(1)\n    assert c(2)") == "assert c(1)"
    assert specification_of('def helper(): ...\ndef f(n):\n    """Adds one."""\n') == "Adds one."
    assert specification_of("not python (") == "not python ("


def test_rows_become_ordered_pairs(tmp_path):
    solution = {"dataset": "mbpp", "task_id": "t_7_f", "entry_point": "f", "prompt": 'def f(n):\n    """Adds."""\n',
                "test": "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(5)\n"}  # fmt: skip
    rows = [solution | {"solution": text, "correct": good} for text, good in (("a", True), ("a", True), ("b", False))]
    human = {"task_id": "Python/1", "entry_point": "g", "example_test": "def check(g):\n    assert g(1)\n",
             "declaration": "def g(n):\n", "canonical_solution": "    return 1\n", "buggy_solution": "    return 0\n",
             "docstring": "One."}  # fmt: skip
    bug = {"name": "sieve", "test_cases": [[[1], [2]]], "pytest_file": "assert list(sieve(*case))",
           "requirement": "H.",
           "correct_code": "def sieve(n): yield 2", "buggy_code": "def sieve(n): yield 3"}  # fmt: skip
    wrong = solution | {"solution": "def f(n):\n    return n\n", "correct": False, "task_id": "t_8_f"}
    task = {"task_id": "8", "text": "Adds one.", "code": "def f(n):\r\n    return n + 1", "test_setup_code": "",
            "test_list": ["assert f(1) == 2", "assert f(5) == 6"]}  # fmt: skip
    for name, content in (
        ("llm_solutions", [*rows, wrong]), ("humanevalpack", [human]), ("quixbugs", [bug, bug | {"test_cases": None}]),
        ("mbpp", [task, task | {"task_id": "9"}]),
    ):  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, content)))
    pairs = read_pairs(tmp_path)
    assert [(one.dataset, one.original, one.correct) for one in pairs[:2]] == [
        ("mbpp solutions", "a", True), ("mbpp solutions", "b", False),
    ]  # fmt: skip
    assert "f(1) == 2" in pairs[0].tests and "f(5)" not in pairs[0].tests
    assert [one.correct for one in pairs[2:4]] == [True, False]
    assert "assert list(sieve(1)) == [2]" in pairs[4].tests
    assert [(one.bug, one.symptom) for one in pairs[4:6]] == [("", ""), ("function misuse", "incorrect output")]
    assert [(one.dataset, one.correct, one.original.count("+")) for one in pairs[6:]] == [
        ("MBPP", True, 1), ("MBPP", False, 0),
    ]  # fmt: skip
    assert "f(1) == 2" in pairs[6].tests and "f(5)" not in pairs[6].tests
    assert len(pairs) == 8


@pytest.mark.parametrize("content", [None, "not json", '{"task_id": 3}'])
def test_absent_and_odd_data_is_said_without_a_traceback(tmp_path, content):
    if content:
        for name in ("llm_solutions", "humanevalpack", "quixbugs", "mbpp"):
            (tmp_path / f"{name}.jsonl").write_text(content)
    with pytest.raises(DataError, match=str(tmp_path)):
        read_pairs(tmp_path)
    result = CliRunner().invoke(main, ["bench", "filter", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert str(tmp_path) in result.output
    assert "Traceback" not in result.output


RECURSIVE = """\
def helper(n):
    return f(n - 1) + 1

def f(n):
    'Adds one.'
    return helper(n) if n > 9 else [f(each) for each in ()] or n + 1

assert f(3) == 4
"""


def test_a_pair_in_other_forms_is_the_same_program():
    asked = replace(pair(True, original=RECURSIVE), specification="`f(3)` gives 4; aif(3) is something else.")
    (made,) = in_forms([asked, replace(asked, fix="@cache\ndef f(n): return 1"), replace(asked, fix="f = 1")])
    assert [*made] == [*Form]
    assert "Task().f(3)` gives 4; aif(3)" in made[Form.METHOD].specification
    assert "assert Task().f(3) == 4" in made[Form.METHOD].tests
    assert "assert f(3) == 4" in made[Form.MODULES].tests
    for one in made.values():
        for source in (one.original, one.fix):
            with pytest.MonkeyPatch.context() as patch:
                for path, text in ((one.path, source), *one.beside):
                    module = ModuleType(path.removesuffix(".py"))
                    patch.setitem(sys.modules, module.__name__, module)
                    exec(text, vars(module))
                tests = {}
                exec(one.tests, tests)
                tests["test_visible_1"]()


@pytest.mark.parametrize("fix", ["def f(n, m=1): return n + m", "def f(*n): return n", "class f: pass", "def f(:"])
def test_what_cannot_be_had_in_each_form_is_in_none(fix):
    assert in_forms([pair(original=fix)]) == []


def test_the_command_shows_forms_side_by_side(tmp_path):
    row = {"task_id": "Python/1", "entry_point": "f", "example_test": "def check(f):\n    assert f(1) == 2\n",
           "declaration": "def f(n):\n", "canonical_solution": "    return n + 1\n", "buggy_solution": "    return n\n",
           "docstring": "Adds one.", "bug_type": "missing logic", "failure_symptoms": "incorrect output"}  # fmt: skip
    nothing = {"task_id": "7", "dataset": "mbpp", "solution": "", "correct": True, "test_cases": [],
               "test_setup_code": "x"}  # fmt: skip
    for name in ("llm_solutions", "humanevalpack", "quixbugs", "mbpp"):
        rows = [row, row | {"task_id": "Python/2"}] if name == "humanevalpack" else [nothing]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = ["bench", "filter", "--data", str(tmp_path), "--form", "function", "--form", "method", "--most", "2"]
    told = CliRunner().invoke(main, asked).stdout
    assert "Programs as methods of a class" in told
    assert "HumanEvalPack 0.0%, 0.0% 0.0%, 0.0%" in " ".join(told.split())
    assert "bug type missing logic 1 0.0%" in " ".join(told.split())
    late = CliRunner().invoke(main, [*asked, "--minutes", "0"]).stdout
    assert "The time sufficed for 0 of 2 pairs." in late


def test_pairs_go_through_the_filter():
    wrong = pair(False, original="def f(n): return n", fix="def f(n): return n + 1")
    broken = pair(True, fix="def f(n): return n")
    found = try_pairs(BubblewrapExecutor(), [wrong, broken])
    assert [(one.decision, one.case, one.visible) for one in found] == [
        (BOUNCE, Case.REPAIR_SUCCESS, False), (ACCEPT, Case.OVER_REPAIR, True),
    ]  # fmt: skip
    assert [one.seconds > 0 for one in found] == [False, True], "the visible tests alone decided the first"


def test_what_is_left_out_is_left_out():
    alike = pair(True, original="def f(n):\n    return sum(n)\n", fix="def f(n):\n    return sum(list(n))\n")
    alike = replace(alike, tests=visible_tests("assert f([3, 1, 2]) == 6", "f"))
    whole, part = (
        verify_pair(BubblewrapExecutor(), alike, without).differential.calls
        for without in (frozenset(), frozenset({Augmentation.PROPERTIES}))
    )
    assert {*part} < {*whole}
