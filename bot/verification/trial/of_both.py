"""What serves the tests and is product, too: its new version judges, as users have it, and so does the base's."""

from collections.abc import Collection
from dataclasses import replace

from bot.verification.files.index import FileIndex
from bot.verification.programs import content
from bot.verification.testing.witnesses import check_replaced
from bot.verification.trial.outcomes import lost
from bot.verification.trial.setup import TrialSetup
from bot.verification.values import Suite, TestRun

_LOOKS = 2  # at what ends otherwise: chance may be the reason


def end_otherwise(
    trial: TrialSetup, judges: FileIndex, suite: Suite, before: TestRun, after: TestRun, altered: Collection[str]
) -> frozenset[str]:
    """The base's tests that pass on either side, and do not with the base's version of what serves them and is product.

    suite: of the base's tests, as they judge. altered: those that the change did not leave alone.
    """
    if not judges.of_both:
        return frozenset()
    found = (before.passing.keys() & after.passing.keys()).difference(altered)
    base = {path: content(judges.program, path) for path in judges.of_both}
    program = replace(judges.judged, files={**judges.judged.files, **base})
    for _ in range(_LOOKS if found else 0):
        run = check_replaced(before, trial.run(program, suite).result())
        if run.unavailable:
            return frozenset()
        found &= found if run.problem else lost(before, run)  # what breaks off, or takes too long, is no yes
    return frozenset(found)
