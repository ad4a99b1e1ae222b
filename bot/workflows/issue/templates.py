"""The issue templates of a repository: its own, else those of the owner's `.github` repository. Read once an hour."""

import logging
from datetime import timedelta

from bot.github.client import RepositoryClient
from bot.github.errors import GitHubError
from bot.github.values import Directory, DirectoryEntry, File, NotModified, Repository
from bot.issues.templates import FOLDER, HOMES, LARGEST, MOST, Template, is_template, read_templates
from bot.storage.repository_files import CachedTemplates, Files
from bot.workflows.policies import owners_defaults
from bot.workflows.services import Services

FRESH = timedelta(hours=1)  # so young, they are not asked for again

log = logging.getLogger(__name__)


class TemplateLookup:
    """Asks for one listing, free while nothing changed, and then for the files that are new."""

    def __init__(self, services: Services) -> None:
        self._cache, self._github, self._now = services.templates, services.github, services.now

    def find(self, installation_id: int, repository: Repository) -> tuple[Template, ...]:
        """None where there are none, and none that are known where GitHub does not answer: nothing waits for them."""
        for place in (repository, owners_defaults(repository)):
            try:
                files = self._files(installation_id, place)
            except GitHubError as error:
                log.warning("%s: the issue templates cannot be read: %s", place.full_name, error)
                known = self._cache.get(place.full_name)
                files = known.files if known is not None else {}
            if files:
                return read_templates({name: text for name, (_, text) in files.items()})
        return ()

    def _files(self, installation_id: int, repository: Repository) -> Files:
        known = self._cache.get(repository.full_name)
        if known is not None and timedelta(0) <= self._now() - known.fetched_at < FRESH:
            return known.files
        before = known.files if known is not None else {}
        client = self._github.repository(installation_id, repository)
        listed = client.list_directory("", etag=(known.etag or None) if known is not None else None)
        if isinstance(listed, NotModified):
            files, etag = before, known.etag if known is not None else ""
        elif isinstance(listed, Directory):
            files, etag = _fetched(client, listed, before), listed.etag
        else:
            files, etag = {}, ""
        self._cache.save(CachedTemplates(repository.full_name, etag, files, self._now()))
        return files


def _fetched(client: RepositoryClient, top: Directory, before: Files) -> Files:
    files: Files = {}
    for path, entry in _listed(client, "", top)[:MOST]:
        if before.get(path, ("", ""))[0] == entry.sha:
            files[path] = before[path]
        elif isinstance(found := client.get_file(path, limit=LARGEST), File):
            text = found.content.decode(errors="replace").replace("\0", "")  # no text column holds that one
            files[path] = (entry.sha, text)
    return files


def _listed(client: RepositoryClient, folder: str, listed: Directory) -> list[tuple[str, DirectoryEntry]]:
    """The files that are templates, by path: symbolic links and what is too large are left alone. GitHub's own folder
    comes first."""
    found = [(f"{folder}{entry.name}", entry) for entry in listed.entries]
    kept = [each for each in found if each[1].sort == "file" and is_template(each[0]) and each[1].size <= LARGEST]
    for path, entry in found:
        home = not folder and entry.name in HOMES
        own = entry.name.lower() == FOLDER and folder in ("", *(f"{each}/" for each in HOMES))
        if entry.sort == "dir" and (home or own):
            inside = client.list_directory(path)
            kept += _listed(client, f"{path}/", inside) if isinstance(inside, Directory) else []
    return kept
