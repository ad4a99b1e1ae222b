"""Whether a report says that what it is about was fixed before, and is there again. Pure; linear in the text.

Three ways of saying so count: the trouble returned; a fix did not hold; it is the same as an issue that was closed.
That something worked before, as in *a regression in 2.0*, does not: that says of no fix that it failed. In doubt the
answer is yes: what came back needs better evidence to be called fixed, and nothing else follows from it.
"""

import re
from functools import lru_cache

from bot.already_fixed.reading.blocks import LONGEST

_TROUBLE = (
    r"(?:#\d{1,9}|(?:bug|issue|problem|error|crash|exception|failure|regression|defect|symptom|warning|traceback|leak"
    r"|hang|deadlock|segfault|false positive)s?)"
)
_IT = rf"(?:{_TROUBLE}|\b(?:it|this|that))"
_FIXED = r"(?:fixed|resolved|solved|patched|corrected|addressed)"
_HAS = r"(?:(?:has|have|had|is|was|seems to have|must have|got|['’]s|now|just|recently|apparently|again) ){0,3}"
_REST = r"(?:[^.!?\n]|[.!?](?=\w)){0,80}?"  # of the sentence; the points of a version do not end it
_RELEASE = r"(?:version|release|v?\d|#\d|master|main|HEAD|the (?:latest|newest|new|current|last|next))"
# Behind "back": the end of the thought, or when it was; neither what came, nor where to.
_THEN = (
    r"(?=\s*(?:$|[.,;:!?)\n-]|(?:again|since|after|as of|when|now|today|because|but|and|there|here|to haunt)\b"
    rf"|(?:in|with|on|for|from|at) (?:{_RELEASE}|python|commit)))"
)
# What goes on behind words of a fix. One that is only not released did hold.
_UNDONE = (
    r"\b(?:(?:but|however|(?:and|but) yet|yet (?:it|this|that|i|we|the)|still|again|though|although|nevertheless"
    r"|returned|reopened|(?:and|then|now)(?: (?:is|it|this|now|has|been|then)){0,3} (?:broke|broken|fails|regressed))\b"
    r"(?!(?: (?:it|this|that|the fix|is|was|has|been)){0,4}(?:n['’]t| not)(?: been)?(?: yet)?"
    r" (?:yet |in a )?(?:released?|backported|published|available|merged))"
    r"|(?:i|we) (?:\w+ ){0,2}(?:see|get|hit|have|reproduce|experience|observe|encounter|run into|ran into|face)"
    r" (?:it|this|that|the same|#\d))"
)
_RETURNED = (
    rf"(?:{_TROUBLE} {_HAS}c[ao]me|{_IT} {_HAS}came|\b(?:it|this) (?:has come|comes)) back\b{_THEN}",
    rf"{_IT}(?: is|['’]s| are)(?: now)? back\b{_THEN}(?! to\b)",
    rf"{_TROUBLE} (?:has|have|had)(?: \w+ly| now| just)? returned\b(?! (?:an?|the|none|true|false)\b)",
    rf"{_TROUBLE} returned (?:in|with|since|on|as of) {_RELEASE}",
    rf"{_TROUBLE} (?:[\w.]+ ){{0,3}}re-?(?:appear|occur|surfac|emerg)\w*",
    rf"{_IT} {_HAS}re-?(?:appeared|occurred|surfaced|emerged)\b",
    rf"\b(?:it|this) re-?(?:appears|occurs|surfaces|emerges) (?:in|with|since|as of|on) {_RELEASE}",
    rf"{_IT} (?:\w+ ){{0,3}}re-?introduced\b|\bre-?introduc(?:es|ed|ing) (?:[\w'#]+ ){{0,3}}?{_TROUBLE}",
    rf"\b(?:recurrence|reoccurrence|regression|return|reappearance) of (?:[\w']+ ){{0,3}}?{_TROUBLE}",
    rf"(?:{_IT}|\bwhich|\bfix) {_HAS}regressed\b|#\d{{1,9}} (?:again|all over again)\b",
    r"\b(?<!not )(?<!n't )(?<!never )(?:broke|broken|breaks|breaking|fail(?:s|ed|ing)|crash(?:es|ed|ing)|wrong"
    r"|happen(?:s|ed|ing)?|occur(?:s|red|ring)?|present|reproducible|affected|stopped working|not working"
    r"|show(?:s|ed|ing) up|pop(?:s|ped|ping) up) (?:once )?again\b",
)
_UNHELD = (
    rf"(?:{_IT}|\b(?:which|one|report|ticket))(?: (?:\w+ ){{0,2}}?(?:was|were|is|got|been|as))?(?: \w+ly)?"
    rf" (?:{_FIXED}|closed)\b(?! to\b){_REST}{_UNDONE}",
    rf"\b(?:was|were|been|got)(?: \w+ly)? {_FIXED}\b(?! to\b){_REST}{_UNDONE}",
    rf"\b(?:{_FIXED}|closed)(?: as \w+)? (?:in|by|with|as of|since|via|on)"
    rf" (?:(?:the|version|release|PR|pull request|commit|issue) ){{0,2}}(?:{_RELEASE}|[0-9a-f]{{7}}){_REST}{_UNDONE}",
    rf"\b(?:{_FIXED}|closed)\b{_REST}[.!]\s+"
    r"(?:however|but|yet|nevertheless|unfortunately|sadly|(?:(?:it|this|i|we|that)(?: \w+)? )?still)\b"
    r"(?!(?: \w+){0,3} (?:an)?other\b)",
    r"\b(?:supposedly|allegedly|claimed to be|said to be|supposed to be|marked as|used to be|previously|formerly|once)"
    rf" (?:been )?{_FIXED}\b(?! (?:to|at)\b)",
    rf"\b(?:was|been|got|were) {_FIXED} (?:before|previously|once|earlier|long ago|in the past"
    r"|(?:a (?:long )?(?:while|time)|ages|years) ago)\b",
    rf"{_IT} (?:\w+ ){{0,2}}?(?:(?:is|was|were|has|have)(?:n['’]t| not| never)|not)"
    rf"(?: \w+ly| been| yet| quite| in fact){{0,3}} {_FIXED}\b(?![- ](?:to|at|width|size|length|point|by (?!#))\b)",
    r"\b(?:fix|patch|change|commit|PR|pull request)\b[^.!?\n]{0,50}?\b(?:does|did|do|is|was|has)(?:n['’]t| not)"
    r"(?: \w+ly| been)? (?:work|help|fix|resolve|solve|cover|address|handle|apply|prevent|enough|complete|hold"
    r"|sufficient|correct|stop)\w*",
    r"\b(?:fix|patch)\b(?: (?:for|of|in|from) \S{1,30})? (?:is|was|seems|looks) (?:\w+ly )?"
    r"(?:incomplete|insufficient|partial|wrong|broken|reverted|lost)\b",
    r"\b(?:incomplete|insufficient|partial) fix\b(?! (?:for|would|could))",
    r"\b(?:despite|even after|even with|in spite of|notwithstanding) (?:[\w']+ ){0,3}?fix(?:es)?\b",
    r"\bstill\b[^.!?\n]{0,60}?\b(?:after|since|despite|with|even with|in spite of|following)"
    r" (?:(?:the|that|this|its|applying|merging|closing|recent|your|a) ){0,3}?"
    r"(?:#\d|fix(?:es)?\b|patch\b(?! (?:version|release))|PR\b|pull request)",
    r"\b(?:does|did)(?:n['’]t| not) (?:\w+ly )?(?:fix|resolve|solve) #\d",
)
_CLOSED = (
    r"\bre-?open(?:ed|ing|s)? (?:of )?(?:(?:this|that|the|an?|my|old|closed|issue|bug) ){0,3}"
    r"(?:#\d|(?:issue|bug|ticket|report|problem)\b)",
    r"\bplease re-?open\b(?! (?:the |a )?(?:file|window|dialog|app))",
    r"\bre-?opening (?:this|it)(?=\s*[.,;:]| since| because| as\b)",
    r"#\d{1,9}\b[^.!?\n]{0,60}?\b(?:is|was|were|got|been) (?:\w+ )?closed\b"
    r"(?! (?:as (?:an? )?(?:duplicate|dupe|wontfix|invalid)|in favou?r|without))",
    r"\bclosed (?:issue|bug|ticket|report|as|in)?,? ?\(?#\d|\bclosed as (?:fixed|resolved|completed|done)\b",
)
# One of these is in all that is said above; looking for them alone takes a thirtieth of the time.
_STEMS = re.compile(
    r"\b(?:back\b|return|re-?(?:appear|occur|surfac|emerg|introduc|open)|recurrence|regress|again\b|fix|resolve|solve"
    r"|patch|corrected|addressed|closed|change\b|commit\b|PR\b|pull\b|still\b)",
    re.I,
)
_CAME_BACK = re.compile("|".join((*_RETURNED, *_UNHELD, *_CLOSED)), re.I)
_WRAPPED = re.compile(r"(?<=\S)[ \t]*\n(?![ \t]*(?:\n|[-*+>#|`]|\d{1,3}[.)]))[ \t]*")  # inside of a paragraph


@lru_cache(maxsize=32)  # one look asks several times
def came_back(title: str, text: str) -> bool:
    """Whether the report says that what it is about was fixed before, and is there again."""
    said = f"{title}\n\n{text[:LONGEST]}"
    return bool(_STEMS.search(said) and _CAME_BACK.search(_WRAPPED.sub(" ", said)))
