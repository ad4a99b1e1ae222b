"""Whom the benchmarks ask: the judges of the settings, about issues and about patches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import track

from bot.commands.confirmation import asks_model
from bot.commands.judge import issue_prediction, issue_verdict, policy_with
from bot.commands.judge_patches import EVEN, judge_and_cut, patch_prediction, patch_subject
from bot.commands.shared import InputError, Interrupted, own_settings
from bot.judges.factory import make_judge
from bot.judges.offline.issues import NAME as FITTED
from bot.judges.offline.patches import OfflinePatchJudge
from bot.judges.openai.models import judges_of_issues
from bot.judges.openai.spend import MemorySpend
from bot.policy_choices import Strictness
from bot.verdicts import Verdict
from lab.commands.bench_asking import ask_all, say_saving
from lab.data.files import issue_text
from lab.data.issues import AnnotatedIssue
from lab.data.patches import Patches, RecordedPatch
from lab.fitting.patches import count_features, weights_by_repository

HELD_OUT, PACKAGED = "held-out", "packaged"
SIZE = "size alone, held-out"
weights_option = click.option(
    "--weights",
    type=click.Choice([HELD_OUT, PACKAGED]),
    help="Of the offline judge: fitted here on the other repositories (the default), or as they come with Bouncer.",
)
_ISSUES_SEEN = (
    "bouncer bench input: the weights of offline-fitted were fitted on SWE-bench's issues. On those its figures are "
    "better than on others; `python -m lab.benchmarks.judge_issues` judges each repository by weights from the others."
)
_PATCHES_SEEN = (
    "bouncer bench: the weights that come with Bouncer were fitted on SWE-bench's patches. On those their figures are "
    "better than on others: there use --weights held-out."
)


@dataclass(frozen=True, slots=True)
class Judged:
    """name: who judged. predictions: by the patch's id. beside: further references, by name and id."""

    name: str
    predictions: Mapping[str, Any]
    beside: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)


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
    if judge.name == FITTED:
        click.echo(_ISSUES_SEEN, err=True)
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
    judge, cut = judge_and_cut(settings, strictness, spend)
    texts = {patch.id: (patch.issue, patch.patch) for patch in patches}
    if not asks_model(settings):
        click.echo(_PATCHES_SEEN, err=True)
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
