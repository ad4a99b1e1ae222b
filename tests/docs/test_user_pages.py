"""Nothing that people set, type or read has lost its page, and the pages stay short."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from bot.already_fixed.values import Fixed
from bot.cli import main
from bot.history.values import Searched
from bot.judges.offline.rules import RULES
from bot.policy import Policy
from bot.policy_choices import Mode
from bot.policy_file import Problem as PolicyProblem
from bot.rendering.fix_view import fix_json
from bot.rendering.gate import GateView, headline
from bot.rendering.gate_states import exemption_view, policy_check, rounds_view, state_view, unknown_policy_view
from bot.rendering.pull_view import pull_json
from bot.rendering.rejection_view import rejection_json
from bot.rendering.words import CAUSES, TESTED_CASES, TESTED_REJECTIONS
from bot.settings import Settings
from bot.storage.tables import inbox_metadata, main_metadata
from bot.verdicts import Decision, FixStatus, Left, Verdict
from bot.verification.evidence import Case
from bot.verification.fix_guided.cases import FilterFacts, decide
from bot.workflows.pull.check_run import NOT_AN_AGENTS
from tests.docs.pages import DOCS, INDEX, INTERNALS, ROOT, USER_PAGES, user_text, words
from tests.docs.tables import commands, policy_rows
from tests.pulls.results import decided

MOST_WORDS, MOST_IN_README, MOST_IN_FIRST = 16_000, 700, 40
TEXT = user_text()

# What a reason, a message of the sandbox or a model's failure begins with, as the pages quote it.
MESSAGES = (
    "This change conflicts with its base branch in",
    "No test goes from red to green, but",
    "This change is unproved: nothing shows that a test can fail here",
    "The tests can no longer fail",
    "Nothing broke. Nothing was asked for.",
    "Nothing broke. This change edits nothing that runs.",
    "The judge would not accept this change, but nothing that ran confirms that.",
    "budget of judgements for today is spent",
    "Whoever pushed it has had",
    "refuses the key",
    "does not know the model",
    "has no credit left",
    "today's spend ceiling",
    "a spend ceiling means nothing without token prices",
    "limits the rate",
    "the model's answer could not be used",
    "the model's answer was longer than",
    "bubblewrap is not installed",
    "this machine refuses namespaces",
    "an unprivileged user cannot read Python or its packages",
)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def titles() -> Iterator[str]:
    """What a check on GitHub can be called, up to what differs each time."""
    shown = GateView("failure", "", "")
    views = [unknown_policy_view(), *map(state_view, ("busy_commit", "early_queue", "group_end", "foreign_check"))]
    views += [rounds_view(shown, Mode.ENFORCE, Policy().pulls.rounds, more=False)]
    yield from (view.title for view in views)
    yield from (
        view.title.partition(":")[0] + ":"
        for view in (exemption_view(Left.TITLE, "main", Mode.ADVISE), state_view("progress", doing=""))
    )
    yield state_view("fault", error="…").title
    yield NOT_AN_AGENTS
    for decision in Decision:
        for cause in (*CAUSES, None):
            told = Verdict(decision, None, None, "nobody", None, cause=cause)
            yield from {headline(told, mode) + ":" for mode in Mode}
    for check in (
        policy_check(()),
        policy_check((PolicyProblem(1, 1, "x", "x"),)),
        state_view("policy_fault", error="…"),
    ):
        yield check.title


def test_every_key_of_the_policy_is_on_a_user_page() -> None:
    keys = [row.split("`")[1] for row in policy_rows()]
    assert keys and [key for key in keys if f"`{key}`" not in TEXT] == []


def test_every_setting_is_on_a_user_page() -> None:
    assert [name for name in Settings.model_fields if f"`BOUNCER_{name.upper()}`" not in TEXT] == []


def test_every_command_of_the_terminal_and_every_option_is_on_a_user_page() -> None:
    missing = []
    for path, command in commands(main):
        if path and f"bouncer {path}" not in TEXT:
            missing.append(path)
        for parameter in command.params:
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                known = option in ("--help", "--version") or re.search(rf"{option}(?![\w-])", TEXT)
                if option.startswith("--") and not known:
                    missing.append(f"{path} {option}")
    assert missing == []


def test_every_permission_and_event_is_on_a_user_page() -> None:
    manifest = yaml.safe_load((ROOT / "app.yml").read_text())
    named = [*manifest["default_permissions"], *manifest["default_events"]]
    assert [name for name in named if f"| `{name}` |" not in page("permissions.md")] == []


@pytest.mark.parametrize("title", sorted(set(titles())))
def test_every_title_of_a_check_is_explained(title: str) -> None:
    assert title in " ".join(page("troubleshooting.md").split())


@pytest.mark.parametrize("title", sorted({*TESTED_CASES.values(), *TESTED_REJECTIONS.values()}))
def test_every_title_of_the_comment_about_a_rejection_is_explained(title: str) -> None:
    assert title in page("review-bots.md")


def test_the_messages_that_the_pages_quote_are_those_of_the_product() -> None:
    files = (path for path in (ROOT / "bot").rglob("*") if path.suffix in (".py", ".j2"))
    product = "".join(path.read_text(encoding="utf-8") for path in files)
    joined = re.sub(r'"\s*\n\s*f?"', "", product)
    assert [said for said in MESSAGES if said not in TEXT] == []
    assert [said for said in MESSAGES if said not in joined] == []


def test_every_rule_and_result_is_on_its_page() -> None:
    assert [rule.name for rule in RULES if f"| `{rule.name}` |" not in page("issues.md")] == []
    assert [status for status in FixStatus if f"`{status.value}`" not in page("already-fixed.md")] == []
    assert [case for case in Case if f"| `{case.value}` |" not in page("command-line.md")] == []


def test_every_key_of_a_document_is_on_the_page_of_the_command_line() -> None:
    documents = (
        pull_json(decided(), base="", seconds=1.0),
        rejection_json(decide(FilterFacts())),
        fix_json(Fixed(FixStatus.UNKNOWN, 0.0), Searched((), 0)),
    )
    keys = [key for document in documents for key in document]
    assert [key for key in keys if f"`{key}`" not in page("command-line.md")] == []


def test_the_page_on_privacy_says_how_long_each_thing_is_kept() -> None:
    """By the setting's name, with the default where it ends by itself."""
    kept = {name: field.default for name, field in Settings.model_fields.items() if name.startswith("keep_")}
    told = [f"`BOUNCER_{name.upper()}`" + (f" ({days})" if days else "") for name, days in kept.items()]
    assert len(told) == 4
    assert [each for each in told if each not in page("privacy.md").replace("\n", " ")] == []


def test_the_page_on_privacy_names_all_that_is_stored() -> None:
    """Each table, in the column that says what."""
    other = {
        "agent_pulls": "agents' pull requests",
        "apps": "ids of the Apps",
        "installed_repositories": "repositories",
        "person_words": "persons' words",
    }
    told = re.sub(r"^\| ([^|]*) \|.*$", r"\1", page("privacy.md").partition("## What is stored")[2], flags=re.M)
    tables = {*main_metadata.tables, *inbox_metadata.tables}
    assert set(other) <= tables
    assert [name for name in sorted(tables) if other.get(name, name.replace("_", " ")) not in told] == []


def test_the_pages_for_users_stay_short() -> None:
    counted = {str(each.relative_to(ROOT)): words(each) for each in USER_PAGES}
    assert counted.pop("README.md") <= MOST_IN_README
    assert sum(counted.values()) <= MOST_WORDS, counted
    assert f"below {MOST_WORDS:,} words" in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("path", [*USER_PAGES, *INTERNALS], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_page_begins_with_one_sentence_that_says_what_it_is_for(path: Path) -> None:
    title, first, *_ = path.read_text(encoding="utf-8").split("\n\n")
    assert title.startswith("# ") and "\n" not in title
    said = " ".join(first.split())
    assert re.fullmatch(r"[A-Z][^!?]*\.", said) and ". " not in said, said
    assert len(said.split()) <= MOST_IN_FIRST


def test_the_index_answers_questions_and_leads_to_every_page() -> None:
    text = INDEX.read_text(encoding="utf-8")
    answered = text.partition("## How it works inside")[0].split("\n- ")[1:]
    assert len(answered) > 30
    assert [each for each in answered if not re.match(r"\*\*[^*]+\?\*\* [^*]*\]\([^*]*$", each)] == []
    linked = {target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)}
    assert {str(each.relative_to(DOCS)) for each in DOCS.rglob("*.md") if each != INDEX} <= linked


ASKED = (
    *("exempt a bot", "local model", "What leaves the server", "block merges", "off for one issue", "forks", "cost"),
    *("uninstall", "Several projects in one repository", "whole organisation"),
)


@pytest.mark.parametrize("asked", ASKED)
def test_the_index_has_the_question(asked: str) -> None:
    assert re.search(rf"^- \*\*[^*]*{asked}[^*]*\?\*\*", INDEX.read_text(encoding="utf-8"), re.MULTILINE)
