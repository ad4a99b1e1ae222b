"""The processes below another, as `/proc` has them."""

from pathlib import Path


def descendants(parent: int) -> set[int]:
    """The processes below one, by number."""
    found: set[int] = set()
    try:
        children = [(thread / "children").read_text().split() for thread in Path(f"/proc/{parent}/task").iterdir()]
    except OSError:  # it has just ended
        return found
    for child in (int(number) for numbers in children for number in numbers):
        found |= {child} | descendants(child)
    return found


def command(process: int) -> bytes:
    """What it runs; empty once it is gone, or only waits to be buried."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
