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
from bot.changes.risks.lines import LONGEST, added, is_product, moved, pieces, product
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
_SOURCES, _HOOKS = frozenset(RUNS["sources"]), frozenset(RUNS["hooks"])
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
        looks: Whole = whole if _may_tell_more(file) else lambda _: None
        for check in _CHECKS:
            if check == "ends_process" and _STARTED(file.path.lower()):
                continue
            signs = tuple(sign for sign in SIGNS if sign.check == check)
            found = show(file, signs, *filter(is_product, files))
            handed = _handed(file, files, looks) if check == "reads_itself" else frozenset[int]()
            yield from (risk for risk in found if risk.line not in handed)
        yield from patched(file)
        yield from hidden(file, looks)
    for file in change.of(FileKind.TEST):
        yield from show(file, signs_at("tests"))
    for file in change.files:
        yield from show(file, signs_at("tools")) if _SETTINGS(file.path) else ()


_TELLS = (*RUNS["code"], *RUNS["names"], *_SOURCES)  # words for whose sake the whole file is looked at


def _may_tell_more(file: FileChange) -> bool:
    """Whether the whole file may show of its code what new lines alone do not."""
    return any(not text.isascii() or any(word in text for word in _TELLS) for _, text in added(file))


def _trees(file: FileChange, whole: Whole) -> Iterator[ast.Module]:
    """What Python makes of the file, or of each run of new lines, as far as it can be read."""
    for first, text in pieces(file, whole) if suffix(file.path) == ".py" else ():
        found = _parsed(text)
        yield ast.increment_lineno(found, first - 1) if first > 1 else found


def _parsed(text: str) -> ast.Module:
    """What Python makes of a text; empty where it makes nothing."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _handed(file: FileChange, files: tuple[FileChange, ...], whole: Whole) -> frozenset[int]:
    """The new lines that read the source only of what a function is handed, as a tool for documentation does. One that
    another new line names may be handed the program itself, and so counts like any other."""
    found: dict[int, str] = {}
    walked = (node for tree in _trees(file, whole) for node in ast.walk(tree))
    for function in (node for node in walked if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))):
        inside = list(ast.walk(function))
        without = len(function.args.args) - len(function.args.defaults)
        own = {each.arg for each in function.args.args[:without]} - {"self", "cls"}
        own -= {each.id for each in inside if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
        reads: dict[int, bool] = {}
        for call in (each for each in inside if isinstance(each, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            if name in _SOURCES:
                argument = call.args[0] if len(call.args) == 1 else None
                alone = isinstance(argument, ast.Name) and argument.id in own
                reads[call.lineno] = alone and reads.get(call.lineno, True)
        others = {each.lineno for each in inside if isinstance(each, ast.Attribute) and each.attr.startswith("co_")}
        found |= {line: function.name for line, alone in reads.items() if alone and line not in others}
    words: set[str] = set()
    for _, text in (line for each in files for line in added(each)) if found else ():
        bare = text.replace("async def ", "def ").partition("def ")[2].partition("(")[2] if "def " in text else text
        words |= set("".join(each if each.isalnum() or each == "_" else " " for each in bare).split())
    return frozenset(line for line, function in found.items() if function not in words)


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
