"""The repositories that the pull requests are made for: small, set up by nothing, tested by pytest, unittest, a command,
Perl's prove, Node, Go or Rust."""

from tests.hostile_pulls.compiled import GO, RUST
from tests.hostile_pulls.values import House

PRICE = '''\
"""Prices."""


def total(items):
    """The sum of price times count."""
    return sum(price * count for price, count in items)


def discount(amount, percent):
    """The amount less so many percent."""
    if not 0 <= percent <= 100:
        raise ValueError("percent")
    return amount * (100 - percent) / 100


def label(amount):
    """How an amount is shown."""
    return f"{amount:.2f} EUR"
'''
# The last item is forgotten.
BROKEN = PRICE.replace("for price, count in items)", "for price, count in items[:-1])")
# The same, told in other words, and one more function.
MENDED = PRICE.replace(
    "    return sum(price * count for price, count in items)\n",
    "    amount = 0\n    for price, count in items:\n        amount += price * count\n    return amount\n",
)
STOCK = '''\
"""What is there."""


class Stock:
    def __init__(self):
        self.counts = {}

    def add(self, name, count=1):
        self.counts[name] = self.counts.get(name, 0) + count
        return self.counts[name]

    def take(self, name, count=1):
        if self.counts.get(name, 0) < count:
            raise KeyError(name)
        self.counts[name] -= count
        return self.counts[name]
'''
TEST_PRICE = """\
import json
from pathlib import Path

import pytest

from shop.price import discount, label, total


def test_total(items):
    assert total(items) == 35


def test_total_of_nothing():
    assert total([]) == 0


@pytest.mark.parametrize("percent, left", [(0, 50), (10, 45), (100, 0)])
def test_discount(percent, left):
    assert discount(50, percent) == left


def test_discount_refuses():
    with pytest.raises(ValueError):
        discount(50, 101)


def test_label():
    assert label(3) == "3.00 EUR"


def test_total_of_the_list():
    listed = json.loads((Path(__file__).parent / "data" / "list.json").read_text())
    assert total(listed["items"]) == listed["total"]
"""
TEST_STOCK = """\
import pytest

from shop.stock import Stock


def test_add():
    stock = Stock()
    stock.add("tea", 2)
    assert stock.add("tea") == 3


def test_take_what_is_not_there():
    with pytest.raises(KeyError):
        Stock().take("tea")
"""
CONFTEST = """\
import pytest


@pytest.fixture
def items():
    return [(10, 2), (5, 3)]
"""
LIST = '{"items": [[2, 3], [4, 5]], "total": 26}\n'

PYTEST = House(
    "pytest",
    {
        "README.md": "# Shop\n",
        "shop/__init__.py": "",
        "shop/price.py": PRICE,
        "shop/stock.py": STOCK,
        "tests/conftest.py": CONFTEST,
        "tests/data/list.json": LIST,
        "tests/test_price.py": TEST_PRICE,
        "tests/test_stock.py": TEST_STOCK,
        "conftest.py": "",
    },
    {"shop/price.py": BROKEN},
    {"shop/price.py": MENDED},
)

UNIT_TEST = """\
import unittest

from shop.price import discount, label, total


class Prices(unittest.TestCase):
    def setUp(self):
        self.items = [(10, 2), (5, 3)]

    def test_total(self):
        self.assertEqual(total(self.items), 35)

    def test_discount(self):
        self.assertEqual(discount(50, 10), 45)

    def test_discount_refuses(self):
        with self.assertRaises(ValueError):
            discount(50, 101)

    def test_label(self):
        self.assertEqual(label(3), "3.00 EUR")


if __name__ == "__main__":
    unittest.main()
"""
UNITTEST = House(
    "unittest",
    {
        "README.md": "# Shop\n",
        "shop/__init__.py": "",
        "shop/price.py": PRICE,
        "tests/__init__.py": "",
        "tests/test_price.py": UNIT_TEST,
    },
    {"shop/price.py": BROKEN},
    {"shop/price.py": MENDED},
)

# The command's exit status is all there is.
COMMAND = House(
    "command",
    {
        "README.md": "# Shop\n",
        ".github/bouncer.yml": "version: 1\nverify:\n  setup: []\n  test: make check\n",
        "Makefile": "check:\n\tsh scripts/check.sh\n",
        "scripts/check.sh": "set -e\npython3 -m unittest discover -s tests -t .\n",
        "shop/__init__.py": "",
        "shop/price.py": PRICE,
        "tests/__init__.py": "",
        "tests/test_price.py": UNIT_TEST,
    },
    {"shop/price.py": BROKEN},
    {"shop/price.py": MENDED},
)

# As a build tool does it: what it finds in the repository says what is built, and which tests there are. Their folder
# is called as in Swift and .NET.
BUILT = House(
    "built",
    {
        "README.md": "# Shop\n",
        ".github/bouncer.yml": "version: 1\nverify:\n  setup: []\n  test: sh -e *om.xml\n",
        "pom.xml": "python3 -m unittest discover -s Tests -t .\n",
        "shop/__init__.py": "",
        "shop/price.py": PRICE,
        "Tests/__init__.py": "",
        "Tests/test_price.py": UNIT_TEST,
    },
    {"shop/price.py": BROKEN},
    {"shop/price.py": MENDED},
)

# In a language in which nothing can be broken on purpose: what the command runs is all that holds.
PRICE_PM = """\
package Price;
use strict;

sub total { my $sum = 0; $sum += $_->[0] * $_->[1] for @_; return $sum }
sub label { return sprintf "%.2f EUR", $_[0] }

1;
"""
TEST_PM = """\
use lib 't/lib';
use Price;
use Same;
use Test::More tests => 2;

same(Price::total([10, 2], [5, 3]), 35);
same(Price::label(3), '3.00 EUR');
"""
PERL = House(
    "perl",
    {
        "README.md": "# Shop\n",
        ".github/bouncer.yml": "version: 1\nverify:\n  setup: []\n  test: cd app && sh run.sh\n",
        "app/run.sh": "cd .. && make check\n",
        "Makefile": "include build.inc\n-include local.inc\n\ncheck:\n\tsh scripts/check.sh $(PROVE)\n\n"
        "install:\n\tcp bin/shop rates.txt /usr/local\n",
        "build.inc": "PROVE = prove\n",
        "scripts/check.sh": '. "$(dirname "$0")/common.sh"\n$1 -l $(cat ci/tests.txt) t/shop.t\n',
        "scripts/common.sh": "set -e\n",
        "ci/tests.txt": "t/price.t\n",
        "bin/shop": "use lib 'lib';\nuse Price;\nprint Price::label($ARGV[0]);\n",
        "rates.txt": "USD 1.5\n",
        "lib/Price.pm": PRICE_PM,
        "t/lib/Same.pm": "package Same;\nuse Test::More;\nuse Exporter 'import';\nour @EXPORT = ('same');\n"
        "sub same { is($_[0], $_[1]) }\n1;\n",
        "t/price.t": TEST_PM,
        "t/shop.t": "use Test::More tests => 1;\nis(`perl bin/shop 3`, '3.00 EUR');\n",
    },
    {"lib/Price.pm": PRICE_PM.replace("for @_;", "for @_[0 .. $#_ - 1];")},
    {"lib/Price.pm": PRICE_PM.replace("$_->[0] * $_->[1]", "$_->[1] * $_->[0]")},
    "prove",
)

PRICE_JS = """\
"use strict";

function total(items) {
  return items.reduce((sum, [price, count]) => sum + price * count, 0);
}

function label(amount) {
  return amount.toFixed(2) + " EUR";
}

module.exports = { total, label };
"""
TEST_JS = """\
"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { total, label } = require("../lib/price.js");

test("total", () => {
  assert.strictEqual(total([[10, 2], [5, 3]]), 35);
});

test("label", () => {
  assert.strictEqual(label(3), "3.00 EUR");
});
"""
PACKAGE = '{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test test/"}}\n'
NODE = House(
    "node",
    {"README.md": "# Shop\n", "package.json": PACKAGE, "lib/price.js": PRICE_JS, "test/price.test.js": TEST_JS},
    {"lib/price.js": PRICE_JS.replace("items.reduce", "items.slice(0, -1).reduce")},
    {"lib/price.js": PRICE_JS.replace("sum + price * count", "sum + count * price")},
)
# Tests and product where no custom has them: tests at the root and beside code, product in folders for tests and their
# data, and named by a script of the package.
STRAY = House(
    "stray",
    {
        "package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"start": "node index.js", "test": "node --test"}}\n',
        "index.js": PRICE_JS,
        "test.js": TEST_JS.replace("../lib/price", "./index"),
        "lib/rates.js": 'exports.rate = require("./test/read.js").read;\n',
        "lib/rates-test.js": 'const test = require("node:test");\nconst { same } = require("../test/helper");\n'
        'test("rate", () => { same(require("./rates.js").rate("USD"), 1.5); });\n',
        "lib/test/read.js": 'const fs = require("fs");\n'
        'function read(name) {\n  return JSON.parse(fs.readFileSync(__dirname + "/fixtures/rates.json"))[name];\n}\n'
        "exports.read = read;\n",
        "lib/test/fixtures/rates.json": '{"USD": 1.5}\n',
        "test/helper/index.js": 'exports.same = require("assert").strictEqual;\n',
    },
    {"index.js": PRICE_JS.replace("items.reduce", "items.slice(0, -1).reduce")},
    {"index.js": PRICE_JS.replace("sum + price * count", "sum + count * price")},
)
HOUSES = (PYTEST, UNITTEST, COMMAND, PERL, NODE, STRAY, GO, RUST)
