"""`bouncer replay`: what would be done for a saved delivery. Decides like the worker and writes nowhere."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bot.commands.shared import InputError, Refusing, policy_in
from bot.github.deliveries import Delivery, Ignored
from bot.github.events import HANDLED, read
from bot.github.values import Issue
from bot.issues import lifecycle
from bot.issues.decide import decide_issue, with_judgement
from bot.issues.exemptions import why_no_look, why_not_held, why_other_kind
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.lifecycle import Plan
from bot.judges.factory import make_judge
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import Judgement, NoJudgement
from bot.plain_text import clean
from bot.policy import Policy
from bot.policy_choices import Door
from bot.rendering.issue_messages import message_text
from bot.rendering.issue_view import issue_json, verdict_view
from bot.settings import Settings
from bot.settings import load as load_settings
from bot.verdicts import Decision, Verdict
from bot.workflows.commands import commands_of, not_a_persons
from bot.workflows.delivery import AppIdentity, Intent
from bot.workflows.dispatcher import intents, reason
from bot.workflows.issue.replies import facts_of, replies_of
from bot.workflows.issue.workflow import LABELS

NOT_JUDGED = 3


@dataclass(frozen=True, slots=True)
class Replayed:
    """outcome: one plain line. verdict, plan: absent when the delivery brings no look at an issue."""

    outcome: str
    issue: Issue | None = None
    verdict: Verdict | None = None
    plan: Plan | None = None


@click.command(cls=Refusing, said="replay")
@click.argument("payload", type=click.Path(path_type=Path))
@click.option(
    "--event", required=True, type=click.Choice(sorted({*HANDLED, "ping"})), help="Its X-GitHub-Event header."
)
@click.option("--policy", "policy_file", type=click.Path(path_type=Path), help="A policy file; otherwise the default.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def replay(payload: Path, event: str, policy_file: Path | None, as_json: bool) -> None:
    """Say what Bouncer would do for the delivery whose body is saved in PAYLOAD.

    It is judged as if Bouncer saw the issue for the first time: what a server has stored about it, and replies that
    are not in the delivery, do not count.

    Exit status: 0 for any outcome, 2 for bad input, 3 when the verdict is UNAVAILABLE.
    """
    delivery = read(event, _payload(payload))
    replayed = _replay(delivery, policy_in(policy_file).at(Door.ISSUES), load_settings())
    if as_json:
        click.echo(json.dumps(_document(replayed), ensure_ascii=False))
    else:
        _show(replayed)
    unavailable = replayed.verdict is not None and replayed.verdict.decision is Decision.UNAVAILABLE
    raise click.exceptions.Exit(NOT_JUDGED if unavailable else 0)


def _payload(path: Path) -> dict[str, Any]:
    try:
        payload = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}. Name a file that contains a delivery's payload.") from None
    except (ValueError, RecursionError) as error:
        mend = "Save the payload as GitHub shows it under the App's settings, Advanced, Recent deliveries."
        raise InputError(f"{path}: this is not JSON ({error}). {mend}") from None
    if not isinstance(payload, dict):
        raise InputError(f"{path}: a payload is a JSON object, not {type(payload).__name__}.")
    return payload


def _replay(delivery: Delivery | Ignored, policy: Policy, settings: Settings) -> Replayed:
    if isinstance(delivery, Ignored):
        return Replayed(f"ignored: {delivery.reason}")
    found = intents(delivery, AppIdentity("bouncer", settings.app_id or 0, settings.account_names))
    if delivery.issue is None or "issue" not in found or not found["issue"].wanted:
        return Replayed(_elsewhere(found))
    if delivery.action in LABELS and not _brings_look(delivery, policy):
        return Replayed(_label(delivery, policy), delivery.issue)
    if commands := commands_of(delivery, "bouncer"):
        said = ", ".join(f"/bouncer {command.word}" for command in commands)
        return Replayed(f"commanded: {said}, if {clean(delivery.sender)} may give it", delivery.issue)
    looked = _look(delivery, delivery.issue, policy, settings)
    if _asks(delivery, policy):
        return replace(looked, outcome=f"{looked.outcome}, if {clean(delivery.sender)} may label")
    return looked


def _elsewhere(found: dict[str, Intent]) -> str:
    if "policy_check" in found and found["policy_check"].wanted:
        return f"policy: {found['policy_check'].reason}, so it would be read at that commit and checked"
    if "installation" in found:
        return f"installation: {found['installation'].reason}"
    return f"nothing: {reason({name: each for name, each in found.items() if name != 'pull'} or found)}"


def _brings_look(delivery: Delivery, policy: Policy) -> bool:
    wanted = {name.lower() for name in policy.issues.only.labels}
    return delivery.action == "labeled" and (_asks(delivery, policy) or delivery.label.lower() in wanted)


def _asks(delivery: Delivery, policy: Policy) -> bool:
    """Whether the label says that something is unclear, as far as its sender may say so."""
    ours = delivery.action == "labeled" and policy.issues.labels.is_holding([delivery.label])
    return ours and policy.issues.ask_on_label and not not_a_persons(delivery, policy)


def _label(delivery: Delivery, policy: Policy) -> str:
    if not policy.issues.labels.is_holding([delivery.label]):
        return "nothing: no issue is held by this label"
    if delivery.action == "unlabeled":
        return "accepted for good, if Bouncer had put the label on"
    return "remembered: a person put the label on, so Bouncer will not take it off"


def _look(delivery: Delivery, issue: Issue, policy: Policy, settings: Settings) -> Replayed:
    facts = _facts(delivery, issue, None, policy)
    if reason := why_not_held(facts, policy):
        plan = lifecycle.not_held(facts, reason, policy)
        return Replayed(plan.outcome, issue, plan=plan)
    if reason := why_no_look(facts, policy):
        plan = lifecycle.left_alone(facts, reason, policy)
        return Replayed(plan.outcome, issue, plan=plan)
    facts = with_judgement(facts, policy, make_judge(settings, MemorySpend()))
    verdict = decide_issue(facts, policy)
    other = why_other_kind(verdict.kind, policy)
    plan = lifecycle.not_held(facts, other, policy) if other else lifecycle.plan(facts, verdict, policy)
    return Replayed(plan.outcome, issue, verdict, plan)


def _facts(delivery: Delivery, issue: Issue, judgement: Judgement | NoJudgement | None, policy: Policy) -> IssueFacts:
    comment = delivery.comment if delivery.action != "deleted" else None
    replies = replies_of(issue, (comment,), "bouncer") if comment else ()
    private = delivery.repository is None or delivery.repository.private
    history = IssueHistory(asked_by_label=_asks(delivery, policy))
    return replace(facts_of(issue, replies, policy), judgement=judgement, history=history, private=private)


def _document(replayed: Replayed) -> dict[str, Any]:
    plan = replayed.plan
    return {
        "outcome": replayed.outcome,
        "issue": replayed.issue.number if replayed.issue else None,
        "verdict": issue_json(replayed.verdict) if replayed.verdict else None,
        "labels_add": list(plan.labels_add) if plan else [],
        "labels_remove": list(plan.labels_remove) if plan else [],
        "comment": message_text(plan.comment, plan.language) if plan and plan.comment else None,
    }


def _show(replayed: Replayed) -> None:
    console = Console()
    if replayed.verdict and replayed.issue:
        console.print(verdict_view(replayed.verdict, replayed.issue.title))
    click.echo(replayed.outcome)
    plan = replayed.plan
    if plan is None or not plan.writes:
        click.echo("Nothing would be written.")
        return
    for name in plan.labels_add:
        click.echo(f"Would add the label {clean(name)}")
    for name in plan.labels_remove:
        click.echo(f"Would remove the label {clean(name)}")
    if plan.comment is not None:
        click.echo(f"Would write the comment:\n\n{message_text(plan.comment, plan.language)}")
