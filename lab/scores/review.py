"""How a reviewer of whole programs does when it is asked in three ways: the overcorrection paper (sections 4 and 5)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from statistics import pstdev
from typing import Any

from bot.judges.patches import Rejection
from lab.data.files import DataError, read_rows, texts
from lab.data.programs import Pair
from lab.scores.counts import Flips, Rate, flips, rate, share


class Awareness(StrEnum):
    """What a rationale says of a fault that is known to be there (overcorrection paper, section 4.4)."""

    MATCH = "match"
    MISMATCH = "mismatch"
    NOT_MENTIONED = "not_mentioned"
    UNCLEAR = "unclear"


DIRECT, EXPLAIN, FULL = "Direct", "Explain", "Full"
MODES = (DIRECT, EXPLAIN, FULL)  # section 3
PARAPHRASES = 2  # of each mode's prompt
DATASETS = ("HumanEval", "MBPP", "QuixBugs")
CONSISTENCY = ("consistent", "contradiction", "unclear")  # section 4.3
VERDICT, FILTERED = "verdict", "filtered"
_PACKS = {"HumanEval": "HumanEvalPack", "QuixBugs": "QuixBugs"}  # as `lab.data.programs` names them
_PUBLISHED = (
    "It holds one JSON object a line with judge, dataset (HumanEval, MBPP or QuixBugs), task, correct (true or false: "
    "which program was judged), mode (Direct, Explain or Full) and verdict (yes or no); fix, consistency, bug, "
    "symptom, reason and wording (0, or the number of a paraphrase) where they are known. Bouncer has no recorded "
    "reviews; the programs are in HumanEvalPack and QuixBugs (both MIT)."
)
# judge: {mode: false acceptances and false rejections on HumanEval, MBPP, QuixBugs, percent} (Table 2)
PUBLISHED = {
    "GPT-4o": {
        DIRECT: (2.44, 26.2, 3.70, 35.9, 10.9, 35.0),
        EXPLAIN: (0.00, 58.5, 0.00, 74.1, 5.00, 45.0),
        FULL: (0.00, 73.2, 0.20, 87.9, 5.00, 60.0),
    },
    "Gemini-2.0-flash": {
        DIRECT: (8.54, 25.6, 10.3, 34.7, 22.5, 25.0),
        EXPLAIN: (7.32, 23.2, 11.1, 35.1, 22.5, 22.5),
        FULL: (5.49, 34.1, 7.69, 39.6, 17.5, 32.5),
    },
    "Claude-4-5-sonnet": {
        DIRECT: (2.44, 26.2, 6.57, 58.5, 5.00, 40.0),
        EXPLAIN: (1.21, 34.1, 6.94, 55.7, 2.50, 40.0),
        FULL: (0.61, 36.0, 5.44, 62.3, 2.50, 50.0),
    },
    "Llama-3.1-8B": {
        DIRECT: (17.1, 57.3, 3.56, 74.7, 27.5, 52.5),
        EXPLAIN: (6.71, 86.6, 0.38, 91.9, 5.00, 87.5),
        FULL: (6.10, 84.1, 1.88, 88.2, 30.0, 77.5),
    },
    "Mistral-Small-3.1-24B": {
        DIRECT: (6.71, 35.9, 5.25, 60.9, 40.0, 40.0),
        EXPLAIN: (14.6, 31.1, 7.13, 47.8, 40.0, 32.5),
        FULL: (4.88, 48.8, 4.31, 74.3, 27.5, 62.5),
    },
}


@dataclass(frozen=True, slots=True)
class RecordedReview:
    """One answer about one program. fix: the whole program as the judge would have it; empty without one. consistency,
    bug, symptom: what an evaluator made of the rationale; empty where nobody looked. wording: 0 for the product's own
    words; each other is a paraphrase. reason: the category of a wrong rejection (section 4.2), likewise."""

    judge: str
    dataset: str
    task: str
    correct: bool
    mode: str
    accepts: bool
    fix: str = ""
    consistency: str = ""
    bug: str = ""
    symptom: str = ""
    wording: int = 0
    reason: str = ""

    @property
    def program(self) -> tuple[str, str, bool]:
        """What was judged."""
        return self.dataset, self.task, self.correct


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """kind: `verdict`, or `filtered`: once the fixes of what was rejected were executed. false_rejections: of correct
    programs; false_acceptances: of wrong ones. consistent: rationales that support their verdict. bug, symptom: of
    wrong programs, rationales that name the fault's type, and what one sees of it."""

    judge: str
    dataset: str
    mode: str
    kind: str
    false_rejections: Rate
    false_acceptances: Rate
    consistent: Rate
    bug: Rate
    symptom: Rate


def read_reviews(path: Path) -> tuple[RecordedReview, ...]:
    """Raises `DataError`."""
    found: dict[tuple[Any, ...], RecordedReview] = {}
    for where, row in read_rows(path, _PUBLISHED):
        review = _review(row, where)
        key = (review.judge, *review.program, review.mode, review.wording)
        if key in found:
            raise DataError(f"{where}: {', '.join(map(str, key))} is there twice. A judge answers each question once.")
        found[key] = review
    return tuple(found.values())


def _review(row: dict[str, Any], where: str) -> RecordedReview:
    judge, task = texts(row, where, "judge", "task")
    if not isinstance(row.get("correct"), bool):
        raise DataError(f'{where}: "correct" is {str(row.get("correct"))[:20]!r}; it must be true or false.')
    verdict = row["verdict"].lower() if isinstance(row.get("verdict"), str) else row.get("verdict")
    for field, value, scale in (
        ("dataset", row.get("dataset"), DATASETS),
        ("mode", row.get("mode"), MODES),
        ("verdict", verdict, ("yes", "no")),
        ("consistency", row.get("consistency") or "", ("", *CONSISTENCY)),
        ("bug", row.get("bug") or "", ("", *Awareness)),
        ("symptom", row.get("symptom") or "", ("", *Awareness)),
        ("reason", row.get("reason") or "", ("", *Rejection)),
    ):
        if value not in scale:
            raise DataError(
                f'{where}: "{field}" is {str(value)[:30]!r}; it must be one of {", ".join(filter(None, scale))}.'
            )
    if not isinstance(row.get("fix"), str | None):
        raise DataError(f'{where}: "fix" is not a text.')
    if type(wording := row.get("wording", 0)) is not int or wording < 0:
        raise DataError(f'{where}: "wording" is {str(wording)[:20]!r}; it must be 0 or a number of a paraphrase.')
    more = (row.get("fix") or "", row.get("consistency") or "", row.get("bug") or "", row.get("symptom") or "")
    return RecordedReview(judge, row["dataset"], task, row["correct"], row["mode"], verdict == "yes", *more, wording,
                          row.get("reason") or "")  # fmt: skip


def review_rows(
    reviews: Sequence[RecordedReview], lifted: Mapping[RecordedReview, bool] | None = None
) -> list[ReviewRow]:
    """For each judge, data set and mode, of the answers in the product's own words. lifted: of rejections that were put
    to the test, whether it was lifted; then Full has a second row as published, and Direct one where a fix was asked
    for after a no."""
    rows = []
    for group, mine in _groups([each for each in reviews if not each.wording]):
        rows.append(_row(group, VERDICT, mine, {}))
        if lifted and any(each in lifted for each in mine):
            rows.append(_row(group, FILTERED, mine, lifted))
    return rows


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the wordings of one question differ (overcorrection paper, section 8.2): the least and the greatest
    share, and the standard deviation of all; `None` where nothing was judged."""

    least: float | None
    greatest: float | None
    deviation: float | None


@dataclass(frozen=True, slots=True)
class WordingRow:
    """wordings: how many there are. flipped: programs of which they do not all say the same."""

    judge: str
    dataset: str
    mode: str
    wordings: int
    false_rejections: Spread
    false_acceptances: Spread
    flipped: Rate


def wording_rows(reviews: Sequence[RecordedReview]) -> list[WordingRow]:
    """For each judge, data set and mode that was asked in several wordings, of the programs that all of them judged."""
    rows = []
    for group, mine in _groups(reviews):
        said: dict[tuple[str, str, bool], dict[int, bool]] = {}
        for each in mine:
            said.setdefault(each.program, {})[each.wording] = each.accepts
        wordings = sorted({each.wording for each in mine})
        whole = {program: found for program, found in said.items() if len(found) == len(wordings)}
        if len(wordings) > 1:
            flipped = rate(sum(len({*found.values()}) > 1 for found in whole.values()), len(whole))
            right, wrong = ([found for one, found in whole.items() if one[2] is correct] for correct in (True, False))
            rejections = [share(sum(not found[each] for found in right), len(right)) for each in wordings]
            acceptances = [share(sum(found[each] for found in wrong), len(wrong)) for each in wordings]
            rows.append(WordingRow(*group, len(wordings), _spread(rejections), _spread(acceptances), flipped))
    return rows


@dataclass(frozen=True, slots=True)
class ModeFlips:
    """Of the programs that were judged in both modes. rejected: flips from yes to no."""

    judge: str
    dataset: str
    modes: tuple[str, str]
    flips: Flips
    rejected: int


def mode_flips(reviews: Sequence[RecordedReview]) -> list[ModeFlips]:
    """How often a judge's decisions flip from one mode to another (overcorrection paper, RQ2), of the answers in the
    product's own words."""
    groups = _groups([each for each in reviews if not each.wording])
    said = {group: {each.program: each.accepts for each in mine} for group, mine in groups}
    rows = []
    for judge, dataset in dict.fromkeys(group[:2] for group in said):
        for modes in combinations(MODES, 2):
            one, other = (said.get((judge, dataset, mode), {}) for mode in modes)
            both = [program for program in one if program in other]
            if both:
                rejected = sum(one[each] and not other[each] for each in both)
                right, right_then = [one[each] is each[2] for each in both], [other[each] is each[2] for each in both]
                rows.append(ModeFlips(judge, dataset, modes, flips(right, right_then), rejected))
    return rows


def _groups(reviews: Sequence[RecordedReview]) -> list[tuple[tuple[str, str, str], list[RecordedReview]]]:
    """By judge, data set and mode, in the paper's order."""
    groups = dict.fromkeys((each.judge, each.dataset, mode) for each in reviews for mode in MODES)
    every = [(group, [each for each in reviews if (each.judge, each.dataset, each.mode) == group]) for group in groups]
    return [(group, mine) for group, mine in every if mine]


def _spread(shares: Sequence[float | None]) -> Spread:
    known = [each for each in shares if each is not None]
    return Spread(min(known), max(known), pstdev(known)) if known else Spread(None, None, None)


def _row(
    group: tuple[str, str, str], kind: str, reviews: Sequence[RecordedReview], lifted: Mapping[RecordedReview, bool]
) -> ReviewRow:
    correct, wrong = ([each for each in reviews if each.correct is right] for right in (True, False))
    accepted = {each for each in reviews if each.accepts or lifted.get(each)}
    return ReviewRow(
        *group,
        kind,
        rate(sum(each not in accepted for each in correct), len(correct)),
        rate(sum(each in accepted for each in wrong), len(wrong)),
        _labelled([each.consistency for each in reviews], CONSISTENCY[0]),
        _labelled([each.bug for each in wrong], Awareness.MATCH),
        _labelled([each.symptom for each in wrong], Awareness.MATCH),
    )


def _labelled(labels: Sequence[str], good: str) -> Rate:
    """Of those that anybody looked at."""
    return rate(sum(label == good for label in labels), sum(bool(label) for label in labels))


def to_test(reviews: Sequence[RecordedReview], programs: Collection[Pair]) -> dict[RecordedReview, Pair]:
    """The rejections that come with a fix and whose program is known, each as a pair for the filter."""
    known = {(one.dataset, one.task, one.correct): one for one in programs}
    found = {}
    for review in reviews:
        one = known.get((_PACKS.get(review.dataset, ""), review.task, review.correct))
        if one and review.fix and not review.accepts:
            pair = Pair(one.dataset, one.task, one.original, review.fix, one.tests, one.specification, one.correct)
            found[review] = pair
    return found


def programs_of(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Each right and wrong program once, of the data sets that have both."""
    wanted = {name: dataset for dataset, name in _PACKS.items()}
    found: dict[tuple[str, str, bool], Pair] = {}
    for pair in pairs:
        if pair.dataset in wanted:
            found.setdefault((pair.dataset, pair.task, pair.correct), pair)
    return tuple(found.values())


def dataset_of(program: Pair) -> str:
    """As recorded reviews spell it."""
    return next((dataset for dataset, name in _PACKS.items() if name == program.dataset), program.dataset)


def review_of(judge: str, mode: str, program: Pair, prediction: Mapping[str, Any], wording: int = 0) -> RecordedReview:
    """A judge's answer about a program."""
    accepts, fix = prediction["label"] == "yes", prediction["fix"]
    return RecordedReview(
        judge, dataset_of(program), program.task, program.correct, mode, accepts, fix, wording=wording
    )
