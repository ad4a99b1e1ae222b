"""Texts of strangers made short; the host and the scripts inside the sandbox do it alike."""

import hashlib

LONGEST_MESSAGE = 2000  # characters of one test's message
LONGEST_NAME = 600


def shorten(text: str) -> str:
    """The text, or its beginning and end."""
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= LONGEST_MESSAGE else text[: half - 3] + " … " + text[-half:]


def shorten_name(text: str) -> str:
    """The name, or its beginning and a hash of the whole: different names stay different."""
    if len(text) <= LONGEST_NAME:
        return text
    return text[: LONGEST_NAME - 20] + "…" + hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
