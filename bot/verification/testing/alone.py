"""What a program that is a single file gives where nothing tests it.

Code under test can forge whatever its own process reports, and no base tells what it may do. So the calls that its
tests made are made again: where they end otherwise in a process without a test tool and without the tests, it knows
that it is tested; and what equals whatever it is compared with says nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.sandbox.protocol import Executor
from bot.verification.differential.compare import same
from bot.verification.differential.observe import Plain, Surroundings, observe
from bot.verification.values import Environment, Observed, Program, RecordedCall

LEAST = 15.0  # seconds for all calls
MOST = 60  # calls


def ask_alone(
    executor: Executor,
    program: Program,
    tests: Mapping[str, bytes],
    calls: Iterable[RecordedCall],
    environment: Environment,
    call_seconds: float,
) -> str:
    """Why the program's tests are not to be believed; empty where it answers their calls alike without them.

    program: without its tests, which know the answers. Raises `ObservationError` when the sandbox fails.
    """
    modules = {call.expression: call.module for call in calls}
    asked = list(modules)[:MOST]

    def look(sides: Sequence[Program], expressions: list[str], where: Surroundings) -> tuple[tuple[Observed, ...], ...]:
        return observe(
            executor,
            sides,
            expressions,
            environment=environment,
            plain=Plain(tuple(dict.fromkeys(modules.values())), ("/work",), where),
            batch=len(expressions),
            call_seconds=call_seconds,
            seconds=max(2 * call_seconds, LEAST),
        )

    if not asked:
        return ""
    compared = [f"({call}) == object()" for call in asked]
    bare, again = look((program, program), [*asked, *compared], Surroundings.BARE)
    (tested,) = look((replace(program, files={**program.files, **tests}),), asked, Surroundings.TESTED)
    return contradiction(len(asked), bare, again, tested)


def contradiction(asked: int, bare: Sequence[Observed], again: Sequence[Observed], tested: Sequence[Observed]) -> str:
    """Of so many calls, as they were seen; empty without one. bare, again: behind them, whether each equals an object
    of nobody's. What differs between two looks of a kind says nothing."""
    seen = list(zip(bare[:asked], again, tested, strict=False))
    if any(same(one, other) and not same(one, there) for one, other, there in seen):
        return "asked alone, the program does not give what it gives its tests"
    if any(each.value == "True" for each in bare[asked:]):
        return "what the program gives equals other values as well"
    return ""
