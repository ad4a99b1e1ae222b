"""The revision that a report is about, from the version it names; and the branch that still gets fixes for that
version, such as `2.x`, and whether it got this one."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.revisions import is_ancestor
from bot.already_fixed.values import words
from bot.github.commits import merge_base
from bot.history.refs import refs, tag_of
from bot.history.values import Candidate

_NUMBER = r"v?(\d{1,4}(?:\.\d{1,6}){1,3}(?:(?:a|b|rc|\.?dev|\.post)\d{0,6})?)\b(?!\.\d)"
_VERSION = re.compile(rf"\bversions?\b[^\w\n]{{0,5}}(?:is |used |number |:)?[^\w\n]{{0,5}}{_NUMBER}", re.I)
_WORD = re.compile(r"[A-Za-z0-9][\w.+]*")
_ENDS = re.compile(r"[.!?;][\"')]*\s")
_LABEL = re.compile(r"[\W_]*[A-Za-z][\w /-]{0,40}?[\W_]*(?:[:=|][^\d\n]{0,60})?")
_OF = re.compile(r"[\"'`),\s]{0,3}(?:of|for) (?:the )?[`'\"]?([A-Za-z][\w.-]*)", re.I)
_SAID = words("version")
_WORKED = pattern("worked")
_NUMBERS = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){0,2})(\.[x*])?")
_VERSION_NUMBERS = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){1,3})")
_LONGEST = 100_000
_APART = str.maketrans("-_", "//")  # what stands between the words of a branch


def said_version(title: str, text: str, names: Collection[str]) -> str:
    """The version of the project that a report names; empty where it names none.

    names: what the project is called: its repository, its packages. A number counts where it follows one of them, or,
    where none does, the word `version`, unless that of something else is meant: by the words around it, or by the line
    of the list above it. One that it is said to have worked in does not count.
    """
    whole = f"{title}\n{text}"[:_LONGEST]
    for name in sorted((name for name in names if re.fullmatch(r"[\w.-]{2,60}", name)), key=len, reverse=True):
        called = re.escape(name).replace("_", "[-_]")
        link = (
            r"(?:\.__version__)?(?:[ \t]{1,4}|[ \t]{0,4}[:=@(|-]{1,3}[ \t'\"`*]{0,4})(?:version|v\.?)?[ :=]{0,3}['\"`]?"
        )
        for found in re.finditer(rf"(?<![\w/.-]){called}{link}{_NUMBER}", whole, re.I):
            if not _WORKED.search(whole[max(0, found.start() - 60) : found.start()]):
                return found[1]
    own = frozenset(name.lower() for name in names)
    for found in _VERSION.finditer(whole):
        begin = whole.rfind("\n", 0, found.start()) + 1
        before, after = whole[max(begin, found.start() - 200) : found.start()], whole[found.end() : found.end() + 60]
        alone = not before.strip(" \t-*+|>#_`'\"")
        above = whole[max(0, begin - 300) : begin].rstrip().rpartition("\n")[2] if alone else ""
        if not (_WORKED.search(before) or _is_anothers(before, after, own) or _is_label_of_another(above, own)):
            return found[1]
    return ""


def _is_anothers(before: str, after: str, own: Collection[str]) -> bool:
    """Whether the words in the line of a version say that it is of something else."""
    words = [word.lower().rstrip(".") for word in _WORD.findall(_ENDS.split(before)[-1])]
    if before.endswith("<"):  # in a file of another kind
        return True
    if words and words[-1] not in own and words[-1] not in _SAID["nothing"]:
        return True
    while words and words[-1] in _SAID["places"]:
        words.pop()
    if words and words[-1] not in own and words[-1] in _SAID["others"]:
        return True
    of = _OF.match(after)
    return bool(of and of[1].lower() not in own and of[1].lower() not in _SAID["nothing"])


def _is_label_of_another(line: str, own: Collection[str]) -> bool:
    """Whether a line without a number, such as a heading or `Name: x`, names something else."""
    words = [word.lower() for word in _WORD.findall(line)]
    if not _LABEL.fullmatch(line.strip()) or not (line.lstrip().startswith(tuple("#*+-")) or set(":=|") & set(line)):
        return False
    return not any(word in own or word.startswith("version") or word in _SAID["nothing"] for word in words)


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


def unfixed_branch(
    directory: Path, branches: Mapping[str, str], fix: Candidate | None, *, text: str, version: str
) -> str:
    """The name of the branch that the report is about and that does not have the fix; empty where there is none.

    branches: commits by name. text: the report's. version: that it names, or empty. Raises nothing.
    """
    name = line_of(branches, text, version)
    if fix is None or name is None:
        return ""
    tip = branches[name]
    same = (fix.commit, *fix.members, *fix.back_ports)
    return "" if any(sha == tip or is_ancestor(directory, sha, tip) for sha in same) else name


def line_of(branches: Mapping[str, str], text: str, version: str) -> str | None:
    """The branch for later fixes of a version: the one that the report names, else the one whose numbers go furthest
    with the version's. `None` where there is none."""
    lines = {name: numbers for name in branches if (numbers := _numbers(name))}
    shown = text[:_LONGEST]
    named = [name for name in lines if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/*-]|\.\w)", shown)]
    found = _VERSION_NUMBERS.match(version)
    said = tuple(map(int, found[1].split("."))) if found else ()
    fitting = [name for name, numbers in lines.items() if said[: len(numbers)] == numbers]
    return max(named or fitting, key=lambda name: (len(lines[name]), name), default=None)


def _numbers(name: str) -> tuple[int, ...]:
    """Those of a branch that is kept for a version; a number alone, such as an issue's, names none."""
    words = name.lower().translate(_APART).split("/")
    found = [match for word in words if (match := _NUMBERS.fullmatch(word))]
    if len(found) != 1 or len(words) > 4 or not set(words) - {found[0][0]} <= {*_SAID["branches"]}:
        return ()
    numbers = tuple(map(int, found[0][1].split(".")))
    return numbers if found[0][2] or len(numbers) == 2 else ()
