"""What says how tests are found, run and told: configuration, plugins, hooks. Pure.

The tests of the base run as the base has it, so a change of it is no lie by itself: it asks for a person where the
tests end otherwise with it, or where it can reach what judges the changes after this one. A hook of a conftest that
touches tests, marks or reports may be without effect today and choose other tests tomorrow, or only for one change:
that its tests end the same now tells nothing.
"""

import re
from collections.abc import Iterator
from posixpath import basename

from bot.changes.risks.lines import LONGEST, added, first, moved, new_lines, numbered, product, rows_after, suffix
from bot.changes.risks.values import Holds, Risk, called
from bot.changes.values import Change, FileChange, FileStatus, Whole

_STEERS = re.compile(
    r"conftest\.py|pytest_plugins?\.py|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|noxfile\.py|\.coveragerc|(?:gnu)?makefile|.*\.mk|justfile"
    r"|taskfile\.ya?ml|rakefile|(?:jest|vitest|vite|karma|ava|jasmine|playwright|cypress|babel|webpack|rollup|wdio)"
    r"\.(?:conf|config|workspace|setup)\..*|(?:jest|vitest)[.-]setup\..*|\.mocharc.*|\.nycrc.*|\.c8rc.*|\.taprc|phpunit\.xml.*"
    r"|\.rspec|runtests?\.(?:py|sh)|nose2?\.cfg|\.testr\.conf|\.stestr\.conf|nextest\.toml"
)
_SHARED = frozenset({"pyproject.toml", "setup.cfg", "package.json"})  # hold much else
_OWN = re.compile(  # lines of shared files that are about tests
    r"\s*\[(?:tool[.:])?(?:pytest|coverage|tox|nose|hatch\.envs\.(?:hatch-)?test)[\w.:-]{0,80}\]"
    r"|\s*\"(?:pre|post)?test[\w:-]{0,40}\"\s*:|\s*\"(?:jest|vitest|mocha|ava|nyc|c8)\"\s*:"
)
# What chooses tests, brings plugins along, or changes what they tell.
_OPTIONS = re.compile(
    r"\s*\"?(?:addopts|testpaths|python_(?:files|classes|functions)|norecursedirs|collect_ignore(?:_glob)?|required_plugins"
    r"|testPathIgnorePatterns|testMatch|testRegex|testNamePattern|modulePathIgnorePatterns|moduleNameMapper|passWithNoTests"
    r"|setupFiles(?:AfterEnv)?|globalSetup|reporters|snapshotResolver|testRunner|testResultsProcessor|bail"
    r"|usedevelop|pytest_plugins|PYTEST_ADDOPTS|PYTEST_PLUGINS)\"?\s*[:=]"
    r"|.*(?<![\w-])(?:--ignore(?:-glob)?|--deselect|-p[ =]?(?:no:)?\w+\s*[,'\"]"
    r"|--passWithNoTests|--testPathIgnorePatterns)"
)
# Codes that a linter leaves out, which are no paths.
_LINTS = re.compile(
    r"(?P<linter>\b(?:flake8|pycodestyle|pydocstyle|ruff)\b[^&|;()]{0,200}?[\s'\"])"
    r"--(?:extend-)?ignore[= ][A-Z]{1,4}\d{1,4}(?:,[A-Z]{1,4}\d{1,4}){0,30}(?![\w./,-])"
)
_IGNORED = re.compile(r"\s*(?:-\s*)?pytest\b.*\|\|\s*(?:true|:|exit 0)|\t?-(?:python|pytest|\$\(PY).*|.*\|\|\s*true\b")
_REACHES = re.compile(
    r".*(?:\bpytest_plugins\b|\bcollect_ignore|hookwrapper|hookimpl|pluginmanager|\bos\._exit\b|\bsys\.exit\b|\bsys\.meta_path\b"
    r"|\bbuiltins\b|\b_pytest\b|pytest\.(?:raises|fail|skip|exit|Item|Function|Module|Class|Session)\s*=|\bdel items\b"
    r"|\bitems\[:\]|\bsys\.modules\b|\b(?:TestReport|outcome|wasxfail)\b|AssertionError\s*=|sys\.settrace|exitstatus\s*=)"
)
_TOOLS = re.compile(
    r"(?:src/)?(?:pytest|_pytest|pluggy|py|unittest|iniconfig|coverage|xdist|doctest|nose)(?:\.py|/__init__\.py)"
    r"|(?:.*/)?(?:sitecustomize|usercustomize)\.py|(?:.*/)?[^/]+\.(?:pth|egg-link)"
)
# What no comparison of sources looks at, since tools write there.
_INSTALLED = frozenset({"node_modules", "site-packages", ".venv", ".tox", ".hg", ".svn", "__pycache__"})
# No bare "test suite": every fix is asked to bring a test for it.
_CALLED = ("pytest configuration", "pytest config", "test configuration", "pytest options", "pytest plugin")
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


def testing(change: Change, whole: Whole) -> Iterator[Risk]:
    """`tests_steered`, `tools_shadowed`."""
    for file in change.files:
        name = basename(file.path.lower())
        if file.status in (FileStatus.ADDED, FileStatus.RENAMED, FileStatus.COPIED) and _TOOLS.fullmatch(
            file.path.lower()
        ):
            say = "It adds a file that Python or a test tool loads by itself, or instead of the real one."
            yield Risk("tools_shadowed", say, file.path, first(file))
        elif not _INSTALLED.isdisjoint(file.path.lower().split("/")[:-1]):
            say = "It changes a file in a folder of installed packages, which may be loaded instead of the real ones."
            yield Risk("tools_shadowed", say, file.path, first(file))
        if steers(file):
            yield _steering(file, whole, all_of_it=True)
        elif name in _SHARED and (_about(file) or _reach(file, all_of_it=False)):
            yield _steering(file, whole, all_of_it=False)
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
    return bool(_STEERS.fullmatch(basename(file.path.lower())))


def _steering(file: FileChange, whole: Whole, *, all_of_it: bool) -> Risk:
    line = _reach(file, all_of_it=all_of_it)
    if not line and suffix(file.path) == ".py":
        line = touches(file, whole)
    names = (*called(file.path, _STEERS), *_CALLED) if all_of_it else _CALLED
    if line:
        say = "It changes which tests run, what runs with them, or what they report."
        return Risk("tests_steered", say, file.path, line, names)
    say = "It changes how tests are set up."
    return Risk("tests_steered", say, file.path, first(file), names, Holds.UNLIKE)


def _about(file: FileChange) -> bool:
    return any(_OWN.match(text[:500]) for hunk in file.hunks for text in (*hunk.added, *hunk.removed))


def _reach(file: FileChange, *, all_of_it: bool) -> int:
    """The first new line that reaches what judges; 0 where none does."""
    patterns = (_OPTIONS, _IGNORED, _REACHES) if all_of_it else (_OPTIONS,)
    known = moved(file)
    for number, mark, line in numbered(*file.hunks):
        text = _LINTS.sub(r"\g<linter>", line[:500])
        if mark == "+" and not known(line) and any(pattern.match(text) for pattern in patterns):
            return number
    return 0


def touches(file: FileChange, whole: Whole) -> int:
    """The first new line by which a hook, or a fixture that every test has, touches tests, marks or reports; 0 where
    none does. whole: asked where the diff may not show in which function a line stands."""
    new = new_lines(file)
    known = moved(file)
    for rows in rows_after(file, whole):
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
