"""Markdown of strangers and bots as safe HTML: as GitHub's API gives it, and for the fake's own pages near enough to
that. There raw HTML is escaped, save a few tags without attributes; comments vanish; images become their description,
so that a page never loads anything from elsewhere.
"""

import re
from collections.abc import Sequence
from typing import Any

from cmarkgfm import github_flavored_markdown_to_html  # type: ignore[import-untyped]
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]
from justhtml import JustHTML, SanitizationPolicy, SetAttrs
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

_PIECES = re.compile(r"<!--.*?-->|</?(?:details|summary|br|kbd|sub|sup)\s*/?>|.", re.DOTALL | re.IGNORECASE)
_TASK = re.compile(r"\[([ xX])\]\s+")
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*", re.IGNORECASE)
_AS_GITHUB = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_HARDBREAKS | Options.CMARK_OPT_FOOTNOTES
_FORMULA = re.compile(r"\$\$(?=\S).+?\$\$|\$(?=[^\s$])[^$]+?(?<!\s)\$(?!\d)", re.DOTALL)
# What GitHub leaves of HTML, by its own published filter; what is not here loses its tags and keeps its text.
_KEPT = (
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "br",
        "b",
        "i",
        "strong",
        "em",
        "a",
        "pre",
        "code",
        "img",
        "tt",
        "div",
        "ins",
    ),
    *("del", "sup", "sub", "p", "picture", "ol", "ul", "table", "thead", "tbody", "tfoot", "blockquote", "dl", "dt"),
    *("dd", "kbd", "q", "samp", "var", "hr", "ruby", "rt", "rp", "li", "tr", "td", "th", "s", "strike", "summary"),
    *("details", "caption", "figure", "figcaption", "abbr", "bdo", "cite", "dfn", "mark", "small", "source", "span"),
    *("time", "wbr", "section", "input", "math-renderer"),
)
_KEPT_ATTRIBUTES = {
    "*": ("align", "alt", "checked", "dir", "disabled", "height", "label", "lang", "name", "open", "title", "type"),
    "a": ("href",),
    "img": ("src",),
    "math-renderer": ("class",),
    "pre": ("lang",),
}
_POLICY = SanitizationPolicy(
    allowed_tags=frozenset(_KEPT),
    allowed_attributes={tag: frozenset(names) for tag, names in _KEPT_ATTRIBUTES.items()},
    drop_content_tags=("script", "style"),
    strip_invisible_unicode=False,
)


def to_html(text: str) -> str:
    """As `body_html` has it: by GitHub's own library, then cleaned; formulas are left to an element of their own."""
    made = github_flavored_markdown_to_html(text, _AS_GITHUB)
    paragraphs = re.sub(r"<p>.*?</p>", lambda found: _FORMULA.sub(_formula, found[0]), made, flags=re.DOTALL)
    shown = JustHTML(paragraphs, fragment=True, policy=_POLICY, transforms=[SetAttrs("p", dir="auto")])
    return shown.to_html(pretty=False)


def _formula(found: re.Match[str]) -> str:
    return f'<math-renderer class="js-inline-math">{found[0]}</math-renderer>'


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
