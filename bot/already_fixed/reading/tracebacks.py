"""What a traceback or a warning in a text says, the class and the message; and which reports show the same symptoms:
what to ask for them by, and how they are told. Pure."""

import re
from dataclasses import dataclass

from bot.already_fixed.in_sandbox.ending import RAISED, last_raised
from bot.already_fixed.values import Expectation, Failure
from bot.history.report import frames
from bot.history.terms import code_terms

_LONGEST_MESSAGE = 300
_RAISED_LINE = re.compile(r"(?:[A-Za-z_]\w{0,60}\.){0,9}[A-Z]\w{0,60}(?:Error|Exception): .*")
_WARNED = re.compile(r"(?:^|\s)((?:[A-Za-z_]\w{0,60}\.){0,9}[A-Z]\w{0,60}Warning):[ \t]+(\S.*)$", re.M)
_TRACE = re.compile(
    r"^[ \t|+-]*(?:\w+\s+)?Traceback \(most recent call last\)|^E {3}|^-{20,}$"
    r"|^\s{0,9}File \"[^\"\n]{1,300}\", line \d",
    re.M,
)
_FRAME = re.compile(r"^\s{0,9}File \"[^\"\n]{1,300}\", line \d{1,9}.{0,200}$", re.M)
_MENTIONED = re.compile(r"(?<![\w.])((?:[A-Za-z_]\w{0,60}\.){0,9}[A-Z]\w{0,60}(?:Error|Exception))\b")
_LONGEST = 60_000  # characters of a report that are read
_MOST = 3  # words that are asked for: a search finds what holds all of them
_SHARED = 2  # names from code that two reports have in common
_SHORTEST_WORD, _LONGEST_WORD = 3, 50


@dataclass(frozen=True, slots=True)
class RaisedError:
    """name: without its module. message: its first line, bounded; may be empty."""

    name: str
    message: str

    def expected(self, right: str = "", *, failure: Failure = Failure.RAISES) -> Expectation:
        """It as what goes wrong. right: what should come instead, where the report says it."""
        return Expectation(failure, self.name, (self.message,) if self.message else (), right=right)


def is_trace(text: str) -> bool:
    """Whether the text shows a traceback, or ends as one does."""
    last = text.rstrip().rpartition("\n")[2]
    return (bool(_TRACE.search(text)) and raised(text) is not None) or bool(_RAISED_LINE.fullmatch(last))


def raised(text: str) -> RaisedError | None:
    """The exception a text ends with: the first line of that form below the last frame; without one the last."""
    frames = list(_FRAME.finditer(text))
    if frames and (below := RAISED.search(text, frames[-1].end())):
        return _told(below)
    last = last_raised(text)
    return RaisedError(last[0], last[1].strip()[:_LONGEST_MESSAGE]) if last else None


def trace_starts(text: str) -> int | None:
    """Where the first traceback in a text begins."""
    return found.start() if (found := _TRACE.search(text)) else None


def warned(text: str) -> RaisedError | None:
    """The first warning as Python prints it."""
    return _told(found) if (found := _WARNED.search(text)) else None


def mentioned(prose: str) -> tuple[str, ...]:
    """Classes of exceptions that prose names."""
    return tuple(dict.fromkeys(name.rpartition(".")[2] for name in _MENTIONED.findall(prose)))


def _told(found: re.Match[str]) -> RaisedError:
    return RaisedError(found[1].rpartition(".")[2], (found[2] or "").strip()[:_LONGEST_MESSAGE])


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
        plain = (word for word in telling if word.isidentifier() and _SHORTEST_WORD <= len(word) <= _LONGEST_WORD)
        words = tuple(dict.fromkeys(plain))[:_MOST]
        return words if len(words) > 1 else ()


def symptoms(title: str, text: str) -> Symptoms:
    """Accepts any text. title, text: as a reader sees them."""
    title, text = title[:1000], text[:_LONGEST]
    told = raised(text)
    classes = (*((told.name,) if told else ()), *mentioned(f"{title}\n{text}"))
    names = dict.fromkeys([*sorted(code_terms(title)), *sorted(code_terms(text))])
    trace = text.rpartition("Traceback (most recent call last)")[2]
    functions = tuple(frame.function for frame in frames(trace) if frame.function)
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
