"""Asking a model costs money: whether one is asked, what changes its answers, and the question to the user first. A
backtest's judge keeps what was answered for the next time."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter, ValidationError

from bot.backtest.judging import TemplatesOf, judge_past
from bot.backtest.values import RepositoryPast
from bot.commands.own_clone import cache_file
from bot.commands.predictions import Journal, digest
from bot.commands.shared import InputError, executor_of
from bot.judges.factory import make_judge
from bot.judges.openai import prompts
from bot.judges.openai.models import judges_of_issues
from bot.judges.openai.spend import MemorySpend, prices
from bot.judges.protocol import IssueJudge, Judgement, NoJudgement
from bot.policy import Policy
from bot.registry import JUDGES, by_name
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import Usage

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
    """`issue-specification` in `gpt-4.1 with issue-specification/2`."""
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


_answers: TypeAdapter[Judgement] = TypeAdapter(Judgement)


def _answer(row: object) -> Judgement | None:
    """One that another version wrote and this one cannot read is none, and is asked for again."""
    try:
        return _answers.validate_python(row)
    except ValidationError:
        return None


class KeptJudge:
    """Asks a model about each text once, also over several runs. An answer that was kept costs nothing any more."""

    def __init__(self, judge: IssueJudge, settings: Settings, folder: Path) -> None:
        self._judge = judge
        how = (setting for model in judges_of_issues(settings) for setting in how_asked(model))
        run = digest([judge.name, prompts.load(prompt_of(judge.name)).digest, *map(str, how)])
        path = cache_file(folder / f"answers-{run[:32]}.jsonl", settings)
        self._journal = Journal(path, [run])
        self._known = {key: answer for key, row in self._journal.resume().items() if (answer := _answer(row))}

    @property
    def name(self) -> str:
        return self._judge.name

    def knows(self, report: Report) -> bool:
        """Whether its answer was kept."""
        return _key(report) in self._known

    def judge(self, report: Report) -> Judgement | NoJudgement:
        key = _key(report)
        if key in self._known:
            return replace(self._known[key], usage=Usage())
        answer = self._judge.judge(report)
        if isinstance(answer, Judgement):
            self._known[key] = answer
            self._journal.keep(key, _answers.dump_python(answer, mode="json"))
        return answer


class _Asked:
    """Answers nothing, and remembers what it was asked."""

    name = "nobody"

    def __init__(self) -> None:
        self.reports: dict[str, Report] = {}

    def judge(self, report: Report) -> NoJudgement:
        self.reports[_key(report)] = report
        return NoJudgement(self.name, "nobody was asked", False)


def _key(report: Report) -> str:
    return digest([report.visible_title, report.visible_text, *map(str, report.asked_for)])


def judge_for(
    settings: Settings, past: RepositoryPast, policy: Policy, templates: TemplatesOf, folder: Path, *, yes: bool
) -> IssueJudge:
    """The judge of the settings; a model only after a yes to what it may cost. folder: of the repository, where its
    answers are kept. Raises `InputError`."""
    judge = make_judge(settings, MemorySpend())
    if not asks_model(settings):
        return judge
    kept, would_be = KeptJudge(judge, settings, folder), _Asked()
    for _ in judge_past(past, would_be, policy, templates):
        pass
    texts = [len(report.visible_text) for report in would_be.reports.values() if not kept.knows(report)]
    if texts:
        confirm_cost(
            judges_of_issues(settings), judge.name, len(texts), len(would_be.reports), sum(texts), yes, fewer="--issues"
        )
    return kept
