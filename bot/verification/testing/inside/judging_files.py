"""The files that judge, as they were before any strange code ran; which of them were written since."""

# mypy: ignore-errors

import hashlib
import os
import stat

MOST_WRITTEN = 50
LONGEST_PATH = 300
SUFFIXES = (".py", ".pyc", ".pyw", ".so", ".pth", ".egg-link")
STEERING = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")


class WatchedFiles:
    """What judges, as it was before any strange code ran, and what lies beside it.

    A file counts as written also where its content is the same again: between two moments it may have been another.
    """

    def __init__(self, paths):
        self.before = {path: state(path) for path in paths}
        self.folders = {parent for path in paths for parent in above(path)}
        self.beside = self.found()

    def found(self):
        return {name for folder in self.folders for name in judging(folder)}

    def written(self):
        changed = [path for path, before in self.before.items() if state(path) != before]
        added = self.found() - self.beside - set(self.before)
        return [path[:LONGEST_PATH] for path in [*sorted(changed), *sorted(added)][:MOST_WRITTEN]]


def state(path):
    """Everything about a file that no write leaves as it was; nothing where there is none."""
    try:
        found = os.lstat(path)
        held = os.readlink(path) if stat.S_ISLNK(found.st_mode) else hashlib.sha256(contents(path)).digest()
    except OSError:
        return None
    return found.st_ino, found.st_mode, found.st_ctime_ns, found.st_size, held


def above(path):
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(len(parts) + 1)]


def judging(folder):
    """What lies in a folder and could be imported, collected or read as configuration, as paths."""
    try:
        entries = list(os.scandir(folder or "."))
    except OSError:
        return
    for entry in entries:
        name = entry.name
        if entry.is_dir():
            package = os.path.join(entry.path, "__init__.py")
            if name == "__pycache__" or os.path.lexists(package):
                yield os.path.join(folder, name)
        elif name.endswith(SUFFIXES) or name in STEERING:
            yield os.path.join(folder, name)


def contents(path):
    with open(path, "rb") as file:
        return file.read()
