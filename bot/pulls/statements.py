"""What a pull request claims of itself, read from its own words. Pure; every text comes from strangers.

A claim is a plain statement. What stands in code, quotes, headings and boxes without a tick is none, nor is what is
only wished, asked or made to depend on something. Better none than a wrong one: a contradicted claim asks a person.
"""

import re
from collections.abc import Iterable, Iterator

from bot.markdown.blocks import Sort, blocks
from bot.markdown.visible import visible, visible_line
from bot.pulls.facts import Statement, StatementKind

LONGEST = 16_000  # characters of a text that are read
MOST = 20  # claims
_QUOTE = 200  # characters

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[(?P<tick>[ xX])?\]\s*)?")
_BOX = re.compile(r"\s*\[(?P<tick>[ xX])?\]\s*")
_CODE = re.compile(r"`[^`\n]{0,300}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|\([^()\n]{0,200}\)|~~[^~\n]{0,200}~~")
_END = re.compile(r"[.!;](?=\s|$)|\n")
_UNSURE_WORDS = """
if should shall would could can will won't wont to-do todo please ensure ensures need needs must until unless once when
whether might may maybe perhaps probably hopefully hope plan plans planned later followup follow-up wip try tried want
happy still yet no not never cannot nothing none without isn't aren't don't didn't doesn't haven't hasn't except but
applicable necessary needed appropriate possible required relevant n/a example e.g expect expects before was were had
instead previous previously suggest suggests suggested ask asks asked review reviewer reviewed failing fail fails almost
most some
"""
_UNSURE = re.compile(
    rf"\?|\b(?:{'|'.join(map(re.escape, _UNSURE_WORDS.split()))}|make sure|let me|other than|so that)\b", re.I
)
_MINE = r"^(?:this (?:pr|change|patch|commit) |i(?:'ve| have)? |we(?:'ve| have)? |and |also |it ){0,3}"
_THIS = r"^(?:this is |this pr is |it is )?(?:a )?"
_KINDS = r"(?:(?:unit|regression|integration|new|more|several|missing|automated|additional|\w{1,20}) ){0,3}"
_TESTS = rf"{_KINDS}tests?(?: cases?| coverage)?"
_NO_TEST = (  # what "adds test ..." may go on with
    r"(?! (?:helpers?|utilit|suite|runner|fixtures?|command|script|infrastructure|framework|data|dep|config|harness"
    r"|mode|matrix|env))"
)
_PATTERNS = {
    StatementKind.ALL_GREEN: (
        r"\b(?:all|existing|every|the (?:full|whole|entire))\b(?: \w{1,20}){0,4} (?:tests?(?: suites?)?|checks)\b"
        r"(?: \w{1,20}){0,2} (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are) green)\b",
    ),
    StatementKind.TESTS_ADDED: (
        rf"{_MINE}(?:adds?|added|includes?|included|wrote|writes?) (?:the )?{_TESTS}\b{_NO_TEST}",
        rf"^{_TESTS} (?:have been |has been |are |is )?(?:added|included)\b",
    ),
    StatementKind.BEHAVIOUR_KEPT: (
        r"\bno (?:functional|behaviou?ral|behaviou?r|semantic|functionality|logic)(?: \w{1,12})? ?changes?\b"
        r"(?! (?:for|to|in|on|when|unless) )",
        r"\bno change (?:in|of|to) (?:behaviou?r|functionality|semantics)\b",
        rf"{_THIS}pure(?:ly)?(?: a)? refactor(?:ing)?\b",
        r"\b(?:does not|doesn't) change (?:any |the )?(?:behaviou?r|functionality)$",
        r"\bbehaviou?r (?:is|stays|remains) (?:unchanged|the same|identical)$",
    ),
    StatementKind.COMPATIBLE: (
        r"\b(?:fully |completely |is |are |it's )backwards?[- ]compatible\b",
        r"^backwards?[- ]compatible\b",
        r"\bno breaking changes?\b",
    ),
    StatementKind.DOCUMENTATION_ONLY: (
        rf"{_THIS}(?:docs?|documentation)[- ]only\b",
        r"\bonly (?:changes?|touch(?:es)?|updates?|affects?) (?:the )?(?:docs|documentation|readme|comments)\b",
        r"\bno code changes?\b(?! (?:for|to|in|on|when) )",
        r"\bno changes? to (?:the )?code\b",
    ),
    StatementKind.TESTS_ONLY: (
        rf"{_THIS}tests?[- ]only\b",
        r"\bonly (?:changes?|touch(?:es)?|adds?) (?:the )?tests\b",
    ),
    StatementKind.DOCUMENTED: (
        rf"{_MINE}(?:updated?s?|added|adds|wrote) (?:the )?(?:relevant |corresponding )?(?:docs|documentation)\b",
        r"^(?:the )?(?:docs|documentation) (?:has been |have been |is |are )?(?:updated|added)\b",
    ),
    StatementKind.IN_CHANGELOG: (
        rf"{_MINE}(?:updated?s?|added|adds) (?:an? |the )?(?:entry (?:to|in) (?:the )?)?"
        r"(?:changelog|release notes?|news fragment)(?=$| (?:entry|for|with|accordingly|and|to|too)\b)",
        r"^(?:the )?changelog (?:entry )?(?:has been |is )?(?:updated|added)\b",
    ),
    StatementKind.NO_DEPENDENCIES: (
        r"\b(?:no (?:new|additional|extra|external)|adds no|without (?:any )?(?:new|additional)) (?:\w{1,12} )?"
        r"dependenc(?:y|ies)\b",
    ),
    StatementKind.FASTER: (
        r"\b\d{1,6}(?:\.\d{1,3})?(?:x|×|%| times) (?:faster|speed-?up|quicker)\b",
        r"\bimproves? (?:the )?performance\b",
        r"\bis (?:much |now )?faster\b",
    ),
}
_SAYS = tuple((claim, re.compile("|".join(patterns), re.I)) for claim, patterns in _PATTERNS.items())
_PREFIX = re.compile(r"(?P<kind>docs?|tests?|refactor)(?:\([^()\n]{0,40}\))?: ", re.I)
_PREFIXES = {
    "doc": StatementKind.DOCUMENTATION_ONLY,
    "test": StatementKind.TESTS_ONLY,
    "refactor": StatementKind.BEHAVIOUR_KEPT,
}
_OF_THE_WHOLE = frozenset({StatementKind.DOCUMENTATION_ONLY, StatementKind.TESTS_ONLY, StatementKind.BEHAVIOUR_KEPT})


def claims(title: str, body: str, commits: Iterable[str] = ()) -> tuple[Statement, ...]:
    """Each claim once, where it is made first, at most `MOST`.

    commits: their messages; what one says of being this or that alone it says of itself, not of the whole.
    """
    found: dict[StatementKind, Statement] = {}
    for said in _all(title, body, commits):
        found.setdefault(said.claim, said)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _all(title: str, body: str, commits: Iterable[str]) -> Iterator[Statement]:
    line = visible_line(title[:_QUOTE]).text
    if prefix := _PREFIX.match(line):
        yield Statement(_PREFIXES[prefix["kind"].lower().removesuffix("s")], line[:_QUOTE], "title")
    yield from _in(line, "title")
    own = (part for part in visible(body[:LONGEST]).text.split("\n") if not part.lstrip().startswith(">"))
    for block in blocks("\n".join(own)):
        if block.sort is Sort.PROSE:
            yield from _in(block.text, "description")
    left = LONGEST
    for message in commits:
        text = visible(message[:left]).text
        yield from (said for said in _in(text, "commits") if said.claim not in _OF_THE_WHOLE)
        left -= len(message)
        if left <= 0:
            return


def _in(text: str, where: str) -> Iterator[Statement]:
    for sentence in statements(text):
        for claim, pattern in _SAYS:
            match = pattern.search(sentence)
            if match is None:
                continue
            # What says how a claim is meant: a "no" belongs to some of them.
            about = sentence if claim.affirms else f"{sentence[: match.start()]} {sentence[match.end() :]}"
            if not _UNSURE.search(about):
                yield Statement(claim, sentence[:_QUOTE], where)


def statements(text: str) -> Iterator[str]:
    """The sentences that their author makes: no quotes, no code, no box without a tick."""
    for line in text.split("\n"):
        if line.lstrip().startswith((">", "#", "|")) or (line.startswith(("    ", "\t")) and not _ITEM.match(line)):
            continue
        item = _ITEM.match(line) or _BOX.match(line)
        if item and "[" in item[0] and (item["tick"] or " ") == " ":
            continue
        rest = _CODE.sub(" ", line[item.end() if item else 0 :][:2_000]).replace("*", "").replace("_", " ")
        for sentence in _END.split(rest):
            yield " ".join(sentence.split()).strip(" :,")
