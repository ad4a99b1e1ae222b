"""What the benchmarks of judges share: the answers that cost money are kept, and nobody spends it unasked."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from bot.commands.confirmation import asks_model, confirm_cost, how_asked, prompt_of
from bot.commands.own_clone import cache_file
from bot.commands.predictions import Journal, digest, predict_all, writable, write_whole
from bot.commands.shared import InputError
from bot.judges.calibration.model_calibration import judged_by
from bot.judges.openai import prompts
from bot.judges.openai.spend import MemorySpend, prices
from bot.settings import Settings
from bot.verdicts import Usage

S = TypeVar("S")


limit_option = click.option("--limit", type=click.IntRange(min=1), help="Only so many, drawn with a fixed seed.")
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Questions to a model side by side."
)
yes_option = click.option("--yes", is_flag=True, help="Spend what a model costs without asking.")
answers_option = click.option(
    "--answers",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Recorded answers, as `bouncer judge` writes them with --out; nobody is asked.",
)
export_option = click.option(
    "--export",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the answers there, as BouncerBench's leaderboard takes them.",
)


def ask_all(
    asked: Sequence[Settings],
    judge: str,
    cut: str,
    subjects: Mapping[str, S],
    predict: Callable[[S], dict[str, Any]],
    texts: Callable[[S], Sequence[str]],
    spend: MemorySpend,
    *,
    jobs: int,
    yes: bool,
) -> dict[str, dict[str, Any]]:
    """Every subject's prediction. asked: the settings of each model that may be. judge: its name. cut: what makes a
    decision of its answer. texts: what it is sent.

    A model's answers are kept in the cache, and none is asked for twice, whichever benchmark or limit asked first. An
    offline judge is as fast as the cache, and changes with each version. Raises `InputError`, and `Interrupted` for
    Ctrl-C.
    """
    settings = asked[0]
    if not asks_model(settings):
        return predict_all(subjects, predict)
    how = (setting for model in asked for setting in how_asked(model))
    run = digest([judge, prompts.load(prompt_of(judge)).digest, cut, *how])
    keys = {name: digest(texts(subject)) for name, subject in subjects.items()}
    once = {keys[name]: subject for name, subject in subjects.items()}
    path = cache_file(settings.cache_dir / "bench" / f"{run[:32]}.jsonl", settings)
    with writable(path):
        journal = Journal(path, [run])
        known = journal.resume()
        todo = [sum(map(len, texts(subject))) for key, subject in once.items() if key not in known]
        if todo:
            confirm_cost(asked, judge, len(todo), len(once), sum(todo), yes)
        try:
            found = predict_all(once, predict, journal, known=known, jobs=jobs)
        finally:
            say_cost(asked, spend)
    return {name: found[key] for name, key in keys.items()}


def export_answers(path: Path, name: str, predictions: Mapping[str, Any]) -> None:
    """The leaderboard's file in a directory, which is made. Raises `InputError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}. Name a directory that can be written.") from None
    with writable(path / name):
        write_whole(path / name, dict(predictions))
    click.echo(f"{len(predictions)} answers in {path / name}.", err=True)


def say_cost(asked: Sequence[Settings], spend: MemorySpend) -> None:
    """What was spent. asked: the settings of each model that may have been."""
    for model in asked:
        used = spend.used.get(model.model, Usage())
        money = f", {used.money:,.2f} spent" if prices(model).known else "; what they cost is not known without prices"
        click.echo(
            f"{used.calls} calls of {model.model}: {used.tokens_in:,} tokens in, {used.tokens_out:,} out{money}.",
            err=True,
        )


def say_saving(asked: Sequence[Settings], judged: Sequence[str], spend: MemorySpend) -> None:
    """What a cheap model that is asked first has spared: the others' calls about what it settled. judged: who judged
    each text of this run, as verdicts name it."""
    cheap, *others = asked
    if cheap.first_model != cheap.model or not judged:
        return
    settled = sum(judged_by(name) == cheap.model for name in judged)
    used = [spend.used.get(model.model, Usage()) for model in others]
    spared = settled * sum(each.money / each.calls for each in used if each.calls)
    money = f", which saved about {spared:,.2f}" if spared else ""
    click.echo(f"{cheap.model} settled {settled} of {len(judged)} alone{money}.", err=True)
