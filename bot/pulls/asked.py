"""What a pull request was asked to do: the issues its text says it closes, and what they say. Pure."""

from bot.markdown.visible import visible, visible_line
from bot.pulls.linked import closing

MOST_ISSUES = 3


def closes(title: str, body: str) -> tuple[int, ...]:
    """Numbers of the issues of its own repository a pull request closes, in the order they are named, at most
    `MOST_ISSUES`."""
    named = (*closing(title), *closing(body))
    return tuple(dict.fromkeys(number for repository, number in named if not repository))[:MOST_ISSUES]


def specification(title: str, body: str) -> str:
    """The text of an issue that says what is wanted, without what a reader would not see."""
    return f"{visible_line(title).text}\n\n{visible(body).text.strip()}\n"
