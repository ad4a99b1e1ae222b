"""Text made ready for FTS5's tokenizer, the same for changes and reports: names from code fall into their words. Pure.

The tokenizer itself cuts at everything that is neither letter nor digit, and stems English words (Porter).
"""

import re

_CAMEL = re.compile(r"([a-z0-9])([A-Z])")
_ACRONYM = re.compile(r"([A-Z])([A-Z][a-z]{2})")


def spaced(text: str) -> str:
    """`readHTMLTable` as `read HTML Table`; NULs, where FTS5 would stop reading, as spaces."""
    return _ACRONYM.sub(r"\1 \2", _CAMEL.sub(r"\1 \2", text)).replace("\0", " ")
