"""What the benchmarks of judges share: the answers that cost money are kept, and nobody spends it unasked."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from bot.commands.predictions import Journal, digest, predicted, writable, write_whole
from bot.commands.shared import InputError
from bot.judges.openai import prompts
from bot.judges.openai.spend import MemorySpend, Prices
from bot.registry import JUDGES, by_name
from bot.settings import Settings

S = TypeVar("S")

_CHARACTERS = 4  # of English in a token, roughly

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


def asks_model(settings: Settings) -> bool:
    """Whether the judge of the settings costs money."""
    return by_name(JUDGES, settings.judge).asks_model


def ask_all(
    settings: Settings,
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
    """Every subject's prediction. judge: its name. cut: what makes a decision of its answer. texts: what it is sent.

    A model's answers are kept in the cache, and none is asked for twice, whichever benchmark or limit asked first. An
    offline judge is as fast as the cache, and changes with each version. Raises `InputError`, and `Interrupted` for
    Ctrl-C.
    """
    if not asks_model(settings):
        return predicted(subjects, predict)
    run = digest([judge, cut, settings.model_base_url, settings.model_effort, settings.model_temperature,
                  settings.model_max_tokens])  # fmt: skip
    keys = {name: digest(texts(subject)) for name, subject in subjects.items()}
    once = {keys[name]: subject for name, subject in subjects.items()}
    path = settings.cache_dir / "bench" / f"{run[:32]}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with writable(path):
        journal = Journal(path, [run])
        known = journal.taken_up()
        todo = [sum(map(len, texts(subject))) for key, subject in once.items() if key not in known]
        if todo:
            agreed(settings, judge, len(todo), len(once), sum(todo), yes)
        try:
            found = predicted(once, predict, journal, known=known, jobs=jobs)
        finally:
            say_cost(settings, spend)
    return {name: found[key] for name, key in keys.items()}


def _prompt(judge: str) -> str:
    """`issue-specification` in `gpt-4.1 with issue-specification/1`."""
    return judge.rpartition(" with ")[2].partition("/")[0]


def export_answers(path: Path, name: str, predictions: Mapping[str, Any]) -> None:
    """The leaderboard's file in a directory, which is made. Raises `InputError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}. Name a directory that can be written.") from None
    with writable(path / name):
        write_whole(path / name, dict(predictions))
    click.echo(f"{len(predictions)} answers in {path / name}.", err=True)


def agreed(
    settings: Settings, judge: str, calls: int, all_: int, characters: int, yes: bool, fewer: str = "--limit"
) -> None:
    """Says what it may cost and asks. judge: its name. calls: of `all_` texts, as far as they are not known from
    before. characters: of their texts, without the prompt. fewer: the option for that. Raises `InputError` for a no."""
    tokens = (calls * prompts.load(_prompt(judge)).characters + characters) // _CHARACTERS
    worst = Prices(settings.model_price_in, settings.model_price_out).usage(tokens, calls * settings.model_max_tokens)
    kept = f" ({all_ - calls} more are known from before)" if all_ > calls else ""
    click.echo(
        f"{calls} questions to {settings.model}{kept}: about {tokens:,} tokens in, at most {worst.tokens_out:,} out; "
        + (
            f"at most about {worst.money:,.2f} at the settings' prices, and more where an answer needs a repair."
            if settings.model_price_in or settings.model_price_out
            else "what they cost is not known without BOUNCER_MODEL_PRICE_IN and BOUNCER_MODEL_PRICE_OUT."
        ),
        err=True,
    )
    try:
        if yes or click.confirm("Ask them?", err=True):
            return
    except click.Abort:
        click.echo(err=True)
    raise InputError(f"nothing was asked. Say yes, or use --yes where nobody can answer; {fewer} asks fewer.")


def say_cost(settings: Settings, spend: MemorySpend) -> None:
    """What was spent."""
    used = spend.used
    known = settings.model_price_in or settings.model_price_out
    money = f", {used.money:,.2f} spent" if known else "; what they cost is not known without prices"
    click.echo(
        f"{used.calls} calls of {settings.model}: {used.tokens_in:,} tokens in, {used.tokens_out:,} out{money}.",
        err=True,
    )
