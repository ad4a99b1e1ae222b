"""How much of a stranger's text is kept."""

import hashlib

LONGEST_MESSAGE = 2000  # characters of one test's message
LONGEST_NAME = 600


def bounded(text: str) -> str:
    """The text, or its beginning and end."""
    if len(text) <= LONGEST_MESSAGE:
        return text
    half = LONGEST_MESSAGE // 2
    return f"{text[: half - 3]} … {text[-half:]}"


def bounded_name(text: str) -> str:
    """The name, or its beginning and a hash of the whole: different names stay different."""
    if len(text) <= LONGEST_NAME:
        return text
    return f"{text[: LONGEST_NAME - 20]}…{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:16]}"
