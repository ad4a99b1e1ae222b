"""What a text says of calls with plain values, by its lines alone: the examples that near misses are made of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.judges.code import Interface
from bot.verification.literals import (
    MAX_LINE,
    MAX_LINES,
    Call,
    call_at_start,
    calls_at,
    exception,
    read_call,
    read_expected,
)

_SAYS = re.compile(
    r"[`'\"]?\s*(?:==|=>|->|➞|→|⇒|=|(?:will |should |must )?(?:returns?|be|gives?|yields?)\b|is\b)\s*[`]?(?P<rest>.*)"
)
_ENDS = re.compile(r"`?\s*(?:[.;,)](?:\s|$)|#|$|\(|(?:as|because|since|and|but|while)\b)")
_REPORT = re.compile(
    r"\b(?:currently|(?:actual|current|expected) (?:behaviou?r|result|output)|actually (?:returns?|gives?|prints?)|"
    r"to reproduce|reproduction|I (?:get|got|expect|expected|see|saw|ran|run|call|called|noticed|found)|bugs?|"
    r"regression|instead of (?:returning|raising|giving|printing|the)|(?:is|are|was) (?:wrong|incorrect|broken)|"
    r"incorrectly|unexpectedly|wrongly|the wrong|fails|crash(?:es|ed)?|but\b.{0,40}\bshould|should\b.{0,80}\bbut)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#|^\*\*.*\*\*$|:[*_\s]*$")
_WANTED = re.compile(r"\b(?:should|must|expect(?:ed|s)?|desired|wanted)\b", re.IGNORECASE)
_SEEN = re.compile(r"\b(?:but|gets?|got|actual(?:ly)?|current(?:ly)?|reproduc\w*|happens|instead)\b", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last):"


@dataclass(frozen=True, slots=True)
class Example:
    """A call with what somebody says of it: a literal, or `raises X`; both in normal form."""

    call: Call
    expected: str


def examples_in(text: str, interface: Interface, *, tried: bool = False) -> Iterator[Example]:
    """What a text demands of calls: doctests, and lines such as `assert f(1) == 2`, `f(1) -> 2` or `f(1) returns 2.`

    A report of a defect shows what the code does, which is the opposite of a demand. In one, only what is said to be
    expected counts: under such a heading, or with such a word before the result. Where it is tried out what the code
    does now (`tried`), everything counts that is not said to be just that.
    """
    lines = [line.strip() for line in text.splitlines()[:MAX_LINES]]
    reported = bool(_REPORT.search(text[: MAX_LINES * MAX_LINE]))
    heading = ""
    for number, line in enumerate(lines):
        if len(line) > MAX_LINE:
            continue
        if _HEADING.search(line) or (not line.startswith(">>>") and _SEEN.search(line)):
            heading = line
        demanded = not reported or _is_wanted(heading) or (tried and not _SEEN.search(heading))
        if line.startswith(">>>"):
            call, expected = read_call(line[3:], interface), _printed(lines[number + 1 :])
            if call and expected:
                if demanded:
                    yield Example(call, expected)
                continue
        for start in calls_at(line, interface):
            said = _said(line[start:], interface)
            if said and (demanded or _is_wanted(line[:start] + said[1])):
                yield said[0]


def _printed(lines: list[str]) -> str | None:
    """What a doctest says is printed: the lines up to the next prompt or blank one."""
    shown: list[str] = []
    for line in lines[:50]:
        if not line or line.startswith((">>>", '"""', "'''", "```", "~~~")):
            break
        shown.append(line)
    if shown and shown[0] == _TRACEBACK:
        return read_expected("raises " + shown[-1].partition(":")[0])
    return read_expected("\n".join(shown)) if shown else None


def _is_wanted(words: str) -> bool:
    return bool(_WANTED.search(words)) and not _SEEN.search(words)


def _said(line: str, interface: Interface) -> tuple[Example, str] | None:
    """What a line that begins with a call says of it, if anything, and the words between call and result."""
    found = call_at_start(line, interface)
    if found is None:
        return None
    call, rest = found
    says = _SAYS.match(rest)
    expected = _leading(says["rest"]) if says else _leading_exception(rest)
    words = rest[: says.start("rest")] if says else rest[:20]
    return (Example(call, expected), words) if expected else None


def _leading(text: str) -> str | None:
    """The longest literal a text begins with that ends where a sentence or a remark may end."""
    for end in [match.start() for match in _ENDS.finditer(text)][:60][::-1]:
        if (found := read_expected(text[:end])) and not exception(found):
            return found
    return None


def _leading_exception(text: str) -> str | None:
    found = re.match(r"`?\s*(?:will |should |must )?raises?\s+`?([A-Za-z]\w*)", text)
    return read_expected(f"raises {found[1]}") if found else None
