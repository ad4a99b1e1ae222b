"""What sort of issue it is, from GitHub's issue type, its labels, the title's prefix and its words; and whether it asks
for what people read, or that the program behave otherwise, which a change that answers it has to show. Pure.

What is said by whoever runs the repository comes before what is guessed. Nothing depends on the kind but what a report
has to hold, so a wrong guess may let an issue through and never holds one that says enough.
"""

import re
from collections.abc import Iterable
from itertools import islice

from bot.issues.language import specific_words
from bot.issues.security import is_vulnerability
from bot.markdown.visible import visible, visible_line
from bot.reports import GitHubFields
from bot.verdicts import IssueKind

# What an issue type, a label or a title's prefix says as a whole, the most telling first.
_NAMED_AS = tuple(
    (re.compile(rf"(?:{words})\Z", re.I), kind)
    for words, kind in (
        (
            r"tracking(?:[ -]issue)?|meta(?:[ -]issue)?|epic|umbrella(?:[ -]issue)?|road ?map|checklist",
            IssueKind.TRACKING,
        ),
        (r"releases?(?:[ -](?:plan|checklist|process|tracking))?", IssueKind.RELEASE),
        (r"rfcs?|rfd|proposals?|(?:design[ -])?discussions?|brainstorm(?:ing)?|design", IssueKind.DISCUSSION),
        (
            r"(?:(?:un)?confirmed|possible|potential|suspected|minor|major|critical)?[ -]?"
            r"bugs?(?:[ _-]?(?:report|fix)s?)?|fix|defects?|regressions?|crash(?:es)?|issue|error",
            IssueKind.BUG,
        ),
        (r"(?:improve |update )?(?:docs?|documentation)(?: (?:bug|issue|update|request))?", IssueKind.DOCUMENTATION),
        (
            r"feat|fr|rfe|request|(?:new )?(?:features?|enhancements?|improvements?)(?:[ _-]?(?:requests?|proposals?))?"
            r"|ideas?|suggestions?|wish(?:[ -]?list)?",
            IssueKind.FEATURE,
        ),
        (r"q|q&a|questions?|help|support(?:[ -](?:request|question))?|usage|how-?to", IssueKind.QUESTION),
        (
            r"chores?|tasks?|maintenance|refactor(?:ing)?|tech(?:nical)?[ -]?debt|clean[ -]?up|ci|build|style|perf|todo"
            r"|dep(?:s|endenc(?:y|ies))|internal|infra(?:structure)?|tests?|testing",
            IssueKind.TASK,
        ),
    )
)
# Of a label: a mark or an emoji, then what says that a kind follows ("type: bug", "kind/bug", "C-bug").
_OF_LABEL = re.compile(
    r"\W*(?:(?:issue[ -]?)?(?:type|kind|category)\s?[:/=-]\s?|[tc]-)?(?::\w+:)?\W*([^\n:/]+?)(?:\s:\w+:)?\W*\Z", re.I
)
# Of a title: a word before a colon or in brackets.
_PREFIX = re.compile(
    r"^\W{0,9}(?:\[\s{0,3}([\w -]{2,40}?)\s{0,3}\]|([A-Za-z][\w -]{1,30}?)\s{0,3}(?:\([^()]{1,40}\))?!?\s{0,3}[:：])"
)
_TRACKING_TITLE = re.compile(
    r"\b(?:tracking issue|meta[- ]issue|umbrella issue|road ?map|(?:todo|to-do|task|check) ?list)\b|\btracker\W*$", re.I
)
_RELEASE_TITLE = re.compile(
    r"^\W{0,9}(?:(?:prepare|plan|cut|make|tag|publish)\b.{0,30})?\b(?:releas(?:e|ing)|milestone)\b.{0,40}\d"
    r"|^\W{0,9}v?\d+\.\d+(?:\.\d+)?\s{1,3}(?:release|roll-?out)\b|\brelease (?:checklist|plan|schedule|tracker)\b"
    r"|\b(?:cut|make|tag|publish|prepare) (?:a|the|another)(?: new| next)? release\b",
    re.I,
)
_DISCUSSION_TITLE = re.compile(
    r"^\W{0,9}(?:rfc|proposal|request for comments?)\b(?=.{0,200}\w\w)|\bthoughts\b.{0,40}\?"
    r"|^\W{0,9}(?:thanks?\b(?! for the (?:fix|help))|thank you|kudos|show ?case\b|who(?:'s| is| are)(?: all)? using)",
    re.I,
)
_TASK_TITLE = re.compile(
    r"^\W{0,9}(?:bump|upgrade|update|migrate|refactor|clean(?: ?up|ing up)?|drop|remove|rename|move|switch|deprecate"
    r"|delete|set ?up|extract|split|merge|rewrite|port|publish|reorgani[sz]e|restructure|tidy|moderni[sz]e|get rid of"
    r"|investigate|make sure)\b(?! (?:problems?|issues?|fail\w*|errors?)\b)"
    r"(?! (?:it|this|that|them|everything|all|stuff|things?)\W*$)(?=.{0,200}\w)",
    re.I,
)
_TYPO = re.compile(r"\b(?:typos?|misspell\w*|spelling)\b", re.I)
_NOTICES = re.compile(
    r"\b(?:dependency dashboard|this issue lists renovate|renovate (?:tried|lists|will)|dependabot can(?:['’]t|not)"
    r"|automated (?:issue|report)|this (?:issue|is an? auto\w+) (?:was )?(?:auto\w+|opened by|created by)"
    r"|created automatically|automatically (?:generated|created|opened|filed)|do not edit this issue manually)\b",
    re.I,
)
_BOX = re.compile(r"^[^\S\n]{0,12}(?:[-*+]|\d{1,3}[.)])[^\S\n]{1,4}\[[ xX]\][^\S\n]{1,4}(\S.{0,200})", re.M)
# What forms want ticked speaks of the reporter, of searching and of rules.
_OF_A_FORM = re.compile(
    r"\b(?:i(?:['’](?:ve|m|d|ll))?\b|my\b|searched|duplicates?|code of conduct|read the|latest version|confirm|agree"
    r"|bug|feature|regression|question|windows|linux|mac ?os|android|ios|chrome|firefox|yes|no|other)\b",
    re.I,
)
_FEWEST_BOXES = 3
_LONGEST_LABEL = 100  # characters; GitHub takes 50
_WORD = re.compile(r"\w\w")

_ASKS = re.compile(
    r"^\W{0,9}(?:question\b|(?:q|help|support)\s{0,3}(?:[\]:)!?-]|$)|(?:help|support) (?:needed|wanted|required|request"
    r"|please|me|with|on)\b)|^\W{0,9}(?:how|what|why"
    r"|where|which|when|who|is|are|can|could|does|do|should|will|would|any|has|have)\b[^?]{0,300}\?\s*$"
    r"|^\W{0,9}how (?:to|do i|can i|should i|would i)\b",
    re.I,
)
_ASKS_INSIDE = re.compile(
    r"\b(?:how (?:do|can|should|would) (?:i|we|you|one)|is (?:it|there) (?:possible|a way|any way)"
    r"|what is the (?:best|right|recommended|correct|proper) way|i(?: am|'m) (?:wondering|not sure how"
    r"|trying to (?:understand|figure out))|can (?:someone|anyone|somebody) (?:explain|tell|help)"
    r"|could you explain|does anyone know|where can i find)\b",
    re.I,
)
_WISHES = re.compile(
    r"\b(?:feature request|enhancement|proposal|rfc|feature:|feat(?:\(\w+\))?:|wish(?:list)?"
    r"|it would be (?:nice|great|useful|good|helpful|handy|cool|awesome|better|convenient|possible)"
    r"|would be (?:nice|great|useful|helpful|handy|awesome)|would like to (?:be able|see|have)|i(?:'d"
    r"| would) (?:like|love)|i propose|i suggest|suggestion|please (?:add|support|allow|provide|implement"
    r"|consider|make)|could (?:you|we) (?:please )?(?:add|support|allow|have)|can we (?:have|get|add)"
    r"|we (?:should|could|need to|ought to) (?:\w+ )?(?:refactor|clean|tidy|rewrite|restructure|reorgani[sz]e"
    r"|moderni[sz]e|migrate|add|rename|remove|split|simplify|improve)"
    r"|should (?:support|allow|provide|offer|accept)|new (?:feature|option|flag|parameter|setting|command)"
    r"|is your feature request related|describe the solution you'd like|add support|add (?:an?"
    r"|the) (?:\w+[ -]){0,3}(?:option|flag|parameter|argument|setting|command|method|function|button|mode"
    r"|field|support))\b",
    re.I,
)
_WISHES_TITLE = re.compile(
    r"^\W{0,9}(?:(?:epic|chore|task|tracking|refactor|docs|perf|ci|build|tests?|style)\b[^\w\n]{1,5})?"
    r"(?:\[?(?:feature|feat|enhancement|rfe|proposal|idea|request|suggestion)\b|(?:add|allow"
    r"|support|implement|provide|introduce|make(?! (?:install|test|check|build|clean|all|dist|docs|run)\b)|enable|let"
    r"|expose|offer|option (?:to|for)|ability to|use"
    r"|improve|extend|include|consider|deprecate|drop|rename|remove|move|refactor|document|create|switch"
    r"|replace|show|accept|warn|optimi[sz]e|simplify|split|clean"
    r"|tidy|rewrite|restructure|reorgani[sz]e|moderni[sz]e|migrate|get rid of)\b)",
    re.I,
)
_BREAKS = re.compile(
    r"\b(?:bug|crash\w*|error\w*|exception\w*|traceback|fail(?:s|ed|ing|ure)?|broken?|breaks?|regression"
    r"|wrong(?:ly)?|incorrect(?:ly)?|unexpected(?:ly)?|doesn'?t|does not|don'?t work|cannot|can'?t|won'?t"
    r"|not work\w*|isn'?t|is not|aren'?t|are not|never|raises?|throws?|hangs?|freez\w+|segfault\w*|panic\w*|leak\w*"
    r"|corrupt\w*|stuck|instead of|expected behaviou?r|actual behaviou?r|steps to reproduce"
    r"|stopped working|no longer|typo|misspell\w*|missing|ignored|ignores|lost|loses|duplicate[sd]?|blank"
    r"|empty|inconsistent\w*)\b",
    re.I,
)
_OF_DOCUMENTATION = re.compile(
    r"(?<![a-z])(?:docs?|documentation|docstrings?|comments?|formatting|code[ -]?style)(?![a-z])", re.I
)
_WHAT_IS_READ = (
    r"(?:docs?|documentation|doc ?strings?|(?:doc|documentation|code) comments?|java ?docs?|js ?docs?|rust ?docs?"
    r"|comments?(?=\W*$|[.:,;)]|\W{1,3}(?:about|above|below|for|in|of|on|says?|to)\b))"
)
_DOCUMENTATION_TITLE = re.compile(
    rf"^\W{{0,9}}(?:{_WHAT_IS_READ}|style|format(?:ting)?)\W{{0,3}}(?:\([^)]{{0,40}}\))?\W{{0,3}}:"
    r"|\b(?:document(?:ed|ing)?|undocumented|documentation|doc ?strings?|doc comments?|code comments?)\b"
    rf"|\b(?:add|clarify|complete|correct|expand|explain|fix|improve|incorrect|misleading|missing|misspell\w*|mistakes?"
    rf"|outdated|remove|reword|rewrite|spelling|stale|tidy|translate|typos?|update|wording|write|wrong)\b"
    rf"(?:\W{{1,5}}\w{{1,40}}){{0,8}}\W{{1,5}}{_WHAT_IS_READ}(?!\w)"
    rf"|\b{_WHAT_IS_READ}(?:\W{{1,5}}\w{{1,40}}){{0,8}}\W{{1,5}}(?:describes?|lacks?|mentions?|says?)\b"
    r"|\b(?:re-?format|re-?indent|run (?:black|gofmt|prettier|ruff|clang-format|rustfmt)|code style|pep ?8)\b",
    re.I,
)
_OF_UPKEEP = re.compile(
    r"(?<![a-z])(?:chores?|refactor(?:ing)?|dependenc(?:y|ies)|ci|build|maintenance|clean ?-?up|tech(?:nical)?[ -]?debt"
    r"|internal|tests?|testing|infrastructure|question|discussion)(?![a-z])",
    re.I,
)
_FOR_SURE = re.compile(
    r"(?<![a-z])(?:bugs?|defects?|regressions?|crash(?:es)?|enhancements?|feature(?:[ -]requests?)?)(?![a-z])", re.I
)
# What is done for those who write the program, by the first word of a title or the one before its colon.
_UPKEEP_TITLE = re.compile(
    r"^\W{0,9}(?:(?:chore|refactor|ci|build|style|tests?|deps?)\W{0,3}(?:\([^)]{0,40}\))?\W{0,3}:"
    r"|(?:refactor|clean(?:ing)? up|tidy|restructure|reorgani[sz]e|moderni[sz]e)\b"
    r"|(?:bump|upgrade|pin|unpin)\s{1,3}(?:\S{1,60}$|.{0,80}(?:\d|dependenc|\b(?:versions?|requirements?|packages?|latest)\b))"
    r"|(?:add|improve|write|increase|more|missing|extend)(?:\s{1,3}[\w-]{1,30}){0,3}\s{1,3}"
    r"(?:tests?|test coverage|type hints?|type annotations?|typing|ci|linting)\W*$)",
    re.I,
)
_MOST, _MOST_TITLE = 20_000, 300  # characters of a report and of its title that are read for what it asks for


def kind_of(title: str, prose: str, broken: bool, body: str, told: GitHubFields) -> IssueKind:
    """prose: what the reporter wrote, without what forms want ticked. broken: the report shows an error or a stack
    trace. body: all that a reader sees."""
    if is_vulnerability(title, prose):
        return IssueKind.VULNERABILITY
    if told.by_bot or _NOTICES.search(f"{title}\n{prose[:1000]}"):
        return IssueKind.NOTICE
    kind = named_kind((told.named, *told.labels)) or _by_title(title) or _by_form(title, body)
    return kind or _by_words(title, prose, broken)


def named_kind(names: Iterable[str]) -> IssueKind | None:
    """The kind that an issue type or a label names as a whole: `needs-release` and `area/tests` name none."""
    words = [found[1] for name in names if (found := _OF_LABEL.match(name[:_LONGEST_LABEL]))]
    return next((kind for pattern, kind in _NAMED_AS if any(pattern.match(word) for word in words)), None)


def _by_title(title: str) -> IssueKind | None:
    """A kind that is never held is not guessed where something breaks, or nothing follows its name."""
    kind, rest = _prefixed(title)
    if kind is IssueKind.TRACKING or _TRACKING_TITLE.search(title):
        return IssueKind.TRACKING
    if kind is None:
        rest = title
        kind = IssueKind.RELEASE if _RELEASE_TITLE.search(title) else None
        kind = kind or (IssueKind.DISCUSSION if _DISCUSSION_TITLE.search(title) else None)
    quiet = kind in (IssueKind.RELEASE, IssueKind.DISCUSSION, IssueKind.TASK)
    return None if quiet and (_BREAKS.search(rest) or not _WORD.search(rest)) else kind


def _prefixed(title: str) -> tuple[IssueKind | None, str]:
    """What the title's prefix names, and what follows it."""
    if found := _PREFIX.match(title):
        word = (found[1] or found[2]).strip()
        return next((kind for pattern, kind in _NAMED_AS if pattern.match(word)), None), title[found.end() :]
    return None, title


def _by_form(title: str, body: str) -> IssueKind | None:
    """A list of boxes to tick that is the content."""
    boxes = [match[1] for match in islice(_BOX.finditer(body), 50)]
    own = [box for box in boxes if not _OF_A_FORM.search(box) and specific_words(box)]
    return IssueKind.TRACKING if len(own) >= _FEWEST_BOXES and not _BREAKS.search(title) else None


def _by_words(title: str, prose: str, broken: bool) -> IssueKind:
    if not broken and (_TYPO.search(title) or asks_for_documentation(title, ())):
        return IssueKind.DOCUMENTATION
    kind = asked_as(title, prose, broken)
    if kind is IssueKind.QUESTION or broken or _BREAKS.search(title):
        return kind
    if _TASK_TITLE.search(title):
        return IssueKind.TASK
    return kind


def asked_as(title: str, prose: str, broken: bool) -> IssueKind:
    """By its words alone: a question, a feature, or else a bug."""
    asks = 3 * bool(_ASKS.search(title)) + bool(_ASKS_INSIDE.search(prose)) + bool(_ASKS.search(prose.strip()[:300]))
    wishes = 3 * bool(_WISHES_TITLE.search(title)) + 2 * len(list(islice(_WISHES.finditer(f"{title}\n{prose}"), 2)))
    breaks = 2 * len(set(map(str.lower, _BREAKS.findall(title)))) + _different(prose, 4) + 3 * broken
    if asks > wishes and asks > breaks:
        return IssueKind.QUESTION
    return IssueKind.FEATURE if wishes > breaks else IssueKind.BUG


def _different(prose: str, most: int) -> int:
    """How many different words of breakage there are, counted up to `most`."""
    found: set[str] = set()
    for match in _BREAKS.finditer(prose):
        found.add(match[0].lower())
        if len(found) == most:
            break
    return len(found)


def asks_for_documentation(title: str, labels: tuple[str, ...]) -> bool:
    """Whether a change of comments, docstrings or layout alone may be all that was asked for.

    A label says so, or the title does. The body alone does not: it speaks of documentation for many reasons. Nor does
    asking: "could it be faster?" wants a program that is.
    """
    if any(_OF_DOCUMENTATION.search(label) for label in labels):
        return True
    return bool(_DOCUMENTATION_TITLE.search(visible_line(title).text[:_MOST_TITLE]))


def asks_for_behaviour(title: str, body: str, labels: tuple[str, ...]) -> bool:
    """Whether it is a bug or a wish for something a program does, and no work on documentation, tests or upkeep."""
    line = visible_line(title).text[:_MOST_TITLE]
    if asks_for_documentation(title, labels):
        return False
    prose = visible(body[:_MOST]).text
    broken = "Traceback (most recent call last)" in prose
    if broken or any(_FOR_SURE.search(label) for label in labels):
        return True
    if any(_OF_UPKEEP.search(label) for label in labels) or _UPKEEP_TITLE.search(line):
        return False
    return is_vulnerability(line, prose) or asked_as(line, prose, broken) is not IssueKind.QUESTION
