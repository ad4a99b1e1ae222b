"""What hides from a reader: characters without a shape, encodings in which a comment is code, and letters that are read
as others. Pure.

Code that a program makes of texts is told by the rows of `signs.toml`: nobody can say for certain what is in a text.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from tokenize import detect_encoding

from bot.changes.readers import SENTENCES
from bot.changes.risks.lines import added, first, moved, numbered
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, Whole

_WORD = re.compile(r"\w+")
# Of an alphabet many of whose letters look like Latin ones.
_ALIKE = frozenset({"CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
# Characters that make a line look like another one: Unicode's directions, what has no width, and what ends a line for
# a language and not for its readers.
_UNSEEN = re.compile("[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\U000e0000-\U000e007f]|\r(?=.)")
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")  # of a region, which everybody sees
_PLAIN = rb"# \x41 \u0041 +AEE-"  # which is other text in encodings that have escapes
_GREEK = frozenset("ουιΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")  # and stand beside Latin letters for nothing of mathematics
# Which are letters to a program, and show nothing.
_BLANK = re.compile(
    "[A-Za-z_][\u034f\u17b4\u17b5\u180b\u180c\u180d\u200c\u200d\ufe00-\ufe0f]|[\u115f\u1160\u3164\uffa0]"
)


def unseen(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`hidden_characters`: for the first such line of each file, or its name."""
    for file in change.files:
        new = (
            number
            for number, mark, text in numbered(*file.hunks)
            if mark == "+" and _UNSEEN.search(_FLAG.sub("", text))
        )
        number = next(new, None)
        if number or _UNSEEN.search(file.path):
            yield Risk("hidden_characters", SENTENCES["unseen"], file.path, number or 0)
        if file.path.endswith((".py", ".pyi")) and _reads_otherwise(file):
            yield Risk("hidden_characters", SENTENCES["encoding"], file.path, first(file))


def _reads_otherwise(file: FileChange) -> bool:
    """Whether one of its first two lines, as far as they are shown, names an encoding in which plain characters mean
    others, so that a comment may hold code."""
    for hunk in file.hunks:
        shown = [line[1:] for line in hunk.lines if not line.startswith("-")][: max(0, 3 - hunk.new_start)]
        with suppress(SyntaxError, LookupError, UnicodeError):  # then Python does not read it either
            encoding, _ = detect_encoding(iter([line.encode() for line in shown if "coding" in line] + [b""]).__next__)
            if _PLAIN.decode(encoding) != _PLAIN.decode():
                return True
    return False


def strange_letters(file: FileChange) -> Iterator[Risk]:
    """`hides_its_text`: for the first new line with a word, of code or of a text, whose letters are read as others."""
    known = moved(file)
    for number, text in added(file):
        if not text.isascii() and not known(text) and (_BLANK.search(text) or any(map(_is_other, _WORD.findall(text)))):
            yield Risk("hides_its_text", SENTENCES["letters"], file.path, number)
            return


def _is_other(word: str) -> bool:
    wide = unicodedata.normalize("NFKC", word).isascii() and any(not each.isascii() for each in word if each.isalpha())
    return wide or any(map(_mixes, word.split("_")))


def _mixes(word: str) -> bool:
    """Whether a word has Latin letters, and others that look like such."""
    scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in word if letter.isalpha()}
    return "LATIN" in scripts and not (scripts.isdisjoint(_ALIKE) and _GREEK.isdisjoint(word))
