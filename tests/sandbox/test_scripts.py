"""What runs inside the sandbox is one text, whatever modules it is made of."""

import ast

import pytest

from bot.sandbox.scripts import script


@pytest.mark.parametrize(
    ("package", "name"),
    [("bot.already_fixed.in_sandbox", "reproduce"), ("bot.verification.calls", "harness")],
)
def test_nothing_of_ours_is_imported_inside(package: str, name: str) -> None:
    tree = ast.parse(script(package, name))
    assert not [
        each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) and f"{each.module}".startswith("bot")
    ]
