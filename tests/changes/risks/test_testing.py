"""What steers tests: what reaches the judge asks for a person, the rest is left to what runs."""

import pytest

from bot.changes.read import read_change
from bot.changes.risks.catalogue import risks
from bot.changes.risks.values import Holds
from tests.changes.parts import change_of
from tests.support.cases import cases

ALWAYS = Holds.ALWAYS


@cases
def test_what_steers_tests(path: str, added: str, holds: bool) -> None:
    found = [risk.holds for risk in risks(change_of((path, "\n", f"\n{added}\n"))) if risk.check == "tests_steered"]
    assert found == [ALWAYS] * holds


@pytest.mark.parametrize(("name", "held"), [("pytest_runtest_setup", True), ("cart", False)])
def test_in_which_function_a_line_stands_is_seen_beyond_the_diff(name: str, held: bool) -> None:
    top = "\n".join((f"def {name}(item):", *("    pass" for _ in range(9)), ""))
    change = change_of(("tests/conftest.py", f"{top}\n", f"{top}    item.obj = print\n"))
    found = risks(change, whole=lambda file: (f"{top}\n", f"{top}    item.obj = print\n"))
    assert [risk.holds for risk in found] == [ALWAYS] * held


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


@cases
def test_what_lies_where_packages_are_installed(path: str, held: bool) -> None:
    checks = {risk.check for risk in risks(change_of((path, "a = 1\n", "a = 2\n")))}
    assert ("tools_shadowed" in checks) is held


@pytest.mark.parametrize(("named", "held"), [("pyproject.toml", True), ("settings.toml", False)])
def test_code_that_reads_what_says_how_tests_run_is_held_where_both_change(named: str, held: bool) -> None:
    code = ("shop/cart.py", "x\n", f"x\nQUIET = 'quiet' in open('{named}').read()\n")
    both = change_of(code, ("pyproject.toml", "a = 1\n", "a = 1\nquiet = 1\n"))
    assert ([risk.holds for risk in risks(both)] == [ALWAYS]) is held
    assert risks(change_of(code)) == ()


@cases
def test_only_words_about_configuration_waive_it(others: str, held: bool) -> None:
    change = change_of(("tests/conftest.py", "\n", "\ndef pytest_collection_modifyitems(items):\n    items.pop()\n"))
    assert ([risk.holds for risk in risks(change, "", others)] == [ALWAYS]) is held


def test_an_issue_about_code_waives_nothing_that_the_code_reads_of_configuration() -> None:
    code = ("shop/cart.py", "x\n", "x\nQUIET = 'quiet' in open('pyproject.toml').read()\n")
    both = change_of(code, ("pyproject.toml", "a = 1\n", "a = 1\nquiet = 1\n"))
    assert [risk.holds for risk in risks(both, "", "Please fix shop/cart.py")] == [ALWAYS]
    assert [risk.holds for risk in risks(change_of(code), "", "Please fix shop/cart.py")] == []
