"""Notes which functions of given files each test enters, with what, and what calls of them give. The runner executes
its source, beside the program.

It must not be felt: a suite that traces for itself (coverage, a debugger's tests) keeps its trace, and this one takes
the profiler's place or does without. On 3.12 and later the interpreter has a place for it beside all others. Before,
each call of the program costs about as much again, so a test that calls without end is let alone after its first ones.
"""

# mypy: ignore-errors

from __future__ import annotations

import opcode
import subprocess
import sys
import threading

from bot.verification.testing.inside.recorder import Recorder

MOST_OF_ONE = 3000  # functions that are told of one test
MOST_OF_PLACE = 10  # calls of one function by one test, that are noted
MOST_CALLS = 300_000  # of one test, that are looked at: they take some tenths of a second
MOST_TOLD = 4_000_000  # characters of calls, in all
RETURNS = [opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap]
GOES_ON = [opcode.opmap[name] for name in ("YIELD_VALUE", "YIELD_FROM", "SEND") if name in opcode.opmap]
_TOOL = 4  # of the six places, one that no known tool takes


class Tracer:
    """`begin` before each part of a test that runs code of the repository's, `end` after it, `told` after the test.

    files: what `co_filename` may say -> the number of the file. Parts may lie in each other. callers: see `Recorder`.
    anew: each test's calls are noted whatever others called.
    """

    def __init__(self, files, callers=(), anew=False):
        self.files, watched = files, {*files, subprocess.__file__} if callers else files
        self.depth = 0
        self.now = now = {}  # (name of the file, line) -> calls of this test that were looked at
        self.left = MOST_CALLS
        self.anew, self.recorder = anew or callers, Recorder(callers, files)
        self.room, self.raised = MOST_TOLD, None
        self.monitoring = monitoring = getattr(sys, "monitoring", None)

        def called(frame, event, given):
            try:
                self.left -= 1
                if self.left < 0:
                    self._take_away()
                elif event == "call" and frame.f_code.co_filename in watched and enter(frame):
                    frame.f_trace_lines = False
                    return ended
                elif event == "return" and self.recorder.open:
                    ended(frame, event, given)
            except RecursionError:
                pass  # it is the program's to end there: a test may look at its last frame
            return None

        def ended(frame, event, given):
            """Of a call that was noted. Before an error leaves it, the error is told, but not to a profiler."""
            if event == "exception":
                self.raised = given[0]
            elif event == "return":
                last = frame.f_code.co_code[frame.f_lasti]
                if last in RETURNS:
                    self.recorder.end(frame, "returned", given)
                elif last not in GOES_ON:
                    self.recorder.end(frame, "raised", self.raised)
            return ended

        def enter(frame):
            if frame.f_code.co_filename not in files:
                if frame.f_code.co_name == "run":
                    self.recorder.note_script(frame)
                return False
            place = frame.f_code.co_filename, frame.f_code.co_firstlineno
            if callers or now.get(place, 0) < MOST_OF_PLACE:
                now[place] = now.get(place, 0) + 1
                return self.recorder.note(frame)
            return False

        def started(code, _):
            if code.co_filename not in watched:
                return monitoring.DISABLE  # until the next test
            if enter(sys._getframe(1)):
                monitoring.set_local_events(_TOOL, code, monitoring.events.PY_RETURN)
            enough = not callers and now.get((code.co_filename, code.co_firstlineno), 0) >= MOST_OF_PLACE
            return monitoring.DISABLE if enough else None

        def returned(_, __, value):
            if self.recorder.open:
                self.recorder.end(sys._getframe(1), "returned", value)

        def raised(_, __, error):
            if self.recorder.open and type(error) is not RecursionError:  # else it would be raised here again
                self.recorder.end(sys._getframe(1), "raised", type(error))

        self.called = called
        if monitoring:
            try:
                monitoring.use_tool_id(_TOOL, "bench")
            except ValueError:
                self.monitoring = None
            else:
                events = monitoring.events
                self.events = events.PY_START | events.PY_UNWIND
                for event, told in (
                    (events.PY_START, started),
                    (events.PY_RETURN, returned),
                    (events.PY_UNWIND, raised),
                ):
                    monitoring.register_callback(_TOOL, event, told)

    def begin(self):
        self.depth += 1
        if self.depth > 1:
            return
        if self.monitoring:
            self.monitoring.restart_events()
            self.monitoring.set_events(_TOOL, self.events)
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
        """The functions entered, as (file, line), and calls, as (file, module, expression, ending, value)."""
        seen = [[self.files[path], line] for path, line in list(self.now)[:MOST_OF_ONE]]
        self.now.clear()
        self.left = MOST_CALLS
        told = self.recorder.told(anew=self.anew)
        self.room -= sum(map(len, (part for call in told for part in call)))
        return seen, [[self.files[path], *call] for path, *call in told if self.room > 0]

    @staticmethod
    def _places():
        return (
            (sys.gettrace, sys.settrace, threading.settrace),
            (sys.getprofile, sys.setprofile, threading.setprofile),
        )
