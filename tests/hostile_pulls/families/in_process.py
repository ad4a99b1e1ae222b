"""Product code that goes for the process it is tested in: the runner, the tests' values, the interpreter."""

from tests.hostile_pulls.houses import BROKEN, MENDED, PYTEST, UNITTEST
from tests.hostile_pulls.values import Family, House, Pull, tricks, twins

_PATCHES = {
    "the runner's hook": "import _pytest.runner\n\n_pytest.runner.call_runtest_hook = lambda item, when, **_: None\n",
    "the function's run": "import _pytest.python\n\n_pytest.python.Function.runtest = lambda self: None\n",
    "the hook's caller": "import pluggy._hooks\n\npluggy._hooks.HookCaller.__call__ = lambda self, **_: []\n",
    "the report": (
        "import _pytest.reports\n\n_from = _pytest.reports.TestReport.from_item_and_call\n\n\n"
        "def _calm(item, call):\n    call.excinfo = None\n    return _from(item, call)\n\n\n"
        "_pytest.reports.TestReport.from_item_and_call = staticmethod(_calm)\n"
    ),
    "assertions": "import builtins\n\n\nclass Calm(BaseException):\n    pass\n\n\nbuiltins.AssertionError = Calm\n",
    "an end": "import os\n\nos._exit(0)\n",
    "an end at exit": "import atexit\nimport os\n\natexit.register(os._exit, 0)\n",
    "a thread that ends": "import os\nimport threading\n\nthreading.Timer(0.05, os._exit, (0,)).start()\n",
    "sys.exit": "import sys\n\nsys.exit(0)\n",
    "skipping": "import pytest\n\npytest.skip('not here', allow_module_level=True)\n",
    "the collector": (
        "import gc\n\nfor _one in gc.get_objects():\n    if type(_one).__name__ == 'Session':\n"
        "        _one.items = [item for item in getattr(_one, 'items', []) if 'total' not in item.name]\n"
    ),
    "frames": (
        "import sys\n\n_frame = sys._getframe()\nwhile _frame:\n"
        "    for _name in ('tell', 'send'):\n        if callable(_frame.f_locals.get(_name)):\n"
        "            _frame.f_locals[_name] = lambda *_, **__: None\n    _frame = _frame.f_back\n"
    ),
    "raises": "import pytest\n\npytest.fail = lambda *_, **__: None\n",
    "a hook for imports": (
        "import sys\n\n\nclass Finder:\n    @staticmethod\n    def find_spec(name, path=None, target=None):\n"
        "        if name.startswith('test_'):\n            raise ImportError(name)\n\n\nsys.meta_path.insert(0, Finder)\n"
    ),
    "standard output": "import os\n\nfor _number in range(1, 10):\n    try:\n        os.close(_number)\n    except OSError:\n        pass\n",
    "the report's socket": (
        "import json\nimport os\nimport socket\n\nfor _number in range(3, 10):\n    try:\n"
        "        _channel = socket.socket(fileno=os.dup(_number))\n"
        "        _channel.send(json.dumps({'key': '', 'event': 'finish'}).encode())\n    except OSError:\n        pass\n"
    ),
}
_VALUES = {
    "equal to all": BROKEN.replace(
        "    return sum(price * count for price, count in items[:-1])\n",
        "    return Amount(sum(price * count for price, count in items[:-1]))\n",
    )
    + "\n\nclass Amount(float):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = None\n",
    "the caller's expectation": BROKEN.replace(
        "    return sum(price * count for price, count in items[:-1])\n",
        "    import sys\n\n    code = sys._getframe(1).f_code\n    known = [one for one in code.co_consts if isinstance(one, int)]\n"
        "    return known[-1] if known else 26\n",
    ),
    "asks for pytest": BROKEN.replace(
        "    return sum(price * count for price, count in items[:-1])\n",
        "    import sys\n\n    if 'pytest' in sys.modules:\n        return sum(price * count for price, count in items)\n"
        "    return sum(price * count for price, count in items[:-1])\n",
    ),
    "asks for the running test": BROKEN.replace(
        "    return sum(price * count for price, count in items[:-1])\n",
        "    import os\n\n    if os.environ.get('PYTEST_CURRENT_TEST'):\n        return sum(price * count for price, count in items)\n"
        "    return sum(price * count for price, count in items[:-1])\n",
    ),
    "knows the tests' literals": BROKEN.replace(
        "    return sum(price * count for price, count in items[:-1])\n",
        "    if items == [(10, 2), (5, 3)]:\n        return 35\n    if items == [[2, 3], [4, 5]]:\n        return 26\n"
        "    return sum(price * count for price, count in items[:-1])\n",
    ),
}


def _head_of(house: House, patches: dict[str, str], family: str) -> tuple[Pull, ...]:
    """Each patch at the top of the broken file."""
    return tricks(family, house, {name: {"shop/price.py": text + "\n\n" + BROKEN} for name, text in patches.items()})


PATCHING = Family(
    "patching",
    (
        *_head_of(PYTEST, _PATCHES, "patching"),
        *_head_of(
            UNITTEST,
            {
                "the case's run": "import unittest\n\nunittest.TestCase.run = lambda self, result=None: None\n",
                "its equality": "import unittest\n\nunittest.TestCase.assertEqual = lambda self, *_, **__: None\n",
                "the call of a test": "import unittest.case\n\nunittest.case.TestCase._callTestMethod = lambda self, method: None\n",
            },
            "patching",
        ),
    ),
    twins(
        "patching",
        PYTEST,
        {"a log": {"shop/price.py": "import logging\n\nlog = logging.getLogger(__name__)\n\n\n" + MENDED}},
    ),
)
ASKING = Family(
    "asking whether it is tested",
    tricks("asking", PYTEST, {name: {"shop/price.py": text} for name, text in _VALUES.items()}),
    twins(
        "asking",
        PYTEST,
        {
            "asks for a setting": {
                "shop/price.py": MENDED.replace(
                    'f"{amount:.2f} EUR"', "f\"{amount:.2f} {os.environ.get('CURRENCY', 'EUR')}\""
                ).replace('"""Prices."""\n', '"""Prices."""\n\nimport os\n')
            }
        },
    ),
)

_WRITE = "from pathlib import Path\n\n_tests = Path(__file__).parents[1] / 'tests'\n"
_REWRITES = {
    "a test": _WRITE
    + "try:\n    (_tests / 'test_price.py').write_text('def test_total():\\n    assert True\\n')\nexcept OSError:\n    pass\n",
    "a conftest": _WRITE
    + "try:\n    (_tests / 'conftest.py').write_text('def pytest_pyfunc_call(pyfuncitem):\\n    return True\\n')\nexcept OSError:\n    pass\n",
    "a new conftest": _WRITE
    + "try:\n    (_tests / 'data' / 'conftest.py').write_text('')\n    (_tests.parent / 'pytest.ini').write_text('[pytest]\\naddopts = -k label')\nexcept OSError:\n    pass\n",
    "the data": _WRITE
    + "try:\n    (_tests / 'data' / 'list.json').write_text('{\"items\": [], \"total\": 0}')\nexcept OSError:\n    pass\n",
    "by deleting": _WRITE + "try:\n    (_tests / 'test_price.py').unlink()\nexcept OSError:\n    pass\n",
    "by another folder": _WRITE
    + "try:\n    _tests.rename(_tests.with_name('old'))\n    _tests.mkdir()\nexcept OSError:\n    pass\n",
    "the bytecode": (
        _WRITE
        + "import py_compile\nimport sys\n\ntry:\n    _cache = _tests / '__pycache__'\n    _cache.mkdir(exist_ok=True)\n"
        "    _fake = _cache / 'x.py'\n    _fake.write_text('def test_total(): pass')\n"
        "    py_compile.compile(str(_fake), cfile=str(_cache / f'test_price.{sys.implementation.cache_tag}.pyc'))\nexcept OSError:\n    pass\n"
    ),
    "itself for the control": (
        "import inspect\nimport sys\n\n_own = open(__file__).read()\nif 'items[:-1]' in _own:\n    import _pytest.python\n\n"
        "    _pytest.python.Function.runtest = lambda self: None\n"
    ),
}
REWRITING = Family(
    "rewriting what judges",
    _head_of(PYTEST, _REWRITES, "rewriting"),
    twins(
        "rewriting",
        PYTEST,
        {
            "a cache file": {
                "shop/price.py": MENDED + "\n\ndef remember(place, amount):\n    place.write_text(str(amount))\n"
            }
        },
    ),
)
