"""What takes part in the build though no manifest changes: code that one starts, under whatever name, and packages of
Python that are none any more. Pure."""

import re
from collections.abc import Iterator
from posixpath import dirname, normpath, splitext

from bot.changes.kinds import is_code, is_test_by_path
from bot.changes.readers import MANIFESTS, SENTENCES, WORDS, globs
from bot.changes.risks.data import leaves, read
from bot.changes.risks.lines import first
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

_FILES, _PROGRAMS, _STARTS = MANIFESTS["starting"], frozenset(MANIFESTS["programs"]), globs(*MANIFESTS["starts"])
_ORDERS = re.compile(r"&&|\|\|?|;")
_PACKAGE = "/__init__.py"


def builds(change: Change, whole: Whole) -> Iterator[Risk]:
    """`install_script`, `packaging_changed`."""
    there = {file.path for file in change.files if file.status is not FileStatus.DELETED}
    for file in change.files:
        if is_code(file.path) and any(_is_started(path, whole) for path in file.places):
            yield Risk("install_script", SENTENCES["script"], file.path, first(file), WORDS["install"])
        gone = [
            path for path in file.places if path.endswith(_PACKAGE) and path not in there and not is_test_by_path(path)
        ]
        # A module of its name may have taken its place.
        if gone and f"{dirname(gone[0])}.py" not in there:
            yield Risk("packaging_changed", SENTENCES["packaging"], file.path, first(file), WORDS["packaging"])


def _is_started(path: str, whole: Whole) -> bool:
    """Whether a manifest beside the file or above it, as it was or is, has it started to install or to build."""
    folder = dirname(path)
    while True:
        for name in _FILES:
            manifest = FileChange(f"{folder}/{name}".lstrip("/"), FileKind.DEPENDENCIES, FileStatus.MODIFIED)
            rest = path[len(folder) :].lstrip("/")
            for text in set(whole(manifest) or ()):
                for keys, value in leaves(read(name, text)):
                    if _STARTS("/".join(keys).lower()) and _names(value, rest):
                        return True
        if not folder:
            return False
        folder = dirname(folder)


def _names(value: str, path: str) -> bool:
    """Whether a line of the shell starts this file, or a dotted name is of it or of what it defines."""
    stem, ending = splitext(path)
    dotted, named = stem.replace("/", "."), value.partition(":")[0]
    if ending == ".py" and (named == dotted or dotted.endswith(f".{named}") or named.startswith(f"{dotted}.")):
        return True
    for order in _ORDERS.split(value):
        words = order.split()
        for at, word in enumerate(words):
            if normpath(word.strip("'\"")) in (path, stem) and (at == 0 or not _PROGRAMS.isdisjoint(words[:at])):
                return True
    return False
