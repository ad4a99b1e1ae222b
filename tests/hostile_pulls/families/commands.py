"""Test commands: what says what they do, and Node's own ways."""

from tests.hostile_pulls.houses import BUILT, COMMAND, NODE, PACKAGE, TEST_JS, UNIT_TEST
from tests.hostile_pulls.values import Family, tricks, twins

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
    twins("node", NODE, {"one more": {"test/more.test.js": TEST_JS.replace('"total"', '"sum"')}}),
)
