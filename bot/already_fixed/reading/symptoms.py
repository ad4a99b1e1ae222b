"""Which reports show the same symptoms: what to ask for them by, and how they are told. Pure."""

import re
from dataclasses import dataclass

from bot.already_fixed.reading.tracebacks import mentioned, raised
from bot.changes.terms import code_terms

_LONGEST = 60_000  # characters of a report that are read
_MOST = 3  # words that are asked for: a search finds what holds all of them
_SHARED = 2  # names from code that two reports have in common
_FRAME = re.compile(r'File "[^"\n]{1,300}", line \d{1,9}, in ([A-Za-z_]\w{1,60})')
_WORD = re.compile(r"[A-Za-z_]\w{2,50}")


@dataclass(frozen=True, slots=True)
class Symptoms:
    """exception: the class, without its module; empty where none is named. functions: of its last traceback, outermost
    first, without modules and lines, which differ from one release to the next. names: from code, without
    files, those of the title first."""

    exception: str = ""
    functions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What to ask for the like by; empty where that would find anything."""
        telling = (self.exception, *self.functions[-1:], *self.names)
        words = tuple(dict.fromkeys(word for word in telling if _WORD.fullmatch(word)))[:_MOST]
        return words if len(words) > 1 else ()


def symptoms(title: str, text: str) -> Symptoms:
    """Accepts any text. title, text: as a reader sees them."""
    title, text = title[:1000], text[:_LONGEST]
    told = raised(text)
    classes = (*((told.name,) if told else ()), *mentioned(f"{title}\n{text}"))
    names = dict.fromkeys([*sorted(code_terms(title)), *sorted(code_terms(text))])
    trace = text.rpartition("Traceback (most recent call last)")[2]
    functions = tuple(_FRAME.findall(trace))
    return Symptoms(
        exception=classes[0] if classes else "",
        functions=functions,
        names=tuple(name for name in names if "." not in name and name not in (*classes, *functions)),
    )


def alike(one: Symptoms, other: Symptoms) -> bool:
    """The same exception at the same place, or about the same names. Where none is named nothing is called alike."""
    if not one.exception or one.exception != other.exception:
        return False
    same_end = bool(one.functions) and one.functions[-1:] == other.functions[-1:]
    shared = set(one.names) & set(other.names)
    return len(shared) >= _SHARED or (same_end and (bool(shared) or one.functions[-2:] == other.functions[-2:]))
