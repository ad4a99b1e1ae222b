"""The examples of what a change was asked for, run on its base and on its head: which fails there and passes here."""

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from bot.already_fixed.decide import still_failing
from bot.already_fixed.project import Project, project_of
from bot.already_fixed.reading import python
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.script import script_to_paste
from bot.already_fixed.trial import TrialPlace, tried
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction, Run, Seen, Trial
from bot.already_fixed.variants import with_variants
from bot.judges.code import SpecTest
from bot.verification.literals import maker
from bot.verification.patch_evidence import ExampleRuns
from bot.verification.stage import Stage
from bot.verification.syntax import is_literal
from bot.verification.values import Program

SHARE = 0.25  # of the time that one run of the tests may take, for all examples
EACH = 5.0  # seconds for one run of one
LEAST = 1.0  # seconds without which nothing new is begun
_LONGEST = 60  # characters of a name in a form to be copied


@dataclass(frozen=True, slots=True)
class ExampleSource:
    """A text that examples are read from, as its readers see it. name: for people, e.g. `issue 12`. Title and text are
    strangers'; writers: the logins of those who wrote and edited it, as far as that is known."""

    name: str
    title: str
    text: str
    writers: tuple[str, ...] = ()


def run_examples(stage: Stage, sources: Sequence[ExampleSource]) -> ExampleRuns:
    """What the sources show, run on the stage's base and head. Never raises for what programs do and texts say.

    An example counts where the base gets it wrong. What a text shows without saying whether it is wrong is taken for
    what should come, as far as it is a plain value and the base gives something else.
    """
    tree = stage.base.program.tree
    if not sources or tree is None:
        return ExampleRuns()
    project = project_of(tree)
    wanted = list(_read(sources, project))
    named = tuple(source.name for source in sources)
    form = form_of(project) if project.package else ""
    if not wanted:
        return ExampleRuns(sources=named, form=form)
    on_base, on_head = base_and_head(stage, wanted, _is_wrong, max(SHARE * stage.seconds, LEAST), LEAST)
    trials = [Trial(one, reported=on_base[one.name], head=on_head.get(one.name)) for one in wanted]
    told = _told(trials)
    counted = told.still or told.mended or told.otherwise
    return replace(told, sources=named, form="" if counted else form)


def base_and_head(
    stage: Stage,
    wanted: Sequence[Reproduction],
    is_wrong: Callable[[Reproduction, Run], bool],
    seconds: float,
    least: float,
) -> tuple[dict[str, Run], dict[str, Run]]:
    """By name what each shows on the stage's base, and on its head what the base gets wrong. seconds: for all; the head
    has as many as `least` in any case."""
    end = time.monotonic() + seconds
    before = TrialPlace(stage.base.program, stage.base.suite.environment)
    on_base = tried(stage.executor, before, wanted, seconds=seconds / 2, each=EACH)
    wrong = [one for one in wanted if is_wrong(one, on_base[one.name])]
    after, left = TrialPlace(stage.head, stage.suite.environment), max(end - time.monotonic(), least)
    return on_base, tried(stage.executor, after, wrong, seconds=left, each=EACH)


def read_examples(sources: Sequence[ExampleSource], tree: Path) -> list[Reproduction]:
    """What the sources show, as the program in the tree is called."""
    return list(_read(sources, project_of(tree)))


def calls_in_examples(sources: Sequence[ExampleSource], program: Program) -> tuple[SpecTest, ...]:
    """What the sources demand of calls, as far as an example ends with one: a value, or an exception. For whoever
    compares calls and cannot run a whole example."""
    return tuple(dict.fromkeys(filter(None, map(demand_of, _read(sources, _project(program))))))


def demand_of(one: Reproduction) -> SpecTest | None:
    """What an example demands of the call it ends with; `None` where it ends otherwise."""
    tree = python.tree_of(one.code) if one.form is not Form.PROGRAM else None
    last = tree.body[-1] if tree and tree.body and not one.variant_of else None
    value, right = last.value if isinstance(last, ast.Expr) else None, one.expectation.right
    if isinstance(last, ast.Assert) and isinstance(last.test, ast.Compare) and isinstance(last.test.ops[0], ast.Eq):
        value, right = last.test.left, ast.unparse(last.test.comparators[0])
    if isinstance(value, ast.Call) and python.is_print(value.func) and len(value.args) == 1:
        value = value.args[0]
    if not isinstance(value, ast.Call):
        return None
    if one.expectation.failure is Failure.MISSES:
        right = f"raises {one.expectation.exception}"
    # Of a module's function its bare name; a method stays with what makes its object.
    called = value.func if maker(value) else ast.Name(ast.unparse(value.func).rpartition(".")[2])
    call = ast.unparse(ast.Call(called, value.args, value.keywords))
    return SpecTest(f"{call} gives {right}", call, right) if right else None


def _project(program: Program) -> Project:
    """Of a program that is one file: what it defines."""
    if program.tree is not None:
        return project_of(program.tree)
    path, text = next(iter(program.files.items()), ("", None))
    module, names = path.removesuffix(".py"), python.defined((text or b"").decode("utf-8", "replace"))
    return Project(frozenset({module}), package=module, names=names)


def form_of(project: Project) -> str:
    """An example to be copied and filled in, in a form that is read."""
    package = project.package[:_LONGEST]
    return f">>> import {package}\n>>> {package}.function(1)\n2\n\nExpected: `3`\n"


def _read(sources: Sequence[ExampleSource], project: Project) -> Iterator[Reproduction]:
    """Each named by its source, and told by where it stands in that."""
    for number, source in enumerate(sources, 1):
        begin = f"source_{number}_"
        shown = extract(source.title, source.text, project).reproductions
        own = tuple(chain.from_iterable(_demands(one) if one.leaves_open else (one,) for one in shown))
        for one in with_variants(own, source.text):
            original = begin + one.variant_of if one.variant_of else ""
            where = f"{source.name}, {one.where}"
            yield replace(one, name=begin + one.name, variant_of=original, where=where)


def _demands(one: Reproduction) -> Iterator[Reproduction]:
    """Each plain value that a session shows, as what should come."""
    if one.form is not Form.SESSION or one.expectation.failure is not Failure.PRINTS:
        return
    for at, shown in enumerate(one.expectation.wrong):
        value = python.expression(shown.strip())
        if value and is_literal(value):
            steps = one.steps[: at + 1]
            yield replace(
                one,
                name=f"{one.name}_{at + 1}",
                code="\n".join(steps),
                steps=steps,
                expectation=Expectation(Failure.PRINTS, right=shown),
            )


def _is_wrong(one: Reproduction, run: Run) -> bool:
    """Whether a base gets it wrong: as reported, or otherwise where the report says what should come."""
    return run.seen is Seen.AS_REPORTED or _is_another(one, run)


def _is_another(one: Reproduction, run: Run) -> bool:
    """Whether it gives neither what was reported nor what the report asks for."""
    return run.seen is Seen.OTHERWISE and not run.unclear and bool(one.expectation.right)


def _told(trials: Sequence[Trial]) -> ExampleRuns:
    failing = still_failing(trials)
    still = [trial for trial in trials if trial in failing or _misses(trial)]
    mended = [trial for trial in trials if trial.head and trial.head.seen is Seen.PASSES]
    ran = [trial for trial in trials if trial.head and trial not in (*still, *mended)]
    fine = "it does not fail without this change"
    idle = [
        f"{each.reproduction.where}: {fine if each.reported.seen is Seen.PASSES else each.reported.says}"
        for each in trials
        if each.reported and each.head is None and not each.reproduction.variant_of
    ]

    def say(trial: Trial, run: Run | None) -> str:
        expected, says = trial.reproduction.expectation, run.says if run else ""
        asked = trial in still and expected.right and "asks for" not in says
        return f"{trial.reproduction.where}: {says}{', and it asks for something else' if asked else ''}"

    shown = ""
    for first in still[:1]:
        where, came = first.reproduction.where, first.head.shown if first.head else ""
        shown = script_to_paste(first.reproduction, f"{where[:1].upper()}{where[1:]}. ", came)
    return ExampleRuns(
        still=tuple(say(trial, trial.head) for trial in still),
        mended=tuple(say(trial, trial.head) for trial in mended),
        otherwise=tuple(say(trial, trial.head) for trial in ran),
        idle=tuple(idle),
        shown=shown,
    )


def _misses(trial: Trial) -> bool:
    """Whether the base fails as reported, and the head gives neither that nor what the report asks for."""
    one, run = trial.reproduction, trial.head
    counts = trial.failed_before and not one.variant_of and not one.may_fail
    return run is not None and counts and _is_another(one, run)
