"""What keeps tests from running or from failing is taken away, and a condition is left alone."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.trial.bodies import Bodies
from bot.verification.trial.silenced import silenced, unsilenced
from bot.verification.values import Program, TestResult, TestRun, TestStatus

BODY = "    assert f() == 1\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"@pytest.mark.skip\ndef test_a():\n{BODY}", f"\ndef test_a():\n{BODY}"),
        (f"@pytest.mark.skip('later')  # so\ndef test_a():\n{BODY}", f"  # so\ndef test_a():\n{BODY}"),
        (
            f"@mark.xfail(\n    reason='later',\n    strict=False,\n)\ndef test_a():\n{BODY}",
            f"\n\n\n\ndef test_a():\n{BODY}",
        ),
        (
            f"class TestA:\n    @unittest.expectedFailure\n    def test_a(self):\n    {BODY}",
            f"class TestA:\n    \n    def test_a(self):\n    {BODY}",
        ),
        (f"@unittest.skip('x')\nclass TestA:\n    {BODY}", f"\nclass TestA:\n    {BODY}"),
        (f"pytestmark = pytest.mark.skip\n\ndef test_a():\n{BODY}", f"pass\n\ndef test_a():\n{BODY}"),
        ("pytestmark = [\n    mark.slow,\n    mark.skip(reason='x'),\n]\n", "pass\n\n\n\n"),
        (f"def test_a():\n    'what'\n    return\n{BODY}", f"def test_a():\n    'what'\n    pass\n{BODY}"),
        (f"def test_a():\n    pytest.skip('x'); g()\n{BODY}", f"def test_a():\n    pass; g()\n{BODY}"),
        (f"def test_a(self):\n    self.skipTest('x')\n{BODY}", f"def test_a(self):\n    pass\n{BODY}"),
        ("def test_a():\n    assert f() or True\n", "def test_a():\n    assert f() or False\n"),
        ("def test_a():\n    assert (1 or\n        f())\n", "def test_a():\n    assert (False or\n        f())\n"),
    ],
)
def test_what_silences_a_test_whatever_the_case_is_taken_away(before: str, after: str) -> None:
    assert unsilenced(before.encode()).decode() == after


@pytest.mark.parametrize(
    "source",
    [
        f"@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_a():\n{BODY}",
        f"@pytest.mark.xfail(sys.version_info < (3, 9), reason='x')\ndef test_a():\n{BODY}",
        f"@pytest.mark.xfail(condition=OLD)\ndef test_a():\n{BODY}",
        f"@unittest.skipUnless(ssl, 'x')\ndef test_a():\n{BODY}",
        f"def test_a():\n    if OLD:\n        pytest.skip('x')\n{BODY}",
        f"def test_a():\n{BODY}    return\n",
        "def test_a():\n    assert f() or g()\n    assert f() or None\n",
        f"def skip():\n    return\n{BODY}",
        "def test_a(:\n    return",
        "",
    ],
)
def test_conditions_and_all_else_stay(source: str) -> None:
    assert unsilenced(source.encode()) == source.encode()


@pytest.mark.parametrize(
    ("before", "source"),
    [
        ("@mark.skip\ndef test_a():\n    f()\n", f"@mark.skip\ndef test_a():\n{BODY}"),
        ("@mark.skip\nclass TestA:\n    f()\n", f"@mark.skip\nclass TestA:\n    def test_b(self):\n    {BODY}"),
        ("pytestmark = mark.skip\n", f"pytestmark = [mark.skip, mark.far]\ndef test_b():\n{BODY}"),
    ],
)
def test_what_the_base_silences_stays_so(before: str, source: str) -> None:
    assert unsilenced(source.encode(), [before.encode()]) == source.encode()
    assert unsilenced(source.encode()) != source.encode()


@pytest.mark.parametrize(("problem", "found"), [("", 1), ("the time ran out", 0)])
def test_where_time_ended_nobody_knows_why_a_test_is_missing(problem: str, found: int) -> None:
    text = f"@mark.skip\ndef test_a():\n{BODY}".encode()
    red = TestRun((TestResult("t.py::test_a", TestStatus.FAILED, "t.py:3: in test_a\nE   assert 2 == 1", 0.1),), 0.1)
    head, own = Program(None, {"t.py": text}), TestRun((), 0.1, problem)
    changed, old = {"t.py": (None, text)}, Bodies(lambda path: None)
    assert len(silenced(own, head, changed, old, ["t.py"], lambda files, reverse: red)) == found
    assert silenced(own, head, changed, old, ["t.py"], lambda files, reverse: TestRun((), 0.1)) == ()  # it passes
    assert silenced(own, head, changed, old, ["t.py"], lambda files, reverse: own if reverse else red) == ()  # once
    there = Bodies({"t.py": b"def test_a(): pass\n"}.get)
    assert silenced(own, head, changed, there, ["t.py"], lambda files, reverse: red) == ()  # the base has it


@given(st.text(st.sampled_from("é\t \n#'\"@()ab=,")), st.sampled_from(["@pytest.mark.skip('é')", "@a.xfail"]))
def test_what_is_left_can_be_read_and_every_line_keeps_its_number(said: str, mark: str) -> None:
    source = f"x = {said!r}\n{mark}\ndef test_a():\n    return\n    assert x == 'é' or True\n".encode()
    changed = unsilenced(source)
    assert mark.encode() not in changed
    assert ast.parse(changed)
    assert changed.count(b"\n") == source.count(b"\n")
