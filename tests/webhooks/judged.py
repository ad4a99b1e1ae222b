"""One judged commit and one held issue, with everything a page can show."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bot.github.values import Annotation
from bot.judges.agent.code_tools import CodeCall
from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.reviews import Consistency, PatchReview, ReviewMode
from bot.judges.steps import AgentStep, Attempt, LoopEnd, Repair
from bot.pulls.result import PullResult, stored
from bot.storage.database import Database
from bot.storage.judgements import JudgementRecord
from bot.storage.repositories import Repositories, RepositoryRecord
from bot.verdicts import (
    ChecklistItem,
    Decision,
    Effect,
    Evidence,
    IssueKind,
    Item,
    PatchLabel,
    Question,
    SpecificationLabel,
    Usage,
    Verdict,
)
from bot.verification.evidence import Case, Verified
from bot.verification.patch_evidence import ExampleRuns, PatchEvidence, PatchFacts, Standing
from bot.verification.values import Difference, Ending, Generator, Observed, TestResult, TestRun, TestStatus
from tests.pulls.results import known

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
HEAD = "a" * 40


def judged(said: str = "the pot is cold", many: int = 1) -> PullResult:
    """said: every text that comes from strangers. many: how often each thing comes."""
    passed = TestRun((TestResult("test_cup", TestStatus.PASSED, "", 0.1),), 1.2)
    failed = tuple(TestResult(f"tests/test_pot.py::{said}{n}", TestStatus.FAILED, f"E   {said}") for n in range(many))
    run = TestRun((*passed.results, *failed), 1.4, limits_enforced=("wall", "memory"))
    lost = tuple(result.name for result in failed)
    claim = Claim(
        ClaimKind.WRONG_OUTPUT, said, said, Counterexample(How.CALL, f"pour({said!r})", "'hot'"), f"{said}, I guess"
    )
    review = PatchReview(
        PatchLabel.INCORRECT,
        rejects=True,
        probability=0.91,
        judge="gpt-4.1 with patch-direct/1",
        mode=ReviewMode.DIRECT,
        rationale=said,
        claims=(claim, replace(claim, kind=ClaimKind.RISK))[: 2 * many] * many,
        consistency=Consistency.CONSISTENT,
        calls=(CodeCall("read", said, said), CodeCall("search", said, refused="there is no such file")) * many,
        evidence=(Evidence("hidden_characters", Effect.HIDDEN, "Hidden text was taken out.", said, said),),
        usage=Usage(3, 4000, 500),
    )
    walked = (AgentStep(1, "cat", said, said), AgentStep(2, "test", said, said, failed=True))
    steps = (*walked, AgentStep(3, "finish", "", "")) * many
    tried = Attempt(LoopEnd.FINISHED, "It said it was done.", steps, {f"tea/{said[:40]}.py": said})
    given_up = replace(tried, ended=LoopEnd.STEPS, why="No steps were left.", files={})
    difference = Difference(
        f"pour({said!r})",
        Observed(Ending.RETURNED, said),
        Observed(Ending.RAISED, "ValueError"),
        Generator.HYPOTHESIS,
        why="The issue says so.",
        quote=said,
    )
    return PullResult(
        verdict=Verdict(
            Decision.BOUNCE,
            PatchLabel.INCORRECT,
            0.91,
            "gpt-4.1 with patch-direct/1",
            None,
            ("It breaks tests that pass without it.", "1 test broke."),
            evidence=(
                Evidence("context", Effect.NEUTRAL, "The code around the change was not looked at.", said, said),
                Evidence("already_fixed", Effect.CLEAR, "It passes at the base.", said),
            )
            * many,
        ),
        head=HEAD,
        agent="It is by sprout-agent[bot], a coding agent.",
        asked="Judged against issue 3.",
        facts=known(
            verified=Verified(
                Decision.BOUNCE,
                Case.REPAIR_SUCCESS,
                ("The fix passes where the change fails.",),
                run,
                passed,
                difference=difference,
                executor="bubblewrap",
                limits_enforced=("wall", "memory"),
                seconds=3.2,
            ),
            patch=PatchEvidence(
                Standing.IMPLAUSIBLE,
                ("1 test broke.",),
                PatchFacts(passed, run, passed),
                lost,
                repaired=lost,
                seconds=4.0,
            ),
            examples=ExampleRuns(mended=(said,)),
            review=review,
            claimed=run,
            repair=Repair((given_up, tried), chosen=1, problem=""),
        ),
        diff=(("tea/pot.py", f"@@ -4 +4 @@\n-{said}\n+{said}"), (said[:40], ""))[: 2 * many],
        annotations=(Annotation("tea/pot.py", 4, 4, "failure", said, said),) * many,
    )


def heard_of(database: Database, full_name: str = "tea-house/kettle", repo_id: int = 2**40, **known: bool) -> None:
    """The repository of the judged commits, public, as the newest delivery told of it."""
    told = RepositoryRecord(
        repo_id=repo_id, installation_id=3, full_name=full_name, private=known.get("private", False), heard_at=NOW
    )
    Repositories(database).note_from_github([told])


def judgement(told: PullResult, run_id: str = "judging:1", number: int = 7) -> JudgementRecord:
    return JudgementRecord(
        run_id=run_id,
        repo_id=2**40,
        number=number,
        installation_id=3,
        repository="tea-house/kettle",
        head=told.head,
        at=NOW,
        decision=told.verdict.decision,
        sentence=told.verdict.reasons[0],
        result=stored(told),
        annotations=told.annotations,
    )


def vague(said: str = "the pot is cold", **known: Any) -> Verdict:
    """The bounce of an issue. said: every text that comes from strangers."""
    checklist = (ChecklistItem(Item.OBSERVED, True, said), ChecklistItem(Item.STEPS, False, section=said))
    given = {
        "decision": Decision.BOUNCE,
        "label": SpecificationLabel.VAGUE,
        "probability": 0.91,
        "judge": "gpt-4.1",
        "kind": IssueKind.BUG,
        "reasons": ("The report leaves out steps to reproduce.", "It is short."),
        "checklist": checklist,
        "questions": (Question(Item.STEPS, "What do you do?", said),),
        "evidence": (Evidence("images", Effect.NEUTRAL, "It shows a picture.", said, said),),
        "reasoning": f"It says {said}.",
    }
    return Verdict(**given | known)
