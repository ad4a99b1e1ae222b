"""The model as test writer, blind judge and reviewer. Each asks with prompts of its own; none ever raises."""

from dataclasses import replace
from typing import Any, ClassVar

from pydantic import BaseModel, StrictBool, StrictStr, ValidationError

from bot.judges.answer import read_as
from bot.judges.code import CodeReview, Demand, DraftTests, Interface, Opinion, SpecTest
from bot.judges.fence import encodable
from bot.judges.openai.asking import Asker
from bot.judges.openai.spend import Spend
from bot.judges.protocol import NoJudgement
from bot.judges.unseen import apparent
from bot.settings import Settings

# Characters. A requirement or a line of code that was cut out would turn a right answer into a wrong one, so what is
# longer is not asked about; only the list of failed tests may be shortened.
SPECIFICATION = 24_000
INTERFACE = 8_000
CALL = 4_000
PROGRAM = 40_000
FAILED_TESTS = 6_000
MAX_TESTS = 40  # of one answer that are looked at

AFTER_A_NO = "review-fix"  # the prompt that asks for a fix
BUDGETS = {
    "specification": SPECIFICATION,
    "interface": INTERFACE,
    "call": CALL,
    "program": PROGRAM,
    "failed_tests": FAILED_TESTS,
}


class _Test(BaseModel):
    clause: StrictStr
    call: StrictStr
    expected: StrictStr


class _Tests(BaseModel):
    tests: list[Any]


class _Demand(BaseModel):
    settled: StrictBool
    clause: StrictStr
    expected: StrictStr


class _Verdict(BaseModel):
    verdict: Opinion


class _Fix(BaseModel):
    clause: StrictStr
    call: StrictStr
    expected: StrictStr
    fix: StrictStr


class _Asks:
    """What the three have in common: a prompt, and texts that must fit whole."""

    prompt: ClassVar[str]

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        self._asker = Asker(self.prompt, BUDGETS, settings, spend, **options)
        self.name = self._asker.name

    def _too_long(self, **texts: str) -> NoJudgement | None:
        for what, text in texts.items():
            if len(text) > BUDGETS[what]:
                size = f"{len(text):,} characters, at most {BUDGETS[what]:,}"
                return NoJudgement(self.name, f"The {what} is too long to be judged whole ({size}).", False)
        return None


class OpenAITestWriter(_Asks):
    """A `TestWriter`."""

    prompt = "specification-tests"

    def write(self, specification: str, interface: Interface) -> DraftTests | NoJudgement:
        """One question. A test of the answer that is not in shape is left out."""
        texts = {"specification": apparent(specification), "interface": apparent(str(interface))}
        if problem := self._too_long(**texts):
            return problem
        answered = self._asker.ask(lambda text: read_as(_Tests, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        tests = (_spec_test(entry) for entry in answered.answer.tests[:MAX_TESTS])
        return DraftTests(tuple(test for test in tests if test), self.name, answered.usage)


class OpenAIBlindJudge(_Asks):
    """A `BlindJudge`."""

    prompt = "blind-demand"

    def demands(self, specification: str, interface: Interface, call: str) -> Demand | NoJudgement:
        """One question."""
        texts = {
            "specification": apparent(specification),
            "interface": apparent(str(interface)),
            "call": apparent(call),
        }
        if problem := self._too_long(**texts):
            return problem
        answered = self._asker.ask(lambda text: read_as(_Demand, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        said = answered.answer
        test = SpecTest(said.clause, call, said.expected) if said.settled else None
        return Demand(test, self.name, answered.usage)


class OpenAIReviewer(_Asks):
    """A `Reviewer`. The bare verdict comes first: asking for a fix in the same breath makes models reject correct code
    (overcorrection paper, section 7.1). Only a no is asked for its counterexample and fix, to be executed.
    """

    prompt = "review-verdict"

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        super().__init__(settings, spend, **options)
        self._fix = Asker(AFTER_A_NO, BUDGETS, settings, spend, **options)

    def review(self, specification: str, source: str, failed_tests: tuple[str, ...]) -> CodeReview | NoJudgement:
        """One question, and a second after a no. When the second is not answered the review is `Unavailable`."""
        texts = {"specification": apparent(specification), "program": apparent(source)}
        if problem := self._too_long(**texts):
            return problem
        texts["failed_tests"] = apparent("\n".join(failed_tests)) or "none"
        verdict = self._asker.ask(lambda text: read_as(_Verdict, text), **texts)
        if isinstance(verdict, NoJudgement):
            return verdict
        if verdict.answer.verdict is Opinion.YES:
            return CodeReview(Opinion.YES, self.name, usage=verdict.usage)
        shown = self._fix.ask(lambda text: read_as(_Fix, text), **texts)
        if isinstance(shown, NoJudgement):
            return replace(shown, usage=verdict.usage + shown.usage)
        said = shown.answer
        counterexample = SpecTest(said.clause, said.call, said.expected) if said.call.strip() else None
        return CodeReview(
            Opinion.NO,
            self.name,
            fix=encodable(said.fix) if said.fix.strip() else None,
            counterexample=counterexample,
            usage=verdict.usage + shown.usage,
        )


def _spec_test(entry: Any) -> SpecTest | None:
    try:
        test = _Test.model_validate(entry)
    except ValidationError:
        return None
    return SpecTest(test.clause, test.call, test.expected)
