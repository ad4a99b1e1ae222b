"""What a commit's message says of others: the issues it names, the commits it takes back or copies. Pure."""

import re
from dataclasses import dataclass, field

_CLOSES = r"(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)"
_NAMED = re.compile(
    rf"(?P<closes>\b{_CLOSES}\b:?[ \t]{{0,3}}(?:issues?[ \t]|bug[ \t])?)?"
    r"(?:https?://[\w.-]{1,100}/(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})/(?:-/)?(?:issues|pull|merge_requests)/"
    r"|(?<![\w&])#|\bgh-|:issue:`#?|:bug:`#?|:pull:`#?|:pr:`#?)(?P<number>[1-9]\d{0,8})\b",
    re.I,
)
_FRAGMENT = re.compile(
    r"(?:^|/)(?:changelog|changes|news|newsfragments|whatsnew|fragments)/(?:[\w-]{1,60}/){0,3}([1-9]\d{0,8})\.\w"
)
_PULL = re.compile(
    r"Merge pull request #(\d{1,9})\b|Merged? (?:PR|MR|pull request) #?(\d{1,9})\b|Merge #(\d{1,9})\b"
    r"|Auto merge of #(\d{1,9})\b|[^\n]{0,300}\(#(\d{1,9})\)[ \t]*(?:\n|\Z)"
)
# The branch of a merged pull request is often called by the issue: `ann/1234_rows`, `fix-rows-1234`, `issue12`.
_BRANCH = re.compile(r"Merge (?:pull request #\d{1,9} from [^\s/]{1,100}/(\S{1,300})|branch '([^'\n]{1,300})')")
_IN_BRANCH = re.compile(
    r"(?:(?<![a-z])(?:issue|bug|fix|fixes|gh|ticket)[-_]?|(?<![^/_-])(?=\d{3}))#?([1-9]\d{0,5})(?![^/_-])", re.I
)
_REVERTS = re.compile(
    r"\bThis reverts commit ([0-9a-f]{7,64})\b|\bReverts (?:[\w.-]{1,40}/[\w.-]{1,100})?#(\d{1,9})\b"
    r"|^Revert \"[^\n]{0,300}\(#(\d{1,9})\)\"",
    re.M,
)
_PICKED = re.compile(
    r"\(cherry[- ]picked from commit ([0-9a-f]{7,64})|\bBackport(?:s|ed)? (?:of|from) #(\d{1,9})\b", re.I
)
_MOST = 50


@dataclass(frozen=True, slots=True)
class Names:
    """issues: (number, repository in lower case or empty) of the issues and pull requests it names -> whether it says
    that it closes them. pull: the pull request that the commit merged, 0 for none. reverts, picked: beginnings of SHAs,
    or `#N` for a pull request."""

    issues: dict[tuple[int, str], bool] = field(default_factory=dict)
    pull: int = 0
    reverts: tuple[str, ...] = ()
    picked: tuple[str, ...] = ()


def names_in(message: str, notes: str = "", paths: tuple[str, ...] = ()) -> Names:
    """notes: what was added to changelogs. paths: the changed files; a changelog's fragments are called by a number."""
    issues: dict[tuple[int, str], bool] = {}
    for match in _NAMED.finditer(f"{message}\n{notes}"):
        issue = int(match["number"]), (match["repository"] or "").lower()
        issues[issue] = issues.get(issue, False) or bool(match["closes"])
        if len(issues) > _MOST:
            break
    if branch := _BRANCH.match(message):
        for said in list(_IN_BRANCH.finditer(branch[1] or branch[2]))[:_MOST]:
            issues.setdefault((int(said[1]), ""), False)
    for path in paths[:_MOST]:
        if fragment := _FRAGMENT.search(path[-300:]):
            issues.setdefault((int(fragment[1]), ""), False)
    pull = _PULL.match(message)
    return Names(
        issues=issues,
        pull=int(next(filter(None, pull.groups()))) if pull else 0,
        reverts=_references(_REVERTS, message),
        picked=_references(_PICKED, message),
    )


def _references(pattern: re.Pattern[str], message: str) -> tuple[str, ...]:
    found = (match[1] or f"#{next(filter(None, match.groups()))}" for match in pattern.finditer(message))
    return tuple(dict.fromkeys(found))[:_MOST]
