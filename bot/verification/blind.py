"""Who is right where two programs differ: judges who see the specification and the input, and nothing else, say."""

from dataclasses import replace

from bot.judges.answer import quoted
from bot.judges.code import BlindJudge, Demand, Interface
from bot.judges.protocol import NoJudgement
from bot.verdicts import Usage
from bot.verification.literals import read_expected, same
from bot.verification.model_tests import holds
from bot.verification.values import Difference, Side


def ask_blind(
    judge: BlindJudge, specification: str, interface: Interface, difference: Difference, times: int
) -> tuple[Difference, Usage]:
    """The difference, decided when `times` independent answers agree; else as it was. With what the asking cost.

    It ends at the first answer that settles nothing, since all must agree.
    """
    demands: list[Demand] = []
    usage = Usage()
    for _ in range(times):
        answer = judge.demands(specification, interface, difference.call)
        usage += answer.usage
        if isinstance(answer, NoJudgement) or answer.test is None:
            return difference, usage
        demands.append(answer)
    return settle(difference, tuple(demands), specification), usage


def settle(difference: Difference, demands: tuple[Demand, ...], specification: str) -> Difference:
    """The difference with a side and a quote, when every judge demands the same, quotes the specification verbatim for
    it, and just one of the two programs does it.
    """
    wanted = [
        (expected, clause)
        for demand in demands
        if demand.test
        and (expected := read_expected(demand.test.expected))
        and (clause := quoted(demand.test.clause, specification))
    ]
    if not wanted or len(wanted) < len(demands) or not all(same(wanted[0][0], other) for other, _ in wanted):
        return difference
    expected, clause = wanted[0]
    seen = {Side.ORIGINAL: difference.original, Side.FIX: difference.fix}
    right = {side: holds(expected, each) for side, each in seen.items()}
    if sorted(map(str, right.values())) != ["False", "True"]:
        return difference
    side = Side.ORIGINAL if right[Side.ORIGINAL] else Side.FIX
    judges = "A judge" if len(demands) == 1 else f"{len(demands)} judges"
    why = f"{judges} who saw only the specification and the input expect what the {side} does."
    return replace(difference, favours=side, why=why, quote=clause)
