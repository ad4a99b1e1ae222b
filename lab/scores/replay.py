"""What becomes of recorded labels: as they are, and once a probability and a cut were fitted on other repositories."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import truediv

from bot.judges.calibration.model_calibration import LABELS, settles
from bot.judges.openai.issues import majority_label, voters_name
from lab.data.answers import RAW_BOUNCE
from lab.data.files import TO_BE_BOUNCED, DataError
from lab.data.recorded_labels import LabelledIssue, RecordedLabels
from lab.fitting.labels import Cut, Labelled, best_cut, cut_within, decisions_by_turns, fit_labels
from lab.scores.bouncer_scores import AgreementRow, BouncerScore, agreement_rows, bouncer_score, reference_scores
from lab.scores.counts import Flips, flips_between

PUBLISHED_FALSE_BOUNCES = 0.054  # of the best published bouncer, beside which the recall is given
# name: macro-F, I-Score, recall of what should be bounced, false bounces (Table II)
PUBLISHED = {
    "claude-3.7-sonnet": (0.422, 0.209, 0.040, 0.006),
    "gpt-4.1": (0.500, 0.233, 0.129, 0.020),
    "gemma3_27b-it-q8_0": (0.399, 0.198, 0.017, 0.003),
    "o4-mini": (0.592, 0.271, 0.268, 0.054),
    "qwen3_32b-q8_0": (0.466, 0.232, 0.088, 0.013),
    "codex": (0.561, 0.258, 0.215, 0.040),
}
# name: share of people's very label, kappa of the four labels, rho (section IV-C)
PUBLISHED_AGREEMENT = {
    "claude-3.7-sonnet": (0.284, 0.03, 0.29),
    "gpt-4.1": (0.341, 0.09, 0.37),
    "o4-mini": (0.390, 0.14, 0.38),
}
_WITHIN = partial(cut_within, promise=PUBLISHED_FALSE_BOUNCES)
_CUTS: dict[str, Cut] = {"decision": best_cut, "promise": _WITHIN, "share": partial(_WITHIN, share=truediv)}
ALL, WITH_EVIDENCE = "all models", "all, with evidence"


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """kind: `raw` (its label alone), `decision` (the cut for the best macro-F), `promise` (the published share of false
    bounces is kept on other repositories by its bound) or `share` (by the plain share, as the published one is)."""

    judge: str
    kind: str
    score: BouncerScore


def replay_labels(fit: RecordedLabels, test: RecordedLabels | None) -> list[ReplayRow]:
    """Fitted on one file and measured on the other; without another, each repository by a fit on all others.

    Raises `DataError` where nothing can be learnt, or the files have no model in common."""
    measured = test or fit
    models = tuple(model for model in fit.models if model in measured.models)
    if not models:
        raise DataError(f"The files have no model in common: {', '.join(fit.models)} and {', '.join(measured.models)}.")
    rows = [
        ReplayRow(each.name, "reference", each) for each in reference_scores([one.human for one in measured.issues])
    ]
    for model in (*models, *measured.together):
        answered = [issue for issue in measured.issues if model in issue.grades]
        if answered:
            rows.append(
                _row(model, "raw", answered, [issue.grades[model] >= RAW_BOUNCE for issue in answered], (model,))
            )
            rows += _fitted(model, (model,), fit.issues, answered, test is None)
    if len(models) > 1:
        rows += _fitted(ALL, models, fit.issues, measured.issues, test is None)
    if evidence := tuple(name for name in fit.evidence if name in measured.evidence):
        rows += _fitted(WITH_EVIDENCE, models, fit.issues, measured.issues, test is None, evidence)
    return rows


def label_agreement(labels: RecordedLabels) -> list[AgreementRow]:
    """The four labels of each column beside people's."""
    judges = {
        judge: [issue.grades.get(judge) for issue in labels.issues] for judge in (*labels.models, *labels.together)
    }
    return agreement_rows([issue.human for issue in labels.issues], judges)


def label_flips(labels: RecordedLabels) -> dict[tuple[str, str], Flips]:
    """Decisions by the label alone that flip from one column to another (BouncerBench, section IV-E)."""
    right: dict[str, dict[str, bool]] = {judge: {} for judge in (*labels.models, *labels.together)}
    for issue in labels.issues:
        for judge in right.keys() & issue.grades.keys():
            right[judge][issue.id] = (issue.grades[judge] >= RAW_BOUNCE) is (issue.human >= TO_BE_BOUNCED)
    return flips_between(right)


def _fitted(
    name: str,
    models: tuple[str, ...],
    fit: Sequence[LabelledIssue],
    measured: Sequence[LabelledIssue],
    by_turns: bool,
    evidence: tuple[str, ...] = (),
) -> list[ReplayRow]:
    learnt = [_labelled(issue) for issue in fit if any(model in issue.grades for model in models)]
    try:
        if by_turns:
            cuts = decisions_by_turns(learnt, models, tuple(_CUTS.values()), evidence)
        else:
            told = fit_labels(learnt, models, evidence)
            bounce = [issue.bounce for issue in learnt]
            cuts = [
                [told.probability(_labelled(issue)) >= cut for issue in measured]
                for cut in (each(told.unseen, bounce) for each in _CUTS.values())
            ]
    except ValueError as error:
        raise DataError(f"{name}: {error}.") from None
    return [_row(name, kind, measured, held, models) for kind, held in zip(_CUTS, cuts, strict=True)]


def _row(
    judge: str, kind: str, issues: Sequence[LabelledIssue], held: Sequence[bool], models: tuple[str, ...]
) -> ReplayRow:
    given = [[issue.grades[model] for model in models if model in issue.grades] for issue in issues]
    human, grades = [issue.human for issue in issues], [sum(each) / len(each) if each else 0.0 for each in given]
    return ReplayRow(judge, kind, bouncer_score(f"{judge}, {kind}", human, held, grades))


def _labelled(issue: LabelledIssue) -> Labelled:
    return Labelled(issue.repository, issue.human >= TO_BE_BOUNCED, issue.grades, issue.evidence)


def with_vote(labels: RecordedLabels, models: Sequence[str]) -> RecordedLabels:
    """With a column `a + b` for what they say together, where all of them answered. Raises `DataError`."""
    _check(labels, models, "--vote")

    def majority(grades: Sequence[int]) -> int:
        return LABELS.index(majority_label([LABELS[grade] for grade in grades]))

    return _with(labels, voters_name(models), models, majority)


def with_cascade(labels: RecordedLabels, cheap: str, strong: str) -> tuple[RecordedLabels, float]:
    """With a column `a, then b`, and the share of issues that the cheap model settles alone. Raises `DataError`."""
    _check(labels, (cheap, strong), "--cascade")

    settled = [settles(cheap, label) for label in LABELS]
    name, models = f"{cheap}, then {strong}", (cheap, strong)
    made = _with(labels, name, models, lambda grades: grades[0] if settled[grades[0]] else grades[1])
    both = [issue for issue in labels.issues if cheap in issue.grades and strong in issue.grades]
    return made, sum(settled[issue.grades[cheap]] for issue in both) / max(1, len(both))


def _with(
    labels: RecordedLabels, name: str, models: Sequence[str], grade: Callable[[Sequence[int]], int]
) -> RecordedLabels:
    def more(issue: LabelledIssue) -> LabelledIssue:
        if any(model not in issue.grades for model in models):
            return issue
        return replace(issue, grades=issue.grades | {name: grade([issue.grades[model] for model in models])})

    return replace(labels, together=(*labels.together, name), issues=tuple(map(more, labels.issues)))


def _check(labels: RecordedLabels, models: Sequence[str], option: str) -> None:
    if len(set(models)) < 2:
        raise DataError(f"{option}: name at least two different models, separated by commas.")
    if unknown := next((model for model in models if model not in labels.models), None):
        raise DataError(f"{option}: there is no column {unknown!r}. There are {', '.join(labels.models)}.")
