"""What old and new tests and the issue's examples demand, and what a call gives in a test and bare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.files.bodies import Bodies
from bot.verification.files.code_of_tests import defines_tests
from bot.verification.patch_evidence import Fate, Settled
from bot.verification.syntax import functions_of
from bot.verification.trial.contradictions import contradiction, renamed, weigh_demands
from bot.verification.trial.differences import differ
from bot.verification.trial.further_examples import calls_of_values, further_examples, wrong_answers
from bot.verification.trial.recorded_calls import calls_not_made, first_calls
from bot.verification.values import Ending, Observed, RecordedCall, TestRun
from tests.support.cases import cases, table

OLD = "def test_f():\n    assert f(1) == 'two words'"


@cases
def test_what_the_issue_asks_of_two_tests(new: str, asked: str, by: Settled) -> None:
    old, now = (Bodies({"test_a.py": each.encode()}.get).expected("test_a.py::test_f") for each in (OLD, new))
    assert weigh_demands(old, now, asked) is by


def test_a_renamed_test_is_found_again_by_its_name_or_its_body() -> None:
    body = "    data = load('kettle')\n    assert data.size == 4\n"
    old = Bodies({"t/test_a.py": f"def test_size():\n{body}".encode()}.get)
    new = Bodies(
        {"t/test_a.py": f"def test_it():\n    pass\n\n\ndef test_how_large():\n{body}".encode()}.get,
    )
    candidates = ["t/test_a.py::test_it", "t/test_a.py::test_how_large"]
    assert renamed("t/test_a.py::test_size", old, new, candidates) == "t/test_a.py::test_how_large"
    assert not renamed("t/test_a.py::test_size", old, new, candidates[:1])


@cases
def test_a_test_is_what_it_uses(part: str, now: str, same: bool) -> None:
    old = "import a\n\nLIMIT = 3\n\n\ndef test_f():\n    assert a.f() == LIMIT\n"
    texts = (old, old.replace(part, now))
    sides = [Bodies({"test_a.py": each.encode()}.get).demands("test_a.py::test_f[1]") for each in texts]
    assert (sides[0] == sides[1]) is same


@cases
def test_a_helper_belongs_to_a_test_however_it_is_imported(use: str) -> None:
    def told(tool: str) -> object:
        files = {"t/test_a.py": use, "t/tool.py": tool}
        return Bodies({path: text.encode() for path, text in files.items()}.get).demands("t/test_a.py::test_f")

    tool = "def same(n):\n    assert n\n\n\ndef other(n):\n    assert n\n"
    assert told(tool) == told(tool.replace("other(n):\n    assert n", "other(n):\n    pass"))
    assert told(tool) != told(tool.replace("same(n):\n    assert n", "same(n):\n    pass"))


@cases
def test_so_does_one_of_another_language_that_its_file_loads(name: str, path: str, test: str, helper: str) -> None:
    def told(text: str) -> object:
        files = {path: test.encode(), helper: text.encode()}
        return Bodies(files.get, frozenset(files)).demands(name)

    says = TEXTS[helper]
    assert told(says) == told(f"// Why.\n{says}") != told(says.replace("check", "print"))


@pytest.mark.parametrize(
    "body",
    [
        "    if a.f(0):\n        pass\n" + "".join(f"    elif a.f({n}):\n        pass\n" for n in range(300)),
        f"    assert a.f({' + '.join(['1'] * 700)})\n",
    ],
    ids=["branches", "sum"],
)
def test_code_that_is_deeper_than_the_stack_is_read_all_the_same(body: str) -> None:
    old = f"def test_f():\n{body}"
    new = old.replace("a.f(", "a.g(")
    sides = [Bodies({"test_a.py": each.encode()}.get) for each in (old, f"# Why.\n{old}", new)]
    demands = [each.demands("test_a.py::test_f") for each in sides]
    assert demands[0] == demands[1] != demands[2]
    assert "def test_f():" in sides[0].source("test_a.py::test_f")
    assert defines_tests("a.py", f"if True:\n{body.replace('a.f', 'f')}".encode() + old.encode())


TEXTS = table(dict[str, str], __file__, "TEXTS")
JS = TEXTS["js"]


@cases
def test_what_a_test_in_another_language_demands(
    path: str, name: str, others: str, expected: list[str], apart: str, same: str
) -> None:
    text = TEXTS[path.rpartition(".")[2]]
    file = "shop.dev/m/kit" if path.endswith(".go") else path

    def bodies(text: str) -> Bodies:
        return Bodies({path: text.encode()}.get, frozenset([path]))

    old, new, alike = bodies(text), bodies(text.replace(apart, apart + "9")), bodies(f"{text}{same}\n")
    test = f"{file}::{name}"
    assert old.has(test)
    assert new.has(test)
    assert expected in [sorted(each) for each in old.expected(test)]
    assert old.demands(test) == alike.demands(test) != new.demands(test)
    assert not others or apart == "reset(" or old.demands(f"{file}::{others}") == new.demands(f"{file}::{others}")
    assert not any(old.has(f"{file}::{each}") for each in ("shop", "Testing", "pots::helper", "labels"))


@cases
def test_a_renamed_test_in_another_language_is_held_against_the_issue(asked: str, settled: Settled) -> None:
    new = Bodies({"t/a.js": JS.replace("labels", "names").replace("3 EUR", "3 euros").encode()}.get)
    old = Bodies({"t/a.js": JS.encode()}.get)
    candidates = ["npm test", "t/a.js::shop > names", "t/a.js::throws"]
    found = contradiction("t/a.js::shop > labels", None, old, new, candidates, asked)
    assert (found.fate, found.now, found.settled) == (Fate.RENAMED, "t/a.js::shop > names", settled)
    assert "3 EUR" in found.old
    assert "3 euros" in found.new


@cases
def test_examples_in_the_same_words(asked: str, answers: dict[str, str], shown: dict[str, str]) -> None:
    seen = [(call, Observed(Ending.RETURNED, value)) for call, value in answers.items()]
    assert further_examples(asked, seen) == shown


def test_what_raises_shows_nothing() -> None:
    assert further_examples("IV is 4, XC is 90", [("m.value('IV')", Observed(Ending.RAISED, "4"))]) == {}


@cases
def test_answers_that_a_text_calls_wrong(asked: str, right: dict[str, str]) -> None:
    assert wrong_answers(asked) == right


@cases
def test_calls_with_the_values_of_a_text(asked: str, calls: list[str], found: list[str]) -> None:
    assert calls_of_values(asked, calls) == found


@given(st.text(st.sampled_from("0123456789'\"`.-, instead of\n(ab)"), max_size=200))
def test_any_text_can_be_asked(asked: str) -> None:
    wrong_answers(asked)
    calls_of_values(asked, ["t.fare('A', 2)", "t.fare('A', x=0.5)"])


def seen(text: str) -> Observed:
    ending, _, value = text.partition(" ")
    return Observed(Ending(ending), value)


@cases
def test_what_differs_in_a_test_and_bare(tested: str, bare: str, says: bool) -> None:
    assert differ(seen(tested), seen(bare)) is says


def test_of_many_calls_each_function_has_its_first_ones() -> None:
    made = [RecordedCall("t", "a.py", "a", each) for each in ("a.f(1)", "a.f(2)", "a.f(1)", "a.g(1)")]
    assert [each.expression for each in first_calls(made)] == ["a.f(1)", "a.g(1)", "a.f(2)"]


def test_what_changes_and_nothing_calls_outside_of_a_test_is_told() -> None:
    old, new = (
        f"def total(a):\n    return {by}\nclass Box:\n    @property\n    def size(self):\n     return {by}\n".encode()
        for by in (1, 2)
    )
    both = functions_of("a.py", new)
    run = TestRun((), 0, entered=(("t::whole", tuple(both)), ("t::part", tuple(both)[-1:])))
    touched = {"a.py": (old, new), "b.ts": (b"1", b"2"), "c.js": (b"1", b"2"), "d.pyi": (b"1", b"2")}
    node = RecordedCall("c.test.js", "c.js", "c.js", "c.f(1)")
    size = RecordedCall("t::part", "a.py", "a", "getattr(unpickled('x'), 'size')")
    by_hand = RecordedCall("t::whole", "a.py", "t", "t.whole()")
    assert calls_not_made(touched, [run], [node], []) == ("b.ts", "a.py:total", "a.py:Box.size")
    assert calls_not_made(touched, [run], [node, size], []) == ("b.ts", "a.py:total")
    assert calls_not_made(touched, [run], [node], [by_hand]) == ("b.ts",)
    assert calls_not_made(touched, [TestRun((), 0)], [node], []) == ("b.ts",)
