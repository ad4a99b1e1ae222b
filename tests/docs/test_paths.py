"""Each file, folder and module that the pages name is there."""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import ARCHITECTURE, INTERNALS, ROOT, USER_PAGES

ROOMS = ("bot", "webhooks", "prompts", "tests", "lab", "fake_github", "benchmarks", "deploy", "scripts")
THEIRS = {"tests/requirements.txt"}  # of the project that is judged


@cache
def tree() -> tuple[str, ...]:
    """Every file and folder of the rooms."""
    found = (each.relative_to(ROOT) for room in ROOMS for each in (ROOT / room).rglob("*"))
    return (*ROOMS, *(each.as_posix() for each in found if "__pycache__" not in each.parts))


def named(page: Path) -> Iterator[str]:
    """Paths and dotted names between backticks, and the files in a drawing."""
    text = page.read_text(encoding="utf-8")
    for drawing in re.findall(r"```mermaid\n(.*?)```", text, re.DOTALL):
        yield from re.findall(r"[\w/]+\.py", drawing)
    for name in re.findall(r"`([\w./*-]+)`", text):
        in_a_room = re.match(rf"({'|'.join(ROOMS)})/|(bot|webhooks)\.[a-z]", name)
        if in_a_room or re.fullmatch(r"\w+\.py", name):
            yield name


def is_there(name: str) -> bool:
    """A dotted name may end in something that its module defines."""
    if "/" not in name and not name.endswith(".py"):
        path = name.replace(".", "/")
        module, _, defined = path.rpartition("/")
        file = ROOT / f"{module}.py"
        return path in tree() or f"{path}.py" in tree() or (file.exists() and defined in file.read_text("utf-8"))
    path = name.rstrip("/")
    return any(fnmatch(each, path) or each.endswith(f"/{path}") for each in tree())


@pytest.mark.parametrize("page", [ARCHITECTURE, *INTERNALS, *USER_PAGES], ids=lambda page: page.name)
def test_every_file_a_page_names_is_there(page: Path) -> None:
    assert [name for name in named(page) if name not in THEIRS and not is_there(name)] == []


def test_a_file_that_is_gone_is_found() -> None:
    gone = ("bot/no_such_file.py", "bot.no_such_module", "bot.policy.no_such_name", "no_such_file.py", "bot/nowhere/")
    assert not any(map(is_there, gone))
    assert all(map(is_there, ("bot/policy.py", "bot.policy", "bot.policy.Policy", "policy.py", "bot/")))
