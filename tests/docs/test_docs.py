"""The pages say what the code does: every key, setting and command, working links, examples that are valid."""

import re
from pathlib import Path

import pytest

from bot.cli import all_commands
from bot.policy_file import PolicyError, load
from bot.rendering.gate_states import POLICY_CHECK_NAME
from bot.rendering.words import ISSUE_COMMANDS, PULL_COMMANDS
from bot.settings import Settings
from tests.docs.tables import (
    AGENTS_TABLE,
    BENCH_TABLE,
    CASES_TABLE,
    COMMAND_LINE_TABLE,
    COMMANDS_TABLE,
    EVENTS_TABLE,
    EVIDENCE_TABLE,
    EXECUTORS_TABLE,
    MISSED_TABLE,
    PARTS_TABLE,
    POLICY_TABLE,
    RISKS_TABLE,
    RULES_TABLE,
    SETTINGS_TABLE,
    TOOLS_TABLE,
    WITHOUT_EFFECT_TABLE,
    agent_rows,
    case_rows,
    command_line_rows,
    command_rows,
    event_rows,
    evidence_rows,
    executor_rows,
    missed_rows,
    part_rows,
    policy_rows,
    risk_rows,
    rule_rows,
    settings_rows,
    tool_rows,
    without_effect_rows,
    written,
)

ROOT = Path(__file__).parents[2]
FORM_OF_GITHUB = "../../security/advisories/new"  # from where GitHub shows a page, in a fork too
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_every_key_of_the_policy_is_documented() -> None:
    assert written("policy.md", POLICY_TABLE) == policy_rows(), "run: make docs"


def test_every_setting_is_documented() -> None:
    assert written("settings.md", SETTINGS_TABLE) == settings_rows(), "run: make docs"


def test_every_test_tool_is_documented() -> None:
    assert written("test-setup.md", TOOLS_TABLE) == tool_rows(), "run: make docs"
    assert written("report.md", EVENTS_TABLE) == event_rows(), "run: make docs"
    assert written("report.md", MISSED_TABLE) == missed_rows(), "run: make docs"
    assert written("sandbox.md", EXECUTORS_TABLE) == executor_rows(), "run: make docs"


def test_every_command_of_the_terminal_is_documented() -> None:
    assert written("command-line.md", COMMAND_LINE_TABLE) == command_line_rows(), "run: make docs"
    assert written("command-line.md", BENCH_TABLE) == command_line_rows(bench=True), "run: make docs"
    assert written("command-line.md", CASES_TABLE) == case_rows(), "run: make docs"
    assert written("internals/verification.md", EVIDENCE_TABLE) == evidence_rows(), "run: make docs"


def policies() -> list[str]:
    return [text for page in PAGES for text in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL)]


@pytest.mark.parametrize("text", policies())
def test_every_example_of_a_policy_is_valid(text: str) -> None:
    load(text)


def test_the_example_of_a_problem_is_what_bouncer_says() -> None:
    shown = re.search(r"^(\S+):3:3: (unknown key .*)$", (ROOT / "docs/policy.md").read_text(), re.MULTILINE)
    assert shown
    with pytest.raises(PolicyError) as caught:
        load("mode: advise\nissues:\n  strictnes: lenient\n", shown[1])
    assert str(caught.value) == shown[0]


def test_every_named_risk_is_documented() -> None:
    assert written("pull-requests.md", RISKS_TABLE) == risk_rows(), "run: make docs"


def test_every_rule_and_every_key_without_effect_is_documented() -> None:
    assert written("issues.md", RULES_TABLE) == rule_rows(), "run: make docs"
    assert written("internals/agents.md", AGENTS_TABLE) == agent_rows(), "run: make docs"
    assert written("internals/trial.md", PARTS_TABLE) == part_rows(), "run: make docs"
    assert written("action.md", WITHOUT_EFFECT_TABLE) == without_effect_rows(), "run: make docs"


def test_every_command_in_a_comment_is_documented() -> None:
    assert written("issues.md", COMMANDS_TABLE) == command_rows(ISSUE_COMMANDS, "issues.md"), "run: make docs"
    assert written("pull-requests.md", COMMANDS_TABLE) == command_rows(PULL_COMMANDS, "pull-requests.md"), "make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text):
        path, _, anchor = target.partition("#")
        if "://" in path or target == FORM_OF_GITHUB:
            continue
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(found), f"{page.name} links to {target}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_setting_a_page_names_exists(page: Path) -> None:
    named = set(re.findall(r"(?<!_)BOUNCER_([A-Z_]+[A-Z])", page.read_text()))
    assert {name.lower() for name in named} <= set(Settings.model_fields)


def test_the_pages_call_the_policy_check_by_its_name() -> None:
    for page in ("policy.md", "permissions.md", "troubleshooting.md"):
        assert f"`{POLICY_CHECK_NAME}`" in (ROOT / "docs" / page).read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_a_page_names_exists(page: Path) -> None:
    named = set(re.findall(r"`bouncer ([a-z-]+)(?: [^`]*)?`", page.read_text()))
    named |= set(re.findall(r"^\$ bouncer ([a-z-]+)", page.read_text(), re.MULTILINE))
    assert named - {"policy"} <= set(all_commands())


def test_the_readme_starts_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    first = readme.index("```")
    assert readme[first:].startswith("```console\n$ make demo")
    assert "$ make test" in readme[first : readme.index("```", first + 3)]


def test_every_target_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for page in PAGES:
        for target in re.findall(r"(?:`|\$ )make ([a-z-]+)", page.read_text()):
            known = re.search(rf"^{target}:", makefile, re.MULTILINE) or target.startswith("bench-")
            assert known, f"{page.name} names make {target}"
