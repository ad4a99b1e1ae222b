"""Whose doing it is that nothing can be set up: through the real sandbox, as far as the verdict."""

import shutil
from pathlib import Path

from bot.policy import Verify
from bot.pulls.result import PullResult
from bot.rendering.pull_reasons import reasons
from bot.verdicts import Cause
from bot.verification.specified import NOBODY
from bot.verification.stage import Stage, staged
from bot.verification.standing import stand_on
from bot.verification.values import Origin, Program
from tests.pulls.results import decided
from tests.support.cases import cases
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP
from tests.verification.environments.house import index, settings

CHECK = "needed = open('requirements.txt').read()\nassert 'kettle' not in needed, 'no kettle to be had'\n"
LINES = ("echo begin", "python requirements.py")


@cases
def test_a_change_whose_setup_fails_is_blamed_where_its_base_can_be_tested(
    tmp_path: Path, base: str, test: str, cause: Cause, reason: str
) -> None:
    for name, text in (("base", base), ("head", "kettle")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "requirements.txt").write_text(text)
        (tmp_path / name / "requirements.py").write_text(CHECK)
    before, after = (Program(tmp_path / name, {}) for name in ("base", "head"))
    policy = Verify(setup=LINES, test=test)
    with staged(BUBBLEWRAP, before, after, policy, settings(tmp_path), origin=Origin("1")) as stage:
        stood = stand_on(stage, specification="", claims=(), jury=NOBODY, seconds=60)
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
        stood = stand_on(stage, specification="", claims=(), jury=NOBODY, seconds=60)
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
        stood = stand_on(stage, specification="", claims=(), jury=NOBODY, seconds=240)
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
