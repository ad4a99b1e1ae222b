"""Tests of Go and Rust in a plain program, made of the same functions: code that fails there and passes under the test
tool knows that it is tested, whatever tells it. What comes back is a stranger's word.

Test tools of these languages link themselves into the program, so that no recorder stands between. Tests, and their
files, have other names here. What needs more of the tool than there is cannot be built so, and says nothing.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.verification.files.index import FileIndex
from bot.verification.trial.plain_go import go_programs
from bot.verification.trial.plain_rust import rust_programs
from bot.verification.trial.setup import LEAST, TrialSetup
from bot.verification.values import Program, TestRun, TestStatus

_NAMED = 10  # of the tests that fail in a program
# Files to put into a program, and the shell's line that builds and runs others in it: they write the name of each test
# to `/results/TOKEN` as it begins (`begun`), and whether it passes (`true`, `false`) once it has ended. Given the
# changed files, and a token.
Programs = Callable[[Program, frozenset[str], str], tuple[dict[str, bytes], str]]
PROGRAMS: dict[str, Programs] = {".go": go_programs, ".rs": rust_programs}


@dataclass
class PlainTests:
    """The tests of one change. made: names of those that came to an end in a program with the change."""

    trial: TrialSetup
    judges: FileIndex
    made: set[str] = field(default_factory=set, init=False)

    def fail_alone(self, before: TestRun, ran: Iterable[tuple[Program, TestRun | None]]) -> tuple[str, ...]:
        """The tests that pass under their tool and fail without it, twice. before: the base's; what they do as well
        counts for nothing. ran: versions with the change, and how their tests end."""
        for ending in PROGRAMS:
            touched = frozenset(path for path in self.judges.touched if path.endswith(ending))
            for program, run in ran if touched else ():
                red = self._red(program, touched, ending) & run.passing.keys() if run else set[str]()
                if red:
                    red -= before.passing.keys() & self._red(self.trial.base.program, touched, ending)
                if red and (red := red & self._red(program, touched, ending)):
                    return tuple(f"{name}: passes → fails" for name in sorted(red)[:_NAMED])
        return ()

    def are_made_for(self, path: str) -> bool:
        """Whether tests of the file's package were made."""
        folder = str(PurePosixPath("/", path).parent).rstrip("/")
        of_go = any(f"/{name.partition('::')[0]}".endswith(folder) for name in self.made if ".rs::" not in name)
        return any(".rs::" in name for name in self.made) if path.endswith(".rs") else of_go and path.endswith(".go")

    def _red(self, program: Program, touched: frozenset[str], ending: str) -> set[str]:
        seconds, token = self.trial.end - time.monotonic(), f"p{secrets.token_hex(6)}"
        put, line = PROGRAMS[ending](program, touched, token) if seconds >= LEAST else ({}, "")
        if not line:
            return set()
        run = self.trial.run_line(program, put, line, seconds)
        told: dict[str, str] = {}
        for line in run.left.get(token, b"").decode(errors="replace").split("\n")[:-1]:
            name, _, how = line.rpartition(" ")
            told[name] = how
        self.made |= set() if program is self.trial.base.program else told.keys()
        timely = all(result.status is not TestStatus.TIMEOUT for result in run.results)
        return {name for name, how in told.items() if how == "false" or (how == "begun" and timely)}
