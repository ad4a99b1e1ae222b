# Whether texts and statements say the same; what is said of a run, and whether it says anything of the report.

# mypy: ignore-errors

import ast
import json
import os
import re

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


MISSED = re.compile(r"(?:\bname|\battribute|\bmodule named|\bvariable|\barguments?:?) '?([\w.]*\w)'", re.I)


def alike(pieces, text):
    """Whether most words of what was reported are there, or all that it quotes: wordings differ between versions. What
    is missed must be the same."""
    missed = [name for piece in pieces for name in MISSED.findall(piece)]
    if not all(re.search(r"(?<![\w.])%s(?!\w)" % re.escape(name), text) for name in missed):
        return False
    quoted = [name for piece in pieces for name in re.findall(r"'([^'\s]{2,80})'", piece)]
    if quoted and all("'%s'" % name in text for name in quoted):
        return True
    words = [word for piece in pieces for word in re.findall(r"[^\W\d_]{2,}", piece.lower())]
    found = set(re.findall(r"[^\W\d_]{2,}", text.lower()))
    return sum(word in found for word in words) >= 0.6 * len(words)


# Names of code in a message: between quotes, with dots or underscores, or called.
NAMES = re.compile(r"[`'\"]([A-Za-z_][\w.]*)[`'\"(]|\b([A-Za-z_]\w*(?:[._][A-Za-z_]\w*)+)|\b([A-Za-z_]\w*)(?=\(\))")


def names(pieces):
    """What messages speak of."""
    return {name for piece in pieces for found in NAMES.findall(piece) for name in found if name}


def near(pieces, text):
    """Whether a message is about the same, in whatever words."""
    if any(re.search(r"(?<!\w)%s(?!\w)" % re.escape(name), text) for name in names(pieces)):
        return True
    words = {word for piece in pieces for word in re.findall(r"[^\W\d_]{4,}", piece.lower())}
    return 3 * len(words & set(re.findall(r"[^\W\d_]{4,}", text.lower()))) > len(words)


CONTROLS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
# A number in base 16 may be the very value; one of twelve digits or more is a place in memory anywhere.
ADDRESSES = re.compile(r"(?<=\bat )0x[0-9a-fA-F]+|\b0x[0-9a-fA-F]{12,16}\b")


def steady(text):
    """A printed text without what differs from run to run."""
    return ADDRESSES.sub("0x", CONTROLS.sub("", text))


def plain(text):
    """A printed text without how it is laid out, either."""
    return " ".join(re.sub(r"\b[uU](?=['\"])", "", steady(text)).split())


def exact(found, wanted):
    """Whether texts are the same as they are laid out."""
    rows = [[line.rstrip() for line in steady(text).strip("\r\n").splitlines()] for text in (found, wanted)]
    return rows[0] == rows[1]


def equal(found, wanted):
    found, wanted = plain(found), plain(wanted)
    return found == wanted or bool("..." in wanted and "..." not in found and ordered(found, wanted, whole=True))


def is_bare(text):
    """Whether it is a number or a constant, which a text between quotes is not."""
    try:
        return not isinstance(ast.literal_eval(text.strip()), str)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return False


def resembles(found, wanted):
    """Whether it may be what should come in another notation, as `np.float64(1.5)`, or nearly."""
    found, wanted = plain(found), plain(wanted)
    if re.search(r"(?<![\w.])%s(?![\w.])" % re.escape(wanted), found):
        return True
    try:
        one, other = float(found), float(wanted)
    except ValueError:
        return False
    return abs(one - other) <= 1e-6 * abs(other)


def comes(found, wanted, code):
    """Whether what should come is there: as whole lines, or in a line that holds beside it only words of the code."""
    rows, wanted_rows = ([plain(line) for line in text.splitlines() if line.strip()] for text in (found, wanted))
    whole, wanted_whole = ("\n%s\n" % "\n".join(each) for each in (rows, wanted_rows))
    if wanted_rows and wanted_whole in whole:
        return True
    for row in rows if len(wanted_rows) == 1 else ():
        before, same, after = (" %s " % row).partition(" %s " % wanted_rows[0])
        if same and all(re.search("[A-Za-z]{2}", word) and word in code for word in (before + " " + after).split()):
            return True
        if "..." in row + wanted_rows[0] and equal(row, wanted_rows[0]):
            return True
    return False


def holds(found, wanted):
    """Whether the wanted text is there, as whole words; an ellipsis stands for anything."""
    found, wanted = plain(found), plain(wanted)
    return bool(wanted) and (
        ordered(found, wanted, whole=False) if "..." in wanted else " %s " % wanted in " %s " % found
    )


def ordered(found, wanted, whole):
    pieces = [piece.strip() for piece in re.split(r"\.\.\.", wanted)]
    at = 0
    for piece in pieces:
        place = found.find(piece, at)
        if place < 0:
            return False
        at = place + len(piece)
    if not any(pieces):
        return False
    return not whole or (found.startswith(pieces[0]) and found.endswith(pieces[-1]))


def line_alike(line):
    """A line without directories and the numbers of lines: they differ from place to place and version to version."""
    return re.sub(r":\d+", ":", re.sub(r"(?:[\w.~-]{1,80}[/\\])+", "", plain(line))).lstrip("/")


def instead(statement, text):
    """The value in place of the expression that a statement shows; empty where the text is no expression, or asks the
    statement itself, which agrees with itself whatever it gives."""
    try:
        value = ast.unparse(ast.parse(text.strip(), mode="eval"))
        asked = ast.unparse(ast.parse(statement.strip()))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    if asked and (value == asked or ("(" in asked and asked in value) or "print(%s)" % value == asked):
        return ""
    return "print(%s)" % value if prints(statement) else value


def prints(statement):
    """Whether a statement prints, and is not a value that is shown."""
    return re.match(r"\s*p?print\(", statement) is not None


def looks(value: str) -> str:
    """How a value begins: its class and bracket, its quotation mark, or `0` where it is a number; empty for a word."""
    found = re.match(r"[A-Za-z_][\w.]{0,60}[(\[]|[(\[{'\"<]|[-+]?\.?\d", value.lstrip())
    return ("0" if found.group()[-1].isdigit() else found.group()) if found else ""
