"""Where one attempt works: a program with its edits over it, on which the loop's commands are done.

The program's text is read below its root, never through a link, text alone, bounded. Which files may be edited and
which tests are meant is said here too, and how an edit and a run are shown.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from bot.changes.kinds import kind_of, steers_pytest
from bot.changes.values import FileKind
from bot.judges.agent.code_tools import UnreadableCode, path_inside
from bot.judges.agent.commands import Cat, CodeSearch, Command, EditLines, Finish, RunTests
from bot.judges.agent.loop import Observation, look, refused, shown
from bot.sandbox.protocol import Executor
from bot.verification.files.steering import steers
from bot.verification.programs import broken_at, content, source_files
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, Suite, TestRun

MAX_FILE = 1_000_000  # bytes of a file that is read
MAX_LINE = 400  # characters of a line that are shown
MAX_SEARCHED = 20_000  # that one search looks into
MAX_BYTES = 100_000_000  # that one search reads
MAX_HITS = 50
HITS_IN_FILE = 10


class Source:
    """Reads one program. Every method raises `UnreadableCode` for what there is nothing to show of."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def text(self, path: str) -> str:
        """A whole file, line ends as they are."""
        where = path_inside(path)
        raw = content(self._program, where) if where else None
        if raw is None:
            raise UnreadableCode("there is no such file, or it is a link, a directory or too large")
        if len(raw) > MAX_FILE:
            raise UnreadableCode("the file is too large to be read here")
        if b"\0" in raw:
            raise UnreadableCode("it is a binary file")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise UnreadableCode("it is not UTF-8 text") from None

    def read(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """These lines, counted from 1, each with its number."""
        lines = lines_of(self.text(path))
        if first > max(len(lines), 1):
            raise UnreadableCode(f"the file has {len(lines)} lines")
        return numbered(lines[first - 1 : last], first) or ("The file is empty.",)

    def search(self, text: str, path: str) -> tuple[str, ...]:
        """`path:line:text` of lines that hold this very text, below a path."""
        if len(text) < 2 or "\n" in text or "\0" in text:
            raise UnreadableCode("a text to search for is at least two characters of one line")
        below = path_inside(path)
        wanted = text.encode()
        hits: list[str] = []
        left = MAX_BYTES
        names = {*self._program.files, *islice(source_files(self._program.tree), MAX_SEARCHED)}
        for name in sorted(name for name in names if not below or name == below or name.startswith(f"{below}/")):
            raw = content(self._program, name)
            if raw is None or len(raw) > MAX_FILE or b"\0" in raw:
                continue
            if wanted in raw:
                lines = enumerate(lines_of(raw.decode("utf-8", "replace")), 1)
                found = (f"{name}:{number}:{_cut(line)}" for number, line in lines if text in line)
                hits += islice(found, HITS_IN_FILE)
            left -= len(raw)
            if left <= 0 or len(hits) > MAX_HITS:
                return (*hits[:MAX_HITS], "[... not everything was searched; name a path ...]")
        return tuple(hits)

    def is_free(self, path: str) -> bool:
        """Whether a file of that name may be made: nothing is there, and only directories lie above it."""
        where = path_inside(path)
        above = [where[:end] for end, sign in enumerate(where) if sign == "/"]
        files = self._program.files
        if not where or where in files or any(files.get(folder) is not None for folder in above):
            return False
        tree = self._program.tree
        if tree is None:
            return True
        folders = [tree / folder for folder in above]
        may_hold = all(not each.is_symlink() and (each.is_dir() or not each.exists()) for each in folders)
        return may_hold and not os.path.lexists(tree / where)


def lines_of(text: str) -> list[str]:
    """The lines as editors and tracebacks count them: by line feeds alone."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def numbered(lines: list[str], first: int) -> tuple[str, ...]:
    """Each with its number; a line that is too long is cut, and says so."""
    return tuple(f"{number} {_cut(line)}" for number, line in enumerate(lines, first))


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} [... the line goes on ...]"


MAX_FILES = 20  # that one attempt may edit
MAX_KEPT = 1_000_000  # characters of them together: every attempt is kept whole


class Bench:
    """One attempt's. The program itself and its tree stay as they are. Not for several threads.

    seconds: how long a run of the tests that starts now may take.
    """

    def __init__(self, executor: Executor, program: Program, suite: Suite, seconds: Callable[[], float]) -> None:
        self._executor = executor
        self._original = program
        self._suite = suite
        self._seconds = seconds
        self._whole: TestRun | None = None
        self.files: dict[str, str] = {}

    @property
    def program(self) -> Program:
        """As it is now."""
        overlay = {path: text.encode() for path, text in self.files.items()}
        return replace(self._original, files={**self._original.files, **overlay})

    def act(self, command: Command) -> Observation:
        """Do one command. Never raises for what a model asks."""
        try:
            match command:
                case Cat() | CodeSearch():
                    return look(Source(self.program), command)
                case EditLines():
                    return self._edit(command)
                case RunTests():
                    return self._test(command)
                case Finish():
                    return Observation("")
        except UnreadableCode as problem:
            return refused(str(problem))

    @property
    def is_tried(self) -> bool:
        """Whether the whole suite has run since the last edit."""
        return self._whole is not None

    def whole(self) -> TestRun:
        """What the whole suite says of the program as it is now; run again only after an edit."""
        if self._whole is None:
            self._whole = run_suite(self._executor, self.program, self._suite, seconds=self._seconds())
        return self._whole

    def _edit(self, command: EditLines) -> Observation:
        path = path_inside(command.path)
        if why := why_protected(path, self._suite):
            raise UnreadableCode(why)
        if path not in self.files and len(self.files) == MAX_FILES:
            raise UnreadableCode(f"at most {MAX_FILES} files are edited")
        source = Source(self.program)
        is_new = (command.first, command.last) == (1, 0) and source.is_free(path)
        text, lines = edited("" if is_new else source.text(path), command.first, command.last, command.text)
        if sum(map(len, {**self.files, path: text}.values())) > MAX_KEPT:
            raise UnreadableCode("the edited files are too large together")
        self.files[path] = text
        self._whole = None
        line = broken_at(text.encode()) if path.endswith(".py") else None
        broken = () if line is None else (f"This does not parse: there is a syntax error in line {line}.",)
        return shown((*lines, *broken))

    def _test(self, command: RunTests) -> Observation:
        select = chosen(command.tests, self.program, self._suite)
        if not select:
            return shown(told(self.whole()))
        suite = replace(self._suite, select=select)
        return shown(told(run_suite(self._executor, self.program, suite, seconds=self._seconds())))


MESSAGES = 5  # failing tests whose messages are shown
MAX_MESSAGE = 800  # characters
NAMES = 30


def chosen(names: tuple[str, ...], program: Program, suite: Suite) -> tuple[str, ...]:
    """The names, each a file of tests with or without what pytest calls a test in it. Raises `UnreadableCode`."""
    if names and suite.command is not None:
        raise UnreadableCode("the tests here are run by one command, all together; name none")
    for name in names:
        path = path_inside(name.partition("::")[0])
        known = path in suite.files or content(program, path) is not None
        if not name.isprintable() or name.startswith(("-", "@")) or not path.endswith(".py") or not known:
            raise UnreadableCode(
                "tests are named by a file of them, such as tests/test_a.py or tests/test_a.py::test_b"
            )
    return names


def told(run: TestRun) -> tuple[str, ...]:
    """The run in lines: how many failed, what the first of them said, the names of the others."""
    failing = run.failing
    passed = len(run.results) - len(failing)
    lines = [f"{len(failing)} failed, {passed} did not fail." if run.results else "No test ran."]
    if run.problem:
        lines.append(f"The run does not count: {run.problem}")
    for result in failing[:MESSAGES]:
        lines.append(f"{result.status.value.upper()} {result.name}")
        lines += [f"    {line}" for line in result.message[-MAX_MESSAGE:].splitlines()]
    lines += [f"{result.status.value.upper()} {result.name}" for result in failing[MESSAGES:NAMES]]
    if len(failing) > NAMES:
        lines.append(f"... and {len(failing) - NAMES} more")
    return tuple(lines)


AROUND = 3  # lines shown before and after (Passerine, section III-B)


def edited(text: str, first: int, last: int, new: str) -> tuple[str, tuple[str, ...]]:
    """The text with the lines from `first` to `last` replaced by those of `new`, and the numbered lines that show what
    was done; everything else stays as it is.

    `last` one less than `first` replaces nothing and puts them before line `first`. Line ends are those of the text.
    Raises `UnreadableCode`.
    """
    lines = lines_of(text)
    if not (1 <= first <= len(lines) + 1 and first - 1 <= last <= len(lines)):
        raise UnreadableCode(f"the file has {len(lines)} lines, and there are no lines {first} to {last}")
    if "\0" in new:
        raise UnreadableCode("that is no text")
    carriage = "\r" if "\r\n" in text else ""
    put = [line.removesuffix("\r") + carriage for line in lines_of(new)]
    before, after = lines[: first - 1], lines[last:]
    result = [*before, *put, *after]
    unended = bool(after) and not text.endswith("\n")
    whole = "\n".join(result) + ("" if unended or not result else "\n")
    begin = max(first - AROUND, 1)
    shown = numbered([line.removesuffix("\r") for line in result[begin - 1 : first - 1 + len(put) + AROUND]], begin)
    return whole, shown


def why_protected(path: str, suite: Suite) -> str:
    """Why the loop may not edit the file, as a phrase; empty when it may. A fix must not win by changing the tests."""
    kind = kind_of(path)
    if kind is FileKind.TEST or path in suite.files:
        return "tests are not edited: the fix must stand up to them as they are"
    if kind is FileKind.CI or path.lower().startswith(".github/"):
        return "what runs on every push is not edited"
    if steers_pytest(path) or (suite.command is not None and steers(path, suite.command)):
        return "what says how the tests are run is not edited"
    return ""
