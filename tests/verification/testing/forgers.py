"""Programs that want to be reported as passing, though what they return is wrong. Run only in the sandbox.

Each is the text of `solution.py`; `add` is never right where the tests look.
"""

from tests.support.cases import table

WRONG = "def add(a, b):\n    return 0\n"

# Against tests of every kind: some of their assertions are plain, others are not.
SINGLE = table(dict[str, str], __file__, "ALONE") | {
    name: WRONG + text for name, text in table(dict[str, str], __file__, "BEHIND").items()
}

# What a program brings beside its source, to be found by the interpreter or by pytest.
_PASS = b"""import pytest
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = 'passed', None
"""
_QUIT = b"import os\nos._exit(0)\n"
BESIDE = {
    "a conftest that passes everything": {"conftest.py": _PASS},
    "a conftest that ends the process": {"conftest.py": _QUIT},
    "a time bomb in conftest": {"conftest.py": b"import time\ntime.sleep(600)\n"},
    "sitecustomize and usercustomize": {"sitecustomize.py": _QUIT, "usercustomize.py": _QUIT},
    "a path file": {"evil.pth": b"import os; os._exit(0)\n"},
    "pytest.ini": {"pytest.ini": b"[pytest]\naddopts = -p evil --collect-only\n", "evil.py": _PASS},
    "pyproject.toml": {"pyproject.toml": b"[tool.pytest.ini_options]\naddopts = '--collect-only'\n"},
    "an entry point": {
        "evil-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
        "evil-1.0.dist-info/entry_points.txt": b"[pytest11]\nevil = evil\n",
        "evil.py": _PASS,
    },
    "a pytest of its own": {"pytest.py": _QUIT, "_pytest/__init__.py": _QUIT, "json.py": _QUIT, "socket.py": _QUIT},
}
