"""The judge of a backtest: what a model answers costs money, so it is agreed on first, and kept."""

from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bot.backtest.judging import TemplatesOf, judge_past
from bot.backtest.values import RepositoryPast
from bot.commands.confirmation import asks_model, confirm_cost, how_asked, prompt_of
from bot.commands.own_clone import cache_file
from bot.commands.predictions import Journal, digest
from bot.judges.factory import make_judge
from bot.judges.openai import prompts
from bot.judges.openai.models import judges_of_issues
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import IssueJudge, Judgement, NoJudgement
from bot.policy import Policy
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import Usage

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
    return digest([report.visible_title, report.visible_text])


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
