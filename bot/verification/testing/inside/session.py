"""A session of pytest: which tests run, in which order, and what is told of each.

Among them are canaries, tests of ours with random names: who reports a failing one as passed is not believed.

The runner executes it, with the files that it imports from here in the place of their imports.
"""

# mypy: ignore-errors

import ast
import gc
import inspect
import io
import linecache
import os
import random
import sys
import time
import types
import unittest.case
import warnings

import pytest
from _pytest._code import code as tracebacks
from _pytest.assertion import rewrite
from _pytest.fixtures import FuncFixtureInfo

from bot.verification.testing.inside.environment import add_packages, judged_by_the_environment
from bot.verification.testing.inside.intruders import Intruders
from bot.verification.testing.inside.short import shorten, shorten_name

MOST_REPLACED = 20
SLOW = 3.0  # seconds
MOST_OBJECTS = 100_000  # that a test may make and keep before garbage is looked for while it runs


def run(task, tell):
    """pytest's exit status. tell: sends an event with its content to the supervisor."""
    task["args"] += judged_by_the_environment(task)
    gc.freeze()  # what pytest is made of stays: looking for garbage in it would take a tenth of a short run
    gc.enable()
    sys.path[:0] = task["paths"]
    # As pytest's own command has it: nothing of the program may see how it is run here.
    sys.argv[:] = [os.path.join(os.path.dirname(sys.executable), "pytest")]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.modules["__main__"].__file__ = sys.argv[0]
    root = os.getcwd()
    chosen = [name for name in task["select"] if name.partition("::")[0] not in task["ignored"]]
    ignored = task["ignored"]
    if task["folder"]:  # names are from the root all the same
        chosen, ignored = ([os.path.join(root, name) for name in names] for names in (chosen, ignored))
        task["args"].append("--rootdir=" + root)
    task["args"] += ["--ignore=" + path for path in ignored]
    said = sys.stderr = io.StringIO()  # until tests are looked for
    arguments = [*task["args"], "--junitxml=" + task["junit"], *chosen]
    tests = ChosenTests(root, task, tell)
    plugins = [tests, Reports(root, task, tell)]
    os.chdir(os.path.join(root, task["folder"]))
    try:
        status = pytest.main(arguments, plugins=plugins)
    except Exception as error:
        print(type(error).__name__, error, sep=": ", file=said)
        status, tests.begun = 1, False
    if not tests.begun and (why := said.getvalue().strip()):
        tell("end", id="pytest", status="error", message=shorten(why), seconds=0.0)
    return int(status)


class ChosenTests:
    """Which tests run, in which order, with canaries among them; and what the program changed in its judge."""

    def __init__(self, root, task, tell):
        self.root, self.task, self.tell = root, task, tell
        self.held = {os.path.join(root, path) for path in task["held"]}
        self.intruders, self.noticed, self.slow, self.red = None, set(), set(task["slow"]), set()
        self.begun = False  # to look for tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config, args):
        if early_config.pluginmanager.hasplugin("xdist"):
            args.append("-n0")
        if early_config.getini("enable_assertion_pass_hook"):
            rewrite._read_pyc = lambda *_: None  # pytest calls more from each assertion then
        self.intruders = Intruders(self.root, self.held, early_config)  # what plugins change is theirs to change
        if self.task["packages"]:
            add_packages(self.task["packages"], self.root + os.sep)

    def pytest_collection(self):
        sys.stderr, self.begun = sys.__stderr__, True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        task, names = self.task, [shorten_name(item.nodeid) for item in items]
        for start in range(0, len(names) or 1, 100):
            self.tell("collected", collected=names[start : start + 100])
        self.look(config, items)
        done = set(task["done"])
        items[:] = [item for item, name in zip(items, names, strict=True) if name not in done]
        if task["seed"] is not None:
            items.sort(key=drawn(random.Random(task["seed"])))
        if task["reverse"]:
            items.reverse()
        items.sort(key=self.rank)
        if items:
            add_canaries(items, task["canaries"], self.held)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self):
        if not self.task["reverse"]:  # a test may wait for Python's own look, and one of the runs has it
            gc.set_threshold(MOST_OBJECTS, 10, 10)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        began = time.monotonic()
        yield
        if time.monotonic() - began > SLOW:
            self.delay(item)
        if self.task["once"] and bare(item.nodeid) in self.red:
            items, start = item.session.items, item.session.items.index(item) + 2  # what the next one needs was kept
            items[start:] = [each for each in items[start:] if bare(each.nodeid) not in self.red]
        same = nextitem is not None and place_of(nextitem) == place_of(item)
        collect_garbage(0 if same else 1)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.red.add(bare(report.nodeid))

    def delay(self, item):
        """The other tests of a slow one's file come last: they may all wait for what is not here. The next stays, since
        what it needs was kept for it."""
        items, path = item.session.items, item.nodeid.partition("::")[0]
        if path not in self.slow:
            self.slow.add(path)
            self.tell("slow", slow=[shorten_name(path)])
            start = items.index(item) + 2
            items[start:-1] = sorted(items[start:-1], key=self.rank)

    def rank(self, item):
        path, first = item.nodeid.partition("::")[0], self.task["first"]
        return bool(first) and path not in first, path in self.slow

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        self.look(session.config, session.items if hasattr(session, "items") else ())

    def look(self, config, items):
        """Tell what has not been told; not each look is where a program would expect it."""
        if not self.intruders:
            return
        new = {*self.intruders.found(config), *self.intruders.of_items(items)} - self.noticed
        if new:
            self.noticed.update(new)
            self.tell("replaced", names=sorted(new)[:MOST_REPLACED])


def place_of(node):
    return str(getattr(node, "path", None) or node.fspath)  # before pytest 7.0 it is a `py.path.local`


def bare(nodeid):
    """Without what makes it one case of several."""
    place, mark, name = nodeid.partition("::")
    return place + mark + name.partition("[")[0]


def drawn(source):
    """A place for each test, drawn at random; tests of a file stay together, and so do those of a class."""
    ranks = {}

    def place(item):
        parents = (item.getparent(pytest.File), item.getparent(pytest.Class), item)
        names = [parent.nodeid if parent else "" for parent in parents]
        return [ranks.setdefault((depth, name), source.random()) for depth, name in enumerate(names)]

    return place


def collect_garbage(generation):
    """Between tests, where what comes of it is held against none of them.

    An unclosed file in a cycle is an error in many suites, of the test that happens to run when Python looks for
    cycles. Any change of the program moves that moment, so an innocent test would be red on one side only.
    """
    told, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gc.collect(generation)
    finally:
        sys.unraisablehook = told


class Reports:
    """Tells how each test begins and ends, and which functions it entered where that is asked."""

    def __init__(self, root, task, tell):
        self.root, self.tell = root, tell
        self.program = {os.path.join(root, path) for path in task["program"]}
        self.canaries = set(task["canaries"])
        self.tracer = None
        if task["trace"]:
            names = {}
            exec(task["tracer"], names)
            traced = {os.path.join(root, path): at for at, path in enumerate(task["trace"])}
            callers = {os.path.join(root, path) for path in task["held"] if task["by_tests"]}
            self.tracer = names["Tracer"](traced, callers, task["anew"])
        self.clock = time.perf_counter
        self.open = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self, early_config):
        early_config.known_args_namespace.no_cov = True  # pytest-cov slows each test, and fails some runs for a share
        yield

    def pytest_collectstart(self, collector):
        if isinstance(collector, pytest.File):
            self.tell("collecting", id=shorten_name(collector.nodeid))

    def pytest_collectreport(self, report):
        if not report.passed:
            status = "skipped" if report.skipped and not self.blamed(report) else "error"
            name, message = shorten_name(report.nodeid), shorten(report.longreprtext)
            self.tell("end", id=name, status=status, message=message, seconds=0.0)

    def pytest_runtest_logstart(self, nodeid):
        self.open[nodeid] = ["", "", self.clock()]
        self.tell("start", id=self.known(nodeid))

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_fixture_setup(self, fixturedef):
        if fixturedef.scope != "function":  # such as a database, which the first test would pay for alone
            self.tell("setup")
        yield from self.watched()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self):
        yield from self.watched()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self):
        """For each line that it shows pytest would parse the whole file, to find where the statement ends."""
        whole, tracebacks.getstatementrange_ast = tracebacks.getstatementrange_ast, ends_here
        yield
        tracebacks.getstatementrange_ast = whole

    def pytest_runtest_logreport(self, report):
        result = self.open.setdefault(report.nodeid, ["", "", self.clock()])
        if report.failed:
            result[:2] = "failed" if report.when == "call" else "error", report.longreprtext
        elif report.skipped and not result[0]:
            skip = isinstance(report.longrepr, tuple)
            why = str(report.longrepr[2]) if skip else str(getattr(report, "wasxfail", ""))
            result[:2] = "error" if self.blamed(report) else "skipped", why
        elif report.passed and report.when == "call" and not result[0]:
            result[0] = "passed"

    def pytest_runtest_logfinish(self, nodeid):
        if self.tracer:
            seen, calls = self.tracer.told()
            self.tell("entered", id=self.known(nodeid), seen=seen)
            for call in calls:  # of all one message may be too long
                self.tell("called", id=self.known(nodeid), calls=[call])
        status, message, began = self.open.pop(nodeid)
        seconds = round(self.clock() - began, 4)
        self.tell("end", id=self.known(nodeid), status=status, message=shorten(message), seconds=seconds)

    def blamed(self, report):
        """Whether the program, not the test, asked to skip."""
        where = report.longrepr
        crash = getattr(where, "reprcrash", None)
        path = where[0] if isinstance(where, tuple) else getattr(crash, "path", "")
        return os.path.join(self.root, str(path)) in self.program

    def watched(self):
        if self.tracer:
            self.tracer.begin()
        yield
        if self.tracer:
            self.tracer.end()

    def known(self, nodeid):
        name = nodeid.rpartition("::")[2]
        return name if name in self.canaries else shorten_name(nodeid)


def ends_here(*_, **__):
    raise SyntaxError


MARKS_OF_ALL = frozenset(("skip", "skipif", "xfail"))  # of a whole file

# What each must be reported as, and its body.
CANARIES = (
    ("passed", "assert left == left"),
    ("failed", "assert left == right"),
    ("failed", "assert not left"),
    ("failed", "raise ValueError(left)"),
    ("failed", "with pytest.raises(ValueError): pass"),
    ("failed", "assert left == pytest.approx(right)"),
    ("failed", "unittest.TestCase().assertEqual(left, right)"),
    ("failed", "unittest.TestCase().assertTrue(right > left + 1)"),
    ("error", ""),  # its set-up fails
)


def add_canaries(items, names, held):
    """One that must fail comes first, one last, the others anywhere between; as long as there are others, not among
    tests that are all skipped, or expected to fail, nor in a file that does not judge, such as one of examples."""
    kinds = list(zip(names, CANARIES, strict=True))
    parents = [item.getparent(pytest.Module) or item.parent for item in items]
    own = {parent for parent in parents if place_of(parent) in held} or set(parents)
    free = {parent for parent in own if MARKS_OF_ALL.isdisjoint(mark.name for mark in parent.iter_markers())}
    places = [place for place, parent in enumerate(parents) if parent in free] or range(len(items))
    middle = kinds[:1] + kinds[3:]
    spread = sorted((random.choice(places) for _ in middle), reverse=True)
    chosen = [(places[-1], 1, kinds[1]), *((place, 0, kind) for place, kind in zip(spread, middle, strict=True))]
    for place, behind, (name, (outcome, body)) in [*chosen, (places[0], 0, kinds[2])]:
        items.insert(place + behind, canary(parents[place], place_of(parents[place]), name, outcome, body))


def canary(parent, path, name, outcome, body):
    """Nothing is set on the item, which would tell it from others. The one that must break wants what nobody gives.

    Its lines lie behind the end of the file, where no source is read: pytest would parse the whole file for each.
    """
    module = getattr(parent, "obj", None)
    names = vars(module) if isinstance(module, types.ModuleType) else {}
    for file, its in ((path, names), (unittest.case.__file__, vars(unittest.case))):
        inspect.modulesbyfile.setdefault(file, its.get("__name__"))  # else it asks every module where its file lies
    unknown = [name.partition("_")[2]] if outcome == "error" else []
    left = random.randrange(2, 1000)
    body = body.replace("left", str(left)).replace("right", str(left + 1))
    source = f"def {name}({''.join(unknown)}):\n import pytest, unittest\n {body}"
    tree = ast.parse(source, path)
    if "@pytest_ar" in names:
        rewrite.rewrite_asserts(tree, source.encode(), path)
    ast.increment_lineno(tree, len(linecache.getlines(path)) + random.randrange(1, 20))
    codes = compile(tree, path, "exec", dont_inherit=True).co_consts
    function = types.FunctionType(next(code for code in codes if isinstance(code, types.CodeType)), names)
    info = FuncFixtureInfo(tuple(unknown), tuple(unknown), unknown, {})
    return pytest.Function.from_parent(parent, name=name, callobj=function, fixtureinfo=info)
