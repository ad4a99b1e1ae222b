"""What judges say of one input who see the specification and the input, and neither a claim nor a program."""

from dataclasses import dataclass, replace

from bot.judges.answer import quoted
from bot.judges.code import BlindJudge, Interface, SpecTest
from bot.judges.protocol import NoJudgement
from bot.verification.literals import read_expected, same
from bot.verification.model_tests import holds
from bot.verification.values import Difference, Side


@dataclass(frozen=True, slots=True)
class BlindJury:
    """times: how many independent answers must agree; with none, nobody is asked and nothing is settled."""

    judge: BlindJudge | None = None
    times: int = 0

    def demands(self, specification: str, interface: Interface, call: str) -> SpecTest | None:
        """What every one of them demands, with the clause that the first quotes verbatim; `None` where one does not
        say, quotes nothing, or demands something else. That ends the asking."""
        found: SpecTest | None = None
        for _ in range(self.times if self.judge else 0):
            answer = self.judge.demands(specification, interface, call) if self.judge else None
            if answer is None or isinstance(answer, NoJudgement) or answer.answer is None:
                return None
            expected, clause = read_expected(answer.answer.expected), quoted(answer.answer.clause, specification)
            if not expected or not clause or (found and not same(found.expected, expected)):
                return None
            found = found or SpecTest(clause, call, expected)
        return found

    def confirms(self, test: SpecTest, specification: str, interface: Interface) -> bool:
        """Whether they demand what a test does. They see its call alone."""
        found = self.demands(specification, interface, test.call)
        return found is not None and same(found.expected, test.expected)

    def settle(self, difference: Difference, specification: str, interface: Interface) -> Difference:
        """The difference with a side and a quote, where just one of the two programs does what they demand; else as it
        was."""
        found = self.demands(specification, interface, difference.call)
        seen = {Side.ORIGINAL: difference.original, Side.FIX: difference.fix}
        right = {side: holds(found.expected, each) for side, each in seen.items()} if found else {}
        if found is None or sorted(map(str, right.values())) != ["False", "True"]:
            return difference
        side = Side.ORIGINAL if right[Side.ORIGINAL] else Side.FIX
        judges = "A judge" if self.times == 1 else f"{self.times} judges"
        why = f"{judges} who saw only the specification and the input expect what the {side} does."
        return replace(difference, favours=side, why=why, quote=found.clause)


NOBODY = BlindJury()
