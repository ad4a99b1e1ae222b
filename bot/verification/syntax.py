"""Reading Python source from several threads at once.

CPython before 3.11.8 and 3.12.2 keeps the depth of the tree it is building in one place for all threads: when two parse
at once, source that is fine can raise `SystemError` (its issue gh-106905). So one thread parses at a time.
"""

import ast
import threading
from typing import Any, Literal, overload

_LOCK = threading.Lock()


@overload
def parse(source: str | bytes, mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(source: str | bytes, mode: Literal["eval"]) -> ast.Expression: ...
def parse(source: str | bytes, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """As `ast.parse`; raises what it raises."""
    with _LOCK:
        return ast.parse(source) if mode == "exec" else ast.parse(source, mode="eval")


def literal(text: str) -> Any:
    """As `ast.literal_eval` of a text."""
    with _LOCK:
        return ast.literal_eval(text)
