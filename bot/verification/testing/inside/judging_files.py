"""The files that judge, as they were before any strange code ran; which of them were written since."""

# mypy: ignore-errors

import hashlib
import os
import stat

MOST_WRITTEN = 50
PLACES = (".", "/tmp", "/dev/shm")  # that a run may write to
MOST_KEPT = 64 * 2**20  # bytes of all files together
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
        return bounded([*sorted(changed), *sorted(added)])


class Tree:
    """All that the run may write to, as it is now; kept in this process, which nobody can read."""

    def __init__(self):
        self.room, self.before = MOST_KEPT, {}
        try:
            for path in everything():
                self.before[path] = self.copy(path)
        except OSError:
            self.room = -1

    def copy(self, path):
        found = os.lstat(path)
        held = None
        if stat.S_ISLNK(found.st_mode):
            held = os.readlink(path)
        elif stat.S_ISREG(found.st_mode):
            self.room -= found.st_size
            held = contents(path) if self.room >= 0 else b""
        return held, found.st_mode, changes(path)

    def put_back(self):
        """Make all of it as it was; whether that was possible."""
        try:
            if self.room >= 0:
                self.restore()
        except OSError:
            return False
        return self.room >= 0

    def restore(self):
        for path in reversed(everything()):  # what lies in a folder before the folder
            _, mode, was = self.before.get(path, (None, 0, None))
            same_folder = stat.S_ISDIR(mode) and stat.S_ISDIR(os.lstat(path).st_mode)
            if not same_folder and changes(path) != was:
                remove(path)
        for path, (held, mode, _) in self.before.items():
            if not os.path.lexists(path):
                if held is None:
                    os.mkdir(path)
                elif isinstance(held, str):
                    os.symlink(held, path)
                else:
                    with open(path, "wb") as file:
                        file.write(held)
            if not isinstance(held, str) and stat.S_IMODE(os.lstat(path).st_mode) != stat.S_IMODE(mode):
                os.chmod(path, stat.S_IMODE(mode))
            self.before[path] = held, mode, changes(path)


def bounded(names):
    return [name[:LONGEST_PATH] for name in names][:MOST_WRITTEN]


def everything():
    """The paths of all files and folders that may be written to, a folder before what lies in it."""
    found = []
    for place in PLACES:
        for folder, folders, files in os.walk(place):
            found += [os.path.join(folder, name) for name in (*folders, *files)]
    return found


def changes(path):
    """What no writing to a file leaves as it was, though its content may be the same."""
    found = os.lstat(path)
    return found.st_ino, found.st_ctime_ns, found.st_size


def remove(path):
    import shutil  # takes its time, and is seldom needed

    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
    else:
        shutil.rmtree(path, ignore_errors=True)


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
