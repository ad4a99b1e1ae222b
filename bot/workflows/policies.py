"""Which policy holds: the repository's own file, else that of the owner's `.github` repository, else the default."""

import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from bot.github.values import Absent, File, NotModified, NotReadable, Repository
from bot.policy import Policy
from bot.policy_choices import Door
from bot.policy_file import PATH, PolicyError, PolicySource, Problem, load
from bot.storage.repository_files import CachedPolicy
from bot.workflows.services import Services

FRESH = timedelta(seconds=60)  # a file this young is not asked for again; a push to it forgets it at once
DEFAULTS = ".github"  # the repository that holds an owner's defaults
_TURNS = tuple(threading.Lock() for _ in range(64))  # by repository; two may share one, and then wait for each other


@dataclass(frozen=True, slots=True)
class PolicyStatus:
    """What a repository's policy is, asked for once. policy: `None` while the file is invalid, too large or no file,
    and problems say why; last_valid: what was read before. source: of what is in force."""

    policy: Policy | None
    last_valid: Policy | None = None
    problems: tuple[Problem, ...] = ()
    source: PolicySource = PolicySource()

    @property
    def in_force(self) -> Policy | None:
        """What holds: while the file is invalid the last valid one; `None` when none is known."""
        return self.policy or self.last_valid


def policy_status(services: Services, installation_id: int, repository: Repository, door: Door) -> PolicyStatus:
    """The policy of a repository at a door. Raises `GitHubError` when the file cannot be had."""
    places = (repository, owners_defaults(repository))
    try:
        for place in places:
            text = policy_text(services, installation_id, place)
            if text is not None:
                source = PolicySource.of(text, _name(place))
                return PolicyStatus(_loaded(text, source.path).at(door), source=source)
    except PolicyError as error:  # then the last valid one holds, so that a mistake in the file opens no gate
        policy, source = _read_before(services, places) or (None, PolicySource())
        return PolicyStatus(None, policy and policy.at(door), error.problems, source)
    return PolicyStatus(Policy())


def policy_remembered(services: Services, repository: Repository, door: Door) -> Policy:
    """As it was read last, without asking GitHub; the default where none was."""
    known = _read_before(services, (repository, owners_defaults(repository)))
    return known[0].at(door) if known else Policy()


def policy_text(services: Services, installation_id: int, repository: Repository) -> str | None:
    """What the file of its default branch says; `None` when there is none. It is read at most once a minute, and then
    GitHub is only asked whether it changed. Raises `PolicyError` and `GitHubError`.

    One delivery starts several runs at once: the first of them asks, the others find what it was told.
    """
    with _TURNS[hash(repository.full_name.lower()) % len(_TURNS)]:
        known, now = services.policies.get(repository.full_name), services.now()
        if known is not None and timedelta(0) <= now - known.fetched_at < FRESH:
            return known.text
        client = services.repository(installation_id, repository)
        found = client.get_file(PATH, etag=(known.etag or None) if known is not None else None)
        text, etag = None, ""
        if isinstance(found, NotModified) and known is not None:
            text, etag = known.text, known.etag
        elif isinstance(found, File | NotReadable):
            text, etag = read(found), found.etag if isinstance(found, File) else ""
        valid = text if text is None or not _problems_of(text) else known.valid if known else None
        services.policies.save(CachedPolicy(repository.full_name, text, etag, now, valid))
        return text


def _read_before(services: Services, places: Iterable[Repository]) -> tuple[Policy, PolicySource] | None:
    """The last valid file that was read of the first place that has one. Another version may have taken one for valid
    that is none any more."""
    for place in places:
        known = services.policies.get(place.full_name)
        if known is not None and known.valid is not None:
            source = PolicySource.of(known.valid, _name(place))
            return None if _problems_of(known.valid) else (_loaded(known.valid, source.path), source)
    return None


_loaded = lru_cache(maxsize=128)(load)  # the same few files, several times a run


def _name(place: Repository) -> str:
    """What the file of a place is called: one of the owner's defaults has no id here."""
    return f"{place.full_name}/{PATH}" if place.id == 0 else PATH


def owners_defaults(repository: Repository) -> Repository:
    return Repository(0, f"{repository.full_name.partition('/')[0]}/{DEFAULTS}")


def read(found: File | NotReadable) -> str:
    """The text of a policy file. Raises `PolicyError` for what is none, and for bytes that no text column holds."""
    if isinstance(found, NotReadable):
        why = f"the policy cannot be read: {found.reason}; make it a YAML file"
        raise PolicyError([Problem(1, 1, why, PATH)])
    with suppress(UnicodeDecodeError):
        if b"\0" not in found.content:
            return found.content.decode()
    load(found.content)  # says where
    raise PolicyError([Problem(1, 1, "the file must be UTF-8 text", PATH)])


def problems(found: File | Absent | NotReadable) -> tuple[Problem, ...]:
    """What is wrong with a policy file; an absent one has no problems."""
    try:
        return () if isinstance(found, Absent) else _problems_of(read(found))
    except PolicyError as error:
        return error.problems


def _problems_of(text: str) -> tuple[Problem, ...]:
    try:
        _loaded(text)
    except PolicyError as error:
        return error.problems
    return ()
