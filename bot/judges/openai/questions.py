"""The model as test writer, blind judge, reviewer, evaluator, namer of rejections and writer of reproductions.

Each asks with a prompt of its own; none ever raises.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pydantic import BaseModel, StrictBool, StrictStr

from bot.judges.answer import BadAnswer, in_shape, read_as, verbatim
from bot.judges.code import CodeReview, Demand, DraftTests, Interface, Opinion, Shows, Sketch, Sketched, SpecTest
from bot.judges.fence import apparent, encodable, stripped
from bot.judges.openai.asking import Asker, OneQuestion, why_too_long
from bot.judges.openai.patch_texts import ISSUE
from bot.judges.openai.spend import Spend
from bot.judges.patches import NamedRejection, Rejection
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import Consistency
from bot.settings import Settings
from bot.verdicts import Usage

# Characters. A requirement or a line of code that was cut out would turn a right answer into a wrong one, so what is
# longer is not asked about; only the list of failed tests may be shortened.
SPECIFICATION = 24_000
INTERFACE = 8_000
CALL = 4_000
PROGRAM = 40_000
FAILED_TESTS = 6_000
MAX_TESTS = 40  # of one answer that are looked at
MAX_SKETCHES = 4  # the same
RATIONALE = 6_000  # characters that are read
PACKAGE = 200  # characters

AFTER_A_NO = "review-fix"  # the prompt that asks for a fix
BUDGETS = {
    "specification": SPECIFICATION,
    "interface": INTERFACE,
    "call": CALL,
    "program": PROGRAM,
    "failed_tests": FAILED_TESTS,
}

_CONTRADICTS = {Consistency.NO_BUT_POSITIVE: Opinion.NO, Consistency.YES_BUT_NEGATIVE: Opinion.YES}


class _Test(BaseModel):
    clause: StrictStr
    call: StrictStr
    expected: StrictStr

    def test(self) -> SpecTest:
        return SpecTest(self.clause, self.call, self.expected)


class _Tests(BaseModel):
    tests: list[Any]


class _Demand(BaseModel):
    settled: StrictBool
    clause: StrictStr
    expected: StrictStr


class _Verdict(BaseModel):
    verdict: Opinion


class _Fix(_Test):
    fix: StrictStr


class _Consistency(BaseModel):
    quote: StrictStr
    label: Consistency


class _Category(BaseModel):
    category: Rejection


class _Sketch(BaseModel):
    clause: StrictStr
    code: StrictStr
    shows: Shows
    exception: StrictStr


class _Sketches(BaseModel):
    reproductions: list[Any]


class _OfCode(OneQuestion):
    """A question about code, whose texts must fit whole."""

    budgets = BUDGETS

    def _too_long(self, texts: dict[str, str]) -> NoJudgement | None:
        why = why_too_long(texts, BUDGETS)
        return NoJudgement(self.name, why, False) if why else None


class OpenAITestWriter(_OfCode):
    """A `TestWriter`."""

    prompt = "specification-tests"

    def write(self, specification: str, interface: Interface) -> DraftTests | NoJudgement:
        """One question. A test of the answer that is not in shape is left out."""
        texts = {"specification": apparent(specification), "interface": apparent(str(interface))}
        if problem := self._too_long(texts):
            return problem
        answered = self.ask(lambda text: read_as(_Tests, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        tests = in_shape(_Test, answered.answer.tests[:MAX_TESTS])
        return DraftTests(tuple(each.test() for each in tests), self.name, answered.usage)


class OpenAIBlindJudge(_OfCode):
    """A `BlindJudge`."""

    prompt = "blind-demand"

    def demands(self, specification: str, interface: Interface, call: str) -> Demand | NoJudgement:
        """One question."""
        asked = {"specification": specification, "interface": str(interface), "call": call}
        texts = {name: apparent(text) for name, text in asked.items()}
        if problem := self._too_long(texts):
            return problem
        answered = self.ask(lambda text: read_as(_Demand, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        said = answered.answer
        test = SpecTest(said.clause, call, said.expected) if said.settled else None
        return Demand(test, self.name, answered.usage)


class OpenAIReviewer(_OfCode):
    """A `Reviewer`. The bare verdict comes first: asking for a fix in the same breath makes models reject correct code
    (overcorrection paper, section 7.1). Only a no is asked for its counterexample and fix, to be executed.
    """

    prompt = "review-verdict"

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        super().__init__(settings, spend, **options)
        self._fix = Asker(AFTER_A_NO, BUDGETS, settings, spend, **options)

    def review(self, specification: str, source: str, failed_tests: tuple[str, ...]) -> CodeReview | NoJudgement:
        """One question, and a second after a no. When the second is not answered the review is `NoJudgement`."""
        texts = {"specification": apparent(specification), "program": apparent(source)}
        if problem := self._too_long(texts):
            return problem
        texts["failed_tests"] = apparent("\n".join(failed_tests)) or "none"
        verdict = self.ask(lambda text: read_as(_Verdict, text), **texts)
        if isinstance(verdict, NoJudgement):
            return verdict
        if verdict.answer.verdict is Opinion.YES:
            return CodeReview(Opinion.YES, self.name, usage=verdict.usage)
        shown = self._fix.ask(lambda text: read_as(_Fix, text), **texts)
        if isinstance(shown, NoJudgement):
            return replace(shown, usage=verdict.usage + shown.usage)
        said = shown.answer
        return CodeReview(
            Opinion.NO,
            self.name,
            fix=encodable(said.fix) if said.fix.strip() else None,
            counterexample=said.test() if said.call.strip() else None,
            usage=verdict.usage + shown.usage,
        )


@dataclass(frozen=True, slots=True)
class Evaluated:
    """quote: the words of the rationale that settle it; empty where those given are not in it. Untrusted."""

    consistency: Consistency
    quote: str
    judge: str
    usage: Usage = Usage()


class OpenAIEvaluator(OneQuestion):
    """The separate evaluator: does a rationale say what its verdict says? It sees neither the issue nor the change.

    Overcorrection paper, section 4.3 (A1): the evaluator checks verdict and rationale against each other and never
    whether the verdict is right. What it calls unclear counts as inconsistent too (section 6.1).
    """

    prompt = "patch-consistency"
    budgets: ClassVar = {"verdict": len("yes"), "rationale": RATIONALE}

    def evaluate(self, verdict: Opinion, rationale: str) -> Evaluated | NoJudgement:
        """An empty rationale is unclear without asking."""
        if not rationale.strip():
            return Evaluated(Consistency.UNCLEAR, "", self.name)
        shown = apparent(rationale)
        answered = self.ask(lambda text: _consistency(verdict, text), verdict=verdict.value, rationale=shown)
        if isinstance(answered, NoJudgement):
            return answered
        said = answered.answer
        return Evaluated(said.label, verbatim(said.quote, shown), self.name, answered.usage)


def _consistency(verdict: Opinion, text: str) -> _Consistency:
    answer = read_as(_Consistency, text)
    if _CONTRADICTS.get(answer.label, verdict) is not verdict:
        raise BadAnswer(f"the answer that was given is {verdict.value}, so the label cannot be {answer.label.value}")
    return answer


class OpenAIRejectionNamer(OneQuestion):
    """A `RejectionNamer`."""

    prompt = "rejection-name"
    budgets: ClassVar = {"issue": ISSUE, "rationale": RATIONALE}

    def named(self, issue: str, rationale: str) -> NamedRejection | NoJudgement:
        """The one main reason, as the paper assigns it (section 4.2)."""
        texts = {"issue": stripped(issue), "rationale": apparent(rationale)}
        answered = self.ask(lambda text: read_as(_Category, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        return NamedRejection(answered.answer.category, self.name, answered.usage)


class OpenAIReproductionWriter(OneQuestion):
    """A `ReproductionWriter`."""

    prompt = "report-reproduction"
    budgets: ClassVar = {"report": ISSUE, "package": PACKAGE}

    def write(self, report: str, package: str) -> Sketched | NoJudgement:
        """One question. A script of the answer that is not in shape is left out."""
        texts = {"report": stripped(report), "package": package or "not known"}
        answered = self.ask(lambda text: read_as(_Sketches, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        sketches = (
            Sketch(each.clause, encodable(each.code), each.shows, each.exception.strip())
            for each in in_shape(_Sketch, answered.answer.reproductions[:MAX_SKETCHES])
        )
        return Sketched(tuple(sketches), self.name, answered.usage)
