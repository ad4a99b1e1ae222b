"""A judged change as workflow commands: whatever strangers write, a line is one command of ours."""

import re

from hypothesis import given
from hypothesis import strategies as st

from bot.github.values import Annotation
from bot.rendering.gate import GateView, workflow_commands

LINE = re.compile(r"::(error|warning|notice) ((?:\w+=[^,:\r\n]*,?)*)::([^\r\n]*)")


def unescaped(text: str) -> str:
    """As GitHub's runner reads it."""
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def test_levels_and_places() -> None:
    beside = (
        Annotation("a b.py", 3, 4, "failure", "100% wrong", "test_a, failed: 1"),
        Annotation("b.py", 1, 1, "warning", "look\nhere"),
        Annotation("c.py", 1, 1, "notice", "x"),
    )
    assert list(workflow_commands(GateView("action_required", "A person: look", "", beside))) == [
        "::error title=Bouncer::A person: look",
        "::error file=a b.py,line=3,endLine=4,title=test_a%2C failed%3A 1::100%25 wrong",
        "::warning file=b.py,line=1,endLine=1::look%0Ahere",
        "::notice file=c.py,line=1,endLine=1::x",
    ]
    for conclusion, level in (("success", "notice"), ("neutral", "notice"), ("failure", "error")):
        (line,) = workflow_commands(GateView(conclusion, "x", ""))
        assert line == f"::{level} title=Bouncer::x"


HOSTILE = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        (
            "a\n::add-mask::x",
            "a,line=9::\r\n::stop-commands::t",
            "::error::x",
            "%0A::x",
            "a%3A%3Ab",
            "\ud800.py",
            "##[x]y",
        )
    ),
)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_no_name_and_no_text_begins_a_command_of_its_own(path: str, title: str, message: str, said: str) -> None:
    view = GateView("failure", said, "", (Annotation(path, 1, 2, "warning", message, title),))
    lines = list(workflow_commands(view))
    found = [LINE.fullmatch(line) for line in lines]
    assert len(lines) == 2 and all(found), lines
    given = dict(each.partition("=")[::2] for each in found[1][2].split(",")) if found[1] else {}
    known = {"file": path, "line": "1", "endLine": "2", "title": title}
    clean = {name: text.encode("utf-8", "replace").decode() for name, text in known.items() if text}
    assert {name: unescaped(text) for name, text in given.items()} == clean
    assert found[1] and unescaped(found[1][3]) == message.encode("utf-8", "replace").decode()
