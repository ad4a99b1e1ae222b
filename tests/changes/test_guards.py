"""Which edits are nothing but guards around what was there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.evidence import only_guards
from tests.changes.parts import change_of
from tests.support.properties import patient

BEFORE = "def area(shape):\n    side = shape.side\n    return side * side\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "only"),
    [
        ("a.py", BEFORE, BEFORE.replace("    side", "    if shape is None:\n        return None\n    side", 1), True),
        ("a.py", BEFORE, BEFORE.replace("    side", "    if not shape: return 0\n    side", 1), True),
        (
            "a.py",
            BEFORE,
            BEFORE.replace("    side", "    # Be safe.\n    if shape is None:\n        return\n    side", 1),
            True,
        ),
        (
            "a.py",
            BEFORE,
            BEFORE.replace(
                "    side = shape.side", "    try:\n        side = shape.side\n    except Exception:\n        return 0"
            ),
            True,
        ),
        ("a.js", "f(a)\n", "if (!a) return;\nf(a)\n", True),
        ("a.js", "f(a)\n", "try {\nf(a)\n} catch (e) {\n}\n", True),
        ("a.go", "f(a)\n", "if a == nil {\n\treturn nil\n}\nf(a)\n", True),
        ("a.py", BEFORE, BEFORE.replace("side * side", "side * side / 2"), False),
        (
            "a.py",
            BEFORE,
            BEFORE.replace("    side", "    if not shape:\n        raise ValueError('none')\n    side", 1),
            False,
        ),
        (
            "a.py",
            BEFORE,
            BEFORE.replace("    side", "    if shape is None:\n        shape = Square(1)\n    side", 1),
            False,
        ),
        ("a.py", BEFORE, BEFORE + "    # done\n", False),
        ("a.py", BEFORE, BEFORE.replace("    return side * side\n", ""), False),
        (
            "a.py",
            BEFORE,
            BEFORE.replace("    side", f"    if {'x' * 1000} is None:\n        return\n    side", 1),
            False,
        ),
        ("README.md", "a\n", "if not a: return\n", False),
    ],
)
def test_guards(path: str, before: str, after: str, only: bool) -> None:
    assert only_guards(change_of((path, before, after)).files) is only


def test_one_real_edit_is_enough() -> None:
    guard = ("a.js", "f(a)\n", "if (!a) return;\nf(a)\n")
    assert not only_guards(change_of(guard, ("b.js", "f(a)\n", "f(b)\n")).files)


@patient
@given(st.text())
def test_any_text(text: str) -> None:
    only_guards(change_of(("a.py", "x\n", "x\n" + text)).files if text else ())
