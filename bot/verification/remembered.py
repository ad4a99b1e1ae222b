"""Answers about files, remembered: many runs of one trial ask the same of the same file."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Answer = TypeVar("Answer")

ENTRY = 500  # bytes that an answer costs beside its texts


def remembered(most: int) -> Callable[[Callable[[*Given], Answer]], Callable[[*Given], Answer]]:
    """A decorator for pure functions of texts: what was asked last is answered from memory.

    most: bytes of all that is kept, by the texts that were given. A stranger's file may have megabytes, so that a
    number of files would be no bound.
    """

    def decorate(function: Callable[[*Given], Answer]) -> Callable[[*Given], Answer]:
        known: OrderedDict[Hashable, tuple[Answer, int]] = OrderedDict()
        lock, kept = threading.Lock(), 0

        @wraps(function)
        def asked(*given: *Given) -> Answer:
            nonlocal kept
            with lock:
                if given in known:
                    known.move_to_end(given)
                    return known[given][0]
            answer = function(*given)
            size = ENTRY + sum(len(each) for each in given if isinstance(each, bytes | str))
            with lock:
                if given not in known:
                    known[given] = (answer, size)
                    kept += size
                while kept > most:
                    kept -= known.popitem(last=False)[1][1]
            return answer

        return asked

    return decorate
