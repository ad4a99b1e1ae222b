"""Programs that only run another one, the rows of `wrappers.toml`, and the command that they run."""

import re
from posixpath import basename

from bot.changes.readers import Rows, beside


class _Wrapper(Rows):
    verb: str = ""
    own: int = 0
    valued: str = ""


class _Table(Rows):
    programs: dict[str, _Wrapper]


_WRAPPERS = beside(__file__, _Table).programs
_NONE = _Wrapper()


def inner_command(words: tuple[str, ...]) -> tuple[str, ...]:
    """What a command runs; the command itself where it runs no other."""
    name = basename(words[0]) if words else ""
    name = "python" if name.rstrip("0123456789.") in ("python", "py") else name
    plain = words
    if words[:3] == ("uv", "tool", "run"):
        name, plain = "uvx", words[2:]
    elif name == "python":  # `-m` perhaps behind other letters
        plain = tuple("-m" if re.fullmatch(r"-[A-Zbs]+m", word) else word for word in words)
    row = _WRAPPERS.get(name, _NONE)
    if row is _NONE or len(words) < 2 or (row.verb and not _stands_first(row.verb, plain)):
        return words
    return behind_options(plain[plain.index(row.verb) + 1 if row.verb else 1 :], row.valued, row.own)


def _stands_first(verb: str, words: tuple[str, ...]) -> bool:
    return verb in words[1:8] and (words[1] == verb or words[1].startswith("-")) and words[1] != "-c"


def behind_options(words: tuple[str, ...], valued: str, own: int = 0) -> tuple[str, ...]:
    """valued: the options that take a word. own: how many words more are the program's own."""
    position = 0
    while position < len(words):
        word = words[position]
        if word == "-m":  # `coverage run -m pytest`
            return words[position + 1 :]
        if word in valued.split():
            position += 1
        elif not word.startswith("-"):
            if not own:
                break
            own -= 1
        position += 1
    return words[position:]
