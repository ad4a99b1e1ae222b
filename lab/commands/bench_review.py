"""`bouncer bench review`: what a reviewer of whole programs gets wrong when it is asked in three ways."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.commands.confirmation import asks_model
from bot.commands.scratch import scratch
from bot.commands.shared import InputError, Refusing, json_option, own_settings
from bot.judges.code import Opinion
from bot.judges.openai import models, prompts
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import Consistency, ReviewMode
from bot.plain_text import clean
from bot.settings import Settings
from bot.verdicts import Decision
from lab.commands.bench_asking import ask_all, asking_options
from lab.commands.bench_filter import NOTHING_RAN, executor_here, try_shown
from lab.commands.bench_table import FLIP_FIGURES, FLIP_WORDS, flip_cells, percent, print_table, rate_cells
from lab.data.files import BESIDE, DataError
from lab.data.programs import Pair, read_pairs
from lab.scores.counts import draw
from lab.scores.review import (
    CONSISTENCY,
    DATASETS,
    DIRECT,
    MODES,
    PARAPHRASES,
    PUBLISHED,
    VERDICT,
    RecordedReview,
    ReviewRow,
    Spread,
    WordingRow,
    mode_flips,
    programs_of,
    read_reviews,
    review_of,
    review_rows,
    to_test,
    wording_rows,
)
from lab.scores.review_kinds import Faults, faults_of, kind_rows


@click.command("review", cls=Refusing, said="bench review", nothing=lambda _: {"rows": [], "reference": []})
@click.option(
    "--answers",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Recorded reviews, JSON Lines; without them the model is asked.",
)
@click.option(
    "--mode", "modes", multiple=True, type=click.Choice(MODES), help="Ask in this way alone; without it, in all three."
)
@click.option(
    "--paraphrased",
    type=click.IntRange(0, PARAPHRASES),
    default=0,
    show_default=True,
    help="Ask in so many other wordings too.",
)
@click.option("--filter", "filtered", is_flag=True, help="Execute the fixes of what was rejected.")
@click.option(
    "--data", type=click.Path(path_type=Path), default=BESIDE, show_default=True, help="The directory of the programs."
)
@asking_options
@json_option
def review_bench(
    answers: Path | None,
    modes: tuple[str, ...],
    paraphrased: int,
    filtered: bool,
    data: Path,
    limit: int | None,
    jobs: int,
    yes: bool,
    as_json: bool,
) -> None:
    """Say what reviews of right and wrong programs get wrong, by how the reviewer was asked.

    Direct asks for a yes or no, Explain for a reason too, Full for a fix as well. With --paraphrased each asks in other
    words too, and how far the answers differ is printed. With --filter the fix of each rejection is tried out beside
    the program: of Full as the paper does it, and of Direct where a fix was asked for after the no. A model is asked
    about the programs of HumanEvalPack and QuixBugs, which come in pairs; then the settings' evaluator says whether its
    reasons support its answers, name the fault where the data tells it, and why a right program was rejected. Exit
    status: 0 when it was measured, 2 for bad input, 3 when nothing can be run or judged here.
    """
    if answers and (modes or limit or paraphrased):
        raise InputError("With --answers nobody is asked: leave --mode, --paraphrased and --limit out.")
    ways = [(mode, wording) for mode in modes or MODES for wording in range(1 + paraphrased)]
    reviews, unjudged = (read_reviews(answers), 0) if answers else ask_reviews(data, ways, limit, jobs, yes)
    if not reviews:
        raise click.exceptions.Exit(NOTHING_RAN)
    lifted = _lifted([each for each in reviews if not each.wording], data, jobs) if filtered else None
    rows, spread, turns = review_rows(reviews, lifted), wording_rows(reviews), mode_flips(reviews)
    kinds = kind_rows(reviews, _faults(data))
    if as_json:
        documents = [{"name": f"{row.judge}, {row.mode}, {row.kind}", **asdict(row)} for row in rows]
        document = {"rows": documents, "reference": _published(), "unavailable": unjudged}
        document["wordings"] = list(map(asdict, spread))
        document["flips"] = list(map(asdict, turns))
        document["kinds"] = list(map(asdict, kinds))
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    print_table(
        ("judge", "data", "mode", "after the filter"),
        ("false rejections", "95%", "false acceptances", "95%", "consistent", "names the bug", "its symptom"),
        [*map(_cells, rows), *map(_published_cells, _published())],
    )
    click.echo(
        "\nfalse rejections: of right programs. false acceptances: of wrong ones. 95%: Wilson. The last three are\n"
        "shares of the reasons that an evaluator looked at. (paper): the overcorrection paper, Table 2."
    )
    if kinds:
        click.echo(
            "\nWrong programs that are accepted, of those with this fault; and why right ones are rejected, of those\n"
            "rejections whose reason was named.\n"
        )
        print_table(
            ("judge", "mode", "by", "kind"),
            ("of", "share", "95%"),
            [(row.judge, row.mode, row.by, row.kind, str(row.found.of), *rate_cells(row.found)) for row in kinds],
        )
    if turns:
        click.echo(f"\nDecisions of one judge in two modes. to no: of those that flip. {FLIP_WORDS}\n")
        cells = [
            (row.judge, row.dataset, " to ".join(row.modes), str(row.rejected), *flip_cells(row.flips)) for row in turns
        ]
        print_table(("judge", "data", "modes"), ("to no", *FLIP_FIGURES), cells)
    if spread:
        click.echo(
            "\nHow far wordings of one question differ: least and greatest share, standard deviation in points.\n"
        )
        print_table(
            ("judge", "data", "mode", "wordings"),
            ("false rejections", "deviation", "false acceptances", "deviation", "answers that flip", "95%"),
            [_spread_cells(row) for row in spread],
        )
    if unjudged:
        click.echo(f"{unjudged} questions got no answer and are left out.")


def _faults(data: Path) -> Faults:
    """None where the programs are not there."""
    try:
        return faults_of(read_pairs(data))
    except DataError:
        return {}


def _lifted(reviews: Sequence[RecordedReview], data: Path, jobs: int) -> dict[RecordedReview, bool]:
    """Which rejections the filter lifts. Raises `InputError` where there is none to try."""
    click.get_current_context().with_resource(scratch("Stopped. Reviews are kept; fixes are tried out anew."))
    executor = executor_here("bench review")
    pairs = to_test(reviews, read_pairs(data))
    if not pairs:
        raise InputError("no rejection has a fix whose program is in the data: HumanEval and QuixBugs, by their task.")
    tried = try_shown(executor, list(pairs.values()), jobs)
    return {review: one.decision is Decision.ACCEPT for review, one in zip(pairs, tried, strict=True)}


def _cells(row: ReviewRow) -> tuple[str, ...]:
    shares = (row.consistent, row.bug, row.symptom)
    return (
        row.judge,
        row.dataset,
        row.mode,
        "" if row.kind == VERDICT else "yes",
        *rate_cells(row.false_rejections),
        *rate_cells(row.false_acceptances),
        *(percent(each.share) for each in shares),
    )


def _spread_cells(row: WordingRow) -> tuple[str, ...]:
    def cells(spread: Spread) -> tuple[str, str]:
        far = "-" if spread.deviation is None else f"{100 * spread.deviation:.1f}"
        return f"{percent(spread.least)} to {percent(spread.greatest)}", far

    wrong = (*cells(row.false_rejections), *cells(row.false_acceptances))
    return row.judge, row.dataset, row.mode, str(row.wordings), *wrong, *rate_cells(row.flipped)


def _published() -> list[dict[str, Any]]:
    return [
        {
            "source": "overcorrection paper, Table 2",
            "judge": judge,
            "dataset": dataset,
            "mode": mode,
            "false_acceptances": shares[2 * place] / 100,
            "false_rejections": shares[2 * place + 1] / 100,
        }
        for judge, modes in PUBLISHED.items()
        for place, dataset in enumerate(DATASETS)
        for mode, shares in modes.items()
    ]


def _published_cells(row: dict[str, Any]) -> tuple[str, ...]:
    shares = (percent(row["false_rejections"]), "", percent(row["false_acceptances"]), "", "", "", "")
    return f"{row['judge']} (paper)", row["dataset"], row["mode"], "", *shares


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


def ask_reviews(
    data: Path, ways: Sequence[tuple[str, int]], limit: int | None, jobs: int, yes: bool
) -> tuple[tuple[RecordedReview, ...], int]:
    """The model's answers about each program, and how many it could not give. ways: modes, each with a wording. Raises
    `InputError`."""
    settings = own_settings()
    if not asks_model(settings):
        raise InputError("the offline judge reads no programs. Set BOUNCER_JUDGE=openai, or name --answers FILE.")
    from bot.judges.openai.questions import AFTER_A_NO
    from lab.models.programs import OpenAIProgramJudge  # the SDK takes most of a second

    programs = {
        f"{each.dataset}/{each.task}/{'right' if each.correct else 'wrong'}": each
        for each in draw(programs_of(read_pairs(data)), limit)
    }
    reviews: list[_Reasoned] = []
    spend = None
    for mode, wording in ways:
        spend = MemorySpend(before=spend)
        judge = OpenAIProgramJudge(settings, spend, ReviewMode(mode.lower()), wording=wording)
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
            _Reasoned(review_of(settings.model, mode, programs[name], each, wording), each["rationale"], programs[name])
            for name, each in found.items()
            if each["label"] != Decision.UNAVAILABLE
        ]
    looked_at = _looked_at(models.evaluator(settings), reviews, spend, jobs, yes)
    return looked_at, len(ways) * len(programs) - len(reviews)


def _prediction(answer: "ProgramReview | NoJudgement") -> dict[str, Any]:
    if isinstance(answer, NoJudgement):
        return _unavailable(answer)
    return {"label": answer.verdict.value, "rationale": answer.rationale, "fix": answer.fix}


def _looked_at(
    settings: Settings, reviews: Sequence[_Reasoned], spend: MemorySpend | None, jobs: int, yes: bool
) -> tuple[RecordedReview, ...]:
    """The reviews with what the evaluator makes of their reasons; without its word where it gives none, and where they
    were asked for in other words.

    settings: the evaluator's. Whether a reason names the fault is asked where the data set says what the fault is.
    """
    from bot.judges.openai.questions import OpenAIEvaluator, OpenAIRejectionNamer
    from lab.models.programs import OpenAIFaultEvaluator

    def ask(make: Any, what: str, some: Mapping[str, _Reasoned], texts: Any, answer: Any) -> dict[str, dict[str, Any]]:
        """What the evaluator says of each, where it says anything."""
        nonlocal spend
        spend = MemorySpend(before=spend)
        evaluator = make(settings, spend)

        def predict(one: _Reasoned) -> dict[str, Any]:
            found = (evaluator.named if make is OpenAIRejectionNamer else evaluator.evaluate)(*texts(one))
            return _unavailable(found) if isinstance(found, NoJudgement) else answer(found)

        if not some:
            return {}
        found = ask_all((settings,), evaluator.name, what, some, predict, texts, spend, jobs=jobs, yes=yes)
        return {name: each for name, each in found.items() if each["label"] != Decision.UNAVAILABLE}

    asked = [(str(place), each) for place, each in enumerate(reviews) if not each.review.wording]
    reasoned = {place: each for place, each in asked if each.rationale}
    labelled = {name: each for name, each in reasoned.items() if each.program.bug and each.program.symptom}
    consistent = ask(
        OpenAIEvaluator,
        "consistency",
        reasoned,
        lambda one: (one.verdict, one.rationale),
        lambda found: {"label": _recorded(found.answer)},
    )
    aware = ask(
        OpenAIFaultEvaluator,
        "fault",
        labelled,
        lambda one: (one.verdict, one.rationale, one.program.bug, one.program.symptom),
        lambda found: {"label": found.bug.value, "bug": found.bug.value, "symptom": found.symptom.value},
    )
    refuted = {name: each for name, each in reasoned.items() if each.program.correct and not each.review.accepts}
    reasons = ask(
        OpenAIRejectionNamer,
        "reason",
        refuted,
        lambda one: (one.program.specification, one.rationale),
        lambda found: {"label": found.rejection.value},
    )
    looked_at = []
    for place, each in enumerate(reviews):
        fault = aware.get(str(place), {})
        consistency = consistent.get(str(place), {}).get("label", "")
        bug, symptom = fault.get("bug", ""), fault.get("symptom", "")
        reason = reasons.get(str(place), {}).get("label", "")
        looked_at.append(replace(each.review, consistency=consistency, bug=bug, symptom=symptom, reason=reason))
    return tuple(looked_at)


def _recorded(consistency: Consistency) -> str:
    """As recorded reviews spell it: the paper does not tell the two directions of a contradiction apart."""
    return consistency.value if consistency.value in CONSISTENCY else _CONTRADICTION


def _unavailable(answer: NoJudgement) -> dict[str, Any]:
    return {"label": Decision.UNAVAILABLE.value, "trace": clean(answer.reason)}
