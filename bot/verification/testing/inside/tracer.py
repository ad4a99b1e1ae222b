"""Notes which functions of given files each test enters, and with what. The runner executes its source, beside the
program.

It must not be felt: a suite that traces for itself (coverage, a debugger's tests) keeps its trace, and this one takes
the profiler's place or does without. On 3.12 and later the interpreter has a place for it beside all others. Before,
each call of the program costs about as much again, so a test that calls without end is let alone after its first ones.
"""

# mypy: ignore-errors

import sys
import threading

from bot.verification.testing.inside.recorder import Recorder

MOST_OF_ONE = 3000  # functions that are told of one test
MOST_OF_PLACE = 10  # calls of one function by one test, that are noted
MOST_CALLS = 300_000  # of one test, that are looked at: they take some tenths of a second
_TOOL = 4  # of the six places, one that no known tool takes


class Tracer:
    """`begin` before each part of a test that runs code of the repository's, `end` after it, `told` after the test.

    files: what `co_filename` may say -> the number of the file. Parts may lie in each other. callers: see `Recorder`.
    """

    def __init__(self, files, callers):
        self.files = files
        self.depth = 0
        self.now = now = {}  # (name of the file, line) -> calls of this test that were looked at
        self.left = MOST_CALLS
        self.callers, self.recorder = callers, Recorder(callers)
        self.monitoring = monitoring = getattr(sys, "monitoring", None)

        def called(frame, event, _):
            try:
                self.left -= 1
                if self.left < 0:
                    self._take_away()
                elif event == "call" and frame.f_code.co_filename in files:
                    enter(frame)
            except RecursionError:
                pass  # it is the program's to end there: a test may look at its last frame

        def enter(frame):
            place = frame.f_code.co_filename, frame.f_code.co_firstlineno
            if callers or now.get(place, 0) < MOST_OF_PLACE:
                now[place] = now.get(place, 0) + 1
                self.recorder.note(frame)

        def started(code, _):
            if code.co_filename not in files:
                return monitoring.DISABLE  # until the next test
            enter(sys._getframe(1))
            enough = not callers and now.get((code.co_filename, code.co_firstlineno), 0) >= MOST_OF_PLACE
            return monitoring.DISABLE if enough else None

        self.called = called
        if monitoring:
            try:
                monitoring.use_tool_id(_TOOL, "bench")
            except ValueError:
                self.monitoring = None
            else:
                monitoring.register_callback(_TOOL, monitoring.events.PY_START, started)

    def begin(self):
        self.depth += 1
        if self.depth > 1:
            return
        if self.monitoring:
            self.monitoring.restart_events()
            self.monitoring.set_events(_TOOL, self.monitoring.events.PY_START)
            return
        if self.left < 0:
            return
        for get, put, others in self._places():
            if get() is None:
                put(self.called)
                others(self.called)
                return

    def end(self):
        self.depth -= 1
        if self.depth:
            return
        if self.monitoring:
            self.monitoring.set_events(_TOOL, 0)
        self._take_away()

    def _take_away(self):
        for get, put, others in self._places():
            if get() is self.called:
                put(None)
                others(None)

    def told(self):
        """The functions entered, as (file, line), and calls, as (file, module, expression)."""
        seen = [[self.files[path], line] for path, line in list(self.now)[:MOST_OF_ONE]]
        self.now.clear()
        self.left = MOST_CALLS
        told, self.recorder = self.recorder.told(), Recorder(self.callers) if self.callers else self.recorder
        return seen, [[self.files[path], *call] for path, *call in told]

    @staticmethod
    def _places():
        return (
            (sys.gettrace, sys.settrace, threading.settrace),
            (sys.getprofile, sys.setprofile, threading.setprofile),
        )
