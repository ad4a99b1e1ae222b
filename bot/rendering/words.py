"""Plain words for the values people see: items, labels, probabilities, commands. And the sentences that Bouncer
says on an issue, in each language it has them in: one file a language, by key.

`languages/en.toml` is what the others are translated from. What a person or a model wrote is never translated.
"""

import tomllib
from collections.abc import Iterable, Sized
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.already_fixed.values import Seen
from bot.judges.claims import ClaimKind
from bot.judges.patches import BOUNCED, Rejection
from bot.judges.reviews import ReviewMode
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
from bot.verification.evidence import Claimant
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

LABELS: dict[SpecificationLabel | PatchLabel, str] = {  # of issues; a reviewer's of a change is a yes or a no
    SpecificationLabel.WELL_SPECIFIED: "well specified",
    SpecificationLabel.REASONABLY_SPECIFIED: "reasonably specified",
    SpecificationLabel.VAGUE: "vague",
    SpecificationLabel.IMPOSSIBLE_TO_SOLVE: "impossible to solve as written",
}

_CHANCES = (
    (0.1, "very unlikely"),
    (0.35, "unlikely"),
    (0.65, "about even"),
    (0.9, "likely"),
    (2.0, "very likely"),
)
REJECTIONS = {
    Rejection.MISREAD_SPEC: "a requirement that was overlooked or misread",
    Rejection.ADDED_REQUIREMENT: "a requirement that nobody wrote",
    Rejection.OVERTHINK_EDGE: "an extreme case that nobody asked for",
    Rejection.ASSUMED_TYPE: "other or stricter types of input than were asked for",
    Rejection.IMAGINED_RUNTIME: "an error that does not happen",
    Rejection.PERFORMANCE_NITPICK: "speed, which nobody asked for",
    Rejection.READABILITY_NITPICK: "style",
    Rejection.PRECISION_ERROR: "rounding, which nobody asked for",
    Rejection.BOUNDARY_ERROR: "an off-by-one error that is none",
    Rejection.LOGIC_ERROR: "wrong logic, without showing where",
    Rejection.VAGUE_DESCRIPTION: "no concrete reason",
    Rejection.OTHER: "something else",
}
FATES = {
    Fate.REWRITTEN: "rewritten",
    Fate.RENAMED: "renamed and rewritten",
    Fate.REMOVED: "removed",
}
SETTLED = {
    Settled.NEW: "the issue asks for the new one",
    Settled.OLD: "the issue asks for the old one",
    Settled.OPEN: "nothing says which of them is right",
}
WRITTEN_TESTS = {
    Claimant.EXAMPLE: "an example of the issue",
    Claimant.MODEL_TEST: "a test that a model wrote",
    Claimant.ANSWER: "the test of a maintainer's answer",
}
PROOFS = {
    Proof.PROVED: "each was noticed",
    Proof.BLIND: "no test noticed",
    Proof.UNPROVED: "unproved",
    Proof.NOTHING: "nothing to break",
    Proof.UNTRIED: "not tried",
}
REDS = {
    Red.ASSERTION: "its own assertion fails there",
    Red.ERROR: "the code that it calls raises there",
    Red.MISSING: "a name is missing there",
}
ENDINGS = {  # of one call, whose value a place is kept for
    Ending.RETURNED: "returns {}",
    Ending.RAISED: "raises {}",
    Ending.TIMEOUT: "does not end in time",
    Ending.DIED: "crashes its process",
}
MODES = {
    ReviewMode.DIRECT: "a verdict, and reasons only after a no",
    ReviewMode.EXPLAIN: "a verdict with its rationale",
    ReviewMode.FULL: "a verdict, its rationale and a fix",
    ReviewMode.LABEL: "how right the change is, by four grades",
    ReviewMode.AGENTIC: "a verdict after reading the code step by step",
}
CLAIMS = {  # of review bots, behind a number
    ClaimOutcome.HELD: "right, since the change fails without the fix",
    ClaimOutcome.REFUTED: "wrong, since the fix breaks what works",
    ClaimOutcome.SAME: "without a difference that was seen",
    ClaimOutcome.OPEN: "unsettled",
    ClaimOutcome.STALE: "not fitting this commit",
    ClaimOutcome.UNRUN: "not able to run",
    ClaimOutcome.LATE: "not run for lack of time",
    ClaimOutcome.NO_CHANGE: "without a change to run",
}
CLAIM_KINDS = {  # of a reviewer
    ClaimKind.WRONG_OUTPUT: "wrong output",
    ClaimKind.CRASH: "crash",
    ClaimKind.MISSING_REQUIREMENT: "missing requirement",
    ClaimKind.BREAKS_BEHAVIOUR: "breaks what worked",
    ClaimKind.INCOMPLETE: "incomplete",
    ClaimKind.UNRELATED_CHANGE: "unrelated change",
    ClaimKind.RISK: "risk",
}
DECISIONS = {
    Decision.ACCEPT: "plausible",
    Decision.BOUNCE: "bounced",
    Decision.UNAVAILABLE: "undecided",
}
TESTED_REJECTIONS = {
    Decision.ACCEPT: "The rejection does not hold",
    Decision.BOUNCE: "The rejection holds",
    Decision.UNAVAILABLE: "It is unknown whether the rejection holds",
}
CAUSES = {
    Cause.OUTSIDE: "could not be judged",
    Cause.CHANGE: "cannot be judged as it is",
    Cause.PERSON: "a person must look",
}
STATUS_WORDS = {
    FixStatus.STILL_PRESENT: "it still fails as reported",
    FixStatus.PARTIALLY_FIXED: "a part of it is fixed, another part still fails",
    FixStatus.ALREADY_FIXED: "it is fixed already: no change is needed",
    FixStatus.POSSIBLY_FIXED: "it may be fixed already, and nothing proves it",
    FixStatus.UNKNOWN: "Bouncer cannot tell whether it is fixed",
}
SEEN_WORDS = {
    Seen.AS_REPORTED: "fails as reported",
    Seen.PASSES: "passes",
    Seen.OTHERWISE: "fails in another way",
    Seen.CANNOT_RUN: "cannot be run",
    Seen.FLAKY: "differs from run to run",
}


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
    return f"the section “{clean(line.section, 110)}”" if line.section else ITEMS[line.item]


def join_items(items: tuple[Item, ...]) -> str:
    """`a`, `a and b`, `a, b and c` in plain words."""
    return join_words([ITEMS[item] for item in items])


def decision_words(decision: Decision, cause: Cause | None, *, would: bool = False) -> str:
    """What became of a change, the same words everywhere. cause: an older verdict has none. would: nobody is bounced
    for it."""
    if decision is Decision.BOUNCE and would:
        return "would be bounced"
    if decision is Decision.UNAVAILABLE:
        return CAUSES[cause or Cause.OUTSIDE]
    return DECISIONS[decision]


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """usage: as people write it, in Markdown. who: who may write it. does: what then happens, without a full stop.
    page: where the docs say more, from their folder; empty where the table says it all."""

    usage: str
    who: str
    does: str
    page: str = ""


_TRIAGE = "triage role or higher"
_WRITE = "write access"
_OVERRIDES = "the role `maintain`, or a team that the policy names"

ISSUE_COMMANDS = (
    CommandHelp("`/bouncer help`", "anybody", "lists the commands, and says why an issue is left alone"),
    CommandHelp("`/bouncer recheck`", f"the reporter; {_TRIAGE}", "judges the issue again"),
    CommandHelp("`/bouncer fixed`", _TRIAGE, "checks whether it is fixed already", "already-fixed.md"),
    CommandHelp("`/bouncer accept`", _TRIAGE, "accepts the issue as it is: Bouncer never holds it again"),
    CommandHelp("`/bouncer pause`, `/bouncer resume`", _TRIAGE, "pauses Bouncer on this issue; resumes it"),
    CommandHelp("`/bouncer brief`", _WRITE, "writes a brief for coding agents", "issues.md#a-brief-for-coding-agents"),
)
PULL_COMMANDS = (
    CommandHelp("`/bouncer help`", "anybody", "lists the commands"),
    CommandHelp("`/bouncer explain`", "anybody", "shows in a comment everything that led to the verdict"),
    CommandHelp("`/bouncer recheck`", _WRITE, "judges the commit again, and runs a review bot's last suggestion again"),
    CommandHelp(
        "`/bouncer answer ID a`, `b` or `either`",
        f"{_WRITE}, but not the author",
        "answers Bouncer's question which behaviour is right",
        "review-bots.md#when-bouncer-asks-you",
    ),
    CommandHelp("`/bouncer override REASON`", _OVERRIDES, "lets this commit through in spite of its verdict"),
    CommandHelp(
        "`/bouncer person REASON`",
        f"{_OVERRIDES}, but not the author",
        "treats it as a person's pull request until an agent pushes to it",
    ),
    CommandHelp("`/bouncer override-cancel`", _OVERRIDES, "withdraws either"),
)
