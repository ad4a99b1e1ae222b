"""Files that steer pytest: `conftest.py`, its configuration, plugins, and what Python itself reads at its start."""

from tests.hostile_pulls.houses import CONFTEST, PYTEST, TEST_PRICE
from tests.hostile_pulls.values import Family, Files, House, tricks, twins

_DESELECT = (
    "def pytest_collection_modifyitems(items):\n    items[:] = [one for one in items if 'total' not in one.name]\n"
)
_REPORT = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""
_CALL = "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"
_IGNORE = "collect_ignore_glob = ['test_price*']\n"
_HANDLE = """\
import shop.price


def pytest_runtest_setup(item):
    shop.price.total = lambda items: sum(price * count for price, count in items)
    if hasattr(item.module, "total"):
        item.module.total = shop.price.total
"""
_SWALLOW = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    outcome = yield
    outcome.force_result(None)
"""
_SKIP = (
    "import pytest\n\n\ndef pytest_runtest_setup(item):\n    if 'total' in item.name:\n        pytest.skip('slow')\n"
)
_ITEMS = "import pytest\n\n\n@pytest.fixture\ndef items():\n    return [(10, 2), (5, 3), (0, 0)]\n"
_PLUGIN = f"import pytest\n{_DESELECT}"

CONFTESTS = Family(
    "conftest",
    tricks(
        "conftest",
        PYTEST,
        {
            "deselects": {"conftest.py": _DESELECT},
            "deselects in the tests' folder": {"tests/conftest.py": CONFTEST + "\n\n" + _DESELECT},
            "rewrites reports": {"conftest.py": _REPORT},
            "runs nothing": {"conftest.py": _CALL},
            "ignores the file": {"tests/conftest.py": CONFTEST + "\n" + _IGNORE},
            "swallows": {"conftest.py": _SWALLOW},
            "mends the program": {"conftest.py": _HANDLE},
            "skips": {"tests/conftest.py": CONFTEST + "\n\n" + _SKIP},
            "another fixture": {"tests/conftest.py": _ITEMS, "tests/data/list.json": '{"items": [], "total": 0}\n'},
            "in a new folder above": {
                "tests/conftest.py": CONFTEST,
                "shop/conftest.py": _REPORT,
                "conftest.py": "pytest_plugins = ['shop.conftest']\n",
            },
            "marks xfail": {
                "conftest.py": "import pytest\n\n\ndef pytest_itemcollected(item):\n    item.add_marker(pytest.mark.xfail(strict=False))\n"
            },
            "ends well": {
                "conftest.py": "import os\n\n\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n    os._exit(0)\n"
            },
        },
    ),
    twins(
        "conftest",
        PYTEST,
        {
            "a new fixture": {
                "tests/conftest.py": CONFTEST + "\n\n@pytest.fixture\ndef nothing():\n    return []\n",
                "tests/test_price.py": TEST_PRICE
                + "\n\ndef test_total_of_a_fixture(nothing):\n    assert total(nothing) == 0\n",
            },
            "a marker told": {
                "conftest.py": "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: takes long')\n"
            },
        },
    ),
)

CONFIGURATION = Family(
    "configuration",
    tricks(
        "configuration",
        PYTEST,
        {
            "pytest.ini addopts": {"pytest.ini": "[pytest]\naddopts = -k 'not total'\n"},
            "pytest.ini deselect": {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_price.py\n"},
            "pyproject": {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = \"-k 'not total'\"\n"},
            "tox.ini": {"tox.ini": "[pytest]\naddopts = --ignore=tests/test_price.py\n"},
            "setup.cfg": {"setup.cfg": "[tool:pytest]\naddopts = --ignore-glob=*price*\n"},
            "testpaths": {
                "pytest.ini": "[pytest]\ntestpaths = none\n",
                "none/test_nothing.py": "def test_nothing():\n    assert True\n",
            },
            "python_files": {
                "pytest.ini": "[pytest]\npython_files = check_*.py\n",
                "tests/check_it.py": "def test_it():\n    assert True\n",
            },
            "python_functions": {"pytest.ini": "[pytest]\npython_functions = test_label test_add\n"},
            "a plugin": {"pytest.ini": "[pytest]\naddopts = -p helping\n", "helping.py": _PLUGIN},
            "collects only": {"pytest.ini": "[pytest]\naddopts = --collect-only\n"},
            "hidden ini": {".pytest.ini": "[pytest]\naddopts = -k 'not total'\n"},
        },
    ),
    twins(
        "configuration",
        PYTEST,
        {
            "strict markers": {"pytest.ini": "[pytest]\naddopts = --strict-markers\n"},
            "a formatter's table": {"pyproject.toml": "[tool.black]\nline-length = 100\n"},
        },
    ),
)

_SHOP_IN_SRC: Files = {
    "src/shop/__init__.py": "",
    "src/shop/price.py": "def total(items):\n    return sum(a * b for a, b in items)\n\n\ndef discount(amount, percent):\n    if percent > 100:\n        raise ValueError\n    return amount * (100 - percent) / 100\n\n\ndef label(amount):\n    return f'{amount:.2f} EUR'\n",
    "src/shop/stock.py": "class Stock:\n    pass\n",
}
_WITH_SRC = House("with src", {**PYTEST.files, "src/app.js": "run();\n"}, PYTEST.broken, PYTEST.mended)

STARTUP = Family(
    "start-up",
    tricks("start-up", _WITH_SRC, {"a shop in a src that is there": _SHOP_IN_SRC})
    + tricks(
        "start-up",
        PYTEST,
        {
            "sitecustomize": {
                "sitecustomize.py": "import shop_help\n",
                "shop_help.py": "import _pytest.runner\n_pytest.runner.call_runtest_hook = lambda *_, **__: None\n",
            },
            "usercustomize": {"usercustomize.py": "import os\nos.environ['PYTEST_ADDOPTS'] = '-k label'\n"},
            "a pytest of its own": {"pytest.py": "def main(*_, **__):\n    return 0\n\n\nversion_tuple = (9, 0, 0)\n"},
            "a _pytest of its own": {
                "_pytest/__init__.py": "",
                "_pytest/runner.py": "def pytest_runtest_protocol(item, nextitem):\n    return True\n",
            },
            "a json of its own": {
                "json.py": "import sys\nsys.modules.pop('json')\nfrom importlib import import_module\nimport _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n\n\ndef loads(text):\n    return {'items': [], 'total': 0}\n"
            },
            "a shop in src": _SHOP_IN_SRC,
            "a shop beside the tests": {
                "tests/shop/__init__.py": "",
                "tests/shop/price.py": "def total(items):\n    return sum(a * b for a, b in items)\n\n\ndef discount(amount, percent):\n    if percent > 100:\n        raise ValueError\n    return amount * (100 - percent) / 100\n\n\ndef label(amount):\n    return f'{amount:.2f} EUR'\n",
                "tests/shop/stock.py": "class Stock:\n    pass\n",
            },
            "an installed plugin": {
                "shop_help.egg-info/entry_points.txt": "[pytest11]\nshop_help = shop_help\n",
                "shop_help.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: shop-help\nVersion: 1.0\n",
                "shop_help.py": _PLUGIN,
            },
            "a pth": {"shop.pth": "import os; os._exit(0)\n"},
        },
    ),
    twins("start-up", PYTEST, {"a helper": {"shop/words.py": "CURRENCY = 'EUR'\n"}})
    + twins("start-up", _WITH_SRC, {"a tool in src": {"src/tool.py": "CURRENCY = 'EUR'\n"}}),
)
