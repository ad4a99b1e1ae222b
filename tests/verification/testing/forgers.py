"""Programs that want to be reported as passing, though what they return is wrong. Run only in the sandbox.

Each is the text of `solution.py`; `add` is never right where the tests look.
"""

WRONG = "def add(a, b):\n    return 0\n"

# Against tests of every kind: some of their assertions are plain, others are not.
SINGLE = {
    "leaves with status 0 on import": "import os\nos._exit(0)\n",
    "raises SystemExit(0) on import": "import sys\nsys.exit(0)\n",
    "leaves with status 0 when called": "import os\ndef add(a, b):\n    os._exit(0)\n",
    "leaves through pytest.exit": "import pytest\ndef add(a, b):\n    pytest.exit('fine', 0)\n",
    "skips the test": "import pytest\ndef add(a, b):\n    pytest.skip('not today')\n",
    "skips the file": "import pytest\npytest.skip('not today', allow_module_level=True)\n",
    "expects the failure": "import pytest\ndef add(a, b):\n    pytest.xfail('as planned')\n",
    "sets the exit status at the end": WRONG + "import atexit, os\natexit.register(os._exit, 0)\n",
    "forges the JUnit file": WRONG
    + """import atexit, glob, threading, time
def forge():
    while True:
        for path in [*glob.glob('/results/*'), '/results/junit.xml']:
            open(path, 'w').write('<testsuite><testcase name="test_sum"/><testcase name="test_loop"/></testsuite>')
        time.sleep(0.01)
threading.Thread(target=forge, daemon=True).start()
atexit.register(forge)
""",
    "prints a summary": WRONG + "import os\nfor fd in range(1, 3):\n    os.write(fd, b'2 passed in 0.01s\\n')\n",
    "replaces AssertionError": WRONG + "import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception\n",
    "replaces what unittest fails with": WRONG
    + """import unittest
unittest.TestCase.fail = lambda *a, **k: None
unittest.TestCase.assertEqual = lambda *a, **k: None
""",
    "replaces pytest.main and the runner": WRONG
    + """import pytest, _pytest.runner, _pytest.python
pytest.main = lambda *a, **k: 0
_pytest.runner.call_and_report = lambda *a, **k: None
_pytest.python.Function.runtest = lambda self: None
""",
    "replaces the code of pytest.Function.runtest": WRONG
    + "import pytest\npytest.Function.runtest.__code__ = (lambda self: None).__code__\n",
    "replaces the rewriting of assertions": WRONG
    + "import _pytest.assertion.rewrite as r\nr.rewrite_asserts = lambda *a, **k: None\n",
    "replaces a built-in": "import builtins\nbuiltins.all = lambda *a: True\nbuiltins.abs = lambda *a: 0\n" + WRONG,
    "turns failures into passes by a plugin": WRONG
    + """import gc, pytest
class Plugin:
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        report.outcome, report.longrepr = 'passed', None
for found in gc.get_objects():
    if isinstance(found, pytest.PytestPluginManager):
        found.register(Plugin())
""",
    "takes the tests out by a plugin": WRONG
    + """import gc, pytest
class Plugin:
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if 'sum' not in item.name]
for found in gc.get_objects():
    if isinstance(found, pytest.PytestPluginManager):
        found.register(Plugin())
""",
    "names itself a plugin": WRONG + "pytest_plugins = ['solution']\ndef pytest_runtest_protocol(item): return True\n",
    "jumps over assertions": WRONG
    + """import sys
def trace(frame, event, arg):
    code = frame.f_code
    if event == 'line' and code.co_name.startswith('test') and frame.f_lineno > code.co_firstlineno:
        try:
            frame.f_lineno = max(line for _, _, line in code.co_lines() if line)
        except ValueError:
            pass
    return trace
sys.settrace(trace)
""",
    "returns what equals everything": """
class Same:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0
    __rsub__ = __sub__
def add(a, b): return Same()
""",
    "returns an integer that equals everything": """
class Same(int):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0
def add(a, b): return Same(0)
""",
    "replaces the tests in memory": WRONG
    + """import sys
def swap(frame, event, arg):
    if 'TestUnit' in frame.f_globals:
        sys.setprofile(None)
        for test in (frame.f_globals['test_sum'], frame.f_globals['test_loop']):
            test.__code__ = (lambda: None).__code__
        frame.f_globals['TestUnit'].test_unit = lambda self: None
sys.setprofile(swap)
""",
    "deletes and replaces the test files": WRONG
    + """import os
for name in os.listdir('.'):
    if name.startswith('test_'):
        os.unlink(name)
        open(name, 'w').write('def test_sum(): pass\\ndef test_loop(): pass\\n')
""",
    "kills its parent": WRONG + "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n",
    "writes to whatever is open": WRONG
    + """import json, os
for fd in range(1, 64):
    for event in ({'event': 'end', 'id': 'test_it.py::test_sum', 'status': 'passed', 'message': '', 'seconds': 0},
                  {'event': 'finish'}):
        try:
            os.write(fd, json.dumps(event).encode())
        except OSError:
            pass
""",
    "writes to its ancestors' output": WRONG
    + """import os
for pid in (1, os.getppid()):
    for fd in range(16):
        try:
            with open(f'/proc/{pid}/fd/{fd}', 'wb', buffering=0) as file:
                file.write(b'\\n' + b'0' * 64 + b' {"observed": [], "sessions": [], "seconds": 0.0}\\n')
        except OSError:
            pass
""",
    "lets a child report": WRONG + "import os\nif os.fork():\n    os.waitpid(-1, 0)\n    os._exit(0)\n",
    "leaves threads behind": WRONG
    + "import threading, time, os\nthreading.Thread(target=lambda: (time.sleep(2), os._exit(0))).start()\n",
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
