"""What a conftest says to pytest: hooks that touch tests, marks or reports. Pure.

Such a hook may be without effect today and choose other tests tomorrow, or only for one change: that its tests end the
same now tells nothing.
"""

import re
from collections.abc import Iterator

from bot.changes.risks.lines import LONGEST, moved, numbered
from bot.changes.risks.values import Whole
from bot.changes.values import FileChange, FileStatus

_MOST_LINES = 20_000  # of a file

# Hooks that set up and tell; what they do in their body is looked at. Every other hook reaches what judges.
_SETS_UP = frozenset(
    {
        *("addoption", "report_header", "addhooks", "assertrepr_compare", "make_parametrize_id"),
        *("configure", "unconfigure", "sessionstart", "runtest_setup", "runtest_teardown", "itemcollected"),
    }
)
_DEF = re.compile(r"(?P<indent>\s*)(?:async\s+)?def\s+(?P<name>\w{1,100})")
_HOOK = re.compile(r"pytest_(?P<what>\w{1,60})")
_BROUGHT = re.compile(  # a hook that is made elsewhere, or may be
    r"\s*(?:pytest_(?:collect|runtest|item|generate|pyfunc|report|terminal|load|cmdline|make|deselected|session|configure)\w{0,60}\s*="
    r"|from\s+\S{1,200}\s+import\s+(?:\*|.{0,300}\bpytest_(?:collect|runtest|item|generate|pyfunc|report|terminal|load|cmdline|make"
    r"|deselected|session|configure)))"
)
_MARKS = re.compile(  # wherever it stands
    r".*(?:\b(?:add_marker|applymarker|own_markers|testsfailed|testscollected|shouldstop|shouldfail)\b|\bsession\.items\b"
    r"|\bpytest\.xfail\(|\bmark\.(?:xfail|skip)\b|\.(?:runtest|_testmethod|_testfunction)\s*=)"
)
_IN_HOOK = re.compile(
    r".*(?:(?<!\.)\bitems?\b(?!\()|\b(?:iter_markers|get_closest_marker|deselect\w{0,10}|terminalreporter|exitfirst|maxfail)\b"
    r"|\bskip\w{0,10}\(|\bxfail\b|(?<![\w.])reports?\b|\bconfig\.(?:args|invocation_params|inicfg|_\w{1,40}|option\.\w{1,40}\s*=(?!=))"
    r"|\bsetattr\()"
)
_IN_AUTOUSE = re.compile(r".*\b(?:pytest\.skip|skipTest|request\.node\.\w{1,40}\s*=(?!=))")
_AUTOUSE = re.compile(r".*\bautouse\s*=\s*True")


def touches(file: FileChange, whole: Whole) -> int:
    """The first new line by which a hook, or a fixture that every test has, touches tests, marks or reports; 0 where
    none does. whole: asked where the diff may not show in which function a line stands."""
    new = {number for hunk in file.hunks for number, mark, _ in numbered(hunk) if mark == "+"}
    known = moved(file)
    for rows in _pieces(file, whole):
        inside, indent, autouse = "", 0, False
        for number, text in rows:
            text = text[:LONGEST]
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            deep = len(text) - len(text.lstrip())
            named = _DEF.match(text)
            if named and (deep <= indent or not inside):
                inside, indent = _sort(named["name"], autouse=autouse), deep
                autouse = False
            elif deep <= indent and not text.lstrip().startswith((")", "]", "}")):
                inside = ""
            autouse = bool(_AUTOUSE.match(text)) or (autouse and not named)
            if number in new and not known(text) and _reaches(text, inside, begins=bool(named)):
                return number
    return 0


def _sort(name: str, *, autouse: bool) -> str:
    """What sort of function it is, as far as it matters."""
    hook = _HOOK.fullmatch(name)
    if hook:
        return "hook" if hook["what"] in _SETS_UP else "judge"
    return "autouse" if autouse else "function"


def _reaches(text: str, inside: str, *, begins: bool) -> bool:
    if begins and inside == "judge":
        return True
    if _BROUGHT.match(text) or _MARKS.match(text):
        return True
    if begins:
        return False
    return bool((inside == "hook" and _IN_HOOK.match(text)) or (inside == "autouse" and _IN_AUTOUSE.match(text)))


def _pieces(file: FileChange, whole: Whole) -> Iterator[list[tuple[int, str]]]:
    """The lines after the change: of the file, or else of each hunk."""
    texts = whole(file) if file.status is FileStatus.MODIFIED else None
    if texts is not None:
        yield list(enumerate(texts[1].split("\n")[:_MOST_LINES], 1))
        return
    for hunk in file.hunks:
        yield [(number, text) for number, mark, text in numbered(hunk) if mark != "-"]
