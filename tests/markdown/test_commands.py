import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.project import UNKNOWN
from bot.already_fixed.reading import python
from bot.already_fixed.reading.extract import extract
from bot.child_process import SMALL, TooLong
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.judges.protocol import Judgement
from bot.markdown import commands
from bot.markdown.commands import Command
from bot.reports import IssueText
from bot.workflows.commands import Right, may
from tests.bounded.growth import grows
from tests.support.cases import cases


def commands_in(body: str, previous_body: str | None = None) -> tuple[Command, ...]:
    return commands.parse(body, "bouncer", previous_body)


@cases
def test_a_command_stands_alone_on_a_line(body: str, commands: tuple[Command, ...]) -> None:
    assert commands_in(body) == commands


@cases
def test_an_edit_gives_only_the_commands_it_added(previous: str, body: str, commands: tuple[Command, ...]) -> None:
    assert commands_in(body, previous) == commands


@pytest.mark.parametrize(
    ("permission", "allowed"),
    [
        *((name, True) for name in ("admin", "maintain", "write", "triage", "Triage")),
        *((name, False) for name in ("read", "none", "", None, "security-manager")),
    ],
)
def test_maintainers_words_need_triage_rights(permission: str | None, allowed: bool) -> None:
    assert may(Right.TRIAGE, permission) is may(Right.REPORTER, permission) is allowed


@pytest.mark.parametrize(
    ("permission", "allowed"), [("write", True), ("Admin", True), ("triage", False), (None, False)]
)
def test_a_brief_is_for_those_who_may_write(permission: str | None, allowed: bool) -> None:
    assert may(Right.WRITE, permission) is allowed


PIECES = [
    "/bouncer accept",
    "> ",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "`",
    "<!--",
    "-->",
    "<details>",
    "</details>",
    "<pre>",
    "    ",
    "- ",
    "x",
]
bodies = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=20).map("".join))


@settings(max_examples=200, deadline=None)
@given(bodies, st.none() | bodies)
def test_no_text_makes_it_raise(body: str, previous: str | None) -> None:
    assert all(isinstance(command, Command) for command in commands_in(body, previous))


@settings(max_examples=150, deadline=None)
@given(bodies, bodies)
def test_quoted_text_never_commands(before: str, after: str) -> None:
    quoted = "".join(f"> {line}\n" for line in f"{before}\n/bouncer accept\n{after}".splitlines())
    assert commands_in(quoted) == ()


@settings(max_examples=150, deadline=None)
@given(bodies)
def test_fenced_text_never_commands(body: str) -> None:
    inside = body.replace("`", "'")
    assert commands_in(f"````\n{inside}\n/bouncer accept\n````") == ()


@pytest.mark.parametrize("piece", ["[", "`", "<!--", "> ", "<details>", "- ", "*a ", "![](", "&#47;"])
def test_four_times_a_hostile_body_takes_no_more_than_four_times_the_work(piece: str) -> None:
    """Nesting without end would take minutes."""
    short, long = (f"/bouncer\n{piece * (length // len(piece))}" for length in (4_096, 16_384))
    assert not grows(commands_in, short, long)


def test_a_long_text_is_read_apart_and_none_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "/bouncer recheck\n\n" + "- a\n" * SMALL
    assert [command.word for command in commands_in(long)] == ["recheck"]
    monkeypatch.setattr("bot.markdown.commands.run_bounded", lambda *given: TooLong())
    assert commands_in(long) == ()


@pytest.mark.parametrize("times", [1, 40, 1000, 3600])
def test_saying_nothing_often_says_nothing(times: int) -> None:
    report = parse(IssueText("It does not work", "it does not work " * times))
    judged = OfflineJudge().judge(report)
    assert report.features["specific_words"] == 0
    assert isinstance(judged, Judgement)
    assert judged.probability > 0.9


@pytest.mark.parametrize("blank", ["\n", " \n", "\r\n", "\t\n\n"])
@pytest.mark.parametrize(
    "read",
    [
        lambda text: parse(IssueText("It fails", text)),
        lambda text: extract("It fails", text, UNKNOWN),
        lambda text: python.readable(f"half(1)\n{text}print 1"),
    ],
    ids=["an issue", "a report", "an example"],
)
def test_line_breaks_cost_what_they_are_long(read: Callable[[str], object], blank: str) -> None:
    def work(times: int) -> float:
        began = time.thread_time()
        read("It is\nwrong." + blank * times + "x")
        return time.thread_time() - began

    assert any((long := work(16_000)) < 0.05 or long < 10 * work(4_000) for _ in range(3))
