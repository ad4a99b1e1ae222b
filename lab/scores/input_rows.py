"""The rows of `bouncer bench input`: one bouncer's answers beside what people said, whole and by length."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.data.answers import Answer
from lab.data.issues import AnnotatedIssue
from lab.scores.bouncer_scores import BouncerScore, bouncer_score, reference_scores
from lab.scores.counts import thirds

ALL, PARTS = "all", ("shortest third", "middle third", "longest third")


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
    for part, places in zip(PARTS, thirds([len(issue.text) for issue in issues]), strict=True):
        if places:
            rows += _of(judge, part, [issues[at] for at in places], [answers[at] for at in places])
    return rows


def _of(judge: str, part: str, issues: Sequence[AnnotatedIssue], answers: Sequence[Answer]) -> list[InputRow]:
    human, grades = [issue.human for issue in issues], [answer.grade for answer in answers]
    kinds = {"raw": [answer.raw_bounce for answer in answers], "decision": [answer.bounce for answer in answers]}
    if all(grade is None for grade in grades):
        del kinds["raw"]
    return [
        InputRow(judge, kind, part, bouncer_score(f"{judge}, {kind}", human, held, grades))
        for kind, held in kinds.items()
    ]
