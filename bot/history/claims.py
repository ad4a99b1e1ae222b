"""Which issues a text names, and of which it says that it fixes them. Pure.

A reference is no claim: *see #12*, *part of #12*, *does not fix #12*, *failing test for #12*. What is unsure is none.
"""

import re
from itertools import islice

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
_MOST = 50
_READ = 500  # numbers of a text, each once or more


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
        if len(found) > _MOST:
            break
    return found


def _claimed(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - _BEFORE) : match.start()]
    word = _CLOSES.search(before)
    if word is None or _LEFT.match(text[match.end() : match.end() + 40]):
        return False
    clause = _CLAUSE.split(before[: word.start()])[-1]
    return not _NOT.search(clause) and (word["says"] is not None or not _UNSURE.search(clause))
