"""What only a person can decide: on this input the programs differ, and nothing says who is right. Pure.

A question shows the two outcomes without saying whose they are, and in an order that does not tell either. Its answer
is kept as the outcome that is right, so it decides any later pair of programs: it has become a test.
"""

import ast
import base64
import builtins
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import TypeAdapter

from bot.judges.answer import one_line
from bot.judges.code import SpecTest
from bot.verification.literals import GIVEN, MAX_TEXT, is_module, literal_call, read_expected
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.values import Difference, Ending, Observed, Side

_observed = TypeAdapter(Observed)

ANSWERED = "A maintainer answered what is right for this input."  # why a difference favours one side
_ANSWERS = "test_bouncer_answers_"


class AnswerChoice(StrEnum):
    """What can be answered."""

    A = "a"
    B = "b"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class VerificationQuestion:
    """Which outcome is right for this call?

    id: eight letters and digits, stable for the same specification, call and outcomes, whoever produced which.
    specification: hash of the specification the question is about, see `specification_hash`.
    call: one line of Python. module, names: where what it calls is imported from. a, b: the two outcomes.
    """

    id: str
    specification: str
    module: str
    names: tuple[str, ...]
    call: str
    a: Observed
    b: Observed

    @property
    def program(self) -> str:
        """To be pasted and run where the module can be imported."""
        return f"from {self.module} import {', '.join(self.names)}\nprint(repr({self.call}))"


@dataclass(frozen=True, slots=True)
class Ruling:
    """An answer: what is right for a call under a specification. expected: `None` when either outcome will do."""

    question: str
    specification: str
    call: str
    expected: Observed | None

    @property
    def stored(self) -> str | None:
        """The expected outcome as it is kept in a table."""
        return None if self.expected is None else _observed.dump_json(self.expected).decode()

    @classmethod
    def of(cls, question: str, specification: str, call: str, stored: str | None) -> "Ruling":
        """The ruling that was kept. Raises ValueError for what `stored` never wrote."""
        return cls(question, specification, call, None if stored is None else _observed.validate_json(stored))


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it was given, to a question that may or may not exist."""

    question: str
    choice: AnswerChoice


_ID = "[a-z2-7]{8}"
_SPOKEN = re.compile(rf"`?({_ID})`?\s+(a|b|either)\.?", re.IGNORECASE)
_BOX = re.compile(rf"- \[([ xX])\] <!-- bouncer:answer ({_ID}) (a|b|either) -->(.*)")


def question(difference: Difference, specification: str, module: str) -> VerificationQuestion | None:
    """The question an undecided difference raises; `None` when it cannot be put as lines that run."""
    try:
        node = parse(difference.call, mode="eval").body
        call = ast.unparse(node)
        for seen in (difference.original, difference.fix):
            f"{call}{seen.value}{seen.mutated}".encode()
    except UNREADABLE:
        return None
    named = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    made = {part.id for part in named if isinstance(part.ctx, ast.Store)}
    names = tuple(sorted({part.id for part in named} - made - set(dir(builtins))))
    if not names or set(GIVEN) & set(names) or not is_module(module) or "\n" in call or len(call) > MAX_TEXT:
        return None
    a, b = sorted((difference.original, difference.fix), key=_text)
    about = specification_hash(specification)
    digest = hashlib.sha256(json.dumps([about, module, call, _text(a), _text(b)]).encode()).digest()
    return VerificationQuestion(base64.b32encode(digest)[:8].decode().lower(), about, module, names, call, a, b)


def specification_hash(specification: str) -> str:
    """The same for texts that differ in white space and invisible characters only."""
    return hashlib.sha256(one_line(specification).encode("utf-8", "replace")).hexdigest()


def rule(asked: VerificationQuestion, choice: AnswerChoice) -> Ruling:
    """What an answer means."""
    expected = {AnswerChoice.A: asked.a, AnswerChoice.B: asked.b, AnswerChoice.EITHER: None}[choice]
    return Ruling(asked.id, asked.specification, asked.call, expected)


def box(asked: VerificationQuestion, choice: AnswerChoice) -> str:
    """How the line of a checkbox begins; ticking it is answering. See `clicked`."""
    return f"- [ ] <!-- bouncer:answer {asked.id} {choice} -->"


def clicked(body: str, previous: str) -> Given | None:
    """The answer that an edit of Bouncer's own comment gives: it ticked one box and changed nothing else.

    The caller makes sure that the comment is Bouncer's own and that whoever edited it may answer.
    """
    lines, before = _lines(body), _lines(previous)
    changed = [pair for pair in zip(lines, before, strict=False) if pair[0] != pair[1]]
    if len(lines) != len(before) or len(changed) != 1:
        return None
    now, then = (_BOX.fullmatch(line) for line in changed[0])
    if not now or not then or now.groups()[1:] != then.groups()[1:] or then[1] != " ":
        return None
    return Given(now[2], AnswerChoice(now[3]))


def spoken(rest: str) -> Given | None:
    """The answer in what follows `/bouncer answer`: `ID a`, `ID b` or `ID either`."""
    found = _SPOKEN.fullmatch(rest.strip())
    return Given(found[1].lower(), AnswerChoice(found[2].lower())) if found else None


def answers_file(number: int) -> str:
    """The file of the tests that maintainers' answers become, beside the repository's own."""
    return f"{_ANSWERS}{number}.py"


def from_answer(test: str) -> bool:
    """Whether a test of this name stands in such a file."""
    return test.startswith(_ANSWERS)


def as_test(ruling: Ruling) -> SpecTest | None:
    """The ruling as a test; `None` when either will do, or when it takes more than a literal to say what is right."""
    if ruling.expected is None or ruling.expected.mutated or literal_call(ruling.call) is None:
        return None
    value = ruling.expected.value
    said = {Ending.RETURNED: value, Ending.RAISED: f"raises {value}"}.get(ruling.expected.ending, "")
    expected = read_expected(said)
    clause = f"A maintainer's answer to question {ruling.question}."
    return SpecTest(clause, ruling.call, expected) if expected else None


def ruled(difference: Difference, rulings: Iterable[Ruling]) -> Difference | None:
    """The difference with the side that a ruling on its call finds right; `None` when either will do, so that it is no
    evidence. As it was when no ruling speaks of it, or when neither program does what is right.

    The rulings are those on the specification at hand.
    """
    for ruling in rulings:
        if ruling.call != _normal(difference.call):
            continue
        if ruling.expected is None:
            return None
        for side, seen in ((Side.ORIGINAL, difference.original), (Side.FIX, difference.fix)):
            if seen == ruling.expected:
                return replace(difference, favours=side, why=ANSWERED)
    return difference


def _normal(call: str) -> str:
    try:
        return ast.unparse(parse(call, mode="eval"))
    except UNREADABLE:
        return call


def _text(seen: Observed) -> str:
    return json.dumps([seen.ending, seen.value, seen.mutated])


def _lines(body: str) -> list[str]:
    return [line.rstrip() for line in body.replace("\r\n", "\n").rstrip().split("\n")]
