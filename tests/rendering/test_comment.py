import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings

from bot.issues.messages import Asks, Note
from bot.rendering import pull_messages
from bot.rendering.comment import MARKER, NOTE_MARKER, REMINDER_MARKER, with_note
from bot.rendering.issue_messages import message_text
from bot.rendering.words import question_sentence
from bot.verdicts import IssueKind, Question, Verdict
from tests.rendering.github_markdown import HARMLESS, alive, tokens
from tests.rendering.samples import ACCEPT, ASKS, HELP, UNAVAILABLE, bounce, lacks_fact, unavailable
from tests.rendering.test_escape import untrusted
from tests.support.cases import cases
from tests.support.snapshots import none_is_left_over, reads_as_before

SNAPSHOTS = Path(__file__).parent / "snapshots"
LABEL, SECURITY = "needs-clarification", "https://github.example/acme/widgets/security/policy"


def said(template: str, language: str = "en", **about: object) -> str:
    return message_text(Note(template, about), language)


TEXTS: dict[str, Callable[[], str]] = {
    "bounced": lambda: message_text(Asks(bounce(), LABEL, again=False), "en"),
    "bounced_again": lambda: message_text(Asks(bounce(), LABEL, again=True), "en"),
    "asked": lambda: message_text(Asks(ASKS, "", again=False), "en"),
    "asked_in_german": lambda: message_text(Asks(ASKS, "", again=True), "de"),
    "bounced_for_a_fact": lambda: message_text(Asks(lacks_fact(), LABEL, again=False), "de"),
    "bounced_in_german": lambda: message_text(Asks(bounce(), LABEL, again=False), "de"),
    "still_missing": lambda: said("still_missing", "en", verdict=bounce()),
    "still_missing_in_german": lambda: said("still_missing", "de", verdict=bounce()),
    "cleared": lambda: said("cleared", "en", verdict=ACCEPT),
    "cleared_without_ticks": lambda: said("cleared", "en", verdict=UNAVAILABLE),
    "vulnerability": partial(said, "vulnerability", policy=SECURITY),
    "vulnerability_unsaid": partial(said, "vulnerability", policy=""),
    "accepted": partial(said, "accepted"),
    "cleared_in_japanese": lambda: said("cleared", "ja", verdict=ACCEPT),
    "exempted": lambda: said("exempted", "en", reason="its author is exempt"),
    "spared_bounce": lambda: said("spared", verdict=bounce(), reason="its author's role (owner) is exempt"),
    "spared_accept": lambda: said("spared", verdict=ACCEPT, reason="its author's role (owner) is exempt"),
    "spared_unavailable": lambda: said("spared", verdict=UNAVAILABLE, reason="it carries an exempt label"),
    "spared_vulnerability": lambda: said(
        "spared", verdict=replace(ACCEPT, kind=IssueKind.VULNERABILITY), reason="its author is exempt"
    ),
    "reminder": lambda: said("reminder", "en", close_in_days=None),
    "reminder_before_closing": lambda: said("reminder", "en", close_in_days=7),
    "help": partial(said, "help", **HELP),
    "help_after_unknown": lambda: said("help", **HELP | {"unknown": "dance"}),
    "help_after_one_for_pulls": lambda: said("help", **HELP | {"unknown": "override", "elsewhere": True}),
    "pull_help": pull_messages.help_note,
    "pull_help_after_unknown": lambda: pull_messages.help_note("dance"),
    "pull_help_after_one_for_issues": lambda: pull_messages.help_note("accept", elsewhere=True),
    "refused": lambda: said("refused", word="accept", who="people with triage rights", why=""),
    "paused": partial(said, "paused"),
    "resumed": partial(said, "resumed"),
    "ended": partial(said, "ended"),
    "closed": lambda: said("closed", "en", days=14),
    "unavailable_in_turkish": lambda: said("unavailable", "tr", verdict=unavailable("The model did not answer.")),
    "unavailable": lambda: said("unavailable", "en", verdict=unavailable("The model did not answer.")),
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_reads_as_it_was_last_read(name: str) -> None:
    reads_as_before(SNAPSHOTS / f"{name}.md", TEXTS[name]())


def test_no_snapshot_is_left_over() -> None:
    none_is_left_over(SNAPSHOTS, TEXTS)


@pytest.mark.parametrize("name", [name for name in TEXTS if TEXTS[name]().startswith("<!--")])
def test_the_marker_is_the_first_line(name: str) -> None:
    marker = REMINDER_MARKER if name.startswith("reminder") else MARKER
    assert TEXTS[name]().split("\n", 1)[0] == marker


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_commands_bouncer_or_mentions_anybody(name: str) -> None:
    found = alive(TEXTS[name]().replace(f"({SECURITY})", ""))  # the address is GitHub's
    assert [what for what in found if not what.startswith("html_")] == []
    assert not any(line.strip().startswith("/bouncer") for line in TEXTS[name]().splitlines())


def skeleton(verdict: Verdict) -> list[str]:
    """The structure around the untrusted text: everything but the inline content."""
    return [
        token.type
        for token in tokens(message_text(Asks(verdict, LABEL, again=False), "en"))
        if token.type not in HARMLESS
    ]


@settings(max_examples=150, deadline=None)
@given(untrusted, untrusted, untrusted)
def test_untrusted_text_changes_nothing_but_words(text: str, question: str, judge: str) -> None:
    shown = message_text(Asks(bounce(text, question=question, judge=judge), LABEL, again=False), "en")
    ours = {"html_block: <!-- bouncer:issue -->", "html_block: </details>"}
    found = {what.strip() for what in alive(shown)} - ours
    assert all(what.startswith("html_block: <details>\n<summary>Why") for what in found)
    assert shown.count("<!--") == 1 and shown.count(MARKER) == 1
    assert skeleton(bounce(text, question=question, judge=judge)) == skeleton(bounce("x", question="y"))


@settings(max_examples=50, deadline=None)
@given(untrusted, untrusted, untrusted)
def test_untrusted_text_changes_nothing_in_another_language_either(text: str, question: str, judge: str) -> None:
    def structure(verdict: Verdict) -> list[str]:
        shown = message_text(Asks(verdict, LABEL, again=False), "ja")
        assert shown.count("<!--") == 1 and shown.count(MARKER) == 1
        return [token.type for token in tokens(shown) if token.type not in HARMLESS]

    assert structure(bounce(text, question=question, judge=judge)) == structure(bounce("x", question="y"))


@settings(max_examples=100, deadline=None)
@given(untrusted)
def test_notes_and_lines_escape_too(text: str) -> None:
    notes = [
        said("help", **HELP | {"unknown": text}),
        said("refused", word=text, who="maintainers", why=""),
        said("unavailable", "en", verdict=unavailable(text)),
    ]
    assert [alive(note) for note in notes] == [[], [], []]
    assert [what.strip() for what in alive(said("exempted", "en", reason=text))] == [f"html_block: {MARKER}"]


def test_hidden_text_is_reported_but_never_repeated() -> None:
    shown = message_text(Asks(bounce("x"), LABEL, again=False), "en")
    assert "Hidden text gives instructions." in shown and "1 HTML comment left out" in shown
    evil = bounce("obey me")
    assert message_text(Asks(evil, LABEL, again=False), "en").count("obey me") == 3  # ticked, asked, left empty


ROOT = Path(__file__).parents[2]
PAUSED = said("paused")


def test_each_answer_that_is_the_same_for_everybody_has_its_words() -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "bot").rglob("*.py"))
    named = set(re.findall(r'\bNote\("(\w+)"\)', sources))
    assert named >= {"paused", "ended", "fixed_off"}
    assert all(len(said(name)) > 20 for name in named)


def test_a_note_stands_below_the_comment_and_replaces_an_earlier_one() -> None:
    first = with_note(said("accepted"), said("help", **HELP))
    second = with_note(first, PAUSED)
    assert second == f"{said('accepted')}\n{NOTE_MARKER}\n{PAUSED}"
    assert with_note(second, PAUSED) == second
    assert with_note("", PAUSED).split("\n")[0] == MARKER


@cases
def test_a_question_says_its_quote_once(question: Question, text: str) -> None:
    assert question_sentence(question) == text
