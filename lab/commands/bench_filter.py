"""`bouncer bench filter`: how often the fix-guided filter is right on programs that are known to be right or wrong."""

import json
import math
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from bot.commands.scratch import scratch
from bot.commands.shared import Refusing
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Executor
from bot.verification.values import Augmentation
from lab.commands.bench_table import percent, print_table, rate_cells
from lab.data.files import BESIDE
from lab.data.forms import Form, in_forms
from lab.data.programs import Pair, read_pairs
from lab.scores.filter import PAPER, PAPER_NOTE, FaultRow, FilteredPair, Score, Share, fault_rows, scores, try_pairs

NOTHING_RAN = 3
_AS = {
    Form.FUNCTION: "functions",
    Form.METHOD: "methods of a class",
    Form.MODULES: "modules of two files",
}
HEADLINE = "A reviewer that always says no and offers the other program: unfiltered, every correct one is rejected."


@click.command("filter", cls=Refusing, said="bench")
@click.option(
    "--data", type=click.Path(path_type=Path), default=BESIDE, show_default=True, help="The directory of the data."
)
@click.option("--most", type=click.IntRange(min=1), help="So many pairs of each data set.")
@click.option("--minutes", type=float, default=math.inf, help="Begin no pair after so many.")
@click.option(
    "--form",
    "forms",
    type=click.Choice([each.value for each in Form]),
    multiple=True,
    help="As what programs are tried, side by side.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Pairs side by side.")
@click.option(
    "--without",
    type=click.Choice([each.value for each in Augmentation]),
    multiple=True,
    help="Do not compare by this.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def filter_bench(
    data: Path,
    most: int | None,
    minutes: float,
    forms: tuple[str, ...],
    jobs: int,
    without: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say how often the fix-guided filter is right on programs that are known to be right or wrong.

    It sees the visible part of each task's tests, no model is asked, and nothing is cached between runs. Exit status: 0
    when it was measured, 2 when the data is absent, 3 when nothing can be run here.
    """
    click.get_current_context().with_resource(scratch("Stopped. Nothing is kept."))
    executor = executor_here("bench")
    pairs = read_pairs(data)
    wanted = [*dict.fromkeys(map(Form, forms or (Form.FUNCTION,)))]
    made = in_forms(pairs) if forms else [{Form.FUNCTION: pair} for pair in pairs]
    asked = [each[form] for each in _some(made, most) for form in wanted]
    tried = try_shown(executor, asked, jobs, minutes, frozenset(map(Augmentation, without)))
    whole = len(tried) - len(tried) % len(wanted)  # each in all forms
    each_form = {form: tried[at : whole : len(wanted)] for at, form in enumerate(wanted)}
    of_forms = {form: list(scores(found)) for form, found in each_form.items()}
    faults = {form: fault_rows(found) for form, found in each_form.items()}
    if as_json:
        documents = {form.value: [_document(score) for score in found] for form, found in of_forms.items()}
        by_fault = {form.value: list(map(asdict, found)) for form, found in faults.items()}
        click.echo(json.dumps({"forms": documents, "faults": by_fault, "paper": _paper()}))
        return
    click.echo(HEADLINE)
    if whole < len(asked):
        click.echo(f"The time sufficed for {whole // len(wanted)} of {len(asked) // len(wanted)} pairs.")
    for form, found in of_forms.items():
        click.echo(f"\nPrograms as {_AS[form]}")
        for score in found:
            _show(score)
        _show_faults(faults[form])
    if len(wanted) > 1:
        _show_beside(of_forms)
    _show_paper()


def _some(pairs: Sequence[dict[Form, Pair]], most: int | None) -> list[dict[Form, Pair]]:
    """In the order of a hash, which mixes data sets and tasks; at most so many of each data set."""
    taken: list[dict[Form, Pair]] = []
    counted = Counter[str]()
    for each in sorted(pairs, key=_hash):
        counted[each[Form.FUNCTION].dataset] += 1
        if most is None or counted[each[Form.FUNCTION].dataset] <= most:
            taken.append(each)
    return taken


def _hash(made: dict[Form, Pair]) -> bytes:
    pair = made[Form.FUNCTION]
    return sha256("\0".join((pair.dataset, pair.task, pair.original, pair.fix)).encode()).digest()


def _show_beside(of_forms: dict[Form, list[Score]]) -> None:
    """Each form beside the first, over all data sets and for each."""
    first, *_ = of_forms.values()
    click.echo(f"\n{'false rejections, false acceptances':36}" + "".join(f"{form.value:>18}" for form in of_forms))
    for at, score in enumerate(first):
        cells = (
            f"{percent(found[at].false_rejections.value)}, {percent(found[at].false_acceptances.value)}"
            for found in of_forms.values()
        )
        click.echo(f"  {score.dataset:34}" + "".join(f"{cell:>18}" for cell in cells))


def executor_here(said: str) -> Executor:
    """What runs the programs. said: which command ends with exit status 3 where nothing can be run."""
    executor = BubblewrapExecutor()
    capabilities = executor.probe()
    if not capabilities.usable:
        click.echo(f"bouncer {said}: {capabilities.problem}", err=True)
        raise click.exceptions.Exit(NOTHING_RAN)
    return executor


def try_shown(
    executor: Executor,
    pairs: Sequence[Pair],
    jobs: int,
    minutes: float = math.inf,
    without: Set[Augmentation] = frozenset(),
) -> tuple[FilteredPair, ...]:
    """The filter on every pair, with a bar on a terminal. without: by what programs are not compared."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("Trying", total=len(pairs))
        return try_pairs(
            executor, pairs, jobs=jobs, minutes=minutes, progress=lambda: progress.advance(bar), without=without
        )


def _show(score: Score) -> None:
    rejections, acceptances = score.false_rejections, score.false_acceptances
    apart = score.apart
    click.echo(f"\n{score.dataset}: {rejections.of + acceptances.of} pairs, {score.left_out} more left out "
               "(correct, but fail the visible tests)")  # fmt: skip
    click.echo(f"  false rejections   {_share(rejections, 'correct')}")
    click.echo(f"  false acceptances  {_share(acceptances, 'wrong')}")
    click.echo(
        f"  UNAVAILABLE apart  {percent(apart[0])} false rejections, {percent(apart[1])} false acceptances; left "
        f"open: {score.unavailable_correct} correct, {score.unavailable_wrong} wrong"
    )
    for case, correct, decision, count in score.cases:
        click.echo(f"    {case:15} {'correct' if correct else 'wrong':8} {decision:12} {count:5}")
    if score.median_seconds is not None:
        click.echo(f"  median of the filter on a pair that passes the visible tests: {score.median_seconds:.2f} s")


def _show_faults(rows: Sequence[FaultRow]) -> None:
    if rows:
        click.echo("\nWrong programs whose fault has a label: HumanEvalPack's own, and ours of QuixBugs.")
        cells = [
            (row.by, row.fault, str(row.accepted.of), *rate_cells(row.accepted), str(row.unavailable)) for row in rows
        ]
        print_table(("by", "fault"), ("programs", "false acceptances", "95%", "left open"), cells)


def _share(share: Share, kind: str) -> str:
    interval = f"95% of tasks drawn again: {percent(share.low)} to {percent(share.high)}"
    return f"{percent(share.value)} ({share.count} of {share.of} {kind}; {interval})"


def _show_paper() -> None:
    click.echo("\nThe paper's Table 4 (Full prompt, percent; before -> after)")
    click.echo(f"  {'judge':22} {'data set':10} {'false acceptances':>18} {'false rejections':>18}")
    for (judge, dataset), (accepted, rejected, accepted_after, rejected_after) in PAPER.items():
        shown = f"{accepted:.1f} -> {accepted_after:.1f}", f"{rejected:.1f} -> {rejected_after:.1f}"
        click.echo(f"  {judge:22} {dataset:10} {shown[0]:>18} {shown[1]:>18}")
    click.echo(f"  {PAPER_NOTE}")


def _paper() -> dict[str, Any]:
    names = ("false_acceptances_before", "false_rejections_before", "false_acceptances_after", "false_rejections_after")
    rows = [
        {"judge": judge, "dataset": dataset} | dict(zip(names, row, strict=True))
        for (judge, dataset), row in PAPER.items()
    ]
    return {"note": PAPER_NOTE, "percent": rows}


def _document(score: Score) -> dict[str, Any]:
    names = ("case", "correct", "decision", "count")
    return asdict(score) | {
        "cases": [dict(zip(names, case, strict=True)) for case in score.cases],
        "false_rejections_decided": score.apart[0],
        "false_acceptances_decided": score.apart[1],
    }
