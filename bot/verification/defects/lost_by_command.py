"""The same as in `lost`, where a command runs the tests. Which test enters what is not told there, so what the tests
name is broken.

Where the runner tells of each test, a test counts by its own name: what is broken may keep a whole package from being
built, or end its run early, and says nothing of a test then. Else the command counts as one test.
"""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import islice, zip_longest
from pathlib import PurePosixPath

from bot.telemetry.traces import Pool
from bot.verification.defects.control import bare
from bot.verification.defects.defect import BREAKABLE, Defect, DefectKind, defects, places
from bot.verification.defects.lost import MOST_FUNCTIONS, compare
from bot.verification.defects.runs import AT_ONCE, TimedRuns, Watched
from bot.verification.patch_evidence import LostKills
from bot.verification.programs import content
from bot.verification.testing.tools import command_name
from bot.verification.values import Experiment, Program, TestStatus

_MOST_FILES = 200  # that are looked through for functions
_MOST_DEFECTS = 24
_SLOWER = 3.0  # times as long as without a defect, a run may take; and
_MORE = 5.0  # seconds
_OTHERS = frozenset({"vendor", "third_party", "node_modules"})  # folders with the code of others

_Ended = Mapping[str, TestStatus]


def lost_by_command(
    runs: TimedRuns,
    old: Watched,
    new: Watched,
    broken: Collection[Iterable[Defect]],
    *,
    rewritten: Collection[str],
) -> tuple[LostKills, ...]:
    """The tests whose new version notices fewer defects of the base, worst first. Never raises.

    old, new: the base's code with the base's tests and with the change's, as they ran. broken: the defects of each
    function of the base that is to be broken. rewritten: names of the base's tests that may have become weaker; the
    command's own is one where it counts as a test. Once each of them that notices anything is known to notice less,
    nothing more is tried. What there is no time for is not named.
    """
    tests = _Tests(old, new, rewritten)

    def ended(watched: Watched, defect: Defect) -> _Ended:
        """How each test ends with it; nothing where that could not be run, or not to its end."""
        until = min(runs.end, time.monotonic() + _SLOWER * old.run.seconds + _MORE)
        here = _here(defect, watched.program)
        asked = [Experiment(watched.program, watched.suite, broken=here.put_into(watched.program))] if here else []
        timely = replace(runs, end=until, least=max(runs.least, old.run.seconds))
        (run,) = timely.each(asked) or [None]
        return {} if run is None or run.problem else {each.name: each.status for each in run.results}

    def seen(defect: Defect) -> dict[str, bool]:
        noticed = [name for name, status in ended(old, defect).items() if name in tests.asked and _bad(name, status)]
        now = ended(new, defect) if noticed else {}
        told = {test: tests.still(test, now) for test in noticed} if now else {}
        return {test: still for test, still in told.items() if still is not None}

    every = (each for row in zip_longest(*broken) for each in row if each and tests.asked)
    with Pool(max_workers=AT_ONCE) as pool:
        return compare(
            islice(every, _MOST_DEFECTS),
            len(broken),
            lambda row, _: pool.map(seen, row),
            lambda kills: kills.known(tests.asked),
        )


def defects_by_name(
    program: Program, paths: Iterable[str], words: Collection[bytes], near: Iterable[str]
) -> list[list[Defect]]:
    """The defects of the first functions and constants of these files whose names are among the words: of files that
    the words name as well, or that lie beside those of `near`, before others."""
    folders = {PurePosixPath(path).parent for path in near}

    def far(path: str) -> tuple[bool, str]:
        pure = PurePosixPath(path)
        return pure.stem.encode() not in words and pure.parent not in folders, path

    own = (path for path in paths if path.endswith(BREAKABLE) and _OTHERS.isdisjoint(PurePosixPath(path).parts))
    there = (places(program, path) for path in sorted(own, key=far)[:_MOST_FILES])
    named = (its for found in there for place, its in found.items() if bare(place) in words)
    return [
        [each for each in its if each.kind is not DefectKind.RAISES or each.path.endswith(".py")]
        for its in islice(named, MOST_FUNCTIONS)
    ]


def _here(defect: Defect, program: Program) -> Defect | None:
    """The defect where its function stands in this program: tests inside of the code may have moved it."""
    there = defects(defect.path, content(program, defect.path) or b"")
    same = (each for each in there if (each.of.name, each.kind) == (defect.of.name, defect.kind))
    return next((each for each in same if each.replacement == defect.replacement), None)


class _Tests:
    """The two versions of the tests. asked: those that can have become weaker."""

    def __init__(self, old: Watched, new: Watched, rewritten: Collection[str]) -> None:
        whole, now = command_name(old.suite.command), {each.name: each.status for each in new.run.results}
        self._now = {whole: command_name(new.suite.command)}
        self._there = frozenset(now)
        brought = self._there - {each.name for each in old.run.results} - {self._now[whole]}
        self._brought = frozenset(name for name in brought if now[name] is TestStatus.PASSED)
        # One that is gone may be another now, which demands something else, or which cannot be built on the base.
        sure = all(map(_is_test, now)) and not any(_bad(name, now[name]) for name in brought)
        fit = {name for name in rewritten if now.get(name) in (TestStatus.PASSED, TestStatus.SKIPPED)}
        fit |= {name for name in rewritten if _is_test(name) and name not in now} if sure else set()
        fit |= {whole} if now.get(self._now[whole]) is TestStatus.PASSED else set()
        ran = not any(run.unavailable or run.problem for run in (old.run, new.run))
        self.asked = frozenset(old.run.passing) & fit & frozenset(rewritten) if ran else frozenset()

    def still(self, test: str, ended: _Ended) -> bool | None:
        """Whether the test's new version notices, or a test that is new; `None` where that is not told."""
        name = self._now.get(test, test)
        if any(_bad(each, ended[each]) for each in (*self._brought, name) if each in ended):
            return True
        if not self._brought <= ended.keys() or (name not in self._there and not self._there <= ended.keys()):
            return None
        status = ended.get(name)
        return False if status in (TestStatus.PASSED, TestStatus.SKIPPED) or name not in self._there else None


def _bad(name: str, status: TestStatus) -> bool:
    """Whether a test noticed something. A command that was killed did not."""
    return status is TestStatus.FAILED or (status is TestStatus.ERROR and _is_test(name))


def _is_test(name: str) -> bool:
    """Whether it is told by its own name: a file or package alone could not be read or built, or ended early."""
    return "::" in name
