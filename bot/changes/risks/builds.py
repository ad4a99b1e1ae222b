"""What takes part in the build though no manifest changes: code that one starts, under whatever name, and packages of
Python that are none any more. Pure."""

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname, normpath, splitext

from bot.changes.kinds import is_code, is_test_by_path
from bot.changes.readers import MANIFESTS, SENTENCES, WORDS, globs
from bot.changes.risks.data import leaves, read
from bot.changes.risks.lines import first
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

_FILES, _PROGRAMS, _STARTS = MANIFESTS["starting"], frozenset(MANIFESTS["programs"]), globs(*MANIFESTS["starts"])
_ORDERS = re.compile(r"&&|\|\|?|;")
_MOST_FOLDERS = 40  # in which manifests are looked for, those above others first
_PACKAGE = "/__init__.py"


def builds(change: Change, whole: Whole) -> Iterator[Risk]:
    """`install_script`, `packaging_changed`."""
    there = {file.path for file in change.files if file.status is not FileStatus.DELETED}
    code = [path for file in change.files if is_code(file.path) for path in file.places]
    above = {folder for path in code for folder in _folders(path)}
    orders = {each: _orders(each, whole) for each in sorted(above, key=lambda each: each.count("/"))[:_MOST_FOLDERS]}
    for file in change.files:
        if is_code(file.path) and any(_is_started(path, orders) for path in file.places):
            yield Risk("install_script", SENTENCES["script"], file.path, first(file), WORDS["install"])
        gone = [
            path for path in file.places if path.endswith(_PACKAGE) and path not in there and not is_test_by_path(path)
        ]
        # A module of its name may have taken its place.
        if gone and f"{dirname(gone[0])}.py" not in there:
            yield Risk("packaging_changed", SENTENCES["packaging"], file.path, first(file), WORDS["packaging"])


def _folders(path: str) -> Iterator[str]:
    """In which it lies, the innermost first; the root is empty."""
    while path:
        path = dirname(path)
        yield path


def _orders(folder: str, whole: Whole) -> list[str]:
    """What the manifests of a folder, as they were and are, have started to install or to build."""
    found = list[str]()
    for name in _FILES:
        manifest = FileChange(f"{folder}/{name}".lstrip("/"), FileKind.DEPENDENCIES, FileStatus.MODIFIED)
        for text in sorted(set(whole(manifest) or ())):
            found += [value for keys, value in leaves(read(name, text)) if _STARTS("/".join(keys).lower())]
    return found


def _is_started(path: str, orders: Mapping[str, list[str]]) -> bool:
    """Whether a manifest beside the file or above it has it started. orders: by folder."""
    return any(
        _names(value, path[len(folder) :].lstrip("/")) for folder in _folders(path) for value in orders.get(folder, ())
    )


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
