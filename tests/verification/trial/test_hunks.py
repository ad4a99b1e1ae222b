"""Pieces of a change, taken out one by one."""

import re
import time

from bot.verification.trial.own import pieces


def test_a_piece_is_taken_out_while_its_name_and_what_it_takes_stay() -> None:
    before = b"class C:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    after = (
        b'class C:\n    def f(self, by=1):\n        "Say."\n        n = 1 + by\n        return n\n\n'
        b"    def g(self):\n        # Why.\n        return 2\n\n    def h(self): return 3\n\n"
        b"    def i(self):\n        return 4\n"
    )
    found = pieces({"c.py": (before, after), "README.md": (b"a", b"b")})
    first, second, third = (each.apply(after) for each in found)
    assert [(each.path, each.of.first) for each in found] == [("c.py", 2), ("c.py", 11), ("c.py", 13)]
    begins = b'class C:\n    def f(self, by=1):\n        "Say."\n        return 1\n\n    def g'
    assert first.startswith(begins)
    assert re.search(rb"    def h\(self\): raise \w+Error\n", second)
    assert re.search(rb"    def i\(self\):\n        raise \w+Error\n$", third)


def test_an_argument_that_nothing_uses_is_no_piece_of_a_change() -> None:
    before, after = b"def total(pairs):\n    return len(pairs)\n", b"def total(pairs, low=0):\n    return len(pairs)\n"
    assert pieces({"c.py": (before, after)}) == ()


def test_many_functions_are_read_in_time_that_grows_with_them() -> None:
    def took(times: int) -> float:
        text = "".join(f"def f{n % 9}(): return {n}\n" for n in range(times)).encode()
        started = time.process_time()
        pieces({"a.py": (text, text.replace(b"return", b"return -"))})
        return time.process_time() - started

    took(500)
    assert min(took(2_000) for _ in range(5)) < 12 * min(took(500) for _ in range(5))
