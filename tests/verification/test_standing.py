"""Whose doing it is that nothing can be set up, and what stands beside a change that the tests let pass."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bot.policy import Verify
from bot.pulls.result import PullResult
from bot.rendering.pull_reasons import reasons
from bot.sandbox.protocol import Executor
from bot.verdicts import Cause
from bot.verification import standing
from bot.verification.environments.commands import with_reports
from bot.verification.evidence import HeadTrial
from bot.verification.fix_guided.specified import NOBODY
from bot.verification.patch_evidence import Control, Proof
from bot.verification.stage import Stage, staged
from bot.verification.standing import stand, stand_on
from bot.verification.testing.tools import command_name
from bot.verification.trial import replay, times, trial
from bot.verification.values import Base, Experiment, Keeper, Origin, Program, Suite, TestResult, TestRun, TestStatus
from tests.pulls.results import decided
from tests.support.cases import cases
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP, Remembering
from tests.verification.environments.house import index, settings

CHECK = "from toll import toll\ndef test_toll(): assert toll(3) == 14\n"
FILES = {
    "toll.py": "def toll(axles):\n    return axles * 3 + 5\n",
    "tests/test_toll.py": CHECK,
    "tests/test_moved.py": CHECK,
    "tests/helping.py": "from toll import toll\ndef costs(axles, price): assert toll(axles) == price\n",
    "tests/test_helped.py": "from helping import costs\ndef test_toll(): costs(3, 14)\ndef test_is(): assert costs\n",
}


def stood_by(executor: Executor, head: Program, suite: Suite, issue: str = "") -> HeadTrial:
    base = Base(Program(head.tree, {}), suite)
    return stand(Stage(executor, base, head, head, suite, seconds=600), specification=issue)


def test_what_there_was_no_time_for_is_told_as_the_table_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of a test and of what it calls: everything but the first runs is left out."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    left_out = {"LOOKS": trial, "CALLS": replay, "CONTROL": standing, "LOST": standing}
    for name, module in left_out.items():
        monkeypatch.setattr(module, name, replace(getattr(times, name), least=10_000))
    changed = {
        "toll.py": b"def toll(axles):\n    return 5 + axles * 3\n",
        "tests/test_toll.py": CHECK.encode() + b"#\n",
    }
    patch = stood_by(BUBBLEWRAP, Program(tmp_path, changed), Suite()).patch
    assert patch is not None and patch.facts.ended
    assert patch.unfinished == tuple(getattr(times, name).told for name in left_out)
    assert len({each.told for each in times.PARTS} | {each.lost for each in times.PARTS}) == 2 * len(times.PARTS)


def test_tests_that_the_change_made_notice_less_are_named(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    weak = CHECK.replace("==", "!= 0 or 0 ==").encode()
    changed = {
        "tests/test_toll.py": weak,
        "tests/test_moved.py": None,
        "tests/test_there.py": weak,
        "tests/helping.py": FILES["tests/helping.py"].replace("== price", "== price or price").encode(),
    }
    stood = stood_by(BUBBLEWRAP, Program(tmp_path, changed), Suite())
    assert stood.patch is not None
    lost = {each.test for each in stood.patch.lost_kills if each.killed_now < each.killed}
    assert lost == {f"tests/test_{name}.py::test_toll" for name in ("toll", "moved", "helped")}, stood


UNITTEST = """\
import unittest
from toll import toll
class T(unittest.TestCase):
    def test(self):
        self.assertEqual(toll(3), 14)
"""
OF_PYTHON = {
    "toll.py": FILES["toll.py"],
    "tests/__init__.py": "",
    "tests/test_toll.py": UNITTEST,
    "Makefile": "check:\n\tpython3 -m unittest discover -s tests -t .\n",
}
NODE_TEST = (
    'const { same } = require("./helping.js")\nconst { toll } = require("../toll.js")\n'
    'require("node:test")("toll", () => same(toll(3), 14))\n'
)
SAME = 'exports.same = (found, price) => require("node:assert").strictEqual(found, price)\n'
OF_NODE = {
    "toll.js": "exports.toll = function toll(axles) {\n  return axles + 11\n}\n",
    "test/helping.js": SAME,
    "test/toll.test.js": NODE_TEST,
}
DEARER = {"toll.js": OF_NODE["toll.js"].replace("11", "12")}
CHECKED = '{ if (toll(3) !== 14) require("node:assert").strictEqual(toll(3), 15) }'
EITHER = {"test/toll.test.js": NODE_TEST.replace("same(toll(3), 14)", CHECKED)}
OTHER_WORDS = {"tests/test_toll.py": UNITTEST.replace("Equal(toll(3), 14)", "True(toll(3) == 14)")}


@pytest.mark.parametrize(
    ("files", "change", "issue", "lost"),
    [
        pytest.param(
            OF_PYTHON,
            {"tests/test_toll.py": UNITTEST.replace("        self", "        return\n        self")},
            "",
            {"/bin/sh -c 'make check'"},
            id="python, an early return",
        ),
        pytest.param(
            OF_PYTHON,
            {"Makefile": OF_PYTHON["Makefile"].replace("-t .", "-t . || true")},
            "",
            {"/bin/sh -c 'make check'"},
            id="a makefile that cannot fail",
        ),
        pytest.param(OF_PYTHON, OTHER_WORDS, "", set[str](), id="python, in other words"),
        pytest.param(
            OF_NODE,
            {"test/helping.js": "exports.same = () => {}\n"},
            "",
            {"test/toll.test.js::toll"},
            id="node, a helper of its tests",
        ),
        pytest.param(
            OF_NODE,
            {"test/toll.test.js": None, "test/other.test.js": 'require("node:test")("more", () => {})\n'},
            "",
            {"test/toll.test.js::toll"},
            id="node, a file taken away",
        ),
        pytest.param(
            OF_NODE,
            {"test/toll.test.js": None, "test/price.test.js": NODE_TEST},
            "",
            set[str](),
            id="node, a file renamed",
        ),
        pytest.param(
            OF_NODE,
            {**DEARER, **EITHER},
            "# Too cheap\n\n`toll(3)` gives 14; it should give 15.",
            set[str](),
            id="node, rewritten as the issue asks",
        ),
    ],
)
def test_tests_of_a_command_that_the_change_made_notice_less_are_named(
    files: dict[str, str], change: dict[str, str | None], issue: str, lost: set[str], tmp_path: Path
) -> None:
    if files is OF_NODE and not shutil.which("node"):
        missing("node")
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    script = {"test": "node --test test/"} if files is OF_NODE else {}
    suite = Suite(command=("/bin/sh", "-c", with_reports("npm test" if script else "make check", script)))
    head = Program(tmp_path, {path: text.encode() if text else None for path, text in change.items()})
    stood = stood_by(Remembering(BUBBLEWRAP), head, suite, issue)
    assert stood.patch is not None
    assert {each.test for each in stood.patch.lost_kills} == lost, stood


BLIND = """\
import unittest
from toll import toll
class T(unittest.TestCase):
    def test(self):
        try:
            toll(3)
        except Exception:
            pass
"""


@pytest.mark.parametrize("command", [None, ("/bin/sh", "-c", "python3 -m unittest tests.test_toll")])
def test_a_broken_base_that_is_known_to_be_red_blinds_and_names_no_test(
    command: tuple[str, ...] | None, tmp_path: Path
) -> None:
    """It may have been by chance, and would hold for every change of that day."""
    for path, text in {**OF_PYTHON, "tests/test_toll.py": BLIND}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    name = command_name(command) if command else "tests/test_toll.py::T::test"
    base = Program(tmp_path, {})

    class Knowing(Keeper):
        def find(self, experiment: Experiment) -> TestRun | None:
            own = experiment.program == base and "tests/test_toll.py" not in experiment.suite.files
            red = TestRun((TestResult(name, TestStatus.FAILED),), 0.1)
            return red if own and experiment.broken and not experiment.repeats else None

    changed = {
        "toll.py": b"def toll(axles):\n    return 5 + axles * 3\n",
        "tests/test_toll.py": BLIND.encode() + b"#\n",
    }
    head, suite = Program(tmp_path, dict(changed)), Suite(command=command)
    stage = Stage(Remembering(BUBBLEWRAP), Base(base, suite, Knowing()), head, head, suite, seconds=600)
    patch = stand(stage).patch
    assert patch and patch.control
    assert (patch.control.proof, patch.lost_kills) == (Proof.UNPROVED, ())


OF_SHELL = {
    "lib/toll.sh": 'toll() {\n    echo $(($1 * 3))\n}\nlog() {\n    echo "$1" >&2\n}\n',
    "tests/toll.sh": 'set -e\n. ./lib/toll.sh\n[ "$(toll 2)" = 6 ]\n',
}


@cases
def test_a_suite_that_only_ends_well_has_to_notice_what_changes(
    old: str, new: str, proof: Proof, other: str, tmp_path: Path
) -> None:
    for path, text in OF_SHELL.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    changed: dict[str, bytes | None] = {"lib/toll.sh": OF_SHELL["lib/toll.sh"].replace(old, new).encode()}
    head = Program(tmp_path, changed | ({"lib/say.sh": other.encode()} if other else {}))
    stood = stood_by(BUBBLEWRAP, head, Suite(command=("sh", "tests/toll.sh")))
    assert stood.patch and stood.patch.control and stood.patch.control.proof is proof


@cases
def test_what_a_test_lacks_without_the_change_counts_where_it_notices_what_is_behind_it(
    files: dict[str, str], command: str, counted: list[str], tmp_path: Path
) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    suite = Suite(command=("/bin/sh", "-c", with_reports("npm test", {"test": command})) if command else None)
    if command and not shutil.which("node"):
        missing("node")
    if command:
        (tmp_path / "toll.js").write_text("exports.toll = (axles) => axles * 3;\n")
        (tmp_path / "tests/toll.test.js").write_text(
            "const test = require('node:test');\nconst { toll } = require('../toll.js');\n"
            "test('toll', () => require('node:assert').strictEqual(toll(2), 6));\n"
        )
    head = Program(tmp_path, {path: text.encode() for path, text in files.items()})
    stood = stood_by(BUBBLEWRAP, head, suite, "It is wrong.")
    assert stood.patch and [each.test for each in stood.patch.turned if each.counts] == counted
    assert len(stood.patch.turned) == 1
    assert ("1 test of its own goes from red to green." in stood.patch.reasons) is bool(counted)


CHECKS = "needed = open('requirements.txt').read()\nassert 'kettle' not in needed, 'no kettle to be had'\n"
LINES = ("echo begin", "python requirements.py")


@cases
def test_a_change_whose_setup_fails_is_blamed_where_its_base_can_be_tested(
    tmp_path: Path, base: str, test: str, cause: Cause, reason: str
) -> None:
    for name, text in (("base", base), ("head", "kettle")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "requirements.txt").write_text(text)
        (tmp_path / name / "requirements.py").write_text(CHECKS)
    before, after = (Program(tmp_path / name, {}) for name in ("base", "head"))
    policy = Verify(setup=LINES, test=test)
    with staged(BUBBLEWRAP, before, after, policy, settings(tmp_path), origin=Origin("1")) as stage:
        stood = stand_on(stage, specification="", claims=(), jury=NOBODY, seconds=600)
    result = decided(problem=stood.problem, blame=stood.blame)
    assert (result.verdict.cause, reasons(result)[0]) == (
        cause,
        f"{reason}line 2 of setup failed: python requirements.py: AssertionError: no kettle to be had",
    )


def test_all_of_the_base_s_tests_judge_and_those_that_import_what_changes_come_first(tmp_path: Path) -> None:
    files = {
        "core.py": "def one():\n    return 1\n",
        "api.py": "import core\n\n\ndef two():\n    return 2 * core.one()\n",
        "tests/test_core.py": "import core\n\n\ndef test_one():\n    assert core.one()\n",
        "tests/test_api.py": "import api\n\n\ndef test_two():\n    assert api.two() == 2\n",
    }
    for name, code in (("base", files["core.py"]), ("head", "def one():\n    return 3\n")):
        for path, text in {**files, "core.py": code}.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
    before, after = (Program(tmp_path / name, {}) for name in ("base", "head"))
    with staged(BUBBLEWRAP, before, after, Verify(setup=()), settings(tmp_path), origin=Origin("1")) as stage:
        assert isinstance(stage, Stage)
        assert stage.base.first == ("tests/test_core.py", "tests/test_api.py")  # which reaches it through another
        stood = stand_on(stage, specification="", claims=(), jury=NOBODY, seconds=600)
    assert stood.patch is not None
    assert stood.patch.regressions == ("tests/test_api.py::test_two",)


HALL = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "hall.py": "def free(taken):\n    return 10 - taken\n",
    "tests/test_hall.py": "import hall\n\n\ndef test_free():\n    assert hall.free(3) == 7\n",
    "package.json": '{"scripts": {"test": "node --test page/"}}',
    "page/age.js": "exports.allowed = (age) => age >= 16;\n",
    "page/age.test.js": (
        "const test = require('node:test');\nconst { allowed } = require('./age');\n"
        "test('allowed', () => require('assert')(allowed(16)));\n"
    ),
}


def tried(
    tmp_path: Path, base: dict[str, str], change: dict[str, str], policy: Verify, address: str = ""
) -> PullResult:
    """What is decided of a change of this hall, for which nothing was asked."""
    if not shutil.which("node"):
        missing("node")
    for name, files in (("base", {**HALL, **base}), ("head", {**HALL, **base, **change})):
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
    before, after = (Program(tmp_path / name, {}) for name in ("base", "head"))
    with staged(BUBBLEWRAP, before, after, policy, settings(tmp_path, address), origin=Origin("1")) as stage:
        stood = stand_on(stage, specification="", claims=(), jury=NOBODY, seconds=600)
    return decided(patch=stood.patch, problem=stood.problem, blame=stood.blame)


@cases
def test_every_suite_whose_language_changed_runs_or_is_named(
    tmp_path: Path, change: dict[str, str], base: dict[str, str], test: str | None, outcome: str, reason: str
) -> None:
    result = tried(tmp_path, base, change, Verify(test=test, setup=()))
    assert (result.verdict.cause or result.verdict.decision).value == outcome, reasons(result)
    assert reasons(result)[0].startswith(reason), reasons(result)


def test_a_suite_that_cannot_be_set_up_beside_one_that_can_is_named_with_the_line_that_failed(tmp_path: Path) -> None:
    page = HALL["page/age.test.js"].replace("require('assert')", "require('no-such-thing')")
    package = HALL["package.json"].replace("}}", '}, "dependencies": {"no-such-thing": "file:../away.tgz"}}')
    change = {
        "hall.py": HALL["hall.py"].replace("10 - taken", "-taken + 10"),
        "page/age.js": "exports.allowed = () => 1;\n",
    }
    with index({}, ("pytest", "iniconfig", "packaging", "pluggy", "pygments")) as address:
        result = tried(tmp_path, {"package.json": package, "page/age.test.js": page}, change, Verify(), address)
    assert result.verdict.cause is Cause.OUTSIDE
    told = "npm test gave no result for this change: line 1 of setup failed: npm install --no-package-lock: npm err"
    assert reasons(result)[0].lower().startswith(told), reasons(result)
    patch = result.facts.trial.patch
    assert patch and patch.facts.base.passing.keys() == {"tests/test_hall.py::test_free"}


READER = """\
from pathlib import Path
import asks, kinds
from fares import FARES, least
from gate import OPEN
from testing import near
ROOT = Path(__file__).parents[1]
def test_fares():
    kinds.used(1)
    assert FARES["car"] == 3 and near(least(7), 7) and len(OPEN) == 1
    rows = (ROOT / ("docs/%s.txt" % "rows")).read_text().split()
    assert len(rows) == 2
"""
OF_FARES = {
    "fares.py": (
        'FARES = {"car": 3}\nBAR = 4\nEXTRA = lambda n: n + 1\nFARES["bus"] = 9\n\n\ndef least(n):\n    return n\n'
    ),
    "gate.py": "from fares import least\n\nOPEN, SHUT = [], []\n\nOPEN.append(least)\n\nSHUT.append(least)\n",
    "till.py": "import fares\nimport sys\n\n# All of it.\n\nprint(fares.FARES, file=sys.stderr)\n",
    "other.py": "def other(n):\n    return n * 2\n",
    "docs/rows.txt": "one two\n",
    "docs/more.txt": "more\n",
    "testing.py": "def near(one, other):\n    return one == other\n\n\ndef far(one):\n    return one > 9\n",
    "table.csv": "1,2\n",
    "requirements.txt": "kettle==1\n",
    "asks.py": "import typing\n\n\ndef asked(n: int):\n    return n\n\n\nASKED = typing.get_type_hints(asked)\n",
    "kinds.py": "def idle(n: int):\n    return n\n\n\ndef used(m: int):\n    return m\n",
    "page/kind.ts": "export const kind = (n: number) => n\n",
    "page/app.js": "let fare = 3\n",
    "tests/test_fares.py": READER,
}


@cases
def test_what_nothing_looks_at_is_told_for_each_file_that_changes(
    change: dict[str, tuple[str, str]], proof: Proof, unnoticed: list[str], tmp_path: Path
) -> None:
    for path, text in OF_FARES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    changed: dict[str, bytes | None] = {path: OF_FARES[path].replace(*pair).encode() for path, pair in change.items()}
    stood = stood_by(BUBBLEWRAP, Program(tmp_path, changed), Suite())
    assert stood.patch and stood.patch.control, stood
    assert (stood.patch.control.proof, [*stood.patch.control.unnoticed]) == (proof, unnoticed), stood.patch.control
    assert stood.opened == tuple(path for path in change if path == "docs/rows.txt")


@pytest.mark.parametrize(
    ("more", "proof"), [({"fares.py": ("return n", "return +n")}, Proof.PROVED), ({}, Proof.UNTRIED)]
)
def test_helpers_that_there_was_no_time_for_take_nothing_from_what_was_proved(
    more: dict[str, tuple[str, str]], proof: Proof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in OF_FARES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setattr(standing, "for_every_file", lambda *given: Control(Proof.UNTRIED))
    change = {"testing.py": ("> 9", "> 8"), **more}
    changed: dict[str, bytes | None] = {path: OF_FARES[path].replace(*pair).encode() for path, pair in change.items()}
    patch = stood_by(BUBBLEWRAP, Program(tmp_path, changed), Suite()).patch
    assert patch and patch.control and (patch.control.proof, patch.control.unnoticed) == (proof, ())
    assert times.CONTROL.told in patch.unfinished
