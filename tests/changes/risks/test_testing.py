"""What steers tests: what reaches the judge asks for a person, the rest only where tests end differently with it."""

import pytest

from bot.changes.read import read_change
from bot.changes.risks.found import risks
from bot.changes.risks.values import Holds
from tests.changes.parts import change_of

ALWAYS, UNLIKE = Holds.ALWAYS, Holds.UNLIKE


@pytest.mark.parametrize(
    ("path", "added", "holds"),
    [
        ("tests/conftest.py", "@pytest.fixture\ndef cart():\n    return Cart()", UNLIKE),
        ("tests/conftest.py", "def pytest_collection_modifyitems(items):\n    items.pop()", ALWAYS),
        ("tests/conftest.py", "@pytest.hookimpl(hookwrapper=True)", ALWAYS),
        ("tests/conftest.py", "pytest_plugins = ['mine']", ALWAYS),
        ("tests/conftest.py", "import os; os._exit(0)", ALWAYS),
        ("tests/conftest.py", "def pytest_addoption(parser):\n    pass", UNLIKE),
        (
            "tests/conftest.py",
            "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: it is')",
            UNLIKE,
        ),
        ("tests/conftest.py", "def pytest_runtest_setup():\n    gc.disable()", UNLIKE),
        (
            "tests/conftest.py",
            "def pytest_configure(config):\n    for name, value in SEEDS.items():\n        seed(name)",
            UNLIKE,
        ),
        (
            "tests/conftest.py",
            "@pytest.fixture(autouse=True)\ndef shop(request):\n    request.cls.shop = Shop()",
            UNLIKE,
        ),
        ("tests/conftest.py", "@pytest.fixture\ndef cart():\n    pytest.skip('no cart')", UNLIKE),
        ("tests/conftest.py", "needs_cart = pytest.mark.skipif(not CART, reason='no cart')", UNLIKE),
        ("tests/conftest.py", "def pytest_configure(config):\n    config.option.keyword = 'not cart'", ALWAYS),
        ("tests/conftest.py", "def pytest_sessionstart(session):\n    session.items = []", ALWAYS),
        ("tests/conftest.py", "def pytest_runtest_setup(item):\n    if LATE:\n        pytest.skip()", ALWAYS),
        ("tests/conftest.py", "def pytest_runtest_setup(\n    item,\n):\n    item.obj = print", ALWAYS),
        ("tests/conftest.py", "def pytest_itemcollected(item):\n    item.add_marker('xfail')", ALWAYS),
        ("tests/conftest.py", "def pytest_generate_tests(metafunc):\n    metafunc.parametrize('a', [])", ALWAYS),
        ("tests/conftest.py", "def mark(request):\n    request.node.add_marker(pytest.mark.xfail)", ALWAYS),
        ("tests/conftest.py", "@pytest.fixture(autouse=True)\ndef cart():\n    pytest.skip('no cart')", ALWAYS),
        ("tests/conftest.py", "from tests.steering import pytest_collection_modifyitems", ALWAYS),
        ("tests/conftest.py", "pytest_runtest_call = nothing", ALWAYS),
        ("tox.ini", "    flake8 shop --ignore=E203,W503", UNLIKE),
        ("noxfile.py", '    session.run("flake8", "--ignore=W503,E203", *FILES)', UNLIKE),
        ("noxfile.py", '    session.run("pytest", "--ignore=W503")', ALWAYS),
        ("noxfile.py", '    session.run("flake8"); session.run("pytest", "--ignore=W503")', ALWAYS),
        ("tox.ini", "    flake8 && pytest --ignore=W503", ALWAYS),
        ("tox.ini", "    flake8 --ignore=W503 && pytest --ignore=tests", ALWAYS),
        ("tox.ini", "    flake8 --ignore=W503/tests", ALWAYS),
        ("tox.ini", "    pytest --ignore=W503", ALWAYS),
        ("pytest.ini", "markers = slow", UNLIKE),
        ("pytest.ini", "addopts = --deselect tests/test_a.py", ALWAYS),
        ("tox.ini", "    coverage run -m pytest", UNLIKE),
        ("tox.ini", "    pytest || true", ALWAYS),
        ("pyproject.toml", "[tool.pytest.ini_options]\nmarkers = ['slow']", UNLIKE),
        ("pyproject.toml", "testpaths = ['tests/unit']", ALWAYS),
        ("pyproject.toml", "line-length = 100", None),
        ("package.json", '  "test": "true",', UNLIKE),
        ("package.json", '  "testMatch": ["a"],', ALWAYS),
        ("package.json", '  "description": "A shop",', None),
        ("jest.config.js", "  verbose: true,", UNLIKE),
        ("jest.config.js", "  testPathIgnorePatterns: ['cart'],", ALWAYS),
        ("Makefile", "test:\n\tpytest", UNLIKE),
        ("Makefile", "test:\n\t-pytest", ALWAYS),
    ],
)
def test_what_steers_tests(path: str, added: str, holds: Holds | None) -> None:
    found = [risk.holds for risk in risks(change_of((path, "\n", f"\n{added}\n"))) if risk.check == "tests_steered"]
    assert found == ([holds] if holds else [])


@pytest.mark.parametrize(("name", "held"), [("pytest_runtest_setup", ALWAYS), ("cart", UNLIKE)])
def test_in_which_function_a_line_stands_is_seen_beyond_the_diff(name: str, held: Holds) -> None:
    top = "\n".join((f"def {name}(item):", *("    pass" for _ in range(9)), ""))
    change = change_of(("tests/conftest.py", f"{top}\n", f"{top}    item.obj = print\n"))
    (found,) = risks(change, whole=lambda file: (f"{top}\n", f"{top}    item.obj = print\n"))
    assert found.holds is held


@pytest.mark.parametrize(
    "path", ["sitecustomize.py", "src/evil.pth", "pytest.py", "_pytest/__init__.py", "coverage/__init__.py"]
)
def test_what_python_or_a_tool_loads_by_itself(path: str) -> None:
    header = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a = 1\n"
    assert "tools_shadowed" in {risk.check for risk in risks(read_change(header))}
    assert "tools_shadowed" not in {risk.check for risk in risks(change_of((path, "a = 1\n", "a = 2\n")))}
    own = header.replace(path, "src/_pytest/approx.py")
    assert "tools_shadowed" not in {risk.check for risk in risks(read_change(own))}, (
        "a module of a package that is there"
    )


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("node_modules/vitest/index.js", True),
        (".hg/branch", True),
        ("src/.svn/price.py", True),
        ("web/node_modules/.bin/jest", True),
        (".venv/lib/python3.12/site-packages/pytest.py", True),
        ("shop/__pycache__/cart.pyc", True),
        ("src/node_modules.js", False),
        ("docs/site-packages.md", False),
    ],
)
def test_what_lies_where_packages_are_installed(path: str, held: bool) -> None:
    checks = {risk.check for risk in risks(change_of((path, "a = 1\n", "a = 2\n")))}
    assert ("tools_shadowed" in checks) is held


@pytest.mark.parametrize(("named", "held"), [("pyproject.toml", True), ("settings.toml", False)])
def test_code_that_reads_what_says_how_tests_run_is_held_where_both_change(named: str, held: bool) -> None:
    code = ("shop/cart.py", "x\n", f"x\nQUIET = 'quiet' in open('{named}').read()\n")
    both = change_of(code, ("pyproject.toml", "a = 1\n", "a = 1\nquiet = 1\n"))
    assert ([risk.holds for risk in risks(both)] == [ALWAYS]) is held
    assert risks(change_of(code)) == ()


@pytest.mark.parametrize(
    ("others", "held"),
    [
        ("Please add a test to the test suite", True),
        ("The test runner should be quicker", True),
        ("Please fix shop/conftest.py", True),
        ("Please change the pytest configuration", False),
        ("Please fix the fixture in conftest.py", False),
    ],
)
def test_only_words_about_configuration_waive_it(others: str, held: bool) -> None:
    change = change_of(("tests/conftest.py", "\n", "\ndef pytest_collection_modifyitems(items):\n    items.pop()\n"))
    assert ([risk.holds for risk in risks(change, "", others)] == [ALWAYS]) is held


def test_an_issue_about_code_waives_nothing_that_the_code_reads_of_configuration() -> None:
    code = ("shop/cart.py", "x\n", "x\nQUIET = 'quiet' in open('pyproject.toml').read()\n")
    both = change_of(code, ("pyproject.toml", "a = 1\n", "a = 1\nquiet = 1\n"))
    assert [risk.holds for risk in risks(both, "", "Please fix shop/cart.py")] == [ALWAYS]
    assert [risk.holds for risk in risks(change_of(code), "", "Please fix shop/cart.py")] == []
