"""The one place that writes a pull request's gate on GitHub: its check run and its label."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace

from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, NotFound, Rejected
from bot.github.values import Button, Check, CheckRun
from bot.policy import Policy
from bot.policy_choices import Mode
from bot.pulls.result import restored
from bot.rendering.comment import render
from bot.rendering.gate import NAME, GateView, gate_view, override_view
from bot.rendering.gate_states import exemption_view, person_view, rounds_view, state_view, timeout_view
from bot.rendering.pull_messages import claims_note
from bot.rendering.suggestions import fix_marker, fix_review
from bot.rendering.words import times_words
from bot.storage.gates import MOST_ROUNDS, CheckRunRecord, GateRecord, GateState
from bot.storage.overrides import Override
from bot.verdicts import Decision, Left
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.services import Services

LABEL, COLOR = "bounced", "d93f0b"
DESCRIPTION = "Bouncer holds this pull request back"
NOT_AN_AGENTS = "Not a coding agent's pull request, so it is not judged"
OVERRIDE, RECHECK = "override", "recheck"  # what the buttons say when pressed
_AGAIN = Button("Re-check", "Judge this commit again", RECHECK)
_BUTTONS = (Button("Override", "Let it through in spite of the verdict", OVERRIDE), _AGAIN)
MOST_SUMMARY = 65_000  # characters; GitHub stops at 65,535
_ROUNDS = "<!-- bouncer:rounds -->"
_BLOCKS = ("failure", "action_required", "cancelled", "neutral", "success")  # GitHub's conclusions, the worst first
_BLOCKING = ("failure", "action_required", "cancelled")


def show(services: Services, client: RepositoryClient, head: str, view: GateView, *, buttons: bool = False) -> None:
    """Bring a commit's check run up to date. buttons: there is a verdict to disagree with. Raises `GitHubError`.

    It is looked for only where one may have been created whose id was never heard of, as by a kill in between.
    """
    done = view.conclusion is not None
    check = Check(
        name=NAME,
        head_sha=head,
        external_id=external_id(head),
        status="completed" if done else "in_progress",
        conclusion=view.conclusion,
        title=view.title,
        summary=view.summary,
        annotations=view.annotations,
        details_url=view.details_url,
        buttons=() if not (done and buttons) else (_AGAIN,) if view.conclusion == "success" else _BUTTONS,
    )
    with one_at_a_time(services, head):
        _show(services, client, check)


def _show(services: Services, client: RepositoryClient, check: Check) -> None:
    where = client.repository.id, check.head_sha
    known = services.check_runs.get(*where)
    annotated = bool(check.annotations) or (known is not None and known.annotated)
    begins = check.status != "completed"
    before = CheckRunRecord(known.run_id if known else 0, annotated, open=begins or (known is not None and known.open))
    if before != known:
        services.check_runs.keep(*where, before, now=services.now())
    run = _put(client, check, known)
    after = replace(before, run_id=run.id, open=begins)
    if after != before:
        services.check_runs.keep(*where, after, now=services.now())


def one_at_a_time(services: Services, head: str) -> AbstractContextManager[None]:
    """To be held while what a commit's check shall show is looked up and written: the workflows of two pull requests
    that share it know nothing of each other, so one could put its older success over the other's beginning."""
    return services.turns.turn(external_id(head))


def _put(client: RepositoryClient, check: Check, known: CheckRunRecord | None) -> CheckRun:
    """With one call, unless it has to be looked for: which run it is, or how many remarks it carries."""
    if known is None:
        return client.put_check(check, new=True)
    if not known.run_id or (known.annotated and check.annotations):
        return client.put_check(check)
    try:
        return client.put_check(check, CheckRun(known.run_id, "", "", None))
    except NotFound:  # GitHub deletes check runs after 400 days
        return client.put_check(check)


def publish(services: Services, client: RepositoryClient, record: GateRecord, policy: Policy) -> str:
    """Show what came of judging the record's commit; one line that says what. Raises `GitHubError`.

    Several pull requests may share a commit, and with it the check run: then the worst of their verdicts is shown, so
    that opening another one for the same commit lets nothing through.
    """
    with one_at_a_time(services, record.head):
        records = open_on(services, record)
        if any(map(under_judgement, records)):
            return "another pull request with this commit is still judged"
        shown, view = worst(services, records, policy) or (None, _through(services, records, policy))
        rejections = services.rejections.newest(record.repo_id, record.number)
        claims = claims_note(rejections, record.head, services.page(""))
        summary = "\n\n".join(each for each in (view.summary.rstrip("\n"), claims.strip("\n")) if each)
        view = replace(view, summary=summary[:MOST_SUMMARY])
        if policy.mode is not Mode.OBSERVE:
            show(services, client, record.head, view, buttons=bool(shown and shown.judged))
    if policy.mode is not Mode.OBSERVE:
        record = _label(services, client, record, on=decision_with_override(services, record) is Decision.BOUNCE)
        _ask_people(services, client, record, policy)
        _hand_back(services, client, record, policy)
    return f"{view.conclusion}: {view.title}"


def worst(services: Services, records: Iterable[GateRecord], policy: Policy) -> tuple[GateRecord, GateView] | None:
    """Of those that share a commit the one that keeps it back most, or would in `enforce`, with its check; `None` where
    none is decided."""
    enforced = policy.model_copy(update={"mode": Mode.ENFORCE})
    decided = (each for each in records if each.decision is not None or each.state is GateState.JUDGING)
    found = min(decided, key=lambda each: _rank(view_of(services, each, enforced)), default=None)
    return None if found is None else (found, view_of(services, found, policy))


def _rank(view: GateView) -> int:
    return _BLOCKS.index(str(view.conclusion))


def keeps_back_most(services: Services, record: GateRecord, view: GateView, policy: Policy | None) -> GateView | None:
    """The check of a commit whose one pull request has this to show: what others that share it show, where that is
    worse; `None` while one of them is judged."""
    others = beside(services, record)
    if any(map(under_judgement, others)):
        return None
    found = worst(services, others, policy) if policy else None
    return min((view, found[1]) if found else (view,), key=_rank)


def under_judgement(record: GateRecord) -> bool:
    """Whether a verdict on it is still waited for: one that is overdue was given up."""
    return record.state is GateState.JUDGING and record.due_at is not None


def blocks(view: GateView) -> bool:
    """Whether a required check with this to show keeps a commit from being merged."""
    return view.conclusion in _BLOCKING


def _through(services: Services, records: Sequence[GateRecord], policy: Policy) -> GateView:
    """Nothing on the commit is judged; by whose word or by which rule, where either was needed. What keeps it back most
    is shown: it is no way around a rule to propose the same commit once more."""
    left = [exempt_gate_view(services, each, policy) for each in records if each.left_alone]
    if left:
        return min(left, key=_rank)
    words = (PullAuthor(services, each.repo_id, each.number).word(each.head) for each in records)
    word = next(filter(None, words), None)
    return person_view(word.who, word.reason) if word else state_view("exempt", why=NOT_AN_AGENTS)


def exempt_gate_view(services: Services, record: GateRecord, policy: Policy) -> GateView:
    """The check of a pull request that the policy leaves alone."""
    lifted = current_override(services, record) is not None
    return exemption_view(Left(record.left_alone), record.base_branch, policy.mode, lifted=lifted)


def open_on(services: Services, record: GateRecord) -> list[GateRecord]:
    """The open pull requests that share the record's commit, and so its check; itself among them."""
    return [each for each in services.gates.on(record.repo_id, record.head) if each.state is not GateState.CLOSED]


def beside(services: Services, record: GateRecord) -> list[GateRecord]:
    """The others of these."""
    return [each for each in open_on(services, record) if each.number != record.number]


def view_of(services: Services, record: GateRecord, policy: Policy) -> GateView:
    """The completed check of a record that was decided about, or given up."""
    if record.state is GateState.JUDGING:
        return timeout_view(policy.mode, "it took too long")
    if not record.judged:
        return state_view("busy_commit", policy.mode)
    result = restored(record.judged)
    override = current_override(services, record)
    if override is not None:
        view = override_view(result, override.who, override.reason, override.carried_from)
    else:
        last = out_of_rounds(record, policy)
        if last:  # nothing more is handed back
            trial = replace(result.facts.trial, fix="")
            result = replace(result, facts=replace(result.facts, trial=trial))
        view = gate_view(result, policy.mode, policy.pulls.unavailable)
        if last:
            times = len(record.bounced)
            view = rounds_view(view, policy.mode, times, more=times == MOST_ROUNDS)
    trail = services.judgements.trail(record.repo_id, record.number)
    page = next((services.page(each.token) for each in trail if each.head == record.head), "")
    return replace(view, details_url=page)


def out_of_rounds(record: GateRecord, policy: Policy) -> bool:
    """Whether its newest commit was bounced after so many others that nothing more is handed back."""
    return record.decision is Decision.BOUNCE and len(record.bounced) >= policy.pulls.rounds


def decision_with_override(services: Services, record: GateRecord) -> Decision | None:
    """The record's decision, or what a standing override makes of it."""
    return Decision.ACCEPT if current_override(services, record) else record.decision


def current_override(services: Services, record: GateRecord) -> Override | None:
    """The override that holds for the record's commit, on its way into this base branch."""
    found = services.overrides.current(record.repo_id, record.number)
    return found if found is not None and found.lets(record.head, record.base_branch) else None


def external_id(head: str) -> str:
    return f"gate:{head}"


def _label(services: Services, client: RepositoryClient, record: GateRecord, *, on: bool) -> GateRecord:
    """Labels are sets; what a person put on stays. That Bouncer put it on is stored before it does."""
    if on == record.labelled:
        return record
    labelled = replace(record, labelled=on)
    try:
        if on:
            services.gates.note(labelled)
            client.add_label(record.number, LABEL, color=COLOR, description=DESCRIPTION)
        else:
            client.remove_label(record.number, LABEL)
            services.gates.note(labelled)
    except (Forbidden, NotFound, Rejected):  # locked, somebody took it off already, or there are too many
        labelled = replace(record, labelled=False)
        services.gates.note(labelled)
    return labelled


def _ask_people(services: Services, client: RepositoryClient, record: GateRecord, policy: Policy) -> None:
    """Once for each pull request, however often it is shown; a comment that was written before a kill is found."""
    if record.people_asked or current_override(services, record) or not out_of_rounds(record, policy):
        return
    times = len(record.bounced)
    note = render("rounds", bounced=times_words(times, more=times == MOST_ROUNDS))
    with suppress(Forbidden, Rejected):  # locked: the check says it too
        if client.find_own_comment(record.number, _ROUNDS) is None:
            client.create_comment(record.number, f"{_ROUNDS}\n{note}")
    services.gates.note(replace(record, people_asked=True))


def _hand_back(services: Services, client: RepositoryClient, record: GateRecord, policy: Policy) -> None:
    """A fix that was found right, as suggestions on the lines: once for each commit, however often that is shown; a
    review that was written before a kill is found."""
    if record.decision is not Decision.BOUNCE or current_override(services, record) or out_of_rounds(record, policy):
        return
    notes = restored(record.judged).suggestions
    with suppress(Forbidden, Rejected):  # locked, or not on lines that GitHub shows: the check has it as a diff
        if notes and client.find_own_review(record.number, fix_marker(record.head)) is None:
            client.comment_on_lines(record.number, record.head, fix_review(record.head, len(notes)), notes)
