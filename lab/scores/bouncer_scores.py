"""How good decisions to bounce issues are, beside what people said: BouncerBench (section II-B), and two more; and the
rows of `bouncer bench input`, whole and by length."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lab.data.answers import Answer, bounces_by_kind
from lab.data.files import TO_BE_BOUNCED
from lab.data.issues import AnnotatedIssue
from lab.scores.counts import Counts, Rate, grade_rho, kappa, rate, thirds

ALL = "all"
PEOPLE = "people"
_LABELS = range(4)
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


@dataclass(frozen=True, slots=True)
class InputRow:
    """kind: `raw` (its label alone, bounced from `VAGUE` on), `decision` or `reference`. part: of which issues."""

    judge: str
    kind: str
    part: str
    score: BouncerScore


def input_rows(judge: str, issues: Sequence[AnnotatedIssue], answers: Sequence[Answer]) -> list[InputRow]:
    """Accept all, bounce all and perfect, then the bouncer on all issues and on thirds by the length of their text."""
    rows = [InputRow(each.name, "reference", ALL, each) for each in reference_scores([one.human for one in issues])]
    rows += _of(judge, ALL, issues, answers)
    for part, places in thirds([len(issue.text) for issue in issues]).items():
        rows += _of(judge, part, [issues[at] for at in places], [answers[at] for at in places])
    return rows


def _of(judge: str, part: str, issues: Sequence[AnnotatedIssue], answers: Sequence[Answer]) -> list[InputRow]:
    human, grades = [issue.human for issue in issues], [answer.grade for answer in answers]
    return [
        InputRow(judge, kind, part, bouncer_score(f"{judge}, {kind}", human, held, grades))
        for kind, held in bounces_by_kind(answers).items()
    ]


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """A judge's four labels beside people's (BouncerBench, section IV-C). labels: how many issues got each, from best
    to worst. same: those that got people's very label. kappa: Cohen's, of the four labels. rho: Spearman's. The last
    three are `None` of people themselves."""

    judge: str
    labels: tuple[int, ...]
    same: Rate | None = None
    kappa: float | None = None
    rho: float | None = None


def agreement_rows(human: Sequence[int], judges: Mapping[str, Sequence[int | None]]) -> list[AgreementRow]:
    """People's labels, and those of each judge that gives any, of the issues that it gave one."""
    rows = [AgreementRow(PEOPLE, _distribution(human))]
    for judge, grades in judges.items():
        known = [(one, grade) for one, grade in zip(human, grades, strict=True) if grade is not None]
        rows += [_agreement(judge, *zip(*known, strict=True))] if known else []
    return rows


def _agreement(judge: str, human: Sequence[int], grades: Sequence[int]) -> AgreementRow:
    pairs = Counter(zip(human, grades, strict=True))
    same = rate(sum(pairs[label, label] for label in _LABELS), len(human))
    return AgreementRow(judge, _distribution(grades), same, kappa(pairs), grade_rho(grades, human))


def _distribution(grades: Sequence[int]) -> tuple[int, ...]:
    return tuple(grades.count(label) for label in _LABELS)
