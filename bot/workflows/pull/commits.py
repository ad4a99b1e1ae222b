"""The life of a pull request's commits at the gate: pushed, judged, shown, superseded, closed."""

from dataclasses import replace

from bot.changes.read import read_change
from bot.github.errors import Forbidden, Gone, NotFound, Rejected, Unavailable
from bot.github.fields import moment
from bot.github.values import Pull
from bot.policy import Policy
from bot.policy_choices import Mode
from bot.pulls.reading import leaves_files
from bot.pulls.result import restored
from bot.rendering.gate import GateView
from bot.rendering.gate_states import state_view, timeout_view, unknown_policy_view
from bot.storage.gates import GateRecord, GateState
from bot.storage.overrides import Override
from bot.verdicts import Decision
from bot.workflows.already_fixed.known import current_basis
from bot.workflows.jobs import RunJob, Why
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.base import UNWANTED, GateContext, GateOutcome
from bot.workflows.pull.check_run import beside, keeps_back_most, one_at_a_time, publish, show
from bot.workflows.pull.person_actions import may_override
from bot.workflows.pull.source import MirrorSource


class GateCommits(GateContext):
    """Deliveries come in any order, so what a pull request is now is asked wherever that may differ."""

    def on_open(self, told: Pull) -> GateOutcome:
        """The newest commit is to be judged, or need not be; its check says so at once."""
        known = self.services.gates.get(self.job.repository.id, told.number)
        pull = told if known is None else self.client.get_pull(told.number)
        if pull.state != "open":
            return GateOutcome("it is not open")
        waits = known is not None and (known.judged or known.state is GateState.JUDGING)
        if known and waits and told.head != pull.head and on_same(known, pull):
            return GateOutcome("an older delivery: its newest commit is known")
        policy = self.policy()
        if known and known.head != pull.head:
            self._outlive(known, pull, policy)
            self._leave(known, policy, "superseded")
        elif known and known.base_branch != pull.base_branch:
            self._end(known, by="another base")  # what is proposed to one branch was not let into another
        record = self._record(known, pull, told)
        if policy is None:
            return self._settled(record, unknown_policy_view(), None)
        if not policy.pulls.enabled:
            return GateOutcome("pull requests are not judged here")
        if pull.draft and not policy.pulls.drafts:
            return self._settled(record, state_view("draft", policy.mode), policy)
        return self.judge(record, policy, "reading the change, then running the tests")

    def on_close(self) -> GateOutcome:
        """Nothing of it is shown any more, unless it is open again by now."""
        known = self.gate_record()
        if known is None or self.client.get_pull(known.number).state == "open":
            return GateOutcome("it is not known, or open again")
        unjudged = self._let_through_beside(known)
        self._leave(known, self.policy(), "closed", publishes=not unjudged)
        self.services.gates.save(replace(known, state=GateState.CLOSED))
        return GateOutcome("closed", tuple(map(self._ask, unjudged)))

    def on_new_policy(self) -> GateOutcome:
        """What no policy let be judged; one that changed may."""
        known = self.gate_record()
        if known is None or known.judged or not (known.state is GateState.DONE or self.began(known)):
            return GateOutcome("it was judged meanwhile, or closed")
        return self.on_open(self.client.get_pull(known.number))

    def on_fix_search(self) -> GateOutcome:
        """More is known of whether what its issues report is fixed, or still fails: judged again where it was judged by
        something else, not at the price of its verdict."""
        known, policy = self._judged_again()
        if known is None:
            return GateOutcome("nothing was judged")
        if policy is None or not policy.issues.already_fixed.enabled:
            return GateOutcome(UNWANTED)
        used = self.services.fixes.last_basis(known.repo_id, known.number)
        if current_basis(self.services.fixes, known.repo_id, used.issues) == used:
            return GateOutcome("it was judged by that")
        if self._is_spent(policy, known):
            return GateOutcome("not judged again: the budget of the day is spent")
        return self.judge(known, policy, "once more, since somebody looked whether its issue is fixed already")

    def on_answer(self) -> GateOutcome:
        """A maintainer said which of change and fix is right: judged again, so that the check says so too."""
        known, policy = self._judged_again()
        if known is None:
            return GateOutcome("nothing was judged")
        return self.judge(known, policy, "once more, since a maintainer answered") if policy else GateOutcome(UNWANTED)

    def on_offer(self) -> GateOutcome:
        """A suggestion that came after the verdict shows what the change misses: judged again, once for a verdict."""
        known, policy = self._judged_again()
        if known and policy and (self.began(known) or (self._counts(known) and not self._is_spent(policy, known))):
            return self.judge(known, policy, "once more, since a suggested fix meets an example of its issue")
        return self.show_result()

    def _counts(self, known: GateRecord) -> bool:
        """Whether a suggestion may change the verdict that stands: it is for that commit, and the verdict neither came
        of one nor shows what one would. What is judged now looks suggestions up by itself, at its end."""
        stored = self.services.reviews.get(known.repo_id, known.number)
        newest = stored.review if stored else None
        if known.state is not GateState.DONE or newest is None or newest.commit != known.head:
            return False
        return not (f"/{Why.OFFERED}" in known.run_id or restored(known.judged).facts.trial.holes)

    def _is_spent(self, policy: Policy, known: GateRecord) -> bool:
        """Whether judging would end at once, since the day's budget is spent: counted as it counts itself."""
        pull = self.client.get_pull(known.number)
        makers = PullAuthor(self.services, known.repo_id, known.number).budget_makers(pull)
        return self.over_budget(policy, known.number, *makers) is not None

    def _judged_again(self) -> tuple[GateRecord | None, Policy | None]:
        """What was judged, or is; and the policy, where it wants that done once more."""
        known, policy = self.gate_record(), self.policy()
        judged = known and (known.state is GateState.JUDGING or (known.state is GateState.DONE and known.judged))
        return known if judged else None, policy if policy and policy.pulls.enabled else None

    def show_result(self) -> GateOutcome:
        """What came of judging."""
        record = self.gate_record()
        if record is None or record.state is not GateState.DONE:
            return GateOutcome("not shown: it is judged again, or closed")
        policy = self.policy()
        if policy is None:
            show(self.services, self.client, record.head, unknown_policy_view())
            return GateOutcome("not shown: the policy is invalid")
        return GateOutcome(publish(self.services, self.client, record, policy))

    def give_up(self, why: str) -> GateOutcome:
        """What hangs is completed honestly; a late verdict still replaces this. why: a phrase for the title."""
        record = self.gate_record()
        if record is None or record.state is not GateState.JUDGING:
            return GateOutcome("no longer under way")
        policy = self.policy()
        if not self.services.gates.give_up(record):
            return GateOutcome("no longer under way")
        mode = policy.mode if policy else Mode.ENFORCE
        self._complete(record, timeout_view(mode, why), policy)
        return GateOutcome(f"completed: {why}")

    def on_failure(self) -> GateOutcome:
        """Bouncer broke down over it, and says so at once instead of leaving a check that waits for its deadline."""
        known, pull, policy = self.gate_record(), self.client.get_pull(self.job.number), self.policy()
        if pull.state != "open" or (policy is not None and not policy.pulls.enabled):
            return GateOutcome("nothing waits for it")
        record = known if known is not None and known.head == pull.head else self._record(known, pull, pull)
        if record is not known:
            if known is not None:  # nobody else completes the check of the commit before
                self._leave(known, policy, "superseded")
            self.services.gates.save(replace(record, state=GateState.DONE, decision=Decision.UNAVAILABLE))
        elif known is not None and known.state is GateState.JUDGING and not self.services.gates.give_up(known):
            return GateOutcome("it was judged meanwhile")
        self._complete(record, self.without_verdict(policy), policy)
        return GateOutcome(f"completed: error {self.job.error}")

    def on_refusal(self) -> GateOutcome:
        """Something did not reach GitHub, or not from there. What is known of its newest commit is shown once more;
        where GitHub does not take that, or nothing is known of it, the check says so. It may be the last to say
        anything, so it comes back to show what it could not, and to have judged what it began."""
        known, pull = self.gate_record(), self.client.get_pull(self.job.number)
        if known is None or not on_same(known, pull):
            return self.on_failure()
        began = self.began(known)
        if not began and known.state is not GateState.DONE:
            return self.on_failure()
        try:
            unjudged = not known.judged and known.decision is not None
            return self.on_open(pull) if began or unjudged else self.show_result()
        except (Forbidden, Rejected):
            self.on_failure()
            raise

    def _record(self, known: GateRecord | None, pull: Pull, told: Pull) -> GateRecord:
        """As it is now, and not judged yet. When the head was pushed, the delivery that is about it knows best."""
        record = known or GateRecord(**self.job.key | {"number": pull.number}, head="")
        pushed = moment((told if told.head == pull.head else pull).updated_at)
        return replace(
            record,
            **self.job.whereabouts,
            pushed_at=record.pushed_at if record.head == pull.head else pushed,
            head=pull.head,
            base_branch=pull.base_branch,
            left_alone="",
            decision=None,
            judged="",
            due_at=None,
        )

    def _settled(self, record: GateRecord, view: GateView, policy: Policy | None) -> GateOutcome:
        """Nothing is judged, and the check says why. policy: `None` where nobody knows which one holds."""
        self.services.gates.save(replace(record, state=GateState.DONE, decision=Decision.UNAVAILABLE))
        shown = self._complete(record, view, policy, buttons=False)
        return GateOutcome(shown.title if shown else "another pull request with this commit is still judged")

    def _complete(
        self, record: GateRecord, view: GateView, policy: Policy | None, *, buttons: bool = True
    ) -> GateView | None:
        """Without a verdict, unless another pull request with the commit has something worse to show; what is shown.
        buttons: beside this view, too."""
        with one_at_a_time(self.services, record.head):
            shown = keeps_back_most(self.services, record, view, policy)
            if shown is not None and (policy is None or policy.mode is not Mode.OBSERVE):
                show(self.services, self.client, record.head, shown, buttons=buttons or shown is not view)
        return shown

    def _leave(self, known: GateRecord, policy: Policy | None, last: str, *, publishes: bool = True) -> None:
        """A commit's check, when this pull request leaves it: that of others that share it, else nothing pending.
        last: the state that it shows then. publishes: unless they are judged now."""
        others = beside(self.services, known)
        shows = policy is not None and policy.mode is not Mode.OBSERVE
        shown = self.services.check_runs.get(known.repo_id, known.head)
        pending = known.state is GateState.JUDGING or (shown is not None and shown.open)
        if shows and pending and not others:
            show(self.services, self.client, known.head, state_view(last))
        self.services.gates.save(replace(known, state=GateState.DONE, decision=None, judged="", due_at=None))
        if policy is not None and shows and others and publishes:
            publish(self.services, self.client, others[0], policy)

    def _let_through_beside(self, known: GateRecord) -> list[GateRecord]:
        """Those with its commit that nobody judged: what this one is known to be, a coding agent's, they are as well,
        and they may have been looked at before that was known."""
        if not PullAuthor(self.services, known.repo_id, known.number).is_agents():
            return []
        return [other for other in beside(self.services, known) if other.state is GateState.DONE and not other.judged]

    def _ask(self, other: GateRecord) -> RunJob:
        run_id = f"{self.job.run_id}/{other.number}"
        return replace(self.job, number=other.number, run_id=run_id, why=Why.RENEWED, delivery=None)

    def _outlive(self, known: GateRecord, pull: Pull, policy: Policy | None) -> None:
        """What a push makes of an override: it ends, or the policy lets it last and the push changes only prose."""
        override = self.services.overrides.current(known.repo_id, known.number)
        if override is None or override.head == pull.head:
            return
        if policy is None or not self._carried(override, pull, policy):
            self._end(known, by="a push")

    def _end(self, known: GateRecord, *, by: str) -> None:
        self.services.overrides.end(known.repo_id, known.number, by=by, at=self.services.now())

    def _carried(self, override: Override, pull: Pull, policy: Policy) -> bool:
        """Whoever gave it must still be allowed to."""
        wanted = policy.pulls.override
        if not wanted.sticky or not self._leaves_files(override.head, pull.head):
            return False
        permission = may_override(self.client, wanted, override.who)
        if permission is None:
            return False
        self.services.overrides.carry(override.onto(pull.head, permission=permission, at=self.services.now()))
        return True

    def _leaves_files(self, old: str, new: str) -> bool:
        """Whether `new` adds to `old`, and nothing but prose that nobody but people reads.

        What cannot be known is no yes: a force push, commits that are gone, a difference too large for GitHub to show,
        also where it says so as an error of its own. Raises `GitHubError` when this installation gets no answers at
        all.
        """
        try:
            compared = self.client.compare(old, new)
            if compared.status not in ("ahead", "identical") or compared.merge_base != old or not compared.complete:
                return False
            change = read_change(self.client.difference(old, new))
        except (NotFound, Gone, Rejected, Forbidden, Unavailable):
            return False
        source = MirrorSource(self.services.mirrors, self.job.repository, old, new, self.credential)
        return len(change.files) == compared.files and leaves_files(change, source.mentions)


def on_same(known: GateRecord, pull: Pull) -> bool:
    """Whether the newest commit is known, on its way into the same branch."""
    return (known.head, known.base_branch) == (pull.head, pull.base_branch)
