"""The positive control: can the tests that judge this head still fail on it?

A few functions and constants are broken on the head, one at a time. Where none of the tests turns red, the same break
is tried on the base: tests that notice it there and not here cannot fail any more, and their green is no evidence.
Where they do not notice it there either, they never looked, and nobody is accused.

With pytest just the tests that enter a function run. Which these are is known from the base, whose code and tests
nobody who is judged has written. The head is only asked about tests of its own, and why a break went unseen; a lie
there makes it harder to be proved, not easier. Where a command runs the tests, nothing tells which test enters what.
So what the tests name is broken before other things, and the whole command runs each time. What they do not name they
may come to through something else, or in a file that no custom takes for a test: that another value of it goes unseen
counts where no other value of what changes is noticed either.
"""

import random
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from itertools import islice
from pathlib import PurePosixPath

from bot.telemetry.traces import Pool
from bot.verification.defects.defect import BREAKABLE, Defect, DefectKind, Places, counterparts, places
from bot.verification.defects.every_file import NO_TIME, NOT_NOTICED, for_every_file
from bot.verification.defects.runs import AT_ONCE, Known, TimedRuns, Watched, selected
from bot.verification.defects.slips import slips
from bot.verification.defects.statements import statements
from bot.verification.files.loads import SCRIPTS
from bot.verification.patch_evidence import Control, Proof
from bot.verification.programs import content, source_files
from bot.verification.syntax import Function, innermost
from bot.verification.testing.witnesses import FORGED, LEFT_OUT, TIME_OUT
from bot.verification.values import Experiment, Order, Program

MOST_CHANGED = 5  # that changed and are broken
_MOST_NAMED = 20
_MOST_FILES_BROKEN = 9  # one function of each, if that is more
_MOST_SLIPS, _MOST_READ_SLIPS = 4, 40  # of one function
# Of the tests that enter a function, the quickest: a few are enough to see that something else comes out, and where
# nobody does, more are asked.
_FEW_TESTS, _MOST_TESTS = 8, 40
_MOST_READ = 1_000_000  # bytes of tests that are looked through for names
WORD = re.compile(rb"[A-Za-z_]\w*")
_MOST_FILES = 50  # that are looked through for one function
_CHANCE = random.SystemRandom()
# Added to a file, so that it breaks off as it is loaded. Rust's files are not.
_STOPS = {
    **dict.fromkeys(SCRIPTS, b"\n;throw new Error('no entry')\n"),
    ".py": b"\nraise RuntimeError('no entry')\n",
    ".go": b'\nfunc init() { panic("no entry") }\n',
}

NOT_COVERED = "No test that ran calls the changed code."
NOT_BREAKABLE = "It changes nothing that could be broken on purpose."
NOT_READ = "It is unknown which tests call the changed code."


def prove(
    runs: TimedRuns,
    base: Watched,
    head: Watched,
    changed: Mapping[str, Collection[int]],
    *,
    own: Watched | None = None,
    turned: Collection[str] = (),
) -> Control:
    """Whether pytest's tests can still fail on this head. Never raises.

    base: the base's tests on the base, run with `trace`. head: the same tests on the judged head, which is the head's
    product under the base's tests and configuration. changed: path -> lines of the head's files that it touched.
    own: the head's own tests on the head, run with `trace`; turned: those of them that go from red to green. They are
    asked where the base's tests enter nothing that changed.
    """
    trials = _Trials(runs, base, head)
    touched, loose = _innermost(head.program, changed)
    loose |= statements(head.program, changed, touched | loose)
    most_tested = sorted(filter(trials.tests, touched), key=lambda place: -len(trials.tests(place)))
    one_each = {place.path: place for place in reversed(most_tested)}  # of each file the most tested
    most = max(MOST_CHANGED, min(len(one_each), _MOST_FILES_BROKEN))
    asked = [*dict.fromkeys((*one_each.values(), *most_tested))][:most]
    other = trials.some_other({path for path, _ in trials.known.entered}, changed)
    broken = {place: touched[place] for place in asked} | other
    if runs.time_left < runs.least:
        open_ = bool(broken or loose or (touched and own and turned))
        return Control(Proof.UNTRIED, why=NO_TIME) if open_ else _unnoticed(touched, NOT_COVERED)
    theirs = {test: set(map(_key, found)) for test, found in (own.run.entered if own else ()) if test in turned}
    of_own = (
        (place, trials.noticed(own, its, tests))
        for place, its in touched.items()
        if own and (tests := [test for test, found in theirs.items() if _key(place) in found])
    )
    found = trials.conclude(broken, touched, of_own, _unnoticed(touched, NOT_NOTICED if asked else NOT_COVERED))
    return for_every_file(found, touched | loose, trials.runs, [head, *([own] if own else [])])


def prove_by_command(
    runs: TimedRuns,
    base: Watched,
    head: Watched,
    changed: Mapping[str, Collection[int]],
    *,
    tests: Collection[str],
    own: Watched | None = None,
) -> Control:
    """Whether the command can still fail on this head. Never raises.

    base, head, changed: as for `prove`; the runs need no trace. tests: the base's test files; of all others something
    is broken that these name. own: the command on the head as it was pushed, for what the base's tests do not notice.
    """
    if runs.time_left < max(runs.least, head.run.seconds):
        return Control(Proof.UNTRIED, why=NO_TIME)
    words = words_of_tests(base.program, tests)
    trials = _Trials(runs, _with_tests(base, head.run.passing), head, words)
    around = _around(head.program, changed, words)
    touched = dict(islice(around.items(), MOST_CHANGED))
    every, all_watched = around | statements(head.program, changed, around), [head, *([own] if own else [])]
    if not touched:
        return for_every_file(_unnoticed(touched), every, trials.runs, all_watched)
    there = {*source_files(base.program.tree), *base.program.files}.difference(tests)
    broken = touched | trials.some_other((path for path in there if path.endswith(BREAKABLE)), changed)
    # A test need not know of another text.
    told = [place for place, its in touched.items() if its[0].kind is not DefectKind.TEXT]
    of_own = ((place, trials.noticed(own, _ways(its)[-1], []) or None) for place, its in touched.items() if own)
    found = trials.conclude(broken, touched, of_own, _unnoticed(told))
    if found.proof is not Proof.PROVED:  # each was asked about
        return found
    return for_every_file(found, every, trials.runs, all_watched)


def noticing(
    runs: TimedRuns, own: Watched, tests: Collection[str], changed: Mapping[str, Collection[int]], *, loads: bool
) -> frozenset[str] | None:
    """Those of the change's own tests that turn red where something that it touches is broken, until all did; `None`
    where there was nothing to try or no time.

    own, changed: as for `prove`. loads: as well where a file that it touches breaks off as it is loaded.
    """
    names = frozenset(tests)
    entered = {bare(place) for test, found in own.run.entered if test in names for place in found}
    touched = dict(islice(_around(own.program, changed, entered).items(), MOST_CHANGED))
    # That it breaks off is noticed by whoever calls it, whatever comes of it.
    ways = ([each for each in its if each.kind is not DefectKind.RAISES] or its for its in touched.values())
    broken = [each.put_into(own.program) for its in ways for each in _ways(its)[-1]]
    stops = [(path, _STOPS[end]) for path in sorted(changed) if (end := PurePosixPath(path).suffix) in _STOPS]
    for path, stop in stops[:MOST_CHANGED] if loads else ():
        broken.append({path: (content(own.program, path) or b"") + stop})
    suite = replace(own.suite, select=selected(sorted(names), len(names)))
    at_once, seen = 1 if own.suite.command else max(len(broken), 1), frozenset[str]()
    for start in range(0, len(broken), at_once):
        some = [Experiment(own.program, suite, broken=each) for each in broken[start : start + at_once]]
        for run in filter(None, runs.each(some) if seen < names else ()):
            if not any(each in run.problem for each in (TIME_OUT, FORGED, LEFT_OUT)):
                seen |= names - run.passing.keys()
    return None if not broken or (runs.late and not seen) else seen


def _unnoticed(touched: Collection[Function], why: str = NOT_NOTICED) -> Control:
    named = tuple(place.called for place in touched)[:_MOST_NAMED]
    return Control(Proof.UNPROVED, unnoticed=named, why=why) if touched else Control(Proof.NOTHING, why=NOT_BREAKABLE)


class _Look(Enum):
    """What the tests see of something that is broken on the head."""

    VALUE = auto()  # they notice another value
    END = auto()  # they notice that it breaks off
    NONE = auto()  # nothing, and without the change they would
    PERHAPS_NONE = auto()  # the same of another value, of what they do not name


def _key(place: Function) -> tuple[str, str]:
    return place.path, place.name


@dataclass(frozen=True)
class _Trials:
    """Runs of base and head with something broken. words: of the base's tests, where a command runs them."""

    runs: TimedRuns
    base: Watched
    head: Watched
    words: Collection[bytes] = ()

    @cached_property
    def known(self) -> Known:
        return Known.of([self.head.run], [self.base.run])

    def tests(self, place: Function) -> list[str]:
        """Tests that enter it on the base and pass on the head, the quickest first; none where nothing tells."""
        return self.known.quickest(self.known.entered.get(_key(place), ()))

    def some_other(self, paths: Iterable[str], changed: Mapping[str, Collection[int]]) -> Places:
        """One thing of these files that can be broken, that did not change and that the tests look at, by chance."""
        order = sorted(paths)
        _CHANCE.shuffle(order)
        for path in order[:_MOST_FILES]:
            there, lines = places(self.head.program, path), set(changed.get(path, ()))
            alone = [each for each in there if lines.isdisjoint(range(each.first, each.last + 1))]
            if fit := [each for each in alone if self.tests(each) or bare(each) in self.words]:
                place = _CHANCE.choice(fit)
                return {place: there[place]}
        return {}

    def conclude(
        self,
        broken: Places,
        touched: Collection[Function],
        of_own: Iterable[tuple[Function, bool | None]],
        unnoticed: Control,
    ) -> Control:
        """What breaking these tells. touched: those that change, one of which has to be noticed. of_own: what of them
        the change's own tests notice, where no test of the base's tells; unnoticed: where none of these does either."""
        with Pool(max_workers=AT_ONCE) as pool:
            answers = dict(zip(broken, pool.map(self._seen, broken.keys(), broken.values()), strict=True))
        deaf = {_Look.NONE} if _Look.VALUE in answers.values() else {_Look.NONE, _Look.PERHAPS_NONE}
        blind = [place.called for place, answer in answers.items() if answer in deaf]
        noticed = [place for place, answer in answers.items() if answer in (_Look.VALUE, _Look.END)]
        tried = (*(place.called for place in noticed), *blind)
        if blind:
            return Control(Proof.BLIND, tried, tuple(blind))
        if any(place in touched for place in noticed):
            return Control(Proof.PROVED, tried)
        unseen = list[str]()
        for place, answer in of_own:
            if answer:
                return Control(Proof.PROVED, (*tried, place.called))
            unseen += [place.called] if answer is False else []
            if len(unseen) == MOST_CHANGED:
                break
        if self.runs.late:
            return Control(Proof.UNTRIED, tried, why=NO_TIME)
        if unseen:
            return Control(Proof.BLIND, (*tried, *unseen), tuple(unseen))
        return replace(unnoticed, broken=tried)

    def _seen(self, place: Function, its: list[Defect]) -> _Look | None:
        """What of it is noticed on the head; `None` where that says nothing of the head.

        Where another value is noticed on the base, it is not enough that they end as nothing is given at all. What
        compares may have gone, and the call still be there; or it may find everything equal that is of one kind, so
        what differs but a little comes first.
        """
        tests, before = self.tests(place), self._on_base(place) if place.name else []
        named, ways = bare(place) in self.words, _ways(its)
        rows = [(new, old, True) for new, old in zip(ways, _ways(before or its), strict=False)]
        if named and before and all(small := self._small(its, before)):
            rows.insert(0, (*small, False))  # it may be noticed as it ends the run, whatever is compared
        told: _Look | None = None
        for new, old, settles in rows:
            last = new is ways[-1]
            answer = self.noticed(self.head, new, tests)
            if answer is not False:
                if settles:
                    # Without something that is new, the tests may well end otherwise.
                    return told if told or answer is None else _Look.VALUE if before and not last else _Look.END
            elif before and self.noticed(self.base, old, tests):
                told = (_Look.NONE if named or last else _Look.PERHAPS_NONE) if self._come_to(place, tests) else None
                if told is not _Look.PERHAPS_NONE:
                    return told
        return told  # else they never looked

    def _small(self, here: list[Defect], there: list[Defect]) -> tuple[list[Defect], list[Defect]]:
        """Small defects of a function on the head and on the base: the same ones, where both have any."""
        new, old = _small(self.head.program, here), _small(self.base.program, there)
        both = [key for key in new if key in old]
        chosen = both[:: max(1, len(both) // _MOST_SLIPS)][:_MOST_SLIPS]
        if chosen:
            return [new[key] for key in chosen], [old[key] for key in chosen]
        return [*new.values()][:_MOST_SLIPS], [*old.values()][:_MOST_SLIPS]

    def _on_base(self, place: Function) -> list[Defect]:
        """What breaks the same on the base."""
        here, there = (places(side.program, place.path) for side in (self.head, self.base))
        return counterparts(here, there).get(place, [])

    def noticed(self, watched: Watched, its: Iterable[Defect], tests: list[str]) -> bool | None:
        """Whether a test turns red with one of the defects; `None` where that could not be tried."""
        answers = list[bool | None]()
        for each in its:
            select = selected(tests, _MOST_TESTS if each.kind is DefectKind.RAISES else _FEW_TESTS)
            answers += self.runs.notice(watched, [each.put_into(watched.program)], select)
            if answers[-1]:
                return True
        return None if None in answers else False

    def _come_to(self, place: Function, tests: list[str]) -> bool:
        """Whether the tests still come to it, as they are run on the head, as far as that is told."""
        if self.head.suite.command is not None:
            return not self.runs.late
        suite = replace(self.head.suite, select=selected(tests, _MOST_TESTS))
        (run,) = self.runs.each([Experiment(self.head.program, suite, Order(trace=frozenset({place.path})))])
        return run is not None and any(_key(place) in map(_key, found) for _, found in run.entered)


def _innermost(program: Program, changed: Mapping[str, Collection[int]]) -> tuple[Places, Places]:
    """What can be broken in the changed lines: functions, and what stands in none of them."""
    found: Places = {}
    loose: Places = {}
    for path, lines in sorted(changed.items()):
        there = places(program, path)
        functions = {place: its for place, its in there.items() if its[-1].kind is DefectKind.RAISES}
        around = innermost(functions)
        found |= {place: functions[place] for line in sorted(lines) if (place := around(line))}
        free = {line for line in lines if not around(line)}
        loose |= {
            place: its
            for place, its in there.items()
            if place not in functions and not free.isdisjoint(range(place.first, place.last + 1))
        }
    return found, loose


def _around(program: Program, changed: Mapping[str, Collection[int]], words: Collection[bytes]) -> Places:
    """What can be broken in the changed lines, first what the words name: functions with a name, inner ones before
    those around them; else constants and functions without one; else small slips."""
    found: Places = {}
    for path, lines in sorted(changed.items()):
        there, free = places(program, path, lines), set(lines)
        for place in sorted(there, key=lambda each: (not each.name, _is_constant(there[each]), each.last - each.first)):
            mine = free & set(range(place.first, place.last + 1))
            if mine or (place.name and not _is_constant(there[place])):
                found[place] = there[place]
                free -= mine
        source = content(program, path) or b""
        for each in slips({path: source}, {path: free}, MOST_CHANGED) if free else ():
            if source[slice(*each.span)] != b"0":  # else it may be the status with which the run is to end
                found.setdefault(each.of, []).append(each)
    return dict(sorted(found.items(), key=lambda each: bare(each[0]) not in words))


def _small(program: Program, its: list[Defect]) -> dict[tuple[bytes, ...], Defect]:
    """That a function works on something else, and slips: by their line and what becomes of it."""
    place = its[0].of
    source = content(program, place.path) or b""
    made = slips({place.path: source}, {place.path: range(place.first, place.last + 1)}, _MOST_READ_SLIPS)
    lines = source.splitlines()
    given = {(each.replacement,): each for each in its if each.kind is DefectKind.GIVEN}
    return given | {
        (lines[each.of.first - 1].strip(), source[slice(*each.span)], each.replacement): each for each in made
    }


def _is_constant(its: list[Defect]) -> bool:
    return its[0].kind not in (DefectKind.RETURNS, DefectKind.RAISES)


def _ways(its: list[Defect]) -> list[list[Defect]]:
    """How something is broken where the tests name it: the last way alone where they do not, for which it is enough
    that they end as nothing is given at all."""
    values = [each for each in its if each.kind not in (DefectKind.RAISES, DefectKind.GIVEN)]
    stops = [each for each in its if each.kind is DefectKind.RAISES]
    if its[0].path.endswith(".py") and stops:
        return [its]
    return [values[-1:], (stops or values)[:1]] if len(its) > 1 else [its]


def _with_tests(watched: Watched, names: Collection[str]) -> Watched:
    """With these tests alone: one that the head fails anyway, such as an old version of its own, can tell nothing."""
    results = tuple(each for each in watched.run.results if each.name in names)
    return replace(watched, run=replace(watched.run, results=results))


def bare(place: Function) -> bytes:
    """The last part of its name."""
    return place.name.rpartition(".")[2].encode()


def words_of_tests(base: Program, tests: Iterable[str]) -> set[bytes]:
    """The words of the tests."""
    left, words = _MOST_READ, set[bytes]()
    for path in sorted(tests):
        text = (content(base, path) or b"")[:left]
        words.update(WORD.findall(text))
        left -= len(text)
    return words
