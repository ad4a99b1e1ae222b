"""Product code that reaches where only debuggers and test tools belong (frames, collector, interpreter), or changes a
module of somebody else's for everybody, such as one that tests lean on. Pure."""

import re
import sys
from collections.abc import Iterator

from bot.changes.risks.lines import LONGEST, added, moved, numbered, product, suffix
from bot.changes.risks.surroundings import JAVASCRIPT, Sign, patches, sign_table, signs
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

_PYTHON = frozenset({".py", ".pyx"})
_FRAMES = sign_table(
    (_PYTHON, r"\b(_getframe|_getframemodulename|_current_frames|currentframe|getouterframes|getinnerframes)\b"),
    (_PYTHON, r"\binspect\.(stack|trace)\(|\bfrom inspect import .{0,200}\b(stack|trace)\b"),
    (_PYTHON, r"\.(f_back|f_locals|f_globals|f_builtins|f_trace|gi_frame|cr_frame|ag_frame)\b"),
    (_PYTHON, r"\btraceback\.(extract_stack|walk_stack|format_stack)\b"),
    (_PYTHON, r"\.(findCaller|tb_frame)\b|\bfaulthandler\.(dump_traceback)\b"),
    (
        _PYTHON,
        r"\bgc\.(get_objects|get_referrers|get_referents|callbacks|get_threshold|get_count|get_stats|isenabled)\b"
        r"|\bfrom gc import .{0,200}(get_\w{1,20})",
    ),
    (_PYTHON, r"\b(?:sys|threading)\.(settrace|setprofile|settrace_all_threads|monitoring)\b"),
    (_PYTHON, r"\b(set_trace|breakpointhook)\.__self__\b"),
    # A name that is put together: `getattr(sys, "_get" + "frame")`
    (_PYTHON, r"\b(getattr|vars|dir)\(\s*(?:sys|gc|inspect)\b(?!\s*,\s*['\"]\w{1,60}['\"]\s*[,)])"),
    (_PYTHON, r"\b(?:sys|gc|inspect)\.(__dict__)\b"),
    (JAVASCRIPT, r"\bError\.(prepareStackTrace|captureStackTrace)\s*=|\b\w{1,40}\.(caller)\b\s*[.;)=]"),
)
# The text or code of the program itself: whoever compares it knows when it is tried with a defect.
_ITSELF = sign_table(
    (_PYTHON, r"\b(?:open|stat|lstat|getsize|getmtime|cmp|hash_file|file_digest)\(\s*(__file__)\b"),
    (_PYTHON, r"\b(__file__)\)(?:\.(?:resolve|absolute)\(\))?\.(?:read_text|read_bytes|open|stat|lstat)\("),
    (_PYTHON, r"\b(getsource|getsourcelines|findsource)\("),
    (_PYTHON, r"\bfrom (inspect|linecache) import .{0,200}\b(?:getsource|getsourcelines|findsource|getlines?)\b"),
    (_PYTHON, r"\b(linecache\.getlines?)\(|\b(?:__loader__|loader)\.(get_source|get_code|get_data)\("),
    (_PYTHON, r"\.(co_code|co_consts|co_names|co_lines|co_linetable|co_lnotab|_co_code_adaptive)\b"),
    (_PYTHON, r"\b(?:marshal\.dumps|hash|sha\w{1,4}|repr|getattr)\(.{0,80}\.(__code__)\b|\b(dis\.\w{2,20})\("),
    (JAVASCRIPT, r"\breadFile(?:Sync)?\(\s*(__filename|import\.meta\.(?:url|filename)|new URL\(import\.meta\.url)"),
    (JAVASCRIPT, r"\b(Function\.prototype\.toString\.call|arguments\.callee|\w{1,40}\.toString\(\)\.length)\b"),
    (frozenset({".go"}), r"\bos\.(?:ReadFile|Open|Stat)\(\s*\"([^\"]{1,100}\.go)\""),
    (frozenset({".rs"}), r"\b(include_str|include_bytes)!\(\s*(?:file!|\"[^\"]{0,200}\.rs\")"),
)
_READS = re.compile(r"\b(?:inspect\.)?(?:getsource|getsourcelines|findsource)\(\s*(\w{1,60})\s*\)")
_DEF = re.compile(r"\s*(?:async\s+)?def\s+(?P<name>\w{1,60})\s*\((?P<parameters>.{0,300})")
_PARAMETER = re.compile(r"(?:^|,)\s*(\w{1,60})\s*(?::[^=,)]{0,100})?(?=[,)]|$)")  # a default may be the program itself
_BINDS = re.compile(r"\b(\w{1,60})\s*(?::[^=:]{1,60})?:?=(?!=)|\b(?:for|as|global|nonlocal|import)\s+(\w{1,60})")
_RUNTIME = sign_table(
    (_PYTHON, r"\b(atexit\.register|atexit\._run_exitfuncs)\b|^\s*@(atexit\.register)\b"),
    (_PYTHON, r"\b(ctypes\.(?:pythonapi|memmove|memset|py_object|string_at|PyDLL))\b"),
    (_PYTHON, r"\b(sys\.(?:meta_path|path_hooks|path_importer_cache|addaudithook))\b"),
    (
        _PYTHON,
        r"\b(sys\.modules)\[(?!\s*__name__)[^\]]{1,100}\]\s*=(?!=)"
        r"|\b(sys\.modules)\.(?:pop|clear|update|setdefault)\(|\bdel (sys\.modules)\b",
    ),
    (
        _PYTHON,
        r"\b(builtins|__builtins__)(?:\.\w{1,60}|\[[^\]]{1,60}\])\s*=(?!=)|\bsetattr\(\s*(builtins|__builtins__|unittest|pytest|_pytest)\b",
    ),
    (_PYTHON, r"\b(?:builtins|__builtins__)\.(?:__dict__|update)\b|\bvars\((builtins)\)"),
    (_PYTHON, r"\b(unittest|pytest|_pytest|pluggy)(?:\.\w{1,60}){1,5}\s*=(?!=)"),
    (_PYTHON, r"\bsetattr\([^,]{0,80}\b(TestCase)\b|\b(TestCase)\.\w{1,60}\s*=(?!=)"),
    (_PYTHON, r"\b(AssertionError)(?:\.\w{1,40})?\s*=(?!=)|\.(__code__|__bytes__)\s*=(?!=)|\b(CodeType)\("),
    (
        _PYTHON,
        r"['\"/](sitecustomize|usercustomize)\b|['\"][^'\"\s]{0,60}(\.pth)['\"]|\b(getsitepackages|getusersitepackages)\b",
    ),
    (_PYTHON, r"['\"/](conftest\.py|pytest\.ini|__pycache__)\b"),
    (
        JAVASCRIPT,
        r"\brequire\.cache\[[^\]]{1,200}\]\s*=|\b(Module\._load|Module\._resolveFilename|Module\._extensions)\b",
    ),
    (JAVASCRIPT, r"\b(assert|expect|jest|describe|it)(?:\.\w{1,40}){1,3}\s*=(?![=>])"),
)
_TOOLS = {
    name: Sign(_PYTHON, re.compile(rf"^\s*(?:from|import)\s+({name})\b|\bimport_module\(\s*['\"]({name})\b"))
    for name in ("_pytest", "pluggy")
}
_OF_A_TOOL = re.compile(r"(?P<root>(?:src/)?)(?P<name>_pytest|pytest|pluggy)/.+\.py")
_END = sign_table(
    (_PYTHON, r"\b(os\._exit|os\.abort|faulthandler\._sigsegv)\b|\bos\.(kill|killpg)\(\s*os\.get"),
    (_PYTHON, r"\bsignal\.(raise_signal)\b|\bsignal\.signal\([^,]{1,60},\s*(?:lambda|os\._exit)"),
    (_PYTHON, r"^(?:(sys\.exit|exit|quit)\(|raise SystemExit\b)"),  # as the file is imported
)
_STARTED = re.compile(r"(?:.*/)?(?:__main__|main|setup|manage|cli|run|conf)\.py|(?:scripts?|bin|tools?|docs?)/.*")
_EQUAL = re.compile(
    r"\s*(?:async\s+)?def\s+(__eq__|__ne__|__lt__|__contains__|__instancecheck__|__subclasscheck__)\s*\("
)
_ALWAYS = re.compile(r"\s*(?:\"\"\".*\"\"\"|return\s+(True|False|not False|not None|1|bool\(1\)|1 == 1)\s*(?:#.*)?)")
# Not the function's name: who asks for a better `__eq__` asks for none that is always true.
_EQUALS = ("equals everything", "equals anything", "equal to everything", "equal to anything", "matches everything")
_INLINE = re.compile(r".*\)\s*(?:->\s*[\w.\"']{1,40}\s*)?:\s*return\s+(?:True|False|1)\s*(?:#.*)?")


def runtime(change: Change, whole: Whole) -> Iterator[Risk]:
    """`reaches_frames`, `reads_itself`, `reaches_runtime`, `ends_process`, `equals_everything`."""
    files = tuple(product(change))
    for file in files:
        say = "It reads the frames of its callers, or the objects of the garbage collector."
        yield from signs("reaches_frames", say, file, _FRAMES)
        handed = _handed(file, files)
        own = signs("reads_itself", "It reads its own source or compiled code.", file, _ITSELF)
        yield from (risk for risk in own if risk.line not in handed)
        tool = _own_tool(file, whole)
        tools = (sign for name, sign in _TOOLS.items() if name != tool)
        say = "It changes the interpreter, its imports or test tools for everybody."
        yield from signs("reaches_runtime", say, file, (*_RUNTIME, *tools))
        yield from patched(file)
        if not _STARTED.fullmatch(file.path):
            yield from signs("ends_process", "It ends the process at once.", file, _END)
        yield from _equal(file)


def _handed(file: FileChange, files: tuple[FileChange, ...]) -> frozenset[int]:
    """The new lines that read the source only of what a function is handed, as a tool for documentation does. One that
    another new line names may be handed the program itself, and so counts like any other."""
    if suffix(file.path) != ".py":
        return frozenset()
    found: dict[int, str] = {}
    for hunk in file.hunks:
        function, parameters = "", frozenset[str]()
        for number, mark, text in numbered(hunk):
            text = text[:LONGEST]
            if mark != "-" and (named := _DEF.match(text)):
                function = named["name"]
                parameters = frozenset(_PARAMETER.findall(named["parameters"])) - {"self", "cls"}
            elif mark != "-":
                parameters -= {name for pair in _BINDS.findall(text) for name in pair}
            calls = _READS.findall(text)
            rest = _READS.sub("", text)
            alone = bool(calls) and parameters.issuperset(calls) and not any(s.pattern.search(rest) for s in _ITSELF)
            if mark == "+" and alone:
                found[number] = function
    named_in = " ".join(_DEF.sub("", text) for each in files for _, text in added(each)) if found else ""
    words = frozenset(re.findall(r"\w{1,100}", named_in))
    return frozenset(number for number, function in found.items() if function not in words)


def packages(change: Change) -> tuple[FileChange, ...]:
    """The files that tell whether the change is one of pytest, or of pluggy, itself. They are asked for before."""
    found = (_package(file) for file in change.files)
    return tuple({file.path: file for _, file in filter(None, found)}.values())


def _package(file: FileChange) -> tuple[str, FileChange] | None:
    """The name of the tool that the file may be a part of, and what makes a package of it."""
    match = _OF_A_TOOL.fullmatch(file.path)
    if match is None or file.status is not FileStatus.MODIFIED:
        return None
    name = "_pytest" if match["name"] == "pytest" else match["name"]
    return name, FileChange(f"{match['root']}{name}/__init__.py", FileKind.CODE, FileStatus.MODIFIED)


def _own_tool(file: FileChange, whole: Whole) -> str:
    """The tool whose own part the file is: its package was there before, and who brings one is held for that. Such a
    file imports its like; empty for every other one."""
    found = _package(file)
    return found[0] if found and whole(found[1]) is not None else ""


def _equal(file: FileChange) -> Iterator[Risk]:
    """A comparison whose answer is always the same."""
    if suffix(file.path) != ".py":
        return
    above = ""
    for number, text in added(file):
        text = text[:LONGEST]
        named = _EQUAL.match(text)
        answer = _ALWAYS.fullmatch(text)
        if (above and answer and answer[1]) or (named and _INLINE.fullmatch(text)):
            say = "A comparison gives the same answer whatever it compares."
            yield Risk("equals_everything", say, file.path, number, _EQUALS)
        above = named[1] if named else above if answer and not answer[1] else ""


_PATCHED_IN = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
# Python's modules with hooks to be set.
_HOOKS = frozenset({"sys", "warnings", "logging", "threading", "asyncio", "__future__"})
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
    if suffix(file.path) not in _PATCHED_IN:
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
