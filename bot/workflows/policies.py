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


class PolicyLookup:
    """Reads files at most once a minute, and then only asks whether they changed."""

    def __init__(self, services: Services) -> None:
        self._cache, self._github, self._now = services.policies, services.github, services.now

    def find(self, installation_id: int, repository: Repository, door: Door) -> PolicyStatus:
        """As it goes at this door. Raises `GitHubError` when the file cannot be had."""
        places = (repository, owners_defaults(repository))
        try:
            for place in places:
                text = self.text(installation_id, place)
                if text is not None:
                    source = PolicySource.of(text, _name(place))
                    return PolicyStatus(_loaded(text, source.path).at(door), source=source)
        except PolicyError as error:  # then the last valid one holds, so that a mistake in the file opens no gate
            if (known := self._read_before(places)) is None:
                return PolicyStatus(None, problems=error.problems)
            policy, source = known
            return PolicyStatus(None, policy.at(door), error.problems, source)
        return PolicyStatus(Policy())

    def _read_before(self, places: Iterable[Repository]) -> tuple[Policy, PolicySource] | None:
        """The last valid file that was read of the first place that has one. Another version may have taken one for
        valid that is none any more."""
        for place in places:
            known = self._cache.get(place.full_name)
            if known is not None and known.valid is not None:
                source = PolicySource.of(known.valid, _name(place))
                with suppress(PolicyError):
                    return _loaded(known.valid, source.path), source
                return None
        return None

    def last_read(self, repository: Repository, door: Door) -> Policy:
        """As it was read last, without asking GitHub; the default where none was."""
        known = self._read_before((repository, owners_defaults(repository)))
        return known[0].at(door) if known else Policy()

    def text(self, installation_id: int, repository: Repository) -> str | None:
        """What the file of its default branch says; `None` when there is none. Raises `PolicyError` and `GitHubError`.

        One delivery starts several runs at once: the first of them asks, the others find what it was told.
        """
        with _TURNS[hash(repository.full_name.lower()) % len(_TURNS)]:
            return self._asked(installation_id, repository)

    def _asked(self, installation_id: int, repository: Repository) -> str | None:
        known = self._cache.get(repository.full_name)
        if known is not None and timedelta(0) <= self._now() - known.fetched_at < FRESH:
            return known.text
        client = self._github.repository(installation_id, repository)
        found = client.get_file(PATH, etag=(known.etag or None) if known is not None else None)
        if isinstance(found, NotModified) and known is not None:
            return self._keep(repository, known.text, known.etag)
        if isinstance(found, File):
            return self._keep(repository, read(found), found.etag)
        if isinstance(found, NotReadable):
            read(found)
        return self._keep(repository, None, "")

    def _keep(self, repository: Repository, text: str | None, etag: str) -> str | None:
        valid = text
        if text is not None:
            try:
                load(text)
            except PolicyError:
                known = self._cache.get(repository.full_name)
                valid = known.valid if known is not None else None
        self._cache.save(CachedPolicy(repository.full_name, text, etag, self._now(), valid))
        return text


_loaded = lru_cache(maxsize=128)(load)  # the same few files, several times a run


def policy_status(services: Services, installation_id: int, repository: Repository, door: Door) -> PolicyStatus:
    """The policy of a repository at a door. Raises `GitHubError`."""
    return PolicyLookup(services).find(installation_id, repository, door)


def policy_remembered(services: Services, repository: Repository, door: Door) -> Policy:
    """As it was read last."""
    return PolicyLookup(services).last_read(repository, door)


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
        if not isinstance(found, Absent):
            load(read(found))
    except PolicyError as error:
        return error.problems
    return ()
