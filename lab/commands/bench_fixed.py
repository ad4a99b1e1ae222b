"""`bouncer bench fixed`: do agents, and does Bouncer, see that a report is fixed already?"""

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import click

from bot.commands.confirmation import asks_model
from bot.commands.own_clone import cache_file
from bot.commands.predictions import Journal, digest, writable
from bot.commands.shared import InputError, Interrupted, Refusing, executor_option, json_option, own_settings
from bot.judges.openai.spend import MemorySpend
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities, Executor
from bot.settings import Settings
from lab.commands.bench_asking import ask_all, asking_options
from lab.commands.bench_table import p_value, percent, print_table, rate_cells
from lab.data.files import BESIDE
from lab.data.git_commits import directories
from lab.fixed.cases import rows
from lab.fixed.recipes import REPOSITORIES
from lab.fixed.states import STAGES, Looking, StateRow, stages, state_answer, state_rows, wants_ceiling, with_ceiling
from lab.scores.abstention import (
    PROMPTS,
    PUBLISHED,
    PUBLISHED_P,
    RESOLVED,
    AbstentionRow,
    AgentAnswer,
    Behaviour,
    abstention_rows,
    read_agents,
)
from lab.scores.behaviours import PUBLISHED as BEHAVIOURS
from lab.scores.behaviours import BehaviourRow, behaviour_rows
from lab.scores.counts import draw

NOTHING_RAN = 3
_WORDS = (
    "right: held back where the code was right already (Resolved); wrong: where it must change (Partial, Novel).\n"
    "To hold back is to change no code: tests, documents, comments and docstrings do not count. 95%: Wilson.\n"
    "more, fewer: tasks where it holds back with this prompt alone, and with Issue alone. p: McNemar's, exact, that\n"
    "both are alike."
)


@click.command("fixed", cls=Refusing, said="bench fixed", nothing=lambda _: {"rows": [], "reference": []})
@click.option(
    "--predictions",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Agents' answers to FixedBench's tasks, JSON Lines; nothing is run.",
)
@click.option(
    "--repos", type=click.Path(path_type=Path), help="Instead: git directories, as OWNER+NAME.git. Run there."
)
@click.option(
    "--data", type=click.Path(path_type=Path), default=BESIDE, show_default=True, help="The directory of the data."
)
@click.option("--only", multiple=True, type=click.Choice(REPOSITORIES), metavar="OWNER/NAME", help="Only this one.")
@click.option("--partials", type=click.IntRange(min=0), default=3, show_default=True, help="Wrong patches of a report.")
@click.option("--telling", is_flag=True, help="Run only reports whose text alone says what is right.")
@click.option("--ceiling", is_flag=True, help="Of what was run before: the fix's own tests, and head minus fix.")
@click.option("--behaviours", is_flag=True, help="With --predictions: ask the model what each recorded trace shows.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the order in which reports are taken.")
@click.option("--minutes", type=click.FloatRange(min=0), help="After which no further report is begun.")
@executor_option
@asking_options
@json_option
def state_bench(
    predictions: Path | None,
    repos: Path | None,
    data: Path,
    only: tuple[str, ...],
    partials: int,
    telling: bool,
    ceiling: bool,
    behaviours: bool,
    seed: int,
    minutes: float | None,
    executor: str | None,
    limit: int | None,
    jobs: int,
    yes: bool,
    as_json: bool,
) -> None:
    """Measure FixedBench's states: what agents do with a report that is fixed, in part, or not at all.

    With --predictions: how often agents hold back, for each state and prompt, and what their traces show. With
    --repos: what Bouncer says of real reports when it runs what they show; each answer is kept, and the same command
    goes on where it stopped. Exit status: 0 when it was measured, 2 for bad input, 3 when nothing can be run here, 130
    after Ctrl-C.
    """
    if (predictions is None) is (repos is None):
        raise InputError("say either --predictions FILE (agents' answers) or --repos DIR (Bouncer's own statuses).")
    if behaviours and not predictions:
        raise InputError("--behaviours goes with --predictions FILE, whose rows hold a trace.")
    if predictions:
        known = read_agents(predictions)
        agents = _ask_behaviours(known, limit, jobs, yes) if behaviours else known
        _show_agents(abstention_rows(agents), behaviour_rows(agents), as_json)
        return
    assert repos is not None
    settings = own_settings(**({"executor": executor} if executor else {}))
    runs_here = choose(settings)
    if isinstance(runs_here, Capabilities):
        click.echo(f"bouncer bench fixed: nothing may run here: {runs_here.problem}", err=True)
        raise click.exceptions.Exit(NOTHING_RAN)
    wanted = list(rows(data, repos, only or REPOSITORIES))
    Random(seed).shuffle(wanted)
    end = time.monotonic() + 60 * (math.inf if minutes is None else minutes)
    answers = _answers(wanted, repos, Looking(partials, telling), ceiling, end, runs_here, settings)
    _show_states(answers, len(wanted), seed, as_json)


def _answers(
    wanted: Sequence[dict[str, Any]],
    repos: Path,
    looking: Looking,
    ceiling: bool,
    end: float,
    executor: Executor,
    settings: Settings,
) -> list[dict[str, Any]]:
    """Those that are kept, and as many more as there is time for. Raises `Interrupted`."""
    path = cache_file(settings.cache_dir / "bench" / f"states-{digest([asdict(looking)])[:16]}.jsonl", settings)
    places = directories(repos)
    with writable(path), TemporaryDirectory(prefix="bouncer-states-") as scratch:
        journal = Journal(path, ["states/1"])
        known = journal.resume()
        try:
            for row in wanted:
                if time.monotonic() >= end:
                    break
                name, place = row["instance_id"], places[row["repo"]]
                if not ceiling and name not in known:
                    known[name] = state_answer(row, place, Path(scratch, name), looking, executor, settings)
                elif ceiling and name in known and wants_ceiling(known[name]):
                    into = Path(scratch, "tests", name)
                    known[name] = with_ceiling(known[name], row, place, into, looking, executor, settings)
                else:
                    continue
                journal.keep(name, known[name])
                click.echo(f"{name}: {known[name]['stage']}: {known[name]['why']} {known[name]['runs']}", err=True)
        except KeyboardInterrupt:
            done = sum(row["instance_id"] in known for row in wanted)
            raise Interrupted(f"stopped after {done} of {len(wanted)}. The same command goes on from there.") from None
    return [known[row["instance_id"]] for row in wanted if row["instance_id"] in known]


def _ask_behaviours(answers: Sequence[AgentAnswer], limit: int | None, jobs: int, yes: bool) -> tuple[AgentAnswer, ...]:
    """With what the model finds in each trace that nobody looked at; one that it cannot answer about stays as it is.
    Raises `InputError`."""
    settings = own_settings()
    if not asks_model(settings):
        raise InputError("the offline judge reads no traces. Set BOUNCER_JUDGE=openai.")
    from lab.models.traces import OpenAITraceJudge  # the SDK takes most of a second

    places = [at for at, each in enumerate(answers) if each.trace and each.behaviours is None]
    if not places:
        raise InputError("no row has a trace that nobody looked at.")
    spend = MemorySpend()
    judge = OpenAITraceJudge(settings, spend)
    found = ask_all(
        (settings,),
        judge.name,
        "behaviours",
        {str(at): answers[at] for at in draw(places, limit)},
        lambda one: judge.look(one.issue, one.trace),
        lambda one: (one.issue, one.trace),
        spend,
        jobs=jobs,
        yes=yes,
    )
    looked_at = list(answers)
    for at, shown in found.items():
        if "behaviours" in shown:
            looked_at[int(at)] = replace(answers[int(at)], behaviours=frozenset(map(Behaviour, shown["behaviours"])))
    return tuple(looked_at)


def _show_agents(rows: Sequence[AbstentionRow], traces: Sequence[BehaviourRow], as_json: bool) -> None:
    reference = _published()
    if as_json:
        documents = [{"name": f"{row.agent}, {row.prompt}", "kind": "agent", **asdict(row)} for row in rows]
        more = {"reference": reference, "behaviours": list(map(asdict, traces))}
        click.echo(json.dumps({"rows": documents, **more}, ensure_ascii=False))
        return
    shown = [
        (row.agent, row.state, row.scenario, row.prompt, str(row.abstained.of), *_abstained(row),
         *rate_cells(row.resolved), *_changed(row), p_value(row.p))
        for row in rows
    ]  # fmt: skip
    paper = [
        (f"{each['agent']} (paper)", each["state"], each["scenario"], each["prompt"], "",
         *(percent(each["abstained"]) if each["correct"] is right else "" for right in (True, False)), "",
         percent(each["resolved"]), "", "", "", "" if each["p"] is None else p_value(each["p"]))
        for each in reference
    ]  # fmt: skip
    words = ("agent", "state", "scenario", "prompt")
    figures = ("tasks", "right", "wrong", "95%", "resolved", "95%", "more", "fewer", "p")
    print_table(words, figures, [*shown, *paper])
    click.echo(f"\n{_WORDS}\n(paper): published in FixedBench, Table 1, on other answers.")
    if traces:
        _show_behaviours(traces)


def _show_behaviours(rows: Sequence[BehaviourRow]) -> None:
    click.echo("\nWhat traces show: of answers that hold back, and of those that change code.\n")
    measured = [
        (row.agent, row.state, row.prompt, row.behaviour.value, *rate_cells(row.abstained), *rate_cells(row.edited))
        for row in rows
    ]
    published = [
        ("Sonnet-4.6 (paper)", RESOLVED, PROMPTS[0], behaviour.value, *(_percent(held), "", _percent(edited), ""))
        for behaviour, (held, edited) in BEHAVIOURS.items()
    ]
    words = ("agent", "state", "prompt", "behaviour")
    print_table(words, ("holds back", "95%", "edits", "95%"), [*measured, *published])
    click.echo(
        "\n(paper): FixedBench, section 3.3; by a model's look at traces, which it finds 78% right (appendix C)."
    )


def _percent(share: float | None) -> str:
    return percent(None if share is None else share / 100)


def _abstained(row: AbstentionRow) -> tuple[str, str, str]:
    share, interval = rate_cells(row.abstained)
    return (share, "", interval) if row.correct else ("", share, interval)


def _changed(row: AbstentionRow) -> tuple[str, str]:
    return ("", "") if row.p is None else (str(row.more), str(row.fewer))


def _published() -> list[dict[str, Any]]:
    names = ("agent", "state", "scenario", "prompt")
    return [
        {"source": "FixedBench, Table 1", **dict(zip(names, (agent, *key), strict=True)),
         "correct": key[0] == RESOLVED, "abstained": abstained / 100, "resolved": resolved / 100,
         "p": PUBLISHED_P.get((agent, *key[1:])) if key[0] == RESOLVED else None}
        for agent, rows in PUBLISHED.items()
        for key, (abstained, resolved) in rows.items()
    ]  # fmt: skip


def _show_states(answers: Sequence[Mapping[str, Any]], wanted: int, seed: int, as_json: bool) -> None:
    found = state_rows(answers)
    if as_json:
        documents = [{"name": f"{row.basis}, {row.state}", "kind": "status", **asdict(row)} for row in found]
        document = {"rows": documents, "reference": [], "reports": len(answers), "wanted": wanted}
        click.echo(json.dumps(document | {"stages": stages(answers)}, ensure_ascii=False))
        return
    click.echo(f"{len(answers)} of {wanted} reports, in the order of seed {seed}.\n")
    print_table(("repository",), STAGES, [(name, *map(str, own.values())) for name, own in stages(answers).items()])
    click.echo()
    if not found:
        click.echo("None of these reports was seen to fail at its base as it says, so nothing can be counted.")
        return
    print_table(
        ("by", "of reports that", "repository", "state"), ("called fixed", "of", "share", "95%"), map(_cells, found)
    )
    click.echo("\nResolved and Merged should be called fixed, Partial and Novel must not be.")


def _cells(row: StateRow) -> tuple[str, ...]:
    counts = (str(row.fixed.count), str(row.fixed.of), *rate_cells(row.fixed))
    return row.basis, row.stage, row.repository, row.state, *counts
