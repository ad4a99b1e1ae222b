"""Does an issue ask for what people read, and not for what a program does? Told from its labels and words. Pure."""

import re

from bot.markdown.visible import visible_line

_LABEL = re.compile(r"(?<![a-z])(?:docs?|documentation|docstrings?|comments?|formatting|code[ -]?style)(?![a-z])", re.I)
_READ = (
    r"(?:docs?|documentation|doc ?strings?|(?:doc|documentation|code) comments?|java ?docs?|js ?docs?|rust ?docs?"
    r"|comments?(?=\W*$|[.:,;)]|\W{1,3}(?:about|above|below|for|in|of|on|says?|to)\b))"
)
_TITLE = re.compile(
    rf"^\W{{0,9}}(?:{_READ}|style|format(?:ting)?)\W{{0,3}}(?:\([^)]{{0,40}}\))?\W{{0,3}}:"
    r"|\b(?:document(?:ed|ing)?|undocumented|documentation|doc ?strings?|doc comments?|code comments?)\b"
    rf"|\b(?:add|clarify|complete|correct|expand|explain|fix|improve|incorrect|misleading|missing|misspell\w*|mistakes?"
    rf"|outdated|remove|reword|rewrite|spelling|stale|tidy|translate|typos?|update|wording|write|wrong)\b"
    rf"(?:\W{{1,5}}\w{{1,40}}){{0,8}}\W{{1,5}}{_READ}(?!\w)"
    rf"|\b{_READ}(?:\W{{1,5}}\w{{1,40}}){{0,8}}\W{{1,5}}(?:describes?|lacks?|mentions?|says?)\b"
    r"|\b(?:re-?format|re-?indent|run (?:black|gofmt|prettier|ruff|clang-format|rustfmt)|code style|pep ?8)\b",
    re.I,
)
_MOST_TITLE = 300  # characters


def asks_for_documentation(title: str, labels: tuple[str, ...]) -> bool:
    """Whether a change of comments, docstrings or layout alone may be all that was asked for.

    A label says so, or the title does. The body alone does not: it speaks of documentation for many reasons. Nor does
    asking: "could it be faster?" wants a program that is.
    """
    if any(_LABEL.search(label) for label in labels):
        return True
    return bool(_TITLE.search(visible_line(title).text[:_MOST_TITLE]))
