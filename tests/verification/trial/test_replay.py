"""What a call gives in a test and bare, and which of it is the code's own doing."""

from bot.verification.syntax import functions_of
from bot.verification.trial.differences import differ
from bot.verification.trial.recorded_calls import calls_not_made, first_calls
from bot.verification.values import Ending, Observed, RecordedCall, TestRun
from tests.support.cases import cases


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
