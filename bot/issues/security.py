"""Does a report describe a vulnerability, or ask for a private way to tell of one? The topic alone is neither. Pure."""

import re

_EXPLOITABLE = re.compile(
    r"\bCVE-\d{4}-\d{4,7}\b|\bGHSA-\w{4}-\w{4}-\w{4}\b|\b(?:remote|arbitrary) (?:code|command) execution\b"
    r"|\barbitrary (?:file|code|command)s? (?:read|write|execut\w+|upload|overwrite)\b"
    r"|\b(?:stored|reflected|dom|dom-based|persistent|blind) xss\b|\b(?:sql|command|code|os command"
    r"|template|ldap|header|crlf|shell) injection (?:vulnerab|flaw|attack|in\b|via|through|possible|at\b)"
    r"|\bvulnerable to (?:an? )?(?:\w+[ -]){0,3}(?:xss|csrf|ssrf|xxe|injection|rce|attack|traversal|redos"
    r"|dos|overflow|hijack\w*|redirect|spoofing|tampering|deserialization)"
    r"|\b(?:xss|csrf|ssrf|xxe|rce|idor|redos|lfi|rfi|sqli) (?:vulnerab\w*|attack|exploit|flaw|in|via"
    r"|through|possible|payload)\b"
    r"|\b(?:path|directory) traversal (?:vulnerab\w*|in|via|through|allows|lets|attack|possible)|\bzip slip\b"
    r"|\b(?:auth\w*|login|permission|access control|2fa|mfa|signature|sandbox) (?:check )?(?:bypass"
    r"|can be bypassed|is bypassed|escape)\b|\bbypass(?:es|ing|ed)? (?:the )?(?:auth\w*|login"
    r"|access control|permission checks?|2fa|mfa|sandbox|signature)\b"
    r"|\b(?:privilege escalation|escalate (?:his|her|their|its|my)? ?privileges?|use-after-free"
    r"|heap overflow|buffer overflow|out-of-bounds (?:read|write)|session fixation|request smuggling"
    r"|prototype pollution|account takeover|open redirect)\b"
    r"|\b(?:leak(?:s|ed|ing)?|expos(?:es?|ed|ing)|disclos(?:es?|ed|ing)|log(?:s|ged)|print(?:s|ed)"
    r"|commit(?:s|ted)|dump(?:s|ed)) (?:\w+ ){0,4}(?:passwords?|credentials?|secrets?|api[ _-]?keys?"
    r"|private keys?|access tokens?|session tokens?|auth tokens?)\b"
    r"|\b(?:passwords?|credentials?|secrets?|api[ _-]?keys?|private keys?|(?:access|session|auth"
    r"|bearer) tokens?) (?:\w+ ){0,3}(?:leak(?:s|ed)?|expos(?:ed|es)|disclosed|in (?:plain ?text"
    r"|clear ?text|the (?:public )?(?:log|repo)\w*)|are logged|is logged|hard-?coded)\b"
    r"|\b(?:attackers?|unauthenticated users?|malicious (?:user|actor|site|website|file|input|payload"
    r"|server)s?|anyone|any user|any visitor) (?:\w+ ){0,2}(?:can|could|may|might|is able to"
    r"|are able to) (?:\w+ ){0,4}(?:execut|run|read|steal|access|inject|takeover|take over|delete|download"
    r"|overwrite|impersonat|bypass|hijack|crash|log in|login|view|modify|gain|obtain|forge)\w*"
    r"|\b(?:security|critical|severe) (?:vulnerability|hole|flaw|exploit)\b(?! (?:scan|scanner|alert"
    r"|report|polic|disclos))|\bproof[- ]of[- ]concept exploit\b|\b0-?day\b|\bzero-day\b"
    r"|\bwithout (?:any )?(?:authentication|being logged in|logging in|a password"
    r"|authorization)\b.{0,80}\b(?:access|read|delete|download|view|change|modify|admin)\b"
    r"|\b(?:access|read|delete|download|view|change|modify)\b.{0,80}\bwithout (?:any )?(?:authentication"
    r"|being logged in|logging in|a password|authorization|permission)\b",
    re.I,
)
_XSS_PAYLOAD = re.compile(
    r"<script>\s{0,5}alert\(|onerror\s{0,3}=\s{0,3}[\"']?alert\(|' ?OR ?'?1'?\s{0,3}=\s{0,3}'?1"
    r"|;\s{0,3}DROP TABLE|\{\{\s{0,3}7\s{0,3}\*\s{0,3}7\s{0,3}\}\}|\.\./\.\./etc/passwd",
    re.I,
)
_EXPLOITS = re.compile(
    r"\b(?:xss|injection|executes?|executed|attacker|vulnerab\w+|exploit\w*|unsanitized|unescaped"
    r"|not (?:escaped|sanitized)|bypass\w*)\b",
    re.I,
)
_TOPIC_ONLY = re.compile(
    r"\b(?:add|support|implement|document|documentation|improve|allow|enable|upgrade|bump|update"
    r"|dependabot|feature request|docs?|how (?:do|can|to)|question|false positive|linter|scanner|policy"
    r"|SECURITY\.md)\b",
    re.I,
)
_OWN_FLAW = re.compile(
    r"\b(?:vulnerable|vulnerability|exploit\w*|attackers?|leak\w*|bypass\w*|malicious|CVE-\d|proof of concept|poc)\b",
    re.I,
)


# Somebody has something to tell that is not for everybody.
_ASKS_FOR_PRIVACY = re.compile(
    r"\b(?:report|disclose|send|share|submit|raise|tell|discuss|contact|reach|talk)\b.{0,60}"
    r"\b(?:privately|in private|in confidence|confidentially|responsibly)\b"
    r"|\bprivate(?:ly)? (?:disclos\w+|report\w*|vulnerability report\w*|security)\b"
    r"|\bprivate (?:channel|contact|way|e-?mail)\b.{0,60}\b(?:report|disclos|secur|vulnerab)"
    r"|\b(?:report|disclos|secur|vulnerab)\w*\b.{0,60}\bprivate (?:channel|contact|way|e-?mail)\b"
    r"|\b(?:responsible|coordinated|private) (?:vulnerability )?disclosure\b"
    r"|\bsecurity (?:contact|e-?mail|address|team|disclosure)\b(?=.{0,200}\?)"
    r"|\b(?:where|how|whom?)\b.{0,60}\breport\b.{0,40}\b(?:security|vulnerabilit(?:y|ies))\b"
    r"|\breport (?:a |an? potential |the )?(?:security (?:issue|problem|bug|vulnerability)|vulnerability)\b.{0,60}\?",
    re.I,
)
# A tool's finding, as a log of continuous integration or a scan prints it.
_TOOL = re.compile(
    r"\b(?:trivy|snyk|grype|clair|(?:npm|yarn|pnpm|pip|cargo|bundler)[- ]?audit|dependabot|renovate|codeql|bandit"
    r"|semgrep|osv|sonar\w*|scan(?:s|ner|ners|ned|ning)?|\w*sanitizer|[atmu]b?san|valgrind)\b",
    re.I,
)
_SOMEBODYS = re.compile(
    r"\b(?:attackers?|malicious|exploit(?:s|ed|able|ation)?|proof[- ]of[- ]concept|poc|hijack\w*|stole|steal\w*)\b",
    re.I,
)


def is_vulnerability(title: str, prose: str) -> bool:
    """Whether it is for nobody's eyes but the maintainers': a flaw to exploit, or the wish to tell of one in private.

    What a scanner or a sanitizer prints is a tool's finding, as long as nobody says how to make use of it.
    """
    if _ASKS_FOR_PRIVACY.search(title) or any(_ASKS_FOR_PRIVACY.search(line) for line in prose.split("\n")):
        return True
    if _TOOL.search(f"{title}\n{prose}") and not _SOMEBODYS.search(f"{title}\n{prose}"):
        return False
    if _EXPLOITABLE.search(title) and not _TOPIC_ONLY.search(title):
        return True
    suspects = [line for line in prose.split("\n") if _EXPLOITABLE.search(line)]
    flaw = any(not _TOPIC_ONLY.search(line) or _OWN_FLAW.search(line) for line in suspects)
    if flaw and not (_TOPIC_ONLY.search(title) and not _OWN_FLAW.search(title)):
        return True
    return bool(_XSS_PAYLOAD.search(prose) and _EXPLOITS.search(f"{title}\n{prose}"))
