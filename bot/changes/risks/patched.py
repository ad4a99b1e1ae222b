"""Product code that changes a module of somebody else's for everybody, such as one that tests lean on. Pure."""

import re
import sys
from collections.abc import Iterator

from bot.changes.risks.asking import patches
from bot.changes.risks.lines import LONGEST, added, moved, suffix
from bot.changes.risks.values import Risk
from bot.changes.values import FileChange

_JAVASCRIPT = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"})
_HOOKS = frozenset(
    {"sys", "warnings", "logging", "threading", "asyncio", "__future__"}
)  # modules of Python's with hooks to be set
_IMPORT = re.compile(
    r"\s*import\s+(?P<module>\w{1,60})(?P<under>(?:\.\w{1,60}){0,5})(?:\s+as\s+(?P<name>\w{1,60}))?\s*(?:#.*)?"
)
_FROM = re.compile(
    r"\s*from\s+(?P<module>\w{1,60})(?P<under>(?:\.\w{1,60}){0,5})\s+import\s+(?P<part>\w{1,60})"
    r"(?:\s+as\s+(?P<name>\w{1,60}))?\s*(?:#.*)?"
)
_REQUIRED = re.compile(  # `@/`, `~/` and `#` are the project's own paths
    r"\s*(?:const|let|var)\s+(?P<name>\w{1,60})\s*=\s*require\(\s*['\"](?!@?/|~/|#)(?P<required>[^.'\"][^'\"]{0,100})['\"]\s*\)"
    r"(?!\s*(?:\.\s*\w{1,60}\s*){0,5}\()"  # what a call gives is no module
    r"|\s*import\s+(?:\*\s+as\s+)?(?P<default>\w{1,60})\s+from\s+['\"](?!@?/|~/|#)(?P<from>[^.'\"][^'\"]{0,100})['\"]"
)
_SET = re.compile(
    r"\s*(?P<name>\w{1,60})(?P<under>(?:\.\w{1,60}){1,5})\s*=(?![=>])"
    r"|.*?\bsetattr\(\s*(?P<set>\w{1,60})\b"
    r"|.*?\b(?:Object\.(?:assign|definePropert(?:y|ies))|Reflect\.(?:set|defineProperty))\(\s*(?P<given>\w{1,60})\b"
)


def patched(file: FileChange) -> Iterator[Risk]:
    """`reaches_runtime`, for the first such line. Only names that new lines bind are known. A line that was there
    counts where its name is bound anew."""
    if suffix(file.path) not in (".py", *_JAVASCRIPT):
        return
    known = moved(file)
    names: dict[str, str] = {}
    anew: set[str] = set()
    for number, line in added(file):
        text = line[:LONGEST]
        bound = dict(_bound(text, python=suffix(file.path) == ".py"))
        names |= bound
        if not known(line):
            anew |= bound.keys()
        found = _SET.match(text)
        name = (found["name"] or found["set"] or found["given"]) if found else ""
        if found and (name in anew or (name in names and not known(line))):
            say = "It changes another project's module for everybody, tests included."
            whole = f"{names[name]}{found['under'] or ''}"
            yield Risk("reaches_runtime", say, file.path, number, (*patches(names[name]), *patches(whole)))
            return


def _bound(text: str, *, python: bool) -> Iterator[tuple[str, str]]:
    """The name that a line binds, which may be chosen after a word of the issue, and what it is in truth."""
    if not python:
        if found := _REQUIRED.match(text):
            yield found["name"] or found["default"], found["required"] or found["from"]
        return
    found = _IMPORT.fullmatch(text) or _FROM.fullmatch(text)
    if found is None or found["module"] not in sys.stdlib_module_names - _HOOKS:
        return
    part = found.groupdict().get("part")
    module = f"{found['module']}{found['under']}"
    if found["name"] or part:
        yield found["name"] or str(part), f"{module}.{part}" if part else module
    else:
        yield found["module"], found["module"]  # `import os.path` binds `os`
