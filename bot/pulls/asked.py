"""What a pull request was asked to do: the issues its text says it closes. Pure."""

import re

from bot.issues.visible import visible, visible_line

MOST_ISSUES = 3

# GitHub's closing keywords, with an issue of the same repository.
_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+#([1-9]\d{0,9})\b", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


def closes(title: str, body: str) -> tuple[int, ...]:
    """Numbers of the issues a pull request closes, in the order they are named, at most `MOST_ISSUES`."""
    text = _HIDDEN.sub(" ", f"{title}\n{body}")
    return tuple(dict.fromkeys(int(number) for number in _CLOSES.findall(text)))[:MOST_ISSUES]


def specification(title: str, body: str) -> str:
    """The text of an issue that says what is wanted, without what a reader would not see."""
    return f"{visible_line(title).text}\n\n{visible(body).text.strip()}\n"
