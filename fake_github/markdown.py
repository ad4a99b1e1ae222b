"""Markdown of strangers and bots as safe HTML, near enough to GitHub's.

Raw HTML is escaped, save a few tags without attributes; comments vanish; images become their description, so that a
page never loads anything from elsewhere.
"""

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

_PIECES = re.compile(r"<!--.*?-->|</?(?:details|summary|br|kbd|sub|sup)\s*/?>|.", re.DOTALL | re.IGNORECASE)
_TASK = re.compile(r"\[([ xX])\]\s+")
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*", re.IGNORECASE)


def render(text: str) -> Markup:
    """The text as HTML; every byte of it was made here or escaped."""
    return Markup(_MARKDOWN.render(text))  # noqa: S704 - this is where it becomes safe


def _html(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Only the few harmless tags of `_PIECES` stay."""

    def keep(match: re.Match[str]) -> str:
        piece = match[0]
        if piece.startswith("<!--"):
            return ""
        return piece if len(piece) > 1 else str(escape(piece))

    return _PIECES.sub(keep, tokens[index].content)


def _image(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<span class="image">[image: {escape(tokens[index].content)}]</span>'


def _tasks_and_alerts(state: StateCore) -> None:
    """`- [x] done` gets a box, `> [!NOTE]` a coloured bar."""
    for place, token in enumerate(state.tokens):
        if (
            token.type != "inline"
            or not token.children
            or place < 2
            or state.tokens[place - 1].type != "paragraph_open"
        ):
            continue
        holder, first = state.tokens[place - 2], token.children[0]
        if first.type != "text":
            continue
        if holder.type == "list_item_open" and (task := _TASK.match(first.content)):
            holder.attrJoin("class", "task")
            first.content = first.content[task.end() :]
            box = Token("task_box", "", 0, meta={"done": task[1] != " "})
            token.children.insert(0, box)
        elif holder.type == "blockquote_open" and (alert := _ALERT.match(first.content)):
            holder.attrJoin("class", f"alert {alert[1].lower()}")
            first.content = first.content[alert.end() :]
            token.children.insert(0, Token("alert_title", "", 0, content=alert[1].title()))


def _task_box(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    checked = " checked" if tokens[index].meta["done"] else ""
    return f'<input type="checkbox" disabled{checked}> '


def _alert_title(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f"<strong>{escape(tokens[index].content)}</strong>"


def _link(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("rel", "nofollow noopener")
    return RendererHTML().renderToken(tokens, index, options, env)


def _build() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
    markdown.core.ruler.push("tasks_and_alerts", _tasks_and_alerts)
    rules = {
        "html_block": _html,
        "html_inline": _html,
        "image": _image,
        "task_box": _task_box,
        "alert_title": _alert_title,
        "link_open": _link,
    }
    for name, rule in rules.items():
        markdown.add_render_rule(name, lambda self, *given, rule=rule: rule(*given))
    return markdown


_MARKDOWN = _build()
