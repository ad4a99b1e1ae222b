"""What comes from elsewhere: new dependencies, where they come from, and what runs while they are installed."""

import pytest

from bot.changes.risks.apart import risks_of
from bot.changes.risks.found import risks
from bot.changes.risks.values import Holds
from bot.changes.values import FileChange
from bot.child_process import TooLong
from tests.changes.parts import change_of

NEVER = Holds.NEVER
ADDED, JUDGING = {("dependency_added", Holds.UNLIKE)}, {("dependency_added", Holds.ALWAYS)}
SOURCE, SCRIPT = {("dependency_source", Holds.ALWAYS)}, {("install_script", Holds.ALWAYS)}
HERE = "https://e.example"
LOCKED = 'url = "https://files.pythonhosted.org/a"\n'

PROJECT = '[project]\nname = "shop"\ndependencies = [\n    "attrs>=23",\n]\nkeywords = ["till"]\n'
SOURCES = PROJECT + "[tool.uv.sources]\nshop = { workspace = true }\n"
PACKAGE = '{\n  "scripts": {\n    "lint": "eslint"\n  },\n  "dependencies": {\n    "left-pad": "^1.0.0"\n  }\n}\n'


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("requirements.txt", "attrs==1\n", "attrs==2\n", set()),
        ("requirements.txt", "attrs==1\n", "attrs==1\nevil\n", ADDED),
        ("requirements.txt", "attrs==1\n", "attrs==1\npytest-evil==1\n", JUDGING),
        ("requirements.txt", "attrs\n", "--extra-index-url https://e.example\nattrs\n", SOURCE),
        ("requirements.txt", "--index-url https://e.example\nattrs\n", "attrs\n", SOURCE),
        ("requirements.txt", "-i https://e.example\nattrs\n", "attrs\n-i https://e.example\n", set()),
        ("requirements.txt", "--no-index\nattrs\n", "attrs\n", SOURCE),
        ("pyproject.toml", f'{SOURCES}core = {{ index = "corp" }}\n', SOURCES, SOURCE),
        ("Pipfile", '[[source]]\nurl = "https://e.example"\n', "", SOURCE),
        ("requirements.txt", "attrs @ git+https://e.example/a\n", "attrs==1\n", set()),
        ("requirements.txt", "attrs\n", "attrs @ https://e.example/a.whl\n", SOURCE),
        ("requirements.txt", "attrs\n", "attrs\n# see https://e.example\n", set()),
        ("pyproject.toml", PROJECT, PROJECT.replace(">=23", ">=24"), set()),
        ("pyproject.toml", PROJECT, PROJECT.replace('"till"', '"till", "cart"'), set()),
        ("pyproject.toml", PROJECT, PROJECT.replace('>=23",', '>=23",\n    "evil",'), ADDED),
        ("pyproject.toml", PROJECT, PROJECT + '[project.urls]\nDocs = "https://e.example"\n', set()),
        ("pyproject.toml", PROJECT, PROJECT + '[tool.uv.sources]\nattrs = { git = "https://e.example" }\n', SOURCE),
        ("pyproject.toml", PROJECT + '[[tool.uv.index]]\nurl = "https://e.example"\n', PROJECT, SOURCE),
        ("pyproject.toml", PROJECT + "[tool.uv.sources]\nattrs = { workspace = true }\n", PROJECT, SOURCE),
        ("pyproject.toml", PROJECT, PROJECT + '[build-system]\nbuild-backend = "mine"\n', SCRIPT),
        ("package.json", PACKAGE, PACKAGE.replace("^1.0.0", "^1.1.0"), set()),
        ("package.json", PACKAGE, PACKAGE.replace('"^1.0.0"', '"^1.0.0",\n    "evil": "1.0.0"'), ADDED),
        ("package.json", PACKAGE, PACKAGE.replace('"^1.0.0"', '"git+https://e.example/a.git"'), SOURCE),
        ("package.json", PACKAGE, PACKAGE.replace('"eslint"', '"eslint",\n    "postinstall": "node a.js"'), SCRIPT),
        ("package.json", PACKAGE, PACKAGE.replace('"eslint"', '"eslint",\n    "start": "node a.js"'), set()),
        ("setup.py", "setup()\n", "setup(name='shop')\n", set()),
        ("setup.py", "setup()\n", "subprocess.run(['curl'])\nsetup()\n", SCRIPT),
        ("go.mod", "require a.example/b v1.0.0\n", "require a.example/b v1.1.0\n", set()),
        ("go.mod", "go 1.22\n", "go 1.22\nreplace a.example/b => ../b\n", SOURCE),
        ("Cargo.toml", '[dependencies]\nserde = "1"\n', '[dependencies]\nserde = "1"\nevil = "1"\n', ADDED),
        ("Cargo.toml", '[package]\nname = "a"\n', '[package]\nname = "a"\nbuild = "b.rs"\n', SCRIPT),
        ("uv.lock", LOCKED, LOCKED.replace("/a", "/b"), set()),
        ("uv.lock", LOCKED, 'url = "https://e.example/a"\n', SOURCE),
    ],
)
def test_manifests(path: str, before: str, after: str, expected: set[tuple[str, Holds]]) -> None:
    assert {(risk.check, risk.holds) for risk in risks(change_of((path, before, after)))} == expected


@pytest.mark.parametrize(
    ("name", "others", "held"),
    [
        ("mock", "Please mock the clock", True),
        ("coverage", "Please add test coverage for half", True),
        ("mock", "Please use @types/mock", True),
        ("mock", "Please add mock-fs as a dependency", True),
        ("mock", "Please add the dependency mock", False),
        ("pytest-cov", "Please use pytest-cov", False),
    ],
)
def test_who_asks_for_the_very_package_waives_it(name: str, others: str, held: bool) -> None:
    change = change_of(("requirements.txt", "attrs\n", f"attrs\n{name}\n"))
    assert ([risk.holds for risk in risks(change, "", others)] == [Holds.ALWAYS]) is held


def test_the_table_is_read_from_the_whole_file() -> None:
    before = PROJECT.replace("]\nkeywords", "".join(f'    "a{number}",\n' for number in range(20)) + "]\nkeywords")
    after = before.replace('    "a19",\n', '    "a19",\n    "evil",\n')
    change = change_of(("pyproject.toml", before, after))
    (risk,) = risks(change, whole=lambda file: (before, after) if file.path == "pyproject.toml" else None)
    assert (risk.check, risk.line, risk.names) == ("dependency_added", 25, ("evil",))


def test_what_the_base_has_locked_already_is_shown() -> None:
    def whole(file: FileChange) -> tuple[str, str] | None:
        return ('name = "evil"\n', "") if file.path == "uv.lock" else None

    change = change_of(("requirements.txt", "attrs\n", "attrs\nevil\n"))
    assert [risk.holds for risk in risks(change, whole=whole)] == [NEVER]


@pytest.mark.parametrize(
    ("name", "lock", "text", "held"),
    [
        ("hypothesis", "uv.lock", '[[package]]\nname = "hypothesis"\nversion = "6"\n', False),
        ("coverage", "Pipfile.lock", '    "develop": {\n        "coverage": {\n', False),
        ("mock", "poetry.lock", '[[package]]\nname = "mock"\n', False),
        ("ruamel-yaml", "uv.lock", 'name = "ruamel.yaml"\n', False),
        ("jest-dom", "package-lock.json", '    "node_modules/a/node_modules/jest-dom": {\n', False),
        ("jest", "yarn.lock", '"jest@^29.0.0":\n  version "29.0.0"\n', False),
        ("mock", "uv.lock", '[[package]]\nname = "attrs"\n', True),
        ("mock", "uv.lock", 'url = "https://files.example/mock/attrs.whl"\n', True),
        ("coverage", "uv.lock", 'coverage = [\n    { name = "attrs" },\n]\n', True),
        ("mock", "uv.lock", 'name = "mock-fs"\n', True),
        ("pytest-cov", "uv.lock", 'name = "pytest-cov"\n', True),
        ("pytest_cov", "uv.lock", 'name = "pytest-cov"\n', True),
        ("allure-pytest", "uv.lock", 'name = "allure-pytest"\n', True),
    ],
)
def test_what_is_locked_is_held_only_where_pytest_loads_it(name: str, lock: str, text: str, held: bool) -> None:
    change = change_of(("requirements.txt", "attrs\n", f"attrs\n{name}\n"))
    for find in (risks, risks_of):
        found = find(change, "", "", lambda file: (text, text) if file.path == lock else None)
        assert not isinstance(found, TooLong)
        assert ([risk.holds for risk in found] != [NEVER]) is held


def test_whole_files_are_asked_for_only_where_they_tell() -> None:
    def whole(file: FileChange) -> tuple[str, str] | None:
        asked.append(file.path)
        return ('name = "evil"\n', "") if file.path == "uv.lock" else None

    asked: list[str] = []
    assert risks_of(change_of(("shop/cart.py", "a = 1\n", "a = 2\n")), "", "", whole) == ()
    assert asked == []
    found = risks_of(change_of(("requirements.txt", "attrs\n", "attrs\nevil\n")), "", "", whole)
    assert not isinstance(found, TooLong) and [risk.holds for risk in found] == [NEVER]
    assert asked[:2] == ["requirements.txt", "uv.lock"]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ('{"scripts": {"preinstall": "sh get.sh", "lint": "eslint"}}', SCRIPT),
        ('{"dependencies": {"a": "git+https://e.example/a.git"}}', SOURCE),
    ],
)
def test_a_manifest_on_one_line_says_the_same(after: str, expected: set[tuple[str, Holds]]) -> None:
    change = change_of(("package.json", "{}\n", after))
    assert {(risk.check, risk.holds) for risk in risks(change, whole=lambda file: ("{}\n", after))} >= expected
