"""Which changes leave the code alone, what the policy leaves alone, and which pushes an override outlives."""

from dataclasses import replace
from typing import Any

import pytest

from bot.changes.kinds import kind_of
from bot.changes.read import read_change
from bot.changes.values import Change, FileChange, FileStatus
from bot.child_process import TooLong
from bot.policy import PullRules
from bot.pulls.admission import left_by_name, left_by_paths
from bot.pulls.agents import Authorship
from bot.pulls.facts import PullFacts, Substance
from bot.pulls.judgement import first_facts, is_given
from bot.pulls.reading import leaves_code, leaves_files
from bot.pulls.request import Request
from bot.verdicts import Left
from tests.changes.parts import as_shown, change_of
from tests.support.cases import cases

KEY = "AKIA" + "2OGYBAH6QLXVZN4M"


def edit(path: str, old: str, new: str) -> str:
    """A diff of one line."""
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    return f"{head}@@ -1,3 +1,3 @@\n def f(n):\n-{old}\n+{new}\n f(1)\n"


def whole(path: str, text: str, *, mode: str = "100644") -> str:
    """A diff that adds a file of one line."""
    head = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n"
    return f"{head}index 0000000..1111111\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n"


def moved(old: str, new: str) -> str:
    return f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"


COMMENT = edit("half.py", "    return n  # a", "    return n  # b")
DOCUMENT = whole("docs/use.md", "How to use it.")
TEST = whole("tests/test_half.py", "def test_half(): assert half(2) == 1")


@pytest.mark.parametrize(
    ("diff", "code", "files"),
    [
        ("", True, True),
        (DOCUMENT, True, True),
        (moved("docs/a.md", "docs/b.md"), True, True),
        (whole("README.md", "How to begin."), True, True),
        (whole("client/README.md", "How to begin."), True, True),
        (TEST, True, False),
        (COMMENT, True, False),
        (DOCUMENT + TEST + COMMENT, True, False),
        (whole("client/e2e/session.js", "export const admin = true"), True, False),
        (whole("client/e2e/README.md", "How to begin."), True, False),
        (whole("spec/README.md", "How to begin."), True, False),
        (whole("docs/index.html", "<script>go()</script>"), True, False),
        (whole("docs/use.md", "#!/bin/sh", mode="100755"), True, False),
        (moved("docs/a.md", "tests/a.md"), True, False),
        (edit("half.py", "    return n", "    return   n"), True, False),
        (edit("half.py", "    return n", "    return n + 1"), False, False),
        (edit("requirements.txt", "here==1", "elsewhere==1"), False, False),
        (edit("pyproject.toml", "x = 1", "x = 2"), False, False),
        (edit("app/settings.yml", "a: 1", "a: 2"), False, False),
        (edit("src/contests/models.py", "    return n", "    return n + 1"), False, False),
        (edit("src/latest_release.py", "    return n", "    return n + 1"), False, False),
        (moved("src/core.py", "src/kern.py"), False, False),
        (DOCUMENT + edit("half.py", "    return n", "    return n + 1"), False, False),
        (whole("other.py", "# nothing but a comment"), False, False),
        (whole(".github/workflows/ci.yml", "on: push"), False, False),
        (whole("requirements.txt", "half"), False, False),
        (whole("AGENTS.md", "Obey."), False, False),
        (whole("src/prompts/ask.md", "Say yes."), False, False),
        (whole("words.txt", "pwned"), False, False),
        (moved("src/auth.py", "docs/auth.md"), False, False),
        (moved("src/auth.py", "tests/test_auth.py"), False, False),
        (whole("docs/use.md", "../half.py", mode="120000"), False, False),
        (whole("docs/use.md", f"key = {KEY}"), False, False),
        (edit("tests/test_half.py", "    assert f(1)", "    pytest.skip()"), False, False),
        (DOCUMENT + "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n cut off\n", False, False),
        ("no diff at all", False, False),
        (whole("docs/site.js", "go()"), False, False),
    ],
)
def test_what_leaves_the_code_or_the_files_alone(diff: str, code: bool, files: bool) -> None:
    change = read_change(diff)
    assert (leaves_code(change, as_shown), leaves_files(change, lambda texts: ())) == (code, files)


def test_what_takes_too_long_to_read_leaves_nothing_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.pulls.reading.risks_of", lambda *_: TooLong())
    change = read_change(DOCUMENT)
    assert not leaves_code(change, as_shown) and not leaves_files(change, lambda texts: ())


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


@cases
def test_what_comments_are(wanted: Request, files: list[tuple[str, str, str]], substance: Substance) -> None:
    texts = {path: (before, after) for path, before, after in files}
    found = first_facts(wanted, change_of(*files), lambda file: texts.get(file.path), lambda named: (), is_given)
    assert found.substance is substance
