"""The revision that a report is about, from the version it names."""

import re
from collections.abc import Collection
from pathlib import Path

from bot.fixed.revisions import is_ancestor
from bot.github.commits import merge_base
from bot.github.errors import GitHubError
from bot.history.refs import refs, tag_of

_NUMBER = r"v?(\d{1,4}(?:\.\d{1,6}){1,3}(?:(?:a|b|rc|\.?dev|\.post)\d{0,6})?)\b(?!\.\d)"
_VERSION = re.compile(rf"\bversions?\b[^\w\n]{{0,5}}(?:is |used |number |:)?[^\w\n]{{0,5}}{_NUMBER}", re.I)
_LONGEST = 100_000


def said_version(title: str, text: str, names: Collection[str]) -> str:
    """The version of the project that a report names; empty where it names none.

    names: what the project is called: its repository, its packages. A number counts where it follows one of them, or,
    where none does, the word `version`.
    """
    whole = f"{title}\n{text}"[:_LONGEST]
    for name in sorted((name for name in names if re.fullmatch(r"[\w.-]{2,60}", name)), key=len, reverse=True):
        called = re.escape(name).replace("_", "[-_]")
        link = r"(?:\.__version__)?(?:[ \t]{1,4}|[ \t]{0,4}[:=@(|-]{1,3}[ \t'\"]{0,4})(?:version|v\.?)?[ :=]{0,3}['\"]?"
        if found := re.search(rf"(?<![\w/.-]){called}{link}{_NUMBER}", whole, re.I):
            return found[1]
    found = _VERSION.search(whole)
    return found[1] if found else ""


def reported_revision(directory: Path, head: str, said: str) -> tuple[str | None, str]:
    """The commit of the version's tag where it is older than the head, and where there is none, why, as a sentence.

    said: a version, or empty. A tag beside the head's line, as of a maintained release, counts when the head does not
    come before it. Raises a `GitHubError`.
    """
    if not said:
        return None, ""
    tags = refs(directory).tags
    tag = tag_of(tags, said)
    if tag is None:
        return None, f"The report names version {said}, which no tag stands for."
    sha = tags[tag]
    if sha == head or is_ancestor(directory, head, sha):
        return None, f"The report names version {said}, which is no older than the head."
    if merge_base(directory, sha, head) is None:
        return None, f"Version {said}, which the report names, shares no history with the head."
    return sha, ""


def where_they_part(directory: Path, bad: str, head: str) -> str | None:
    """The newest commit that both have: where a search towards the head can begin. Raises nothing."""
    try:
        return merge_base(directory, bad, head)
    except GitHubError:
        return None
