"""Which policy holds: the repository's own file, else that of the owner's `.github` repository, else the default."""

import threading
from datetime import timedelta

from bot.github.app import GitHubApp
from bot.github.values import Absent, File, NotModified, NotReadable, Repository
from bot.policy import PATH, Door, Policy, PolicyError, Problem, load
from bot.storage.policies import CachedPolicy, Policies
from bot.workflows.services import Now

FRESH = timedelta(seconds=60)  # a file this young is not asked for again; a push to it forgets it at once
DEFAULTS = ".github"  # the repository that holds an owner's defaults
_TURNS = tuple(threading.Lock() for _ in range(64))  # by repository; two may share one, and then wait for each other


class PolicyLookup:
    """Reads files at most once a minute, and then only asks whether they changed."""

    def __init__(self, cache: Policies, github: GitHubApp, now: Now) -> None:
        self._cache = cache
        self._github = github
        self._now = now

    def find(self, installation_id: int, repository: Repository, door: Door) -> Policy:
        """As it goes at this door. Raises `PolicyError` for an invalid file, `GitHubError` when it cannot be had."""
        for place in (repository, owners_defaults(repository)):
            text = self.text(installation_id, place)
            if text is not None:
                return load(text, PATH if place is repository else f"{place.full_name}/{PATH}").at(door)
        return Policy()

    def in_force(self, installation_id: int, repository: Repository, door: Door) -> Policy:
        """As `find`; while the file is invalid the last valid policy that was read holds, so that a mistake in the file
        opens no gate. Raises `PolicyError` when none is known, and `GitHubError`."""
        try:
            return self.find(installation_id, repository, door)
        except PolicyError:
            known = (self._cache.get(place.full_name) for place in (repository, owners_defaults(repository)))
            texts = [each.valid for each in known if each is not None and each.valid is not None]
            if not texts:
                raise
            return load(texts[0]).at(door)

    def text(self, installation_id: int, repository: Repository) -> str | None:
        """What the file of its default branch says; `None` when there is none. Raises as `find`.

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
            raise not_readable(found)
        return self._keep(repository, None, "")

    def _keep(self, repository: Repository, text: str | None, etag: str) -> str | None:
        valid = text
        if text is not None and not is_valid(text):
            known = self._cache.get(repository.full_name)
            valid = known.valid if known is not None else None
        self._cache.put(CachedPolicy(repository.full_name, text, etag, self._now(), valid))
        return text


def is_valid(text: str) -> bool:
    try:
        load(text)
    except PolicyError:
        return False
    return True


def owners_defaults(repository: Repository) -> Repository:
    return Repository(0, f"{repository.full_name.partition('/')[0]}/{DEFAULTS}")


def read(file: File) -> str:
    """The text of a policy file. Raises `PolicyError` for bytes that no text column holds."""
    if b"\0" in file.content or not _is_text(file.content):
        load(file.content)  # says where
        raise PolicyError([Problem(1, 1, "the file must be UTF-8 text", PATH)])
    return file.content.decode()


def not_readable(found: NotReadable) -> PolicyError:
    return PolicyError([Problem(1, 1, f"the policy cannot be read: {found.reason}; make it a YAML file", PATH)])


def problems(found: File | Absent | NotReadable) -> tuple[Problem, ...]:
    """What is wrong with a policy file; an absent one has no problems."""
    try:
        if isinstance(found, NotReadable):
            raise not_readable(found)
        if isinstance(found, File):
            load(read(found))
    except PolicyError as error:
        return error.problems
    return ()


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
