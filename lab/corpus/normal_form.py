"""Texts without what differs between two runs of the same code."""

import re
from html.parser import HTMLParser
from typing import Any

_SHORT_LIVED = (
    (re.compile(r"(https?(?::|%3A)(?://|%2F%2F))(?:127\.0\.0\.1|localhost)(?::|%3A)\d+"), r"\1HOST"),
    (re.compile(r"((?:/|%2F)(?:verdicts|welcome)(?:/|%2F))[\w-]{20,}"), r"\1TOKEN"),
    (re.compile(r"\[[\w-]{32}\]"), "[TOKEN]"),  # a page's link to another of its kind
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| UTC)?"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b|^\d\d-\d\d$", re.MULTILINE), "DAY"),
    (re.compile(r"\b[0-9a-f]{40}\b|\b(?=[a-f]*\d)[0-9a-f]{7,12}\b"), "SHA"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds?|minutes?|wallclock secs|c?usr|c?sys|CPU)\b(?!\()"), "N s"),
    (re.compile(r'("seconds": )[\d.]+'), r"\1N"),
    (re.compile(r'("broken": \[)[^\]]+\]'), r"\1FUNCTIONS]"),  # on purpose: which and how many is left to chance
)
_INLINE = frozenset(
    ("a", "abbr", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup", "time")
)
_SAID = frozenset(("href", "action", "alt", "aria-label", "title", "placeholder", "value"))
_HIDDEN = frozenset(("script", "style"))


def normalise(text: str, *folders: str) -> str:
    """The text with addresses on loopback, times, commits and durations replaced, and these folders of the run."""
    for number, folder in enumerate(folders, 1):
        text = text.replace(folder, f"FOLDER{number}")
    for pattern, name in _SHORT_LIVED:
        text = pattern.sub(name, text)
    return text


def briefly(answer: Any) -> str:
    """Of a JSON document of `bouncer`, what was decided."""
    if not isinstance(answer, dict):
        return "no document"
    words = [answer.get(key) for key in ("verdict", "status", "label", "kind", "case", "cause")]
    check = answer.get("check")
    words.append(check.get("conclusion") if isinstance(check, dict) else None)
    if missing := answer.get("missing"):
        words.append(f"without {', '.join(missing)}")
    return " ".join(str(word) for word in words if word) or f"error: {answer.get('error')}"


class _Words(HTMLParser):
    """The words of a page, a line for each block, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in _HIDDEN
        if tag not in _INLINE:
            self.parts.append("\n")
        said = _SAID - ({"value"} if ("type", "hidden") in attrs else set())  # which holds a form's token
        for name, value in attrs:
            if name in said and value:
                self.parts.append(f" [{value}] ")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in _HIDDEN
        if tag not in _INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def page_text(html: str) -> str:
    """What a person reads on a page, and its links."""
    words = _Words()
    words.feed(html)
    lines = (" ".join(line.split()) for line in "".join(words.parts).splitlines())
    return "\n".join(line for line in lines if line)
