"""What serves the tests and is product, too: its new version judges, as users have it, and so does the base's."""

import re
from collections.abc import Collection
from dataclasses import replace

from bot.verification.files.index import FileIndex
from bot.verification.patch_evidence import Red
from bot.verification.programs import content
from bot.verification.testing.witnesses import check_replaced
from bot.verification.trial.failures import failure_of_command, gist
from bot.verification.trial.outcomes import lost
from bot.verification.trial.setup import TrialSetup
from bot.verification.trial.times import OF_BOTH
from bot.verification.values import Suite, TestResult, TestRun

_LOOKS = 2  # at what ends otherwise: chance may be the reason
_MOST_NAMED = 20  # tests
_NO_FIT = re.compile(
    r"^(?:E +)?(?:(?:Type|Attribute|Import|ModuleNotFound|Name|UnboundLocal|Key|Index|Syntax)Error\b|"
    r"fixture '|ValueError: (?:not enough|too many) values to unpack)",
    re.M,
)


def end_otherwise(
    trial: TrialSetup, judges: FileIndex, suite: Suite, before: TestRun, after: TestRun, altered: Collection[str]
) -> tuple[str, ...]:
    """The base's tests that pass on either side, and fail with the base's version of what serves them and is product;
    the first few. None where there was no time, or a run did not come to its end: that is told as left out.

    suite: of the base's tests, as they judge. altered: those that the change did not leave alone.
    """
    found = (before.passing.keys() & after.passing.keys()).difference(altered) if judges.of_both else set[str]()
    if not found or not trial.has_time_for(OF_BOTH):
        return ()
    base = {path: content(judges.program, path) for path in judges.of_both}
    program = replace(judges.judged, files={**judges.judged.files, **base})
    for _ in range(_LOOKS):
        run = check_replaced(before, trial.run(program, suite, share=OF_BOTH.share).result())
        if run.problem or run.unavailable:
            trial.left_out[OF_BOTH.told] = None
            return ()
        found &= lost(before, run) & {each.name for each in run.failing if fits(each, by_command=bool(judges.command))}
        if not found:
            break
    return tuple(sorted(found)[:_MOST_NAMED])


def fits(result: TestResult, *, by_command: bool = False) -> bool:
    """Whether a failing test says that something is otherwise, and not that the base's version of what serves it and
    the change's code do not fit together: who changes both honestly changes how one calls the other."""
    if by_command:
        return failure_of_command(result) is Red.ASSERTION and not _NO_FIT.search(result.message)
    return "::" in result.name and not _NO_FIT.match(gist(result))
