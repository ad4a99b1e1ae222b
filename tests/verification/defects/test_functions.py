"""Breaking one function of Python: what is left is a program, broken there and nowhere else."""

import ast

import pytest

from bot.verification.defects.defect import Defect, DefectKind, defects
from tests.support.cases import table

SOURCE = table(bytes, __file__, "SOURCE")


FORMS = (DefectKind.RETURNS, DefectKind.RAISES)


def found(source: bytes, name: str, form: DefectKind) -> list[Defect]:
    return [each for each in defects("a.py", source) if each.of.name == name and each.kind is form]


def only(name: str, form: DefectKind, which: int = 0) -> dict[str, object]:
    text = found(SOURCE, name, form)[which].apply(SOURCE)
    assert text.count(b"\n") == SOURCE.count(b"\n")
    assert [line.strip() for line in text.splitlines()][-1] == b"LAST = plain"
    scope: dict[str, object] = {}
    exec(compile(text, "a.py", "exec"), scope)
    return scope


CALLS = table(dict[str, str], __file__, "CALLS")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "call"), CALLS.items())
def test_what_it_does_is_not_what_it_did(name: str, call: str, form: DefectKind) -> None:
    scope: dict[str, object] = {}
    exec(compile(SOURCE, "a.py", "exec"), scope)
    before = eval(call, scope)
    try:
        after = eval(call, only(name, form))
    except Exception as error:  # noqa: BLE001
        after = error
    assert repr(after) != repr(before)
    if form is DefectKind.RAISES:
        assert isinstance(after, ValueError | TypeError | RuntimeError)
    others = [call for other, call in CALLS.items() if not name.startswith(other) and not other.startswith(name)]
    rest = [call for call in others if "Box" not in call or "Box" not in name]
    assert [eval(call, only(name, form)) for call in rest] == [eval(call, scope) for call in rest]


def test_the_second_of_two_with_one_name_is_broken_alone() -> None:
    scope = only("Box.value", DefectKind.RAISES, which=1)
    assert eval("Box(1).value", scope) == 4


def test_what_does_nothing_cannot_be_broken() -> None:
    assert not found(SOURCE, "idle", DefectKind.RAISES)
    assert not defects("a.py", b"def idle(:")


def test_what_is_raised_is_nothing_that_the_file_catches() -> None:
    source = (
        b"def f(a):\n    return a\ntry:\n    f(1)\nexcept (ValueError, RuntimeError):\n    raise KeyError from None\n"
    )
    (broken,) = found(source, "f", DefectKind.RAISES)
    raised = [node for node in ast.walk(ast.parse(broken.apply(source))) if isinstance(node, ast.Raise)]
    assert ast.unparse(raised[0]) == "raise TypeError"
