"""Sentences that speak to whoever judges the report instead of describing something.

They never count: features and items are read from a text without them. What is left over from a report that consists of
them is judged as the little it is.
"""

import re
from collections.abc import Iterator

_LONGEST = 1000  # longer lines are read in pieces, which keeps every search linear

_JUDGES = (
    r"(?:ai|llm|judge|bouncer|classifier|evaluator|grader|(?:triage|reviewing|review) (?:bot|model|agent)"
    r"|language model|gpt[\w-]*|chatgpt|claude)"
)
_REPORTS = r"(?:issue|report|ticket|bug|bug report|description|submission)"
_GOOD = (
    r"(?:well|specified|clear|complete|accept\w*|approved|actionable|agent[- ]ready|valid|perfect"
    r"|sufficient|high(?:est)?|100|10/10)"
)
_ORDERS = (
    r"\b(?:ignor\w*|disregard\w*|forget|overrid\w*|bypass\w*|don'?t follow|do not follow"
    r"|stop following)\b(?: \w+){0,2}"
    r" (?:all|any|your|every|these|those|the|my|previous|prior|above|earlier|preceding|existing"
    r"|original)\b.{0,40}"
    r"\b(?:instructions?|prompts?|rules|guidelines|policy|policies|directions|directives|criteria"
    r"|system messages?|training|checklists?|rubrics?)\b",
    r"\b(?:ignore|disregard|forget) (?:everything|all|anything|what(?:ever)?) (?:\w+ ){0,3}(?:above|before"
    r"|previously|prior|earlier|else|told)\b",
    r"\b(?:WELL|REASONABLY)[ _-]SPECIFIED\b|\bIMPOSSIBLE_TO_SOLVE\b|\bneeds-clarification\b|/bouncer\b",
    r"\b(?:verdict|input_bounce|decision)[\"'`]?\s{0,3}(?:[:=]|is|must be"
    r"|should be)\s{0,3}[\"'`]?(?:accept|bounce|pass|false|true|well)",
    r"\b(?:answer|respond|reply|output|return|say|print|emit|choose|select|pick)\b.{0,20}\b(?:only|with"
    r"|exactly|the|just)\b.{0,20}"
    r"(?:\b(?:verdict|accept|approved|probability)\b|[\"'`]label[\"'`])",
    r"\b(?:mark|label|classify|rate|grade|score|judge|treat|consider|approve|accept|pass|tag|categori[sz]e"
    r"|evaluate|deem)\b.{0,20}"
    rf"\b(?:this|my|it)\b.{{0,20}}\b(?:{_REPORTS}\b.{{0,30}})?\b(?:as|is|with)\b.{{0,30}}\b{_GOOD}\b",
    rf"\b(?:approve|accept|pass) (?:this|my) {_REPORTS}\b|\bplease (?:approve|accept|pass) (?:this|it|me)\b",
    rf"\b(?:consider|call|deem|find) (?:this|my|the) {_REPORTS} {_GOOD}\b"
    rf"|\bif you (?:bounce|reject|flag|hold|close) (?:this|my|the|it)\b",
    r"\bbouncer has nothing\b|\ball (?:of )?(?:the |your )?questions (?:are|were|have been) (?:now )?answered\b",
    rf"\b(?:this|the|my) {_REPORTS} (?:is|has been|was|must be|should be) (?:\w+ ){{0,2}}(?:well|fully"
    rf"|completely|perfectly|clearly|reasonably|sufficiently)"
    r"[ -](?:specified|described|complete|clear|detailed|defined|documented|approved|accepted)\b",
    rf"\b(?:this|the|my) {_REPORTS} (?:has been|was|is) (?:already )?(?:pre-?approved|whitelisted|verified"
    rf"|triaged|approved)\b",
    rf"\b(?:do not|don'?t|never|must not|should not|may not) (?:\w+ )?(?:bounce|reject|flag|hold) (?:this"
    rf"|my|it|the) ?(?:{_REPORTS}|back)?",
    r"\b(?:do not|don'?t|never|no need to|must not) (?:ask|request|post|write"
    r"|add) (?:\w+ ){0,3}(?:questions?|clarifications?|more information|labels?)\b",
    rf"\b(?:dear|hey|hello|hi|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)"
    rf"|important for) (?:\w+ )?{_JUDGES}\b",
    rf"\byou(?: are|'re) (?:now |actually )?(?:an? |the )?(?:\w+ ){{0,3}}{_JUDGES}\b",
    rf"\bas an? {_JUDGES}\b.{{0,20}}\byou\b",
    r"\b(?:new|updated|real|actual|hidden|secret) (?:instructions|system prompt|directives)\b|\b(?:your"
    r"|the) system prompt\b|^\W{0,9}system prompt\b",
    r"<\|?/?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?INST\]|^\W{0,9}BEGIN (?:SYSTEM"
    r"|INSTRUCTIONS)\b",
    r"^\W{0,9}(?:system|assistant|developer)\s{0,3}:\s{0,3}(?:you|the user|this|ignore|please|label|mark"
    r"|accept|answer|i)\b",
    r"\b(?:end of (?:the )?(?:user input|untrusted|issue text|report text)|(?:jailbreak|developer"
    r"|dan) mode (?:enabled|on))\b",
    r"\b(?:maintainers?|admins?|owners?|bouncer|security team) (?:have "
    r"|has )?(?:already )?(?:pre-?approved|approved (?:this|my)|whitelisted|signed off)\b",
)
_ORDER = re.compile("|".join(_ORDERS), re.I)
_FENCE = re.compile(r"[ >\t]{0,12}(?:`{3,}|~{3,})")  # stays, or what follows would change its sort
SENTENCE_END = re.compile(r"(?<=[.!?;。！？])\s+")


def addressed_to_judge(text: str) -> bool:
    """Whether the text holds a sentence that gives a judge orders."""
    return any(_ORDER.search(piece) for line in text.split("\n") for piece in _pieces(line))


def without_instructions(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without the paragraphs that hold such sentences, and the sentences.

    Nothing of such a paragraph speaks for the report: what stands beside an order may be there for the judge as well.
    """
    kept: list[str] = []
    taken: list[str] = []
    for paragraph in _paragraphs(text):
        orders = [sentence for line in paragraph for sentence in _orders(line)]
        taken += orders
        kept += [line if not orders or _FENCE.match(line) else "" for line in paragraph]
    return "\n".join(kept), tuple(taken)


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Lines without a blank one between them; each blank line by itself."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            lines.append(line)
            continue
        if lines:
            yield lines
        yield [line]
        lines = []
    if lines:
        yield lines


def _orders(line: str) -> list[str]:
    """The sentences of a line that give orders; all of it where the order is spread over several."""
    pieces = _pieces(line)
    if not any(map(_ORDER.search, pieces)):
        return []
    sentences = [sentence for piece in pieces for sentence in SENTENCE_END.split(piece)]
    return list(filter(_ORDER.search, sentences)) or sentences


def _pieces(line: str) -> list[str]:
    return [line[start : start + _LONGEST] for start in range(0, len(line), _LONGEST)]
