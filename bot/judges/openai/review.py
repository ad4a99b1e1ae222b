"""The model reviewer of patches: a question, a check of its rationale, and after a no what is said to be wrong.

1. Where the code may be looked at, things are looked up first (`OpenAIContext`).
2. The mode's question (`OpenAIPatchJudge`). In mode `agentic` these two are one walk through the code (`OpenAIAgent`);
   where there is no code, the direct question is asked.
3. A rationale goes to the separate evaluator (`OpenAIEvaluator`). One that does not say what its verdict says ends the
   review there: it counts as none.
4. A no must show what it means: the requirement quoted, a counterexample that could be tried, a neutral kind
   (overcorrection paper, section 5.3). After a bare verdict these claims are its rationale, and are checked as one.
"""

from dataclasses import replace
from typing import Any

from pydantic import BaseModel, StrictStr

from bot.judges.agent.code_tools import CodeReader
from bot.judges.answer import in_shape, read_as
from bot.judges.claims import Claim, ClaimKind, claim
from bot.judges.code import Opinion
from bot.judges.fence import apparent
from bot.judges.openai import models
from bot.judges.openai.agent import OpenAIAgent
from bot.judges.openai.asking import Asker
from bot.judges.openai.context import LookupOutcome, OpenAIContext
from bot.judges.openai.patch_texts import BUDGETS, PatchTexts, patch_texts
from bot.judges.openai.patches import FirstAnswer, OpenAIPatchJudge
from bot.judges.openai.questions import OpenAIEvaluator
from bot.judges.openai.spend import Spend
from bot.judges.patches import PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import Consistency, PatchReview, ReviewMode
from bot.settings import Settings
from bot.verdicts import Effect, Evidence, PatchLabel, Usage

MAX_CLAIMS = 3

# A no that means one of these is a change that leaves something out, or does something beside it.
_BROAD = frozenset({ClaimKind.MISSING_REQUIREMENT, ClaimKind.INCOMPLETE, ClaimKind.UNRELATED_CHANGE})


class _Claims(BaseModel):
    claims: list[Any]


class _Claim(BaseModel):
    quote: StrictStr
    symptom: StrictStr
    kind: ClaimKind
    how: StrictStr
    what: StrictStr
    expected: StrictStr
    guess: StrictStr


class OpenAIPatchReviewer:
    """A `PatchReviewer`. One for each process; safe for threads; never raises."""

    looks = True

    def __init__(self, settings: Settings, spend: Spend, mode: ReviewMode = ReviewMode.DIRECT, **options: Any) -> None:
        self._agent = OpenAIAgent(settings, spend, **options) if mode is ReviewMode.AGENTIC else None
        self._judge = OpenAIPatchJudge(settings, spend, ReviewMode.DIRECT if self._agent else mode, **options)
        self._context = OpenAIContext(settings, spend, **options)
        self._evaluator = OpenAIEvaluator(models.evaluator(settings), spend, **options)
        self._claims = Asker("patch-claims", BUDGETS, settings, spend, **options)

    @property
    def name(self) -> str:
        return (self._agent or self._judge).name

    def review(self, subject: PatchSubject, code: CodeReader | None = None) -> PatchReview | NoJudgement:
        """As the module says. A question without an answer makes it all `NoJudgement`; looking things up may fail."""
        texts = patch_texts(subject)
        if isinstance(texts, str):
            return NoJudgement(self.name, texts, False)
        agent = self._agent
        begun = _walked(agent, subject, texts, code) if agent and code else self._asked(texts, code)
        if isinstance(begun, NoJudgement):
            return begun
        review, texts = begun
        if review.rationale:
            checked = self._checked(review, review.rationale)
            if isinstance(checked, NoJudgement) or not checked.consistent:
                return checked
            review = checked
        return self._shown(review, texts) if review.rejects else review

    def _asked(self, texts: PatchTexts, code: CodeReader | None) -> tuple[PatchReview, PatchTexts] | NoJudgement:
        """The review as one question begins it, and the texts with what was looked up for it."""
        looked = self._context.look(texts, code) if code else LookupOutcome()
        texts = _with_context(texts, looked)
        first = self._judge.first(texts)
        if isinstance(first, NoJudgement):
            return _after(looked.usage, first)
        review = _begun(first.answer, texts, looked, self._judge.name, self._judge.mode)
        return replace(review, usage=review.usage + first.usage), texts

    def _checked(self, review: PatchReview, rationale: str) -> PatchReview | NoJudgement:
        """The review with what the evaluator says."""
        verdict = Opinion.NO if review.rejects else Opinion.YES
        evaluated = self._evaluator.evaluate(verdict, rationale)
        if isinstance(evaluated, NoJudgement):
            return _after(review.usage, evaluated)
        usage = review.usage + evaluated.usage
        return replace(review, consistency=evaluated.answer, usage=usage)

    def _shown(self, review: PatchReview, texts: PatchTexts) -> PatchReview | NoJudgement:
        """A rejection with its claims. A bare no that names nothing after all argues for the change."""
        answered = self._claims.ask(lambda text: read_claims(text, texts.issue), **texts.texts)
        if isinstance(answered, NoJudgement):
            return _after(review.usage, answered)
        claims = answered.answer
        review = replace(review, claims=claims, label=_label(review, claims), usage=review.usage + answered.usage)
        if review.consistency is not None:
            return review
        if not claims:
            return replace(review, consistency=Consistency.NO_BUT_POSITIVE)
        return self._checked(review, "\n".join(f"{claim.symptom} {claim.guess}".strip() for claim in claims))


def read_claims(text: str, issue: str) -> tuple[Claim, ...]:
    """The usable claims, confirmed ones first. Raises BadAnswer."""
    found: list[Claim] = []
    for said in in_shape(_Claim, read_as(_Claims, text).claims[:MAX_CLAIMS]):
        if made := claim(**said.model_dump(), issue=issue):
            found.append(made)
    return tuple(sorted(found, key=lambda claim: not claim.confirmed))


def _walked(
    agent: OpenAIAgent, subject: PatchSubject, texts: PatchTexts, code: CodeReader
) -> tuple[PatchReview, PatchTexts] | NoJudgement:
    """As `_asked`, begun by a walk through the code."""
    first = agent.first(subject, code)
    if isinstance(first, NoJudgement):
        return first
    answer, looked = first
    texts = _with_context(texts, looked)
    return _begun(answer, texts, looked, agent.name, ReviewMode.AGENTIC), texts


def _begun(answer: FirstAnswer, texts: PatchTexts, looked: LookupOutcome, judge: str, mode: ReviewMode) -> PatchReview:
    evidence = (*texts.evidence, *_not_looked(looked))
    return replace(answer.review(judge, mode, looked.usage), calls=looked.calls, evidence=evidence)


def _label(review: PatchReview, claims: tuple[Claim, ...]) -> PatchLabel:
    if review.mode is ReviewMode.LABEL or not claims:
        return review.label
    return PatchLabel.BROAD_MISSING_KEY_ASPECTS if claims[0].kind in _BROAD else PatchLabel.INCORRECT


def _with_context(texts: PatchTexts, looked: LookupOutcome) -> PatchTexts:
    if not looked.context:
        return texts
    return replace(texts, context="\n\n".join(part for part in (texts.context, apparent(looked.context)) if part))


def _not_looked(looked: LookupOutcome) -> tuple[Evidence, ...]:
    if not looked.problem:
        return ()
    found = f"The code around the change was not looked at whole: {looked.problem}."
    return (Evidence("context", Effect.NEUTRAL, found),)


def _after(usage: Usage, problem: NoJudgement) -> NoJudgement:
    return replace(problem, usage=usage + problem.usage)
