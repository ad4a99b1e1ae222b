"""Reading Python source: strangers' source too, and from several threads at once.

Larger source is read in a child first (`bot.child_process`): a stranger's file may take minutes, or more stack than
there is, and nothing ends a parser that is at work in this process.
CPython before 3.11.8 and 3.12.2 keeps the depth of the tree it is building in one place for all threads: when two parse
at once, source that is fine can raise `SystemError` (its issue gh-106905). So one thread parses at a time.
"""

import ast
import hashlib
import threading
from typing import Any, Literal, overload

from bot.child_process import SMALL, in_a_child, run_in_child

_LOCK = threading.Lock()
_MOST_KNOWN = 4096
_ends: dict[bytes, bool] = {}  # whether a child came to an end with a source, by its digest


@overload
def parse(source: str | bytes, mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(source: str | bytes, mode: Literal["eval"]) -> ast.Expression: ...
def parse(source: str | bytes, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """As `ast.parse`; raises what it raises, and `SyntaxError` for what takes too long to read."""
    if len(source) > SMALL and not in_a_child():
        _read_before(source, mode)
    with _LOCK:
        return ast.parse(source) if mode == "exec" else ast.parse(source, mode="eval")


def _read_before(source: str | bytes, mode: str) -> None:
    """Raise `SyntaxError` unless a child came to an end with it in its time. What is wrong with it is found here."""
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    key = hashlib.sha256(mode.encode() + text).digest()
    if key not in _ends:
        if len(_ends) >= _MOST_KNOWN:
            _ends.clear()
        _ends[key] = run_in_child(ends, source, mode) is True
    if not _ends[key]:
        raise SyntaxError("reading it took too long and was stopped")


def ends(source: str | bytes, mode: str) -> bool:
    """Whether a parser comes to an end with it in this process: made in a child, of so much time and memory."""
    try:
        ast.parse(source, mode=mode)
    except MemoryError:
        return False
    except (SyntaxError, ValueError, RecursionError):
        pass
    return True


def literal(text: str) -> Any:
    """As `ast.literal_eval` of a text."""
    with _LOCK:
        return ast.literal_eval(text)
