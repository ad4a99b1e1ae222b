"""What the policy leaves alone, by each trick to be left alone and its honest twin."""

from dataclasses import replace
from typing import Any

import pytest

from bot.changes.kinds import kind_of
from bot.changes.values import Change, FileChange, FileStatus
from bot.policy import PullRules
from bot.pulls.admission import left_by_name, left_by_paths
from bot.pulls.agents import Authorship
from bot.pulls.facts import PullFacts
from bot.verdicts import Left
from tests.support.cases import cases

AGENTS, PERSONS = Authorship(True, ("It is.",), True), Authorship(False, ("It is not.",), True)


def policy(**sections: Any) -> PullRules:
    return PullRules.model_validate_json(PullRules.model_validate(sections, strict=False).model_dump_json())


def file(path: str, **difference: Any) -> FileChange:
    return replace(FileChange(path, kind_of(path), FileStatus.MODIFIED), **difference)


@cases
def test_by_branch_and_title(
    base: str, title: str, whose: Authorship, rules: dict[str, Any], left: Left | None
) -> None:
    assert left_by_name(base, title, whose, policy(**rules)) is left


DOCS = ("docs/**", "**/*.png", "*.md")


@pytest.mark.parametrize(
    ("files", "patterns", "left"),
    [
        ((file("docs/a.md"), file("docs/deep/er/b.rst"), file("README.md"), file("x/y/z.png")), DOCS, True),
        ((file("docs/a.md"),), (), False),
        ((), DOCS, False),
        ((file("docs/a.md"), file("shop.py")), DOCS, False),  # all of them, not one
        ((file("sub/README.md"),), DOCS, False),
        ((file("Docs/a.md"),), DOCS, False),
        # A file that is moved was somewhere else before; one that is copied was not.
        ((file("docs/a.md", status=FileStatus.RENAMED, old_path="shop.py"),), DOCS, False),
        ((file("docs/a.md", status=FileStatus.RENAMED, old_path="docs/b.md"),), DOCS, True),
        ((file("docs/a.md", status=FileStatus.COPIED, old_path="shop.py"),), DOCS, True),
        # What judges other changes is never left alone, whatever the pattern says.
        ((file("tests/test_shop.py"),), ("**",), False),
        ((file("docs/conftest.py"),), DOCS, False),
        ((file("docs/pytest.ini"),), DOCS, False),
        ((file("docs/Makefile"),), DOCS, False),
        ((file(".github/workflows/ci.yml"),), ("**",), False),
        ((file("pyproject.toml"),), ("**",), False),
        # Neither is what is no file that people read there.
        ((file("docs/a.md", link=True),), DOCS, False),
        ((file("docs/a", submodule=True),), DOCS, False),
        ((file("docs/a.md", executable=True),), DOCS, False),
        ((file("src/shop.py"),), ("src/**",), True),  # the maintainer wrote it
    ],
)
def test_by_paths(files: tuple[FileChange, ...], patterns: tuple[str, ...], left: bool) -> None:
    rules = policy(skip={"paths": list(patterns)})
    assert left_by_paths(Change(files), PullFacts(), rules) is (Left.PATHS if left else None)
    assert left_by_paths(Change(files, "cut off"), PullFacts(), rules) is None


@pytest.mark.parametrize("found", [{"risks": ("A.",)}, {"unread": "Too long."}])
def test_what_asks_for_a_person_is_judged(found: dict[str, Any]) -> None:
    change = Change((file("docs/a.md"),))
    assert left_by_paths(change, PullFacts(), policy(skip={"paths": ["docs/**"]})) is Left.PATHS
    assert left_by_paths(change, PullFacts(**found), policy(skip={"paths": ["docs/**"]})) is None
