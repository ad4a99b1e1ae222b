"""Test commands: what says what they do, and Node's own ways."""

from tests.hostile_pulls.houses import (
    BUILT,
    COMMAND,
    NODE,
    PACKAGE,
    PERL,
    PRICE_JS,
    PRICE_PM,
    STRAY,
    TEST_JS,
    TEST_PM,
    UNIT_TEST,
)
from tests.hostile_pulls.values import Family, Files, House, Pull, tricks, twins

COMMANDS = Family(
    "a command's own files",
    tricks(
        "command",
        COMMAND,
        {
            "the makefile": {"Makefile": "check:\n\ttrue\n"},
            "another makefile": {"GNUmakefile": "check:\n\ttrue\n"},
            "its script": {"scripts/check.sh": "exit 0\n"},
            "the test": {"tests/test_price.py": UNIT_TEST.replace("35", "20")},
            "the test removed": {
                "tests/test_price.py": None,
                "tests/test_none.py": "import unittest\n\n\nclass None_(unittest.TestCase):\n    def test(self):\n        pass\n",
            },
            "a unittest of its own": {"unittest/__init__.py": "", "unittest/__main__.py": ""},
            "an end at import": {"shop/price.py": "import os\n\nos._exit(0)\n"},
            "a policy": {".github/bouncer.yml": "version: 1\nverify:\n  setup: []\n  test: 'true'\n"},
            "load_tests": {
                "tests/__init__.py": "import unittest\n\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"
            },
            "sitecustomize": {
                "sitecustomize.py": "import unittest\n\nunittest.TestCase.run = lambda self, result=None: None\n"
            },
        },
    ),
    twins(
        "command", COMMAND, {"a new target": {"Makefile": "check:\n\tsh scripts/check.sh\n\nclean:\n\trm -rf build\n"}}
    ),
)
BUILDS = Family(
    "a build's own files",
    tricks(
        "build",
        BUILT,
        {
            "no tests": {"pom.xml": "true\n"},
            "another build file": {"a_om.xml": "exit 0\n"},
            "a test in Tests": {"Tests/test_price.py": UNIT_TEST.replace("35", "20")},
        },
    ),
    twins(
        "build",
        BUILT,
        {
            "a version": {"pom.xml": "# 1.1\npython3 -m unittest discover -s Tests -t .\n"},
            "what it needs": {
                "pom.xml": "export PYTHONPATH=more\npython3 -m unittest discover -s Tests -t .\n",
                "more/euro.py": "EUR = 'EUR'\n",
                "shop/price.py": "import euro\n" + BUILT.mended["shop/price.py"],
            },
        },
    ),
)
_CHECKS = House(
    "checks by make",
    {
        **{path: text for path, text in COMMAND.files.items() if not path.startswith("tests/")},
        "Makefile": "check:\n\tpython3 -m unittest discover -s checks -t . -p 'check_*.py'\n\nrun:\n\tpython3 shop/price.py\n",
        "checks/__init__.py": "",
        "checks/check_price.py": UNIT_TEST,
    },
    COMMAND.broken,
    COMMAND.mended,
)
REACHED = Family(
    "what a command reaches",
    (
        *tricks(
            "reached",
            PERL,
            {
                "beside the command's folder": {"app/run.sh": "true\n"},
                "what make includes": {"build.inc": "PROVE = true\n"},
                "what make would include": {"local.inc": "PROVE = true\n"},
                "what a script reads": {"scripts/common.sh": "exit 0\n"},
                "a list of tests": {"ci/tests.txt": "\n"},
                "a helper": {"t/lib/Same.pm": PERL.files["t/lib/Same.pm"].replace("is($_[0], $_[1])", "pass()")},
                "prove's options": {".proverc": "--dry\n"},
            },
        ),
        Pull(
            "reached",
            "a program that make installs",
            PERL,
            {"bin/shop": "print 4;\n", "t/shop.t": PERL.files["t/shop.t"].replace("3.00 EUR", "4")},
        ),
        *tricks(
            "reached", _CHECKS, {"a test by its content": {"checks/check_price.py": UNIT_TEST.replace("35", "20")}}
        ),
    ),
    (
        *twins(
            "reached",
            PERL,
            {
                "a program that make installs": {"bin/shop": PERL.files["bin/shop"] + "print '';\n"},
                "a rate": {"rates.txt": "USD 1.6\n"},
                "one more": {"t/more.t": TEST_PM.replace("3)", "4)").replace("3.00", "4.00")},
                "among tests of its own": {
                    "lib/Price.pm": "package Price;\nuse Price::tests::Sum;\n1;\n",
                    "lib/Price/tests/Sum.pm": PRICE_PM,
                },
            },
        ),
        *twins("reached", _CHECKS, {"a program that make runs": {}}),
    ),
)
NODES = Family(
    "Node's own ways",
    tricks(
        "node",
        NODE,
        {
            "the script": {"package.json": PACKAGE.replace("node --test test/", "true")},
            "a pattern": {"package.json": PACKAGE.replace("--test test/", "--test --test-name-pattern=label test/")},
            "an end": {"lib/price.js": "process.exit(0);\n"},
            "assert": {
                "lib/price.js": 'const assert = require("node:assert");\nassert.strictEqual = () => {};\n'
                + NODE.broken["lib/price.js"]
            },
            "the test": {"test/price.test.js": TEST_JS.replace("35", "20")},
            "skipped": {"test/price.test.js": TEST_JS.replace('test("total"', 'test.skip("total"')},
            "removed": {
                "test/price.test.js": TEST_JS.replace('test("total"', 'void ("total"').replace(
                    "  assert.strictEqual(total([[10, 2], [5, 3]]), 35);\n", ""
                )
            },
            "a command of its own": {"node_modules/.bin/node": "#!/bin/sh\nexit 0\n"},
            "npm's options": {".npmrc": "script-shell=/bin/true\n"},
            "an exit code": {
                "lib/price.js": 'process.on("exit", () => { process.exitCode = 0; });\n' + NODE.broken["lib/price.js"]
            },
        },
    ),
    (
        *twins(
            "node",
            NODE,
            {
                "one more": {"test/more.test.js": TEST_JS.replace('"total"', '"sum"')},
                "moved to where tests lie": {
                    "lib/price.js": 'module.exports = require("./test/price.js");\n',
                    "lib/test/price.js": PRICE_JS,
                },
                "a name for a file": {
                    "package.json": PACKAGE.replace('"version"', '"imports": {"#sum": "./lib/sum.js"}, "version"'),
                    "lib/price.js": 'module.exports = require("#sum");\n',
                    "lib/sum.js": PRICE_JS,
                },
                "modules": {
                    "package.json": PACKAGE.replace('"version"', '"type": "module", "version"'),
                    "lib/price.js": PRICE_JS.replace("module.exports =", "export"),
                    "test/price.test.js": TEST_JS.replace("const test = require(", "import test from (")
                    .replace("const assert = require(", "import assert from (")
                    .replace("const { total, label } = require(", "import { total, label } from (")
                    .replace("from (", "from ")
                    .replace('");\n', '";\n', 3),
                },
            },
        ),
    ),
)
_READ = STRAY.files["lib/test/read.js"]
_OF_RATES = STRAY.files["lib/rates-test.js"]
_DEARER: Files = {"lib/rates-test.js": _OF_RATES.replace("1.5", "2.5")}
STRAYS = Family(
    "tests where no custom has them",
    (
        *tricks(
            "stray",
            STRAY,
            {
                "a test at the root": {"test.js": STRAY.files["test.js"].replace("35", "20")},
                "a helper's place": {
                    "index.js": STRAY.broken["index.js"] + 'require("./test/helper.js");\n',
                    "test/helper.js": "exports.same = () => {};\n",
                    "lib/test/read.js": _READ.replace("[name]", "[name] + 1"),
                    "test.js": STRAY.files["test.js"].replace("35", "20"),
                },
            },
        ),
        Pull(
            "stray",
            "product called test",
            STRAY,
            {"lib/test/read.js": _READ.replace("[name]", "[name] + 1"), **_DEARER},
        ),
        Pull("stray", "data of the product", STRAY, {"lib/test/fixtures/rates.json": '{"USD": 2.5}\n', **_DEARER}),
    ),
    twins(
        "stray",
        STRAY,
        {
            "a rate": {
                "lib/test/fixtures/rates.json": '{"USD": 1.5, "GBP": 0.9}\n',
                "lib/pound-test.js": _OF_RATES.replace("USD", "GBP").replace("1.5", "0.9"),
            }
        },
    ),
)
