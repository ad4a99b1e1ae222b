"""How much the tests would notice: the share of slips in the changed lines that they notice.

Only so many are tried as settle whether the tests look at the lines at all. The share is no proof: some slips change
nothing that can be seen.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from itertools import zip_longest
from math import ceil

from bot.sandbox.protocol import Executor, MiB
from bot.verification.defects.defect import Defect
from bot.verification.defects.runs import AT_ONCE, TimedRuns
from bot.verification.defects.slips import slips
from bot.verification.differential.compare import same
from bot.verification.differential.observe import ObservationError, observe
from bot.verification.programs import content
from bot.verification.syntax import functions_of, innermost
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import Environment, Program, Strength, Suite, Variant

_MOST = 60  # slips that are read
MOST_TRIED = 12  # of them, spread over the functions
_LARGEST = 1 * MiB  # of the source
ENOUGH = Fraction(1, 2)  # noticed: the tests look at the change, whatever becomes of the rest
TOOL = f"tree-sitter {version('tree-sitter')}"

# Of programs beside one: which of them something notices.
Notice = Callable[[Program, Sequence[Program]], list[bool]]


@dataclass(frozen=True, slots=True)
class _Slips:
    """Those of some lines. whole: these are all. around: the lines hold none, so they are of the functions around."""

    texts: Mapping[str, str]
    found: tuple[Defect, ...] = ()
    whole: bool = True
    around: bool = False


def nothing(_program: Program, others: Sequence[Program], /) -> list[bool]:
    """Notices none; a `Notice`."""
    return [False for _ in others]


def measure(
    executor: Executor,
    program: Program,
    changed: Mapping[str, Iterable[int]],
    suite: Suite,
    *,
    seconds: float,
    also: Notice = nothing,
) -> Strength:
    """The share of slips in the `changed` lines of `program` that the tests notice, as far as it matters. Never raises.

    changed: path -> line numbers, see `changed_lines`. Where they hold no place for a slip, the functions around them
    count. A test that does not pass on the program, or minds a remark at the end of its files, notices nothing.
    seconds: for all of it. also: what else notices.
    """
    runs, made = TimedRuns(executor, time.monotonic() + seconds, 1.0), _made(program, changed)
    asked, there = spread(made.found), None
    if asked:
        (run,) = runs.each(suite, [Variant(with_remark(program, made.texts))])
        there = run if run and TIME_OUT not in run.problem else None
    # Tests of a single file take less time than a sandbox does to begin.
    step = max(AT_ONCE, 1 if suite.command else ceil(len(asked) * (1 if program.tree is None else ENOUGH)))
    killed, tried, whole = 0, 0, made.whole or bool(asked)
    for start in range(0, len(asked), step):
        row = [each.into(program) for each in asked[start : start + step]]
        answers = runs.notice_each(suite, [(there, Variant(each)) for each in row])
        unseen = [each for each, answer in zip(row, answers, strict=True) if answer is False]
        told = also(program, unseen) if unseen else []
        killed += answers.count(True) + sum(told)
        tried += answers.count(True) + len(unseen)
        whole = whole and None not in answers
        if not whole or killed >= ENOUGH * len(asked):
            break
    return Strength(tried, killed, whole, TOOL, made.around)


def with_remark(program: Program, paths: Iterable[str]) -> Program:
    """The same program, with a remark at the end of these files where they are Python's."""
    python = (path for path in paths if path.endswith(".py"))
    return replace(
        program, files={**program.files, **{path: (content(program, path) or b"") + b"\n#\n" for path in python}}
    )


def by_calls(
    executor: Executor,
    calls: Sequence[str],
    module: str,
    environment: Environment,
    seconds: float,
    program: Program,
    others: Sequence[Program],
) -> list[bool]:
    """Which of the others answer a call otherwise than the program does each time. Never raises."""
    again = with_remark(program, program.files)
    try:
        once, twice, *theirs = observe(
            executor, (program, again, *others), calls, module=module, seconds=seconds, environment=environment
        )
    except ObservationError:
        return [False for _ in others]
    steady = [at for at, pair in enumerate(zip(once, twice, strict=False)) if same(*pair)]
    return [any(not same(once[at], its[at]) for at in steady if at < len(its)) for its in theirs]


def spread(found: Iterable[Defect]) -> list[Defect]:
    """At most `MOST_TRIED` of the slips: as many of each function as can be, and those far from each other."""
    groups: dict[object, list[Defect]] = {}
    for each in sorted(found, key=lambda one: (one.path, one.span)):
        groups.setdefault(each.of if each.of.name else each.path, []).append(each)
    quota = dict.fromkeys(groups, 0)
    for _ in range(min(MOST_TRIED, sum(map(len, groups.values())))):
        open_ = [group for group, its in groups.items() if quota[group] < len(its)]
        quota[min(open_, key=lambda group: quota[group])] += 1
    rows = [[its[at * len(its) // quota[group]] for at in range(quota[group])] for group, its in groups.items()]
    return [each for row in zip_longest(*rows) for each in row if each]


def _made(program: Program, changed: Mapping[str, Iterable[int]]) -> _Slips:
    """The slips of these lines; where they hold none, of the functions around them."""
    texts: dict[str, str] = {}
    for path in changed:
        raw = content(program, path)
        try:
            text = (raw or b"").decode()
        except UnicodeDecodeError:
            continue
        if text and sum(map(len, texts.values())) + len(text) <= _LARGEST:
            texts[path] = text
    encoded = {path: text.encode() for path, text in texts.items()}
    wider = {path: _around(path, text, changed[path]) for path, text in encoded.items()}
    for lines, widened in ((changed, False), (wider, True)):
        found = slips(encoded, lines, _MOST)
        if found is None or found[0]:
            return _Slips(texts, *(found or ((), False)), widened)
    return _Slips(texts)


def _around(path: str, source: bytes, lines: Iterable[int]) -> set[int]:
    """The lines of the innermost functions that hold these lines; those outside of any stay alone."""
    function = innermost(functions_of(path, source))
    spans = (range(found.first, found.last + 1) if (found := function(line)) else (line,) for line in lines)
    return {line for span in spans for line in span}
