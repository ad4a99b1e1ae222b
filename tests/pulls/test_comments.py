"""A change that nothing has to run for: comments and layout of Python, and each trick that only looks like one."""

from dataclasses import replace

import pytest

from bot.changes.read import read_change
from bot.changes.values import Change, FileStatus
from bot.child_process import TooLong
from bot.pulls.facts import PullFacts, Substance
from bot.pulls.judgement import first_facts, is_given
from bot.pulls.reading import only_comments, same_to_python
from bot.pulls.request import Request
from bot.verdicts import Effect
from tests.changes.parts import change_of
from tests.support.cases import cases

CODE = 'import sys\n\n\ndef half(n):\n    """Half of it."""\n    return n // 2  # rounded down\n'
SCRIPT = "#!/usr/bin/env python\n# coding: utf-8\nx = 1\n"


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (CODE, CODE.replace("# rounded", "# always rounded"), True),
        (CODE, CODE.replace("  # rounded down", ""), True),
        (CODE, CODE.replace("  # rounded down", "  # type: ignore[no-any-return]  # noqa: E501"), True),
        (CODE, CODE.replace("def half", "# fmt: off\ndef half"), True),
        (CODE, CODE.replace("return n // 2", "return n//2"), True),
        (CODE, CODE.replace("(n)", "(\n    n,\n)"), True),
        (SCRIPT, SCRIPT.replace("x = 1", "# One.\nx = 1"), True),
        # What runs, or is read as it runs
        (CODE, CODE.replace("n // 2", "n / 2"), False),
        (CODE, CODE.replace("Half of it.", "A half."), False),
        (CODE, CODE.replace('"""Half of it."""\n    return', "return"), False),
        ("x = '# a'\n", "x = '# b'\n", False),
        ("x = '''\n# a\n'''\n", "x = '''\n# b\n'''\n", False),
        ("x = 1\n", "x = 1  # a\rx = 2\n", False),
        ("x = 1\n", "x = 1  # a\\\n", True),
        ("if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", False),
        ("x = f'{y = }'\n", "x = f'{y=}'\n", False),
        # Comments that something obeys
        (SCRIPT, SCRIPT.replace("#!/usr/bin/env python", "#!/usr/bin/env python -O"), False),
        (SCRIPT, f"\n{SCRIPT}", False),
        (SCRIPT, SCRIPT.replace("utf-8", "latin-1"), False),
        (SCRIPT, SCRIPT.replace("# coding", "#\n# coding"), False),
        ("x = 1\n", "# coding: latin-1\nx = 1\n", False),
        ("#\n# coding: utf-8\nx = 1\n", "#\r\n# coding: utf-8\nx = 1\n", True),
        ("#\n# coding: utf-8\nx = 1\n", "#\n#\r# coding: utf-8\nx = 1\n", False),
        ("# coding: utf-7\nx = 1\n", "# coding: utf-7\n# +AAo-x=2\nx = 1\n", False),
        ("x = 1\n", '# /// script\n# dependencies = ["evil"]\n# ///\nx = 1\n', False),
        ("# /// script\n# ///\nx = 1\n", '# /// script\n# dependencies = ["evil"]\n# ///\nx = 1\n', False),
        ("x = 1\n", "# cython: boundscheck=False\nx = 1\n", False),
        # What cannot be read
        ("print 1\n", "print 1  # a\n", False),
        ("x = 1\n", "x = 1  # \0\n", False),
        (f"x = {'-' * 3000}1\n", f"x = {'-' * 3000}1  # a\n", False),
    ],
)
def test_what_python_makes_the_same_of(before: str, after: str, same: bool) -> None:
    assert same_to_python(before, after) is same


COMMENT = ("shop/cart.py", CODE, CODE.replace("# rounded", "# always rounded"))


def facts(wanted: Request, *files: tuple[str, str, str]) -> PullFacts:
    texts = {path: (before, after) for path, before, after in files}
    return first_facts(wanted, change_of(*files), lambda file: texts[file.path], lambda named: (), is_given)


@cases
def test_what_comments_are(wanted: Request, files: list[tuple[str, str, str]], substance: Substance) -> None:
    found = facts(wanted, *files)
    assert found.substance is substance
    said = [item.effect for item in found.evidence if item.check == "no_op"]
    idle = Effect.MISSING if substance is Substance.NO_OP else Effect.NEUTRAL
    assert said in ([], [idle])


def test_no_file_is_asked_for_where_more_than_comments_differ() -> None:
    def whole(file: object) -> tuple[str, str]:
        raise AssertionError(file)

    change = change_of(("shop/cart.py", CODE, CODE.replace("n // 2", "n / 2")))
    assert not only_comments(change, whole, noop=False)


def test_what_cannot_be_known_is_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(file: object) -> tuple[str, str]:
        return COMMENT[1:]

    change = change_of(COMMENT)
    assert only_comments(change, both, noop=False)
    assert not only_comments(change, lambda file: None, noop=False)
    assert not only_comments(Change(change.files, "It is cut off."), both, noop=True)
    assert not only_comments(Change(change.files * 9), both, noop=True)
    assert not only_comments(Change(()), both, noop=True)
    assert not only_comments(Change((replace(change.files[0], status=FileStatus.RENAMED),)), both, noop=True)
    mode = "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"
    assert not only_comments(read_change(mode), both, noop=True)
    monkeypatch.setattr("bot.pulls.reading.run_bounded", lambda *_: TooLong())
    assert not only_comments(change, both, noop=False)
