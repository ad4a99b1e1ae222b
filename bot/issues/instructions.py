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
# Each order with words of which it needs one.
_ORDERS = (
    (
        "instruction prompt rules guideline polic direction directive criteria message training checklist rubric",
        r"\b(?:ignor\w*|disregard\w*|forget|overrid\w*|bypass\w*|don'?t follow|do not follow"
        r"|stop following)\b(?: \w+){0,2}"
        r" (?:all|any|your|every|these|those|the|my|previous|prior|above|earlier|preceding|existing"
        r"|original)\b.{0,40}"
        r"\b(?:instructions?|prompts?|rules|guidelines|policy|policies|directions|directives|criteria"
        r"|system messages?|training|checklists?|rubrics?)\b",
    ),
    (
        "ignore disregard forget",
        r"\b(?:ignore|disregard|forget) (?:everything|all|anything|what(?:ever)?) (?:\w+ ){0,3}(?:above|before"
        r"|previously|prior|earlier|else|told)\b",
    ),
    (
        "specified impossible_to_solve needs-clarification /bouncer",
        r"\b(?:WELL|REASONABLY)[ _-]SPECIFIED\b|\bIMPOSSIBLE_TO_SOLVE\b|\bneeds-clarification\b|/bouncer\b",
    ),
    (
        "verdict input_bounce decision",
        r"\b(?:verdict|input_bounce|decision)[\"'`]?\s{0,3}(?:[:=]|is|must be"
        r"|should be)\s{0,3}[\"'`]?(?:accept|bounce|pass|false|true|well)",
    ),
    (
        "verdict accept approved probability label",
        r"\b(?:answer|respond|reply|output|return|say|print|emit|choose|select|pick)\b.{0,20}\b(?:only|with"
        r"|exactly|the|just)\b.{0,20}"
        r"(?:\b(?:verdict|accept|approved|probability)\b|[\"'`]label[\"'`])",
    ),
    (
        "mark label classify rate grade score judge treat consider approve accept pass tag categori evaluate deem",
        r"\b(?:mark|label|classify|rate|grade|score|judge|treat|consider|approve|accept|pass|tag|categori[sz]e"
        r"|evaluate|deem)\b.{0,20}"
        rf"\b(?:this|my|it)\b.{{0,20}}\b(?:{_REPORTS}\b.{{0,30}})?\b(?:as|is|with)\b.{{0,30}}\b{_GOOD}\b",
    ),
    (
        "approve accept pass",
        rf"\b(?:approve|accept|pass) (?:this|my) {_REPORTS}\b|\bplease (?:approve|accept|pass) (?:this|it|me)\b",
    ),
    (
        "consider call deem if ",
        rf"\b(?:consider|call|deem|find) (?:this|my|the) {_REPORTS} {_GOOD}\b"
        rf"|\bif you (?:bounce|reject|flag|hold|close) (?:this|my|the|it)\b",
    ),
    (
        "nothing question",
        r"\bbouncer has nothing\b|\ball (?:of )?(?:the |your )?questions (?:are|were|have been) (?:now )?answered\b",
    ),
    (
        "specified described complete clear detailed defined documented approved accepted",
        rf"\b(?:this|the|my) {_REPORTS} (?:is|has been|was|must be|should be) (?:\w+ ){{0,2}}(?:well|fully"
        rf"|completely|perfectly|clearly|reasonably|sufficiently)"
        r"[ -](?:specified|described|complete|clear|detailed|defined|documented|approved|accepted)\b",
    ),
    (
        "approved whitelisted verified triaged",
        rf"\b(?:this|the|my) {_REPORTS} (?:has been|was|is) (?:already )?(?:pre-?approved|whitelisted|verified"
        rf"|triaged|approved)\b",
    ),
    (
        "bounce reject flag hold",
        rf"\b(?:do not|don'?t|never|must not|should not|may not) (?:\w+ )?(?:bounce|reject|flag|hold) (?:this"
        rf"|my|it|the) ?(?:{_REPORTS}|back)?",
    ),
    (
        "question clarification information label",
        r"\b(?:do not|don'?t|never|no need to|must not) (?:ask|request|post|write"
        r"|add) (?:\w+ ){0,3}(?:questions?|clarifications?|more information|labels?)\b",
    ),
    (
        "dear hey hello hi attention note message instruction important",
        rf"\b(?:dear|hey|hello|hi|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)"
        rf"|important for) (?:\w+ )?{_JUDGES}\b",
    ),
    (
        "are 're",
        rf"\byou(?: are|'re) (?:now |actually )?(?:an? |the )?(?:\w+ ){{0,3}}{_JUDGES}\b",
    ),
    (
        "judge llm ai bouncer classifier evaluator grader model agent bot gpt claude",
        rf"\bas an? {_JUDGES}\b.{{0,20}}\byou\b",
    ),
    (
        "instructions prompt directives",
        r"\b(?:new|updated|real|actual|hidden|secret) (?:instructions|system prompt|directives)\b|\b(?:your"
        r"|the) system prompt\b|^\W{0,9}system prompt\b",
    ),
    (
        "<| inst begin <system <assistant </system </assistant im_ endoftext",
        r"<\|?/?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?INST\]|^\W{0,9}BEGIN (?:SYSTEM"
        r"|INSTRUCTIONS)\b",
    ),
    (
        "system assistant developer",
        r"^\W{0,9}(?:system|assistant|developer)\s{0,3}:\s{0,3}(?:you|the user|this|ignore|please|label|mark"
        r"|accept|answer|i)\b",
    ),
    (
        "end mode",
        r"\b(?:end of (?:the )?(?:user input|untrusted|issue text|report text)|(?:jailbreak|developer"
        r"|dan) mode (?:enabled|on))\b",
    ),
    (
        "approved whitelisted signed",
        r"\b(?:maintainers?|admins?|owners?|bouncer|security team) (?:have "
        r"|has )?(?:already )?(?:pre-?approved|approved (?:this|my)|whitelisted|signed off)\b",
    ),
)
_PATTERNS = tuple((tuple(triggers.split()), re.compile(order, re.I)) for triggers, order in _ORDERS)
_Possible = list[tuple[list[str], re.Pattern[str]]]  # orders, each with those of its words that occur
_FENCE = re.compile(r"[ >\t]{0,12}(?:`{3,}|~{3,})")  # stays, or what follows would change its sort
SENTENCE_END = re.compile(r"(?<=[.!?;。！？])\s+")


def addressed_to_judge(text: str) -> bool:
    """Whether the text holds a sentence that gives a judge orders."""
    patterns = _possible(text)
    return any(_ordered(piece, patterns) for line in text.split("\n") for piece in _pieces(line)) if patterns else False


def without_instructions(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without the paragraphs that hold such sentences, and the sentences.

    Nothing of such a paragraph speaks for the report: what stands beside an order may be there for the judge as well.
    """
    patterns = _possible(text)
    if not patterns:
        return text, ()
    kept: list[str] = []
    taken: list[str] = []
    for paragraph in _paragraphs(text):
        orders = [sentence for line in paragraph for sentence in _orders(line, patterns)]
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


def _orders(line: str, patterns: _Possible) -> list[str]:
    """The sentences of a line that give orders; all of it where the order is spread over several."""
    pieces = _pieces(line)
    if not any(_ordered(piece, patterns) for piece in pieces):
        return []
    sentences = [sentence for piece in pieces for sentence in SENTENCE_END.split(piece)]
    return [sentence for sentence in sentences if _ordered(sentence, patterns)] or sentences


def _possible(text: str) -> _Possible:
    """The orders whose trigger words occur at all: few texts have any, and looking for words is cheap."""
    lowered = text.lower()
    found = [([word for word in triggers if word in lowered], pattern) for triggers, pattern in _PATTERNS]
    return [(words, pattern) for words, pattern in found if words]


def _ordered(text: str, patterns: _Possible) -> bool:
    lowered = text.lower()
    for words, pattern in patterns:
        for word in words:
            if word in lowered:
                if pattern.search(text):
                    return True
                break
    return False


def _pieces(line: str) -> list[str]:
    return [line[start : start + _LONGEST] for start in range(0, len(line), _LONGEST)]
