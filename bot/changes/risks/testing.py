"""What says how tests are found, run and told: configuration, plugins, hooks. Pure.

The tests of the base run as the base has it, so a change of it is no lie by itself, and where tests end otherwise with
it, what runs says so. It asks for a person where it can reach what judges the changes after this one. A hook of a
conftest that touches tests, marks or reports may be without effect today and choose other tests tomorrow, or only for
one change: that its tests end the same now tells nothing.
"""

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
_INSIDE = {place: signs_at(place) for place in ("hook", "autouse")}


def testing(change: Change, whole: Whole) -> Iterator[Risk]:
    """`tests_steered`."""
    for file in change.files:
        about = steers(file)
        line = _reach(file, all_of_it=about) if about or basename(file.path.lower()) in _SHARED else 0
        if about and not line and suffix(file.path) == ".py":
            line = touches(file, whole)
        if line:
            say = "It changes which tests run, what runs with them, or what they report."
            yield Risk("tests_steered", say, file.path, line)
    yield from _reading(change)


def _reading(change: Change) -> Iterator[Risk]:
    """Product code that names a file which says how tests run and which the change has as well. The base's tests run
    beside the base's version, so what that code does by the new one nobody sees."""
    names = {basename(file.path) for file in change.files if steers(file) or basename(file.path) in _SHARED}
    for file in product(change) if names else ():
        for number, text in added(file):
            if not steers(file) and any(name in text for name in names):
                say = "Its code names a file that says how tests run, which it changes too."
                yield Risk("tests_steered", say, file.path, number)
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
    """The first new line by which a hook, or a fixture that every test has, touches tests, marks or reports; 0 where
    none does. whole: asked where the diff may not show in which function a line stands."""
    new = new_lines(file)
    known = moved(file)
    for rows in rows_after(file, whole):
        inside, indent, autouse = "", 0, False
        for number, text in rows:
            text = text[:LONGEST]
            bare = text.lstrip()
            if not bare or bare.startswith("#"):
                continue
            deep = len(text) - len(bare)
            begins = bare.startswith(("def ", "async def "))
            if begins and (deep <= indent or not inside):
                inside, indent = _sort(bare.partition("def ")[2].partition("(")[0].strip(), autouse), deep
                autouse = False
            elif deep <= indent and not bare.startswith((")", "]", "}")):
                inside = ""
            autouse = "autouse=True" in text.replace(" ", "") or (autouse and not begins)
            looked_for = () if begins else _INSIDE.get(inside, ())
            reaches = (begins and inside == "judge") or sign_in(text, (*_CONFTEST, *looked_for))
            if number in new and not known(text) and reaches:
                return number
    return 0


def _sort(name: str, autouse: bool) -> str:
    """What sort of function it is, as far as it matters."""
    if name.startswith("pytest_"):
        return "hook" if name.removeprefix("pytest_") in WORDS["hooks"] else "judge"
    return "autouse" if autouse else "function"
