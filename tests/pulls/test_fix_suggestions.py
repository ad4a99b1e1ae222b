"""A fix as suggestions on a pull request's own lines: all of it, or none."""

from hypothesis import given
from hypothesis import strategies as st

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.changes.write import unified
from bot.pulls.suggestions import MOST_OF_A_FIX, Suggestion, apply, fix_suggestions
from tests.support.properties import patient

OLD = "".join(f"line {number}\n" for number in range(1, 31))
HEAD = OLD.replace("line 10\n", "line ten\n")
TEXT = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map(lambda lines: "".join(f"{x}\n" for x in lines))


def diff(before: str | None, after: str | None, path: str = "a.py") -> str:
    return unified({path: (None if before is None else before.encode(), None if after is None else after.encode())})


CHANGE = read_change(diff(OLD, HEAD))


def fix(*replaced: tuple[str, str]) -> str:
    text = HEAD
    for old, new in replaced:
        text = text.replace(old, new)
    return diff(HEAD, text)


@patient
@given(head=TEXT, fixed=TEXT)
def test_taken_together_they_are_the_fix(head: str, fixed: str) -> None:
    """On a file the pull request adds, all lines of which can be commented on."""
    made = fix_suggestions(diff(head, fixed), read_change(diff(None, head)))
    if made:
        assert apply(made, {"a.py": head.encode()}) == {"a.py": fixed.encode()}


def test_lines_of_the_change_are_replaced_where_they_are() -> None:
    assert fix_suggestions(fix(("line ten\n", "10\n")), CHANGE) == (Suggestion("a.py", 10, 10, "10\n"),)
    assert fix_suggestions(fix(("line 9\nline ten\n", "")), CHANGE) == (Suggestion("a.py", 9, 10, ""),)


def test_a_new_line_takes_its_neighbour_along() -> None:
    assert fix_suggestions(fix(("line ten\n", "line ten\nmore\n")), CHANGE) == (
        Suggestion("a.py", 10, 10, "line ten\nmore\n"),
    )
    added = read_change(diff(None, "a\nb\n"))
    assert fix_suggestions(diff("a\nb\n", "0\na\nb\n"), added) == (Suggestion("a.py", 1, 1, "0\na\n"),)


def test_half_a_fix_is_none() -> None:
    near, far = ("line ten\n", "10\n"), ("line 20\n", "20\n")
    assert fix_suggestions(fix(near), CHANGE)
    assert fix_suggestions(fix(near, far), CHANGE) == ()
    other = unified({"a.py": (HEAD.encode(), HEAD.replace(*near).encode()), "b.py": (b"x\n", b"y\n")})
    assert fix_suggestions(other, CHANGE) == ()


def test_what_is_no_replacement_of_lines_is_none() -> None:
    assert (
        fix_suggestions("", CHANGE)
        == fix_suggestions("no diff", CHANGE)
        == fix_suggestions(fix(("line ten\n", "10\n")), Change(()))
        == ()
    )
    assert fix_suggestions(diff(None, "x\n", "new.py"), CHANGE) == fix_suggestions(diff(HEAD, None), CHANGE) == ()
    kept = "kept\n" * 7
    many = "".join(f"{n}\n{kept}" for n in range(MOST_OF_A_FIX + 1))
    mended = "".join(f"{n}!\n{kept}" for n in range(MOST_OF_A_FIX + 1))
    assert fix_suggestions(diff(many, mended), read_change(diff(None, many))) == ()
