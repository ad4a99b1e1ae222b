"""The one place that writes a pull request's gate on GitHub: its check run and its label."""

from dataclasses import replace

from pydantic import TypeAdapter

from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, NotFound
from bot.github.values import Button, Check
from bot.policy import Mode, Policy
from bot.rendering.gate import NAME, GateView, Judged, gate_view, let_through, overridden
from bot.storage.gates import GateRecord, GateState
from bot.storage.overrides import Override
from bot.verdicts import Decision
from bot.workflows.services import Services

LABEL, COLOR = "bounced", "d93f0b"
DESCRIPTION = "Bouncer holds this pull request back"
NOT_AN_AGENTS = "Not a coding agent's pull request, so it is not judged"
JUDGED: TypeAdapter[Judged] = TypeAdapter(Judged)
OVERRIDE, RECHECK = "override", "recheck"  # what the buttons say when pressed
_BUTTONS = (
    Button("Override", "Let it through in spite of the verdict", OVERRIDE),
    Button("Re-check", "Judge this commit again", RECHECK),
)
_WORST = (Decision.BOUNCE, Decision.UNAVAILABLE, Decision.ACCEPT)


def show(client: RepositoryClient, record: GateRecord, view: GateView) -> None:
    """Bring the check run of the record's commit up to date. Raises `GitHubError`."""
    done = view.conclusion is not None
    check = Check(
        name=NAME,
        head_sha=record.head,
        external_id=external_id(record.head),
        status="completed" if done else "in_progress",
        conclusion=view.conclusion,
        title=view.title,
        summary=view.summary,
        annotations=view.annotations if record.judged else (),  # the merge queue's commits have lines of their own
        details_url=view.details_url,
        buttons=_BUTTONS if done and record.judged else (),
    )
    client.put_check(check)


def publish(services: Services, client: RepositoryClient, record: GateRecord, policy: Policy) -> str:
    """Show what came of judging the record's commit; one line that says what. Raises `GitHubError`.

    Several pull requests may share a commit, and with it the check run: then the worst of their verdicts is shown, so
    that opening another one for the same commit lets nothing through.
    """
    records = open_on(services, record)
    if any(each.state is GateState.JUDGING for each in records):
        return "another pull request with this commit is still judged"
    judged = [each for each in records if each.judged]
    shown = min(judged, key=lambda each: _WORST.index(_weight(services, each)), default=None)
    view = view_of(services, shown, policy) if shown else let_through(NOT_AN_AGENTS)
    if policy.mode is not Mode.OBSERVE:
        show(client, record, view)
        _label(services, client, record, on=shown_as(services, record) is Decision.BOUNCE)
    return f"{view.conclusion}: {view.title}"


def open_on(services: Services, record: GateRecord) -> list[GateRecord]:
    """The open pull requests that share the record's commit, and so its check; itself among them."""
    return [each for each in services.gates.on(record.repo_id, record.head) if each.state is not GateState.CLOSED]


def view_of(services: Services, record: GateRecord, policy: Policy) -> GateView:
    """The completed check of a record that was judged."""
    judged = JUDGED.validate_json(record.judged)
    override = standing(services, record)
    if override is not None:
        view = overridden(judged, override.who, override.reason)
    else:
        view = gate_view(judged, policy.mode, policy.pulls.unavailable)
    return replace(view, details_url=_page(services, record))


def _page(services: Services, record: GateRecord) -> str:
    """Where the newest judgement of the record's commit is shown; empty when nobody said where people reach that."""
    trail = services.judgements.trail(record.repo_id, record.number) if services.public_url else ()
    token = next((each.token for each in trail if each.head == record.head), "")
    return f"{services.public_url.rstrip('/')}/verdicts/{token}" if token else ""


def shown_as(services: Services, record: GateRecord) -> Decision | None:
    """The record's decision, or what a standing override makes of it."""
    return Decision.ACCEPT if standing(services, record) else record.decision


def standing(services: Services, record: GateRecord) -> Override | None:
    """The override that holds for the record's commit."""
    found = services.overrides.standing(record.repo_id, record.number)
    return found if found is not None and found.head == record.head else None


def external_id(head: str) -> str:
    return f"gate:{head}"


def _weight(services: Services, record: GateRecord) -> Decision:
    return shown_as(services, record) or Decision.UNAVAILABLE


def _label(services: Services, client: RepositoryClient, record: GateRecord, *, on: bool) -> None:
    """Labels are sets; what a person put on stays. That Bouncer put it on is stored before it does."""
    if on == record.labelled:
        return
    try:
        if on:
            services.gates.save(replace(record, labelled=True))
            client.add_label(record.number, LABEL, color=COLOR, description=DESCRIPTION)
        else:
            client.remove_label(record.number, LABEL)
            services.gates.save(replace(record, labelled=False))
    except (Forbidden, NotFound):  # locked, or somebody took it off already
        services.gates.save(replace(record, labelled=False))
