"""Whose pull request is it? A coding agent's, or a person's, with the reasons. Pure.

Who opened it, GitHub vouches for; the type `Bot` too. All else (branch, commits, description) is what the pull request
says of itself: it is believed where it says "an agent", since nobody gains by that, and its absence proves nothing.
What a text quotes, shows as code or mentions in a sentence is not said of itself.

Who pushed, GitHub vouches for as well, and what once counted goes on counting: nothing that is deleted, renamed or
forced away takes it back, a maintainer's word alone does.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.github.values import Pull, PullCommit
from bot.markdown.commands import plain_lines
from bot.markdown.tree import PartKind, parts
from bot.markdown.visible import COMMENT, visible
from bot.policy import Agents, PullRules
from bot.policy_choices import Scope
from bot.pulls.facts import NOTHING_KNOWN, Past
from bot.pulls.known_agents import SERVICES, SignTable, signs_of
from bot.strict_yaml import code_span

MOST_TEXT = 65_536  # characters of a description
MOST_MESSAGE = 10_000  # characters of a commit message, from its end

KNOWN = Agents()  # those that Bouncer knows, and no others

_ANY = "a coding agent"

_BOT = "[bot]"
_ACCOUNT_ADDRESS = re.compile(r"(?:\d{1,20}\+)?([a-z0-9-]{1,100}(?:\[bot\])?)@users\.noreply\.[a-z0-9.-]{1,200}")
_CO_AUTHOR = re.compile(r"co-authored-by:[^<>]{0,200}<([^<>\s]{3,200})>[ \t]*", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(([^()\s]{1,500})\)")
# Emoji, emphasis and the full stop, but no marks of a quotation.
_EDGES = re.compile(r"^[^a-z0-9`\"'(]+|(?:[_.!\s]|[^\x00-\x7f])+$")


@dataclass(frozen=True, slots=True)
class Authorship:
    """Whose a pull request is.

    agent: a coding agent's. reasons: never empty, plain sentences.
    in_scope: whether the policy wants it judged.
    """

    agent: bool
    reasons: tuple[str, ...]
    in_scope: bool


def authorship(pull: Pull, policy: PullRules, past: Past = NOTHING_KNOWN) -> Authorship:
    """Every sign of a coding agent is a reason, and one is enough.

    An author whom the policy exempts is never an agent, whatever the pull request shows, and is not judged even where
    everybody is. What another account pushes to it counts all the same.
    """
    exempt = _is_exempt(pull.author, policy.agents)
    alone = exempt and all(_is_exempt(pusher.login, policy.agents) for pusher in past.pushers)
    everybody = policy.scope is Scope.ALL and not alone
    told = (f"The policy says that {code_span(pull.author)} is no coding agent.",) if exempt else ()
    shown = () if exempt else _shown(pull, policy)
    signs = tuple(dict.fromkeys((*shown, *_by_pushers(pull, policy, past))))
    if not exempt:
        signs += tuple(_by_past(past, signs))
    if past.person and signs:
        who = code_span(past.person)
        lifted = f"{who} says that it is a person's. A maintainer's word counts more than these signs."
        return Authorship(False, (lifted, *signs), everybody)
    nothing = () if signs or told else ("Nothing shows that a coding agent made it.",)
    return Authorship(bool(signs), signs + told + nothing, bool(signs) or everybody)


def is_known_agent(login: str, is_bot: bool, agents: Agents) -> bool:
    """Whether it is the account of an agent that Bouncer or the policy names."""
    return not _is_exempt(login, agents) and _account(login, is_bot, agents) is not None


def agents_account(login: str, is_bot: bool, agents: Agents) -> str:
    """What makes an account a coding agent's, as the end of a sentence such as "is Devin's bot"; empty for any other.
    GitHub vouches for both login and type."""
    if _is_exempt(login, agents):
        return ""
    account = _full_login(login, is_bot)
    name = _account(login, is_bot, agents)
    if name is not None:
        of_known = f"is {name}'s bot" if account.endswith(_BOT) else f"is an account of {name}"
        return of_known if name else "is an account that the policy counts as a coding agent's"
    if not account.endswith(_BOT) or account in SERVICES:
        return ""
    return "is a bot that Bouncer does not know; such a bot counts as a coding agent until the policy exempts it"


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
    return frozenset(signs_of(policy.agents)["labels"])


def _shown(pull: Pull, policy: PullRules) -> tuple[str, ...]:
    """What it shows of itself by now."""
    known = signs_of(policy.agents)
    account = agents_account(pull.author, pull.author_is_bot, policy.agents)
    labels = [label for label in known["labels"] if label in _lower(pull.labels)]
    return (
        *((f"Its author {code_span(pull.author)} {account}.",) if account else ()),
        *_by_branch(pull, known),
        *(_told(f"It carries the label {code_span(label)}", known["labels"][label]) for label in labels[:1]),
        *_by_commits(pull, known),
        *_by_description(pull, known),
    )


def _by_pushers(pull: Pull, policy: PullRules, past: Past) -> Iterator[str]:
    for pusher in past.pushers:
        if pusher.number == pull.number and pusher.login.lower() == pull.author.lower():
            continue  # said of its author already
        if account := agents_account(pusher.login, pusher.is_bot, policy.agents):
            who = f"{code_span(pusher.login)}, which {account}"
            here = pusher.number == pull.number
            elsewhere = f"Its commit `{pusher.head[:7]}` was pushed to pull request {pusher.number} by {who}."
            yield f"Commits were pushed to it by {who}." if here else elsewhere


def _by_past(past: Past, signs: tuple[str, ...]) -> Iterator[str]:
    """What it showed before, where that is no longer to be seen."""
    if past.twin:
        yield f"Its commit is that of pull request {past.twin}, which is a coding agent's."
    if past.signs and not set(past.signs) & set(signs):
        yield f"It counted as a coding agent's before, and stays one: {' '.join(past.signs)}"


def _told(sentence: str, name: str) -> str:
    """As a reason; an agent of the policy's has no name."""
    return f"{sentence}{'' if name else ': the policy says so'}."


def _by_branch(pull: Pull, known: SignTable) -> Iterator[str]:
    branch = pull.head_branch.lower()
    for prefix, name in known["branches"].items():
        if branch.startswith(prefix) and branch != prefix and not (name and _called(pull, prefix, known)):
            yield _told(f"Its branch begins with {code_span(prefix)}, as those of {name or _ANY} do", name)
            return


def _by_commits(pull: Pull, known: SignTable) -> Iterator[str]:
    found = Counter(name for commit in pull.commits for name in set(_names(commit, known)))
    total = len(pull.commits)
    for name, number in found.most_common():
        share = "Its only commit names" if total == 1 else f"{number} of its {total} commits name"
        one = "s" if total > 1 and number == 1 else ""
        yield _told(f"{share}{one} {name or _ANY} as author, as co-author or in a closing line", name)


def _by_description(pull: Pull, known: SignTable) -> Iterator[str]:
    service = SERVICES.get(_full_login(pull.author, pull.author_is_bot))
    if service and not service.agents_describe:
        return  # what such a bot describes it takes from others: release notes, commits, changelogs
    body = pull.body[:MOST_TEXT]
    signed = (_signed(line, known) for line in plain_lines(body))
    for name in dict.fromkeys(name for name in (*signed, *_marked(body, known)) if name is not None):
        yield _told(f"Its description contains {name or _ANY}'s signature", name)


def _marked(body: str, known: SignTable) -> Iterator[str | None]:
    """The agents whose marker begins a line, outside code and quotes: whoever quotes a description quotes it, too."""
    text = body.replace("\r\n", "\n")
    for hidden in visible(text).removals:
        if hidden.what == COMMENT:
            said = hidden.text.removeprefix("<!--").removesuffix("-->").strip().lower()
            name = _named(said, known["markers"])
            if name is not None and f"\n{hidden.text}" in f"\n{text}":
                yield name


def _account(login: str, is_bot: bool, agents: Agents) -> str | None:
    """The agent whose account it is; empty for one that the policy adds, `None` for no agent's."""
    known = signs_of(agents)["logins"]
    return known.get(_full_login(login, is_bot), known.get(login.lower()))


def _full_login(login: str, is_bot: bool) -> str:
    """In lower case, and a bot's with `[bot]`, which GitHub leaves out at times; no person's login holds a bracket."""
    name = login.lower()
    return f"{name.removesuffix(_BOT)}{_BOT}" if is_bot else name


def _is_exempt(login: str, agents: Agents) -> bool:
    """GitHub's logins are ASCII; what only looks like one after lowering is none."""
    return login.isascii() and login.lower() in _lower(agents.exempt)


def _called(pull: Pull, prefix: str, known: SignTable) -> bool:
    """Whether people behind it have a name like that: then the branch may well be named after them."""
    people = [commit.author_name[:200] for commit in pull.commits if next(_names(commit, known), None) is None]
    login = _full_login(pull.author, pull.author_is_bot)
    if not login.endswith(_BOT) and login not in known["logins"]:
        people.append(pull.author)
    return any(prefix.rstrip("/") in re.split(r"[^a-z]+", name.lower()) for name in people)


def _names(commit: PullCommit, known: SignTable) -> Iterator[str]:
    """The agents a commit names, each perhaps more than once."""
    author = commit.author_name.lower().rstrip()
    lines = _lines(commit.message[-MOST_MESSAGE:])
    found = (
        _addressed(commit.author_email, known),
        *(name for ending, name in known["names"].items() if author.endswith(ending)),
        *(_addressed(by[1], known) if (by := _CO_AUTHOR.fullmatch(line)) else _signed(line, known) for line in lines),
    )
    return (name for name in found if name is not None)


def _addressed(address: str, known: SignTable) -> str | None:
    """Whose address it is. An account has one on each GitHub server that it has commits on."""
    wanted = address.lower()
    account = _ACCOUNT_ADDRESS.fullmatch(wanted)
    return known["emails"].get(wanted, known["logins"].get(account[1]) if account else None)


def _lines(message: str) -> Iterator[str]:
    """Those outside of blocks of code. What begins one that nothing ends begins none: git reads what stands behind."""
    text = message.replace("\r\n", "\n")
    fences = (part for part in parts(text) if part.kind is PartKind.FENCE and part.closed)
    inside = {at for fence in fences for at in range(fence.begin, fence.end)}
    yield from (line for at, line in enumerate(text.split("\n")) if at not in inside)


def _signed(line: str, known: SignTable) -> str | None:
    """The agent that signs with this line."""
    if len(line) > 1000 or line.startswith((">", " ", "\t")):
        return None
    shown = _LINK.sub(r"\1 (\2)", line.replace("*", "")).lower()
    ways = (_EDGES.sub("", shown), shown, line.lower())
    return next((name for said in dict.fromkeys(ways) if (name := _named(said, known["lines"])) is not None), None)


def _named(said: str, signs: Mapping[str, str]) -> str | None:
    """The agent whose sign it is, the first that is known."""
    reads = (name for sign, name in signs.items() if said == sign or (sign[-1] == "…" and said.startswith(sign[:-1])))
    return next(reads, None)


def _lower(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)
