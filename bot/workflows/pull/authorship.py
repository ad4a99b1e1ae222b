"""Whose a pull request is, over its whole life: what deliveries tell of it is kept, so that nothing takes it back."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.github.deliveries import Delivery
from bot.github.fields import moment
from bot.github.values import Pull
from bot.policy import Policy, PullRules
from bot.pulls.agents import Authorship, agents_account, authorship
from bot.pulls.facts import Past, Pusher
from bot.storage.pull_authors import PersonWord, Push
from bot.workflows.services import Services

PUSHED = ("opened", "synchronize")  # their sender brought the head commit


class PullAuthor:
    """One pull request. Asks GitHub nothing; everything may be repeated, in any order."""

    def __init__(self, services: Services, repo_id: int, number: int) -> None:
        self.services = services
        self.makers = services.makers
        self.repo_id = repo_id
        self.number = number

    def note_delivery(self, delivery: Delivery, policy: Policy | None) -> None:
        """Keep what a delivery says: who pushed, and every sign of an agent, also one that it says is gone."""
        if delivery.pull is None:
            return
        pulls = (policy or Policy()).pulls
        if delivery.action in PUSHED and delivery.sender:
            self._pushed(delivery, delivery.pull, pulls)
        for shown in _shown(delivery, delivery.pull):
            self.keep(authorship(shown, pulls))

    def keep(self, whose: Authorship) -> None:
        """Once an agent's, it stays one."""
        if whose.agent:
            self.makers.mark(self.repo_id, self.number, whose.reasons, at=self.services.now())

    def pusher(self, head: str) -> str:
        """Who brought a commit here; empty where no delivery told."""
        return next((push.who for push in self._pushes() if push.head == head), "")

    def budget_makers(self, pull: Pull) -> tuple[str, str]:
        """In whose budgets a judgement of its newest commit counts: who pushed that, as far as it is known, and who
        opened the pull request."""
        return self.pusher(pull.head) or pull.author, pull.author

    def past(self, pull: Pull) -> Past:
        """What is known of it beside what it shows now."""
        head = pull.head
        commits = {head, *(commit.sha for commit in pull.commits)}
        pushes = self.services.pushes.to(self.repo_id, self.number, commits)
        twins = self.makers.twins(self.repo_id, self.number, head)
        word = self.word(head)
        return Past(
            pushers=tuple(Pusher(push.who, push.is_bot, push.head, push.number) for push in pushes),
            signs=self.makers.signs(self.repo_id, self.number),
            twin=next((each for each in twins if not self.makers.current(self.repo_id, each)), 0),
            person=word.who if word else "",
        )

    def word(self, head: str) -> PersonWord | None:
        """The maintainer's word that holds for a commit: the one that stood there when it was given, or one of which it
        is known who pushed it. What nobody knows yet may be an agent's."""
        word = self.makers.current(self.repo_id, self.number)
        if word is None or word.head == head:
            return word
        known = any(push.head == head and push.number == self.number for push in self._pushes())
        return word if known else None

    def is_agents(self) -> bool:
        """Whether it ever counted as an agent's."""
        return bool(self.makers.signs(self.repo_id, self.number))

    def agent_pushed_since(self, said: datetime, pulls: PullRules) -> bool:
        """Whether an agent pushed to it after that, or in the same second."""
        return any(push.at >= said and _agents(push, pulls) for push in self._pushes())

    def _pushed(self, delivery: Delivery, pull: Pull, pulls: PullRules) -> None:
        """An agent's push ends the word that it is a person's, unless that is about this push already."""
        push = Push(
            repo_id=self.repo_id,
            number=self.number,
            head=pull.head,
            who=delivery.sender,
            is_bot=delivery.sender_is_bot,
            at=moment(pull.updated_at) or self.services.now(),
        )
        self.services.pushes.add(push)
        if _agents(push, pulls):
            by = f"a push of {push.who}"
            self.makers.end(self.repo_id, self.number, by=by, at=self.services.now(), until=push.at)

    def _pushes(self) -> tuple[Push, ...]:
        return self.services.pushes.to(self.repo_id, self.number)


def _agents(push: Push, pulls: PullRules) -> bool:
    return bool(agents_account(push.who, push.is_bot, pulls.agents))


def _shown(delivery: Delivery, pull: Pull) -> Iterable[Pull]:
    """The pull request as a delivery shows it, and as it was before. Without the branch, whose name may be a person's:
    the commits tell that, and no delivery holds them."""
    now = replace(pull, head_branch="", commits=())
    if delivery.label:
        now = replace(now, labels=(*now.labels, delivery.label))
    return (now,) if delivery.previous_body is None else (now, replace(now, body=delivery.previous_body))
