"""Defence in depth: code that catches or steps round a problem instead of mending it (FixedBench, appendix D, "Add
Defense in Depth: the agent adds an additional fallback mechanism intended to catch the described problem"). Pure.

It is a weak sign. Many a right fix is a guard.
"""

import re

from bot.changes.values import FileChange, FileKind

_LONGEST = 400  # characters of a line; no guard is longer

_NOTHING = r"(?:None|null|nil|undefined|NULL|nullptr)"
_NAME = r"[\w.$\[\]'\"()*&-]{1,120}"
_GUARD = re.compile(
    rf"(?:if|elif|else if|unless|guard)\s*\(?\s*(?:"
    rf"(?:not\s+|!\s*){_NAME}"
    rf"|{_NAME}\s+is\s+(?:not\s+)?None|{_NAME}\s*[!=]==?\s*{_NOTHING}"
    rf"|(?:not\s+)?(?:hasattr|callable|isinstance)\([^()]{{1,150}}\)|{_NAME}\.nil\?"
    r")\s*\)?\s*(?::|\{|then)?\s*(?P<then>.*)"
)
_TRY = re.compile(r"(?:try|begin)\s*[:{]?")
_CATCH = re.compile(
    r"\}?\s*(?:except(?:\s+(?:\([\w., ]{1,200}\)|[\w.]{1,80}))?(?:\s+as\s+\w{1,60})?\s*:"
    r"|catch\s*(?:\([^()]{0,120}\))?\s*\{|rescue\b[^;]{0,120})\s*(?P<then>.*)"
)
_WAY_OUT = re.compile(
    r"(?:pass|continue|break|return(?:\s+(?:-?\d{1,9}|True|False|true|false|"
    + _NOTHING
    + r"|\w{1,60}|\[\]|\{\}|\(\)|''|\"\"))?"
    r"|(?:logger|logging|log|console|warnings)\.\w{1,30}\(.{0,300}\))?\s*;?\s*\}?"
)
_CLOSE = re.compile(r"[})\];]{1,4}|end|else\s*:|\}?\s*else\s*\{|finally\s*:")
_REMARK = ("#", "//", "/*", "*", "--")


def only_guards(files: tuple[FileChange, ...]) -> bool:
    """Whether all that these files' code gains is guards around lines that were there before.

    A guard is a check for nothing (`if x is None`, `if (!x)`) or a caught exception, with a quiet way out below it:
    what raises hides no problem. Lines that are only set deeper are not new.
    """
    found = False
    for file in files:
        if file.kind is not FileKind.CODE:
            continue
        removed = {text for hunk in file.hunks for line in hunk.removed if (text := line.strip())}
        kept = removed & {line.strip() for hunk in file.hunks for line in hunk.added}
        if removed - kept:
            return False
        for text in (line.strip() for hunk in file.hunks for line in hunk.added):
            if not text or text in kept or text.startswith(_REMARK):
                continue
            if len(text) > _LONGEST:
                return False
            guard = _GUARD.fullmatch(text) or _CATCH.fullmatch(text)
            if guard and _WAY_OUT.fullmatch(guard["then"]):
                found = True
            elif guard or not any(part.fullmatch(text) for part in (_TRY, _WAY_OUT, _CLOSE)):
                return False
    return found
