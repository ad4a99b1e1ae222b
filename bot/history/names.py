"""What the message of a commit and the name of a branch say of others: the issues they name, and which of them a text
says that it fixes; the commits it takes back or copies. Pure.

A reference is no claim: *see #12*, *part of #12*, *does not fix #12*, *failing test for #12*. What is unsure is none.
People call a branch by the issue: `1234-rows` (GitHub's own button), `ann/1234_rows`, `fix-12`, `rows-issue12`. Most
other numbers there are versions (`python-312`), dates, standards (`sha-256`), counts (`patch-2`) or robots' numbers.
"""

import re
from dataclasses import dataclass, field
from itertools import islice

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
_LONGEST_NAME = 300  # characters of a name that are read
_END = r"(?![^/_-])"
_YEAR = rf"(?!(?:19|20)\d\d{_END})"
_BRANCH_NUMBER = rf"([1-9]\d{{0,6}}){_END}"
_SAYS_ISSUE = re.compile(rf"(?<![a-z])(?:issues?|bugs?|gh|ticket)[/_-]?#?{_BRANCH_NUMBER}", re.ASCII | re.I)
_SAID = re.compile(
    rf"#{_BRANCH_NUMBER}|(?<![a-z])(?:fix(?:es)?|bugfix|hotfix|feat|feature|close[sd]?|resolve[sd]?)[/_-]?{_YEAR}{_BRANCH_NUMBER}",
    re.ASCII | re.I,
)
_FIRST = re.compile(rf"(?:^|/){_YEAR}{_BRANCH_NUMBER}(?![/_-]\d)", re.ASCII)  # of a part; a date goes on with a number
_BEHIND = re.compile(rf"(?<=[a-z])[_-]{_YEAR}([1-9]\d{{3,5}}){_END}(?![/_-]\d)", re.ASCII)
_COUNT = 100  # a smaller number, where no word says what it is, is rather a count: `fix-2`, `32-bit`
_NEAR = 300  # or a quarter of the pull request's: how much older an issue is that no word leads to
_NUMBERED = (
    r"(?:https?://[\w.-]{1,100}/(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})/(?:-/)?(?:issues|pull|merge_requests)/"
    r"|(?<![\w&])#|\bgh-|:issue:`#?|:bug:`#?|:pull:`#?|:pr:`#?)(?P<number>[1-9]\d{0,8})\b`?"
)
_NAMED = re.compile(_NUMBERED, re.I)
# Right before a number: GitHub's keywords, and what people write in their place. *fixes #12* says it whatever else
# stands there; *fix #12* and *fixed #12* may be what others did, or somebody will do.
_CLOSES = re.compile(
    r"\b(?:(?P<says>closes|fixes|resolves|solves)|close|closed|closing|fix|fixed|fixing|resolve|resolved|resolving"
    r"|solve|solved|solving|(?:bug)?fix(?:es)? for)"
    r"\b:?[ \t]{0,3}(?:(?:the )?(?:issues?|bugs?|tickets?|reports?)\b:?[ \t]{0,3})?$",
    re.I,
)
_ALSO = re.compile(r"[ \t]*(?:,|&|and|,[ \t]*and)[ \t]*", re.I)  # between a closed number and the next
_CLAUSE = re.compile(r"[.;:!?](?=\s)|\n|[()\[\]]|,| - | -- | \u2013 | \u2014 |\b(?:and|but)\b", re.I)
_NOT = re.compile(
    r"\b(?:not|cannot|never|nothing|nor|without|instead|partial(?:ly)?|part(?:ly)?|half|almost|nearly|mostly"
    r"|may|maybe|might|hopefully|perhaps|probably|possibl[ey]|until|once|if|unless)\b|n['\u2019]t\b",
    re.I,
)
_UNSURE = re.compile(
    r"\b(?:attempt\w*|try|tries|trying|tried|wip|towards?|steps?|start\w*|begin\w*|prepar\w+|help\w*|want\w*|needed"
    r"|required|plan\w*|todo|later|eventually|before|when|after|follow\w*|future|next|should|could|would|will"
    r"|x?fail\w*|tests?|testing|tested|skip\w*|repro\w*|docs?|document\w*|claim\w*|same as|similar|like"
    r"|unrelated|initial|draft|tentative|naive|extend\w*"
    r"|was|were|been|got|previously|already|revert\w*|broke\w*|since|introduced|regress\w*|undo\w*|which|that|what)\b",
    re.I,
)
_LEFT = re.compile(  # behind the number
    r"[^\n.;:,]{0,20}\b(?:partial(?:ly)?|partly|in part|is not|isn['\u2019]t|still|for now)\b", re.I
)
_BEFORE = 120  # characters that are read before a number
_MOST_CLAIMS = 50
_READ = 500  # numbers of a text, each once or more


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
    # Nothing of the title of what is taken back: that is said of another change.
    issues = claims(f"{_QUOTED.sub(lambda quoted: '' if _back(quoted) else quoted[0], message)}\n{notes}")
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
    back, title = (_back(quoted), quoted["title"]) if quoted else (False, "")
    pulled = _PULL.match(title)  # what the innermost title stands for
    turned = (f"#{next(filter(None, pulled.groups()))}" if pulled else f'"{title}',) if title else ()
    return Names(
        issues=issues,
        pull=pull,
        reverts=_references(_REVERTS, message) or (turned if back else ()),
        picked=(*_references(_PICKED, message), *(() if back else turned)),
    )


def _back(quoted: re.Match[str]) -> bool:
    return quoted["turns"].count("Revert") % 2 == 1


def _references(pattern: re.Pattern[str], message: str) -> tuple[str, ...]:
    found = (match[1] or f"#{next(filter(None, match.groups()))}" for match in pattern.finditer(message))
    return tuple(dict.fromkeys(found))[:_MOST]


def issues_in(branch: str, pull: int | None = None) -> tuple[int, ...]:
    """The numbers, the surest first. pull: the branch's pull request, older than which they are.

    Behind a word that says nothing of issues a number counts only where it is near that (`latex_10723` of 10760).
    """
    name = branch[:_LONGEST_NAME]
    told, said, first, behind = (
        [int(match[match.lastindex or 0]) for match in pattern.finditer(name)]
        for pattern in (_SAYS_ISSUE, _SAID, _FIRST, _BEHIND)
    )
    near = pull - max(_NEAR, pull // 4) if pull else 0
    said = [number for number in said if number >= min(near, _COUNT)]
    first = [number for number in first if number >= min(pull / 2 if pull else _COUNT, _COUNT)]
    behind = [number for number in behind if pull and number >= near]
    return tuple(dict.fromkeys(number for number in (*told, *first, *said, *behind) if not pull or number < pull))


def claims(text: str) -> dict[tuple[int, str], bool]:
    """Number and repository (in lower case, or empty) of each issue or pull request -> whether it says that it closes
    it."""
    found: dict[tuple[int, str], bool] = {}
    closed, end = False, 0  # whether the number before was closed, and where it ended
    for match in islice(_NAMED.finditer(text), _READ):
        also = closed and _ALSO.fullmatch(text[end : match.start()]) is not None
        closed, end = also or _claimed(text, match), match.end()
        issue = int(match["number"]), (match["repository"] or "").lower()
        found[issue] = found.get(issue, False) or closed
        if len(found) > _MOST_CLAIMS:
            break
    return found


def _claimed(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - _BEFORE) : match.start()]
    word = _CLOSES.search(before)
    if word is None or _LEFT.match(text[match.end() : match.end() + 40]):
        return False
    clause = _CLAUSE.split(before[: word.start()])[-1]
    return not _NOT.search(clause) and (word["says"] is not None or not _UNSURE.search(clause))
