"""What a report holds, found by its form and its wording: each sign is the quote that shows it, or nothing.

Wording is read in English. Lines are read in pieces of bounded length, so that every search is linear in the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile

from bot.issues.language import specific_words
from bot.markdown.blocks import BOLD, Block, Section, Sort, blocks, sections

QUOTE = 200  # characters of a stranger's text that evidence may quote
_LONGEST_SENTENCE = 2_000  # characters of one that are asked what they say
_LONGEST = 600

_IDENTIFIER = re.compile(
    r"\b(?:[a-z]\w*_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*[A-Z]\w*|[A-Z]{2,}_[A-Z0-9_]+"
    r"|_\w{2,}|\w+(?:\.\w+)+\(?|\w+\(\w{0,40}\)|\w+(?:::\w+)+|[A-Z]\w*(?:Error|Exception|Warning))"
    r"|(?<![\w/-])--?[a-z][\w-]+|(?<![\w.-])[\w.-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|rb|c|h|cpp|cs|php|md|rst|txt|toml"
    r"|ya?ml|json|ini|cfg|html|css|sh|sql|xml|lock|kt|swift|vue)\b|(?:/[\w.{}:-]+){2,}"
    r"|\b[A-Z]{1,4}\d{3,5}\b"
)
_LITERAL = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{2,200}\"|“[^”\n]{2,200}”|(?<!\w)'[^'\n]{2,200}'(?!\w)|「[^」\n]{1,200}」"
    r"|«[^»\n]{1,200}»|\b\d+(?:\.\d+)?\s?(?:px|ms|s|sec|seconds|minutes|kb|mb|gb|%|rows|items|bytes"
    r"|times)\b|\b(?:https?|status(?: code)?|code|errors?|an?|the|returns?|with|gets?|gives?) [45]\d\d\b"
    r"|(?<![\w#.])[45]\d\d (?:errors?|page|response|status|bad|not found|forbidden|unauthorized|internal)\b",
    re.I,
)
_ERROR_TEXT = re.compile(
    r"\b[A-Z]\w{2,60}(?:Error|Exception|Warning|Failure|Interrupt|Exit)\b(?:[:(]|\b)|\b(?:fatal|error"
    r"|panic|warning|ERR!?|E\d{3,5}|exception)\s{0,2}(?:\[[\w-]+\])?:\s{0,3}\S.{3,}|\bTS\d{4}\b"
    r"|\bexit(?:ed with)? (?:code|status) -?\d+|\bSIG[A-Z]{3,5}\b|\b[Ss]egmentation fault\b"
    r"|\bHTTP(?:/\d(?:\.\d)?)? [45]\d\d\b|\b[45]\d\d (?:error|Internal Server Error|Not Found|Forbidden"
    r"|Unauthorized|Bad (?:Request|Gateway))|\bE[A-Z]{4,12}\b:|\bpanicked at\b"
    r"|\bstatus(?: code)? [45]\d\d\b|\bNullPointer\w*|\bundefined is not\b|\bcannot read propert\w+"
    r"|\bcore dumped\b|\bmodule not found\b|\bcommand not found\b|\bpermission denied\b"
    r"|\bNo such file or directory\b|\bOOM\w*"
)
_TRACE = re.compile(
    r"^[^\S\n]*+File \"[^\"\n]{1,300}\", line \d+"
    r"|^[^\S\n]*+at \S[^\n]{0,200}\([^()\n]{1,200}:\d+(?::\d+)?\)|^[^\S\n]*+at [\w$.]+\([\w.]+(?::\d+)?\)"
    r"|^goroutine \d+ \[|^[^\S\n]*+#\d+\s+0x[0-9a-f]+|thread '[^']{1,80}' panicked at|^[^\S\n]*+\d+: +0x[0-9a-f]+"
    r"|^Caused by: |^[^\S\n]*+from [\w./-]+\.rb:\d+|^E\s{3}\S+Error|stack backtrace:"
    r"|^[^\S\n]*+at [\w.$<>]+ in [^\n]{1,200}:line \d+",
    re.M,
)
# The line of a trace that says what went wrong: the last of these.
_RAISED = re.compile(
    r"^\s*(?:E\s+|Caused by: |Uncaught |Unhandled )?(?:[\w$]{1,60}[.:]{1,2}){0,9}"
    r"\w{0,60}(?:Error|Exception|Warning|Failure|Interrupt|Exit)(?::.*)?$"
)
_NO_ERROR = re.compile(
    r"\b(?:(?:no|without(?: an?y?)?|neither|nor|zero)(?: [\w-]+)?|(?:not|never|nothing|\w+n['’]t|doesnt|dont|isnt)"
    r"(?: (?:raise|throw|show|print|give|report|get|see|log|produce|cause|an?|any)\w*){0,3})"
    r" (?:errors?|exceptions?|traceback|stack ?trace|crash(?:es|ed|ing)?|segfault\w*|panics?)\b"
    r"|(?<=n['’]t) (?:crash|panic|segfault)\b",
    re.I,
)
_ERROR_MENTIONED = re.compile(
    r"\b(?:errors?|exceptions?|traceback|stack ?trace|crash(?:es|ed|ing)?|segfault\w*|panics?)\b", re.I
)
_VERSION = re.compile(
    r"\bv?\d+\.(?:\d{1,3}(?!\d)|\d+(?=\.\d))(?:\.\d+)*(?:[-.]?(?:a|b|rc|dev|alpha|beta|post|preview)[\w.+-]*)?\b(?!\s?(?:%|px|ms"
    r"|seconds|GB|MB))|\b(?:latest|current|newest|nightly) (?:\w+ )?(?:version|release|master|main|build"
    r"|commit|nightly)\b|\b(?:on|in|from|of|against) (?:the )?(?:latest )?(?:master|main|HEAD|trunk"
    r"|dev(?:elop)?(?: branch)?)\b|\bcommit [0-9a-f]{7,40}\b"
    r"|\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}\b|\b(?:version|python|node|java|django|ruby"
    r"|go|rust|php|chrome|firefox|safari|ios|android|macos|ubuntu|debian|fedora|windows) \d+\b",
    re.I,
)
_ENVIRONMENT = re.compile(
    r"\b(?:windows|linux|ubuntu|debian|fedora|arch|centos|alpine|mac ?os|os ?x|darwin|android|ios|docker"
    r"|kubernetes|k8s|chrome|firefox|safari|edge|wsl2?|raspberry|arm64|x86_64|amd64|M[123] Mac)\b",
    re.I,
)
_NO_NAME = re.compile(
    r"v?\d[\d.]*(?:[-.]?(?:a|b|rc|dev|alpha|beta|post)\d*)?|_[A-Z][a-z]*"
    r"|(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|tests?)\([\w-]*\)"
)
_NAMES_A_VERSION = re.compile(
    rf"\d|{_ENVIRONMENT.pattern}|\b(?:latest|newest|current|nightly|main|master|HEAD)\b", re.I
)
_CODE = re.compile(r"[(){}\[\]=<>;:/\\_$|#@*+\d\"]")
_OBSERVED = re.compile(
    r"\b(?:fail(?:s|ed|ing|ure)?|crash\w*|rais(?:es?|ed|ing)|throw(?:s|n|ing)?|breaks?|broke|broken|hangs?"
    r"|hung|freez\w+|returns?|returned|gives?|gave|produces?|prints?|shows?|displays?|outputs?|results? in"
    r"|leads? to|ends up|get(?:s|ting)?|got|incorrect(?:ly)?|wrong(?:ly)?|invalid|missing|mis\w+ed|typo"
    r"|unexpected(?:ly)?|doesn'?t|does not|do not|don'?t|didn'?t|did not|isn'?t|is not|aren'?t|are not"
    r"|wasn'?t|was not|can(?:'?t|not)|could(?: not|n'?t)|won'?t|unable|never|impossible|ignor(?:es?|ed"
    r"|ing)|lost|loses?|los(?:es|ing)|leak\w*|corrupt\w*|stuck|duplicat\w*|empty|blank|instead|no longer"
    r"|stop(?:s|ped)|inconsistent\w*|regression|overwrit\w+|truncat\w+|slow\w*|only|always|still|dead|404"
    r"|500|outdated|delet\w+|remov(?:es|ed|ing)|unclear|undocumented|overlap\w*|cut off|remains?"
    r"|disappear\w*|reset(?:s)?|deprecated|different|bug|problem|contradict\w*|conflict\w*)\b",
    re.I,
)
_EXPECTED = re.compile(
    r"\b(?:should(?:n'?t)?|expect(?:s|ed|ing|ation)?|instead of|rather than|supposed to|ought to|must"
    r"|needs? to|has to|would (?:be|have|expect|like|make|prefer|want)|correct (?:would|output|result"
    r"|behaviou?r|value|is|one)|used to|worked (?:\w+ )?(?:in|on|before|until|with|fine)"
    r"|works (?:\w+ )?(?:in|on|with|fine|if|when)|want(?:s|ed)?|desired|intended|prefer\w*"
    r"|to be (?:consistent|able)|better (?:to|if)|docs? say|according to"
    r"|documented (?:as|to|that|in|behaviou?r|default|value)|proposed?|suggest\w*"
    r"|fix (?:would|is|could)|could be (?:fixed|replaced|changed)|not allowed|for consistency|like in"
    r"|as in|same as|but (?:it|the|got|get|i)|the right)\b",
    re.I,
)
_EXPECTATION_IMPLIED = re.compile(
    r"\b(?:crash\w*|traceback|exception|segfault\w*|panic\w*|hangs?|freez\w+|infinite loop|\w+Error"
    r"|\w+Exception|typo|misspell\w*|dead link|broken link|data loss|deadlock\w*|memory leak|404|500"
    r"|cannot be (?:built|installed|imported)|fails? to (?:build|compile|install|start|import|load"
    r"|parse))\b"
)
_STEPS = re.compile(
    r"\b(?:steps? to|to reproduce|reproduc\w+|repro\b|minimal (?:working )?example|example|for instance"
    r"|e\.g\.|when(?:ever)?\b (?:i|you|we|the|a|an|using|calling|running|trying|passing|there|\w+ing|\w+)"
    r"|if (?:i|you|we|the|a|an|one|there|\w+)|after (?:\w+ing|the|i|you|a|upgrad\w+)|by (?:\w+ing)"
    r"|try(?:ing)? to|run(?:ning)? [`\w]|call(?:ing)? [`\w]|click(?:ing|ed)?|open(?:ing)?|press(?:ing)?"
    r"|typ(?:e|ing)|with (?:the following|this|a|an|an empty)|given|consider|using|following|on startup"
    r"|at startup|on start)\b",
    re.I,
)
_GOAL = re.compile(
    r"\b(?:add|allow|support|implement|provide|introduce|make|enable|let|expose|option|ability|would like"
    r"|i'?d like|i want|we want|wants?|need|needs|propos\w+|suggest\w*|should|could|would be|feature"
    r"|enhancement|so that|in order to|use case|useful|helpful|nice to|improve|extend|include|consider"
    r"|consisten\w+|rename|remove|deprecate|replace|move|document|refactor|switch|change|update|show"
    r"|accept|warn|create)\b",
    re.I,
)
_GUESSES = re.compile(
    r"\b(?:some (?:of (?:the )?)?(?:functions?|methods?|options?|settings?|pages?|files?|inputs?|users?"
    r"|values?|cases?|commands?|buttons?|config\w*|modules?|places?|parameters?|queries|fields?"
    r"|kind of \w+|sort of \w+|other \w+|weird \w+|strange \w+|error)"
    r"|certain (?:\w+ )?(?:functions?|methods?|options?|settings?|pages?|files?|inputs?|users?|values?"
    r"|cases?|commands?|configurations?|conditions?|fields?|situations?|types?)"
    r"|various (?:\w+)|etc\b\.?|and so on|and such|or something(?: like that)?|something like that"
    r"|something (?:is )?(?:wrong|weird|strange|off)|somewhere|somehow|in some way|(?:a|an|the) (?:weird"
    r"|strange|random|similar|proper|appropriate|suitable|meaningful|different|certain|specific) (?:\w+)"
    r"|(?:more|less) (?:\w+ )?(?:user[- ]friendly|intuitive|flexible|robust|consistent|sensible|helpful"
    r"|useful|informative|modern|efficient|meaningful)|better (?:error )?(?:messages?|ui|ux|performance"
    r"|support|documentation|docs|design|handling|way|experience)|as (?:usual|before|always|expected)"
    r"|like (?:it used to|before|the old (?:one|version))|you know (?:what|which)|the (?:usual|other"
    r"|previous|old) (?:way|one|thing|page|place|behaviou?r)|my (?:config\w*|setup|data|project|code"
    r"|script|file|app)|not sure (?:why|what|how|if|whether|where)|i don'?t know (?:why|what|how|if"
    r"|whether|where)|maybe|perhaps|sort of|kind of|to be (?:decided|determined|discussed)|tbd"
    r"|needs? (?:more )?(?:discussion|thought|investigation))\b",
    re.I,
)
_SECTION_OF = {
    "expected": re.compile(
        r"\b(?:expect\w*|should (?:have )?happen\w*|desired|intended|correct (?:behaviou?r|output)|what (?:i"
        r"|you) want\w*)\b",
        re.I,
    ),
    "observed": re.compile(
        r"\b(?:actual\w*|current(?:ly)?|observed|what (?:happen\w*|went wrong|is (?:the )?(?:bug|issue|problem"
        r"|wrong))|describe the (?:bug|issue|problem)|bug (?:description|summary|report)|summary|description"
        r"|(?:the )?problem|issue|outcome|symptoms?|bug)\b",
        re.I,
    ),
    "steps": re.compile(
        r"\b(?:steps?|reproduc\w*|repro|mcve|minimal|example|how to (?:reproduce|trigger)|code (?:for|sample"
        r"|to)|test case|complete verifiable)\b",
        re.I,
    ),
    "version": re.compile(
        r"\b(?:version\w*|environment|system|platform|setup|operating system|os|browser|show_versions|device"
        r"|configuration|runtime|installed)\b",
        re.I,
    ),
    "error": re.compile(
        r"\b(?:traceback|stack ?trace|error(?: message)?s?|logs?|output|backtrace|command output)\b", re.I
    ),
    "goal": re.compile(
        r"\b(?:feature|solution|propos\w*|motivation|goal|use case|request|what (?:would|do) you (?:want|like)"
        r"|idea|suggestion|enhancement|rationale|why|benefit)\b",
        re.I,
    ),
}
_NO_ANSWER = re.compile(
    r"^\W*(?:_?no response_?|n/?a|none|nothing|no|nope|null|tbd|todo|\?+|x+|same|see (?:title|above)"
    r"|as (?:above|title)|idk|i don'?t know|not applicable|\[image\]|\.+|-+|describe\b[^.\n]{0,80}"
    r"|a clear and concise description[^.\n]{0,200}|(?:if applicable"
    r"|add any other context)[^\n]{0,200})?\W*$",
    re.I,
)
_TEMPLATE_LEFTOVER = re.compile(
    r"a clear and concise description of (?:what|any)[^\n]{0,200}|if applicable, add screenshots[^\n]{0,200}"
    r"|^[^\S\n]*+(?:please |also )?(?:add|attach|include|provide) (?:any )?(?:relevant )?screenshots?"
    r"(?: (?:here|below|if (?:applicable|possible|any|relevant)|to help[^\n]{0,30}))?[ .:]{0,3}$"
    r"|add any other context(?: or screenshots)? about[^\n]{0,200}|steps to reproduce the behaviou?r:?\s*$"
    r"|^[^\S\n]*+\d+\. (?:go to '\.{3}'|click on '\.{2,4}'|scroll down to '\.{2,4}'|see error)\s*$"
    r"|^[^\S\n]*+[-*] (?:OS|Browser|Version|Device)[^:\n]{0,20}:?\s*(?:\[e\.g\.[^\]\n]{0,60}\])?\s*$"
    r"|\[e\.g\.[^\]\n]{0,60}\]|^[^\S\n]*+[-*] \[[ xX]\] (?:I\b.{0,300}|[^`\n]{0,300})$|^[^\S\n]*+_no response_\s*$"
    r"|is your feature request related to a problem\? please describe\.?|describe (?:the (?:bug|solution)"
    r"|alternatives)[^\n]{0,60}$",
    re.I | re.M,
)
# Each of the patterns needs one of these, and looking for words is cheaper.
_TEMPLATE_WORDS = (
    *("a clear and", "if applicable", "add any other", "steps to reprod", "go to '", "click on '", "scroll down"),
    "screenshot",
    *("see error", "- os", "* os", "- browser", "* browser", "- version", "* version", "- device", "* device", "[e.g."),
    *("[ ]", "[x]", "_no response_", "is your feature", "describe "),
)
_TRACE_WORDS = (
    *('File "', "goroutine ", "0x", "panicked at", "Caused by: ", ".rb:", "Error", "stack backtrace:", ":line "),
)
_LINK = re.compile(r"(?:https?://|\bwww\.)[^\s<>()\[\]\"']{3,500}")
_NOT_WORDS = re.compile(
    r"(?<![\w`/])@[\w-]+(?:/[\w-]+)?|</?[a-z0-9]{1,20}>|(?<!\S)[A-Za-z0-9+/=_-]{40,}+(?!\S)"
)  # mentions, tags, data
_NUMBERED = re.compile(r"^\s{0,8}\d{1,3}[.)]\s+\S")
_RUNNABLE = re.compile(
    r"^[^\S\n]*+(?:>>> ?\S|In \[\d+\]: ?\S|\$ \S|(?:from|import|def|class|const|let|var|func|fn|use|require"
    r"|package|public|#include|SELECT|curl|npm|pip|docker|git|python\d?|cargo|go|make|CREATE|INSERT)\b.)"
    r"|\w\(.{0,300}\)|^[^\S\n]*+[\w.\[\]]+ ?= ?\S",
    re.M,
)
# A command that is told in prose: whoever knows the project can run it.
_COMMAND = re.compile(
    r"(?<![\w-])(?:make (?:all|build|check|clean|dist|docs?|install|lint|run|test)"
    r"|(?:apt(?:-get)?|bazel|brew|bundle|cargo|composer|conda|docker(?:[- ]compose)?|dotnet|gem|gradle|helm|kubectl|mvn"
    r"|npm|npx|pip3?|pnpm|poetry|rake|terraform|uv|yarn)"
    r" (?:add|apply|audit|build|bench|check|clean|compile|deploy|down|exec|get|init|install|lint|lock|logs|new|package"
    r"|plan|pull|publish|push|restore|run|start|sync|test|up|update|upgrade)"
    r"|go (?:build|get|install|mod|run|test|vet|generate)|git (?:clone|checkout|commit|fetch|merge|pull|push|rebase)"
    r"|python3? -m \w+)(?![\w-])"
)
# A link that carries the reproduction.
_REPRODUCTION = re.compile(
    r"https?://(?:[\w-]+\.)?(?:codesandbox\.io|stackblitz\.com|jsfiddle\.net|codepen\.io|replit\.com|glitch\.com|plnkr\.co"
    r"|dartpad\.dev|godbolt\.org|dbfiddle\.uk|sqlfiddle\.com|gist\.github\.com|play\.rust-lang\.org|go\.dev/play"
    r"|play\.golang\.org|typescriptlang\.org/play|colab\.research\.google\.com)[/?#]\S"
    r"|https?://(?:github|gitlab)\.com/[\w.-]+/[\w.-]*(?:repro|example|demo|minimal|mre|bug|issue|sandbox|playground)"
    r"[\w.-]*(?=/?(?:tree/\S*)?(?:[\s)>\]]|$))",
    re.I,
)
_NAMED_TEST = re.compile(
    r"\btest_\w+|::test\w+|\bTest[A-Z]\w*[.:]+\w+|\b[\w-]+\.(?:spec|test)\.[jt]sx?\b"
)  # whoever can run it has an example
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n(?=[^\S\n]*+(?:[-*+]\s|\d+[.)]\s|\n))")


@dataclass(frozen=True, slots=True)
class Passage:
    """One place text came from (`title`, `body`, `reply 2`), as a reader sees it and without orders to a judge."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim excerpt and the place it came from."""

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class Signs:
    """What was found. A `None` or an empty tuple means it was not."""

    title: str
    prose: str
    own: str  # the first passage's part of the prose
    words: tuple[str, ...]
    sentences: tuple[Quote, ...]
    code: tuple[Block, ...]
    sections: tuple[Section, ...]
    empty_sections: tuple[str, ...]
    observed: Quote | None
    expected: Quote | None
    expectation_implied: bool
    steps: Quote | None
    runnable: Quote | None  # code, or a link to a place where it runs
    command: Quote | None  # told in prose
    trace: Quote | None
    error: Quote | None
    error_mentioned: bool
    version: Quote | None
    goal: Quote | None
    subject: Quote | None
    described: Quote | None  # one sentence that says much
    identifiers: tuple[str, ...]
    literals: tuple[str, ...]
    guesses: tuple[str, ...]
    links: tuple[str, ...]
    numbered: int
    counts: dict[str, int] = field(default_factory=dict)


def read(title: str, passages: Iterable[Passage]) -> Signs:
    """Look at the title and every passage; the first place that shows a sign is quoted."""
    all_code: list[Block] = []
    all_sections: list[Section] = []
    sentences: list[Quote] = [Quote(title, "title")] if title else []
    named: dict[str, Quote] = {}
    code_quotes: list[Quote] = []
    empty: list[str] = []
    prose: list[str] = []
    numbered = 0
    own = 0
    for at, passage in enumerate(passages):
        found = blocks(passage.text)
        cut = sections(found)
        answers = [_filled_in(section.text).strip() if section.heading else "" for section in cut]
        for place, (section, answer) in enumerate(zip(cut, answers, strict=True)):
            if _is_empty(section, answer) and not _is_answered_below(place, cut, answers):
                empty.append(section.heading)
                continue
            all_sections.append(section)
            if answer:
                for name, pattern in _SECTION_OF.items():
                    beginning = answer[:_LONGEST]
                    if not (_NAMES_A_VERSION.search(beginning) if name == "version" else _says(beginning, 1)):
                        continue
                    if name not in named and pattern.search(section.heading):
                        named[name] = _quote(_answer(name, section) or answer, passage.where)
        for block in found:
            if block.sort is Sort.CODE and block.fenced and not _CODE.search(block.text):
                block = replace(block, sort=Sort.PROSE)  # words in a box are words
            if block.sort is Sort.CODE and not _says(block.text[:_LONGEST], 2):
                continue
            if block.sort is Sort.CODE:
                all_code.append(block)
                code_quotes.append(Quote(block.text, passage.where))
            elif block.sort is Sort.PROSE:
                text = _filled_in(block.text)
                prose.append(text)
                numbered += sum(1 for line in text.split("\n") if _NUMBERED.match(line))
                sentences += [Quote(sentence, passage.where) for sentence in _sentences(text)]
        own = own if at else len(prose)
    told = "\n".join(prose)
    linked = "://" in told or "www." in told
    plain = _plain(told)
    joined = f"{title}\n{told}"
    everything = f"{joined}\n" + "\n".join(_cut_lines(quote.text) for quote in code_quotes)
    identifiers = tuple(dict.fromkeys(_names(without_links(f"{title}\n{plain}"))))
    literals = tuple(dict.fromkeys(match[0] for match in _LITERAL.finditer(f"{title}\n{plain}")))
    words = specific_words(without_commands(without_links(f"{title}\n{plain}")))
    broken = _NO_ERROR.sub(" ", joined) if _ERROR_MENTIONED.search(joined) else joined
    concrete = bool(identifiers or literals or code_quotes)

    bare = [without_links(sentence.text) for sentence in sentences]

    def said(pattern: re.Pattern[str] | None, enough: int) -> Quote | None:
        """The first sentence with such words that says enough."""
        for text, sentence in zip(bare, sentences, strict=True):
            if (pattern is None or pattern.search(text)) and _says(text, enough):
                return _quote(sentence.text, sentence.where)
        return None

    def in_any(pattern: re.Pattern[str]) -> Quote | None:
        for source in sources:
            if match := pattern.search(source.text):
                return _quote(_line_at(source.text, match), source.where)
        return None

    sources = [Quote(text, sentence.where) for text, sentence in zip(bare, sentences, strict=True)]
    sources += [Quote(without_links(_cut_lines(code.text)), code.where) for code in code_quotes]
    traced = [source for source in sources if _has_trace(source.text)]
    trace = (_raised(traced, sources) or in_any(_TRACE)) if traced else None
    error = trace or in_any(_ERROR_TEXT)
    runnable = next(
        (
            _quote(_last_command(code.text[:4000]), code.where)
            for code in code_quotes
            if _RUNNABLE.search(code.text[:4000]) and not _has_trace(code.text[:4000])
        ),
        None,
    )
    linked_example = (
        next((link for link in _LINK.findall(everything) if _REPRODUCTION.match(link)), "") if linked else ""
    )
    runnable = runnable or (_quote(linked_example, "body") if linked_example else None)
    command = next((_quote(each.text, each.where) for each in sources if _COMMAND.search(each.text)), None)
    told_by_title = Quote(title[:QUOTE], "title") if _says(title, 4) else None
    observed = named.get("observed") or error or said(_OBSERVED, 2) or told_by_title
    expected = named.get("expected") or said(_EXPECTED, 2)
    steps = named.get("steps") or runnable or command or said(_STEPS, 4) or said(_NAMED_TEST, 2)
    if steps is None and numbered >= 2:
        steps = next((sentence for sentence in sentences if _NUMBERED.match(sentence.text)), None)
    goal = named.get("goal") or said(_GOAL, 2) or expected or told_by_title
    subject = said(None, 2)
    return Signs(
        title=title,
        prose=plain,
        own=plain if own == len(prose) else _plain("\n".join(prose[:own])),
        words=words,
        sentences=tuple(sentences),
        code=tuple(all_code),
        sections=tuple(all_sections),
        empty_sections=tuple(empty),
        observed=observed,
        expected=expected,
        expectation_implied=bool(_EXPECTATION_IMPLIED.search(broken)) or trace is not None,
        steps=steps,
        runnable=runnable,
        command=command,
        trace=trace,
        error=error or named.get("error"),
        error_mentioned=error is not None or bool(_ERROR_MENTIONED.search(broken)),
        version=named.get("version") or in_any(_VERSION) or in_any(_ENVIRONMENT),
        goal=goal,
        subject=subject if concrete or len(words) > 1 else None,
        described=said(None, 4),
        identifiers=identifiers,
        literals=literals,
        guesses=tuple(dict.fromkeys(match[0][:QUOTE] for match in _GUESSES.finditer(plain)))[:20],
        links=tuple(_LINK.findall(everything)) if "://" in everything or "www." in everything else (),
        numbered=numbered,
    )


def _plain(told: str) -> str:
    linked = "://" in told or "www." in told
    return _NOT_WORDS.sub(" ", _LINK.sub(" ", told) if linked else told).replace("[image]", " ")


def without_commands(text: str) -> str:
    """Without the commands that it tells: they say how to make something happen, and not what happens."""
    return _COMMAND.sub(" ", text)


def _is_empty(section: Section, answer: str) -> bool:
    return bool(section.heading) and _NO_ANSWER.match(answer[:400]) is not None


def _is_answered_below(at: int, cut: tuple[Section, ...], answers: list[str]) -> bool:
    """Whether a heading without a text of its own has an answer below a deeper one with a `#`: a bold line or a name
    with a colon stands beside it as often."""
    below = takewhile(lambda other: cut[other].level > cut[at].level, range(at + 1, len(cut)))
    return any(cut[other].level < BOLD and not _is_empty(cut[other], answers[other]) for other in below)


def is_answered(section: Section) -> bool:
    """Whether anything below its heading could not stand in just any report."""
    return bool(section.heading) and (
        any(block.sort is Sort.CODE for block in section.blocks) or _says(section.text[:_LONGEST], 1)
    )


def _says(sentence: str, enough: int) -> bool:
    """Whether a sentence says enough: by its specific words, where a name or a literal counts double."""
    sentence = sentence[:_LONGEST_SENTENCE]
    told = len(specific_words(sentence))
    told += len(_names(sentence)) if told < enough else 0
    return told >= enough or told + len(_LITERAL.findall(sentence)) >= enough


def _names(text: str) -> list[str]:
    """Names from code: no number and no version, no word in italics, no prefix of a commit."""
    return [match[0] for match in _IDENTIFIER.finditer(text) if not _NO_NAME.fullmatch(match[0])]


def without_links(text: str) -> str:
    """The text with every link blanked out, nothing else moved: an address's words and numbers are not the writer's."""
    if "://" not in text and "www." not in text:
        return text
    return _LINK.sub(lambda link: " " * len(link[0]), text)


def _line_at(text: str, match: re.Match[str]) -> str:
    """The line on which what was found begins."""
    begin = match.end() - len(match[0].lstrip())
    return text[text.rfind("\n", 0, begin) + 1 :].partition("\n")[0]


def _has_trace(text: str) -> bool:
    possible = any(word in text for word in _TRACE_WORDS) or ("at " in text and "(" in text)
    return possible and _TRACE.search(text) is not None


def _raised(traced: Iterable[Quote], sources: Iterable[Quote]) -> Quote | None:
    """What stands for a trace: the last line that names what was raised, beside the trace if it stands there."""
    for source in (*traced, *sources):
        for line in reversed(source.text.split("\n")):
            if source.where != "title" and _RAISED.match(line):
                return _quote(line, source.where)
    return None


def _last_command(code: str) -> str:
    """The line of an example that sets it off: most examples prepare, and act at the end."""
    lines = [line for line in code.split("\n") if _RUNNABLE.search(line) and not line.lstrip().startswith(("#", "//"))]
    return lines[-1] if lines else code


_TOLD_BY = {"observed": _OBSERVED, "expected": _EXPECTED, "version": _VERSION, "error": _ERROR_TEXT}


def _answer(name: str, section: Section) -> str:
    """The one sentence or line of a section that shows best what its heading promises."""
    prose = [block.text for block in section.blocks if block.sort is Sort.PROSE]
    code = [block.text for block in section.blocks if block.sort is Sort.CODE]
    lines = [sentence for text in prose for sentence in _sentences(_filled_in(text))]
    lines += [line for text in code for line in _cut_lines(text).split("\n") if line.strip()]
    lines = [line for line in lines if len(line) > 3] or lines  # `1.` is a number, no sentence
    if name == "steps" and code:
        return _last_command("\n".join(code)[:4000])
    if name == "error" and (raised := [line for line in lines if _RAISED.match(line)]):
        return raised[-1]
    telling = _TOLD_BY.get(name)
    return next((line for line in lines if telling and telling.search(line)), lines[0] if lines else "")


def _sentences(text: str) -> list[str]:
    return [bare for sentence in _SENTENCE.split(text) if (bare := sentence.strip())]


def _filled_in(text: str) -> str:
    """The text with its lines cut and without what a template put there."""
    if not text:
        return text
    text = _cut_lines(text)
    lowered = text.lower()
    return _TEMPLATE_LEFTOVER.sub("", text) if any(word in lowered for word in _TEMPLATE_WORDS) else text


def _cut_lines(text: str) -> str:
    """The text with overlong lines broken, which bounds what one search can look at."""
    if len(text) <= _LONGEST:
        return text
    return "\n".join(piece for line in text.split("\n") for piece in _pieces(line))


def _pieces(line: str) -> Iterator[str]:
    """The line in pieces of at most `_LONGEST`, cut between words where it has any: half a word is no word."""
    start = 0
    while len(line) - start > _LONGEST:
        space = line.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        end = space + 1 if space >= 0 else start + _LONGEST
        yield line[start:end]
        start = end
    yield line[start:]


def _quote(text: str, where: str) -> Quote:
    text = text.strip()
    return Quote(text if len(text) <= QUOTE else text[: QUOTE - 1] + "…", where)
