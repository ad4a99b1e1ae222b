"""What a change was tried with, as digests: another run, or a release, can be held against it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from bot.verification.programs import content
from bot.verification.values import Program


@dataclass(frozen=True, slots=True)
class TrialDigests:
    """Each is empty where it is not known.

    tree: git's own id of the files that ran, the change merged into its base. tests: of the base's files that judged.
    environment: of the recipe for what was installed for the base; environment_of_head: for the change, where it is set
    up on its own. A recipe is what decides what is installed (lines of setup, manifests and lock files by content,
    interpreter, executor, image, index), and not the installed files themselves.
    """

    tree: str = ""
    tests: str = ""
    environment: str = ""
    environment_of_head: str = ""


def tests_digest(program: Program, judging: Iterable[str]) -> str:
    """SHA-256 over the lines that `sha256sum` prints of these files of the program, in the order of their paths; empty
    without any."""
    found = ((path, content(program, path)) for path in sorted(judging))
    lines = [f"{hashlib.sha256(text).hexdigest()}  {path}\n" for path, text in found if text is not None]
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest() if lines else ""
