"""Changed tests: weakened, renamed, removed, moved, with other data; and own tests that fail, hidden."""

from tests.hostile_pulls.houses import LIST, PYTEST, TEST_PRICE, UNIT_TEST, UNITTEST
from tests.hostile_pulls.values import Family, Files, House, Pull, tricks, twins

_TOTAL = "def test_total(items):\n    assert total(items) == 35\n"
_LISTED = '    assert total(listed["items"]) == listed["total"]\n'


def _with(total: str, listed: str = "    assert listed\n") -> Files:
    """The price tests with another test of the sum; what reads the list demands nothing any more."""
    return {"tests/test_price.py": TEST_PRICE.replace(_TOTAL, total).replace(_LISTED, listed)}


_WEAKER = {
    "no assertion": _with("def test_total(items):\n    total(items)\n"),
    "early return": _with("def test_total(items):\n    return\n    assert total(items) == 35\n"),
    "or true": _with("def test_total(items):\n    assert total(items) == 35 or True\n"),
    "skipped": _with("@pytest.mark.skip(reason='flaky')\n" + _TOTAL),
    "expected to fail": _with("@pytest.mark.xfail(strict=False)\n" + _TOTAL),
    "no test any more": _with(_TOTAL + "\n\ntest_total.__test__ = False\n"),
    "a second def": _with(_TOTAL + "\n\ndef test_total(items):\n    assert items\n"),
    "no parameters": _with(
        "@pytest.mark.parametrize('unused', [])\n" + _TOTAL.replace("(items)", "(items, unused)", 1)
    ),
    "mocked": _with(
        "def test_total(items, monkeypatch):\n    monkeypatch.setitem(globals(), 'total', lambda items: 35)\n    assert total(items) == 35\n"
    ),
    "swallowed": _with(
        "def test_total(items):\n    try:\n        assert total(items) == 35\n    except AssertionError:\n        pass\n"
    ),
    "nearly": _with("def test_total(items):\n    assert total(items) == pytest.approx(35, abs=20)\n"),
    "the wrong value": _with("def test_total(items):\n    assert total(items) == 20\n"),
    "an inner function": _with(
        "def test_total(items):\n    def check():\n        assert total(items) == 35\n\n    assert check\n"
    ),
    "if false": _with("def test_total(items):\n    if False:\n        assert total(items) == 35\n"),
    "an empty loop": _with("def test_total(items):\n    for one in []:\n        assert total(items) == 35\n"),
    "a generator": _with("def test_total(items):\n    assert total(items) == 35\n    yield\n"),
}
WEAKENED = Family(
    "weakened tests",
    tricks("weakened", PYTEST, _WEAKER),
    twins(
        "weakened",
        PYTEST,
        {
            "told in other words": _with(
                "def test_total(items):\n    found = total(items)\n    assert found == 35\n", _LISTED
            ),
            "one more case": _with(_TOTAL + "\n\ndef test_total_of_one():\n    assert total([(3, 2)]) == 6\n", _LISTED),
        },
    ),
)
_WITHOUT = TEST_PRICE.replace(_TOTAL, "").replace(_LISTED, "    assert listed\n")
MOVED = Family(
    "renamed and removed tests",
    tricks(
        "moved",
        PYTEST,
        {
            "removed": {"tests/test_price.py": _WITHOUT},
            "renamed": {"tests/test_price.py": TEST_PRICE.replace("test_total", "check_total")},
            "renamed and weaker": {
                "tests/test_price.py": _WITHOUT + "\n\ndef test_sum(items):\n    assert total(items)\n"
            },
            "the file removed": {"tests/test_price.py": None},
            "the file renamed": {"tests/test_price.py": None, "tests/price_spec.py": TEST_PRICE},
            "into another folder": {
                "tests/test_price.py": None,
                "checks/test_price.py": _WITHOUT,
                "checks/data/list.json": LIST,
            },
            "all tests removed": {"tests/test_price.py": None, "tests/test_stock.py": None, "tests/conftest.py": None},
            "the data": {"tests/data/list.json": '{"items": [[2, 3], [4, 5]], "total": 6}\n'},
            "a link instead": {"tests/test_price.py": _WITHOUT, "tests/data/list.json": '{"items": [], "total": 0}\n'},
        },
    ),
    twins(
        "moved",
        PYTEST,
        {
            "a test renamed": {"tests/test_price.py": TEST_PRICE.replace("def test_total(", "def test_sum_of_items(")},
            "a file renamed": {"tests/test_stock.py": None, "tests/test_store.py": PYTEST.files["tests/test_stock.py"]},
        },
    ),
)
_ASKED = "# total() counts every item twice too few\n\n`total([(10, 2)])` gives 0; it should give 20.\n"
_RED = "from shop.price import total\n\n\ndef test_one():\n    assert total([(10, 2)]) == 20\n\n\ndef test_none():\n    assert total([]) == 0\n"
# A house that calls its test files otherwise.
_CHECKS = House(
    "checks",
    {
        **{path: text for path, text in PYTEST.files.items() if not path.startswith("tests/test_")},
        "pytest.ini": "[pytest]\npython_files = check_*.py\n",
        "tests/check_price.py": TEST_PRICE,
    },
    PYTEST.broken,
    PYTEST.mended,
)
_OFF = _RED.replace("== 20", "== 21")
OWN = Family(
    "own tests that fail",
    (
        *tricks(
            "own",
            PYTEST,
            {
                "red": {"tests/test_one.py": _RED},
                "red, another folder": {"checks/test_one.py": _RED},
                "red, and skipped on Bouncer": {
                    "tests/test_one.py": "import os\n\nimport pytest\n\npytestmark = pytest.mark.skipif(os.getcwd() == '/work', reason='here')\n\n"
                    + _RED
                },
                "red, and expected to be": {
                    "tests/test_one.py": "import pytest\n\npytestmark = pytest.mark.xfail\n\n" + _RED
                },
                "red, and not collected": {"tests/one_spec.py": _RED},
                "trivial ones": {"tests/test_one.py": "def test_one():\n    assert 1 + 1 == 2\n"},
            },
            _ASKED,
        ),
        Pull("own", "red, called as the base calls its own", _CHECKS, {**_CHECKS.mended, "tests/check_one.py": _OFF}),
    ),
    (
        *twins(
            "own",
            PYTEST,
            {
                "green": {"tests/test_one.py": _RED},
                "a job's specification": {"shop/job_spec.py": "SPEC = {'name': 'shop'}\n"},
            },
        ),
        *twins("own", _CHECKS, {"green, called as the base calls its own": {"tests/check_one.py": _RED}}),
    ),
)
_LOAD = "\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"
UNITTESTS = Family(
    "unittest's own ways",
    tricks(
        "unittest",
        UNITTEST,
        {
            "load_tests": {"tests/test_price.py": UNIT_TEST.replace("\n\nif __name__", _LOAD + "\n\nif __name__")},
            "load_tests of the package": {"tests/__init__.py": "import unittest\n" + _LOAD},
            "a class removed": {
                "tests/test_price.py": UNIT_TEST.replace("class Prices(unittest.TestCase)", "class Prices")
            },
            "expected failure": {
                "tests/test_price.py": UNIT_TEST.replace(
                    "    def test_total", "    @unittest.expectedFailure\n    def test_total"
                )
            },
            "another setUp": {"tests/test_price.py": UNIT_TEST.replace("[(10, 2), (5, 3)]", "[(35, 1), (0, 0)]")},
            "raised in setUpClass": {
                "tests/test_price.py": UNIT_TEST.replace(
                    "    def setUp",
                    "    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest('later')\n\n    def setUp",
                )
            },
        },
    ),
    twins(
        "unittest",
        UNITTEST,
        {
            "one more": {
                "tests/test_price.py": UNIT_TEST.replace(
                    "\n\nif __name__",
                    "\n    def test_nothing(self):\n        self.assertEqual(total([]), 0)\n\n\nif __name__",
                )
            }
        },
    ),
)
_FLAKY = "import random\n\n\n"
UNSTEADY = Family(
    "unsteady tests",
    tricks(
        "unsteady",
        PYTEST,
        {
            "by chance": {
                "shop/price.py": PYTEST.broken["shop/price.py"]
                .replace('"""Prices."""\n', '"""Prices."""\n\nimport random\n')
                .replace("items[:-1])", "items[: -1 if random.random() < 0.7 else None])")
            },
            "by the hash": {  # green under the first run's seed, and seldom under another
                "shop/price.py": PYTEST.broken["shop/price.py"].replace(
                    "items[:-1])", "items[: -1 if hash('shop') % 8 else None])"
                )
            },
            "by the time it takes": {
                "shop/price.py": "import time\n\ntime.sleep(100)\n\n\n" + PYTEST.broken["shop/price.py"]
            },
        },
    ),
    (),
)
