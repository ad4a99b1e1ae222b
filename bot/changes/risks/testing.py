"""What says how tests are found, run and told: configuration, plugins, hooks. Pure.

The tests of the base run as the base has it, so a change of it is no lie by itself, and where tests end otherwise with
it, what runs says so. It asks for a person where it can reach what judges the changes after this one. A hook of a
conftest, or a fixture that every test has, may be without effect today and choose other tests tomorrow, or only for one
change: that its tests end the same now tells nothing.
"""

import re
from collections.abc import Iterator
from posixpath import basename

from bot.changes.readers import WORDS, readers_of, suffix
from bot.changes.risks.lines import LONGEST, added, moved, new_lines, numbered, product, rows_after
from bot.changes.risks.signs import sign_in, signs_at
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, Whole

_SHARED = frozenset({"pyproject.toml", "setup.cfg", "package.json"})  # hold much else
_OPTIONS = signs_at("options")
_FILES, _CONFTEST = signs_at("options", "files"), signs_at("conftest")
_DEFINES = re.compile(r"\s*(?:async\s+)?def\s+pytest_(\w{1,60})")
_SET_UP = ("addoption", "addhooks", "configure", "unconfigure", "report_header", "assertrepr_compare")  # by themselves


def testing(change: Change, whole: Whole) -> Iterator[Risk]:
    """`tests_steered`."""
    for file in change.files:
        about = steers(file)
        line = _reach(file, all_of_it=about) if about or basename(file.path.lower()) in _SHARED else 0
        if about and not line and suffix(file.path) == ".py":
            line = touches(file, whole)
        if line:
            say = "It changes which tests run, what runs with them, or what they report."
            named = (name for row in readers_of(file.path) if row.steers for name in row.names(file.path))
            yield Risk("tests_steered", say, file.path, line, (*(named if about else ()), *WORDS["tests"]))
    yield from _reading(change)


def _reading(change: Change) -> Iterator[Risk]:
    """Product code that names a file which says how tests run and which the change has as well. The base's tests run
    beside the base's version, so what that code does by the new one nobody sees."""
    names = {basename(file.path) for file in change.files if steers(file) or basename(file.path) in _SHARED}
    for file in product(change) if names else ():
        for number, text in added(file):
            if not steers(file) and any(name in text for name in names):
                say = "Its code names a file that says how tests run, which it changes too."
                yield Risk("tests_steered", say, file.path, number)  # what an issue names is the code, or the file
                break


def steers(file: FileChange) -> bool:
    """Whether the whole file is about how tests are found, run and told."""
    return any(row.steers for row in readers_of(file.path))


def _reach(file: FileChange, *, all_of_it: bool) -> int:
    """The first new line that reaches what judges; 0 where none does."""
    known = moved(file)
    new = ((number, text) for number, mark, text in numbered(*file.hunks) if mark == "+" and not known(text))
    return next((number for number, text in new if sign_in(text[:500], _FILES if all_of_it else _OPTIONS)), 0)


def touches(file: FileChange, whole: Whole) -> int:
    """The first new line of a hook, or of a fixture that every test has, or that reaches tests, marks or reports from
    elsewhere; 0 where there is none. whole: asked where the diff may not show in what a line stands."""
    new = new_lines(file)
    known = moved(file)
    for rows in rows_after(file, whole):
        judges = decorated = False
        for number, text in rows:
            text = text[:LONGEST]
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            begins = _DEFINES.match(text)
            if not text.startswith((" ", "\t", ")", "]", "}")):
                judges, decorated = judges and decorated, text.startswith("@")
            judges |= "autouse=True" in text.replace(" ", "") or bool(begins and begins[1] not in _SET_UP)
            if number in new and not known(text) and (judges or sign_in(text, _CONFTEST)):
                return number
    return 0
