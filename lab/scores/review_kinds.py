"""Where a reviewer goes wrong: which faults it lets pass, and for what reasons it rejects right programs
(overcorrection paper, RQ3, sections 4.2 and 5.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.data.programs import Pair
from lab.scores.counts import Rate, rate
from lab.scores.review import RecordedReview, dataset_of

REASON = "reason"
_FAULT = ("bug type", "symptom")
Faults = Mapping[tuple[str, str], tuple[str, str]]  # (data set, task): the labels of the wrong program's fault


@dataclass(frozen=True, slots=True)
class KindRow:
    """by: `bug type` or `symptom`: of the wrong programs with this label, those that are accepted. `reason`: of the
    right programs that are rejected for a reason that somebody named, those for this one."""

    judge: str
    mode: str
    by: str
    kind: str
    found: Rate


def faults_of(pairs: Sequence[Pair]) -> dict[tuple[str, str], tuple[str, str]]:
    """What is wrong with each wrong program of the data sets that say so."""
    return {(dataset_of(pair), pair.task): (pair.bug, pair.symptom) for pair in pairs if pair.bug and pair.symptom}


def kind_rows(reviews: Sequence[RecordedReview], faults: Faults) -> list[KindRow]:
    """For each judge and mode, over all data sets, the most frequent kind first; of the answers in the product's own
    words."""
    own = [one for one in reviews if not one.wording]
    named = [one for one in own if one.correct and not one.accepts and one.reason]
    found: dict[tuple[str, str, str, str], list[bool]] = {}
    for one in own:
        labels = () if one.correct else faults.get((one.dataset, one.task), ())
        for by, kind in zip(_FAULT, labels, strict=False):
            found.setdefault((one.judge, one.mode, by, kind), []).append(one.accepts)
    for one in named:
        for reason in {each.reason for each in named if (each.judge, each.mode) == (one.judge, one.mode)}:
            found.setdefault((one.judge, one.mode, REASON, reason), []).append(one.reason == reason)
    rows = [KindRow(*key, rate(sum(those), len(those))) for key, those in found.items()]
    return sorted(rows, key=lambda row: (row.judge, row.mode, row.by, -row.found.of, -row.found.count, row.kind))
