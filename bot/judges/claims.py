"""What a reviewer says is wrong with a patch, and how much of it can be put to the test. Pure.

A rejection is broken off from its rationale here: rejections that nobody could refute make up most false ones
(overcorrection paper, section 5.3: quote the clause, give a counterexample, keep a possible risk apart from a confirmed
violation). The kinds are neutral. Whether a rejection was one of the paper's false ones is known only once execution
has refuted it; see `bot.judges.patches`.
"""

import io
import json
import tokenize
from dataclasses import dataclass
from enum import StrEnum

from bot.judges.agent.code_tools import is_inside
from bot.judges.answer import one_line, quoted
from bot.judges.code import SpecTest

MAX_SENTENCE = 300  # characters of a symptom or a guess
MAX_LINE = 400  # characters of what is to be tried, and of what it should give


class ClaimKind(StrEnum):
    """What sort of thing is said to be wrong."""

    WRONG_OUTPUT = "wrong_output"
    CRASH = "crash"
    MISSING_REQUIREMENT = "missing_requirement"
    BREAKS_BEHAVIOUR = "breaks_existing_behaviour"
    INCOMPLETE = "incomplete"
    UNRELATED_CHANGE = "unrelated_change"
    RISK = "risk"  # something could go wrong; nothing is said to be wrong


class How(StrEnum):
    """By what a counterexample can be tried."""

    CALL = "call"  # an expression, and its value or the exception it raises
    COMMAND = "command"  # a command line, and its exit status or what it prints
    STATE = "state"  # a path, and what the file there holds


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Something that would show the claim to be false. Comes from a model: nothing here may run outside a sandbox.

    what: the call, the command line or the path. expected: what the issue demands of it: a literal or `raises X`;
    `exit N` or `prints TEXT`; `exists`, `absent`, `contains TEXT` or `lacks TEXT`.
    """

    how: How
    what: str
    expected: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing said to be wrong. Everything but the kind is a model's text: escape it before it is shown.

    symptom: what goes wrong, as somebody would see it. guess: why, which models get wrong far more often (section 6.2).
    quote: the requirement, verbatim from the issue; empty when what was given is not there.
    counterexample: `None` without one that could be tried.
    """

    kind: ClaimKind
    symptom: str
    quote: str = ""
    counterexample: Counterexample | None = None
    guess: str = ""

    @property
    def confirmed(self) -> bool:
        """Whether it may hold a patch back, once executing bears it out. Everything else is a possible risk."""
        return self.kind is not ClaimKind.RISK and bool(self.quote) and self.counterexample is not None

    @property
    def test(self) -> SpecTest | None:
        """The counterexample as a test of the specification, where it is a call that goes with a quote."""
        if not self.confirmed or not self.counterexample or self.counterexample.how is not How.CALL:
            return None
        return SpecTest(self.quote, self.counterexample.what, self.counterexample.expected)


def claim(
    kind: ClaimKind, symptom: str, *, quote: str, how: str, what: str, expected: str, guess: str, issue: str
) -> Claim | None:
    """What a model said, checked against the issue as the model saw it; `None` when it names no symptom."""
    symptom = one_line(symptom)[:MAX_SENTENCE]
    if not symptom:
        return None
    return Claim(
        kind, symptom, quoted(quote, issue), counterexample(how, what, expected), one_line(guess)[:MAX_SENTENCE]
    )


def counterexample(how: str, what: str, expected: str) -> Counterexample | None:
    """The counterexample, when it says exactly what to try and what must come of it."""
    what, expected = what.strip(), expected.strip()
    if how not in set(How) or not _is_line(what) or not _is_line(expected):
        return None
    return Counterexample(How(how), what, expected) if _is_falsifiable(How(how), what, expected) else None


def _is_line(text: str) -> bool:
    return 0 < len(text) <= MAX_LINE and text.isprintable()


_NAMES = frozenset({"True", "False", "None", "set", "inf", "nan"})
_SIGNS = frozenset("[](){},:+-")


def _is_falsifiable(how: How, what: str, expected: str) -> bool:
    """`...` and `…` stand for arguments somebody would have to make up."""
    word, _, rest = expected.partition(" ")
    said = bool(rest.strip())
    match how:
        case How.CALL:
            open_ended = "..." in what or "…" in what or not _is_call(what)
            raises = word == "raises" and rest.replace(".", "_").isidentifier()
            return not open_ended and (raises or _is_literal(expected))
        case How.COMMAND:
            return (word == "exit" and rest.isdecimal() and len(rest) < 4) or (word == "prints" and said)
        case How.STATE:
            return is_inside(what) and (expected in ("exists", "absent") or (word in ("contains", "lacks") and said))


def _is_call(what: str) -> bool:
    """Whether it may be a call, in whatever language."""
    name, bracket, _ = what.removeprefix("await ").removeprefix("new ").partition("(")
    return bool(bracket) and what.endswith(")") and (name[:1].isalpha() or name[:1] in ("_", "$"))


def _is_literal(text: str) -> bool:
    """Whether a short text is a value of JSON or of Python; read token by token, since two threads may read at once."""
    try:
        json.loads(text)
        return True
    except (ValueError, RecursionError):
        pass
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return False
    told = [token for token in tokens if token.type not in (tokenize.NEWLINE, tokenize.ENDMARKER)]
    return bool(told) and all(_may_stand_in_a_literal(token) for token in told)


def _may_stand_in_a_literal(token: tokenize.TokenInfo) -> bool:
    if token.type == tokenize.NAME:
        return token.string in _NAMES
    if token.type == tokenize.OP:
        return token.string in _SIGNS
    return token.type in (tokenize.NUMBER, tokenize.STRING)
