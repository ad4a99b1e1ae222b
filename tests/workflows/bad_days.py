"""Days on which much goes wrong at once: people act, GitHub and the model fail, deliveries come twice or not at all,
the clock jumps. What is drawn comes from one seed.

Hours pass on the house's clock, for what waits in the engine as well, so each wait is as long as Bouncer makes it. All
that goes wrong is over before its patience with GitHub and with the model is: what it then leaves alone is no fault.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.judges.protocol import NoJudgement
from bot.rendering.gate import NAME
from bot.workflows.commands import mark_of
from bot.workflows.durable.step import PATIENCE
from bot.workflows.issue.judging import RETRIES
from tests.support.runs import count_unfinished
from tests.support.waiting import eventually
from tests.workflows.hours import go_by, let_pass, no_waiting
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE, House
from tests.workflows.test_faults import LIMIT
from tests.workflows.test_gate import MENDS

AGENT = "copilot-swe-agent[bot]"
POLICY = """mode: enforce
issues: {already_fixed: {enabled: false}}
budgets: {per_repository: 100000, per_author: 100000}
"""
ROUTES = (
    *(None, "/access_tokens", "/graphql", "/contents/{path}", "/compare/{basehead}", "/pulls/{pull_number}"),
    *("/check-runs", "/check-runs/{check_run_id}", "/issues/{issue_number}", "/issues/{issue_number}/comments"),
    *("/issues/comments/{comment_id}", "/issues/{issue_number}/labels", "/issues/{issue_number}/labels/{name}"),
)
HALVES = ("cut", "chunk", "text")
AWAY = NoJudgement("plain/1", "the model is down", retry=True)


@dataclass
class Reckoning:
    """injected: how many faults of each kind were made. The rest has to be empty: numbers of subjects."""

    injected: Counter[str] = field(default_factory=Counter)
    acts: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    hanging: list[int] = field(default_factory=list)

    def clean(self) -> bool:
        return not (self.lost or self.twice or self.wrong or self.hanging)


class BadDays:
    """One repository, its people, and what goes wrong around it."""

    def __init__(self, house: House, random: Random) -> None:
        self.house, self.random = house, random
        no_waiting(house)
        self.first = len(house.github.deliveries)
        self.repo = house.repository(POLICY)
        house.verifier.stood = MENDS
        self.held: dict[int, bool] = {}  # by issue: whether it has to be held in the end
        self.pulls: list[int] = []
        self.deck: list[str] = []
        self.gone_by = timedelta()
        self.reckoning = Reckoning()

    # People

    def act(self) -> None:
        """One thing that somebody does."""
        self.reckoning.acts += 1
        what = self.random.choices(
            [self.open_issue, self.edit_issue, self.recheck, self.open_pull, self.push], [4, 3, 1, 2, 2]
        )
        what[0]()

    def open_issue(self) -> None:
        clear = self.random.random() < 0.4
        title, body = self._text(clear)
        self.held[self.house.github.open_issue(self.repo, title, body)] = not clear

    def edit_issue(self) -> None:
        """What once was clear stays clear: an item that was ticked is never asked for again."""
        if self.held:
            number = self.random.choice(list(self.held))
            clear = not self.held[number] or self.random.random() < 0.4
            title, body = self._text(clear)
            self.house.github.edit_issue(self.repo, number, title=title, body=body)
            self.held[number] = not clear

    def recheck(self) -> None:
        if subjects := [*self.held, *self.pulls]:
            self.house.github.comment(self.repo, self.random.choice(subjects), "/bouncer recheck", by="maintainer")

    def open_pull(self) -> None:
        change = {f"part{len(self.pulls)}.py": "x = 1\n"}
        self.pulls.append(self.house.github.open_pull(self.repo, "Add a part", change, by=AGENT))

    def push(self) -> None:
        if self.pulls:
            number = self.random.choice(self.pulls)
            change = {f"part{self.pulls.index(number)}.py": f"x = {self.random.randrange(10**9)}\n"}
            self.house.github.push_to_pull(self.repo, number, change)

    def _text(self, clear: bool) -> tuple[str, str]:
        many = self.random.randrange(9)
        return (CLEAR_TITLE, CLEAR + "\nStill so." * many) if clear else (VAGUE_TITLE, VAGUE + " Please!" * many)

    def live(self, acts: int, faults: int) -> Reckoning:
        """So many acts, minutes apart, with so many faults spread over them; then all settles."""
        moments = Counter(self.random.randrange(acts) for _ in range(faults))
        for moment in range(acts):
            self.go_by(minutes=self.random.uniform(0.1, 5))
            self.act()
            for _ in range(moments[moment]):
                self.strike()
            self.house.deliver()
            self.house.worker.turn()
            if self.random.random() < 0.3:
                eventually(self.house.idle, 120)
        self.settle()
        return self.reckon()

    def go_by(self, **units: float) -> None:
        """Time passes; a model that is away comes back before it is asked for the last time."""
        span = timedelta(**units)
        self.gone_by += span
        assert self.gone_by < timedelta(seconds=sum(PATIENCE)), "GitHub fails for longer than Bouncer is patient"
        if self.is_asked_once_more():
            self.house.judge.away = None
        go_by(self.house, span)

    def is_asked_once_more(self) -> bool:
        """Whether some issue has one try at the model left, however short each of its absences was."""
        found = (self.house.remembered(self.repo, number) for number in self.held)
        return any(subject is not None and subject.retries >= len(RETRIES) for subject in found)

    # What goes wrong

    def strike(self) -> None:
        """One fault, of a kind that is drawn: each comes once before any comes again."""
        if not self.deck:
            self.deck = self.random.sample(list(FAULTS), len(FAULTS))
        kind = self.deck.pop()
        FAULTS[kind](self)
        self.reckoning.injected[kind] += 1

    def burst(self) -> None:
        """The last delivery comes again, a hundred times under its own number and once under another."""
        if not self.house.github.deliveries:
            return
        last = self.house.github.deliveries[-1]
        delivery = read(last.event, last.payload)
        if isinstance(delivery, Delivery):
            for _ in range(100):
                self.house.services.inbox.claim(last.guid, delivery, now=self.house.clock())
            self.house.services.inbox.claim(f"{last.guid}-twin", delivery, now=self.house.clock())

    # The end

    def settle(self) -> None:
        """Nothing goes wrong any more; the reconcile loop brings what was lost, and every wait comes to its end."""
        house = self.house
        house.github.traffic.clear()
        house.judge.away = None
        for _ in range(4):
            let_pass(house, hours=7)
        assert count_unfinished() == 0

    def reckon(self) -> Reckoning:
        """Count what is wrong, once all has settled."""
        found, github = self.reckoning, self.house.github
        own = github.deliveries[self.first :]  # those of other days before them may be forgotten by now
        guids = [item.guid for item in own if isinstance(read(item.event, item.payload), Delivery)]
        found.lost = sorted(set(guids) - self.house.services.inbox.claims_among(guids))
        for number, held in self.held.items():
            issue = github.issue(self.repo, number)
            spoken = [each for each in issue.comments if each.by_bouncer and not mark_of(each.body)]
            if len(spoken) > 1 or self._put_on(number) > 1:
                found.twice.append(number)
            if (LABEL in issue.labels) != held:
                found.wrong.append(number)
        for number in self.pulls:
            pull = github.repo(self.repo).issues[number].pull
            head = pull.head if pull else ""
            runs = [run for run in github.checks(self.repo) if run.head_sha == head and run.name == NAME]
            if len(runs) > 1:
                found.twice.append(number)
            if any(run.status != "completed" for run in runs) or not runs:
                found.hanging.append(number)
            elif runs[0].conclusion != "success":
                found.wrong.append(number)
        return found

    def _put_on(self, number: int) -> int:
        """How often the label is on, by the history: more than once means that it was put on twice."""
        history = self.house.issue(self.repo, number).history
        return history.count("labeled") - history.count("unlabeled")


def _fault(**given: object) -> Callable[[BadDays], None]:
    """GitHub answers the next calls so, one to three times: any, or those of one kind."""

    def make(days: BadDays) -> None:
        times, route = days.random.randint(1, 3), days.random.choice(ROUTES)
        if given.get("drop"):
            days.house.github.drop(times, route=route, after_effect=bool(given.get("after_effect")))
        else:
            days.house.github.fail(times=times, **{"route": route, **given})  # type: ignore[arg-type]

    return make


def _model(days: BadDays) -> None:
    days.house.judge.away = AWAY if days.house.judge.away is None and not days.is_asked_once_more() else None


def _lose(days: BadDays) -> None:
    """What GitHub sent since the last time never arrives."""
    days.house.lose()


def _hours(days: BadDays) -> None:
    days.go_by(hours=days.random.uniform(0.1, 3))


def _back(days: BadDays) -> None:
    """The clock was wrong, and is set right."""
    days.house.clock.advance(minutes=-days.random.uniform(1, 20))


FAULTS: dict[str, Callable[[BadDays], None]] = {
    "500": _fault(status=500),
    "502 after the work": _fault(status=502, after_effect=True),
    "503": _fault(status=503),
    "401": _fault(status=401),
    "403 with Retry-After": _fault(status=403, message=LIMIT, headers={"retry-after": "0"}),
    "403 without": _fault(status=403, message="Resource not accessible by integration"),
    "404 for the installation": _fault(status=404, route="/access_tokens"),
    "422": _fault(status=422),
    "half an answer": lambda days: days.house.github.halve(days.random.choice(HALVES), days.random.randint(1, 3)),
    "dropped": _fault(drop=True),
    "dropped after the work": _fault(drop=True, after_effect=True),
    "model away": _model,
    "deliveries lost": _lose,
    "a hundred copies": BadDays.burst,
    "hours pass": _hours,
    "the clock goes back": _back,
}
