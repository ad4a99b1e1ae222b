# Whether texts and statements say the same. Knows nothing of what was run.

# mypy: ignore-errors

import ast
import re

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
