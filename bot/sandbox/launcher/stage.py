"""The stage: a mount namespace of the launcher's own, with all that bubblewrap shows inside laid out below one place.

The tree and the names in it come from strangers: nothing here follows a symbolic link in them.
"""

import os
import stat
from collections.abc import Iterable

from bot.sandbox.launcher import kernel

ROOT = "/tmp"  # noqa: S108 - of the private namespace: a new file system hides the host's directory
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def enter(owner: tuple[int, int]) -> None:
    """Leave the host's mount namespace for one in which this process may mount. Raises OSError.

    Root needs nothing else; where it may not (a container's root), and for any other user, it takes a user namespace,
    in which the user keeps its id.
    """
    if os.getuid() == 0:
        try:
            kernel.unshare(kernel.CLONE_NEWNS)
            kernel.make_private()
            return
        except PermissionError:
            kernel.drop_to(*owner)
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{owner[0]} {owner[0]} 1")
    _write("/proc/self/gid_map", f"{owner[1]} {owner[1]} 1")
    kernel.make_private()


def build(
    binds: Iterable[tuple[str, str]],
    texts: Iterable[tuple[str, str]],
    writable: Iterable[str],
    owner: tuple[int, int],
    size: int,
    inodes: int,
) -> None:
    """Lay out the stage below ROOT.

    binds: path of the host, name on the stage. texts: name, content. writable: names of file systems that belong to
    `owner`, each of at most `size` bytes and `inodes` files.
    """
    # Opened before the stage hides the host's /tmp, where sources may lie.
    opened = [(os.open(host, os.O_PATH | os.O_CLOEXEC), name) for host, name in binds]
    kernel.mount_tmpfs(ROOT, "mode=0755,size=16m")
    for handle, name in opened:
        place = f"{ROOT}/{name}"
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            os.mkdir(place)
        else:
            os.close(os.open(place, _NEW_FILE, 0o644))
        kernel.bind(f"/proc/self/fd/{handle}", place)
        os.close(handle)
    for name, text in texts:
        _write(f"{ROOT}/{name}", text)
    for name in writable:
        os.mkdir(f"{ROOT}/{name}")
        kernel.mount_tmpfs(f"{ROOT}/{name}", f"mode=0755,size={size},nr_inodes={inodes},uid={owner[0]},gid={owner[1]}")


def copy_tree(source: int, target: int, owner: tuple[int, int]) -> None:
    """Copy directories, regular files and symbolic links between two open directories; leave out all else."""
    for entry in os.scandir(source):
        if entry.is_symlink():
            os.symlink(os.readlink(entry.name, dir_fd=source), entry.name, dir_fd=target)
            os.chown(entry.name, *owner, dir_fd=target, follow_symlinks=False)
        elif entry.is_dir(follow_symlinks=False):
            os.mkdir(entry.name, 0o755, dir_fd=target)
            inner = os.open(entry.name, _DIRECTORY, dir_fd=source)
            outer = os.open(entry.name, _DIRECTORY, dir_fd=target)
            os.fchown(outer, *owner)
            copy_tree(inner, outer, owner)
            os.close(inner)
            os.close(outer)
        elif entry.is_file(follow_symlinks=False):
            reading = os.open(entry.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=source)
            mode = 0o755 if os.fstat(reading).st_mode & 0o111 else 0o644
            writing = os.open(entry.name, _NEW_FILE, mode, dir_fd=target)
            while os.sendfile(writing, reading, None, 1 << 30):
                pass
            os.fchown(writing, *owner)
            os.close(reading)
            os.close(writing)


def lay(path: str, content: bytes | None, target: int, owner: tuple[int, int]) -> None:
    """Put one file over an open directory, or take it away. What stands in its way, such as a link, is replaced."""
    *above, name = path.split("/")
    directory = os.dup(target)
    try:
        for part in above:
            directory = _step_into(directory, part, owner)
        _remove(name, directory)
        if content is not None:
            handle = os.open(name, _NEW_FILE, 0o644, dir_fd=directory)
            with open(handle, "wb") as file:
                os.fchown(handle, *owner)
                file.write(content)
    finally:
        os.close(directory)


def _step_into(directory: int, name: str, owner: tuple[int, int]) -> int:
    """The directory `name` in an open one, made where it is missing; closes the one it came from."""
    try:
        inner = os.open(name, _DIRECTORY, dir_fd=directory)
    except OSError:
        _remove(name, directory)
        os.mkdir(name, 0o755, dir_fd=directory)
        inner = os.open(name, _DIRECTORY, dir_fd=directory)
        os.fchown(inner, *owner)
    os.close(directory)
    return inner


def _remove(name: str, directory: int) -> None:
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        pass
    except IsADirectoryError:
        import shutil  # which every job would wait for

        shutil.rmtree(name, dir_fd=directory)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
