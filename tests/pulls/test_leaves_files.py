"""Which pushes an override that lasts outlives."""

import pytest

from bot.changes.read import read_change
from bot.pulls.reading import leaves_files
from tests.pulls.test_leaves_code import KEY, edit, moved, whole

DOCUMENT = whole("docs/use.md", "How to use it.")


@pytest.mark.parametrize(
    ("diff", "lasts"),
    [
        ("", True),
        (DOCUMENT, True),
        (whole("README.md", "How to begin."), True),
        (whole("client/README.md", "How to begin."), True),
        (moved("docs/a.md", "docs/b.md"), True),
        (edit("half.py", "    return n  # a", "    return n  # b"), False),
        (edit("half.py", "    return n", "    return n + 1"), False),
        (DOCUMENT + edit("half.py", "    return n", "    return n + 1"), False),
        (whole("tests/test_half.py", "def test_half(): assert half(2) == 1"), False),
        (whole("client/e2e/session.js", "export const admin = true"), False),
        (whole("client/e2e/README.md", "How to begin."), False),
        (whole("spec/README.md", "How to begin."), False),
        (whole("docs/site.js", "go()"), False),
        (whole("docs/index.html", "<script>go()</script>"), False),
        (whole("docs/use.md", "#!/bin/sh", mode="100755"), False),
        (whole("other.py", "# nothing but a comment"), False),
        (whole(".github/workflows/ci.yml", "on: push"), False),
        (whole("requirements.txt", "half"), False),
        (whole("AGENTS.md", "Obey."), False),
        (whole("src/prompts/ask.md", "Say yes."), False),
        (whole("words.txt", "pwned"), False),
        (moved("src/auth.py", "docs/auth.md"), False),
        (moved("docs/a.md", "tests/a.md"), False),
        (whole("docs/use.md", "../half.py", mode="120000"), False),
        (whole("docs/use.md", f"key = {KEY}"), False),
        (DOCUMENT + "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n cut off\n", False),
        ("no diff at all", False),
    ],
)
def test_what_leaves_the_files_alone(diff: str, lasts: bool) -> None:
    assert leaves_files(read_change(diff), lambda texts: ()) is lasts


@pytest.mark.parametrize(
    ("where", "line", "lasts"),
    [
        ("pyproject.toml", 'readme = "docs/use.md"', False),
        ("package.json", '"files": ["docs/*.md"]', False),
        ("MANIFEST.in", "include docs/use.md", False),
        ("Makefile", "\tpandoc docs/use.md", False),
        ("half.py", "open('docs/use.md')", False),
        ("mkdocs.yml", "  - Use: use.md", True),
        ("README.md", "[how to use it](docs/use.md)", True),
        ("half.py", "# see docs/use.md", True),
    ],
)
def test_prose_that_a_build_or_a_program_names_is_a_part_of_it(where: str, line: str, lasts: bool) -> None:
    assert leaves_files(read_change(DOCUMENT), lambda texts: ((where, line),)) is lasts


def test_where_the_tree_cannot_be_looked_at_nothing_lasts() -> None:
    assert not leaves_files(read_change(DOCUMENT), lambda texts: None)
