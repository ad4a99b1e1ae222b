"""Characters that show nothing, or move others about: taken out of prose, written out in code."""

import unicodedata


def apparent(text: str) -> str:
    """The text with every such character written as its escape.

    Code is asked about as it is: taking such characters out would show a model another program than the one that runs.
    """
    return "".join(_escape(c) if _unseen(c) else c for c in text)


def stripped(text: str) -> str:
    """The text without such characters: what a reader sees of prose."""
    return "".join(c for c in text if not _unseen(c))


def hides(text: str) -> bool:
    """Whether the text holds one, carriage returns apart."""
    return any(c != "\r" and _unseen(c) for c in text)


_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
_SELECTORS = range(0xE0100, 0xE01F0)  # variation selectors; a run of them can carry any text


def _unseen(character: str) -> bool:
    if character in "\n\t":
        return False
    return unicodedata.category(character) in _UNSEEN or ord(character) in _SELECTORS


def _escape(character: str) -> str:
    return "" if character == "\r" else f"\\u{{{ord(character):x}}}"
