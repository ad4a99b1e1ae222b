"""What a file is for, told from its path alone: the fallback where there is nothing but a diff or a list of files. Of
what the base's tests ran over, `bot.verification.files.index` says who judges, by this only where no run tells. Pure.

The first rule that fits decides: what runs on every push comes before what tests, and that before what is written. A
path cannot tell everything, so no kind is a hiding place: for `bot.changes.meaning` an edit of any kind is meaningful
until it has seen otherwise.
"""

from functools import lru_cache
from pathlib import PurePosixPath

from bot.changes.readers import CODE, CONFIGURATION, DOCUMENTATION, LONGEST, PROSE, TESTS, globs, readers_of, suffix
from bot.changes.values import FileKind

_NAMES, _FOLDERS, _PACKAGES, _LIBRARIES, _PRODUCT, _DATA, _STEERS = (
    globs(*TESTS[part]) for part in ("names", "folders", "packages", "libraries", "product", "data", "steers")
)
_WRITTEN, _FOR_PEOPLE = globs(*PROSE["names"]), globs(*PROSE["for_people"])
_FOLDERS_OF_PROSE = frozenset(PROSE["folders"])


def kind_of(path: str) -> FileKind:
    """What the file is for. Every text is a path; what fits no rule, and no file system, is `OTHER`."""
    if len(path) > LONGEST:
        return FileKind.OTHER
    rows = [row for row in readers_of(path) if row.kind]
    tested = is_test_by_path(path)
    if any(row.kind is FileKind.CI and (row.tested or not tested) for row in rows):
        return FileKind.CI
    if tested:
        return FileKind.TEST
    if kinds := [row.kind for row in rows if row.kind and row.kind is not FileKind.CI]:
        return kinds[0]
    file, ending = PurePosixPath(path.lower()), suffix(path)
    name, folders = file.name, frozenset(file.parts[:-1])
    if ending in DOCUMENTATION or (_WRITTEN(name) and _holds_no_orders(ending)):
        return FileKind.DOCUMENTATION
    if folders & _FOLDERS_OF_PROSE and (ending in (".html", ".htm", ".css") or _holds_no_orders(ending)):
        return FileKind.DOCUMENTATION
    if ending in CODE:
        return FileKind.CODE
    return FileKind.CONFIGURATION if ending in CONFIGURATION or name.startswith(".") else FileKind.OTHER


@lru_cache(maxsize=32_768)  # each file of a program is asked about
def is_test_by_path(path: str) -> bool:
    """Whether the file is a test, or stands with the tests, by the customs of languages and tools. A folder is one of
    tests where any file in it would be."""
    if _NAMES(path) or _LIBRARIES(path):
        return is_named_as_test(path)
    return (_FOLDERS(path) or (not path.endswith(".py") and _PACKAGES(path))) and not _PRODUCT(path)


def is_named_as_test(path: str) -> bool:
    """Whether a tool for tests would look into the file by its name."""
    return _NAMES(path) and not _PRODUCT(path)


def is_test_module(path: str) -> bool:
    """Whether it is a file in which Python's test tools would look for tests, by its name."""
    return path.endswith(".py") and is_named_as_test(path) and not steers_pytest(path)


@lru_cache(maxsize=32_768)
def steers_pytest(path: str) -> bool:
    """Whether pytest, or the interpreter as it starts, reads a file of that name, wherever it lies."""
    return _STEERS(path)


def is_data_of_tests(path: str) -> bool:
    """Whether the file lies in a folder of what tests read."""
    return _DATA(path) and not _PRODUCT(path)


def is_for_people(path: str) -> bool:
    """Whether nobody but people reads the file, as far as its path tells: it lies in a folder for documentation at the
    root, lies at the root itself, or is called `README.md` and the like. What is written like documentation and lies
    beside code may be a word list, a prompt or a template; of the rest `bot.changes.mentions` says whether a program
    names it."""
    name = path.lower()
    at_root = "/" not in name and (not name.endswith(".txt") or _WRITTEN(name))
    return kind_of(path) is FileKind.DOCUMENTATION and (is_documentation_folder(path) or at_root or _FOR_PEOPLE(name))


def is_documentation_folder(path: str) -> bool:
    """Whether the file lies in a folder at the root that is for documentation."""
    return path.partition("/")[0].lower() in _FOLDERS_OF_PROSE and "/" in path


def is_code(path: str) -> bool:
    """Whether the name ends as a program's does."""
    return suffix(path) in CODE


def _holds_no_orders(ending: str) -> bool:
    return ending not in CODE and ending not in CONFIGURATION
