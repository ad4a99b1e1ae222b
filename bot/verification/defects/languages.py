"""What `languages.toml` says of each language."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class CodeLanguage:
    """How code of a language is broken; see `languages.toml`. others, numbers: for languages with types, a value of
    some that is not their first, and those that are numbers."""

    endings: tuple[str, ...]
    returns: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    fails: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    query: str = ""
    slips: str = ""
    opens: str = ""

    def other(self, kind: str) -> str:
        """A value of a plain type that is not its first; empty for any other type."""
        return self.others.get(kind) or ("1" if kind in self.numbers else "")


def _languages() -> dict[str, CodeLanguage]:
    told = tomllib.loads((files(__package__) / "languages.toml").read_text(encoding="utf-8"))
    found: dict[str, CodeLanguage] = {}
    for own in told.values():
        said: dict[str, Any] = {**told.get(own.pop("like", ""), {}), **own}
        said = {key: tuple(each) if isinstance(each, list) else each for key, each in said.items()}
        language = CodeLanguage(**said)
        found |= dict.fromkeys(language.endings, language)
    return found


LANGUAGES = _languages()  # by the endings of their files
BREAKABLE = tuple(LANGUAGES)
READ = tuple(ending for ending, each in LANGUAGES.items() if each.query or each.opens)
