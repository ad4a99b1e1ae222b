"""Which files that are no code belong to the tests beside which they lie: what is expected, cases, snapshots.

In a folder of tests all do. Where tests lie among the product's code, a file may be either's; it is theirs who name it.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind

_QUOTED = re.compile(rb"['\"]([^'\"\n]{1,200})['\"]")
_WORD = re.compile(rb"[\w.-]+")
_TELLING = 4  # characters of a name, below which it may mean anything
_MOST = 2_000  # files that are read for either side
_NEVER = frozenset({FileKind.CI, FileKind.DEPENDENCIES, FileKind.LOCK})
_BY_NAME, _BY_ENDING = 2, 1  # how surely a text means a file

Read = Callable[[str], bytes | None]


def words_of(paths: Iterable[str], read: Read) -> frozenset[bytes]:
    """The words in the quoted texts of so many files."""
    found: set[bytes] = set()
    for path in sorted(paths)[:_MOST]:
        for text in _QUOTED.findall(read(path) or b""):
            found.update(_WORD.findall(text))
    return frozenset(found)


@dataclass(frozen=True)
class DataOfTests:
    """Where tests lie among code. tests: those files of tests. code: every Python file."""

    tests: Collection[str]
    code: Collection[str]

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(str(PurePosixPath(path).parent) for path in self.tests)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(PurePosixPath(path).stem for path in self.tests)

    @cached_property
    def _with_code(self) -> frozenset[str]:
        return frozenset(str(above) for path in self.code for above in PurePosixPath(path).parents)

    def may_serve(self, path: str) -> bool:
        """Whether it is no code and lies in a folder of the tests, or below one in a folder without any code."""
        if path.endswith(".py") or kind_of(path) in _NEVER:
            return False
        above = [str(each) for each in PurePosixPath(path).parents]
        depth = next((at for at, folder in enumerate(above) if folder in self._folders), None)
        return depth is not None and (depth == 0 or above[depth - 1] not in self._with_code)

    def serves(self, path: str, tests: frozenset[bytes], product: frozenset[bytes]) -> bool:
        """Whether the tests name it, rather than the product: by the words that either quotes."""
        by_stem = PurePosixPath(path).stem in self._stems
        theirs = _BY_NAME if by_stem else self._meant(path, tests)
        others = self._meant(path, product)
        return theirs > others or theirs == others == _BY_ENDING

    def _meant(self, path: str, words: frozenset[bytes]) -> int:
        pure = PurePosixPath(path)
        names = [pure.name, pure.stem, *([] if str(pure.parent) in self._folders else [pure.parent.name])]
        if any(name.encode() in words for name in names if len(name) >= _TELLING):
            return _BY_NAME
        prose = kind_of(path) is FileKind.DOCUMENTATION
        return _BY_ENDING if pure.suffix and not prose and pure.suffix.encode() in words else 0
