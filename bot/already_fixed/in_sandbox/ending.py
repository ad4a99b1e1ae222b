# How a run ended, what is said of it, and whether it says anything of the report.

# mypy: ignore-errors

import json
import os
import re

from bot.already_fixed.in_sandbox.comparing import alike
from bot.already_fixed.in_sandbox.watching import IMPORTS, LONGEST_OUTPUT, cut

APART = ("command", "program", "tests")  # the forms that are known by their output and status alone
LONGEST_SHOWN = 600
TRACE = "Traceback (most recent call last)"
RAISED = re.compile(  # a line that ends a traceback, or stands in pytest's report
    r"^(?:E {2,60}|[|] |[^\s:]{1,200}\.py:\d{1,9}: )?((?:[A-Za-z_]\w{0,60}\.){0,9}[A-Z]\w{0,60}"
    r"(?:Error|Exception|Warning|Exit|Interrupt|Failure|NotFound|Iteration)"
    r"|(?:[a-z_]\w{0,60}\.){1,9}(?:[A-Z]\w{0,60}|error))(?::[ \t]*(.*))?$",
    re.M,
)
THROWN = re.compile(r"^(?:Uncaught )?((?:[A-Z]\w{0,60})?Error|panic)(?: \[\w{1,60}\])?: (.*)$", re.M)
NETWORK = re.compile(
    r"name resolution|name or service not known|nodename nor servname|network is unreachable|no address associated"
    r"|max retries exceeded|failed to establish a new connection|getaddrinfo failed|proxyerror"
    r"|\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED)\b|no such host|dial tcp",
    re.I,
)
DEVICES = re.compile(
    r"\b(?:lib)?cuda\b|\blibnvidia|\bno gpu\b|no nvidia"
    r"|cannot open display|no display name|could not connect to display",
    re.I,
)
ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError", "WindowsError": "OSError", "error": "OSError"}


def ends_well(plan, seen, out):
    """Of what the report says only that something should not come. A command has to do its work for that: with a usage,
    a crash, or tests that are passed over, nothing comes either."""
    if plan["form"] in APART:
        last = out.rstrip().rpartition("\n")[2]
        skipped = plan["form"] == "tests" and re.search(r"\b\d+ (?:skipped|xfailed|deselected)\b", last)
        signs = {"status": seen["code"], "trace": TRACE in out, "usage": is_usage(out), "too much": is_cut(out)}
        for why, holds in dict(signs, skipped=skipped).items():
            if holds:
                return verdict("fails_otherwise", why, shown=out[-LONGEST_SHOWN:])
    return verdict("passes", "ends well", shown=out)


def is_cut(out):
    """Whether more was printed than is kept."""
    return len(out.encode("utf-8", "replace")) >= LONGEST_OUTPUT


def is_usage(out):
    return out.lstrip().lower().startswith("usage:")


def line_of(raised):
    return "%s: %s" % (raised["types"][0], raised["message"]) if raised["message"] else raised["types"][0]


def verdict(seen, why, name="", shown=""):
    """Bounded as it travels, in a message of which the runner keeps 2,000 characters."""
    while len(json.dumps(shown)) > LONGEST_SHOWN:
        shown = cut(shown, len(shown) * 3 // 4)
    return {"seen": seen, "why": why, "name": cut(name, 80), "shown": shown}


def unfit(raised, plan):
    """Why an exception says nothing of the report: what it lacks is ours, or was never shown. Empty when it counts."""
    name, expected = raised["types"][0], plan["expectation"]
    wanted = (
        expected["failure"] in ("raises", "misses") and expected["exception"] and is_a(raised, expected["exception"])
    )
    told = wanted and alike(expected["message"], raised["message"])
    if any(kind == "gaierror" or NETWORK.search(message) for kind, message in raised["chain"]):
        return "network"
    if any(DEVICES.search(message) for _, message in raised["chain"]) and not told:
        return "device"
    if name == "EOFError" and "EOF when reading a line" in raised["message"]:
        return "input"
    if (name in IMPORTS or raised["torn"]) and not (told and expected["message"]):
        return "module" if raised["missing"] else "torn" if raised["torn"] else "import"
    if name == "NameError" and raised["here"] and not (told and expected["message"] and not raised["here"]):
        return "name"
    if name == "FileNotFoundError" and raised["file"] and os.path.basename(raised["file"]) in plan["code"]:
        return "file"
    if name in ("SyntaxError", "IndentationError", "TabError") and raised["here"] and not told:
        return "syntax"
    if name in ("KeyboardInterrupt", "MemoryError") and not told:
        return "memory" if name == "MemoryError" else "ended itself"
    if name == "SystemExit" and expected["exception"] != "SystemExit":
        return "ended itself"
    return ""


SLIPS = re.compile(
    r"'?NoneType'?|referenced before assignment|cannot access (?:local|free) variable|name '\w+' is not defined"
    r"|(?:missing|takes|got) .{0,80}\bargument|recursion depth exceeded"
)


def last_raised(text: str) -> "tuple[str, str] | None":
    """The class, without its module, and the message of the exception that a text ends with. The line with which pytest
    says where it was raised has no message: that stands further above."""
    found = [(name.rpartition(".")[2], message) for name, message in RAISED.findall(text)]
    if not found:
        return None
    name, message = found[-1]
    return name, message or next((said for kind, said in reversed(found) if said and kind == name), "")


def threw(text: str) -> "tuple[str, str] | None":
    """The class and the message of the first error that Node or Go tells of."""
    found = THROWN.search(text)
    return (found.group(1), found.group(2)) if found else None


def end_of(text, folder, root):
    """The error that Node or Go tells of, as `described` tells of an exception. folder: of what the report shows, below
    the root."""
    thrown = threw(text)
    if thrown is None:
        return None
    kind, message = thrown
    here = os.path.join(root, "") not in text[text.find(message) :].replace(folder, "")
    file = message.replace("'", "").partition("open ")[2].partition(":")[0] if "no such file" in message else ""
    kind = "ImportError" if message.startswith("Cannot find ") else "FileNotFoundError" if file else kind
    kind = "NameError" if kind == "ReferenceError" else kind
    told = {"types": [kind], "message": message, "chain": [[kind, message]], "file": file, "missing": ""}
    return dict(told, name=message.partition(" ")[0], torn=False, here=here, place="")


def is_slip(raised):
    """Whether the interpreter tells of code that is wrong in itself: nobody asks for that to be raised."""
    return not raised["here"] and bool(SLIPS.search(raised["message"]))


def is_a(raised, wanted):
    wanted = ALIASES.get(wanted, wanted)
    if wanted in ("Exception", "BaseException", "object"):
        return raised["types"][0] == wanted
    return wanted in raised["types"]
