"""What is a risk by what a file is: each trick beside its honest twin."""

import re

import pytest

from bot.changes.read import read_change
from bot.changes.risks.apart import risks_of
from bot.changes.risks.found import CHECKS, FAMILIES, risks
from bot.changes.risks.layout import LONGEST
from bot.changes.risks.values import Find, Holds
from bot.changes.values import Change
from bot.child_process import TooLong
from tests.changes.parts import change_of

ALWAYS, UNLIKE, NEVER, WAIVED = Holds.ALWAYS, Holds.UNLIKE, Holds.NEVER, Holds.WAIVED


def told(change: Change, others: str = "", asked: str = "") -> set[tuple[str, Holds]]:
    return {(risk.check, risk.holds) for risk in risks(change, asked, others)}


@pytest.mark.parametrize(
    ("path", "check"),
    [
        (".github/workflows/ci.yml", "ci_changed"),
        (".gitlab-ci.yml", "ci_changed"),
        (".circleci/config.yml", "ci_changed"),
        ("Jenkinsfile", "ci_changed"),
        ("azure-pipelines.yml", "ci_changed"),
        ("Dockerfile", "ci_changed"),
        (".github/bouncer.yml", "policy_changed"),
        ("CODEOWNERS", "owners_changed"),
        (".github/CODEOWNERS", "owners_changed"),
        ("docs/CODEOWNERS", "owners_changed"),
        ("AGENTS.md", "instructions_changed"),
        ("src/pkg/CLAUDE.md", "instructions_changed"),
        ("agents.md", "instructions_changed"),
        ("src/agents.md", "instructions_changed"),
        ("docs/AGENTS.md", "instructions_changed"),
        ("docs/GEMINI.local.md", "instructions_changed"),
        ("docs/.claude/agents.md", "instructions_changed"),
        (".github/copilot-instructions.md", "instructions_changed"),
        (".cursor/rules/style.mdc", "instructions_changed"),
        (".cursorrules", "instructions_changed"),
        (".claude/skills/release/SKILL.md", "instructions_changed"),
        (".gitattributes", "git_changed"),
        (".gitmodules", "git_changed"),
        (".npmrc", "dependency_source"),
        ("pip.conf", "dependency_source"),
        (".yarnrc.yml", "dependency_source"),
        (".cargo/config.toml", "dependency_source"),
        ("build.rs", "install_script"),
    ],
)
def test_files_that_a_person_must_see(path: str, check: str) -> None:
    assert told(change_of((path, "a\n", "b\n"))) == {(check, ALWAYS)}


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/agents/overview.rst",
        "docs/agents.md",
        "docs/gemini.md",
        "docs/Conventions.md",
        "shop/doc/guide/claude.md",
        "src/shop/workflows.py",
        "src/shop/owners.py",
        "src/shop/pip.py",
        "tests/test_a.py",
    ],
)
def test_ordinary_files(path: str) -> None:
    assert told(change_of((path, "a\n", "b\n"))) == set()


def test_a_file_that_is_moved_away_is_a_risk_too() -> None:
    diff = "diff --git a/CODEOWNERS b/old.txt\nsimilarity index 100%\nrename from CODEOWNERS\nrename to old.txt\n"
    assert told(read_change(diff)) == {("owners_changed", ALWAYS)}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("old mode 100644\nnew mode 100755\n", {("made_executable", ALWAYS)}),
        ("old mode 100755\nnew mode 100644\n", set()),
        ("new file mode 100755\n", {("made_executable", NEVER)}),
        ("new file mode 120000\n", {("symbolic_link", ALWAYS)}),
        ("index 1234567..89abcde 160000\n", {("git_changed", ALWAYS)}),
    ],
)
def test_modes(header: str, expected: set[tuple[str, Holds]]) -> None:
    assert told(read_change(f"diff --git a/run b/run\n{header}")) == expected


CI, HOOKS = ".github/workflows/ci.yml", ".pre-commit-config.yaml"


@pytest.mark.parametrize(
    ("path", "before", "after", "holds"),
    [
        (HOOKS, "  rev: v24.1", "  rev: v24.2", NEVER),
        (HOOKS, "- repo: https://github.com/psf/black", "- repo: https://github.com/evil/black", ALWAYS),
        (CI, "- uses: actions/checkout@v4", "- uses: actions/checkout@v5", NEVER),
        (CI, "- uses: actions/checkout@v4", "- uses: actions/checkout@v3", ALWAYS),
        (CI, "- uses: actions/checkout@v4", "- uses: evil/checkout@v5", ALWAYS),
        (CI, "- uses: actions/checkout@v4", f"- uses: actions/checkout@{'1' * 40}", ALWAYS),
        (CI, "- uses: actions/checkout@v4", "- uses: actions/checkout@v5\n- run: curl", ALWAYS),
        # What comes before a version, and after it
        (HOOKS, "  rev: 21.6b0", "  rev: 21.7b0", NEVER),
        (HOOKS, "  rev: 21.6b0", "  rev: 22.1.0", NEVER),
        (HOOKS, "  rev: v1.0rc1", "  rev: v1.0", NEVER),
        (HOOKS, "  rev: v3.0.0-alpha.4", "  rev: v3.0.0-beta.1", NEVER),
        (HOOKS, "  rev: 1.0.dev3", "  rev: 1.0a1", NEVER),
        (HOOKS, "  rev: '1.0'", "  rev: '1.0.post1'", NEVER),
        (CI, "- uses: shop/scan@v5.1", "- uses: shop/scan@v6.0.0a1", NEVER),
        (HOOKS, "  rev: 21.7b0", "  rev: 21.6b0", ALWAYS),
        (HOOKS, "  rev: 22.1.0", "  rev: 22.1.0rc1", ALWAYS),
        (HOOKS, "  rev: '1.0'", "  rev: '1.0.0a1'", ALWAYS),
        (HOOKS, "  rev: 1.0rc1", "  rev: 1.0b9", ALWAYS),
        (CI, "- uses: shop/scan@v5.1a1", "- uses: evil/scan@v6.0.0a1", ALWAYS),
        (CI, "- uses: shop/scan@v4.0.0", "- uses: shop/scan@v4", ALWAYS),
        (HOOKS, "  rev: 12a3455", "  rev: 12a3456", ALWAYS),  # short commits
        (HOOKS, "  rev: 21.6b0", f"  rev: {'1' * 40}", ALWAYS),
        (HOOKS, "  rev: 21.6b0", "  rev: main", ALWAYS),
        (HOOKS, "  rev: 21.6b0", "  rev: 21.7-evil", ALWAYS),
    ],
)
def test_newer_versions_of_what_runs_already_are_shown(path: str, before: str, after: str, holds: Holds) -> None:
    assert told(change_of((path, f"a\n{before}\n", f"a\n{after}\n"))) == {("ci_changed", holds)}


ORDERS = """\
on: push
jobs:
  test:
    steps:
      - run: |
          cat <<X
          a
          X
          make \\
            test
      - run: >
          make
          test
      - name: a
          b
      - run: "make \\
          test"
      - run: dir C:\\
"""


@pytest.mark.parametrize(
    ("path", "old", "new", "holds"),
    [
        (CI, "jobs:", "\n# What is tried.\njobs:", NEVER),
        (CI, "jobs:", "jobs:  ", NEVER),
        (CI, "  test:\n", "  # yamllint disable\n\n  test:\n", NEVER),
        (CI, "      - run: >", "\n      # Twice.\n      - run: >", NEVER),
        (".gitlab-ci.yml", "jobs:", "# What is tried.\njobs:", NEVER),
        (HOOKS, "jobs:", "# What is tried.\njobs:", NEVER),
        # In a script, a text of several lines, or at its end
        (CI, "          a\n", "          a\n\n", ALWAYS),
        (CI, "          a\n", "          # a\n          a\n", ALWAYS),
        (CI, "          a\n", "          a \n", ALWAYS),
        (CI, "          a\n", "          a\n# Less far in.\n", ALWAYS),
        (CI, "make \\\n            test\n", "make \\ \n            test\n", ALWAYS),
        (CI, "make \\\n            test\n", "make \\\n\n            test\n", ALWAYS),
        (CI, "          make\n", "          make\n\n", ALWAYS),
        (CI, "name: a\n", "name: a\n\n", ALWAYS),
        (CI, "name: a\n", "name: a\n# Ends it.\n", ALWAYS),
        (CI, '"make \\\n', '"make \\ \n', ALWAYS),
        (CI, '"make \\\n', '"make \\\n\n', ALWAYS),
        (CI, "dir C:\\\n", "dir C:\\ \n", ALWAYS),
        # No comment, or none to every reader
        (CI, "jobs:", "#!/bin/sh\njobs:", ALWAYS),
        (CI, "jobs:", "# a \\\njobs:", ALWAYS),
        (CI, "jobs:", "# a\rname: b\njobs:", ALWAYS),
        (CI, "jobs:", "# a\u2028name: b\njobs:", ALWAYS),
        (CI, "jobs:", "\t# a\njobs:", ALWAYS),
        (CI, "on: push", "on: push  # and more", ALWAYS),
        (CI, "on: push", "# on: push", ALWAYS),
        (CI, "jobs:", "# a\nenv: {}\njobs:", ALWAYS),
        (CI, "    steps:", "   steps:", ALWAYS),
        (CI, "jobs:", "---\njobs:", ALWAYS),
        # Where a comment may be an order
        ("Dockerfile", "on: push", "# syntax=evil/frontend\non: push", ALWAYS),
        (".ci/Dockerfile", "on: push", "# syntax=evil/frontend\non: push", ALWAYS),
        ("Jenkinsfile", "jobs:", "# a\njobs:", ALWAYS),
    ],
)
def test_comments_and_layout_of_what_ci_runs_are_shown(path: str, old: str, new: str, holds: Holds) -> None:
    changed = ORDERS.replace(old, new, 1)
    assert changed != ORDERS
    change = change_of((path, ORDERS, changed))
    (found,) = risks(change, whole=lambda file: (ORDERS, changed))
    assert (found.check, found.holds) == ("ci_changed", holds)
    assert ("only comments and layout" in found.sentence) is (holds is NEVER)


def test_what_ci_runs_is_compared_whole_or_not_at_all() -> None:
    changed = ORDERS.replace("jobs:", "# a\njobs:")
    change = change_of((CI, ORDERS, changed))
    assert told(change) == {("ci_changed", ALWAYS)}
    found = risks_of(change, "", "", lambda file: (ORDERS, changed))
    assert not isinstance(found, TooLong) and [risk.holds for risk in found] == [NEVER]
    huge = f"# {'a' * LONGEST}\n"
    (risk,) = risks(change, whole=lambda file: (huge + ORDERS, huge + changed))
    assert risk.holds is ALWAYS
    broken = "a: [\n"
    (risk,) = risks(change, whole=lambda file: (broken, f"# a\n{broken}"))
    assert risk.holds is ALWAYS


@pytest.mark.parametrize(
    ("others", "holds"),
    [
        ("Update the CI workflow to Python 3.13", WAIVED),
        ("Please add 3.13 to .github/workflows/ci.yml.", WAIVED),
        ("", ALWAYS),
        ("The CI is green, and yet `total` is wrong.", ALWAYS),
        ("Fix the total. It fails in CI", ALWAYS),
        ("We should update the circle", ALWAYS),
        ("Pipeline.fit should run every step once", ALWAYS),
        ("Fix the total, which is wrong in CI", ALWAYS),
        ("A workflow should run its steps in turn", ALWAYS),
        ("Fix half, see src/ci.yml", ALWAYS),
        ("Please add 3.13 to the GitHub workflow", WAIVED),
        ("The CI pipelines should run on 3.13", WAIVED),
    ],
)
def test_only_an_issue_that_asks_for_it_waives_it(others: str, holds: Holds) -> None:
    change = change_of((".github/workflows/ci.yml", "a\n", "b\n"))
    assert told(change, others, asked="Update the CI workflow") == {("ci_changed", holds)}


def test_an_issue_about_a_file_waives_nothing_that_its_code_does() -> None:
    change = change_of(("src/cart.py", "a\n", "import sys\nframe = sys._getframe(1)\n"))
    assert told(change, "Fix the crash in src/cart.py") == {("reaches_frames", ALWAYS)}
    assert told(change, "Use sys._getframe, since inspect is slow") == {("reaches_frames", WAIVED)}


@pytest.mark.parametrize(
    ("path", "others", "holds"),
    [
        (".github/workflows/half.yml", "Please fix half.", ALWAYS),
        (".github/workflows/half.yml", "Please fix half.yml.", ALWAYS),
        (".github/workflows/half.yml", "Please fix `.github/workflows/half.yml`.", WAIVED),
        (".circleci/half", "Please fix half.", ALWAYS),
        (".ci/price.py", "Please fix the sum in shop/price.py.", ALWAYS),
        (".ci/price.py", "Please fix the sum in price.py.", ALWAYS),
        (".ci/price.py", "Please fix the sum in .ci/price.py.", WAIVED),
        ("images/Dockerfile", "It should run in docker.", ALWAYS),
        ("images/Dockerfile", "Please fix the Dockerfile.", WAIVED),
        (".pre-commit-config.yaml", "Please add black to pre-commit", WAIVED),
        (".claude/README.md", "Please fix README.md.", ALWAYS),
        ("src/AGENTS.md", "Please add the tests to AGENTS.md", WAIVED),
        ("src/AGENTS.md", "Agent instructions should be shown", ALWAYS),
        ("src/AGENTS.md", "Please shorten it: we want short instructions for coding agents", WAIVED),
        (".gitmodules", "Submodules should be imported late", ALWAYS),
        (".gitmodules", "Please add git submodules", WAIVED),
        (".npmrc", "The registry of plugins should be sorted", ALWAYS),
        (".npmrc", "Please use our npm registry", WAIVED),
        (".npmrc", "Should read ~/.npmrc", ALWAYS),
        (".npmrc", "Please remove ./.npmrc", WAIVED),
        ("build.rs", "The build system should be quicker", ALWAYS),
        ("build.rs", "Please drop build.rs", WAIVED),
        (".mvn/price.py", "Please fix price.py", ALWAYS),
    ],
)
def test_the_name_of_a_file_that_any_issue_may_say_waives_nothing(path: str, others: str, holds: Holds) -> None:
    assert {risk.holds for risk in risks(change_of((path, "a\n", "b\n")), "", others)} == {holds}


@pytest.mark.parametrize(
    ("header", "others", "holds"),
    [
        ("new file mode 120000\n", "Please fix shop/price.py", ALWAYS),
        ("new file mode 120000\n", "Symbolic links should be followed", ALWAYS),
        ("new file mode 120000\n", "Make `shop/price.py` a symbolic link", WAIVED),
        ("old mode 100644\nnew mode 100755\n", "Please fix shop/price.py", ALWAYS),
        ("old mode 100644\nnew mode 100755\n", "Make shop/price.py executable", WAIVED),
        ("index 1234567..89abcde 160000\n", "Please fix shop/price.py", ALWAYS),
        ("index 1234567..89abcde 160000\n", "Submodules should be imported late", ALWAYS),
        ("index 1234567..89abcde 160000\n", "Please update the submodule shop/price.py", WAIVED),
    ],
)
def test_what_a_file_becomes_is_asked_for_by_more_than_its_name(header: str, others: str, holds: Holds) -> None:
    change = read_change(f"diff --git a/shop/price.py b/shop/price.py\n{header}")
    assert {risk.holds for risk in risks(change, "", others)} == {holds}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_check_has_its_name_on_the_list(family: Find) -> None:
    assert set(re.findall(r"`(\w+)`", family.__doc__ or "")) <= CHECKS
