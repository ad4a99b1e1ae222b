"""What `bouncer bench review` asks: a model for its reviews of programs, and the evaluator what their reasons say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.confirmation import asks_model
from bot.commands.shared import InputError, own_settings
from bot.judges.code import Opinion
from bot.judges.openai import models, prompts
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import Consistency, ReviewMode
from bot.plain_text import clean
from bot.settings import Settings
from bot.verdicts import Decision
from lab.commands.bench_asking import ask_all
from lab.data.programs import Pair, read_pairs
from lab.scores.draws import drawn
from lab.scores.review import CONSISTENCY, DIRECT, RecordedReview, programs_of, review_of

if TYPE_CHECKING:
    from lab.models.programs import ProgramReview

_CONTRADICTION = CONSISTENCY[1]


@dataclass(frozen=True, slots=True)
class _Reasoned:
    """A review with the reason it gave, and the program it is about."""

    review: RecordedReview
    rationale: str
    program: Pair

    @property
    def verdict(self) -> Opinion:
        return Opinion.YES if self.review.accepts else Opinion.NO


def asked_reviews(
    data: Path, modes: Sequence[str], limit: int | None, jobs: int, yes: bool
) -> tuple[tuple[RecordedReview, ...], int]:
    """The model's answers about each program, and how many it could not give. Raises `InputError`."""
    settings = own_settings()
    if not asks_model(settings):
        raise InputError("the offline judge reads no programs. Set BOUNCER_JUDGE=openai, or name --answers FILE.")
    from bot.judges.openai.code import AFTER_A_NO
    from lab.models.programs import OpenAIProgramJudge  # the SDK takes most of a second

    programs = {
        f"{each.dataset}/{each.task}/{'right' if each.correct else 'wrong'}": each
        for each in drawn(programs_of(read_pairs(data)), limit)
    }
    reviews: list[_Reasoned] = []
    spend = None
    for mode in modes:
        spend = MemorySpend(before=spend)
        judge = OpenAIProgramJudge(settings, spend, ReviewMode(mode.lower()))
        found = ask_all(
            (settings,),
            judge.name,
            f"{mode}, {prompts.load(AFTER_A_NO).digest}" if mode == DIRECT else mode,
            programs,
            lambda one, judge=judge: _prediction(judge.review(one.specification, one.original)),  # type: ignore[misc]
            lambda one: (one.specification, one.original),
            spend,
            jobs=jobs,
            yes=yes,
        )
        reviews += [
            _Reasoned(review_of(settings.model, mode, programs[name], each), each["rationale"], programs[name])
            for name, each in found.items()
            if each["label"] != Decision.UNAVAILABLE
        ]
    looked_at = _looked_at(models.evaluator(settings), reviews, spend, jobs, yes)
    return looked_at, len(modes) * len(programs) - len(reviews)


def _prediction(answer: "ProgramReview | NoJudgement") -> dict[str, Any]:
    if isinstance(answer, NoJudgement):
        return _unavailable(answer)
    return {"label": answer.verdict.value, "rationale": answer.rationale, "fix": answer.fix}


def _looked_at(
    settings: Settings, reviews: Sequence[_Reasoned], spend: MemorySpend | None, jobs: int, yes: bool
) -> tuple[RecordedReview, ...]:
    """The reviews with what the evaluator makes of their reasons; without its word where it gives none.

    settings: the evaluator's. Whether a reason names the fault is asked where the data set says what the fault is.
    """
    reasoned = {str(place): each for place, each in enumerate(reviews) if each.rationale}
    labelled = {name: each for name, each in reasoned.items() if each.program.bug and each.program.symptom}
    spend = MemorySpend(before=spend)
    consistent = _consistency(settings, reasoned, spend, jobs, yes) if reasoned else {}
    spend = MemorySpend(before=spend)
    aware = _awareness(settings, labelled, spend, jobs, yes) if labelled else {}
    found = []
    for place, each in enumerate(reviews):
        bug, symptom = aware.get(str(place), ("", ""))
        consistency = consistent.get(str(place), "")
        found.append(replace(each.review, consistency=consistency, bug=bug, symptom=symptom))
    return tuple(found)


def _consistency(
    settings: Settings, reviews: Mapping[str, _Reasoned], spend: MemorySpend, jobs: int, yes: bool
) -> dict[str, str]:
    from bot.judges.openai.evaluator import OpenAIEvaluator

    evaluator = OpenAIEvaluator(settings, spend)

    def ask(one: _Reasoned) -> dict[str, Any]:
        found = evaluator.evaluate(one.verdict, one.rationale)
        return _unavailable(found) if isinstance(found, NoJudgement) else {"label": _recorded(found.consistency)}

    def texts(one: _Reasoned) -> tuple[str, ...]:
        return one.verdict, one.rationale

    found = ask_all((settings,), evaluator.name, "consistency", reviews, ask, texts, spend, jobs=jobs, yes=yes)
    return {name: each["label"] for name, each in found.items() if each["label"] != Decision.UNAVAILABLE}


def _recorded(consistency: Consistency) -> str:
    """As recorded reviews spell it: the paper does not tell the two directions of a contradiction apart."""
    return consistency.value if consistency.value in CONSISTENCY else _CONTRADICTION


def _awareness(
    settings: Settings, reviews: Mapping[str, _Reasoned], spend: MemorySpend, jobs: int, yes: bool
) -> dict[str, tuple[str, str]]:
    from lab.models.faults import OpenAIFaultEvaluator

    evaluator = OpenAIFaultEvaluator(settings, spend)

    def ask(one: _Reasoned) -> dict[str, Any]:
        found = evaluator.evaluate(one.verdict, one.rationale, one.program.bug, one.program.symptom)
        if isinstance(found, NoJudgement):
            return _unavailable(found)
        return {"label": one.verdict.value, "bug": found.bug.value, "symptom": found.symptom.value}

    def texts(one: _Reasoned) -> tuple[str, ...]:
        return one.verdict, one.rationale, one.program.bug, one.program.symptom

    found = ask_all((settings,), evaluator.name, "fault", reviews, ask, texts, spend, jobs=jobs, yes=yes)
    return {name: (each["bug"], each["symptom"]) for name, each in found.items() if "bug" in each}


def _unavailable(answer: NoJudgement) -> dict[str, Any]:
    return {"label": Decision.UNAVAILABLE.value, "trace": clean(answer.reason)}
