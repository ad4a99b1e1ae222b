"""The tests that are put among a suite's own: files like others, items like others, gone afterwards."""

from pathlib import Path

import pytest

from bot.verification.testing.run import run_suite
from bot.verification.values import Program, Suite
from tests.support.sandbox import BUBBLEWRAP

# One of the suite's own tests looks for what could tell them from others, so what it finds is told like any outcome.
LOOKS = """
import inspect, os, pytest
from pathlib import Path

SOURCES = sorted(Path(__file__).parent.glob("*.py"))
MADE = []

@pytest.fixture(scope="module")
def made(): MADE.append(1)

def test_once(made): assert MADE == [1]

@pytest.mark.parametrize("source", SOURCES, ids=lambda each: each.name)
def test_source(source): assert source.exists()

def test_still_once(made): assert MADE == [1]

def test_alike(request):
    items = [each for each in request.session.items if not hasattr(each, "callspec")]
    names = [os.path.basename(each.fspath)[:-3] for each in items]
    assert items[0].fspath != request.node.fspath != items[-1].fspath and len(set(names)) == 10
    for item, name in zip(items, names):
        assert item.session.seen[item] == item.session.seen[request.node], item.nodeid
        assert item.function.__name__ == item.name == item.originalname
        assert getattr(item.module, item.name) is item.function
        assert inspect.getsource(item.function).startswith("def " + item.name)
        assert inspect.getsourcefile(item.function) == str(item.fspath) and os.path.exists(item.fspath)
        assert name.replace("_", "").isalpha() and name.endswith("_test") is names[1].endswith("_test")
        assert item.nodeid == os.path.relpath(item.fspath) + "::" + item.name
"""
SEES = """
def seen(item):
    return type(item), sorted(vars(item)), type(item.parent), sorted(vars(item.parent)), item.parent.parent

def pytest_collection_finish(session):
    session.seen = {item: seen(item) for item in session.items}
"""
ALONE = "import pytest\n@pytest.fixture(autouse=True)\ndef shop(request): request.cls.shop = 1\n"


def laid(tree: Path, files: dict[str, str]) -> Program:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    return Program(tree, {})


@pytest.mark.parametrize(
    "files",
    [
        {"tests/test_shop.py": LOOKS},
        {"tests/shop_test.py": LOOKS},
        {"test_shop.py": LOOKS, "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n"},
        {"tests/deep/test_shop.py": LOOKS, "tests/__init__.py": "", "tests/deep/__init__.py": ""},
    ],
)
def test_nothing_tells_them_from_others_and_nothing_stays(files: dict[str, str], tmp_path: Path) -> None:
    files = {**files, "conftest.py": SEES}
    program = laid(tmp_path, files)
    (path,) = (path for path in files if "shop" in path)
    beside = [other for other in files if other.endswith(".py") and Path(other).parent == Path(path).parent]
    for select in ((), (path,)):
        run = run_suite(BUBBLEWRAP, program, Suite(select=select, watched=frozenset(files), locked=frozenset(files)))
        assert [(each.name, each.message) for each in run.results if each.status.value != "passed"] == []
        assert (len(run.results), run.problem, run.written) == (3 + len(beside), "", ())


@pytest.mark.parametrize(
    "files",
    [
        # what applies by itself in a folder may be for classes alone
        {"tests/conftest.py": ALONE, "tests/test_a.py": "class TestA:\n def test_a(self): assert self.shop\n"},
        {"tests/conftest.py": "raise SystemExit('no server')", "docs/test_a.py": "def test_a(): pass\n"},
        {
            "pytest.ini": "[pytest]\naddopts = --doctest-glob=*.txt\n",
            "docs/use.txt": ">>> import sys; 'docs' in sys.path[0]\nFalse\n",
        },
        {"a/test_one.py": "def test_a(): pass\n", "b/test_two.py": "import test_one\ndef test_b(): pass\n"},
        {"check.py": "def test_a(): pass\n", "pytest.ini": "[pytest]\npython_files = check*.py\n"},
    ],
)
def test_no_suite_fails_by_them(files: dict[str, str], tmp_path: Path) -> None:
    run = run_suite(BUBBLEWRAP, laid(tmp_path, files), Suite(select=("docs",) if "docs/test_a.py" in files else ()))
    assert run.problem == ""
    assert {each.status.value for each in run.results} == {"passed"}, run.results
