"""How much the tests would notice: the share of slips in the changed lines that they notice.

The share is no proof: some slips change nothing that can be seen.
"""

import time
from collections.abc import Iterable, Mapping
from importlib.metadata import version

from bot.sandbox.protocol import Executor, MiB
from bot.verification.defects.runs import TimedRuns, Watched
from bot.verification.defects.slips import slips
from bot.verification.programs import content
from bot.verification.syntax import functions_of, innermost
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import Program, Strength, Suite, TestRun

_MOST = 60  # slips that are read
MOST_TRIED = 12  # of them, far from each other
_LARGEST = 1 * MiB  # of a source
TOOL = f"tree-sitter {version('tree-sitter')}"


def measure(
    executor: Executor,
    program: Program,
    changed: Mapping[str, Iterable[int]],
    suite: Suite,
    there: TestRun,
    *,
    seconds: float,
) -> Strength:
    """The share of slips in the `changed` lines of `program` that the tests notice. Never raises.

    changed: path -> line numbers, see `changed_lines`. Where they hold no place for a slip, the functions around them
    count. there: how the tests end with an edit that changes nothing; one that does not pass then notices nothing.
    seconds: for all of it.
    """
    runs = TimedRuns(executor, time.monotonic() + seconds, 1.0)
    texts = {path: text for path in changed if (text := content(program, path)) and len(text) <= _LARGEST}
    made, around = slips(texts, changed, _MOST), False
    if not made:
        made, around = slips(texts, {path: _around(path, texts[path], changed[path]) for path in texts}, _MOST), True
    if not made:
        return Strength(0, 0, True, TOOL)
    tried = sorted(made, key=lambda each: (each.path, each.span))[:: -(-len(made) // MOST_TRIED)]
    answers: list[bool | None] = [None] * len(tried)
    if not there.unavailable and TIME_OUT not in there.problem:
        answers = runs.notice(Watched(program, suite, there), [each.put_into(program) for each in tried])
    killed = answers.count(True)
    return Strength(killed + answers.count(False), killed, None not in answers, TOOL, around)


def _around(path: str, source: bytes, lines: Iterable[int]) -> set[int]:
    """The lines of the innermost functions that hold these lines; those outside of any stay alone."""
    function = innermost(functions_of(path, source))
    spans = (range(found.first, found.last + 1) if (found := function(line)) else (line,) for line in lines)
    return {line for span in spans for line in span}
