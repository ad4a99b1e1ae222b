"""`bouncer bench variants`: does the gate let near-miss versions of a right change pass?"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkdtemp

import click

from bot.commands.scratch import scratch
from bot.commands.shared import (
    InputError,
    Refusing,
    executor_option,
    json_option,
    own_settings,
    patch_judge_option,
)
from bot.errors import PlainError
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities, Executor
from bot.settings import Settings
from lab.commands.bench_asking import limit_option, yes_option
from lab.commands.bench_table import print_table, rate_cells
from lab.commands.bench_variants_run import Placed, VariantRun, judge_texts, of_clones
from lab.data.strengthened import read_mutations, read_strengthened
from lab.scores.counts import draw
from lab.variants.near_misses import MOST
from lab.variants.tasks import RIGHT, Truth, VariantRow, VariantTask, own_cases, own_task, variant_rows

_FIGURES = ("versions", "accepted", "naming it", "for a person", "neutral", "bounced", "wrongly", "95%")
_WORDS = (
    "A near miss passes all tests that its author saw, and fails a hidden one. wrongly: of near misses, accepted; of\n"
    "right changes, bounced. for a person: held until somebody looks. neutral: nothing can be said, and nothing is\n"
    "held. naming it: of the accepted, such as name an answer that no test asks for and that the right change does\n"
    "not give. 95%: Wilson."
)
_TEXTS = (
    "Judged as texts: nothing was run, and that the mutations are wrong is SWE-ABS's word. wrongly: of mutations,\n"
    "accepted; of right patches, bounced. 95%: Wilson."
)


@dataclass(frozen=True, slots=True)
class MeasuredVersions:
    """tasks: how many the versions are of. left_out: versions by what their tests say of them."""

    rows: Sequence[VariantRow]
    tasks: int
    left_out: Mapping[str, int]
    executed: bool = True


class _NothingRuns(PlainError):
    status = 3


_STOPPED = "Stopped. What was run is kept: the same command goes on from there."


@click.command("variants", cls=Refusing, said="bench variants", nothing=lambda _: {"rows": [], "reference": []})
@click.option(
    "--data",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Published tasks instead of Bouncer's own projects: SWE-bench's rows with stronger tests, JSON Lines.",
)
@click.option(
    "--clones", type=click.Path(path_type=Path, file_okay=False), help="Of --data: git directories, as OWNER+NAME.git."
)
@click.option(
    "--mutations",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Of --data: wrong patches as SWE-ABS's pipeline writes them.",
)
@limit_option
@click.option("--jobs", type=click.IntRange(1, 16), default=2, show_default=True, help="Versions side by side.")
@click.option("--seed", type=int, default=0, show_default=True, help=f"Of the {MOST} versions of a kind that are kept.")
@patch_judge_option
@executor_option
@yes_option
@json_option
def variants_bench(
    data: Path | None,
    clones: Path | None,
    mutations: Path | None,
    limit: int | None,
    jobs: int,
    seed: int,
    judged_by: str | None,
    executor: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Say how often the gate accepts near-miss versions of a right change, and bounces the right one.

    The versions are made of Bouncer's own small projects, or of --data in --clones: narrowed to the issue's example, a
    condition dropped, an input special-cased. Those that are right, or fail what their author saw, are left out. The
    others are judged as `bouncer judge pull` does, by running them. What was judged is kept, and the same command goes
    on where it stopped. Without --clones nothing is run: the patches of --data and --mutations are judged as texts.

    --limit counts projects or tasks. Exit status: 0 when it was measured, 2 for bad input, 3 when nothing can be run
    here.
    """
    if data is None and (clones or mutations):
        raise InputError("--clones and --mutations go with --data FILE. Name it, or leave them out.")
    published = draw(read_strengthened(data), limit) if data else []
    wrong = read_mutations(mutations) if mutations else {}
    settings = own_settings(judge=judged_by, executor=executor)
    if data and not clones:
        judged = judge_texts(published, wrong, settings, jobs, yes=yes)
        _show(MeasuredVersions(variant_rows(judged), len(published), {}, executed=False), as_json)
        return
    click.get_current_context().with_resource(scratch(_STOPPED))
    place = Path(mkdtemp())
    run = VariantRun(settings, _executor(settings), jobs)
    tasks = (
        of_clones(published, wrong, clones, place, seed)
        if clones
        else [own_task(case, place / case.id) for case in draw(own_cases(), limit)]
    )
    _show(_measured(run, tasks, seed, yes=yes), as_json)


def _executor(settings: Settings) -> Executor:
    found = choose(settings)
    if isinstance(found, Capabilities):
        raise _NothingRuns(f"nothing may run here: {found.problem}")
    return found


def _measured(run: VariantRun, tasks: Sequence[VariantTask], seed: int, *, yes: bool) -> MeasuredVersions:
    placed = [(task, version) for task in tasks for version in task.versions]
    truths = run.truths(placed)
    kept = near_misses(placed, truths, seed)
    left = Counter(truth for (_, version), truth in zip(placed, truths, strict=True) if version.kind != RIGHT)
    left_out = {truth.value: left[truth] for truth in (Truth.RIGHT, Truth.OBVIOUS, Truth.UNKNOWN)}
    return MeasuredVersions(variant_rows(run.judge(kept, yes=yes)), len(tasks), left_out)


def near_misses(placed: Sequence[Placed], truths: Sequence[Truth], seed: int) -> list[Placed]:
    """The right changes that pass their tests, each with `MOST` of its near misses of each kind, drawn by the seed."""
    told = list(zip(placed, truths, strict=True))
    right = [task.id for (task, version), truth in told if version.kind == RIGHT and truth is Truth.RIGHT]
    kinds: dict[tuple[str, str], list[Placed]] = {}
    for (task, version), truth in told:
        wanted = Truth.RIGHT if version.kind == RIGHT else Truth.NEAR_MISS
        if task.id in right and truth is wanted:
            kinds.setdefault((task.id, version.kind), []).append((task, version))
    return [one for group in kinds.values() for one in draw(group, MOST, seed)]


def _show(found: MeasuredVersions, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({**asdict(found), "reference": []}, ensure_ascii=False))
        return
    print_table(("what",), _FIGURES, map(_cells, found.rows))
    click.echo(f"\n{_WORDS if found.executed else _TEXTS}")
    for row in found.rows:
        if row.grounds:
            click.echo(f"{row.name}: {', '.join(f'{count} {ground}' for ground, count in row.grounds.items())}.")
    if any(found.left_out.values()):
        click.echo("Left out: {right} that are right, {obvious} that fail what their author saw, {unknown} whose tests "
                   "could not be run.".format(**found.left_out))  # fmt: skip


def _cells(row: VariantRow) -> tuple[str, ...]:
    counts = (row.versions, row.accepted, row.named, row.held, row.neutral, row.bounced)
    return row.name, *map(str, counts), *rate_cells(row.wrong)
