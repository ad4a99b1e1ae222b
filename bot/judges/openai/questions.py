"""The model as test writer, blind judge, reviewer, evaluator, namer of rejections and writer of reproductions.

Each asks with a prompt of its own; none ever raises.
"""

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from pydantic import BaseModel, StrictBool, StrictStr

from bot.judges.answer import BadAnswer, in_shape, read_as
from bot.judges.code import CodeReview, Interface, Opinion, Shows, Sketch, SpecTest
from bot.judges.fence import apparent, encodable, stripped
from bot.judges.openai.asking import Asker, OneQuestion
from bot.judges.openai.patch_texts import ISSUE
from bot.judges.openai.spend import Spend
from bot.judges.patches import NamedRejection, Rejection
from bot.judges.protocol import Answered, NoJudgement
from bot.judges.reviews import Consistency
from bot.settings import Settings

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


class OpenAITestWriter(OneQuestion):
    """A `TestWriter`. A test of the answer that is not in shape is left out."""

    prompt = "specification-tests"
    budgets = BUDGETS

    def write(self, specification: str, interface: Interface) -> Answered[tuple[SpecTest, ...]] | NoJudgement:
        return self.ask(
            _tests,
            whole=("specification", "interface"),
            specification=apparent(specification),
            interface=apparent(str(interface)),
        )


def _tests(text: str) -> tuple[SpecTest, ...]:
    return tuple(each.test() for each in in_shape(_Test, read_as(_Tests, text).tests[:MAX_TESTS]))


class OpenAIBlindJudge(OneQuestion):
    """A `BlindJudge`."""

    prompt = "blind-demand"
    budgets = BUDGETS

    def demands(self, specification: str, interface: Interface, call: str) -> Answered[SpecTest | None] | NoJudgement:
        def read(text: str) -> SpecTest | None:
            said = read_as(_Demand, text)
            return SpecTest(said.clause, call, said.expected) if said.settled else None

        texts = {"specification": specification, "interface": str(interface), "call": call}
        return self.ask(read, whole=texts, **{name: apparent(text) for name, text in texts.items()})


class OpenAIReviewer(OneQuestion):
    """A `Reviewer`. The bare verdict comes first: asking for a fix in the same breath makes models reject correct code
    (overcorrection paper, section 7.1). Only a no is asked for its counterexample and fix, to be executed.
    """

    prompt = "review-verdict"
    budgets = BUDGETS

    def __init__(self, settings: Settings, spend: Spend, *, wording: str = "", **options: Any) -> None:
        super().__init__(settings, spend, wording=wording, **options)
        self._fix = Asker(AFTER_A_NO, BUDGETS, settings, spend, **options)

    def review(self, specification: str, source: str, failed_tests: tuple[str, ...]) -> CodeReview | NoJudgement:
        """One question, and a second after a no. When the second is not answered the review is `NoJudgement`."""
        whole = {"specification": apparent(specification), "program": apparent(source)}
        texts = {**whole, "failed_tests": apparent("\n".join(failed_tests)) or "none"}
        verdict = self.ask(partial(read_as, _Verdict), whole=whole, **texts)
        if isinstance(verdict, NoJudgement):
            return verdict
        if verdict.answer.verdict is Opinion.YES:
            return CodeReview(Opinion.YES, self.name, usage=verdict.usage)
        shown = self._fix.ask(partial(read_as, _Fix), **texts)
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


class OpenAIEvaluator(OneQuestion):
    """The separate evaluator: does a rationale say what its verdict says? It sees neither the issue nor the change.

    Overcorrection paper, section 4.3 (A1): the evaluator checks verdict and rationale against each other and never
    whether the verdict is right. What it calls unclear counts as inconsistent too (section 6.1).
    """

    prompt = "patch-consistency"
    budgets: ClassVar = {"verdict": len("yes"), "rationale": RATIONALE}

    def evaluate(self, verdict: Opinion, rationale: str) -> Answered[Consistency] | NoJudgement:
        """An empty rationale is unclear without asking."""
        if not rationale.strip():
            return Answered(Consistency.UNCLEAR, self.name)
        return self.ask(partial(_consistency, verdict), verdict=verdict.value, rationale=apparent(rationale))


def _consistency(verdict: Opinion, text: str) -> Consistency:
    label = read_as(_Consistency, text).label
    if _CONTRADICTS.get(label, verdict) is not verdict:
        raise BadAnswer(f"the answer that was given is {verdict.value}, so the label cannot be {label.value}")
    return label


class OpenAIRejectionNamer(OneQuestion):
    """A `RejectionNamer`: the one main reason, as the paper assigns it (section 4.2)."""

    prompt = "rejection-name"
    budgets: ClassVar = {"issue": ISSUE, "rationale": RATIONALE}

    def named(self, issue: str, rationale: str) -> NamedRejection | NoJudgement:
        answered = self.ask(partial(read_as, _Category), issue=stripped(issue), rationale=apparent(rationale))
        if isinstance(answered, NoJudgement):
            return answered
        return NamedRejection(answered.answer.category, self.name, answered.usage)


class OpenAIReproductionWriter(OneQuestion):
    """A `ReproductionWriter`. A script of the answer that is not in shape is left out."""

    prompt = "report-reproduction"
    budgets: ClassVar = {"report": ISSUE, "package": PACKAGE}

    def write(self, report: str, package: str) -> Answered[tuple[Sketch, ...]] | NoJudgement:
        return self.ask(_sketches, report=stripped(report), package=package or "not known")


def _sketches(text: str) -> tuple[Sketch, ...]:
    return tuple(
        Sketch(each.clause, encodable(each.code), each.shows, each.exception.strip())
        for each in in_shape(_Sketch, read_as(_Sketches, text).reproductions[:MAX_SKETCHES])
    )
