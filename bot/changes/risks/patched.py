"""Product code that changes a module of somebody else's for everybody, such as one that tests lean on. Pure."""

import re
import sys
from collections.abc import Iterator

from bot.changes.risks.lines import LONGEST, added, moved, suffix
from bot.changes.risks.values import Risk
from bot.changes.values import FileChange

_JAVASCRIPT = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"})
_HOOKS = frozenset(
    {"sys", "warnings", "logging", "threading", "asyncio", "__future__"}
)  # modules of Python's with hooks to be set
_IMPORT = re.compile(r"\s*import\s+(?P<module>\w{1,60})(?:\.\w{1,60}){0,5}(?:\s+as\s+(?P<name>\w{1,60}))?\s*(?:#.*)?")
_FROM = re.compile(
    r"\s*from\s+(?P<module>\w{1,60})(?:\.\w{1,60}){0,5}\s+import\s+(?P<part>\w{1,60})(?:\s+as\s+(?P<name>\w{1,60}))?\s*(?:#.*)?"
)
_REQUIRED = re.compile(
    r"\s*(?:const|let|var)\s+(?P<name>\w{1,60})\s*=\s*require\(\s*['\"][^.'\"][^'\"]{0,100}['\"]\s*\)"
    r"|\s*import\s+(?:\*\s+as\s+)?(?P<default>\w{1,60})\s+from\s+['\"][^.'\"][^'\"]{0,100}['\"]"
)
_SET = re.compile(
    r"\s*(?P<name>\w{1,60})(?:\.\w{1,60}){1,5}\s*=(?![=>])"
    r"|.*?\bsetattr\(\s*(?P<set>\w{1,60})\b"
    r"|.*?\b(?:Object\.(?:assign|definePropert(?:y|ies))|Reflect\.(?:set|defineProperty))\(\s*(?P<given>\w{1,60})\b"
)


def patched(file: FileChange) -> Iterator[Risk]:
    """`reaches_runtime`, for the first such line. Only names that new lines bind are known. A line that was there
    counts where its name is bound anew."""
    if suffix(file.path) not in (".py", *_JAVASCRIPT):
        return
    known = moved(file)
    names: set[str] = set()
    anew: set[str] = set()
    for number, line in added(file):
        text = line[:LONGEST]
        bound = set(_bound(text, python=suffix(file.path) == ".py"))
        names |= bound
        if not known(line):
            anew |= bound
        found = _SET.match(text)
        name = next(filter(None, found.groups()), "") if found else ""
        if name in anew or (name in names and not known(line)):
            say = "It changes a module of somebody else's for everybody, tests among them."
            yield Risk("reaches_runtime", say, file.path, number, (name,))
            return


def _bound(text: str, *, python: bool) -> Iterator[str]:
    if not python:
        if found := _REQUIRED.match(text):
            yield found["name"] or found["default"]
        return
    found = _IMPORT.fullmatch(text) or _FROM.fullmatch(text)
    if found and found["module"] in sys.stdlib_module_names - _HOOKS:
        yield next(filter(None, reversed(found.groups())))  # the last name is what it is bound to
