"""What a server would remember of a pull request, read back from Bouncer's own checks and maintainers' comments.

What only keeps a pull request back is taken from every check that is found: what made it an agent's, who pushed, which
commits were bounced. What lets it through is taken from nothing but comments, whose authors GitHub vouches for and is
asked about: see `comment_commands`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from bot.action import memory
from bot.action.comment_commands import CommentCommand, as_read, commands_in
from bot.action.local_server import INSTALLATION, KnownPull, LocalServer
from bot.action.memory import REST, PullMemory, StandingWords
from bot.github.errors import NotFound
from bot.github.fields import moment
from bot.github.values import CheckRun, ForcedPush, Pull
from bot.plain_text import clean
from bot.policy import Policy
from bot.pulls.agents import agents_account
from bot.rendering.gate import NAME
from bot.storage.gates import CheckRunRecord, GateRecord, GateState
from bot.storage.overrides import Override
from bot.storage.pull_authors import PersonWord
from bot.verdicts import Decision
from bot.workflows.pull.check_run import LABEL, external_id
from bot.workflows.pull.person_actions import may_override

MOST_COMMITS = 30  # of a pull request, and of what was forced away, whose checks are read
UNSEEN = "It has more commits than can be looked at, so it counts as a coding agent's."
CROWDED = "More pull requests share its commit than can be remembered, so it counts as a coding agent's."
WORDS = ("override", "override-cancel", "person")


@dataclass(frozen=True, slots=True)
class PullSnapshot:
    """since: a word counts for the newest commit if it was said after this second; GitHub's clock does not say what was
    first within one. memory: the newest there is; `None` for one that was never judged. foreign: the addresses of
    checks that bear Bouncer's name on the newest commit, and are by another job of this repository."""

    pull: Pull
    since: datetime
    memory: PullMemory | None
    foreign: tuple[str, ...] = ()

    @property
    def is_seen(self) -> bool:
        """Whether its newest commit was judged, perhaps for another branch."""
        return self.memory is not None and self.memory.record.head == self.pull.head

    @property
    def is_judged(self) -> bool:
        """Whether its newest commit was, for the branch that it is proposed to now. A job may have been cancelled in
        the middle of it."""
        if self.memory is None or not self.is_seen:
            return False
        record = self.memory.record
        return record.base_branch == self.pull.base_branch and record.state is GateState.DONE


def remember(
    server: LocalServer, pull: Pull, policy: Policy, *, told_at: datetime, but: int | None = None
) -> PullSnapshot:
    """Fill the database with all that is known of a pull request, and of others that share its check. told_at: when
    GitHub told of its newest commit, where no memory knows better. but: the comment that is carried out as a delivery.
    Raises `GitHubError`."""
    checks = server.client.checks_of_jobs(pull.head, NAME)
    own = [each for each in checks if each.external_id == external_id(pull.head)]
    forced = server.client.force_pushes(pull.number)
    known = _newest(server, pull, own, forced)
    since = _since(server, pull, known, told_at, forced)
    foreign = tuple(each.html_url for each in checks if each not in own)
    found = PullSnapshot(pull, since, known, foreign)
    said = known.words if known is not None else StandingWords()
    shown = said if found.is_seen else StandingWords()
    server.pulls[pull.number] = KnownPull(since, said.taken_back, shown)
    if known is not None:
        _restore(server, found, known)
    if own:
        run = own[0]
        record = CheckRunRecord(run.id, annotated=run.annotations > 0, open=run.status != "completed")
        server.services.check_runs.keep(server.repository.id, pull.head, record, now=server.services.now())
    collect_words(server, found, policy, but)
    _remember_others(server, pull, own, policy)
    return found


def _remember_others(server: LocalServer, pull: Pull, own: list[CheckRun], policy: Policy) -> None:
    """Several pull requests may share a commit, and so its check."""
    memories = {each.record.number: each for check in own for each in memory.pulls_in(check.text)}
    for number in sorted(memories.keys() - server.pulls.keys()):
        if number == REST:
            server.services.gates.save(_rest(server, pull.head))
            continue
        try:
            other = server.client.get_pull(number)
        except NotFound:
            continue
        if other.head == pull.head and other.state == "open":
            remember(server, other, policy, told_at=server.services.now())


def beside_check(server: LocalServer, head: str) -> str:
    """What to remember of each pull request that stands on a commit, as it is now: it is about to be written."""
    records = server.services.gates.on(server.repository.id, head)
    kept = [_kept(server, each) for each in records if each.number in server.pulls]
    now = server.services.now()
    rest = PullMemory(_rest(server, head), now, now, (CROWDED,), words=StandingWords(taken_back=now))
    return memory.of_pulls(kept, rest, some_lost=any(each.number == REST for each in records))


def _kept(server: LocalServer, record: GateRecord) -> PullMemory:
    services, repository, number = server.services, server.repository.id, record.number
    known = server.pulls[number]
    signs = services.makers.signs(repository, number)
    pushes = services.pushes.to(repository, number)[-MOST_COMMITS:]
    standing = words_in_force(server, number)
    # A check is also written for what others on its commit say. Whose it is was decided when it was judged.
    person = known.shown.person if record.run_id == known.run else standing.person
    known.run, known.shown = record.run_id, replace(standing, person=person)
    ran = server.ran_for.get(number)
    return PullMemory(record, known.since, services.now(), signs, pushes, known.shown, ran)


def words_in_force(server: LocalServer, number: int) -> StandingWords:
    """Those that hold now, as far as they were heard."""
    services, repository = server.services, server.repository.id
    override, person = (each.current(repository, number) for each in (services.overrides, services.makers))
    taken_back = server.pulls[number].taken_back
    return StandingWords(override.id if override else "", person.id if person else "", taken_back)


def _rest(server: LocalServer, head: str) -> GateRecord:
    """Of those on a commit of whom nothing fits beside its check: one that is not judged, and so keeps it back."""
    return _blank(server, REST, head)


def _blank(server: LocalServer, number: int, head: str) -> GateRecord:
    return GateRecord(
        repo_id=server.repository.id,
        number=number,
        installation_id=INSTALLATION,
        repository=server.repository.full_name,
        head=head,
        state=GateState.DONE,
        decision=Decision.UNAVAILABLE,
    )


def _since(
    server: LocalServer, pull: Pull, known: PullMemory | None, told_at: datetime, forced: tuple[ForcedPush, ...]
) -> datetime:
    """From when on a word counts. When GitHub first told of a commit is not enough: its author can go back to it later,
    or hold back the run that tells of it, and meanwhile show another commit or branch to whoever says the word. What
    was there meanwhile was forced away, pointed elsewhere, or closed while the branch moved, and GitHub dates that."""
    now = server.services.now()
    same = known is not None and (known.record.head, known.record.base_branch) == (pull.head, pull.base_branch)
    since = known.since if same and known is not None else told_at
    opened = moment(pull.created_at)
    if not same:
        opened = server.client.last_reopening(pull.number) or opened
    if opened is not None and since < opened:  # a run that was held back since another pull request
        since = now
    if forced and forced[0].at > since:
        since = forced[0].at if forced[0].after == pull.head else now
    return max(since, server.client.last_base_change(pull.number) or since)


def _newest(
    server: LocalServer, pull: Pull, checks: list[CheckRun], forced: tuple[ForcedPush, ...]
) -> PullMemory | None:
    """Each memory holds what those before it held, so the newest is all of them. Its newest commit and what was forced
    away may each have it; so may the commits before the newest, where those have none or it was pushed on since. Where
    there is more than can be looked at, it counts as one that has to be kept back."""
    found = list(_of(pull.number, checks))
    is_known = any(not forced or each.at > forced[0].at for each in found)
    found += (there := _beside(server, pull, (push.before for push in forced[:MOST_COMMITS])))
    is_whole = bool(there) or len(forced) <= MOST_COMMITS
    if not found or (forced and forced[0].after != pull.head):
        heads, are_all = server.client.commits_with_checks(pull.number)
        found += (there := _beside(server, pull, heads[:MOST_COMMITS]))
        is_whole &= bool(there) or (are_all and len(heads) <= MOST_COMMITS)
    if not is_known and not is_whole:
        found.append(_unseen(server, pull, max(found, key=lambda each: each.at, default=None)))
    newest = max(found, key=lambda each: each.at, default=None)
    if newest is None:
        return None
    taken_back = max(filter(None, (each.words.taken_back for each in found)), default=None)
    return replace(newest, words=replace(newest.words, taken_back=taken_back))


def _beside(server: LocalServer, pull: Pull, heads: Iterable[str]) -> list[PullMemory]:
    """What the checks of these commits hold. All are read: the order is by dates that their author may have set."""
    others = [head for head in dict.fromkeys(heads) if head and head != pull.head]
    return [each for head in others for each in _of(pull.number, server.client.checks_of_jobs(head, NAME))]


def _unseen(server: LocalServer, pull: Pull, older: PullMemory | None) -> PullMemory:
    """In the place of a memory that may lie where nobody looks."""
    now = server.services.now()
    memory = older or PullMemory(_blank(server, pull.number, head=""), now, now)
    return replace(memory, at=now, signs=memory.signs or (UNSEEN,), words=replace(memory.words, taken_back=now))


def _of(number: int, checks: Iterable[CheckRun]) -> Iterator[PullMemory]:
    """Where it is not named, and there was no room for all, what holds for the rest."""
    for own in checks:
        named = {each.record.number: each for each in memory.pulls_in(own.text)}
        if (found := named.get(number) or named.get(REST)) is not None:
            yield replace(found, record=replace(found.record, number=number))


def _restore(server: LocalServer, found: PullSnapshot, known: PullMemory) -> None:
    services, repository, number = server.services, server.repository.id, found.pull.number
    done = known.record.state is GateState.DONE
    record = replace(
        known.record,
        repo_id=repository,
        installation_id=INSTALLATION,
        repository=server.repository.full_name,
        due_at=None,
        run_id="",
        state=GateState.DONE,
        pushed_at=found.since if found.is_seen else known.record.pushed_at,
        decision=known.record.decision if done else None,
        judged=known.record.judged if done else "",
        labelled=LABEL in found.pull.labels and (known.record.labelled or known.record.decision is Decision.BOUNCE),
    )
    if record.head:
        services.gates.save(record)
    if found.is_judged and known.ran is not None:
        server.ran_for[number] = known.ran
    if known.signs:
        services.makers.mark(repository, number, known.signs, at=known.at)
    for push in known.pushes:
        services.pushes.add(replace(push, repo_id=repository, number=number))


def collect_words(server: LocalServer, found: PullSnapshot, policy: Policy, but: int | None = None) -> None:
    """The override, and the word that it is a person's, of those who may still give them. May be repeated."""
    services, repository, number = server.services, server.repository.id, found.pull.number
    override, person, taken_back = _standing(server, found, policy, but)
    server.pulls[number].taken_back = taken_back
    if person is None and (stands := services.makers.current(repository, number)) is not None:
        services.makers.end(repository, number, by="a later word", at=services.now(), until=stands.said_at)
    if override is None:
        services.overrides.end(repository, number, by="a later word", at=services.now())
    else:
        services.overrides.add(override)
    if person is not None:
        services.makers.add(person)
    for push in found.memory.pushes if found.memory else ():
        if agents_account(push.who, push.is_bot, policy.pulls.agents):
            services.makers.end(repository, number, by=f"a push of {push.who}", at=push.at, until=push.at)


def _standing(
    server: LocalServer, found: PullSnapshot, policy: Policy, but: int | None
) -> tuple[Override | None, PersonWord | None, datetime | None]:
    """The third: up to when words are taken back. That is remembered, since it only keeps back: whoever said so may
    have lost their role since, or deleted it."""
    client, pull, wanted = server.client, found.pull, policy.pulls.override
    allowed = cache(lambda login: may_override(client, wanted, login))
    override: Override | None = None
    person: PersonWord | None = None
    taken_back = server.pulls[pull.number].taken_back
    for written in commands_in(client.comments(pull.number), server.github.slug, policy.pulls.agents, but=but):
        word, who = written.command.word, written.comment.author
        own = who.lower() == pull.author.lower()
        if word not in WORDS or (own and not _may_of_own(found, word)) or (permission := allowed(who)) is None:
            continue
        if (said := as_read(client, pull.number, written, server.github.slug)) is None:
            continue
        if word == "override-cancel":
            override = person = None
            taken_back = max(said.at, taken_back or said.at)
        elif taken_back is not None and said.at <= taken_back:
            continue
        elif word == "override" and clean(said.command.rest) and said.at > found.since:
            override = _override(server, found, said, permission)
        elif word == "person" and clean(said.command.rest):
            person = _person(server, found, said, permission)
    return override, person, taken_back


def _may_of_own(found: PullSnapshot, word: str) -> bool:
    """Of one's own pull request nobody says that it is a person's; an override of it is one's own only where it is
    known to be a person's."""
    known = found.memory
    return word != "person" and known is not None and found.is_judged and not known.signs and bool(known.record.judged)


def _override(server: LocalServer, found: PullSnapshot, said: CommentCommand, permission: str) -> Override:
    return Override(
        id=said.name,
        repo_id=server.repository.id,
        number=found.pull.number,
        head=found.pull.head,
        who=said.comment.author,
        permission=permission,
        reason=said.command.rest,
        at=said.at,
        base_branch=found.pull.base_branch,
    )


def _person(server: LocalServer, found: PullSnapshot, said: CommentCommand, permission: str) -> PersonWord:
    """head: the newest commit where it was said since; of an earlier one, that the word goes on for what a person is
    known to have pushed."""
    return PersonWord(
        id=said.name,
        repo_id=server.repository.id,
        number=found.pull.number,
        head=found.pull.head if said.at > found.since else "",
        who=said.comment.author,
        permission=permission,
        reason=said.command.rest,
        said_at=said.at,
        at=said.at,
    )
