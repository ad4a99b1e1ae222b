"""How a change stands by itself, without a reviewer's fix beside it: by the base's tests, by what they notice, and by
the examples of what was asked for."""

import time
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain

from bot.changes.kinds import is_code, is_for_people, kind_of
from bot.changes.syntax import same_but_for_types, same_program, without_types
from bot.child_process import run_in_child
from bot.judges.code import BlindAnswer, SpecTest
from bot.verdicts import Cause
from bot.verification.defects.control import NOT_READ, noticing, prove, prove_by_command, words_of_tests
from bot.verification.defects.defect import BREAKABLE, READ, Places, places
from bot.verification.defects.every_file import for_every_file, together
from bot.verification.defects.lost import lost_kills
from bot.verification.defects.lost_by_command import defects_by_name, lost_by_command
from bot.verification.defects.runs import MOST_TESTS, Known, TimedRuns, Watched, selected
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.evidence import HeadTrial, tests_digest
from bot.verification.files.code_of_tests import defines_tests
from bot.verification.files.index import OF_TOOLS, FileIndex
from bot.verification.fix_guided.specified import NOBODY, BlindJury, confirms, subject
from bot.verification.model_tests import as_file, as_suite, failed, usable
from bot.verification.overall import overall_digests, overall_evidence
from bot.verification.patch_evidence import Control, LostKills, PatchEvidence, Proof, Settled, Standing
from bot.verification.programs import changed_files, changed_lines, content, functions_around_changes
from bot.verification.reasons import weigh
from bot.verification.stage import Conflict, Stage
from bot.verification.testing.run import run_suite
from bot.verification.testing.sources import file_of, is_doctest
from bot.verification.testing.tools import command_name
from bot.verification.trial.own import laid_over
from bot.verification.trial.setup import TrialRun, readers
from bot.verification.trial.times import CONTROL, LOST, NOTICING
from bot.verification.trial.trial import on_trial
from bot.verification.values import TestRun

ONE_RUN = 1.5  # times as long as a command took, it may take when something is broken
SAME_WITHOUT = "No test notices when the changed data is as it was before."
NOT_OPENED = "No test opens what it changes."
TYPES = "It changes types alone, which nothing reads as the tests run."
OF_HEAD = "It cannot be set up, though its base can:"
_MOST_NAMED = 20  # files
LEAST = 1.0  # seconds of what is run in any case


def stand(
    stage: Stage,
    *,
    specification: str = "",
    claims: tuple[SpecTest, ...] = (),
    jury: BlindJury = NOBODY,
    seconds: float = 120.0,
) -> HeadTrial:
    """Execute base and head of one suite, and say how the head stands. Never raises for what programs do.

    specification: what was asked for. claims: a reviewer's counterexamples; those that quote nothing of it are left
    out. jury: whom to ask of those that fail. seconds: for all of it.
    """
    end, base, head = time.monotonic() + seconds, stage.base, stage.head
    about = subject(head, changed_files(base.program, head))
    left = max((1 - CONTROL.share) * seconds, LEAST)
    tried = on_trial(stage.executor, base, head, stage.suite, specification=specification, seconds=left)
    tried = replace(tried, endings=stage.endings)
    documents = frozenset(filter(is_for_people, tried.judges.changed))
    runs = (tried.found.facts.head, tried.found.facts.base)  # what is gone, only the base's opens
    opened = documents & frozenset().union(*(run.opened or () for run in runs))
    if documents == tried.judges.changed.keys() and not opened and tried.found.facts.head.opened is not None:
        unopened = Control(Proof.UNPROVED, unnoticed=tuple(sorted(documents))[:_MOST_NAMED], why=NOT_OPENED)
        return HeadTrial(replace(tried.found, control=unopened).to_keep(), judging=tried.judges.judging)
    left = end - time.monotonic()
    tried = replace(tried, found=_controlled(tried, min(CONTROL.share * seconds, left), left))
    weakened = _weakened if base.suite.command is None else _weakened_by_command
    patch = weakened(tried, min(LOST.share * seconds, end - time.monotonic()))
    claimed, upheld, tried_claims, heard = None, tuple[SpecTest, ...](), tuple[str, ...](), tuple[BlindAnswer, ...]()
    stated = usable(claims, specification, about.interface) if about else ()
    if about and stated:
        said = replace(as_suite((), about.interface.module, stated), environment=stage.suite.environment)
        claimed = run_suite(stage.executor, head, said, seconds=max(end - time.monotonic(), LEAST))
        claimed = None if claimed.unavailable else claimed
        said_of = {test: jury.ask(specification, about.interface, test.call) for test in failed(stated, claimed)}
        upheld = tuple(test for test in said_of if confirms(test, said_of[test]))
        heard = tuple(chain.from_iterable(said_of.values()))
        ran = claims if claimed else ()
        tried_claims = tuple(each.call for each in ran if usable((each,), specification, about.interface))
    return HeadTrial(
        patch.to_keep(),
        claimed,
        tried=tried_claims,
        upheld=upheld,
        heard=heard,
        shown=as_file(upheld, about.interface.module) if about else "",
        judging=tried.judges.judging,
        opened=tuple(sorted(opened)),
    )


def stand_on(
    stage: Stage | EnvironmentProblem | Conflict | str,
    *,
    specification: str,
    claims: tuple[SpecTest, ...],
    jury: BlindJury,
    seconds: float,
) -> HeadTrial:
    """The same for each suite of a stage; or why there is none."""
    if isinstance(stage, str):
        return HeadTrial(problem=stage)
    if isinstance(stage, Conflict):
        return HeadTrial(problem="It conflicts with its base branch, so nothing was run.", conflict=stage.files)
    if isinstance(stage, EnvironmentProblem):  # the change is to blame where its base can be set up and tested
        told, blame = (f"{OF_HEAD} {stage.told}", Cause.CHANGE) if stage.of_head else (stage.told, Cause.OUTSIDE)
        return HeadTrial(problem=told, blame=blame)
    end, stages, tried = time.monotonic() + seconds, (stage, *stage.others), list[HeadTrial]()
    for number, each in enumerate(stages):
        left = (end - time.monotonic()) / (len(stages) - number)
        tried.append(stand(each, specification=specification, claims=claims, jury=jury, seconds=left))
    judging = frozenset[str]().union(*(each.judging for each in tried))
    suites = {
        each.test: replace(stood.patch, without=(*each.without, *stood.patch.without))
        for each, stood in zip(stages, tried, strict=True)
        if stood.patch
    }
    return replace(
        next((each for each in tried if each.claimed), tried[0]),
        patch=overall_evidence(suites, stage.unrun),
        shown=next((each.shown for each in tried if each.shown), ""),
        opened=tuple(sorted({path for each in tried for path in each.opened})),
        digests=overall_digests([each.digests for each in stages], tests_digest(stage.base.program, judging)),
        judging=frozenset(),
    )


def _controlled(tried: TrialRun, seconds: float, left: float) -> PatchEvidence:
    """With the positive control, where nothing that ran speaks against the change: of any other it would say nothing
    that counts."""
    patch, base, executor = tried.found, tried.trial.base, tried.trial.executor
    facts = patch.facts
    if patch.standing is Standing.IMPLAUSIBLE or patch.gone or facts.base.unavailable or facts.head.unavailable:
        return patch
    own = Watched(tried.trial.head, tried.own, facts.own) if tried.own else None
    if base.suite.command is not None:  # one break takes a whole run
        seconds = max(seconds, min(ONE_RUN * facts.head.seconds, left))
    before, after = Watched(base.program, base.suite, facts.base), Watched(tried.judges.judged, tried.suite, facts.head)
    runs = TimedRuns(executor, time.monotonic() + seconds, CONTROL.least)
    types = _types(tried, replace(runs), (after, own))
    if base.suite.command is None:
        lines, turned, end = _product_lines(tried, types), [each.test for each in patch.turned], time.monotonic() + left
        control = prove(runs, before, after, lines, own=own, turned=turned)
        more = replace(runs, end=min(end, time.monotonic() + seconds), late=False)
    else:
        lines, more = _product_lines(tried, types, BREAKABLE), replace(runs)
        control = prove_by_command(runs, before, after, lines, tests=tried.judges.judging, own=own)
    patch = _tied(more, patch, own, lines)
    of_others = () if base.suite.command is None else READ  # languages of which `control` has said what there is to say
    mine = tried.endings or ("",)
    unread = [
        path
        for path in tried.judges.touched
        if is_code(path)
        and path.endswith(mine)
        and not path.endswith((".py", *of_others))
        and not (path in types or _same(tried, path))
    ]
    if unread and control.proof in (Proof.NOTHING, Proof.PROVED):  # in a language that nobody here can break
        proof = Proof.PARTLY if control.proof is Proof.PROVED else Proof.UNPROVED
        control = Control(proof, control.broken, tuple(unread[:_MOST_NAMED]), NOT_READ)
    if control.proof is Proof.NOTHING:
        control = _of_data(tried, replace(runs, late=False), (after, own)) or control
    of_helpers = _of_helpers(tried, replace(runs, late=False))
    control = together(control, of_helpers)
    if control.proof is Proof.NOTHING and types:
        control = replace(control, why=TYPES)
    late = (CONTROL.told,) if Proof.UNTRIED in (control.proof, of_helpers.proof) else ()
    return replace(patch, control=control, unfinished=(*patch.unfinished, *late))


def _of_helpers(tried: TrialRun, runs: TimedRuns) -> Control:
    """Whether tests notice what is broken in changed helpers that lie among the product: the base's version judges, but
    users may have them as well. Those are asked that load them, as the change has both."""
    head, run, judges = tried.trial.head, tried.found.facts.as_pushed, tried.judges
    lines = changed_lines(head, tried.trial.base.program, BREAKABLE) if judges.helpers_touched else {}
    found: Places = {}
    for path in judges.helpers_touched & lines.keys():
        if not _alike(path, content(tried.trial.base.program, path), content(head, path)):
            found |= places(head, path, lines[path])
    nothing = Control(Proof.NOTHING)
    if not (found and run):
        return nothing
    files = set(map(file_of, run.passing))
    near = {file for file in files if judges.helpers_touched & judges.head.reached_from([file])}
    loading = [test for test in run.passing if file_of(test) in near]
    asked = selected(Known.of([run], []).quickest(loading), MOST_TESTS)
    watched = Watched(head, replace(tried.trial.suite, select=asked, files={}), run)
    return for_every_file(nothing, found, runs, [watched] if asked or watched.suite.command else [])


def _of_data(tried: TrialRun, runs: TimedRuns, all_watched: Iterable[Watched | None]) -> Control | None:
    """Whether tests notice the data that it changes as it was before: neither code nor for tools, and for people only
    where tests open it, or nothing else changes. `None` where there is none, or no time."""
    opened, touched = tried.found.facts.head.opened, tried.judges.touched
    alone = all(map(is_for_people, touched))
    data = {
        path: old
        for path, (old, _) in touched.items()
        if kind_of(path) not in OF_TOOLS
        and not is_code(path)
        and (alone or path in (opened or ()) or not is_for_people(path))
    }
    named = tuple(sorted(data))[:_MOST_NAMED]
    if not data or (opened and data.keys().isdisjoint(opened)):
        return Control(Proof.UNPROVED, unnoticed=named, why=NOT_OPENED) if data else None
    seen = runs.any_notices((each, data) for each in all_watched if each)
    unseen = Control(Proof.UNPROVED, unnoticed=named, why=SAME_WITHOUT)
    return None if seen is None else Control(Proof.PROVED, tuple(data)) if seen else unseen


def _tied(
    runs: TimedRuns, patch: PatchEvidence, own: Watched | None, lines: dict[str, frozenset[int]]
) -> PatchEvidence:
    """With the tests of its own that look at what it changes, of those that go from red to green. Where a trace told
    that they do, nothing is asked. Where a command runs the tests, they count unless they were seen not to; who fails
    for want of something has to be seen."""
    sure = [each.test for each in patch.turned if each.counts]
    staged = {each.name for each in patch.only_tested}
    open_ = [each.test for each in patch.turned if "::" in each.test and each.test not in staged]
    if not own or not (own.suite.command if sure else open_):
        return patch
    if runs.time_left < NOTICING.least:
        return replace(patch, unfinished=(*patch.unfinished, NOTICING.told))
    seen = noticing(runs, own, sure or open_, lines, loads=bool(sure))
    if seen is None:
        return patch
    counts = {*(sure if seen else ())} if sure else seen
    return weigh(replace(patch, turned=tuple(replace(each, counts=each.test in counts) for each in patch.turned)))


def _asked_for(patch: PatchEvidence) -> set[str]:
    """The tests that the issue asks to be other ones, in their old version and in their new one."""
    new = [each for each in patch.contradictions if each.settled is Settled.NEW]
    return {name for each in new for name in (each.test, each.now)}


def _weakened(tried: TrialRun, seconds: float) -> PatchEvidence:
    """With the tests that notice less than they did, where the change touches tests of the base's that pass: their own
    files, what they are made of elsewhere, or where they lie."""
    patch, base, head = tried.found, tried.trial.base, tried.trial.head
    run = patch.facts.base
    altered = [name for name in tried.altered if not is_doctest(name)]
    reading = readers(tried.judges, tried.old)  # of other data: as good as rewritten
    near = {*tried.judges.beside, *map(file_of, altered), *reading}
    files = {file for each in run.results if (file := file_of(each.name)) in near}
    old = Watched(base.program, replace(base.suite, select=tuple(sorted(files))), _among(run, files))
    if patch.standing is Standing.IMPLAUSIBLE or not any(found for _, found in old.run.entered):
        return patch
    there = {path for path in files if content(head, path) is not None}
    moved = tried.own.select if tried.own and there < files else ()  # what is gone may be somewhere else now
    left, runs = {*there, *moved}, TimedRuns(tried.trial.executor, time.monotonic() + seconds, LOST.least, base.keeper)
    altered += [each.name for each in run.results if file_of(each.name) in reading and each.name not in altered]
    found = lost_kills(
        runs,
        old,
        _its_tests_on_the_base(tried, seconds, left) if left else None,
        rewritten=altered,
        excused=_asked_for(patch),
    )
    return _with_lost(patch, found, runs)


def _among(run: TestRun, files: Collection[str]) -> TestRun:
    """What a run says of the tests of these files."""
    results = tuple(each for each in run.results if file_of(each.name) in files)
    entered = tuple((test, found) for test, found in run.entered if file_of(test) in files)
    return replace(run, results=results, entered=entered)


def _weakened_by_command(tried: TrialRun, seconds: float) -> PatchEvidence:
    """The same where a command runs the tests: by its own name each test that was altered, all where what they use was,
    and the command as a whole where it counts as one."""
    patch, base, judges = tried.found, tried.trial.base, tried.judges
    old = Watched(base.program, base.suite, patch.facts.base)
    touched = sorted(judges.beside | judges.inline)
    asked = {*(old.run.passing if _helpers(judges) else tried.altered), command_name(base.suite.command)}
    asked -= _asked_for(patch)
    if patch.standing is Standing.IMPLAUSIBLE or not touched or not asked & old.run.passing.keys():
        return patch
    runs = TimedRuns(tried.trial.executor, time.monotonic() + seconds, LOST.least)
    words = _words_of_tests(tried)
    broken = defects_by_name(base.program, judges.base.files - judges.judging, words, touched)
    new = _its_tests_on_the_base(tried, seconds) if broken else old
    return _with_lost(patch, lost_by_command(runs, old, new, broken, rewritten=asked), runs)


def _with_lost(patch: PatchEvidence, found: tuple[LostKills, ...], runs: TimedRuns) -> PatchEvidence:
    late = (LOST.told,) if runs.time_left < runs.least and not found else ()
    return replace(patch, lost_kills=found, unfinished=(*patch.unfinished, *late))


def _helpers(judges: FileIndex) -> bool:
    """Whether the change touches files that the base's tests may use and that hold no test."""
    there = {path: old for path in judges.beside if judges.tests_by_custom(path) and (old := judges.changed[path][0])}
    return not all(defines_tests(path, old) for path, old in there.items())


def _words_of_tests(tried: TrialRun) -> set[bytes]:
    """The words of the tests that the change alters; of all of them where it alters what they use, or how they run."""
    demands = chain.from_iterable(tried.old.demands(test) or () for test in tried.altered)
    words = {name.encode() for each in demands for name in each.uses}
    judges, base = tried.judges, tried.trial.base.program
    all_ = not words or _helpers(judges)
    return words | words_of_tests(base, filter(judges.tests_by_custom, judges.judging)) if all_ else words


def _its_tests_on_the_base(tried: TrialRun, seconds: float, files: Collection[str] = frozenset()) -> Watched:
    """The base's code with the tests as the change has them, those of these files or all, and without those that it
    takes away."""
    base, judges = tried.trial.base, tried.judges
    laid = laid_over(judges)
    # What is laid over would hide a defect in the same file, where tests stand inside of the code.
    inside = {path: laid.pop(path) for path in judges.inline & laid.keys()}
    gone = {path: None for path in judges.beside if judges.changed[path][1] is None}
    code = replace(base.program, files={**base.program.files, **inside, **gone})
    suite = replace(tried.own or base.suite, files=laid, environment=base.suite.environment)
    known = tried.found.facts.own_base if not gone and {*suite.select}.issuperset(files) else None
    suite = replace(suite, select=tuple(sorted(files)) or suite.select)
    run = known or run_suite(tried.trial.executor, code, suite, seconds=seconds)
    return Watched(code, suite, _among(run, files) if files else run)


def _types(tried: TrialRun, runs: TimedRuns, all_watched: Iterable[Watched | None]) -> frozenset[str]:
    """Files of which it changes types alone that nothing reads as the tests run: stubs that none opens; those that no
    program holds any more; and Python's of functions that they enter, where none notices that each is another."""
    run, touched = tried.found.facts.head, tried.judges.touched
    opened = run.opened or frozenset()
    stubs = {path for path in touched if path.endswith(".pyi") and opened and path not in opened}
    texts = {path: [(text or b"").decode(errors="replace") for text in both] for path, both in touched.items()}
    alone = {path for path, both in texts.items() if all(both) and same_but_for_types(path, *both)} - stubs
    entered = {
        (place.path, place.name)
        for each in (tried.found.facts.base, tried.found.facts.own)
        for _, its in (each.entered if each else ())
        for place in its
    }
    loaded = {
        path
        for path in alone
        if path.endswith(".py") and path in opened and run.passing
        if all((path, each.name) in entered for each in functions_around_changes(path, *touched[path][::-1]) if each)
    }
    other = {path: run_in_child(without_types, path, texts[path][1], "'?'") for path in loaded}
    broken = {path: text.encode() for path, text in other.items() if isinstance(text, str)}
    asked = [(each, broken) for each in all_watched if each and broken]
    unread = broken.keys() if asked and runs.any_notices(asked) is False else frozenset[str]()
    return frozenset({*stubs, *unread, *(path for path in alone if not path.endswith((".py", ".pyi")))})


def _product_lines(
    tried: TrialRun, types: frozenset[str], endings: tuple[str, ...] = (".py",)
) -> dict[str, frozenset[int]]:
    """The lines of the product that the change touches, but of files in which it changes comments and layout alone, or
    types."""
    changed = changed_lines(tried.judges.judged, tried.trial.base.program, endings)
    mine = {path: at for path, at in changed.items() if path.endswith(tried.endings or endings)}
    beside = tried.judges.beside | types
    return {path: at for path, at in mine.items() if path not in beside and not _same(tried, path)}


def _same(tried: TrialRun, path: str) -> bool:
    return _alike(path, *(content(each, path) for each in (tried.trial.base.program, tried.judges.judged)))


def _alike(path: str, old: bytes | None, new: bytes | None) -> bool:
    return bool(old and new) and same_program(path, *(text.decode(errors="replace") for text in (old, new) if text))
