"""What a file is for, told from its path alone. Pure.

The first rule that fits decides: what runs on every push comes before what tests, and that before what is written. A
path cannot tell everything, so no kind is a hiding place: for `bot.changes.meaning` an edit of any kind is meaningful
until it has seen otherwise.
"""

import re
from pathlib import PurePosixPath

from bot.changes.readers import CODE, CONFIGURATION, DOCUMENTATION, LONGEST, TESTS, globs, readers_of
from bot.changes.values import FileKind

_NAMES, _FOLDERS, _PACKAGES, _LIBRARIES, _PRODUCT, _DATA = (
    globs(*TESTS[part]) for part in ("names", "folders", "packages", "libraries", "product", "data")
)
_DOCUMENTATION_NAMES = re.compile(
    r"(?:readme|changelog|changes|history|news|license|licence|copying|notice|authors|contributors|contributing|citation"
    r"|security|code_of_conduct|maintainers|credits|thanks|todo)(?:\..*)?"
)
# Names of what nobody reads but people; of the others only at the root of the repository.
_FOR_PEOPLE = re.compile(
    r"(?:readme|changelog|license|licence|copying|authors|contributors|contributing|code_of_conduct)\.(?:md|rst)"
)
_DOCUMENTATION_FOLDERS = frozenset({"doc", "docs", "documentation", "changelog.d", "newsfragments"})


def kind_of(path: str) -> FileKind:
    """What the file is for. Every text is a path; what fits no rule, and no file system, is `OTHER`."""
    if len(path) > LONGEST:
        return FileKind.OTHER
    rows = [row for row in readers_of(path) if row.kind]
    tested = is_test(path)
    if any(row.kind is FileKind.CI and (row.tested or not tested) for row in rows):
        return FileKind.CI
    if tested:
        return FileKind.TEST
    if kinds := [row.kind for row in rows if row.kind and row.kind is not FileKind.CI]:
        return kinds[0]
    file = PurePosixPath(path.lower())
    name, suffix, folders = file.name, file.suffix, frozenset(file.parts[:-1])
    if suffix in DOCUMENTATION or (_DOCUMENTATION_NAMES.fullmatch(name) and _holds_no_orders(suffix)):
        return FileKind.DOCUMENTATION
    if folders & _DOCUMENTATION_FOLDERS and (suffix in (".html", ".htm", ".css") or _holds_no_orders(suffix)):
        return FileKind.DOCUMENTATION
    if suffix in CODE:
        return FileKind.CODE
    return FileKind.CONFIGURATION if suffix in CONFIGURATION or name.startswith(".") else FileKind.OTHER


def is_test(path: str) -> bool:
    """Whether the file is a test, or stands with the tests, by the customs of languages and tools."""
    if _NAMES(path) or _LIBRARIES(path):
        return is_named_as_test(path)
    return (_FOLDERS(path) or (not path.endswith(".py") and _PACKAGES(path))) and not _PRODUCT(path)


def is_named_as_test(path: str) -> bool:
    """Whether a tool for tests would look into the file by its name."""
    return _NAMES(path) and not _PRODUCT(path)


def is_data_of_tests(path: str) -> bool:
    """Whether the file lies in a folder of what tests read."""
    return _DATA(path) and not _PRODUCT(path)


def may_be_read(path: str) -> bool:
    """Whether a program may read the file although it is written like documentation: a word list, a prompt, a template.

    Documentation lies in a folder for it at the root, lies at the root itself, or is called `README.md` and the like.
    What lies in a package beside its code is read by that, whatever the folder is called. Where it lies is not enough:
    `bot.changes.mentions` says whether a program names it.
    """
    file = PurePosixPath(path.lower())
    if is_documentation_folder(path):
        return False
    if len(file.parts) == 1:
        return file.suffix == ".txt" and not _DOCUMENTATION_NAMES.fullmatch(file.name)
    return not _FOR_PEOPLE.fullmatch(file.name)


def is_documentation_folder(path: str) -> bool:
    """Whether the file lies in a folder at the root that is for documentation."""
    return path.partition("/")[0].lower() in _DOCUMENTATION_FOLDERS and "/" in path


def is_code(path: str) -> bool:
    """Whether the name ends as a program's does."""
    return PurePosixPath(path.lower()).suffix in CODE


def _holds_no_orders(suffix: str) -> bool:
    return suffix not in CODE and suffix not in CONFIGURATION
