"""How good decisions to bounce issues are, beside what people said: BouncerBench (section II-B), and two more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.scores.counts import Counts, grade_rho

TO_BE_BOUNCED = 2  # from this human label on (BouncerBench, section II-A)
_MIDDLE = 1.5  # between the labels that are to be accepted and those that are to be bounced


@dataclass(frozen=True, slots=True)
class BouncerScore:
    """macro_f: mean of the F-measures of bouncing and accepting, 0 to 1. i_score: -1 to 1. recall_bounce: the share of
    what is to be bounced that is; false_bounce: the share of the rest that is bounced as well. kappa: Cohen's, of the
    decision. rho: Spearman's, of the judge's grade and the human label. `None` where there is nothing to divide by."""

    name: str
    issues: int
    bounced: int
    macro_f: float | None
    i_score: float
    recall_bounce: float | None
    false_bounce: float | None
    kappa: float | None
    rho: float | None


def bouncer_score(
    name: str, human: Sequence[int], bounces: Sequence[bool], grades: Sequence[float | None] | None = None
) -> BouncerScore:
    """human: labels 0 (clear) to 3 (says nothing). bounces: the decisions, in the same order. grades: what the judge
    said before anybody decided, higher for worse, `None` where it said nothing; without them the decisions are
    compared. Raises `ValueError` for no issue, or numbers that do not fit."""
    counts = Counts.of([label >= TO_BE_BOUNCED for label in human], bounces)
    signed = sum(label - _MIDDLE if held else _MIDDLE - label for held, label in zip(bounces, human, strict=True))
    return BouncerScore(
        name,
        counts.total,
        counts.caught + counts.false,
        counts.macro_f,
        2 / 3 * signed / counts.total,
        counts.recall_bounce,
        counts.false_bounce,
        counts.kappa,
        grade_rho(grades if grades is not None else [float(held) for held in bounces], human),
    )


def reference_scores(human: Sequence[int]) -> list[BouncerScore]:
    """What no bouncer at all, one that lets nothing through, and a perfect one get on the same issues."""
    rules: dict[str, Callable[[int], bool]] = {
        "accept all": lambda _: False,
        "bounce all": lambda _: True,
        "perfect": lambda label: label >= TO_BE_BOUNCED,
    }
    return [bouncer_score(name, human, [rule(label) for label in human]) for name, rule in rules.items()]
