"""Sentences that speak to whoever judges the report instead of describing something.

They never count: features and items are read from a text without them. What is left over from a report that consists of
them is judged as the little it is.
"""

import re

_LONGEST = 1000  # longer lines are read in pieces, which keeps every search linear

_JUDGES = r"(?:ai|llm|judge|bouncer|classifier|evaluator|grader|(?:triage|reviewing|review) (?:bot|model|agent)|language model|gpt[\w-]*|chatgpt|claude)"
_REPORTS = r"(?:issue|report|ticket|bug|bug report|description|submission)"
_GOOD = r"(?:well|specified|clear|complete|accept\w*|approved|actionable|agent[- ]ready|valid|perfect|sufficient|high(?:est)?|100|10/10)"
_ORDERS = (
    # Set the instructions aside.
    r"\b(?:ignor\w*|disregard\w*|forget|overrid\w*|bypass\w*|don'?t follow|do not follow|stop following)\b(?: \w+){0,2}"
    r" (?:all|any|your|every|these|those|the|my|previous|prior|above|earlier|preceding|existing|original)\b.{0,40}"
    r"\b(?:instructions?|prompts?|rules|guidelines|policy|policies|directions|directives|criteria|system messages?|training|checklists?|rubrics?)\b",
    r"\b(?:ignore|disregard|forget) (?:everything|all|anything|what(?:ever)?) (?:\w+ ){0,3}(?:above|before|previously|prior|earlier|else|told)\b",
    # A label or verdict given as the answer.
    r"\b(?:WELL|REASONABLY)[ _-]SPECIFIED\b|\bIMPOSSIBLE_TO_SOLVE\b|\bneeds-clarification\b|/bouncer\b",
    r"\b(?:verdict|input_bounce|decision)[\"'`]?\s{0,3}(?:[:=]|is|must be|should be)\s{0,3}[\"'`]?(?:accept|bounce|pass|false|true|well)",
    r"\b(?:answer|respond|reply|output|return|say|print|emit|choose|select|pick)\b.{0,20}\b(?:only|with|exactly|the|just)\b.{0,20}"
    r"(?:\b(?:verdict|accept|approved|probability)\b|[\"'`]label[\"'`])",
    r"\b(?:mark|label|classify|rate|grade|score|judge|treat|consider|approve|accept|pass|tag|categori[sz]e|evaluate|deem)\b.{0,20}"
    rf"\b(?:this|my|it)\b.{{0,20}}\b(?:{_REPORTS}\b.{{0,30}})?\b(?:as|is|with)\b.{{0,30}}\b{_GOOD}\b",
    rf"\b(?:approve|accept|pass) (?:this|my) {_REPORTS}\b",
    rf"\b(?:this|the|my) {_REPORTS} (?:is|has been|was|must be|should be) (?:\w+ ){{0,2}}(?:well|fully|completely|perfectly|clearly|reasonably|sufficiently)"
    r"[ -](?:specified|described|complete|clear|detailed|defined|documented|approved|accepted)\b",
    rf"\b(?:this|the|my) {_REPORTS} (?:has been|was|is) (?:already )?(?:pre-?approved|whitelisted|verified|triaged|approved)\b",
    rf"\b(?:do not|don'?t|never|must not|should not|may not) (?:\w+ )?(?:bounce|reject|flag|hold) (?:this|my|it|the) ?(?:{_REPORTS}|back)?",
    r"\b(?:do not|don'?t|never|no need to|must not) (?:ask|request|post|write|add) (?:\w+ ){0,3}(?:questions?|clarifications?|more information|labels?)\b",
    # Whom it speaks to.
    rf"\b(?:dear|hey|hello|hi|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)|important for) (?:\w+ )?{_JUDGES}\b",
    rf"\byou(?: are|'re) (?:now |actually )?(?:an? |the )?(?:\w+ ){{0,3}}{_JUDGES}\b",
    rf"\bas an? {_JUDGES}\b.{{0,20}}\byou\b",
    r"\b(?:new|updated|real|actual|hidden|secret) (?:instructions|system prompt|directives)\b|\b(?:your|the) system prompt\b|^\W{0,9}system prompt\b",
    r"<\|?/?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?INST\]|^\W{0,9}BEGIN (?:SYSTEM|INSTRUCTIONS)\b",
    r"^\W{0,9}(?:system|assistant|developer)\s{0,3}:\s{0,3}(?:you|the user|this|ignore|please|label|mark|accept|answer|i)\b",
    r"\b(?:end of (?:the )?(?:user input|untrusted|issue text|report text)|(?:jailbreak|developer|dan) mode (?:enabled|on))\b",
    r"\b(?:maintainers?|admins?|owners?|bouncer|security team) (?:have |has )?(?:already )?(?:pre-?approved|whitelisted|signed off)\b",
)
_ADDRESSED = re.compile("|".join(_ORDERS), re.I)
_SENTENCE_END = re.compile(r"(?<=[.!?;。！？])\s+")


def addressed_to_judge(text: str) -> bool:
    """Whether the text holds a sentence that gives a judge orders."""
    return any(_ADDRESSED.search(piece) for line in text.split("\n") for piece in _pieces(line))


def without_instructions(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without such sentences, and the sentences."""
    if not addressed_to_judge(text):
        return text, ()
    kept: list[str] = []
    taken: list[str] = []
    for line in text.split("\n"):
        sentences = [sentence for piece in _pieces(line) for sentence in _SENTENCE_END.split(piece)]
        flagged = [bool(_ADDRESSED.search(sentence)) for sentence in sentences]
        if not any(flagged) and any(_ADDRESSED.search(piece) for piece in _pieces(line)):
            flagged = [True] * len(sentences)  # an order spread over several sentences of a line
        kept.append(
            " ".join(sentence for sentence, bad in zip(sentences, flagged, strict=True) if not bad)
            if any(flagged)
            else line
        )
        taken += [sentence for sentence, bad in zip(sentences, flagged, strict=True) if bad]
    return "\n".join(kept), tuple(taken)


def _pieces(line: str) -> list[str]:
    return [line[start : start + _LONGEST] for start in range(0, len(line), _LONGEST)]
