# Whether texts and statements say the same.

# mypy: ignore-errors

import ast
import re

# What the interpreter misses, by its name: in all else two such messages are the same.
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


def plain(text):
    """A printed text without what differs from run to run."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    text = re.sub(r"\b[uU](?=['\"])", "", text)
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return " ".join(text.split())


def equal(found, wanted):
    found, wanted = plain(found), plain(wanted)
    return found == wanted or bool("..." in wanted and ordered(found, wanted, whole=True))


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
    """The value in place of the expression that a statement shows; empty where the text is no expression."""
    try:
        value = ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return "print(%s)" % value if prints(statement) else value


def prints(statement):
    """Whether a statement prints, and is not a value that is shown."""
    return re.match(r"\s*p?print\(", statement) is not None
