"""The temporary files of a command, in one place: whatever ends it, they do not stay."""

import fcntl
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_PREFIX = "bouncer-command-"
_ENDING = (signal.SIGINT, signal.SIGTERM)
_NEW = 60.0  # seconds in which a directory may not be locked yet


@contextmanager
def scratch(said: str = "Stopped.") -> Iterator[None]:
    """All temporary files that are made meanwhile are put away at its end, on Ctrl-C, and where this process is killed,
    by the next one.

    Ctrl-C ends the process at once: threads at work would hold up an exception until they are done. said: to whoever
    pressed it.
    """
    sweep()
    home = Path(tempfile.mkdtemp(prefix=_PREFIX))
    home.chmod(0o711)  # the sandbox's user reads below it
    lock = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # for as long as the process lives
    usual, tempfile.tempdir = tempfile.tempdir, str(home)

    def end(number: int, _: FrameType | None) -> None:
        shutil.rmtree(home, ignore_errors=True)
        os.write(2, f"\n{said}\n".encode() if said else b"")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    handled = {number: signal.signal(number, end) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        tempfile.tempdir = usual
        shutil.rmtree(home, ignore_errors=True)
        os.close(lock)


def sweep() -> None:
    """Puts away what commands left that were killed."""
    for home in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            there = home.lstat()
            if there.st_uid != os.geteuid() or time.time() - there.st_mtime < _NEW:
                continue
            handle = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(home, ignore_errors=True)
        except OSError:  # it is at work
            continue
        finally:
            os.close(handle)
