"""A repository with verdicts of every kind, for its dashboard. The texts are our own."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.live.precision import Subject
from bot.storage.database import Database
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.gates import GateRecord, Gates
from bot.storage.judgements import Judgements, Rejections
from bot.storage.ledger import Act, Disagreements, Ledger
from bot.storage.overrides import Overrides
from bot.storage.subjects import SubjectRecord, Subjects
from bot.verdicts import Cause, ClaimOutcome, Decision, IssueKind, SpecificationLabel, Topic, Usage, Verdict
from tests.storage.records import DISAGREEMENT, ENTRY, OVERRIDE, REJECTION
from tests.webhooks.judged import judged, judgement

NOW = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
VAGUE = Verdict(
    Decision.BOUNCE,
    SpecificationLabel.VAGUE,
    0.9,
    "offline/1",
    IssueKind.BUG,
    ("The report leaves out steps to reproduce.",),
    ground="steps",
)
CLEAR = replace(VAGUE, decision=Decision.ACCEPT, label=SpecificationLabel.WELL_SPECIFIED, reasons=(), ground="clear")
BROKEN = Verdict(Decision.BOUNCE, None, None, "", None, ("It breaks tests that pass without it.",), ground="regression")
FINE = replace(BROKEN, decision=Decision.ACCEPT, reasons=("Nothing broke.",), ground="green")
NO_MODEL = Verdict(
    Decision.UNAVAILABLE,
    None,
    None,
    "gpt-4.1",
    IssueKind.BUG,
    ("The model does not answer.",),
    cause=Cause.OUTSIDE,
    ground="down",
)
WEAK = replace(BROKEN, reasons=("The suggested fix passes.",), ground="repair")


def filled(database: Database, repo_id: int, said: str = "") -> None:
    """said: in every text that comes from strangers."""
    ledger = Ledger(database)
    for place, (subject, number, verdict, days) in enumerate(
        (
            (Subject.ISSUE, 1, VAGUE, 40),
            (Subject.ISSUE, 1, CLEAR, 39),
            (Subject.ISSUE, 2, VAGUE, 20),
            (Subject.ISSUE, 3, CLEAR, 19),
            (Subject.ISSUE, 4, NO_MODEL, 2),
            (Subject.PULL, 7, BROKEN, 10),
            (Subject.PULL, 8, BROKEN, 9),
            (Subject.PULL, 8, FINE, 8),
            (Subject.PULL, 9, FINE, 200),
            (Subject.REVIEW, 7, WEAK, 7),
        )
    ):
        told = replace(verdict, reasons=tuple(reason + said for reason in verdict.reasons))
        entry = replace(
            ENTRY,
            **{"workflow_id": f"run:{repo_id}:{place}", "repo_id": repo_id, "number": number, "subject": subject},
            at=NOW - timedelta(days=days),
            seq=place,
            verdict=replace(told, judge=told.judge + said),
            usage=Usage(2, 1000, 100, 0.25) if subject is Subject.ISSUE else Usage(),
        )
        ledger.add(entry)
        if subject is Subject.PULL:
            kept = judgement(judged(said or "cold"), entry.workflow_id, number)
            Judgements(database).keep(replace(kept, repo_id=repo_id, at=entry.at, head="a" * 40))
    claims = ((1, Topic.BUG, "held"), (1, Topic.BUG, "refuted"), (2, Topic.BUG, "refuted"), (3, Topic.STYLE, "same"))
    for place, (remark, topic, outcome) in enumerate((*claims, (4, Topic.BUG, "no change"), (5, Topic.BUG, "held"))):
        found = replace(
            REJECTION,
            **dict.fromkeys(("run_id", "head", "sentence", "result", "place"), f"claim:{repo_id}:{place}"),
            **{"repo_id": repo_id, "repository": "tea-house/kettle"},
            at=NOW - timedelta(days=200 if remark == 5 else 7, seconds=-place),
            decision=Decision.UNAVAILABLE,
            reviewer=f"critic[bot]{said}",
            remark=remark,
            topic=topic,
            outcome=ClaimOutcome(outcome),
        )
        Rejections(database).keep(found)
    word = replace(DISAGREEMENT, workflow_id=f"word:{repo_id}", repo_id=repo_id, number=2, at=NOW - timedelta(days=18))
    Disagreements(database).add(replace(word, act=Act.LABEL_REMOVED, verdict=VAGUE))
    override = replace(OVERRIDE, id=f"override:{repo_id}", repo_id=repo_id, who=f"maintainer{said}")
    override = replace(override, reason=f"I ran it.{said}", at=NOW - timedelta(days=6), verdict=BROKEN)
    Overrides(database).add(override)
    ended = replace(override, id=f"ended:{repo_id}", number=8, ended_at=NOW, ended_by="a push")
    Overrides(database).add(ended)
    ending = EndingRecord(
        f"end:{repo_id}", repo_id, 9, EndingSort.REVERTED, "maintainer", True, NOW - timedelta(days=5)
    )
    Endings(database).add(ending)
    held = SubjectRecord(repo_id=repo_id, number=2, installation_id=3, repository="tea-house/kettle", held=True)
    Subjects(database).save(replace(held, verdict=VAGUE, retry_at=None, label="needs-clarification"))
    Subjects(database).save(replace(held, number=4, held=False, retry_at=NOW))
    gate = GateRecord(repo_id=repo_id, number=11, installation_id=3, repository="tea-house/kettle", head="d" * 40)
    Gates(database).save(replace(gate, due_at=NOW + timedelta(hours=2)))


def since(days: int) -> datetime:
    return (datetime.now(UTC) - timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0)
