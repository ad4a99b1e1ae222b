"""How original and fix behave beside the tests: on inputs near those of the tests."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.sandbox.protocol import Executor
from bot.verification.differential.compare import compare, doubt
from bot.verification.literals import examples_in
from bot.verification.relations import Relation, check, relations
from bot.verification.specified import SpecifiedProgram
from bot.verification.values import Difference, Differential, Environment, Program, Side


@dataclass(frozen=True, slots=True)
class BehaviourComparison:
    """What is compared, and by what. calls: those that tests and specification show. more: generator and call."""

    executor: Executor
    original: Program
    fix: Program
    about: SpecifiedProgram
    specification: str
    calls: tuple[str, ...]
    more: tuple[tuple[str, str], ...]
    environment: Environment
    seed: int

    def near(self, seconds: float) -> Differential:
        """On inputs near the calls, and on those named elsewhere; `seconds` for each program."""
        found = compare(
            self.executor,
            self.original,
            self.fix,
            self.calls,
            specification=self.specification,
            module=self.about.interface.module,
            environment=self.environment,
            seconds=seconds,
            seed=self.seed,
            extra_calls=self.more,
        )
        return replace(found, differences=by_relations(found.differences, self._relations()))

    def doubt(self, seconds: float) -> str:
        """Why passing the tests says little of the original by itself."""
        return doubt(
            self.executor,
            self.original,
            self.calls,
            module=self.about.interface.module,
            environment=self.environment,
            seconds=seconds,
            seed=self.seed,
        )

    def _relations(self) -> tuple[Relation, ...]:
        examples = tuple(examples_in(self.specification, self.about.interface))
        functions = dict.fromkeys(line.partition("(")[0] for line in self.about.interface.signatures)
        return tuple(found for function in functions for found in relations(self.specification, function, examples))


def by_relations(differences: Sequence[Difference], stated: Sequence[Relation]) -> tuple[Difference, ...]:
    """The differences, those decided on which just one program breaks a relation that the specification states."""
    return tuple(_by_relation(found, stated) for found in differences)


def _by_relation(found: Difference, stated: Sequence[Relation]) -> Difference:
    for relation in stated:
        if not found.call.startswith(f"{relation.function}("):
            continue
        original = check(relation, [(found.call, found.original)])
        fix = check(relation, [(found.call, found.fix)])
        if bool(original) != bool(fix):
            side, other = (Side.FIX, Side.ORIGINAL) if original else (Side.ORIGINAL, Side.FIX)
            why = f"What the {other} gives breaks what the specification states of every result."
            return replace(found, favours=side, why=why, quote=relation.clause)
    return found
