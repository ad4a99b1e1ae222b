"""Rust's tests that stand in a file of the product, as `#[cfg(test)]` items: which they are, and the same file with the
base's. Nothing is run.

A test is named by its crate's root, `src/lib.rs::module::tests::works`, whichever file its module stands in.
"""

from collections.abc import Iterator

from bot.changes.bodies import ABOVE, marks_test
from bot.changes.syntax import tree
from bot.child_process import TooLong, run_in_child
from bot.verification.remembered import remembered

Spans = tuple[tuple[int, int], ...]
_FEW = 2_000  # bytes that are read in this process
_KEPT = 8_000_000  # bytes of files
_ROOTS = ("lib.rs", "main.rs")


def only_tests(source: bytes) -> bytes:
    """The items of the file that only its tests have, one after the other; empty where it has none."""
    return b"\n".join(source[start:end] for start, end in _spans(source))


def with_tests_of(base: bytes, head: bytes) -> bytes:
    """The head's product with the base's tests: where its own stand, else at the end. What stands before them keeps its
    lines."""
    tests, spans = only_tests(base), _spans(head)
    found, at = b"", 0
    for number, (start, end) in enumerate(spans):
        found += head[at:start] + (b"" if number else tests)
        at = end
    return found + head[at:] + (b"" if spans or not tests else b"\n" + tests + b"\n")


def may_hold(path: str, name: str) -> bool:
    """Whether a test of that name may stand in that file, by the names of its modules."""
    return path.endswith(".rs") and any(path == each or path.endswith(f"/{each}") for each, _ in places(name))


def places(name: str) -> Iterator[tuple[str, str]]:
    """Files in which a test may stand, from its package's folder, and its name there, the innermost module first."""
    root, _, inner = name.partition("::")
    folder, _, file = root.rpartition("/")
    parts = inner.split("::")
    for depth in range(len(parts) - 1 if file in _ROOTS else 0, 0, -1):
        module, rest = "/".join([folder, *parts[:depth]]).lstrip("/"), "::".join(parts[depth:])
        yield f"{module}.rs", rest
        yield f"{module}/mod.rs", rest
    yield root, inner


def _spans(source: bytes) -> Spans:
    return _known(source) if b"test" in source else ()


@remembered(_KEPT)
def _known(source: bytes) -> Spans:
    found = _read(source) if len(source) <= _FEW else run_in_child(_read, source)
    return () if isinstance(found, TooLong) else found


def _read(source: bytes) -> Spans:
    root = tree("a.rs", source)
    if root is None:
        return ()
    found, begins, marked = list[tuple[int, int]](), -1, False
    for node in root.named_children:
        if node.type in ABOVE:
            if node.type == "attribute_item":
                begins = node.start_byte if begins < 0 else begins
                marked = marked or marks_test(node.text or b"")
            continue
        if marked:
            found.append((begins, node.end_byte))
        begins, marked = -1, False
    return tuple(found)
