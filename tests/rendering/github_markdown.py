"""What would be alive in a comment on GitHub: render the Markdown, then read the text nodes as GitHub does."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

_RENDERER = MarkdownIt("gfm-like", {"html": True, "linkify": True})
_ALIVE = {
    "mention": re.compile(r"(?<![\w`])@\w"),
    "reference": re.compile(r"#\d|\bGH-\d|\b[A-Za-z]+-\d+\b", re.IGNORECASE | re.ASCII),
    "commit": re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{7,40}(?![0-9a-zA-Z])", re.IGNORECASE),
    "emoji": re.compile(r":[a-z0-9+_-]+:", re.IGNORECASE | re.ASCII),
    "address": re.compile(r"https?://|ftp://|\bwww\.|\bmailto:", re.IGNORECASE),
    "math": re.compile(r"\$"),
}
HARMLESS = {"inline", "paragraph_open", "paragraph_close", "text", "code_inline", "text_special"}


def tokens(markdown: str) -> Iterator[Token]:
    """All tokens, the inline ones included."""
    for token in _RENDERER.parse(markdown):
        yield token
        yield from token.children or ()


def alive(markdown: str) -> list[str]:
    """Everything in the text that GitHub would act on: links, images, HTML, mentions, references, emoji, math."""
    found = []
    for token in tokens(markdown):
        if token.type in {"link_open", "image", "html_inline", "html_block"}:
            found.append(f"{token.type}: {token.content or token.attrs}")
        if token.type == "inline":
            text = "".join(
                child.content if child.type in {"text", "text_special"} else "\0" for child in token.children or ()
            )
            found += [f"{name}: {match[0]}" for name, rule in _ALIVE.items() for match in rule.finditer(text)]
    return found
