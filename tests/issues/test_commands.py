import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.child_process import SMALL, TooLong
from bot.issues import commands
from bot.issues.commands import Command, Right, may
from tests.bounded.growth import grows

ACCEPT = (Command("accept"),)


def parse(body: str, previous_body: str | None = None) -> tuple[Command, ...]:
    return commands.parse(body, "bouncer", previous_body)


@pytest.mark.parametrize(
    ("body", "commands"),
    [
        ("/bouncer accept", ACCEPT),
        ("/Bouncer ACCEPT", ACCEPT),
        ("   /bouncer accept  ", ACCEPT),
        ("/bouncer\taccept", ACCEPT),
        ("thanks!\n/bouncer accept\nbye", ACCEPT),
        ("thanks!\r\n\r\n/bouncer accept\r\n", ACCEPT),
        ("/bouncer accept it is fine", (Command("accept", rest="it is fine"),)),
        ("/bouncer answer abcdefg2 either", (Command("answer", rest="abcdefg2 either"),)),
        ("/bouncer Answer abcdefg2 A", (Command("answer", rest="abcdefg2 A"),)),
        ("> /bouncer answer abcdefg2 a", ()),
        ("@bouncer accept", ACCEPT),
        ("@Bouncer[bot], accept", ACCEPT),
        ("@bouncer: accept it is fine", (Command("accept", rest="it is fine"),)),
        ("@bouncer", (Command("help"),)),
        ("hi @bouncer accept", ()),
        ("@bouncers accept", ()),
        ("@bounce accept", ()),
        ("> @bouncer accept", ()),
        ("/bouncer", (Command("help"),)),
        ("/bouncer help", (Command("help"),)),
        ("/bouncer dance", (Command("dance"),)),
        ("/bouncer unknown", (Command("unknown"),)),
        ("/bouncer recheck\n/bouncer pause", (Command("recheck"), Command("pause"))),
        ("> /bouncer pause\n\n/bouncer resume", (Command("resume"),)),
        ("<details>\n\nfold\n\n</details>\n\n/bouncer accept", ACCEPT),
        ("a <details> b </details> c\n/bouncer accept", ACCEPT),
        ("`code`\n/bouncer accept", ACCEPT),
        ("", ()),
        ("see /bouncer accept", ()),
        ("/bouncers accept", ()),
        ("/bounceraccept", ()),
        ("    /bouncer accept", ()),
        ("text\n      /bouncer accept", ()),
        ("\t/bouncer accept", ()),
        ("> /bouncer accept", ()),
        ("> quote\n/bouncer accept", ()),
        ("```\n/bouncer accept\n```", ()),
        ("~~~\n/bouncer accept", ()),
        ("`/bouncer accept`", ()),
        ("`\n/bouncer accept\n`", ()),
        ("<!--\n/bouncer accept\n-->", ()),
        ("text <!--\n/bouncer accept\n-->", ()),
        ("<!--\n\n/bouncer accept", ()),
        ("<details>\n\n/bouncer accept\n\n</details>", ()),
        ("<details>\n<summary>x</summary>\n\n</pre>\n\n/bouncer accept\n\n</details>", ()),
        ("text <details>\n/bouncer accept\n</details>", ()),
        ("<pre>\n/bouncer accept\n</pre>", ()),
        ("<blockquote>\n\n/bouncer accept\n\n</blockquote>", ()),
        ("- /bouncer accept", ()),
        ("1. /bouncer accept", ()),
        ("# /bouncer accept", ()),
        ("/bouncer accept\n---", ()),
        ("**/bouncer accept**", ()),
        ("[/bouncer accept](https://example.com)", ()),
        ("\\/bouncer accept", ()),
        ("&#47;bouncer accept", ()),
        ("/bouncer\u00a0accept", ()),
        ("See [this](https://example.com/a).\n/bouncer accept", ACCEPT),
        ("[WIP] costs $5\n/bouncer accept", ACCEPT),
        ("| a |\n|---|\n| b |\n\n/bouncer accept", ACCEPT),
        ("[x]: /u\n\n/bouncer accept", ACCEPT),
        ("[//]: # (\n/bouncer accept\n)", ()),
        ("[//]: # (/bouncer accept)", ()),
        ("[x]: /u '\n/bouncer accept\n'", ()),
        ("[x\n/bouncer accept\ny]: /u", ()),
        ("[^1]: x\n/bouncer accept", ()),
        ("![x\n/bouncer accept\n](u)", ()),
        ("![x\\]\n/bouncer accept\n](u)", ()),
        ("![x `]`\n/bouncer accept\n](u)", ()),
        ('[x](u "\n/bouncer accept\n")', ()),
        ('[x](u ")\n/bouncer accept\n")', ()),
        ("| a |\n|---|\n/bouncer accept", ()),
        ("a\n:-:\n/bouncer accept", ()),
        ("/bouncer accept\n:-:\na", ()),
        ("/bouncer accept\n| :-- |", ()),
        ("$$\\phantom{\n/bouncer accept\n}$$", ()),
        ("a $\n\\phantom{\n/bouncer accept\n}$", ()),
        ("<div hidden>\n\n/bouncer accept\n\n</div>", ()),
        ("<table><tr><td>\n\n/bouncer accept\n\n</td></tr></table>", ()),
    ],
)
def test_a_command_stands_alone_on_a_line(body: str, commands: tuple[Command, ...]) -> None:
    assert parse(body) == commands


@pytest.mark.parametrize(
    ("previous", "body", "commands"),
    [
        ("/bouncer accept", "/bouncer accept\n\nthanks", ()),
        ("thanks", "thanks\n\n/bouncer accept", ACCEPT),
        ("/bouncer accept", "/bouncer accept\n/bouncer accept", ACCEPT),
        ("/bouncer accept\n/bouncer accept", "/bouncer accept", ()),
        ("/bouncer accept", "/bouncer ACCEPT", ()),
        ("> /bouncer accept", "/bouncer accept", ACCEPT),
        ("/bouncer recheck", "/bouncer accept", ACCEPT),
        ("", "/bouncer accept", ACCEPT),
    ],
)
def test_an_edit_gives_only_the_commands_it_added(previous: str, body: str, commands: tuple[Command, ...]) -> None:
    assert parse(body, previous) == commands


@pytest.mark.parametrize(
    ("permission", "allowed"),
    [
        *((name, True) for name in ("admin", "maintain", "write", "triage", "Triage")),
        *((name, False) for name in ("read", "none", "", None, "security-manager")),
    ],
)
def test_maintainers_words_need_triage_rights(permission: str | None, allowed: bool) -> None:
    assert may(Right.TRIAGE, permission, is_reporter=True, is_bot=False) is allowed
    assert not may(Right.TRIAGE, permission, is_reporter=True, is_bot=True)


def test_the_reporter_may_ask_for_a_recheck_and_anybody_for_help() -> None:
    assert may(Right.REPORTER, None, is_reporter=True, is_bot=False)
    assert may(Right.REPORTER, "triage", is_reporter=False, is_bot=False)
    assert not may(Right.REPORTER, "read", is_reporter=False, is_bot=False)
    assert may(Right.ANYBODY, None, is_reporter=False, is_bot=False)
    assert not may(Right.ANYBODY, "admin", is_reporter=True, is_bot=True)


@pytest.mark.parametrize(
    ("permission", "allowed"), [("write", True), ("Admin", True), ("triage", False), (None, False)]
)
def test_a_brief_is_for_those_who_may_write(permission: str | None, allowed: bool) -> None:
    assert may(Right.WRITE, permission, is_reporter=True, is_bot=False) is allowed
    assert not may(Right.WRITE, permission, is_reporter=False, is_bot=True)


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
    assert all(isinstance(command, Command) for command in parse(body, previous))


@settings(max_examples=150, deadline=None)
@given(bodies, bodies)
def test_quoted_text_never_commands(before: str, after: str) -> None:
    quoted = "".join(f"> {line}\n" for line in f"{before}\n/bouncer accept\n{after}".splitlines())
    assert parse(quoted) == ()


@settings(max_examples=150, deadline=None)
@given(bodies)
def test_fenced_text_never_commands(body: str) -> None:
    inside = body.replace("`", "'")
    assert parse(f"````\n{inside}\n/bouncer accept\n````") == ()


@pytest.mark.parametrize("piece", ["[", "`", "<!--", "> ", "<details>", "- ", "*a ", "![](", "&#47;"])
def test_four_times_a_hostile_body_takes_no_more_than_four_times_the_work(piece: str) -> None:
    """Nesting without end would take minutes."""
    short, long = (f"/bouncer\n{piece * (length // len(piece))}" for length in (4_096, 16_384))
    assert not grows(parse, short, long)


def test_a_long_text_is_read_apart_and_none_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "/bouncer recheck\n\n" + "- a\n" * SMALL
    assert [command.word for command in parse(long)] == ["recheck"]
    monkeypatch.setattr("bot.issues.commands.bounded", lambda *given: TooLong())
    assert parse(long) == ()
