"""From what the tracer told to functions: which of them each test entered."""

from collections.abc import Callable, Sequence

from bot.verification.functions import functions_of, innermost
from bot.verification.programs import content
from bot.verification.testing.report import SuiteReport
from bot.verification.values import Function, Program


def entered(
    report: SuiteReport, trace: Sequence[str], program: Program
) -> tuple[tuple[str, tuple[Function, ...]], ...]:
    """Test -> functions of the traced files, in no order that means anything. What is no line of a function of these
    (a module's own lines, a class's) is left out; a lambda belongs to the function around it."""
    known: dict[int, Callable[[int], Function | None]] = {}
    places: dict[tuple[int, int], Function | None] = {}
    found: dict[str, dict[Function, None]] = {}
    for session in report.sessions:
        hidden = set(session.canaries)
        here: list[Function | None] = []
        for file, line in session.functions:
            if (file, line) not in places:
                if file not in known and 0 <= file < len(trace):
                    known[file] = innermost(functions_of(trace[file], content(program, trace[file]) or b""))
                places[file, line] = known[file](line) if file in known else None
            here.append(places[file, line])
        for name, numbers in session.entered:
            if name not in hidden:
                mine = (here[number] for number in numbers if 0 <= number < len(here))
                found.setdefault(name, {}).update((function, None) for function in mine if function)
    return tuple((name, tuple(functions)) for name, functions in found.items())
