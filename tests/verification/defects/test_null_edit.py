"""An edit that changes nothing: the same program to Python, and no text of it is as it was."""

import ast
import types
from pathlib import Path

import pytest

import bot
from bot.verification.defects.null_edit import null_edited, respell
from bot.verification.values import Program

SOURCE = b"""\
def fare(metres, price=3):
    '''Of a car.'''
    if price < 150 and not metres.is_none:
        return f"{price!r}", 'it', 1.5
    match price:
        case _:
            return 0
"""


def without_values(source: str | bytes) -> str:
    """The tree, without the statements that make other bytecode of the functions."""
    tree = ast.parse(source)
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef):
            each.body = [
                one for one in each.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.List))
            ]
    return ast.dump(tree)


@pytest.mark.parametrize(
    "body",
    [
        "return a",
        "'Of a.'\n    return a",
        "'Of a.'; return a",
        "if a:\n        return a",
        "yield a",
        "@g\n    def h(): 1",
    ],
)
def test_bytecode_and_its_constants_are_others_too(body: str) -> None:
    source = f"def g(a):\n    {body}\n"
    codes = []
    for text in (source, respell("a.py", source.encode(), frozenset([1])).decode()):
        names: dict[str, types.FunctionType] = {}
        exec(text, names)
        codes.append(names["g"].__code__)
        assert without_values(text) == ast.dump(ast.parse(source))
    assert codes[0].co_code != codes[1].co_code and codes[0].co_consts != codes[1].co_consts


def test_a_function_on_one_line_keeps_it() -> None:
    assert respell("a.py", b"def f(a): return a\n", frozenset([1])).count(b"\n") == 3


def test_it_is_the_same_program_in_other_words() -> None:
    found = respell("a.py", SOURCE, frozenset(range(1, 99))).decode()
    assert without_values(found) == ast.dump(ast.parse(SOURCE))
    for text in ("price < 150", "150", "metres", "'it'", "return 0", "not metres"):
        assert text not in found, text
    assert found.endswith("\n#\n")


def test_other_lines_stay_as_they_were() -> None:
    was, now = SOURCE.splitlines(), respell("a.py", SOURCE, frozenset([3])).splitlines()
    (more,) = (line for line in now if line.strip().startswith(b"["))
    now.remove(more)
    assert [at for at, line in enumerate(was) if now[at] != line] == [2]


@pytest.mark.parametrize(
    ("path", "source", "more"),
    [
        ("a.py", b"def f(:\n", b"\n#\n"),
        ("a.py", b"# coding: latin-1\nx = '\xe9'\n", b"\n#\n"),
        ("a.py", b"x = f'{y = }'\nz = 'a\\'b'  # kept\n", None),
        ("a.js", b"f(1)\n", b"\n"),
    ],
)
def test_what_cannot_be_respelled_gets_a_remark_alone(path: str, source: bytes, more: bytes | None) -> None:
    found = respell(path, source, frozenset([1, 2]))
    assert found == source + more if more else ast.dump(ast.parse(found)) == ast.dump(ast.parse(source))


def test_our_own_code_is_respelled() -> None:
    room = Path(bot.__file__).parent / "verification"
    for path in sorted(room.glob("*.py"))[1:]:
        source = path.read_bytes()
        assert respell(path.name, source, frozenset([*range(1, 999)])) != source + b"\n#\n", path.name


def test_only_files_that_are_there_and_small_are_edited() -> None:
    files = {"a.py": b"x = 1\n", "b.py": None, "c.py": b"#" * 2 * 2**20, "d.py": b"y = 2\n"}
    edited = null_edited(Program(None, files), {"a.py": [1], "b.py": [1], "c.py": [1], "gone.py": [1]})
    assert [path for path, text in edited.files.items() if text != files.get(path)] == ["a.py"]
