"""What an issue calls what product code does, so as to ask for it. Pure.

Only fixed words that mean one thing: whoever writes a change chooses its names and its files, and would choose what the
issue says anyway. What is not here is waived by no issue.
"""

from collections.abc import Iterable, Mapping

_ITSELF = frozenset(
    {
        *("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER", "JEST_WORKER_ID", "VITEST_WORKER_ID", "VITEST_POOL_ID"),
        *("NODE_TEST_CONTEXT", "GITHUB_ACTIONS", "GITHUB_WORKFLOW", "GITLAB_CI", "JENKINS_URL", "TF_BUILD"),
        *("CONTINUOUS_INTEGRATION", "BITBUCKET_BUILD_NUMBER", "TEAMCITY_VERSION", "TOX_ENV_NAME", "TOX_ENV_DIR"),
        *("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "IN_SANDBOX"),
        *("sys.modules", "_called_from_test", "import.meta.vitest", "testing.Testing", "cfg(not(test))"),
        *("getppid", "getpwuid", "getlogin", "gethostname", "platform.node", "getuid", "geteuid", "getgid", "getegid"),
        *("dont_write_bytecode", "hash_randomization", "/.dockerenv", "/run/.containerenv", "bubblewrap", "bwrap"),
        *("seccomp", "_getframe", "_getframemodulename", "_current_frames", "currentframe", "getouterframes"),
        *("getinnerframes", "f_back", "f_locals", "f_globals", "f_builtins", "f_trace", "gi_frame", "cr_frame"),
        *("ag_frame", "extract_stack", "walk_stack", "format_stack", "findCaller", "tb_frame", "settrace"),
        *("setprofile", "settrace_all_threads", "get_referrers", "get_referents", "prepareStackTrace"),
        *("captureStackTrace", "getsource", "getsourcelines", "findsource", "co_code", "co_consts", "co_names"),
        *("co_lines", "co_linetable", "co_lnotab", "arguments.callee", "atexit.register", "ctypes.pythonapi"),
        *("ctypes.memmove", "ctypes.memset", "ctypes.py_object", "ctypes.string_at", "ctypes.PyDLL"),
        *("sys.meta_path", "sys.path_hooks", "sys.path_importer_cache", "sys.addaudithook", "sitecustomize"),
        *("usercustomize", "getsitepackages", "getusersitepackages", "Module._load", "Module._resolveFilename"),
        *("os._exit", "os.abort", "faulthandler._sigsegv", "raise_signal"),
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
