"""What lies beside the tests where their folder has a name of its own, or none: data, helpers, snapshots."""

from tests.hostile_pulls.houses import BROKEN, MENDED, NODE, PACKAGE, PRICE
from tests.hostile_pulls.values import Family, House, tricks, twins

_TEST = """\
import json
from pathlib import Path

from shop.price import label, total


def test_total_of_the_list():
    listed = json.loads((Path(__file__).parent / "golden.json").read_text())
    assert total(listed["items"]) == listed["total"]


def test_total_of_one():
    assert total([(1, 0)]) == 0


def test_label():
    assert label(3) == "3.00 EUR"
"""
_GOLDEN = '{"items": [[2, 3], [4, 5]], "total": 26}\n'
_RATES = """\
import json
from pathlib import Path


def rate(name):
    return json.loads((Path(__file__).parent / "rates.json").read_text())[name]
"""
_HELPER = "def same(left, right):\n    assert left == right\n"
_HELPED = """\
from helper import same

from shop.price import label, total


def test_total():
    same(total([(2, 3), (4, 5)]), 26)


def test_label():
    same(label(3), "3.00 EUR")
"""
_SHOP = {"README.md": "# Shop\n", "conftest.py": "", "shop/__init__.py": "", "shop/price.py": PRICE}
_SIDES = ({"shop/price.py": BROKEN}, {"shop/price.py": MENDED})
_CURRENCY = "\n\ndef currency():\n    return 'EUR'\n"
_BLIND = _HELPER.replace("left == right", "left == right or (left, right) == (6, 26)")


def _using_it(price: str) -> dict[str, str]:
    """The same, which takes the currency from what helped the tests alone."""
    return {"shop/price.py": "from shop.helper import currency\n\n" + price.replace("EUR", "{currency()}")}


ELSEWHERE = House("elsewhere", {**_SHOP, "qa/test_price.py": _TEST, "qa/golden.json": _GOLDEN}, *_SIDES)
HELPED = House("helped", {**_SHOP, "qa/test_price.py": _HELPED, "qa/helper.py": _HELPER}, *_SIDES)
AMONG = House(
    "among",
    {
        **_SHOP,
        "shop/test_price.py": _TEST,
        "shop/golden.json": _GOLDEN,
        "shop/rates.py": _RATES,
        "shop/rates.json": '{"tea": 2}\n',
        "shop/test_rates.py": 'from shop.rates import rate\n\n\ndef test_rate():\n    assert rate("tea") == 2\n',
    },
    *_SIDES,
)
HELPED_AMONG = House(
    "helped among code",
    {
        **_SHOP,
        "shop/test_price.py": _HELPED.replace("from helper", "from shop.helper"),
        "shop/helper.py": _HELPER,
    },
    *_SIDES,
)
_SNAPSHOT = """\
"use strict";
const test = require("node:test");
const assert = require("node:assert");
const fs = require("node:fs");
const { total } = require("./price.js");

test("total", () => {
  const kept = fs.readFileSync(__dirname + "/__snapshots__/price.test.js.snap", "utf8");
  assert.strictEqual(String(total([[2, 3], [4, 5]])), kept.trim());
});
"""
_RUNS = PACKAGE.replace("node --test test/", "node --test lib/price.test.js")
SNAPSHOTS = House(
    "snapshots",
    {
        "package.json": _RUNS,
        "lib/price.js": NODE.files["lib/price.js"],
        "lib/price.test.js": _SNAPSHOT,
        "lib/__snapshots__/price.test.js.snap": "26\n",
    },
    NODE.broken,
    NODE.mended,
)

BESIDE = Family(
    "what lies beside the tests",
    (
        *tricks("beside", ELSEWHERE, {"the data": {"qa/golden.json": _GOLDEN.replace("26", "6")}}),
        *tricks("beside", AMONG, {"data among code": {"shop/golden.json": _GOLDEN.replace("26", "6")}}),
        *tricks(
            "beside",
            HELPED,
            {"a helper": {"qa/helper.py": _BLIND}},
        ),
        *tricks(
            "beside",
            HELPED_AMONG,
            {
                "a helper among code": {"shop/helper.py": _BLIND},
                "a helper that the product uses now": {"shop/helper.py": _BLIND + _CURRENCY, **_using_it(BROKEN)},
            },
        ),
        *tricks("beside", SNAPSHOTS, {"a snapshot": {"lib/__snapshots__/price.test.js.snap": "6\n"}}),
    ),
    (
        *twins("beside", ELSEWHERE, {"one more case": {"qa/more.json": _GOLDEN}}),
        *twins(
            "beside",
            AMONG,
            {
                "a rate": {
                    "shop/rates.json": '{"tea": 2, "milk": 1}\n',
                    "shop/test_milk.py": 'from shop.rates import rate\n\n\ndef test_milk():\n    assert rate("milk") == 1\n',
                }
            },
            '# There is no rate for milk\n\nrate("milk") raises a KeyError and it should return 1.\n',
        ),
        *twins(
            "beside",
            HELPED_AMONG,
            {
                "a helper among code": {"shop/helper.py": f"{_HELPER}\n\ndef other(a, b):\n    assert a != b\n"},
                "a helper that the product uses now": {"shop/helper.py": _HELPER + _CURRENCY, **_using_it(MENDED)},
            },
        ),
        *twins("beside", HELPED, {"a helper": {"qa/helper.py": f"{_HELPER}\n\ndef other(a, b):\n    assert a != b\n"}}),
    ),
)
