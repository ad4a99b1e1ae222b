"""What is a risk by what a file is: each trick beside its honest twin."""

import re

import pytest

from bot.changes.read import read_change
from bot.changes.risks.found import CHECKS, FAMILIES, risks
from bot.changes.risks.values import Find, Holds
from bot.changes.values import Change
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
    ],
)
def test_newer_versions_of_what_runs_already_are_shown(path: str, before: str, after: str, holds: Holds) -> None:
    assert told(change_of((path, f"a\n{before}\n", f"a\n{after}\n"))) == {("ci_changed", holds)}


@pytest.mark.parametrize(
    ("others", "holds"),
    [
        ("Update the CI workflow to Python 3.13", WAIVED),
        ("Please add 3.13 to .github/workflows/ci.yml.", WAIVED),
        ("", ALWAYS),
        ("The CI is green, and yet `total` is wrong.", ALWAYS),
        ("Fix the total. It fails in CI", ALWAYS),
        ("We should update the circle", ALWAYS),
    ],
)
def test_only_an_issue_that_asks_for_it_waives_it(others: str, holds: Holds) -> None:
    change = change_of((".github/workflows/ci.yml", "a\n", "b\n"))
    assert told(change, others, asked="Update the CI workflow") == {("ci_changed", holds)}


def test_an_issue_about_a_file_waives_nothing_that_its_code_does() -> None:
    change = change_of(("src/cart.py", "a\n", "import sys\nframe = sys._getframe(1)\n"))
    assert told(change, "Fix the crash in src/cart.py") == {("reaches_frames", ALWAYS)}
    assert told(change, "Use sys._getframe, since inspect is slow") == {("reaches_frames", WAIVED)}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_check_has_its_name_on_the_list(family: Find) -> None:
    assert set(re.findall(r"`(\w+)`", family.__doc__ or "")) <= CHECKS
