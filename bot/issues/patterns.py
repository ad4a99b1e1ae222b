"""What each sign of a report looks like: regular expressions for English wording, code, errors and links.

A text is searched in pieces of bounded length (`bot.issues.signs`), so that each search is linear in the text.
"""

import re

from bot.verdicts import Item

IDENTIFIER = re.compile(
    r"\b(?:[a-z]\w*_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*[A-Z]\w*|[A-Z]{2,}_[A-Z0-9_]+"
    r"|_\w{2,}|\w+(?:\.\w+)+\(?|\w+\(\w{0,40}\)|\w+(?:::\w+)+|[A-Z]\w*(?:Error|Exception|Warning))"
    r"|(?<![\w/-])--?[a-z][\w-]+|(?<![\w.-])[\w.-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|rb|c|h|cpp|cs|php|md|rst|txt|toml"
    r"|ya?ml|json|ini|cfg|html|css|sh|sql|xml|lock|kt|swift|vue)\b|(?:/[\w.{}:-]+){2,}"
    r"|\b[A-Z]{1,4}\d{3,5}\b"
)
LITERAL = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{2,200}\"|“[^”\n]{2,200}”|(?<!\w)'[^'\n]{2,200}'(?!\w)|「[^」\n]{1,200}」"
    r"|«[^»\n]{1,200}»|\b\d+(?:\.\d+)?\s?(?:px|ms|s|sec|seconds|minutes|kb|mb|gb|%|rows|items|bytes"
    r"|times)\b|\b(?:https?|status(?: code)?|code|errors?|an?|the|returns?|with|gets?|gives?) [45]\d\d\b"
    r"|(?<![\w#.])[45]\d\d (?:errors?|page|response|status|bad|not found|forbidden|unauthorized|internal)\b",
    re.I,
)
ERROR_TEXT = re.compile(
    r"\b[A-Z]\w{1,60}(?:Error|Exception|Warning|Failure|Interrupt|Exit)\b(?:[:(]|\b)|\b(?:[Ff]atal|FATAL|[Ee]rror|ERROR"
    r"|[Pp]anic|[Ww]arning|ERR!?|E\d{3,5}|[Ee]xception)\s{0,2}(?:\[[\w-]+\])?:\s{0,3}\S.{3,}|\bTS\d{4}\b"
    r"|\bexit(?:ed with)? (?:code|status) -?\d+|\bSIG[A-Z]{3,5}\b|\b[Ss]egmentation fault\b"
    r"|\bHTTP(?:/\d(?:\.\d)?)? [45]\d\d\b|\b[45]\d\d (?:error|Internal Server Error|Not Found|Forbidden"
    r"|Unauthorized|Bad (?:Request|Gateway))|\bE[A-Z]{4,12}\b:|\bpanicked at\b"
    r"|\bstatus(?: code)? [45]\d\d\b|\bNullPointer\w*|\bundefined is not\b|\bcannot read propert\w+"
    r"|\bcore dumped\b|\bmodule not found\b|\bcommand not found\b|\bpermission denied\b"
    r"|\bNo such file or directory\b|\bOOM\w*|(?<!\w)(?:[Ee]rrors?|[Ff]ehler(?:code)?|[Ee]rreur|[Ee]rror[ei]?"
    r"|[Ee]rro|[Ff]out(?:code)?|[Bb]łąd|[Hh]ata|[Оо]шибка|[Пп]омилка|错误码?|エラー(?:コード)?|오류)"
    r"(?: (?:code|number|no\.?|nr\.?))?:? ?#?(?:0x[0-9a-fA-F]{3,16}"
    r"|-?\d{2,10}|[A-Z]{1,6}[-_]?\d{2,8})\b|\b0x[89a-fA-F][0-9a-fA-F]{7}\b"
)
TRACE = re.compile(
    r"^[^\S\n]*+File \"[^\"\n]{1,300}\", line \d+"
    r"|^[^\S\n]*+at \S[^\n]{0,200}\([^()\n]{1,200}:\d+(?::\d+)?\)|^[^\S\n]*+at [\w$.]+\([\w.]+(?::\d+)?\)"
    r"|^goroutine \d+ \[|^[^\S\n]*+#\d+\s+0x[0-9a-f]+|thread '[^']{1,80}' panicked at|^[^\S\n]*+\d+: +0x[0-9a-f]+"
    r"|^Caused by: |^[^\S\n]*+from [\w./-]+\.rb:\d+|^E\s{3}\S+Error|stack backtrace:"
    r"|^[^\S\n]*+at [\w.$<>]+ in [^\n]{1,200}:line \d+",
    re.M,
)
NO_ERROR = re.compile(
    r"\b(?:(?:no|without(?: an?y?)?|neither|nor|zero)(?: [\w-]+)?|(?:not|never|nothing|\w+n['’]t|doesnt|dont|isnt)"
    r"(?: (?:raise|throw|show|print|give|report|get|see|log|produce|cause|an?|any)\w*){0,3})"
    r" (?:errors?|exceptions?|traceback|stack ?trace|crash(?:es|ed|ing)?|segfault\w*|panics?)\b"
    r"|(?<=n['’]t) (?:crash|panic|segfault)\b",
    re.I,
)
# "There is no error message": what could be asked for is not there.
NO_MESSAGE = re.compile(
    rf"{NO_ERROR.pattern}[ -](?:messages?|logs?|output|text|pop-?ups?)\b|\b(?:no|without(?: any)?|nothing in the)"
    r" (?:error )?(?:messages?|logs?|console)\b",
    re.I,
)
ERROR_MENTIONED = re.compile(
    r"\b(?:errors?|exceptions?|traceback|stack ?trace|crash(?:es|ed|ing)?|segfault\w*|panics?)\b", re.I
)
VERSION = re.compile(
    r"\b(?![0-3]?\d\.[01]?\d\.(?:19|20)\d\d\b)v?\d+\.(?:\d{1,3}(?!\d)|\d+(?=\.\d))(?:\.\d+)*(?:[-.]?(?:a|b|rc|dev|alpha|beta|post|preview)[\w.+-]*)?\b(?!\s?(?:%|px|ms"
    r"|seconds|GB|MB))|\b(?:on|in|from|of|against) (?:the )?(?:latest )?(?:master|main|HEAD|trunk"
    r"|nightly|dev(?:elop)?(?: branch)?)\b|\bcommit [0-9a-f]{7,40}\b"
    r"|\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}\b|\b(?:version|python|node|java|django|ruby"
    r"|go|rust|php|chrome|firefox|safari|ios|android|macos|ubuntu|debian|fedora|windows) \d+\b"
    r"|(?:\b(?:on|in|since|using|version)|,) v\d{1,4}\b(?![\w/-]|\.\w|\s?[=(\[,+])"
    r"|\b(?:nightly|snapshot|build) (?:of |from )?#?\d[\d.-]{2,20}",
    re.I,
)
NO_NAME = re.compile(
    r"v?\d[\d.]*(?:[-.]?(?:a|b|rc|dev|alpha|beta|post)\d*)?|_[A-Z][a-z]*"
    r"|(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|tests?)\([\w-]*\)"
)
NAMES_A_VERSION = re.compile(r"\d|\b(?:nightly|main|master|HEAD)\b", re.I)
CODE = re.compile(r"[(){}\[\]=<>;:/\\_$|#@*+\d\"]")
EXPECTED = re.compile(
    r"\b(?:should(?:n'?t)?|expect(?:s|ed|ing|ation)?|instead of|rather than|supposed to|ought to|must"
    r"|needs? to|has to|would (?:be|have|expect|like|make|prefer|want)|correct (?:would|output|result"
    r"|behaviou?r|value|is|one)|used to|worked (?:\w+ )?(?:in|on|before|until|with|fine)"
    r"|works (?:\w+ )?(?:in|on|with|fine|if|when)|want(?:s|ed)?|desired|intended|prefer\w*"
    r"|to be (?:consistent|able)|better (?:to|if)|docs? say|according to"
    r"|documented (?:as|to|that|in|behaviou?r|default|value)|proposed?|suggest\w*"
    r"|fix (?:would|is|could)|could be (?:fixed|replaced|changed)|not allowed|for consistency|like in"
    r"|as in|same as|but (?:it|the|got|get|i)|the right|until (?:version )?v?\d+(?:\.\d+)+)\b",
    re.I,
)
STEPS = re.compile(
    r"\b(?:steps? to|to reproduce|reproduc\w+|repro\b|minimal (?:working )?example|example|for instance"
    r"|e\.g\.|when(?:ever)?\b (?:i|you|we|the|a|an|using|calling|running|trying|passing|there|\w+ing|\w+)"
    r"|if (?:i|you|we|the|a|an|one|there|\w+)|after (?:\w+ing|the|i|you|a|upgrad\w+)|by (?:\w+ing)"
    r"|try(?:ing)? to|run(?:ning)? [`\w]|call(?:ing)? [`\w]|click(?:ing|ed)?|open(?:ing)?|press(?:ing)?"
    r"|typ(?:e|ing)|with (?:the following|this|a|an|an empty)|given|consider|using|following|on startup"
    r"|at startup|on start)\b",
    re.I,
)
# The name of a file that a link hands over; and of one that a program wrote while it ran.
ATTACHMENT = re.compile(
    r"[^/\s?#]{1,120}\.(?:png|jpe?g|gif|webp|heic|bmp|svg|mp4|mov|webm|log|txt|out|m?dmp|trace|crash|ips|har|zip|gz|7z"
    r"|tgz|json|xml|csv|pdf|docx?|xlsx?)(?=[?#]|$)",
    re.I,
)
LOG_FILE = re.compile(
    r"\.(?:log|txt|out|m?dmp|trace|crash|ips|har)$|(?:log|crash|dump|trace)[^/]*\.(?:zip|gz|7z|tgz|json)$", re.I
)
# A place where people put a text for others to read: of a failure it is a log.
PASTED = re.compile(
    r"https?://(?:[\w-]+\.)?(?:mclo\.gs|(?:paste|haste|log)s?(?:bin)?(?:\.\w{2,12}){1,2}|dpaste\.\w+|termbin\.com)/\w"
)
# What a heading asks for, by the words in it.
SECTION_OF = {
    item: re.compile(rf"\b(?:{words})\b", re.I)
    for item, words in {
        Item.EXPECTED: r"expect\w*|should (?:have )?happen\w*|desired|intended|correct (?:behaviou?r|output)|what (?:i"
        r"|you) want\w*",
        Item.OBSERVED: r"actual\w*|current(?:ly)?|observed|what (?:happen\w*|went wrong"
        r"|is (?:the )?(?:bug|issue|problem|wrong))|describe the (?:bug|issue|problem)"
        r"|bug (?:description|summary|report)|summary|description"
        r"|(?:the )?problem|issue|outcome|symptoms?|bug",
        Item.STEPS: r"steps?|reproduc\w*|repro|mcve|minimal|example|how to (?:reproduce|trigger)|code (?:for|sample"
        r"|to)|test case|complete verifiable",
        Item.VERSION: r"version\w*|environment|system|platform|show_versions",
        Item.ERROR: r"traceback|stack ?trace|error(?: message)?s?|logs?|output|backtrace|command output",
        Item.GOAL: r"feature|solution|propos\w*|motivation|goal|use case|request|what (?:would|do) you (?:want|like)"
        r"|idea|suggestion|enhancement|rationale|why|benefit",
    }.items()
}
TEMPLATE_LEFTOVER = re.compile(
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
LINK = re.compile(r"(?:https?://|\bwww\.)[^\s<>()\[\]\"']{3,500}")
NOT_WORDS = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}|(?<![\w`/])@[\w-]+(?:/[\w-]+)?|</?[a-z0-9]{1,20}>|(?<!\S)[A-Za-z0-9+/=_-]{40,}+(?!\S)"
)  # addresses, mentions, tags, data
NUMBERED = re.compile(r"^\s{0,8}\d{1,3}[.)]\s+\S")
RUNNABLE = re.compile(
    r"^[^\S\n]*+(?:>>> ?\S|In \[\d+\]: ?\S|\$ \S|(?:from|import|def|class|const|let|var|func|fn|use|require"
    r"|package|public|#include|SELECT|curl|npm|pip|docker|git|python\d?|cargo|go|make|CREATE|INSERT)\b.)"
    r"|\w\(.{0,300}\)|^[^\S\n]*+[\w.\[\]]+ ?= ?\S",
    re.M,
)
# A command that is told in prose: whoever knows the project can run it.
COMMAND = re.compile(
    r"(?<![\w-])(?:make (?:all|build|check|clean|dist|docs?|install|lint|run|test)"
    r"|(?:apt(?:-get)?|bazel|brew|bundle|cargo|composer|conda|docker(?:[- ]compose)?|dotnet|gem|gradle|helm|kubectl|mvn"
    r"|npm|npx|pip3?|pnpm|poetry|rake|terraform|uv|yarn)"
    r" (?:add|apply|audit|build|bench|check|clean|compile|deploy|down|exec|get|init|install|lint|lock|logs|new|package"
    r"|plan|pull|publish|push|restore|run|start|sync|test|up|update|upgrade)"
    r"|go (?:build|get|install|mod|run|test|vet|generate)|git (?:clone|checkout|commit|fetch|merge|pull|push|rebase)"
    r"|python3? -m \w+)(?![\w-])"
)
# What is typed, by its form: a call, with a value in it or with nothing, what follows a prompt, or a line with options.
TYPED = re.compile(
    r"\w\((?:[^()\n]{0,200}[\"'\d\[{][^()\n]{0,200})?\)|(?<!\S)(?:\$|>>>) [a-z]"
    r"|^[^\S\n]*+(?:[a-z][\w./-]{0,40} ){1,6}--?[a-zA-Z]\S*(?: \S+){0,60} --?[a-zA-Z]",
    re.M,
)
# A link that carries the reproduction.
REPRODUCTION = re.compile(
    r"https?://(?:[\w-]+\.)?(?:codesandbox\.io|stackblitz\.com|jsfiddle\.net|codepen\.io|replit\.com|glitch\.com|plnkr\.co"
    r"|dartpad\.dev|godbolt\.org|dbfiddle\.uk|sqlfiddle\.com|gist\.github\.com|play\.rust-lang\.org|go\.dev/play"
    r"|play\.golang\.org|typescriptlang\.org/play|colab\.research\.google\.com)[/?#]\S"
    r"|https?://(?:github|gitlab)\.com/[\w.-]+/[\w.-]*(?:repro|example|demo|minimal|mre|bug|issue|sandbox|playground)"
    r"[\w.-]*(?=/?(?:tree/\S*)?(?:[\s)>\]]|$))",
    re.I,
)
NAMED_TEST = re.compile(
    r"\btest_\w+|::test\w+|\bTest[A-Z]\w*[.:]+\w+|\b[\w-]+\.(?:spec|test)\.[jt]sx?\b"
)  # whoever can run it has an example
SENTENCE = re.compile(r"(?<=[.!?。！？])(?<!\s\d\.)(?<!\A\d\.)\s+|\n(?=[^\S\n]*+(?:[-*+]\s|\d+[.)]\s|\n))")
