"""What the benchmarks of judges share: whom they ask about issues and patches, by the settings. The answers that cost
money are kept, and nobody spends it unasked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import track

from bot.commands.confirmation import asks_model, confirm_cost, how_asked, prompt_of
from bot.commands.judge import issue_prediction, issue_verdict, policy_with
from bot.commands.judge_patches import EVEN, judge_and_cut, patch_prediction, patch_subject
from bot.commands.own_clone import cache_file
from bot.commands.predictions import Journal, digest, predict_all, writable, write_whole
from bot.commands.shared import InputError, Interrupted, own_settings
from bot.judges.calibration.model_calibration import judged_by
from bot.judges.factory import make_judge
from bot.judges.offline.patches import OfflinePatchJudge
from bot.judges.openai import prompts
from bot.judges.openai.models import judges_of_issues
from bot.judges.openai.spend import MemorySpend, prices
from bot.policy_choices import Strictness
from bot.settings import Settings
from bot.verdicts import Usage, Verdict
from lab.data.answers import Answer, answers_of, in_order, read_predictions
from lab.data.files import issue_text
from lab.data.issues import AnnotatedIssue
from lab.data.patches import Patches, RecordedPatch
from lab.fitting.patches import count_features, weights_by_repository
from lab.scores.counts import Flips, flips_between

S = TypeVar("S")


limit_option = click.option("--limit", type=click.IntRange(min=1), help="Only so many, drawn with a fixed seed.")
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Questions to a model side by side."
)
yes_option = click.option("--yes", is_flag=True, help="Spend what a model costs without asking.")


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """With --limit, --jobs and --yes."""
    return limit_option(jobs_option(yes_option(command)))


answers_option = click.option(
    "--answers",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Recorded answers, as `bouncer judge` writes them with --out; nobody is asked.",
)
beside_option = click.option(
    "--beside",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Recorded answers of another bouncer: how many decisions flip from this one to that.",
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


HELD_OUT, PACKAGED = "held-out", "packaged"
SIZE = "size alone, held-out"
weights_option = click.option(
    "--weights",
    type=click.Choice([HELD_OUT, PACKAGED]),
    help="Of the offline judge: fitted here on the other repositories (the default), or as they come with Bouncer.",
)
_PATCHES_SEEN = (
    "bouncer bench: the weights that come with Bouncer were fitted on SWE-bench's patches. On those their figures are "
    "better than on others: there use --weights held-out."
)


@dataclass(frozen=True, slots=True)
class Judged:
    """name: who judged. predictions: by id. beside: further references, by name and id. where: their file."""

    name: str
    predictions: Mapping[str, Any]
    beside: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    where: str = ""

    @classmethod
    def recorded(cls, path: Path) -> "Judged":
        """Of a file; nobody is asked. Raises `DataError`."""
        return cls(path.stem, read_predictions(path), where=str(path))

    def answers(self, key: str, ids: Sequence[str]) -> tuple[list[Answer], int]:
        """Those to these, and how many more there are. Raises `DataError`."""
        return in_order(answers_of(self.predictions, key, self.where or self.name), ids, self.name)

    def flips(self, other: Path | None, key: str, wanted: Mapping[str, bool]) -> dict[tuple[str, str], Flips]:
        """How many decisions flip from a reference to these, and from these to the recorded answers of another bouncer,
        where there is a file of them (BouncerBench, section IV-E). wanted: what is to be bounced, by id. Raises
        `DataError`."""
        held = {name: {one: bounces[one] for one in wanted} for name, bounces in self.beside.items()}
        for each in (self, *([Judged.recorded(other)] if other else [])):
            told, _ = each.answers(key, [*wanted])
            name = each.where if each.name in held else each.name
            held[name] = {one: answer.bounce for one, answer in zip(wanted, told, strict=True)}
        return flips_between(
            {name: {one: bounce is wanted[one] for one, bounce in bounces.items()} for name, bounces in held.items()}
        )


def judge_issues(
    issues: Sequence[AnnotatedIssue],
    judged_by: str | None,
    strictness: str | None,
    policy_file: Path | None,
    jobs: int,
    yes: bool,
    spend: MemorySpend,
) -> Judged:
    """Raises `InputError`."""
    settings = own_settings(judge=judged_by)
    policy = policy_with(policy_file, strictness, Strictness.STRICT)
    judge = make_judge(settings, spend)
    texts = {issue.id: issue_text(issue.text) for issue in issues}
    asked, who = judges_of_issues(settings), list[str]()
    try:
        found = ask_all(
            asked,
            judge.name,
            policy.model_dump_json(),
            texts,
            lambda text: _noted(issue_verdict(text, judge, policy), who),
            lambda text: (text.title, text.body),
            spend,
            jobs=jobs,
            yes=yes,
        )
    finally:
        say_saving(asked, who, spend)
    return Judged(f"{judge.name}, {policy.issues.strictness}", found)


def _noted(verdict: Verdict, who: list[str]) -> dict[str, Any]:
    """Its prediction. who: takes the judge, where a model was asked: no rule decided, and no offline judge."""
    if " with " in verdict.judge:
        who.append(verdict.judge)
    return issue_prediction(verdict)


def judge_patches(
    known: Patches,
    patches: Sequence[RecordedPatch],
    judged_by: str | None,
    strictness: str | None,
    weights: str | None,
    jobs: int,
    yes: bool,
    spend: MemorySpend,
) -> Judged:
    """known: what may be fitted on. Raises `InputError` and `DataError`."""
    settings = own_settings(judge=judged_by)
    if asks_model(settings) and weights:
        raise InputError("--weights is for the offline judge. Leave it out.")
    if not asks_model(settings) and weights != PACKAGED:
        try:
            return _held_out(known, patches, strictness)
        except KeyboardInterrupt:
            raise Interrupted("stopped. Nothing was measured.") from None
    if not asks_model(settings):
        click.echo(_PATCHES_SEEN, err=True)
    texts = {patch.id: (patch.issue, patch.patch) for patch in patches}
    return ask_about_patches(settings, strictness, texts, spend, jobs=jobs, yes=yes)


def ask_about_patches(
    settings: Settings,
    strictness: str | None,
    texts: Mapping[str, tuple[str, str]],
    spend: MemorySpend,
    *,
    jobs: int,
    yes: bool,
) -> Judged:
    """texts: issue and patch, by the name of the two. Raises `InputError`."""
    judge, cut = judge_and_cut(settings, strictness, spend)
    found = ask_all(
        (settings,),
        judge.name,
        cut,
        texts,
        lambda text: patch_prediction(judge.judge(patch_subject(*text))),
        lambda text: text,
        spend,
        jobs=jobs,
        yes=yes,
    )
    return Judged(f"{judge.name}, {cut}", found)


def _held_out(known: Patches, patches: Sequence[RecordedPatch], strictness: str | None) -> Judged:
    """Each repository by weights, cuts and a length that were fitted on the others."""
    predictions: dict[str, Any] = {}
    long: dict[str, bool] = {}
    console = Console(stderr=True)
    counts = [
        told
        for patch in track(known.all, "Reading", console=console, transient=True, disable=not console.is_terminal)
        if (told := count_features(patch))
    ]
    wanted = {patch.repository for patch in patches}
    for repository, weights, longest in weights_by_repository(counts):
        if repository not in wanted:
            continue
        judge = OfflinePatchJudge(weights, weights.thresholds[Strictness(strictness)] if strictness else weights.even)
        for patch in patches:
            if patch.repository == repository:
                predictions[patch.id] = patch_prediction(judge.judge(patch_subject(patch.issue, patch.patch)))
                long[patch.id] = len(patch.patch) >= longest
    return Judged(f"{OfflinePatchJudge().name}, {strictness or EVEN}, {HELD_OUT}", predictions, {SIZE: long})
