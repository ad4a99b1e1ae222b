"""Which pushes leave alone what a maintainer let through. Pure."""

from bot.changes.kinds import kind_of, may_be_read
from bot.changes.meaning import is_noop
from bot.changes.values import Change, FileChange, FileKind
from bot.pulls.facts import RequestKind
from bot.pulls.reading import read_facts


def leaves_code(difference: Change) -> bool:
    """Whether a difference holds nothing but documentation, tests, and comments and layout of code, and nothing that a
    person should look at: no secret, no test taken away. What could not be read to its end is no yes."""
    if difference.problem:
        return False
    rest = tuple(file for file in difference.files if not _paper(file))
    facts = read_facts(RequestKind.DESCRIPTION, difference, "")
    return is_noop(Change(rest)) and not (facts.risks or facts.conditional)


def _paper(file: FileChange) -> bool:
    """Also before it was renamed: code that is moved among the tests is code that is gone."""
    paths = {path for path in (file.path, file.old_path) if path}
    return all(map(_is_paper, paths)) and not file.link and not file.submodule


def _is_paper(path: str) -> bool:
    kind = kind_of(path)
    return kind is FileKind.TEST or (kind is FileKind.DOCUMENTATION and not may_be_read(path))
