"""Every judgement of a commit, and what became of each review bot's rejection that was put to the test."""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint, func, select

from bot.github.values import Annotation
from bot.storage.tables import table
from bot.storage.tokens import RunStore
from bot.verdicts import ClaimOutcome, Decision, Topic


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What came of a run on a commit. repository: `owner/name` then. sentence: the verdict's first reason. result: what
    was found, as `bot.pulls.result` writes it; empty once retention removed it."""

    run_id: str
    repo_id: int
    number: int
    installation_id: int
    repository: str
    head: str
    at: datetime
    decision: Decision
    sentence: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementRecord(RunRecord):
    """annotations: what is said beside the commit's lines."""

    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionRecord(RunRecord):
    """One claim of a review bot about the commit. reviewer: who said it. remark: the number of the line comment it
    stands in, 0 for none. place: file and lines. resolved: people closed its thread. token: of its page, once kept."""

    reviewer: str
    remark: int = 0
    place: str = ""
    topic: Topic = Topic.UNSTATED
    outcome: ClaimOutcome = ClaimOutcome.OPEN
    resolved: bool = False
    token: str = ""


@dataclass(frozen=True, slots=True)
class ClaimTally:
    """What became of a review bot's claims about a topic. ran: those that could be run; held, refuted, same: of those,
    what execution said of them. unrun: those that could not be run."""

    reviewer: str
    topic: Topic
    ran: int
    held: int
    refuted: int
    same: int
    unrun: int


judgements = table(
    "judgements",
    JudgementRecord,
    UniqueConstraint("digest", name="judgements_digest"),
    Index("judgements_head", "repo_id", "head"),
    Index("judgements_subject", "repo_id", "number"),
    primary="run_id",
    index="installation_id",
    digest=str,
    token=str,
)
rejections = table(
    "rejections",
    RejectionRecord,
    UniqueConstraint("digest", name="rejections_digest"),
    Index("rejections_subject", "repo_id", "number"),
    Index("rejections_at", "repo_id", "at"),
    primary="run_id",
    index="installation_id",
    digest=str,
)


class Judgements(RunStore[JudgementRecord], table=judgements):
    """Whoever knows a judgement's token may read its page, and finds the way to the others of the same pull request."""

    def newest(self, repo_id: int, number: int, head: str) -> datetime | None:
        """When this commit of a pull request was judged last."""
        table = judgements.c
        here = (table.repo_id == repo_id, table.number == number, table.head == head)
        found: datetime | None = self._scalar(select(func.max(table.at)).where(*here))
        return found

    def annotations(self, repo_id: int, head: str) -> tuple[Annotation, ...]:
        """What was first said beside the lines of a commit: GitHub never takes that back."""
        query = (
            select(judgements.c.annotations)
            .where(judgements.c.repo_id == repo_id, judgements.c.head == head, judgements.c.annotations != ())
            .order_by(judgements.c.at, judgements.c.run_id)
            .limit(1)
        )
        found: tuple[Annotation, ...] | None = self._scalar(query)
        return found or ()


class Rejections(RunStore[RejectionRecord], table=rejections):
    """The page of each says what became of it."""

    def newest(self, repo_id: int, number: int) -> tuple[RejectionRecord, ...]:
        """Each claim about a pull request as it was tried last, in the order in which that was."""
        here = (rejections.c.repo_id == repo_id, rejections.c.number == number)
        found = {_claim(each): each for each in self._all(*here, order=(rejections.c.at, rejections.c.run_id))}
        return tuple(found.values())

    def resolve(self, repo_id: int, number: int, remarks: Collection[int], *, resolved: bool) -> int:
        """Keep that people closed the threads of these line comments, or opened them again; how many claims that is."""
        table = rejections.c
        here = (table.repo_id == repo_id, table.number == number, table.remark.in_(remarks), table.remark != 0)
        return self._change(*here, resolved=resolved)

    def tallies(self, since: datetime, repo_ids: Collection[int] | None = None) -> tuple[ClaimTally, ...]:
        """Every claim that was tried from then on, by what became of it last."""
        table = rejections.c
        names = (table.repo_id, table.number, table.reviewer, table.remark, table.place, table.topic, table.outcome)
        query = select(*names).where(table.at >= since).order_by(table.at, table.run_id)
        if repo_ids is not None:
            query = query.where(table.repo_id.in_(repo_ids))
        last = {(row.repo_id, row.number, *_claim(row)): row for row in self._rows(query)}
        counted: defaultdict[tuple[str, Topic], Counter[ClaimOutcome]] = defaultdict(Counter)
        for row in last.values():
            counted[row.reviewer, row.topic][row.outcome] += 1
        return tuple(_tally(*key, found) for key, found in sorted(counted.items()))


def _tally(reviewer: str, topic: Topic, found: Counter[ClaimOutcome]) -> ClaimTally:
    ran = sum(many for outcome, many in found.items() if outcome.ran)
    held, refuted, same = (found[each] for each in (ClaimOutcome.HELD, ClaimOutcome.REFUTED, ClaimOutcome.SAME))
    return ClaimTally(reviewer, topic, ran, held, refuted, same, found.total() - ran)


def _claim(row: Any) -> tuple[str, int, str]:
    """What tells a claim about a pull request apart: a line comment keeps its number."""
    return row.reviewer, row.remark, "" if row.remark else row.place
