"""Product code that asks whether it is being tested, or where it runs. Pure.

Such code may do one thing for its tests and another for its users, and then no test says anything about it. Only new
lines count, and what a program asks by detours is left to what runs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from bot.changes.risks.lines import added, moved, product, suffix
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, Whole

MOST = 20  # found in one file

# What an issue calls what product code does, so as to ask for it. Only fixed words that mean one thing: whoever writes
# a change chooses its names and its files, and would choose what the issue says anyway. What is not here is waived by
# no issue.
_ITSELF = frozenset(
    {
        *("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER", "JEST_WORKER_ID", "VITEST_WORKER_ID", "VITEST_POOL_ID"),
        *("NODE_TEST_CONTEXT", "GITHUB_ACTIONS", "GITHUB_WORKFLOW", "GITLAB_CI", "JENKINS_URL", "TF_BUILD"),
        *("CONTINUOUS_INTEGRATION", "BITBUCKET_BUILD_NUMBER", "TEAMCITY_VERSION", "TOX_ENV_NAME", "TOX_ENV_DIR"),
        *("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "IN_SANDBOX", "sys.modules", "_called_from_test"),
        *("import.meta.vitest", "testing.Testing", "cfg(not(test))", "getppid", "getpwuid", "getlogin", "gethostname"),
        *("platform.node", "getuid", "geteuid", "getgid", "getegid", "dont_write_bytecode", "hash_randomization"),
        *("/.dockerenv", "/run/.containerenv", "bubblewrap", "bwrap", "seccomp", "_getframe", "_getframemodulename"),
        *("_current_frames", "currentframe", "getouterframes", "getinnerframes", "f_back", "f_locals", "f_globals"),
        *("f_builtins", "f_trace", "gi_frame", "cr_frame", "ag_frame", "extract_stack", "walk_stack", "format_stack"),
        *("findCaller", "tb_frame", "settrace", "setprofile", "settrace_all_threads", "get_referrers", "get_referents"),
        *("prepareStackTrace", "captureStackTrace", "getsource", "getsourcelines", "findsource", "co_code"),
        *("co_consts", "co_names", "co_lines", "co_linetable", "co_lnotab", "arguments.callee", "atexit.register"),
        *("ctypes.pythonapi", "ctypes.memmove", "ctypes.memset", "ctypes.py_object", "ctypes.string_at"),
        *("ctypes.PyDLL", "sys.meta_path", "sys.path_hooks", "sys.path_importer_cache", "sys.addaudithook"),
        *("sitecustomize", "usercustomize", "getsitepackages", "getusersitepackages", "Module._load"),
        *("Module._resolveFilename", "os._exit", "os.abort", "faulthandler._sigsegv", "raise_signal"),
    }
)
_IN = {
    "gc": ("get_objects", "callbacks", "get_threshold", "get_count", "get_stats", "isenabled"),
    "inspect": ("stack", "trace"),
    "faulthandler": ("dump_traceback",),
    "sys": ("modules", "monitoring"),
    "sys.flags": ("no_user_site", "isolated", "safe_path"),
    "loader": ("get_source", "get_code", "get_data"),
    "os": ("hostname", "userInfo", "kill", "killpg"),
}
_PATCHES = ("monkeypatch", "monkey-patch", "monkey patch")


def patches(what: str) -> tuple[str, ...]:
    """What is said of something that is to be another for everybody. Its name alone says nothing: who wants
    `json.loads` used wants it as it is."""
    return tuple(f"{patch} {what}" for patch in _PATCHES)


_CALLED: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in _ITSELF},
    **{name: (f"{module}.{name}",) for module, names in _IN.items() for name in names},
    **{name: patches(name) for name in ("builtins", "unittest", "pytest", "TestCase", "AssertionError")},
    **{  # the names of services as well, where something is seen to fail
        name: (f"{name} variable", f"{name} environment variable", f"environment variable {name}")
        for name in ("CI", "TRAVIS", "CIRCLECI", "BUILDKITE", "APPVEYOR", "TOXENV")
    },
    "NODE_ENV": ("NODE_ENV=test", "NODE_ENV is test", "NODE_ENV === test", "NODE_ENV == test"),
}


def names_of(found: Iterable[str | None]) -> tuple[str, ...]:
    """What an issue calls what was found in a line; nothing where it has no name that means it alone."""
    return tuple(dict.fromkeys(name for text in found if text for name in _CALLED.get(text, ())))


_TOOLS = r"(?:_?pytest|py\.test|unittest|nose2?|tox|xdist|hypothesis|coverage|jest|mocha|vitest|rspec|phpunit)"
_SERVICES = (
    r"(?:CI|GITHUB_ACTIONS|GITHUB_WORKFLOW|GITLAB_CI|TRAVIS|CIRCLECI|JENKINS_URL|BUILDKITE|TF_BUILD|APPVEYOR"
    r"|CONTINUOUS_INTEGRATION|BITBUCKET_BUILD_NUMBER|TEAMCITY_VERSION|TOX_ENV(?:_NAME|_DIR)?|TOXENV|NOX\w{0,20}|COVERAGE_\w{1,30})"
)


@dataclass(frozen=True, slots=True)
class Sign:
    """suffixes: of the files it is looked for in; none for all. What an issue calls its groups, `names_of` knows."""

    suffixes: frozenset[str]
    pattern: re.Pattern[str]


def sign_table(*rows: tuple[frozenset[str], str]) -> tuple[Sign, ...]:
    """A sign of each row."""
    return tuple(Sign(suffixes, re.compile(pattern)) for suffixes, pattern in rows)


_ALL = frozenset[str]()
_PYTHON = frozenset({".py", ".pyi", ".pyx"})
JAVASCRIPT = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"})

_TESTED = sign_table(
    (_ALL, r"\b(PYTEST_[A-Z_]{2,40}|JEST_WORKER_ID|VITEST_\w{1,30}|NODE_TEST_CONTEXT|PHPUNIT_\w{1,40})\b"),
    (_PYTHON, rf"['\"]{_TOOLS}(?:['\"]|[._]).{{0,200}}\b(sys\.modules|sys\.argv|modules)\b"),
    (_PYTHON, rf"\b(sys\.modules|sys\.argv|sys\.orig_argv|find_spec|__main__)\b.{{0,200}}['\"/]{_TOOLS}\b"),
    (
        _PYTHON,
        r"\b(?:for \w{1,40} in|any\(|map\(|filter\(|list\(|tuple\(|set\(|sorted\().{0,100}\b(sys\.modules)\b(?!\[)",
    ),
    # A module of tests that is asked for: it is there while they run.
    (_PYTHON, r"(?:import_module|__import__|find_spec)\(\s*['\"](?:[\w.]{1,60}\.)?(test_\w{1,60}|conftest)['\"]"),
    (_PYTHON, r"^\s*(?:import|from)\s+(?:tests?\.)?(test_\w{1,60}|conftest)\b"),
    (_PYTHON, r"(sys\.argv|sys\.orig_argv).{0,60}['\"][^'\"]{0,30}\btests?\b"),
    (_PYTHON, rf"(?:environ|getenv)\b.{{0,20}}['\"]({_SERVICES})['\"]"),
    (_PYTHON, rf"['\"]({_SERVICES})['\"]\s+(?:not )?in\s+(?:os\.)?environ"),
    (
        _PYTHON,
        r"\b(_called_from_test|_is_running_tests?|is_running_(?:under_)?(?:py)?tests?|running_under_test\w{0,10})\b",
    ),
    (
        JAVASCRIPT,
        r"\b(NODE_ENV)\b['\"\])\s]{0,5}[!=]==?\s{0,5}['\"`]tests?\b|['\"`]tests?['\"`]\s{0,5}[!=]==?\s{0,5}process\.env\.(NODE_ENV)",
    ),
    (
        JAVASCRIPT,
        rf"\b(?:process|Deno|Bun|import\.meta)\.env\W{{1,3}}({_SERVICES}|VITEST|JEST\w{{0,30}}|MOCHA\w{{0,30}}|npm_lifecycle_\w{{1,10}})\b",
    ),
    (JAVASCRIPT, r"\b(import\.meta\.vitest)\b|typeof\s+\(?(jest|vi|describe|it|before|beforeEach|mocha|expect)\b"),
    (JAVASCRIPT, r"\b(?:globalThis|global|window|self)\b\W{1,3}(jest|describe|it|expect|vi|mocha|beforeEach)\b"),
    (JAVASCRIPT, rf"\bprocess\.(argv0?|execArgv)\b.{{0,100}}['\"`/](?:{_TOOLS}|--test|tests?)\b"),
    (JAVASCRIPT, rf"\brequire\.(cache)\b.{{0,100}}{_TOOLS}"),
    (
        frozenset({".go"}),
        r"\b(testing\.Testing)\(|flag\.Lookup\(\s*\"(test\.\w{1,20})\"|\bos\.(Args)\b.{0,80}\"[^\"]{0,20}\.test\b",
    ),
    (frozenset({".rs"}), r"\b(cfg!\(\s*(?:not\(\s*)?test)\b|#\[(cfg\(not\(test\)\))\]"),
    (
        frozenset({".rb", ".erb"}),
        r"\b(Rails\.env\.test\?)|defined\?\(?\s*(RSpec|Minitest|Test::Unit)\b|\bENV\W{1,3}((?:RAILS|RACK)_ENV)\W{1,4}\s*==\s*['\"]test",
    ),
    (frozenset({".java", ".kt", ".scala", ".groovy"}), r"\"(org\.junit|junit\.framework|org\.testng)"),
)
_BARE_CALLS = frozenset({".rb", ".erb", ".pl", ".lua", ".coffee"})  # where a call needs no parentheses
_KNOWN = r"/\.dockerenv|/proc/(?:self|1|\d{1,7}|mounts|cpuinfo|net)\b|/run/\.containerenv"
# What stands before a text in code, and before none in a sentence.
_IN_CODE = r"(?:[(\[{=,:+/!<>&|?%]|\b(?:in|is|not|or|and|return|case|when|yield|await|else|if|match))"
_HERE = r"['\"`]/(?:work|results)(?=['\"`/])"
_OF_FILES = (
    r"(?:\b(?i:exists|is_?dir|is_?file|(?:get)?cwd|open|l?stat|list_?dir|scan_?dir|read_?dir|access|realpath|resolve)(?:Sync)?\("
    r"|\bsys\.(?:path|prefix|executable)\b|\b__file__\b|\b__(?:file|dir)name\b|\bimport\.meta\b|\bPWD\b)"
)
_PLACE = sign_table(
    (_PYTHON, r"\b(getppid)\("),
    (
        _PYTHON,
        r"['\"](\.git)['\"].{0,40}\b(?:exists|is_dir|isdir|is_file|isfile)\(|\b(?:exists|isdir)\(.{0,80}['\"/](\.git)['\"]",
    ),
    (_PYTHON, r"\.(name|parts)\b.{0,60}['\"]work['\"]|['\"]work['\"].{0,60}\.(name|parts)\b"),
    (_PYTHON, r"(?:__import__|import_module|sys\.modules)\W{1,3}['\"](__main__)['\"]|^\s*import (__main__)\b"),
    (_PYTHON, r"\b(getpwuid|getlogin|gethostname|platform\.node|uname\(\)\.nodename)\b"),
    # How the sandbox starts Python: who asks for that knows by it that he is watched.
    (_PYTHON, r"\bsys\.(dont_write_bytecode)\b(?!\s*=(?!=))"),
    (_PYTHON, r"\bsys\.flags(?:\[|\.(hash_randomization|dont_write_bytecode|no_user_site|isolated|safe_path)\b)"),
    (_PYTHON, r"['\"](PYTHON(?:HASHSEED|DONTWRITEBYTECODE)|JUNIT_REPORT)['\"]"),
    (_PYTHON, r"\b(getcwd|cwd)\(\).{0,60}['\"]work['\"]"),
    (_PYTHON, r"\b(gete?[ug]id)\(\)\s*(?:[!=]=|[<>]|in\b|not\b)|\b65534\b"),
    (_BARE_CALLS, rf"['\"]({_KNOWN})"),
    (_ALL, rf"(?:^\s*|{_IN_CODE}\s*[rbfRBF]{{0,2}}(?:\"\"|'')?)['\"]({_KNOWN})"),
    (frozenset({*JAVASCRIPT, ".go"}), rf"(?:^\s*|{_IN_CODE}\s*)`({_KNOWN})"),
    # A name that a route may have as well: only beside what asks the machine for it.
    (_ALL, rf"{_OF_FILES}.{{0,100}}{_HERE}|{_HERE}.{{0,100}}{_OF_FILES}"),
    (_ALL, r"\b(bubblewrap|bwrap|seccomp|SANDBOX_\w{1,30}|IN_SANDBOX)\b"),
    (JAVASCRIPT, r"\bos\.(hostname|userInfo)\(|\bprocess\.(gete?uid)\b"),
    (frozenset({".go"}), r"\bos\.(Hostname|Gete?uid)\("),
)
# What only Bouncer's own runs show; other tests are skipped by the machine for good reasons.
_SKIPS_HERE = sign_table(
    (
        _ALL,
        r"\bskip.{0,200}(?:['\"/](work|results)['\"/]|\b(getppid|dont_write_bytecode|PYTHONHASHSEED|JUNIT_REPORT)\b)",
    ),
)


# A line that asks what one in its place asked, and compares it with nothing: neither texts nor numbers, nor a choice.
_PASSED_ON = re.compile(r"(?:(?!\b(?:if|else|in|is|not|and|or|match|case|while|assert)\b)[A-Za-z_\s.,()])*")


def surroundings(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`asks_if_tested`, `asks_where_it_runs`."""
    for file in product(change):
        say = "It asks whether it is being tested."
        yield from signs("asks_if_tested", say, file, _TESTED)
        say = "It asks on which machine, or as which user, it runs."
        yield from signs("asks_where_it_runs", say, file, _PLACE)
    for file in change.of(FileKind.TEST):
        say = "Whether a test is skipped depends on where it runs."
        yield from signs("asks_where_it_runs", say, file, _SKIPS_HERE)


def signs(check: str, say: str, file: FileChange, looked_for: tuple[Sign, ...]) -> Iterator[Risk]:
    """One for every new line that shows one of these signs."""
    ending = suffix(file.path)
    patterns = [sign.pattern for sign in looked_for if not sign.suffixes or ending in sign.suffixes]
    known = moved(file)

    def found(text: str) -> re.Match[str] | None:
        return next(filter(None, (pattern.search(text) for pattern in patterns)), None)

    asked = {match.groups() for hunk in file.hunks for text in hunk.removed if (match := found(text))}
    shown = (
        (number, match)
        for number, text in added(file)
        if not known(text) and (match := found(text)) and not (match.groups() in asked and _PASSED_ON.fullmatch(text))
    )
    yield from (Risk(check, say, file.path, number, names_of(match.groups())) for number, match in islice(shown, MOST))
