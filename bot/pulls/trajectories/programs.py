"""What programs and agents' tools are for, by their names: the rows of `programs.toml`, read and checked at start."""

from collections.abc import Sequence

from bot.changes.readers import Rows, beside, globs


class Verb(Rows):
    """The words by which some programs run tests; `programs.toml` says what each part means."""

    programs: frozenset[str]
    words: frozenset[str]
    first: bool = False
    between: str = ""
    ends: str = ""
    but: frozenset[str] = frozenset()

    def says(self, words: Sequence[str]) -> bool:
        """Whether one of the words behind the program, in small letters, is such a one."""
        plain = [word for word in words if word[0] != "+"]  # Rust's toolchain
        if any(self.but & self._parts(word) for word in plain[:1]):
            return False
        looked = plain[:1] if self.first else [word for word in plain if "=" not in word]
        return any(self.words & self._parts(word) or (self.ends and word.endswith(self.ends)) for word in looked)

    def _parts(self, word: str) -> set[str]:
        return {word, *"".join(" " if sign in self.between else sign for sign in word).split()}


class _Table(Rows):
    programs: dict[str, frozenset[str]]
    formats: dict[str, tuple[str, ...]]
    verbs: tuple[Verb, ...]
    tools: dict[str, frozenset[str]]
    records: dict[str, tuple[str, ...]]


_TABLE = beside(__file__, _Table)
PROGRAMS, FORMATS, VERBS, TOOLS = _TABLE.programs, _TABLE.formats, _TABLE.verbs, _TABLE.tools
is_record_path = globs(*_TABLE.records["paths"])
