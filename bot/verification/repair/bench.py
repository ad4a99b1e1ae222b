"""Where one attempt works: a program with its edits over it, on which the loop's commands are done."""

from collections.abc import Callable
from dataclasses import replace

from bot.judges.agent.code_tools import UnreadableCode
from bot.judges.agent.commands import Cat, CodeSearch, Command, EditLines, Finish, RunTests
from bot.judges.agent.loop import Observation, look, refused, shown
from bot.sandbox.protocol import Executor
from bot.verification.programs import broken_at
from bot.verification.repair.editing import NoEdit, edited, why_protected
from bot.verification.repair.source import Source, inside
from bot.verification.repair.tests import chosen, told
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, Suite, TestRun

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
        except (UnreadableCode, NoEdit) as problem:
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
        path = inside(command.path)
        if why := why_protected(path, self._suite):
            raise NoEdit(why)
        if path not in self.files and len(self.files) == MAX_FILES:
            raise NoEdit(f"at most {MAX_FILES} files are edited")
        source = Source(self.program)
        is_new = (command.first, command.last) == (1, 0) and source.is_free(path)
        made = edited("" if is_new else source.text(path), command.first, command.last, command.text)
        if sum(map(len, {**self.files, path: made.text}.values())) > MAX_KEPT:
            raise NoEdit("the edited files are too large together")
        self.files[path] = made.text
        self._whole = None
        return shown((*made.shown, *_syntax(path, made.text)))

    def _test(self, command: RunTests) -> Observation:
        select = chosen(command.tests, self.program, self._suite)
        if not select:
            return shown(told(self.whole()))
        suite = replace(self._suite, select=select)
        return shown(told(run_suite(self._executor, self.program, suite, seconds=self._seconds())))


def _syntax(path: str, text: str) -> tuple[str, ...]:
    line = broken_at(text.encode()) if path.endswith(".py") else None
    return () if line is None else (f"This does not parse: there is a syntax error in line {line}.",)
