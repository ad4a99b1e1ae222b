"""What takes a file system of its own is left to `make chaos`."""

from tests.support.lengths import EVERY_DEATH

collect_ignore = [] if EVERY_DEATH else ["test_broken_disk.py"]
