"""What a pull request was asked to do: the issue its text says it closes, else its own text. Pure."""

import re

MOST_ISSUES = 3

# GitHub's closing keywords, with an issue of the same repository.
_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+#([1-9]\d{0,9})\b", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


def closes(title: str, body: str) -> tuple[int, ...]:
    """Numbers of the issues a pull request closes, in the order they are named, at most `MOST_ISSUES`."""
    text = _HIDDEN.sub(" ", f"{title}\n{body}")
    return tuple(dict.fromkeys(int(number) for number in _CLOSES.findall(text)))[:MOST_ISSUES]


def specification(title: str, body: str) -> str:
    """The text that says what is wanted, without what a reader would not see."""
    return f"{title.strip()}\n\n{re.sub(r'<!--.*?(?:-->|$)', '', body, flags=re.DOTALL).strip()}\n"
