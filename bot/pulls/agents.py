"""Whose pull request is it? A coding agent's, or a person's, with the reasons. Pure.

Who opened it, GitHub vouches for; the type `Bot` too. All else (branch, commits, description) is what the pull request
says of itself: it is believed where it says "an agent", since nobody gains by that, and its absence proves nothing.
What a text quotes, shows as code or mentions in a sentence is not said of itself.

Who pushed, GitHub vouches for as well, and what once counted goes on counting: nothing that is deleted, renamed or
forced away takes it back, a maintainer's word alone does.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from bot.issues.commands import plain_lines
from bot.policy import Agents, PullRules
from bot.policy_choices import Scope
from bot.pulls.known_agents import KNOWN_AGENTS, LABELS, NAME_ENDINGS, SERVICE_BOTS
from bot.pulls.proposal import NOTHING_KNOWN, CommitText, Past, Proposal, Pusher
from bot.strict_yaml import code_span

MOST_TEXT = 65_536  # characters of a description
MOST_MESSAGE = 10_000  # characters of a commit message, from its end
MOST_CLOSING = 50  # closing lines of one

KNOWN = Agents()  # those that Bouncer knows, and no others

_BOTS = {bot: agent.name for agent in KNOWN_AGENTS for bot in agent.bots}
_USERS = {user: agent.name for agent in KNOWN_AGENTS for user in agent.users}
_BRANCHES = {branch: agent.name for agent in KNOWN_AGENTS for branch in agent.branches}
_ADDRESSES = {address: agent.name for agent in KNOWN_AGENTS for address in agent.addresses}
_LINES = {line: agent.name for agent in KNOWN_AGENTS for line in agent.lines}
_SERVICES = {bot: service for service, bots in SERVICE_BOTS.items() for bot in bots}

_BOT = "[bot]"
_BOT_ADDRESS = re.compile(r"(?:\d{1,20}\+)?([a-z0-9-]{1,100})\[bot\]@users\.noreply\.github\.com")
_CO_AUTHOR = re.compile(r"co-authored-by:[^<>]{0,200}<([^<>\s]{3,200})>[ \t]*", re.IGNORECASE)
_TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,50}:[ \t]\S")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(([^()\s]{1,500})\)")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_EDGES = re.compile(r"^[^a-z0-9`\"'(]+|[_.!]+$")  # emoji, emphasis and the full stop, but no marks of a quotation


@dataclass(frozen=True, slots=True)
class Authorship:
    """Whose a pull request is.

    agent: a coding agent's. reasons: never empty, plain sentences, also for what was seen and does not count.
    in_scope: whether the policy wants it judged.
    """

    agent: bool
    reasons: tuple[str, ...]
    in_scope: bool


def authorship(proposal: Proposal, policy: PullRules, past: Past = NOTHING_KNOWN) -> Authorship:
    """Every sign of a coding agent is a reason, and one is enough.

    An author whom the policy exempts is never an agent, whatever the pull request shows, and is not judged even where
    everybody is. What another account pushes to it counts all the same.
    """
    exempt = _is_exempt(proposal.author, policy.agents)
    alone = exempt and all(_is_exempt(pusher.login, policy.agents) for pusher in past.pushers)
    everybody = policy.scope is Scope.ALL and not alone
    told = (f"The policy says that {code_span(proposal.author)} is no coding agent.",) if exempt else ()
    shown = () if exempt else _shown(proposal, policy)
    signs = tuple(dict.fromkeys((*shown, *_by_pushers(proposal, policy, past))))
    if not exempt:
        signs += tuple(_by_past(past, signs))
    if past.person and signs:
        who = code_span(past.person)
        lifted = f"{who} says that it is a person's. A maintainer's word counts more than these signs."
        return Authorship(False, (lifted, *signs), everybody)
    asides = told if exempt else tuple(_asides(proposal))
    nothing = () if signs or asides else ("Nothing shows that a coding agent made it.",)
    return Authorship(bool(signs), signs + asides + nothing, bool(signs) or everybody)


def is_known_agent(login: str, is_bot: bool, agents: Agents) -> bool:
    """Whether it is the account of an agent that Bouncer or the policy names."""
    if _is_exempt(login, agents):
        return False
    slug = _slug_of(login, is_bot)
    known = slug in _BOTS if slug else login.lower() in _USERS
    return known or login.lower() in _lower(agents.logins)


def agents_account(login: str, is_bot: bool, agents: Agents) -> str:
    """What makes an account a coding agent's, as the end of a sentence such as "is Devin's bot"; empty for any other.
    GitHub vouches for both login and type."""
    if _is_exempt(login, agents):
        return ""
    if login.lower() in _lower(agents.logins):
        return "is an account that the policy counts as a coding agent's"
    slug = _slug_of(login, is_bot)
    if slug is None:
        name = _USERS.get(login.lower())
        return f"is an account of {name}" if name else ""
    if name := _BOTS.get(slug):
        return f"is {name}'s bot"
    return "" if slug in _SERVICES else "is a bot that Bouncer does not know, which counts as a coding agent"


def is_other_bot(login: str, is_bot: bool, agents: Agents) -> bool:
    """Whether it is a bot, and no coding agent: the issues that such a bot opens are notices."""
    return is_bot and not is_known_agent(login, is_bot, agents)


def is_agents_issue(login: str, is_bot: bool, through_app: bool, agents: Agents) -> bool:
    """Whether a coding agent wrote an issue: its account, or an App for its author (through_app)."""
    return through_app or bool(agents_account(login, is_bot, agents))


def no_persons_word(login: str, is_bot: bool, through_app: bool, agents: Agents) -> str:
    """Why a word or a press is not a person's own, as a sentence; empty where it may be. through_app: an App wrote the
    comment for somebody, so nobody knows whose word it is."""
    if is_bot:
        return "Bots cannot decide here."
    if through_app:
        return "It was written through a GitHub App, and nobody can tell whether a person meant it; write it by hand."
    account = agents_account(login, is_bot, agents)
    return f"{code_span(login)} {account}, and agents cannot decide here." if account else ""


def agents_labels(policy: PullRules) -> frozenset[str]:
    """The labels that mark a pull request as an agent's, in lower case."""
    return _lower((*LABELS, *policy.agents.labels))


def _shown(proposal: Proposal, policy: PullRules) -> tuple[str, ...]:
    """What it shows of itself by now."""
    return (
        *_by_policy(proposal, policy),
        *_by_author(proposal),
        *_by_branch(proposal),
        *_by_label(proposal),
        *_by_commits(proposal),
        *_by_description(proposal),
    )


def _by_pushers(proposal: Proposal, policy: PullRules, past: Past) -> Iterator[str]:
    for pusher in past.pushers:
        if pusher.number == proposal.number and pusher.login.lower() == proposal.author.lower():
            continue  # said of its author already
        if account := agents_account(pusher.login, pusher.is_bot, policy.agents):
            yield _pushed(proposal, pusher, account)


def _pushed(proposal: Proposal, pusher: Pusher, account: str) -> str:
    who = f"{code_span(pusher.login)}, which {account}"
    if pusher.number == proposal.number:
        return f"Commits were pushed to it by {who}."
    return f"Its commit `{pusher.head[:7]}` was pushed to pull request {pusher.number} by {who}."


def _by_past(past: Past, signs: tuple[str, ...]) -> Iterator[str]:
    """What it showed before, where that is no longer to be seen."""
    if past.twin:
        yield f"Its commit is that of pull request {past.twin}, which is a coding agent's."
    if past.signs and not set(past.signs) & set(signs):
        yield f"It counted as a coding agent's before, and stays one: {' '.join(past.signs)}"


def _by_policy(proposal: Proposal, policy: PullRules) -> Iterator[str]:
    if proposal.author.lower() in _lower(policy.agents.logins):
        yield f"The policy counts its author {code_span(proposal.author)} as a coding agent."
    prefix = next((name for name in policy.agents.branches if proposal.branch.lower().startswith(name.lower())), None)
    if prefix:
        yield f"Its branch begins with {code_span(prefix)}, which the policy says coding agents' branches do."
    carried = _lower(proposal.labels)
    label = next((name for name in policy.agents.labels if name.lower() in carried), None)
    if label:
        yield f"It carries the label {code_span(label)}, with which the policy marks coding agents."


def _by_author(proposal: Proposal) -> Iterator[str]:
    slug = _slug(proposal)
    if slug is None:
        if name := _USERS.get(proposal.author.lower()):
            yield f"Its author {code_span(proposal.author)} is an account of {name}."
    elif name := _BOTS.get(slug):
        yield f"Its author {code_span(proposal.author)} is {name}'s bot."
    elif slug not in _SERVICES:
        yield (
            f"Its author {code_span(proposal.author)} is a bot that Bouncer does not know; "
            "such a bot counts as a coding agent until the policy exempts it."
        )


def _by_branch(proposal: Proposal) -> Iterator[str]:
    branch = proposal.branch.lower()
    for prefix, name in _BRANCHES.items():
        if branch.startswith(prefix) and branch != prefix and not _called(proposal, prefix.rstrip("/")):
            yield f"Its branch begins with `{prefix}`, as those of {name} do."
            return


def _by_label(proposal: Proposal) -> Iterator[str]:
    carried = _lower(proposal.labels)
    if label := next((name for name in LABELS if name in carried), None):
        yield f"It carries the label `{label}`."


def _by_commits(proposal: Proposal) -> Iterator[str]:
    found = Counter(name for commit in proposal.commits for name in set(_names(commit)))
    total = len(proposal.commits)
    for name, number in found.most_common():
        share = "Its only commit names" if total == 1 else f"{number} of its {total} commits name"
        one = "s" if total > 1 and number == 1 else ""
        yield f"{share}{one} {name} as author, as co-author or in a closing line."


def _by_description(proposal: Proposal) -> Iterator[str]:
    if _slug(proposal) in _SERVICES:
        return  # what such a bot describes it takes from others: release notes, commits, changelogs
    lines = plain_lines(proposal.body[:MOST_TEXT])
    for name in dict.fromkeys(filter(None, map(_signed, lines))):
        yield f"Its description contains {name}'s signature."


def _asides(proposal: Proposal) -> Iterator[str]:
    """What looks like a sign of an agent, or explains why there is none, and counts for nothing."""
    slug = _slug(proposal)
    if slug in _SERVICES:
        bot = code_span(proposal.author)
        yield f"Its author {bot} is a bot that {_SERVICES[slug]}, which is no coding agent's work."
    name = _BOTS.get(proposal.author.lower()) if slug is None else None
    if name and proposal.author.lower() not in _USERS:
        yield f"Its author {code_span(proposal.author)} has the name of {name}'s bot but is another account."


def _slug(proposal: Proposal) -> str | None:
    """The name of the App whose bot opened it; `None` for a person's account."""
    return _slug_of(proposal.author, proposal.author_is_bot)


def _slug_of(login: str, is_bot: bool) -> str | None:
    """No person's login holds a bracket."""
    name = login.lower()
    return name.removesuffix(_BOT) if is_bot or name.endswith(_BOT) else None


def _is_exempt(login: str, agents: Agents) -> bool:
    """GitHub's logins are ASCII; what only looks like one after lowering is none."""
    return login.isascii() and login.lower() in _lower(agents.exempt)


def _called(proposal: Proposal, word: str) -> bool:
    """Whether people behind it have a name like that: then the branch may well be named after them."""
    people = [commit.author_name[:200] for commit in proposal.commits if not any(_names(commit))]
    if _slug(proposal) is None and proposal.author.lower() not in _USERS:
        people.append(proposal.author)
    return any(word in re.split(r"[^a-z]+", name.lower()) for name in people)


def _names(commit: CommitText) -> Iterator[str]:
    """The agents a commit names, each perhaps more than once."""
    yield from _named(commit.author_email)
    yield from (name for ending, name in NAME_ENDINGS.items() if commit.author_name.lower().rstrip().endswith(ending))
    for line in islice(_closing_lines(commit.message[-MOST_MESSAGE:]), MOST_CLOSING):
        if co_author := _CO_AUTHOR.fullmatch(line):
            yield from _named(co_author[1])
        elif name := _signed(line):
            yield name


def _named(address: str) -> Iterator[str]:
    wanted = address.lower()
    bot = _BOT_ADDRESS.fullmatch(wanted)
    if name := _ADDRESSES.get(wanted) or (_BOTS.get(bot[1]) if bot else None):
        yield name


def _closing_lines(message: str) -> Iterator[str]:
    """The lines that end a paragraph and are each a trailer or a signature; a squashed commit has several such ends.

    Unlike git, which looks at the last paragraph alone. A line in the middle of a sentence, indented, quoted or within
    a code block is none.
    """
    ending, fenced = True, False
    for line in reversed(message.replace("\r\n", "\n").split("\n")):
        if _FENCE.match(line):
            fenced = not fenced
        ending = not line.strip() or (ending and not fenced and bool(_TRAILER.match(line) or _signed(line)))
        if ending and line.strip():
            yield line


def _signed(line: str) -> str | None:
    """The agent that signs with this line."""
    if len(line) > 1000 or line.startswith((">", " ", "\t")):
        return None
    said = _EDGES.sub("", _LINK.sub(r"\1 (\2)", line.replace("*", "")).lower())
    return next((name for mark, name in _LINES.items() if _reads(said, mark)), None)


def _reads(said: str, mark: str) -> bool:
    return said.startswith(mark[:-1]) if mark.endswith("…") else said == mark


def _lower(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)
