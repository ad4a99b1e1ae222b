from pathlib import Path

import pytest

from bot.verification.files.loads import Loads
from bot.verification.testing.select import select_tests
from bot.verification.values import Program
from tests.support.cases import cases, table

FILES = table(dict[str, str], __file__, "FILES")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def imports(tree: Path) -> Loads:
    return Loads.of(Program(tree, {}), others=False)


@cases
def test_the_tests_that_a_change_concerns(tree: Path, changed: list[str], selected: tuple[str, ...]) -> None:
    assert select_tests([imports(tree)], changed)[0] == selected


@cases
def test_the_whole_suite_where_nothing_better_is_known(tree: Path, changed: list[str]) -> None:
    assert select_tests([imports(tree)], changed) == ((), ())


def test_a_repository_with_too_many_files_is_tested_whole(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.verification.testing.select.MOST_FILES", 3)
    assert select_tests([imports(tree)], ["src/shop/cart.py"]) == ((), ())


def test_circles_and_links_do_not_hold_it_up(tree: Path) -> None:
    (tree / "src/shop/price.py").write_text("import shop.cart\n")
    (tree / "src/shop/loop").symlink_to(tree)
    (tree / "src/shop/endless.py").symlink_to("/dev/zero")
    assert select_tests([imports(tree)], ["src/shop/price.py"]) == (("tests/test_cart.py",), ())
