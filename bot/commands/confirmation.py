"""Asking a model costs money: whether one is asked, what changes its answers, and the question to the user first."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from bot.commands.shared import InputError, executor_of
from bot.judges.openai import prompts
from bot.judges.openai.spend import prices
from bot.registry import JUDGES, by_name
from bot.settings import Settings

_CHARACTERS = 4  # of English in a token, roughly
LONG = 10  # minutes, above which it is asked first
SIDE_BY_SIDE = 2


def asks_model(settings: Settings) -> bool:
    """Whether the judge of the settings costs money."""
    return by_name(JUDGES, settings.judge).asks_model


def how_asked(model: Settings) -> tuple[Any, ...]:
    """What changes a model's answers, beside its name and its prompt."""
    return model.model_base_url, model.model_effort, model.model_temperature, model.model_max_tokens


def prompt_of(judge: str) -> str:
    """`issue-specification` in `gpt-4.1 with issue-specification/1`."""
    return judge.rpartition(" with ")[2].partition("/")[0]


def confirm_cost(
    asked: Sequence[Settings], judge: str, calls: int, all_: int, characters: int, yes: bool, fewer: str = "--limit"
) -> None:
    """Says what it may cost and asks. asked: the settings of each model that may be; every text may go to each. judge:
    its name. calls: of `all_` texts, as far as they are not known from before. characters: of their texts, without the
    prompt. fewer: the option for that. Raises `InputError` for a no."""
    tokens = (calls * prompts.load(prompt_of(judge)).characters + characters) // _CHARACTERS
    kept = f" ({all_ - calls} more are known from before)" if all_ > calls else ""
    for model in asked:
        worst = prices(model).usage(tokens, calls * model.model_max_tokens)
        click.echo(
            f"{calls} questions to {model.model}{kept}: about {tokens:,} tokens in, at most {worst.tokens_out:,} out; "
            + (
                f"at most about {worst.money:,.2f} at the settings' prices, and more where an answer needs a repair."
                if prices(model).known
                else f"what they cost is not known without {model.where('model_price_in')} and "
                f"{model.where('model_price_out')}."
            ),
            err=True,
        )
    try:
        if yes or click.confirm("Ask them?", err=True):
            return
    except click.Abort:
        click.echo(err=True)
    raise InputError(f"nothing was asked. Say yes, or use --yes where nobody can answer; {fewer} asks fewer.")


def execution_problem(settings: Settings) -> str:
    """Why nothing can be executed here, as a sentence; empty where it can."""
    found = executor_of(settings)
    return found if isinstance(found, str) else ""


def minutes_for(number: int, seconds_each: float) -> int:
    """How long so many take, about."""
    return round(number * seconds_each / SIDE_BY_SIDE / 60)


def confirm_wait(doing: str, minutes: int, less: str, *, yes: bool) -> None:
    """doing: what takes so long. less: options that make it shorter. Raises `InputError` where nobody can be asked, and
    `click.Abort` for a no."""
    if minutes <= LONG or yes:
        return
    if not sys.stdin.isatty():
        raise InputError(f"{doing} takes about {minutes} minutes. Add --yes, {less}.")
    click.confirm(f"{doing.capitalize()} takes about {minutes} minutes. Go on?", abort=True, err=True)
