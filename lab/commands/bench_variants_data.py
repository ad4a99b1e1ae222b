"""Published tasks for `bouncer bench variants`: placed in clones, or judged as texts where there is no clone."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from bot.commands.patch_predictions import judge_and_cut, patch_prediction, patch_subject
from bot.commands.shared import InputError
from bot.judges.openai.spend import MemorySpend
from bot.settings import Settings
from bot.verdicts import Cause, Decision
from lab.commands.bench_asking import ask_all
from lab.data.answers import OUTPUT, answers_of
from lab.data.git_commits import directories
from lab.data.strengthened import StrengthenedTask
from lab.fixed.recipes import REPOSITORIES
from lab.variants.rows import GatedVersion
from lab.variants.tasks import MUTATION, RIGHT, VariantTask, strengthened_task


def of_clones(
    published: Sequence[StrengthenedTask], wrong: Mapping[str, Sequence[str]], clones: Path, into: Path, seed: int
) -> list[VariantTask]:
    """Those that can be placed; how many cannot is said. Raises `InputError` where none can."""
    places = directories(clones)
    there = [task for task in published if task.repository in places and task.repository in REPOSITORIES]
    made = (
        strengthened_task(task, places[task.repository], into / str(at), wrong.get(task.id, ()), seed)
        for at, task in enumerate(there)
    )
    found = [task for task in made if task]
    if not found:
        raise InputError(
            f"{clones}: none of the {len(published)} tasks can be placed. Clone one of {', '.join(REPOSITORIES)} "
            "there, with all of its history, as OWNER+NAME.git."
        )
    if len(found) < len(published):
        left = len(published) - len(found)
        click.echo(
            f"{left} of {len(published)} tasks are left out: there is no clone, no recipe to set the repository up, no "
            "such base commit, or a patch does not fit.",
            err=True,
        )
    return found


def judged_as_texts(
    published: Sequence[StrengthenedTask],
    wrong: Mapping[str, Sequence[str]],
    settings: Settings,
    jobs: int,
    *,
    yes: bool,
) -> list[GatedVersion]:
    """What the judge of `bouncer bench output` says of right patches and mutations. Raises `InputError`."""
    if not any(task.id in wrong for task in published):
        raise InputError(
            "without the repositories no version can be made. Name clones with --clones DIR, or patches of these tasks "
            "with --mutations FILE."
        )
    told = {f"{task.id}, right": (RIGHT, task.issue, task.patch) for task in published if task.id in wrong}
    for task in published:
        patches = enumerate(wrong.get(task.id, ()), 1)
        told |= {f"{task.id}, mutation {at}": (MUTATION, task.issue, patch) for at, patch in patches}
    spend = MemorySpend()
    judge, cut = judge_and_cut(settings, None, spend)
    predictions = ask_all(
        (settings,),
        judge.name,
        cut,
        {name: (issue, patch) for name, (_, issue, patch) in told.items()},
        lambda text: patch_prediction(judge.judge(patch_subject(*text))),
        lambda text: text,
        spend,
        jobs=jobs,
        yes=yes,
    )
    answers = answers_of(predictions, OUTPUT, judge.name)
    found = []
    for name, (kind, _, _) in told.items():
        answer, label = answers[name], predictions[name]["label"]
        if not answer.judged:
            found.append(GatedVersion(kind, Decision.UNAVAILABLE, Cause.OUTSIDE, label))
        else:
            found.append(GatedVersion(kind, Decision.BOUNCE if answer.bounce else Decision.ACCEPT, None, label))
    return found
