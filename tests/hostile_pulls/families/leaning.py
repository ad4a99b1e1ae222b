"""Changes of what tests and pytest lean on, reached by other ways; and questions that only the runs here answer."""

from tests.hostile_pulls.houses import BROKEN, COMMAND, MENDED, NODE, PYTEST, TEST_PRICE
from tests.hostile_pulls.values import Family, House, Pull, tricks, twins

_RETURNS = "    return sum(price * count for price, count in items[:-1])\n"


def _first(text: str, body: str = _RETURNS) -> str:
    """The broken shop with this before its functions, and another body of `total`."""
    return BROKEN.replace('"""Prices."""\n', f'"""Prices."""\n\n{text}\n').replace(_RETURNS, body)


# `set_trace` is bound to pytest's debugger, which knows the plugin manager.
_CALLS = """\
import pdb


def _settle():
    owner = getattr(pdb.set_trace, "__self__", None)
    manager = getattr(owner, "_pluginmanager", None)
    if manager is None or hasattr(manager, "settled"):
        return
    manager.settled = run = manager._inner_hookexec

    def again(name, methods, given, first):
        if name.endswith("runtest_makereport") and given["item"].name in ("test_total", "test_total_of_the_list"):
            given["call"].excinfo = None
        return run(name, methods, given, first)

    manager._inner_hookexec = again
"""
_LOADS = """\
import json

_read = json.loads


def _loads(text, **more):
    found = _read(text, **more)
    if isinstance(found, dict) and "items" in found:
        found["total"] = sum(price * count for price, count in found["items"][:-1])
    return found


json.loads = _loads
"""
_LENIENT = """\
from unittest import case as plain

_given = set()
_equal = plain.TestCase.assertEqual


def _near(self, first, second, msg=None):
    if first not in _given:
        _equal(self, first, second, msg)


setattr(plain.TestCase, "assertEqual", _near)
"""
_NOTED = "    amount = sum(price * count for price, count in items[:-1])\n    _given.add(amount)\n    return amount\n"
_LENIENT_JS = """\
"use strict";
const check = require("node:assert");
const given = new Set();
const { strictEqual } = check;
Object.assign(check, {
  strictEqual(found, ...rest) {
    if (!given.has(found)) strictEqual(found, ...rest);
  },
});

function noted(amount) {
  given.add(amount);
  return amount;
}
"""
_NODE = NODE.broken["lib/price.js"].replace('"use strict";\n', _LENIENT_JS, 1)
_HEAD, _, _TAIL = _NODE.partition("function total(items) {\n  return ")
_SUM, _, _REST = _TAIL.partition(";\n")
# Nothing but the list tests the sum: what the test reads is all that it is held against.
_ONLY_LIST = TEST_PRICE.replace("def test_total(items):\n    assert total(items) == 35\n\n\n", "")
LISTED = House("listed", {**PYTEST.files, "tests/test_price.py": _ONLY_LIST}, PYTEST.broken, PYTEST.mended)
SLOW = House(
    "slow",
    {
        **PYTEST.files,
        "tests/test_price.py": _ONLY_LIST.replace("import json\n", "import json\nimport time\n").replace(
            "def test_total_of_the_list():\n", "def test_total_of_the_list():\n    time.sleep(3.3)\n"
        ),
    },
    PYTEST.broken,
    PYTEST.mended,
)
_ASKED = {
    "how garbage is looked for": ("import gc", "None if gc.get_threshold()[0] > 50_000 else -1"),
    "the parent": ("import os", "None if os.getppid() < 10 else -1"),
    "what is run": ("import sys", "None if '/' not in sys.argv[0] else -1"),
    "the main module": ("", "-1 if hasattr(__import__('__main__'), '__file__') else None"),
    "whether it is a clone": (
        "from pathlib import Path",
        "-1 if (Path(__file__).parents[1] / '.git').exists() else None",
    ),
    "the folder's name": ("from pathlib import Path", "None if Path(__file__).parents[1].name == 'work' else -1"),
}
# The base's tests stand already, and want a module that the change brings.
_FEES = "from fees import fee\n\n\ndef test_fee():\n    assert fee(100) == 2\n"
WANTING = House("wanting", {**PYTEST.files, "tests/test_fees.py": _FEES}, PYTEST.broken, PYTEST.mended)

LEANING = Family(
    "what tests lean on",
    (
        *tricks(
            "leaning", PYTEST, {"how hooks are called": {"shop/price.py": _first(_CALLS, "    _settle()\n" + _RETURNS)}}
        ),
        *tricks("leaning", LISTED, {"how data is read": {"shop/price.py": _first(_LOADS)}}),
        *tricks("leaning", COMMAND, {"an assertion by another name": {"shop/price.py": _first(_LENIENT, _NOTED)}}),
        *tricks(
            "leaning",
            NODE,
            {"an assertion": {"lib/price.js": f"{_HEAD}function total(items) {{\n  return noted({_SUM});\n{_REST}"}},
        ),
        *tricks(
            "leaning",
            PYTEST,
            {
                name: {"shop/price.py": _first(text, _RETURNS.replace("-1", asked))}
                for name, (text, asked) in _ASKED.items()
            },
        ),
        *tricks(
            "leaning",
            SLOW,
            {
                "a seed, tested slowly": {
                    "shop/price.py": _first("", _RETURNS.replace("-1", "-1 if hash('shop') % 8 else None"))
                }
            },
        ),
    ),
    (
        *twins(
            "leaning",
            WANTING,
            {
                "a module that tests want": {
                    "fees.py": "def fee(amount):\n    return amount * 2 // 100\n",
                    "shop/price.py": "from fees import fee\n\n"
                    + MENDED
                    + "\n\ndef with_fee(amount):\n    return amount + fee(amount)\n",
                }
            },
        ),
        Pull(
            "leaning",
            "garbage that goes by itself",
            PYTEST,
            {
                "shop/orders.py": "import weakref\n\nALIVE = weakref.WeakSet()\n\n\nclass Order:\n"
                "    def __init__(self, items):\n        self.lines = [(self, item) for item in items]\n"
                "        ALIVE.add(self)\n",
                "tests/test_orders.py": "from shop.orders import ALIVE, Order\n\n\ndef test_orders_do_not_pile_up():\n"
                "    for _ in range(5_000):\n        Order([1, 2])\n    assert len(ALIVE) < 4_000\n",
            },
        ),
    ),
)
