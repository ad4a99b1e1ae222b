"""Runs inside the sandbox, by the Python of the new environment: makes the code of test files as its pytest makes it of
their assertions, once. Each run would parse all of them anew, which takes most of a short one. Nothing of the program
runs, and the code counts for the very same text in the same place alone. Given as text.
"""

# mypy: ignore-errors

import ast
import hashlib
import marshal
import pathlib
import sys
import warnings

MOST = 4_000_000  # bytes of sources


def main(root, into):
    left, into = MOST, pathlib.Path(into)
    into.mkdir()
    for path in pathlib.Path(root).rglob("*test*.py"):
        if path.is_file() and "node_modules" not in path.parts and path.stat().st_size <= left:
            source = path.read_bytes()
            left -= len(source)
            place = hashlib.sha256(str(path).encode() + b"\0" + source).hexdigest()
            (into / place).write_bytes(code_of(str(path), source))


def code_of(path, source):
    """Nothing of what cannot be read, or would warn of something."""
    from _pytest.assertion.rewrite import rewrite_asserts

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            tree = ast.parse(source, path)
            rewrite_asserts(tree, source, path)
            code = compile(tree, path, "exec", dont_inherit=True)
        except Exception:  # noqa: BLE001 - whatever is wrong with it, each run says so
            return b""
    return b"" if told else marshal.dumps(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
