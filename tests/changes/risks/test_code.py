"""What product code does that speaks of its tests, its place or its interpreter: each trick, and what is as usual."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.risks.apart import risks_of
from bot.changes.risks.found import risks
from bot.changes.risks.values import Holds
from bot.changes.values import FileStatus
from bot.child_process import TooLong
from tests.changes.parts import change_of
from tests.support.properties import patient


def checks(path: str, before: str, after: str) -> set[str]:
    return {risk.check for risk in risks(change_of((path, f"{before}\n", f"{before}\n{after}\n")))}


TRICKS = (
    ("shop/cart.py", "if 'PYTEST_CURRENT_TEST' in os.environ:", "asks_if_tested"),
    ("shop/cart.py", "if 'pytest' in sys.modules:", "asks_if_tested"),
    ("shop/cart.py", "if sys.modules.get('unittest'):", "asks_if_tested"),
    ("shop/cart.py", "if any(name.startswith('py') for name in sys.modules):", "asks_if_tested"),
    ("shop/cart.py", "if sys.argv[0].endswith('/pytest'):", "asks_if_tested"),
    ("shop/cart.py", "if os.getenv('CI'):", "asks_if_tested"),
    ("shop/cart.js", "if (process.env.NODE_ENV === 'test') {", "asks_if_tested"),
    ("shop/cart.js", "if (process.env.JEST_WORKER_ID) {", "asks_if_tested"),
    ("shop/cart.ts", "if (typeof describe === 'function') {", "asks_if_tested"),
    ("shop/cart.go", "if testing.Testing() {", "asks_if_tested"),
    ("src/cart.rs", "if cfg!(test) {", "asks_if_tested"),
    ("job_spec.py", "if 'pytest' in sys.modules:", "asks_if_tested"),
    ("shop/testdata/cart.py", "if 'pytest' in sys.modules:", "asks_if_tested"),
    ("shop/tests/impl.py", "if 'pytest' in sys.modules:", "asks_if_tested"),
    ("shop/testing/latest.py", "if 'pytest' in sys.modules:", "asks_if_tested"),
    ("examples/impl.py", "if 'pytest' in sys.modules:", "asks_if_tested"),
    ("shop/cart.py", "if socket.gethostname() == 'sandbox':", "asks_where_it_runs"),
    ("shop/cart.py", "if os.getuid() == 65534:", "asks_where_it_runs"),
    ("shop/cart.py", "if os.path.exists('/results'):", "asks_where_it_runs"),
    ("shop/cart.py", "if sys.dont_write_bytecode:", "asks_where_it_runs"),
    ("shop/cart.py", "if sys.flags.hash_randomization:", "asks_where_it_runs"),
    ("shop/cart.py", "seed = os.environ.get('PYTHONHASHSEED')", "asks_where_it_runs"),
    ("shop/cart.py", "if Path.cwd().name == 'work':", "asks_where_it_runs"),
    ("shop/cart.py", "caller = sys._getframe(1).f_locals", "reaches_frames"),
    ("shop/cart.py", "path, line, *_ = logging.getLogger().findCaller()", "reaches_frames"),
    ("shop/cart.py", "frame = error.__traceback__.tb_frame", "reaches_frames"),
    ("shop/cart.py", "for frame in inspect.stack():", "reaches_frames"),
    ("shop/cart.py", "for thing in gc.get_objects():", "reaches_frames"),
    ("shop/cart.py", "sys.settrace(watch)", "reaches_frames"),
    ("shop/cart.py", "get = getattr(sys, '_get' + 'frame')", "reaches_frames"),
    ("shop/cart.py", "get = vars(sys)[name]", "reaches_frames"),
    ("shop/cart.py", "get = gc.__dict__[name]", "reaches_frames"),
    ("shop/cart.py", "known = sha256(open(__file__, 'rb').read())", "reads_itself"),
    ("shop/cart.py", "if Path(__file__).resolve().stat().st_size != 812:", "reads_itself"),
    ("shop/cart.py", "if 'price' not in inspect.getsource(total):", "reads_itself"),
    ("shop/cart.py", "if len(total.__code__.co_code) != 38:", "reads_itself"),
    ("shop/cart.py", "if hash(total.__code__) != 12:", "reads_itself"),
    ("shop/cart.py", "text = __loader__.get_source(__name__)", "reads_itself"),
    ("shop/cart.mjs", "const own = readFileSync(new URL(import.meta.url), 'utf8')", "reads_itself"),
    ("shop/cart.js", "if (total.toString().length !== 80) {", "reads_itself"),
    ("shop/cart.go", 'own, err := os.ReadFile("cart.go")', "reads_itself"),
    ("src/cart.rs", 'const OWN: &str = include_str!("cart.rs");', "reads_itself"),
    ("shop/cart.py", "atexit.register(rewrite)", "reaches_runtime"),
    ("shop/cart.py", "sys.meta_path.insert(0, Finder())", "reaches_runtime"),
    ("shop/cart.py", "builtins.len = lambda x: 3", "reaches_runtime"),
    ("shop/cart.py", "unittest.TestCase.assertEqual = passes", "reaches_runtime"),
    ("shop/cart.py", "open(root / 'conftest.py', 'w')", "reaches_runtime"),
    ("shop/cart.py", "import json as tool\ntool.loads = mine", "reaches_runtime"),
    ("shop/cart.py", "from unittest import case as plain\nsetattr(plain.TestCase, name, mine)", "reaches_runtime"),
    ("shop/cart.py", "setattr(case.TestCase, name, mine)", "reaches_runtime"),
    ("shop/cart.py", "from _pytest.assertion import util", "reaches_runtime"),
    (
        "shop/cart.js",
        "const check = require('node:assert');\nObject.assign(check, { strictEqual() {} });",
        "reaches_runtime",
    ),
    ("shop/cart.mjs", "import check from 'node:assert'\ncheck.strictEqual = () => {}", "reaches_runtime"),
    ("shop/cart.py", "manager = pdb.set_trace.__self__._pluginmanager", "reaches_frames"),
    ("shop/cart.py", "if gc.get_threshold()[0] > 50_000:", "reaches_frames"),
    ("shop/cart.py", "if os.getppid() < 10:", "asks_where_it_runs"),
    ("shop/cart.py", "if (root / '.git').exists():", "asks_where_it_runs"),
    ("shop/cart.py", "if root.name == 'work':", "asks_where_it_runs"),
    ("shop/cart.py", "if hasattr(__import__('__main__'), '__file__'):", "asks_where_it_runs"),
    ("shop/cart.py", "there = import_module('test_price')", "asks_if_tested"),
    ("tests/test_cart.py", "@pytest.mark.skipif(os.getcwd() == '/work', reason='x')", "asks_where_it_runs"),
    ("shop/cart.py", "os._exit(0)", "ends_process"),
    ("shop/cart.py", "sys.exit(0)", "ends_process"),
    ("shop/cart.py", "    def __eq__(self, other):\n        return True", "equals_everything"),
    ("shop/cart.py", "    def __eq__(self, other): return True", "equals_everything"),
)


@pytest.mark.parametrize(("path", "line", "check"), TRICKS)
def test_tricks(path: str, line: str, check: str) -> None:
    assert check in checks(path, "x", line)
    assert check not in checks(path, f"x\n{line}", "y"), "what was there is not new"


@pytest.mark.parametrize(
    ("path", "lines", "check"),
    [
        # Where it runs, and names of its own
        ("shop/cart.py", "if os.path.isdir('/work'):", "asks_where_it_runs"),
        ("shop/cart.py", "if Path('/results').exists():", "asks_where_it_runs"),
        ("shop/cart.py", "if os.getcwd().startswith('/work'):", "asks_where_it_runs"),
        ("shop/cart.py", "if __file__.startswith('/results/'):", "asks_where_it_runs"),
        ("shop/cart.js", "if (fs.existsSync('/results')) {", "asks_where_it_runs"),
        ("shop/cart.js", "if (process.cwd() === '/work') {", "asks_where_it_runs"),
        ("shop/cart.py", "text = open('/proc/self/status').read()", "asks_where_it_runs"),
        ("shop/cart.py", "text = open(f'''/proc/self/status''').read()", "asks_where_it_runs"),
        ("shop/cart.py", "    '/proc/self/status',", "asks_where_it_runs"),
        ("shop/cart.py", "for path in '/.dockerenv', x:", "asks_where_it_runs"),
        ("shop/cart.go", 'text, err := os.ReadFile("/proc/self/status")', "asks_where_it_runs"),
        ("shop/cart.rb", "text = File.read '/proc/self/status'", "asks_where_it_runs"),
        ("shop/cart.py", "@app.route('/work')", ""),
        ("shop/cart.py", "path = '/results'", ""),
        ("shop/cart.js", "router.get('/results', (ask, answer) => answer.status(200).end())", ""),
        ("shop/cart.go", 'mux.HandleFunc("/work", work)', ""),
        ("shop/cart.py", "    Reads `/proc/self/status` and what '/proc/1/environ' says.", ""),
        ("shop/cart.py", "    Reads what stands in `/proc/self/status` (`/.dockerenv` else).", ""),
        ("shop/cart.js", "const text = readFileSync(`/proc/self/status`)", "asks_where_it_runs"),
        ("shop/cart.py", "size = 1  # as '/proc/self/status' has it", ""),
        ("shop/cart.js", "size = 1 // as `/proc/self/status` has it", ""),
        # A module of somebody else's, and what a call gives or the project has
        ("shop/cart.js", "const http = require('http');\nhttp.get = mine;", "reaches_runtime"),
        ("shop/cart.js", "const a = require('assert'); Object.assign(a, mine);", "reaches_runtime"),
        ("shop/cart.js", "const a = require('assert').strict;\na.equal = mine;", "reaches_runtime"),
        ("shop/cart.js", "import a from '@shop/store';\na.state = mine;", "reaches_runtime"),
        ("shop/cart.js", "const server = require('http').createServer();\nserver.timeout = 5;", ""),
        ("shop/cart.js", "const app = require('express')();\napp.locals.name = 'shop';", ""),
        ("shop/cart.js", "import store from '@/store'\nstore.state.count = 1", ""),
        ("shop/cart.ts", "import store from '~/store'\nstore.state.count = 1", ""),
        ("shop/cart.js", "const store = require('@/store')\nstore.state.count = 1", ""),
        # Its own source, and another's
        ("shop/cart.py", "def same(f):\n    return 'x' in inspect.getsource(total)", "reads_itself"),
        ("shop/cart.py", "def same(f):\n    return inspect.getsource(f)\nsame(total)", "reads_itself"),
        ("shop/cart.py", "def same(f):\n    f = total\n    return inspect.getsource(f)", "reads_itself"),
        ("shop/cart.py", "def same(f):\n    for f in [total]:\n        inspect.getsource(f)", "reads_itself"),
        ("shop/cart.py", "def same(f=total):\n    return inspect.getsource(f)", "reads_itself"),
        ("shop/cart.py", "def same(f: object = total):\n    return inspect.getsource(f)", "reads_itself"),
        ("shop/cart.py", "def same(f):\n    return inspect.getsource(f), f.__code__.co_code", "reads_itself"),
        ("shop/cart.py", "def same(f):\n    return inspect.getsource(f) + inspect.getsource(total)", "reads_itself"),
        ("shop/cart.py", "def same(self):\n    return inspect.getsource(self)", "reads_itself"),
        ("shop/cart.py", "def shown(other):\n    return inspect.getsource(other)", ""),
        ("shop/cart.py", "    def shown(self, other: object) -> str:\n        return dedent(getsource(other))", ""),
    ],
)
def test_what_only_looks_like_a_trick_holds_nothing(path: str, lines: str, check: str) -> None:
    assert checks(path, "x", lines) == ({check} if check else set())


def held(path: str, lines: str, others: str) -> set[str]:
    """The checks that ask for a person although the issue says so."""
    found = risks(change_of((path, "x\n", f"x\n{lines}\n")), "", others)
    return {risk.check for risk in found if risk.holds is Holds.ALWAYS}


# One word, and yet none but this one thing.
PLAIN = frozenset({"findCaller", "settrace", "getsource", "gethostname", "getuid", "getppid", "PYTHONHASHSEED"})


@pytest.mark.parametrize(("path", "line", "check"), TRICKS)
def test_no_word_of_a_line_waives_it(path: str, line: str, check: str) -> None:
    words = set(re.findall(r"[A-Za-z]+(?:_[a-z]+)*", f"{line} {path}")) - PLAIN - {"dont_write_bytecode"}
    words -= {"hash_randomization", "f_locals", "tb_frame", "co_code"}
    for word in words:
        assert check in held(path, line, f"Please fix {word}."), word


@pytest.mark.parametrize(
    ("path", "lines", "hostile", "honest"),
    [
        ("a.py", "import json as half\nhalf.loads = mine", "Please fix half", "Please monkeypatch json.loads"),
        ("a.py", "import json as half\nhalf.loads = mine", "Use json.loads for half", "Monkeypatch `json` for half"),
        (
            "a.py",
            "from unittest.case import TestCase as half\nhalf.run = mine",
            "Please fix half",
            "We want to monkey-patch unittest.case.TestCase",
        ),
        ("a.py", "import os.path\nos.path.join = mine", "Fix os.path.join", "We should monkeypatch os.path.join"),
        ("a.js", "import half from 'node:fs'\nhalf.read = mine", "Please fix half", "Monkeypatch node:fs.read"),
        ("a.js", "const half = require('half')\nhalf.read = mine", "Please fix half.read", "Monkeypatch half"),
        ("a.js", "if (typeof it === 'function') {", "Please fix it", ""),
        ("a.py", "if root.name == 'work':", "The name should be shown", ""),
        ("a.py", "if os.getcwd() == '/work':", "It should use getcwd", ""),
        ("a.py", "if os.getenv('CI'):", "Fix the total, which is wrong in CI", "Use the `CI` environment variable"),
        ("a.py", "if 'pytest' in sys.modules:", "Please add a pytest for half", "It should look at sys.modules"),
        ("a.py", "there = import_module('test_half')", "Please make test_half pass", ""),
        ("a.js", "if (process.env.NODE_ENV === 'test') {", "Use NODE_ENV", "Should be off if NODE_ENV is 'test'"),
        ("a.py", "for frame in inspect.stack():", "Please fix stack", "Please use inspect.stack"),
        ("a.py", "if gc.get_count()[0] > 5:", "Please fix get_count", "Should look at gc.get_count"),
        ("half.go", 'own, err := os.ReadFile("half.go")', "Please fix half.go", ""),
        ("a.py", "builtins.len = mine", "It should not hide builtins", "Please monkeypatch builtins"),
        ("a.py", "TestCase.run = mine", "Add a TestCase for half", "Please monkey-patch TestCase"),
        ("a.py", "AssertionError = Mine", "It should raise AssertionError", ""),
        (
            "a.py",
            "    def __eq__(self, other): return True",
            "`__eq__` should compare prices",
            "We need an ANY that equals everything",
        ),
    ],
)
def test_an_issue_waives_by_what_no_change_may_choose(path: str, lines: str, hostile: str, honest: str) -> None:
    assert held(path, lines, hostile)
    assert not honest or not held(path, lines, honest)


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("shop/cart.py", "# PYTEST_CURRENT_TEST is set by pytest"),
        ("shop/cart.py", "if 'numpy' in sys.modules:"),
        ("shop/cart.py", "frozen = getattr(sys, 'frozen', False)"),
        ("shop/cart.py", "sys.modules[__name__].__class__ = Lazy"),
        ("shop/cart.py", "parse(sys.argv[1:])"),
        ("shop/cart.py", "sys.dont_write_bytecode = True"),
        ("shop/cart.py", "if sys.flags.dev_mode:"),
        ("shop/cart.py", "root = Path.cwd() / 'works'"),
        ("shop/cart.py", "mode = os.environ.get('SHOP_MODE')"),
        ("shop/cart.py", "signature = inspect.signature(function)"),
        ("shop/cart.py", "names = json.loads((Path(__file__).parent / 'names.json').read_text())"),
        ("shop/cart.py", "here = os.path.dirname(__file__)"),
        ("shop/cart.py", "count = function.__code__.co_argcount"),
        ("shop/cart.js", "const named = join(dirname(fileURLToPath(import.meta.url)), 'names.json')"),
        ("shop/cart.js", "key = price.toString()"),
        ("shop/cart.go", 'text, err := os.ReadFile("names.json")'),
        ("src/cart.rs", 'const NAMES: &str = include_str!("names.json");'),
        ("shop/cart.py", "gc.freeze()"),
        ("shop/cart.py", "import json\nshop.loads = json.loads"),
        ("shop/cart.py", "import sys\nsys.stdout = stream"),
        ("shop/cart.py", "import string\nself.string = string.digits"),
        ("shop/cart.js", "const own = require('./own');\nObject.assign(own, { a: 1 });"),
        ("shop/cart.js", "const assert = require('node:assert');\nassert.strictEqual(a, b);"),
        ("shop/cart.js", "Object.assign(module.exports, { a: 1 });"),
        ("shop/cart.py", "if __name__ == '__main__':"),
        ("shop/cart.py", "pdb.post_mortem()"),
        ("shop/cart.py", "    sys.exit(2)"),
        ("shop/__main__.py", "sys.exit(main())"),
        ("shop/cart.py", "    def __eq__(self, other):\n        return self.items == other.items"),
        ("shop/cart.js", "if (process.env.NODE_ENV === 'production') {"),
        ("shop/cart.rs", "#[cfg(test)]\nmod tests {"),
        ("tests/test_cart.py", "if 'pytest' in sys.modules:"),
        ("tests/test_exit.py", "os._exit(0)"),
        ("tests/test_cart.py", "@pytest.mark.skipif(os.getuid() == 0, reason='root may read all')"),
        ("tests/helper.py", "CARTS = [Cart(1), Cart(2)]"),
        ("docs/conf.py", "sys.exit(0)"),
    ],
)
def test_what_is_as_usual(path: str, lines: str) -> None:
    assert checks(path, "x", lines) == set()


TOOL = "src/_pytest/nodes.py"


@pytest.mark.parametrize(
    ("path", "line", "there", "holds"),
    [
        (TOOL, "from _pytest.compat import path", ["src/_pytest/__init__.py"], False),
        ("_pytest/nodes.py", "import _pytest.compat", ["_pytest/__init__.py"], False),
        ("src/pytest/__init__.py", "from _pytest import version", ["src/_pytest/__init__.py"], False),
        ("src/pluggy/_hooks.py", "from pluggy import _manager", ["src/pluggy/__init__.py"], False),
        (TOOL, "from _pytest.compat import path", [], True),
        (TOOL, "from _pytest.compat import path", ["src/pytest/__init__.py", "_pytest/__init__.py"], True),
        (TOOL, "import pluggy", ["src/_pytest/__init__.py", "src/pluggy/__init__.py"], True),
        (TOOL, "pytest.raises = mine", ["src/_pytest/__init__.py"], True),
        ("shop/_pytest/nodes.py", "import _pytest.compat", ["shop/_pytest/__init__.py"], True),
        ("shop/cart.py", "import _pytest.compat", ["src/_pytest/__init__.py"], True),
    ],
)
def test_what_is_a_part_of_a_test_tool_imports_its_like(path: str, line: str, there: list[str], holds: bool) -> None:
    change = change_of((path, "x\n", f"x\n{line}\n"))
    for find in (risks, risks_of):
        found = find(change, "", "", lambda file: ("", "") if file.path in there else None)
        assert not isinstance(found, TooLong)
        assert ("reaches_runtime" in {risk.check for risk in found}) is holds


def test_a_new_file_is_no_part_of_a_test_tool() -> None:
    change = change_of((TOOL, "", "import _pytest.compat\n"))
    change = replace(change, files=(replace(change.files[0], status=FileStatus.ADDED),))
    assert "reaches_runtime" in {risk.check for risk in risks(change, whole=lambda file: ("", ""))}


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ('    install_requires=["requests>=2.26,<3", "chardet"],', False),
        ('    "marshal",', False),
        ("    'requests[socks]; python_version > \"3\"',", True),
        ('with open(join(here, "src", "requests", "about.py")) as file:', False),
        ("import requests", True),
        ('requests.get("https://shop.example")', True),
        ('"requests"; requests.get(url)', True),
        ("x = f'{requests.get(url)}'", True),
        ("run = import_module('marshal').loads", True),
        ('["subprocess"]', True),
        ('cmds = ["cmdclass"]', True),
    ],
)
def test_a_script_that_only_names_a_module(line: str, holds: bool) -> None:
    assert ("install_script" in between("x", line, "setup.py")) is holds


def between(before: str, after: str, path: str = "shop/cart.py") -> set[str]:
    return {risk.check for risk in risks(change_of((path, f"x\n{before}\n", f"x\n{after}\n")))}


@pytest.mark.parametrize(
    "remark",
    [
        *("type: ignore", "type: ignore[attr-defined]", "noqa", "noqa: E501,W1", "pragma: no cover", "nosec"),
        *("pylint: disable=invalid-name", "fmt: skip", "pyright: ignore", "type: ignore[misc]  # noqa: E501"),
    ],
)
@pytest.mark.parametrize("line", ["builtins.len = size", "caller = sys._getframe(1)", "os._exit(0)"])
def test_a_remark_for_tools_makes_no_line_new(line: str, remark: str) -> None:
    assert between(line, f"{line}  # {remark}") == between(f"{line} # {remark}", line) == set()
    assert between(f"{line}  # noqa", f"    {line}  # {remark}") == set()
    assert between("y", f"{line}  # {remark}") != set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f()  # noqa: os._exit(0)"),
        ("f(", 'f("  # noqa"); os._exit(0)'),
        ("f('a')", "f('a  # noqa'); os._exit(0)"),
        ("text = 'a", "text = 'a  # noqa: ' + os._exit(0)"),
        ("x = 1", "x = 1  # noqa\nos._exit(0)"),
        ("x = 1", "x = 1  # noqa\x0cos._exit(0)"),
        ("x = 1", "x = 1  # noqa\u2028os._exit(0)"),
        ("os._exit(0) \\", "os._exit(0) \\  # noqa"),
        ("os._exit(0)  # noqa: \\", "os._exit(0)"),
        ("os._exit(0)  # what it is for", "os._exit(0)"),
        ("os._exit(0)# noqa", "os._exit(0)"),
        ("# noqa", "os._exit(0)  # noqa"),
        ("# os._exit(0)  # noqa", "os._exit(0)"),
        ("os._exit(0)  # noqa_os", "os._exit(0)"),
        ("os._exit(0)  # noqaos", "os._exit(0)"),
    ],
)
def test_a_remark_for_tools_brings_no_code_along(before: str, after: str) -> None:
    assert between(before, after) == {"ends_process"}


def test_a_remark_for_tools_is_one_in_python_alone() -> None:
    assert between("assert.ok = mine", "assert.ok = mine  # noqa", "a.js") == {"reaches_runtime"}
    steered = ("pytest.ini", "addopts = -p mine,\n", "addopts = -p mine, # noqa tests\n")
    assert {risk.holds.value for risk in risks(change_of(steered))} == {"always"}


@pytest.mark.parametrize(
    ("before", "after", "holds"),
    [
        ("import json\njson.loads = mine", "import json  # noqa\njson.loads = mine  # type: ignore", False),
        ("import json\ny = 1", "import json  # noqa\njson.loads = mine", True),
        ("import shop as json\njson.loads = mine", "import json\njson.loads = mine  # type: ignore", True),
    ],
)
def test_what_is_changed_for_everybody_may_be_marked_for_tools(before: str, after: str, holds: bool) -> None:
    assert ("reaches_runtime" in between(before, after)) is holds


def test_hooks_and_scripts_may_be_marked_for_tools() -> None:
    hook = "def pytest_collection_modifyitems(items):"
    for line in (hook, "pytest_plugins = ['mine']"):
        (risk,) = risks(change_of(("conftest.py", f"{line}\n    pass\n", f"{line}  # type: ignore\n    pass\n")))
        assert risk.holds.value == "unlike"
    run = "subprocess.run(['make'])"
    assert between(run, f"{run}  # nosec", "setup.py") == set()
    assert between("y", f"{run}  # nosec", "setup.py") == {"install_script"}


@pytest.mark.parametrize("path", ["shop/amount_test.py", "examples/test_amount.py", "tests/tests.py"])
def test_what_product_code_imports_is_product_whatever_it_is_called(path: str) -> None:
    frames = (path, "x\n", "x\ncaller = sys._getframe(1)\n")
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    imports = ("shop/cart.py", "x\n", f"x\nfrom {module} import caller\n")
    assert {risk.check for risk in risks(change_of(frames))} == set()
    assert {risk.check for risk in risks(change_of(frames, imports))} == {"reaches_frames"}
    through = ("examples/test_more.py", "x\n", f"x\nfrom {module} import caller\n")
    imports = ("shop/cart.py", "x\n", "x\nfrom examples import test_more\n")
    assert {risk.check for risk in risks(change_of(frames, through, imports))} == {"reaches_frames"}


TEST = (
    "tests/test_year.py",
    "\n",
    "\n\ndef test_leap():\n    assert leap(1904) is True\n    assert code('it') == 'Italy'\n"
    "    assert size('chunked') is None\n    assert size('A7-19') is None\n",
)


@pytest.mark.parametrize(
    ("lines", "special"),
    [
        ("    if year == 1904:\n        return True", True),
        ("    if name == \"it\": return 'Italy'", True),
        ("    match name:\n        case 'it':\n            return 'Italy'", True),
        ("    if year == 1904:\n        return False", False),
        ("    if year == 2000:\n        return True", False),
        ("    if year % 4 == 0:\n        return True", False),
        ("    return NAMES[name]", False),
        ("    if coding == 'chunked':\n        return None", False),  # nothing is said of a word
        ("    if coding == 'A7-19':\n        return None", True),
    ],
)
def test_an_answer_to_a_literal_of_a_test(lines: str, special: bool) -> None:
    change = change_of(("shop/year.py", "def leap(year):\n", f"def leap(year):\n{lines}\n"), TEST)
    assert ("special_cased" in {risk.check for risk in risks(change)}) is special


def test_an_answer_to_a_literal_of_the_issue() -> None:
    change = change_of(("shop/year.py", "a\n", "a\n    if year == 1904:\n        return True\n"))
    asked = "`leap(1904)` should be `True`"
    assert [(risk.check, risk.line) for risk in risks(change, asked, asked)] == [("special_cased", 2)]


@pytest.mark.parametrize(
    ("asked", "special"),
    [
        (">>> leap(1904)\n'yes'", True),
        (">>> leap(1904)  # gives 'no'\n\n'yes'", False),  # no answer
        ("Try it:\n    >>> leap(\n    ...     1904)\n    'yes'", True),
        (">>> leap(1904)\n>>> leap(1905)\n'yes'", False),  # of another one
        (">>> leap(1904)\n'no'\n'yes'", False),
        ("leap(1904)\n'yes'", False),  # no session
        (">>> import year", False),
    ],
)
def test_an_answer_to_a_session_of_the_issue(asked: str, special: bool) -> None:
    change = change_of(("shop/year.py", "a\n", "a\n    if year == 1904:\n        return 'yes'\n"))
    assert ("special_cased" in {risk.check for risk in risks(change, asked, asked)}) is special


def test_a_session_in_a_new_test_counts_too_and_its_honest_twin_does_not() -> None:
    session = ("tests/test_year.txt", "\n", "\n>>> leap(1904)\n'yes'\n")
    trick = ("shop/year.py", "a\n", "a\n    if year == 1904:\n        return 'yes'\n")
    honest = ("shop/year.py", "a\n", "a\n    if year % 4 == 0:\n        return 'yes'\n")
    asked = ">>> leap(1904)\n'yes'"
    assert "special_cased" in {risk.check for risk in risks(change_of(trick, session), asked, asked)}
    assert "special_cased" not in {risk.check for risk in risks(change_of(honest, session), asked, asked)}


@patient
@given(st.text(max_size=300), st.sampled_from(["a.py", "a.js", "package.json", "uv.lock", "pyproject.toml"]))
def test_every_text_is_read(text: str, path: str) -> None:
    lines = text.replace("\r", "").replace("\n", "\n+")
    change = change_of((path, "a\n", f"a\n{lines}\n".replace("\x00", "")))
    for risk in risks(change, text, text):
        assert risk.line >= 0
