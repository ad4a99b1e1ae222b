"""Plain words for the values people see: items, labels, probabilities, commands. And the sentences that Bouncer
says on an issue, in each language it has them in: one file a language, by key.

`languages/en.toml` is what the others are translated from. What a person or a model wrote is never translated.
"""

import tomllib
from collections.abc import Iterable, Sized
from functools import cache
from pathlib import Path

from bot.already_fixed.values import Seen
from bot.changes.readers import Rows, beside
from bot.judges.claims import ClaimKind
from bot.judges.patches import BOUNCED, Rejection
from bot.judges.reviews import ReviewMode
from bot.markdown.mail import sentences_in
from bot.plain_text import clean, join_words
from bot.verdicts import (
    Cause,
    ChecklistItem,
    ClaimOutcome,
    Decision,
    FixStatus,
    Item,
    PatchLabel,
    Question,
    SpecificationLabel,
)
from bot.verification.evidence import Case, Claimant, Verified
from bot.verification.patch_evidence import Fate, Proof, Red, Settled
from bot.verification.values import Ending

ENGLISH = "en"

_FOLDER = Path(__file__).with_name("languages")
_UNSPACED = ("ja", "zh")
_NAMED = 3  # names in one sentence


@cache
def languages() -> frozenset[str]:
    """The ISO 639-1 codes of all that there are sentences in."""
    return frozenset(path.stem for path in _FOLDER.glob("*.toml"))


def sentence(language: str, key: str, **values: object) -> str:
    """What stands in a language's file below `table.name`, with its `{...}` filled in. Raises `KeyError`."""
    text = _catalogue(language)[key]
    return text.format(**values) if values else text


@cache
def own_sentences() -> frozenset[str]:
    """All that Bouncer says on an issue in any language, and that nothing is filled into: who repeats it, quotes it."""
    told = map(_catalogue, languages())
    return sentences_in(text for table in told for key, text in table.items() if not key.startswith("items."))


def after_call(state: str) -> str:
    """What a call left behind, around its text `{}`: changed arguments, what an object became, or where a row ended."""
    if state.startswith("Step("):
        return " ({} of several)"
    what = "the object" if state[:1].isalpha() else "its arguments"
    return f" and leaves {what} as " + "{}" if state else ""


def question_text(question: Question, language: str = ENGLISH) -> str:
    """The question's own words without its quote: a model's, or what the catalogue has for it."""
    if language != ENGLISH and question.keys:
        return question_from_keys(question.keys, language, question.quote)
    if question.text or not question.keys:
        return question.text
    if question.english:
        return sentence(ENGLISH, f"english.{question.english}", about=question.about)
    return question_from_keys(question.keys, section=question.quote)


def question_sentence(question: Question, language: str = ENGLISH) -> str:
    """The question as one plain sentence with the quote it is about; not escaped."""
    text = question_text(question, language)
    return text if not question.quote or question.quote in text else f"“{question.quote}” — {text}"


def question_from_keys(keys: tuple[str, ...], language: str = ENGLISH, section: str = "") -> str:
    """One question out of fixed sentences. section: the name of the section that it asks for, where it does."""
    said = [sentence(language, f"questions.{key}") for key in keys]
    return ("" if language in _UNSPACED else " ").join(said).replace("{section}", section)


@cache
def _catalogue(language: str) -> dict[str, str]:
    tables = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{table}.{name}": text for table, entries in tables.items() for name, text in entries.items()}


ITEMS = {item: sentence(ENGLISH, f"items.{item}") for item in Item}


class CommandHelp(Rows):
    """A command in a comment; `words.toml` says what each part means."""

    usage: str
    who: str
    does: str
    page: str = ""


class _Words(Rows):
    labels: dict[SpecificationLabel | PatchLabel, str]
    rejections: dict[Rejection, str]
    fates: dict[Fate, str]
    settled: dict[Settled, str]
    written_tests: dict[Claimant, str]
    proofs: dict[Proof, str]
    reds: dict[Red, str]
    endings: dict[Ending, str]
    modes: dict[ReviewMode, str]
    claims: dict[ClaimOutcome, str]
    claim_kinds: dict[ClaimKind, str]
    decisions: dict[Decision, str]
    tested_rejections: dict[Decision, str]
    tested_cases: dict[str, str]
    cases: dict[Case, str]
    causes: dict[Cause, str]
    status: dict[FixStatus, str]
    seen: dict[Seen, str]
    look_at: dict[str, str]
    issue_commands: tuple[CommandHelp, ...]
    pull_commands: tuple[CommandHelp, ...]


_WORDS = beside(__file__, _Words)
LABELS = _WORDS.labels
REJECTIONS = _WORDS.rejections
FATES = _WORDS.fates
SETTLED = _WORDS.settled
WRITTEN_TESTS = _WORDS.written_tests
PROOFS = _WORDS.proofs
REDS = _WORDS.reds
ENDINGS = _WORDS.endings
MODES = _WORDS.modes
CLAIMS = _WORDS.claims
CLAIM_KINDS = _WORDS.claim_kinds
DECISIONS = _WORDS.decisions
TESTED_REJECTIONS, TESTED_CASES = _WORDS.tested_rejections, _WORDS.tested_cases
CAUSES = _WORDS.causes
STATUS_WORDS = _WORDS.status
SEEN_WORDS = _WORDS.seen
CASES, LOOK_AT = _WORDS.cases, _WORDS.look_at
ISSUE_COMMANDS, PULL_COMMANDS = _WORDS.issue_commands, _WORDS.pull_commands

_CHANCES = (
    (0.1, "very unlikely"),
    (0.35, "unlikely"),
    (0.65, "about even"),
    (0.9, "likely"),
    (2.0, "very likely"),
)


def name(text: str, limit: int = 160) -> str:
    """A stranger's name for something, in a sentence."""
    return clean(text, limit)


def names(found: Iterable[str]) -> str:
    """`a`, `a and b`, or `a, b, c and 2 more`, of at least one. They are strangers': escaped where they are shown."""
    every = tuple(found)
    shown, more = [name(each) for each in every[:_NAMED]], len(every) - _NAMED
    return join_words([*shown, f"{more} more"] if more > 0 else shown)


def one(found: Sized, single: str, several: str) -> str:
    """The word for one of these, or for several."""
    return single if len(found) == 1 else several


def times_words(times: int, *, more: bool = False) -> str:
    """`once`, `2 times`, or `20 times or more`."""
    return f"{times} times or more" if more else "once" if times == 1 else f"{times} times"


def opinion_words(label: PatchLabel | SpecificationLabel) -> str:
    """What a reviewer who gives a change this label would do with it. What ran may say otherwise, and decides."""
    return "not accept it (an opinion)" if label in BOUNCED else "accept it (an opinion)"


def chance(probability: float) -> str:
    """A calibrated probability with its word, as `83% (likely)`. Nothing is ever certain."""
    word = next(word for limit, word in _CHANCES if probability < limit)
    figure = "under 1%" if probability < 0.01 else "over 99%" if probability > 0.99 else f"{probability:.0%}"
    return f"{figure} ({word})"


def item_words(line: ChecklistItem) -> str:
    """What a line of the checklist is about, as one plain line."""
    return f"the section “{clean(line.section, 110)}”" if line.section else clean(line.fact) or ITEMS[line.item]


def join_items(items: tuple[Item, ...]) -> str:
    """`a`, `a and b`, `a, b and c` in plain words."""
    return join_words([ITEMS[item] for item in items])


def rejection_words(verified: Verified) -> str:
    """What putting a rejection to the test came to."""
    compared = verified.differential is not None and verified.differential.calls
    if verified.decision is Decision.ACCEPT and verified.case is Case.EQUIVALENT and not compared:
        return TESTED_CASES["ACCEPT alike"]
    return TESTED_CASES.get(f"{verified.decision} {verified.case}", TESTED_REJECTIONS[verified.decision])


def decision_words(decision: Decision, cause: Cause | None, *, would: bool = False) -> str:
    """What became of a change, the same words everywhere. cause: an older verdict has none. would: nobody is bounced
    for it."""
    if decision is Decision.BOUNCE and would:
        return "would be bounced"
    if decision is Decision.UNAVAILABLE:
        return CAUSES[cause or Cause.OUTSIDE]
    return DECISIONS[decision]
