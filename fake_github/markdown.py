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


class _Renderer(RendererHTML):
    """A method for each kind of token that is not written as CommonMark has it."""

    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Only the few harmless tags of `_PIECES` stay."""

        def keep(match: re.Match[str]) -> str:
            piece = match[0]
            if piece.startswith("<!--"):
                return ""
            return piece if len(piece) > 1 else str(escape(piece))

        return _PIECES.sub(keep, tokens[idx].content)

    html_inline = html_block

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f'<span class="image">[image: {escape(tokens[idx].content)}]</span>'

    def task_box(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f'<input type="checkbox" disabled{" checked" if tokens[idx].meta["done"] else ""}> '

    def alert_title(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"<strong>{escape(tokens[idx].content)}</strong>"

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        tokens[idx].attrSet("rel", "nofollow noopener")
        return self.renderToken(tokens, idx, options, env)


def _tasks_and_alerts(state: StateCore) -> None:
    """`- [x] done` gets a box, `> [!NOTE]` a coloured bar."""
    for holder, paragraph, token in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if token.type != "inline" or paragraph.type != "paragraph_open" or not token.children:
            continue
        first = token.children[0]
        if first.type != "text":
            continue
        if holder.type == "list_item_open" and (task := _TASK.match(first.content)):
            holder.attrJoin("class", "task")
            first.content = first.content[task.end() :]
            token.children.insert(0, Token("task_box", "", 0, meta={"done": task[1] != " "}))
        elif holder.type == "blockquote_open" and (alert := _ALERT.match(first.content)):
            holder.attrJoin("class", f"alert {alert[1].lower()}")
            first.content = first.content[alert.end() :]
            token.children.insert(0, Token("alert_title", "", 0, content=alert[1].title()))


_MARKDOWN = MarkdownIt("commonmark", {"html": True, "breaks": True}, renderer_cls=_Renderer)
_MARKDOWN.enable(["table", "strikethrough"]).core.ruler.push("tasks_and_alerts", _tasks_and_alerts)
