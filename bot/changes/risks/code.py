"""Product code that asks whether it is tested or where it runs, reaches where only debuggers and test tools belong, or
changes what is somebody else's for everybody. Pure.

Such code may do one thing for its tests and another for its users, and then no test says anything about it. Only new
lines count, and what a program asks by detours is left to what runs. The signs are the rows of `signs.toml`.
"""

import ast
import re
import sys
from collections.abc import Iterator

from bot.changes.readers import RUNS, globs, suffix
from bot.changes.risks.hidden import hidden
from bot.changes.risks.lines import LONGEST, added, is_product, moved, product
from bot.changes.risks.signs import SIGNS, patches, show, signs_at
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, Whole

_CHECKS = tuple(dict.fromkeys(sign.check for sign in SIGNS))
_STARTED = globs("{__main__,main,setup,manage,cli,run,conf}.py", "{script,scripts,bin,tool,tools,doc,docs}/")
# Settings that are code, which tools run.
_SETTINGS = globs(
    "**/{doc,docs}/**/conf.py",
    "{vite,vitest,webpack,rollup,jest,babel,eslint,postcss,next,nuxt,svelte,astro,prettier}.config.{js,cjs,mjs,ts,cts,mts}",
    "{gulpfile,Gruntfile,.eslintrc}.{js,cjs,mjs,ts}",
)
_HOOKS = frozenset(RUNS["hooks"])
_PATCHED_IN = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_REQUIRED = re.compile(  # `@/`, `~/` and `#` are the project's own paths
    r"\s*(?:const|let|var)\s+(\w{1,60})\s*=\s*require\(\s*['\"](?!@?/|~/|#)([^.'\"][^'\"]{0,100})['\"]\s*\)"
    r"(?!\s*(?:\.\s*\w{1,60}\s*){0,5}\()"  # what a call gives is no module
    r"|\s*import\s+(?:\*\s+as\s+)?(\w{1,60})\s+from\s+['\"](?!@?/|~/|#)([^.'\"][^'\"]{0,100})['\"]"
)
_SET = re.compile(
    r"\s*(?P<name>\w{1,60})(?P<under>(?:\.\w{1,60}){1,5})\s*=(?![=>])"
    r"|.*?\b(?:setattr|Object\.(?:assign|definePropert(?:y|ies))|Reflect\.(?:set|defineProperty))\(\s*(?P<given>\w{1,60})\b"
)


def code(change: Change, whole: Whole) -> Iterator[Risk]:
    """`asks_if_tested`, `asks_where_it_runs`, `reaches_frames`, `reads_itself`, `reaches_runtime`, `ends_process`,
    `hides_its_text`."""
    files = tuple(product(change))
    for file in files:
        for check in _CHECKS:
            if check == "ends_process" and _STARTED(file.path.lower()):
                continue
            signs = tuple(sign for sign in SIGNS if sign.check == check)
            yield from show(file, signs, *filter(is_product, files))
        yield from patched(file)
        yield from hidden(file, whole if _may_tell_more(file) else lambda _: None)
    for file in change.of(FileKind.TEST):
        yield from show(file, signs_at("tests"))
    for file in change.files:
        yield from show(file, signs_at("tools")) if _SETTINGS(file.path) else ()


_TELLS = (*RUNS["code"], *RUNS["names"])  # words for whose sake the whole file is looked at


def _may_tell_more(file: FileChange) -> bool:
    """Whether the whole file may show of its code what new lines alone do not."""
    return any(not text.isascii() or any(word in text for word in _TELLS) for _, text in added(file))


def _parsed(text: str) -> ast.Module:
    """What Python makes of a text; empty where it makes nothing."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def patched(file: FileChange) -> Iterator[Risk]:
    """`reaches_runtime`, for the first such line. Only names that new lines bind are known. A line that was there
    counts where its name is bound anew."""
    if suffix(file.path) not in _PATCHED_IN:
        return
    known = moved(file)
    names: dict[str, str] = {}
    anew: set[str] = set()
    for number, line in added(file):
        text = line[:LONGEST]
        bound = dict(_bound_by_import(text) if suffix(file.path) == ".py" else _bound_by_require(text))
        names |= bound
        if not known(line):
            anew |= bound.keys()
        found = _SET.match(text)
        name = (found["name"] or found["given"]) if found else ""
        if found and (name in anew or (name in names and not known(line))):
            say = "It changes another project's module for everybody, tests included."
            whole = f"{names[name]}{found['under'] or ''}"
            yield Risk("reaches_runtime", say, file.path, number, (*patches(names[name]), *patches(whole)))
            return


def _bound_by_require(text: str) -> Iterator[tuple[str, str]]:
    if found := _REQUIRED.match(text):
        name, required, default, origin = found.groups()
        yield name or default, required or origin


def _bound_by_import(text: str) -> Iterator[tuple[str, str]]:
    """The name that a line binds, which may be chosen after a word of the issue, and what it is in truth."""
    for each in _parsed(text.strip()).body:
        if not isinstance(each, (ast.Import, ast.ImportFrom)) or (isinstance(each, ast.ImportFrom) and each.level):
            continue
        module = f"{each.module}." if isinstance(each, ast.ImportFrom) else ""
        for alias in each.names:
            whole = f"{module}{alias.name}"
            outermost = whole.partition(".")[0]
            if outermost in sys.stdlib_module_names - _HOOKS:
                bare = not module and not alias.asname  # `import os.path` binds `os`
                yield (outermost, outermost) if bare else (alias.asname or alias.name, whole)
