"""Static checks: sure findings only, on any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.static import LARGEST, static_findings, told_apart


def kinds(source: str, *called: str) -> list[str]:
    return [finding.kind for finding in static_findings(source, called)]


FOUND = {
    "does not parse": ("def f(:\n", ["syntax"]),
    "a name nobody defines": ("def f(a):\n    return a + totl\n", ["undefined_name"]),
    "an import that was forgotten": ("def f(a):\n    return math.sqrt(a)\n", ["undefined_name"]),
    "a branch without a value": ("def f(a):\n    if a:\n        return 1\n", ["missing_return"]),
    "a loop that may end": ("def f(a):\n    for x in a:\n        return x\n", ["missing_return"]),
    "code behind a return": ("def f(a):\n    return a\n    a += 1\n", ["unreachable"]),
    "code behind a raise in a branch": (
        "def f(a):\n    if a:\n        raise ValueError\n        a = 1\n    return a\n",
        ["unreachable"],
    ),
    "a parameter without use": ("def f(a, b):\n    return a\n", ["unused_parameter"]),
    "the same result for everything": (
        "def f(a):\n    return a and 1\n\ndef g(a):\n    print(a)\n    return 7\n",
        ["constant_result"],
    ),
}
QUIET = {
    "plain": "def f(a):\n    return a + 1\n",
    "nothing returned anywhere": "def f(a):\n    print(a)\n",
    "an explicit None": "def f(a):\n    if a:\n        return 1\n    return None\n",
    "a bare return is a choice": "def f(a):\n    if a:\n        return\n    return 1\n",
    "if and else": "def f(a):\n    if a:\n        return 1\n    else:\n        return a\n",
    "an endless loop": "def f(a):\n    while True:\n        if a():\n            return a\n",
    "a match, perhaps complete": "def f(a):\n    match a:\n        case 1:\n            return a\n",
    "a with block": "def f(a):\n    with a:\n        return a\n",
    "raising in the end": "def f(a):\n    if a:\n        return 1\n    raise ValueError(a)\n",
    "leaving in the end": "import sys\n\ndef f(a):\n    if a:\n        return a\n    sys.exit(1)\n",
    "an empty generator": "def f(a):\n    print(a)\n    return\n    yield\n",
    "a generator with a value": "def f(a):\n    if a:\n        return 1\n    yield a\n",
    "a method takes what it must": "class A:\n    def f(self, event):\n        return 1\n",
    "a decorated hook": "import m\n\n@m.hook\ndef f(event):\n    return m\n",
    "a stub": "def f(a, b):\n    raise NotImplementedError\n",
    "locals": "def f(a):\n    return locals()\n",
    "an underscore says unused": "def f(a, _b):\n    return a\n",
    "a star import": "from os.path import *\n\ndef f(a):\n    return join(a)\n",
    "used by a closure": "def f(a):\n    def g():\n        return a\n    return g\n",
    "built-ins": "def f(a):\n    return sorted(a, key=len)\n",
    "a result of two values": "def f(a):\n    if a:\n        return True\n    return False\n",
    "no parameters": "def f():\n    return 3\n",
    "empty": "",
}


@pytest.mark.parametrize("source,expected", FOUND.values(), ids=FOUND)
def test_sure_things_are_found(source: str, expected: list[str]) -> None:
    assert kinds(source) == expected


@pytest.mark.parametrize("source", QUIET.values(), ids=QUIET)
def test_what_is_not_sure_is_not_said(source: str) -> None:
    assert kinds(source) == []


@pytest.mark.parametrize(
    "source,called,expected",
    [
        ("def f(a):\n    return a\n", ["f"], []),
        ("def f(a):\n    return a\n", ["g"], ["missing_function"]),
        ("f = len\n", ["f"], []),
        ("from os import getcwd as f\n", ["f"], []),
        ("from os import *\n", ["getcwd"], []),
        ("class F:\n    pass\n", ["F"], []),
        ("x = 1\n", ["not a name"], []),
    ],
)
def test_what_the_tests_call_has_to_be_there(source: str, called: list[str], expected: list[str]) -> None:
    assert kinds(source, *called) == expected


def test_findings_say_where_and_what() -> None:
    (finding,) = static_findings("def scale(values, factor):\n    return [v * factr for v in values]\n")[:1]
    assert finding.line == 1
    assert finding.message == "scale never uses its parameter factor."


HOSTILE = {
    "deep": "x = " + "-" * 100_000 + "1",
    "long chain": "x = " + "+".join("1" * 60_000),
    "brackets": "(" * 100_000,
    "attributes": "x = a" + ".b" * 50_000,
    "else ifs": "if a: pass\n" + "elif a: pass\n" * 15_000,
    "null byte": "x = 1\0",
    "lone surrogate": "x = '\ud800'",
    "too large": "x = 1\n" * (LARGEST // 6 + 1),
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_source_costs_findings_not_the_process(source: str) -> None:
    assert kinds(source) in ([], ["syntax"])


def test_there_is_an_end_of_findings() -> None:
    assert len(static_findings("\n".join(f"a{n} = b{n}" for n in range(1000)))) == 50


PIECES = st.sampled_from(
    [
        "def f(a):",
        "return a",
        "return",
        "if a:",
        "else:",
        "yield",
        "    ",
        "\n",
        "x = y",
        "raise E",
        "while 1:",
        "try:",
        "except E:",
        "lambda:",
        "import m",
        "class C:",
        "pass",
        "@d",
        "(",
        ")",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_has_an_answer(source: str) -> None:
    for finding in static_findings(source, ["f"]):
        assert finding.line >= 1
        assert finding.message.endswith(".")


def test_only_what_one_of_two_has_is_told() -> None:
    both = "def odd(x):\n    return 1\n"
    original, fix = f"{both}def f(x):\n    if x:\n        return 1\n", f"{both}def f(x):\n    return y\n"
    assert told_apart(original, fix) == (
        "In the original, line 3: f returns a value on some paths and none on others.",
        "In the fix, line 3: f never uses its parameter x.",
        "In the fix, line 4: y is used, but nothing defines it.",
    )
    assert told_apart(both, both) == ()
