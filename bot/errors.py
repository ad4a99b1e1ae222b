"""What the person at the keyboard can mend."""

import errno
import sqlite3

_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_NOT_WRITTEN_BY_SQLITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)


class PlainError(Exception):
    """The message says plainly what is wrong and the mend, and holds no secret. status: a command's exit status."""

    status = 2


def is_disk_trouble(error: BaseException) -> bool:
    """Whether a disk of this machine is full, or may not be written: no commit and no program is to blame for that."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_WRITTEN_BY_SQLITE
    return isinstance(error, OSError) and error.errno in _NOT_WRITTEN
