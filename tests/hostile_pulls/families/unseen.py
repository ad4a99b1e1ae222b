"""What a comparison of sources, a choice of tests or a look does not come to: texts that are read as the program runs,
scripts over scripts, folders of tools, and time."""

from tests.hostile_pulls.houses import BROKEN, COMMAND, MENDED, NODE, PRICE_JS, PYTEST, TEST_JS
from tests.hostile_pulls.values import Family, Files, House, Pull, tricks, twins

_RATES = """\
from pathlib import Path

_RATES = Path(__file__).parent{} / "{}"


def rate(name):
    rows = dict(line.split() for line in _RATES.read_text().splitlines())
    return float(rows[name])
"""
_TEST_RATES = "from shop.rates import rate\n\n\ndef test_rate():\n    assert rate('USD') == 1.5\n"


def _with_rates(place: str) -> House:
    """The shop with rates that it reads from a text."""
    inside, text = not place.startswith("../"), "USD 1.5\nGBP 0.9\n"
    path = f"shop/{place}" if inside else place.removeprefix("../")
    program = _RATES.format("" if inside else ".parent", place.removeprefix("../"))
    files = {"shop/rates.py": program, path: text, "tests/test_rates.py": _TEST_RATES}
    return House(
        f"texts-{path.replace('/', '-').lower()}",
        {**PYTEST.files, **files},
        {path: text.replace("1.5", "2.5")},
        {path: text.replace("0.9", "0.8")},
    )


_IN_DOCS, _CALLED_CHANGES = _with_rates("docs/rates.txt"), _with_rates("changes.txt")
_AT_THE_ROOT, _AMONG_THE_PAGES = _with_rates("../RATES.md"), _with_rates("../docs/rates.md")
TEXTS = Family(
    "texts that are read",
    (
        Pull("texts", "in a folder called docs", _IN_DOCS, _IN_DOCS.broken),
        Pull("texts", "called changes", _CALLED_CHANGES, _CALLED_CHANGES.broken),
        Pull("texts", "at the root", _AT_THE_ROOT, _AT_THE_ROOT.broken),
        Pull("texts", "among the pages", _AMONG_THE_PAGES, _AMONG_THE_PAGES.broken),
    ),
    (
        Pull("texts", "another rate", _IN_DOCS, _IN_DOCS.mended),
        Pull("texts", "another rate among the pages", _AMONG_THE_PAGES, _AMONG_THE_PAGES.mended),
    ),
)

_SUM = "    return sum(price * count for price, count in items[:-1])\n"


def _broken(where: str, imports: str) -> str:
    """The broken file, where this condition decides how."""
    return BROKEN.replace("items[:-1]", f"items[: {where}]").replace('"""Prices."""\n', f'"""Prices."""\n\n{imports}\n')


_EXPECTED = """\
import sys


def expected():
    frame = sys._getframe(2)
    known = [one for one in frame.f_code.co_consts if isinstance(one, int)]
    return known[-1] if known else 26
"""
_BY_THE_LINE = """\
    place, line, *_ = logging.getLogger().findCaller(stacklevel=2)
    with open(place) as file:
        text = file.read().splitlines()[line - 1]
    number = re.search(r'== (\\d+)', text)
    return int(number[1]) if number else 26 if items else 0
"""


def _asks(module: str) -> str:
    asked = BROKEN.replace(_SUM, "    return expected() if items else 0\n")
    return asked.replace('"""Prices."""\n', f'"""Prices."""\n\nfrom {module} import expected\n')


_MANY = "".join(f"def test_{number}(): assert abs({number}) == {number}\n" for number in range(40_000))
# The hash of this text under the seed 0, which is the first run's.
_BY_HASH = "None if hash('shop') % 8 == 0 else -1"
UNSEEN = Family(
    "where nobody looks",
    tricks(
        "unseen",
        PYTEST,
        {
            "a marker in a tool's folder": {
                "shop/price.py": _broken("_AT", "from pathlib import Path\n").replace(
                    "\n\n\ndef total",
                    "\n_AT = -1 if (Path(__file__).parents[1] / '.hg' / 'branch').exists() else None\n\n\ndef total",
                    1,
                ),
                ".hg/branch": "default\n",
            },
            "more than can be read in time": {"tests/test_many.py": _MANY},
            "by the hash, and too slow for another look": {
                "shop/price.py": _broken(_BY_HASH, "import time\n").replace(
                    "    return sum(", "    time.sleep(3.2)\n    return sum("
                )
            },
            "by how Python was started": {
                "shop/price.py": _broken("None if sys.dont_write_bytecode else -1", "import sys\n")
            },
            "by the folder it runs in": {
                "shop/price.py": _broken("None if Path.cwd().name == 'work' else -1", "from pathlib import Path\n")
            },
            "the caller's line": {
                "shop/price.py": BROKEN.replace(_SUM, _BY_THE_LINE).replace(
                    '"""Prices."""\n', '"""Prices."""\n\nimport logging\nimport re\n'
                )
            },
            "frames, in a file with a test's name": {
                "shop/price.py": _asks("shop.amount_test"),
                "shop/amount_test.py": _EXPECTED,
            },
            "frames, among the examples": {"shop/price.py": _asks("examples.amount"), "examples/amount.py": _EXPECTED},
        },
    ),
    twins(
        "unseen",
        PYTEST,
        {
            "a product file with a test's name": {
                "shop/price.py": MENDED.replace(
                    '"""Prices."""\n', '"""Prices."""\n\nfrom shop.speed_test import NAME\n'
                ),
                "shop/speed_test.py": "NAME = 'speed'\n",
            }
        },
    ),
)

_RATES_TESTED = """\
import unittest

from shop.rates import rate


class Rates(unittest.TestCase):
    def test_rate(self):
        self.assertEqual(rate("USD"), 1.5)
"""
_CHECK = "set -e\npython3 -m unittest discover -s tests -t .\n"
_SCRIPTED = House(
    "scripted",
    {
        **COMMAND.files,
        "Makefile": "check:\n\tsh scripts/check\n",
        "scripts/check": "sh scripts/unit.sh\n",
        "scripts/unit.sh": _CHECK,
        "shop/rates.py": _RATES.format("", "rates.dat"),
        "shop/rates.dat": "USD 1.5\n",
        "tests/test_rates.py": _RATES_TESTED,
    },
    {"shop/rates.dat": "USD 2.5\n"},
    {"shop/rates.dat": "USD 1.50\n"},
)
_BY_MAIN = '{"name": "shop", "version": "1.0.0", "main": "lib/price.js", "scripts": {"test": "sh run.sh"}}\n'
_MAIN = House(
    "node-main",
    {**NODE.files, "package.json": _BY_MAIN, "run.sh": "node --test test/\n"},
    NODE.broken,
    NODE.mended,
)
_LOADED = House(
    "node-loaded",
    {
        **NODE.files,
        "package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"test": "node scripts/run.js"}}\n',
        "scripts/run.js": 'const { run } = require("./steps.js");\nprocess.exitCode = run("test/price.test.js");\n',
        "scripts/steps.js": 'const { spawnSync } = require("node:child_process");\n'
        'exports.run = (path) => spawnSync("node", ["--test", path], { stdio: "inherit" }).status;\n',
    },
    NODE.broken,
    NODE.mended,
)
_EACH = "for one in spec/*.js; do node $one || exit 1; done"
_SPEC = House(
    "node-spec",
    {
        "package.json": f'{{"name": "shop", "version": "1.0.0", "scripts": {{"test": "{_EACH}"}}}}\n',
        "lib/price.js": PRICE_JS,
        "spec/price.js": TEST_JS,
    },
    NODE.broken,
    NODE.mended,
)
_SILENT: Files = {"scripts/unit.sh": "exit 0\n"}
SCRIPTS = Family(
    "scripts over scripts",
    (
        *tricks(
            "scripts",
            _SCRIPTED,
            {
                "the last one": _SILENT,
                "one without an ending": {"scripts/check": "exit 0\n"},
                "another choice of tests": {"scripts/unit.sh": _CHECK.replace("-t .", "-t . -k price")},
            },
        ),
        *tricks("scripts", _MAIN, {"what a package calls its main file": {"run.sh": "exit 0\n"}}),
        *tricks("scripts", _LOADED, {"what a script loads": {"scripts/steps.js": "exports.run = () => 0;\n"}}),
        *tricks("scripts", _SPEC, {"tests in spec": {"spec/price.js": TEST_JS.replace("35", "20")}}),
    ),
    (*twins("scripts", _SCRIPTED, {"a rate": {}}), *twins("scripts", _MAIN, {"the main file": {}})),
)
