"""`bouncer judge`: judge as the server would, without GitHub. Writes nothing there."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import click
from rich.console import Console

from bot.commands.issue_input import read_many, read_source
from bot.commands.lazy import LazyGroup
from bot.commands.predictions import NOT_JUDGED, digest, judge_file
from bot.commands.shared import (
    Refusing,
    files,
    issue_judge_option,
    json_option,
    policy_in,
    policy_option,
    settings_with,
    strictness_option,
)
from bot.issues.decide import decide_issue, with_judgement
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.parse import parse
from bot.issues.templates import LARGEST, Template, read_templates
from bot.judges.factory import make_judge
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import IssueJudge
from bot.plain_text import clean
from bot.policy import Policy
from bot.policy_choices import Role, Strictness
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.issue_view import issue_json, verdict_view
from bot.reports import IssueText
from bot.verdicts import Decision, Verdict


class _Judging(LazyGroup):
    """What judges changes is most of Bouncer, and an issue needs none of it."""

    later: ClassVar[Mapping[str, str]] = {
        "pull": "bot.commands.judge_pull:pull",
        "patches": "bot.commands.judge_patches:patches",
    }


@click.group(cls=_Judging)
def judge() -> None:
    """Judge without GitHub: one issue or change, or a file of many issues or patches."""


def _common(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        json_option,
        policy_option,
        strictness_option("Instead of the policy's."),
        issue_judge_option,
    ):
        command = option(command)
    return command


@judge.command(cls=Refusing, said="judge issue", short_help="Judge one issue: a file, standard input or an address.")
@click.argument("source", shell_complete=files)
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The repository's issue templates, such as .github/ISSUE_TEMPLATE; their text does not count as the issue's.",
)
@_common
def issue(
    source: str,
    templates: Path | None,
    judged_by: str | None,
    strictness: str | None,
    policy_file: Path | None,
    as_json: bool,
) -> None:
    """Judge the issue in SOURCE: a file, - for standard input, or the address of a public issue.

    A file holds Markdown whose first line is the title, or JSON {"title": …, "body": …, "labels": […]}, as GitHub's own
    command line prints it. Labels may be left out.

    Exit status: 0 for any verdict reached, 2 for bad input, 3 when the verdict is UNAVAILABLE.
    """
    settings = settings_with(judge=judged_by)
    policy = policy_with(policy_file, strictness, Strictness.BALANCED)
    text = read_source(source, settings)
    own = read_templates(_files(templates)) if templates else ()
    verdict = issue_verdict(text, make_judge(settings, MemorySpend()), policy, own)
    if as_json:
        click.echo(json.dumps(issue_json(verdict), ensure_ascii=False))
        if verdict.decision is Decision.UNAVAILABLE:
            click.echo(f"bouncer judge issue: {clean(' '.join(issue_reasons(verdict)))}", err=True)
    else:
        Console().print(verdict_view(verdict, text.title))
    raise click.exceptions.Exit(NOT_JUDGED if verdict.decision is Decision.UNAVAILABLE else 0)


@judge.command(cls=Refusing, said="judge issues", short_help="Judge every issue of a JSON Lines file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--id-field", default="instance_id", show_default=True, help="The key of an issue's id.")
@click.option("--text-field", default="problem_statement", show_default=True, help="The key of its text.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the predictions go.")
@_common
def issues(
    file: Path,
    id_field: str,
    text_field: str,
    out: Path,
    judged_by: str | None,
    strictness: str | None,
    policy_file: Path | None,
    as_json: bool,
) -> None:
    """Judge every issue of FILE, JSON Lines, and write the predictions to --out.

    The first line of a text is its title. Without --strictness and --policy, strictness is strict, because a
    benchmark counts missed bounces as much as false ones. In a repository the default is balanced. Until everything is
    judged, results are kept in OUT.partial, and the same command continues from there.

    Exit status: 0 when every issue got a verdict, 2 for bad input, 3 when none could be judged.
    """
    settings = settings_with(judge=judged_by)
    policy = policy_with(policy_file, strictness, Strictness.STRICT)
    texts = dict(read_many(file, id_field, text_field))
    judging = make_judge(settings, MemorySpend())
    told = digest([(name, text.title, text.body) for name, text in texts.items()])
    judge_file(
        texts,
        lambda text: issue_prediction(issue_verdict(text, judging, policy)),
        [judging.name, policy.model_dump_json(), told],
        out,
        names=("issue", "issues", "input_bounce"),
        by={"judge": judging.name, "strictness": policy.issues.strictness.value},
        as_json=as_json,
    )


def _files(folder: Path) -> dict[str, str]:
    """What lies in it, as far as it can be read as text."""
    found = (path for path in sorted(folder.iterdir()) if path.is_file() and path.stat().st_size <= LARGEST)
    return {path.name: path.read_text(encoding="utf-8", errors="replace") for path in found}


def issue_verdict(
    text: IssueText, judging: IssueJudge, policy: Policy, templates: tuple[Template, ...] = ()
) -> Verdict:
    """As the server would decide about somebody whom no policy exempts, and whose labels maintainers put on."""
    history = IssueHistory(asked_by_label=policy.issues.labels.is_holding(text.told.labels))
    facts = IssueFacts(parse(text, templates), association=Role.NONE, history=history)
    return decide_issue(with_judgement(facts, policy, judging), policy)


def issue_prediction(verdict: Verdict) -> dict[str, Any]:
    """BouncerBench's shape. What was not judged is not bounced, and says so."""
    unavailable = verdict.decision is Decision.UNAVAILABLE
    label = verdict.label.value if verdict.label and not unavailable else ""
    missing = ", ".join(clean(line.own) or line.item.value for line in verdict.checklist if not line.clear)
    return {
        "input_bounce": verdict.decision is Decision.BOUNCE,
        "probability": None
        if verdict.probability is None and not unavailable
        else round(verdict.probability or 0.0, 4),
        "label": label or (Decision.UNAVAILABLE.value if unavailable else str(verdict.kind).upper()),
        "trace": f"{verdict.decision}: {clean(' '.join(issue_reasons(verdict)))}"
        + (f" Missing: {missing}." if missing else ""),
    }


def policy_with(path: Path | None, strictness: str | None, default: Strictness) -> Policy:
    """The file's policy, or the default one with `default`; a strictness that was asked for beats both."""
    policy = policy_in(path)
    if path and not strictness:
        return policy
    wanted = {"strictness": Strictness(strictness) if strictness else default}
    return policy.model_copy(update={"issues": policy.issues.model_copy(update=wanted)})
