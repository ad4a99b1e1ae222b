"""What a commit's message says of others: the issues it names, the commits it takes back or copies. Pure."""

import re
from dataclasses import dataclass, field

from bot.changes.branches import issues_in
from bot.history.claims import claims

_FRAGMENT = re.compile(
    r"(?:^|/)(?:changelog|changes|news|newsfragments|whatsnew|fragments)/(?:[\w-]{1,60}/){0,3}([1-9]\d{0,8})\.\w"
)
_PULL = re.compile(
    r"Merge pull request #(\d{1,9})\b|Merged? (?:PR|MR|pull request) #?(\d{1,9})\b|Merge #(\d{1,9})\b"
    r"|Auto merge of #(\d{1,9})\b|[^\n]{0,300}\(#(\d{1,9})\)[ \t]*(?:\n|\Z)"
)
_BRANCH = re.compile(r"Merge (?:pull request #\d{1,9} from [^\s/]{1,100}/(\S{1,300})|branch '([^'\n]{1,300})')")
# `Revert "Mend rows (#40)" (#41)`, `Revert "Revert "Mend rows (#40)" (#41)" (#42)`, git's own `Reapply "Mend rows"`.
_QUOTED = re.compile(
    r"^(?:[*-] )?(?P<turns>(?:(?:Revert|Reapply) \"){1,20})"
    r"(?P<title>[^\n]{1,300}?)(?:\"(?: \(#\d{1,9}\))?){1,20}[ \t]*$",
    re.M,
)
_MERGE = re.compile(r"(?:Merge[^\n]*\n\n)?")  # above the pull request's title
_REVERTS = re.compile(
    r"\bThis reverts commit ([0-9a-f]{7,64})\b"
    r"|\b(?:This r|R)everts (?:PR |pull request )?(?:[\w.-]{1,40}/[\w.-]{1,100})?#(\d{1,9})\b"
)
_PICKED = re.compile(
    r"\(cherry[- ]picked from commit ([0-9a-f]{7,64})"
    r"|\bBackport(?:s|ed)? (?:(?:of|from) )?(?:PR |pull request )?#(\d{1,9})\b",
    re.I,
)
_BUGFIX = re.compile(r"\.(?:bug|bugfix|fix)(?:\.|\Z)")  # what towncrier calls an entry that says a bug is fixed
_MOST = 50


@dataclass(frozen=True, slots=True)
class Names:
    """issues: (number, repository in lower case or empty) of the issues and pull requests it names -> whether it says
    that it closes them. pull: the pull request that the commit merged, 0 for none. reverts, picked: what it takes back,
    and what it copies or applies again: beginnings of SHAs, `#N` for a pull request, or `"` and a subject."""

    issues: dict[tuple[int, str], bool] = field(default_factory=dict)
    pull: int = 0
    reverts: tuple[str, ...] = ()
    picked: tuple[str, ...] = ()


def names_in(message: str, notes: str = "", paths: tuple[str, ...] = ()) -> Names:
    """notes: what was added to changelogs. paths: the changed files; a changelog's fragments are called by a number."""
    issues = claims(f"{_QUOTED.sub(_own, message)}\n{notes}")
    found = _PULL.match(message)
    pull = int(next(filter(None, found.groups()))) if found else 0
    if branch := _BRANCH.match(message):
        for number in issues_in(branch[1] or branch[2], pull or None)[:_MOST]:
            issues.setdefault((number, ""), False)
    for path in paths[:_MOST]:
        if fragment := _FRAGMENT.search(path[-300:]):
            number = int(fragment[1])
            issues[number, ""] = issues.get((number, ""), False) or _BUGFIX.search(path) is not None
    begin = _MERGE.match(message)
    quoted = _QUOTED.match(message, begin.end() if begin else 0)
    turned = _turned(quoted) if quoted else ()
    back = _back(quoted) if quoted else False
    return Names(
        issues=issues,
        pull=pull,
        reverts=_references(_REVERTS, message) or (turned if back else ()),
        picked=(*_references(_PICKED, message), *(() if back else turned)),
    )


def _own(quoted: re.Match[str]) -> str:
    """Nothing of the title of what is taken back: that is said of another change."""
    return "" if _back(quoted) else quoted[0]


def _back(quoted: re.Match[str]) -> bool:
    return quoted["turns"].count("Revert") % 2 == 1


def _turned(quoted: re.Match[str]) -> tuple[str, ...]:
    """What the innermost title stands for."""
    pull = _PULL.match(quoted["title"])
    return (f"#{next(filter(None, pull.groups()))}" if pull else f'"{quoted["title"]}',)


def _references(pattern: re.Pattern[str], message: str) -> tuple[str, ...]:
    found = (match[1] or f"#{next(filter(None, match.groups()))}" for match in pattern.finditer(message))
    return tuple(dict.fromkeys(found))[:_MOST]
