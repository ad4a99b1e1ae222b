"""Runs pytest in the process that also holds the program under test, and reports each test as it ends.

Strange code in the same process can do anything, so nothing said here is believed alone: among the real tests run
canaries with random names, some of which must fail, and the functions of the runner are compared before and after.
"""

# mypy: ignore-errors

import sys

sys.path[:] = [entry for entry in sys.path if entry]  # `-c` puts the working directory first

import ast
import builtins
import gc
import hashlib
import io
import json
import linecache
import math
import operator
import os
import random
import socket
import time
import types
import warnings

OLDEST = (6, 2)  # of pytest: the first that can rewrite assertions for Python 3.10 and later
LONGEST_MESSAGE = 2000
LONGEST_NAME = 500
MOST_REPLACED = 20
# Modules of Python's that tests lean on: with another `json.loads`, what a test expects is what the program gives.
TESTS_LEAN_ON = (
    "copy",
    "datetime",
    "decimal",
    "fractions",
    "io",
    "json",
    "json.decoder",
    "os",
    "pathlib",
    "random",
    "re",
)
STEPS = frozenset(("runtest", "setup", "teardown", "repr_failure"))  # of a test, where it has one of its own
MARKS_OF_ALL = frozenset(("skip", "skipif", "xfail"))  # of a whole file
MOST_OBJECTS = 100_000  # that a test may make and keep before garbage is looked for while it runs

# What each must be reported as, and its body.
CANARIES = (
    ("passed", "assert left == left"),
    ("failed", "assert left == right"),
    ("failed", "assert not left"),
    ("failed", "raise ValueError(left)"),
    ("failed", "with pytest.raises(ValueError): pass"),
    ("failed", "assert left == pytest.approx(right)"),
    ("failed", "import unittest; unittest.TestCase().assertEqual(left, right)"),
    ("failed", "import unittest; unittest.TestCase().assertTrue(right > left + 1)"),
    ("error", ""),  # its set-up fails
)


def main():
    with open(0, "rb", closefd=False) as file:
        task = json.loads(file.read())
    os.dup2(1, 0)
    channel = socket.socket(fileno=task.pop("socket"))
    exit_now, send, dumps, key = os._exit, channel.send, json.dumps, task.pop("key")

    def tell(event, **content):
        send(dumps({"key": key, "event": event, **content}).encode())

    try:
        import pytest
    except ImportError:
        tell("note", note="no pytest")
        exit_now(1)
    if version(pytest) < OLDEST:
        tell("note", note="old pytest")
        exit_now(1)
    if not task["alone"]:
        task["args"] += judged_by_the_environment(task)
    watch = Watch() if task["alone"] else None
    sys.path[:] = [*([] if task["alone"] else task["paths"]), *sys.path, *(task["paths"] if task["alone"] else [])]
    # As pytest's own command has it: nothing of the program may see how it is run here.
    sys.argv[:] = [os.path.join(os.path.dirname(sys.executable), "pytest")]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.modules["__main__"].__file__ = sys.argv[0]
    task["args"] += ["--ignore=" + path for path in task["ignored"]]
    chosen = [name for name in task["select"] if name.partition("::")[0] not in task["ignored"]]
    said = sys.stderr = io.StringIO()  # until tests are looked for
    arguments = [*task["args"], "--junitxml=" + task["junit"], *chosen]
    try:
        status = pytest.main(arguments, plugins=[plugin(pytest, task, tell)])
    except Exception as error:
        print(type(error).__name__, error, sep=": ", file=said)
        status = 1
    if sys.stderr is said and (why := said.getvalue().strip()):
        tell("end", id="pytest", status="error", message=cut(why), seconds=0.0)
    if watch and (replaced := watch.replaced()):
        tell("note", note="the program replaced " + replaced[0])
    tell("finish")
    exit_now(int(status))  # before anything that the program left for later can run


def version(pytest):
    """Its first two numbers; none where it does not tell."""
    return tuple(int(part) for part in pytest.__version__.split(".")[:2] if part.isdecimal())


def judged_by_the_environment(task):
    """See to it that what runs the tests is the environment's, whatever lies in the tree; further arguments of pytest.

    Modules of the tree are made from their source, for bytecode beside it can say something else. A file that judges is
    never passed over for a compiled module or a package of its name. pytest and its plugins come from where they are
    installed, and a distribution's entry points count only there.
    """
    from importlib import import_module, metadata
    from importlib.machinery import (
        EXTENSION_SUFFIXES,
        SOURCE_SUFFIXES,
        ExtensionFileLoader,
        FileFinder,
        PathFinder,
        SourceFileLoader,
    )
    from importlib.util import spec_from_file_location

    from _pytest import config
    from _pytest.assertion import rewrite

    for name in (*("_pytest." + plugin for plugin in config.default_plugins), "faulthandler", "getpass", "pwd"):
        import_module(name)
    root = os.getcwd() + os.sep
    if not rewrite.__file__.startswith(root):
        rewrite._read_pyc = lambda *_, **__: None
    held = {root + path for path in task["held"]}
    installed, kept = set(), {"pytest", "_pytest", "pluggy", "iniconfig"}
    for found in metadata.distributions():
        hooks = [each for each in found.entry_points if each.group == "pytest11"]
        if hooks and not str(found.locate_file("")).startswith(root[:-1]):
            installed.update(each.name for each in hooks)
            if "file://" not in (found.read_text("direct_url.json") or ""):  # else it is the program itself
                kept.update(each.value.partition(":")[0].partition(".")[0] for each in hooks)
    for name in list(kept):
        spec = PathFinder.find_spec(name)
        if spec is None or str(spec.origin).startswith(root):
            kept.discard(name)

    class Source(SourceFileLoader):
        def path_stats(self, path):
            raise OSError  # no time of the source, no bytecode

    class Finder(FileFinder):
        def find_spec(self, fullname, target=None):
            if fullname in kept:
                return None
            place = os.path.join(self.path, fullname.rpartition(".")[2])
            for path, inside in ((place + "/__init__.py", [place]), (place + ".py", None)):
                if path in held:
                    loader = Source(fullname, path)
                    return spec_from_file_location(fullname, path, loader=loader, submodule_search_locations=inside)
            return super().find_spec(fullname, target)

    hook = Finder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (Source, SOURCE_SUFFIXES))

    def of_the_tree(path):
        if not (path + os.sep).startswith(root):
            raise ImportError
        return hook(path)

    sys.path_hooks.insert(0, of_the_tree)
    for path in [path for path in sys.path_importer_cache if (path + os.sep).startswith(root)]:
        del sys.path_importer_cache[path]
    places = [path for path in task["paths"] if path not in sys.path]
    strange = {
        each.name
        for found in metadata.distributions(path=places)
        for each in found.entry_points
        if each.group == "pytest11" and each.name not in installed
    }
    return [word for name in sorted(strange) for word in ("-p", "no:" + name)]


def add_packages(venv, root):
    """Put the packages of another environment before those of this one. No code of it runs by itself.

    Its `.pth` files count as plain paths into the tree. What it has linked from there by name (PEP 660) is linked here.
    """
    import glob
    from importlib.util import spec_from_file_location

    linked, places = {}, glob.glob(glob.escape(venv) + "/lib/python3*/site-packages")
    for place in list(places):
        for path in sorted(glob.glob(glob.escape(place) + "/*.pth")):
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = [line.strip() for line in file]
            places += [line for line in lines if (line + os.sep).startswith(root) and os.path.isdir(line)]
        for path in sorted(glob.glob(glob.escape(place) + "/__editable__*finder.py")):
            linked.update(mapping(path, root))
    first = next((n for n, path in enumerate(sys.path) if path.endswith("site-packages")), len(sys.path))
    sys.path[first:first] = [place for place in places if place not in sys.path]
    os.environ["PYTHONPATH"] = os.pathsep.join([*places, *filter(None, [os.environ.get("PYTHONPATH")])])

    class Linked:
        @staticmethod
        def find_spec(fullname, path=None, target=None):
            place = linked.get(fullname)
            if place is None:
                return None
            inside = os.path.join(place, "__init__.py")
            if os.path.isfile(inside):
                return spec_from_file_location(fullname, inside, submodule_search_locations=[place])
            return spec_from_file_location(fullname, place + ".py") if os.path.isfile(place + ".py") else None

    sys.meta_path.append(Linked)


def mapping(path, root):
    """What a finder of setuptools links: a module's name -> where it lies in the tree. It is read, not run."""
    try:
        with open(path, "rb") as file:
            body = ast.parse(file.read()).body
        for each in body:
            names = [each.target] if isinstance(each, ast.AnnAssign) else getattr(each, "targets", [])
            if any(isinstance(name, ast.Name) and name.id == "MAPPING" for name in names):
                found = ast.literal_eval(each.value)
                return {name: place for name, place in found.items() if (place + os.sep).startswith(root)}
    except (OSError, SyntaxError, ValueError, TypeError, AttributeError, RecursionError, MemoryError):
        pass
    return {}


class Watch:
    """The functions of the built-in modules and of the runner, as they were before any strange code ran."""

    def __init__(self, more=()):
        import unittest.case
        from importlib import import_module

        names = [name for name in sys.modules if name.partition(".")[0] in ("_pytest", "pluggy", "pytest")]
        modules = [builtins, math, operator, unittest.case, *(sys.modules[name] for name in sorted(names))]
        modules += [module for module in map(import_module, more) if module not in modules]
        self.seen = [(module.__name__, vars(module), self.functions(vars(module))) for module in modules]
        for module in modules:
            for name, value in list(vars(module).items()):
                if isinstance(value, type) and value.__module__ == module.__name__ and module is not builtins:
                    self.seen.append((module.__name__ + "." + name, vars(value), self.functions(vars(value))))

    @staticmethod
    def functions(names):
        kinds = (types.FunctionType, types.BuiltinFunctionType, type, staticmethod, classmethod, property)
        return {
            name: (value, getattr(value, "__code__", None)) for name, value in names.items() if isinstance(value, kinds)
        }

    def replaced(self):
        own = [value for value in vars(sys.modules.get("_pytest.legacypath", sys)).values() if callable(value)]
        return [
            owner + "." + name
            for owner, names, before in self.seen
            for name, (value, code) in before.items()
            if names.get(name) is not value or getattr(names.get(name), "__code__", None) is not code
            if not any(names.get(name) is each for each in own)  # pytest's own patches of itself
        ]


class Intruders:
    """What the program put into its judge: functions in the place of others, hooks, tracers, importers, tests' bodies.

    Some suites do that themselves, so what is told here is held against what the base's own run told.
    """

    def __init__(self, root, own, config):
        self.watch = Watch(TESTS_LEAN_ON)
        self.root, self.own = root + os.sep, own
        self.getters = (sys.gettrace, sys.getprofile)
        self.method = type(config.pluginmanager)._hookexec

    def found(self, config):
        yield from self.watch.replaced()
        if self.calls_otherwise(config.pluginmanager):
            yield "how pytest calls its hooks"
        for get in self.getters:
            if self.is_strange(get()):
                yield "sys.set" + get.__name__.removeprefix("get")
        for each in sys.meta_path:
            if self.is_strange(each):
                yield "sys.meta_path"
        for name, caller in sorted(vars(config.hook).items()):
            for implementation in getattr(caller, "get_hookimpls", list)():
                if self.is_strange(implementation.function):
                    yield "the hook " + name

    def of_items(self, items):
        for item in items:
            if self.is_strange(getattr(item, "function", None)) or not STEPS.isdisjoint(vars(item)):
                yield "the body of a test"
                return

    def calls_otherwise(self, manager):
        """Whether the hooks are called by another's function: not by the class's, and one of pluggy's own behind it."""
        inner = getattr(manager, "_inner_hookexec", None)
        path = getattr(getattr(inner, "__code__", None), "co_filename", "")
        callers = [getattr(each, "_hookexec", None) for each in vars(manager.hook).values()]
        strange = [each for each in callers if each and getattr(each, "__func__", None) is not self.method]
        return bool(strange) or "_hookexec" in vars(manager) or os.path.basename(os.path.dirname(path)) != "pluggy"

    def is_strange(self, thing):
        """Whether it was written in the tree, in a file that neither judges nor is made for steering."""
        thing = getattr(thing, "__func__", thing)
        code = getattr(thing, "__code__", None)
        if code is None and thing is not None and not isinstance(thing, types.BuiltinFunctionType):
            kind = thing if isinstance(thing, type) else type(thing)
            path = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
        else:
            path = getattr(code, "co_filename", "")
        return path.startswith(self.root) and path not in self.own and os.path.basename(path) != "conftest.py"


def plugin(pytest, task, tell):
    from _pytest.assertion.rewrite import rewrite_asserts
    from _pytest.fixtures import FuncFixtureInfo

    root = os.getcwd()
    program = {os.path.join(root, path) for path in task["program"]}
    scripts = {os.path.join(root, path) for path in task["scripts"]}
    canaries = set(task["canaries"])
    clock = time.perf_counter
    open_reports = {}
    paths = hasattr(pytest.File, "path")  # before 7.0 files are named by `py.path.local`

    def place_of(node):
        return str(node.path if paths else node.fspath)

    tracer = traced(root, task)
    held = {os.path.join(root, path) for path in task["held"]}
    intruders = []
    noticed = set()

    def look(config, items=()):
        """Tell what has not been told; not each look is where a program would expect it."""
        if not intruders:
            return
        new = {*intruders[0].found(config), *intruders[0].of_items(items)} - noticed
        if new:
            noticed.update(new)
            tell("replaced", names=sorted(new)[:MOST_REPLACED])

    def compiled(source, path):
        tree = ast.parse(source, path)
        rewrite_asserts(tree, source if isinstance(source, bytes) else source.encode(), path)
        return compile(tree, path, "exec", dont_inherit=True)

    class ScriptFile(pytest.File):
        def collect(self):
            yield Script.from_parent(self, name=os.path.basename(place_of(self)), nodeid=self.nodeid)

    class Script(pytest.Item):
        """A file of bare assertions: one test, which is how the script ends."""

        def _traceback_filter(self, excinfo):
            return excinfo.traceback.cut(path=self.path if paths else self.fspath)

        def runtest(self):
            place = place_of(self)
            with open(place, "rb") as file:
                source = file.read()
            try:
                exec(compiled(source, place), {"__name__": "__main__", "__file__": place})
            except SystemExit as ended:
                frame = ended.__traceback__
                while frame:
                    if frame.tb_frame.f_code.co_filename in program:
                        raise  # it is not the program's to end its test
                    frame = frame.tb_next
                if ended.code not in (0, None):
                    raise

    def drawn(source):
        """A place for each test, drawn at random; tests of a file stay together, and so do those of a class."""
        ranks = {}

        def place(item):
            parents = (item.getparent(pytest.File), item.getparent(pytest.Class), item)
            names = [parent.nodeid if parent else "" for parent in parents]
            return [ranks.setdefault((depth, name), source.random()) for depth, name in enumerate(names)]

        return place

    def canary(parent, name, outcome, body):
        """Nothing is set on the item, which would tell it from others. The one that must break wants what nobody gives.

        Its lines lie behind the end of the file, where no source is read: pytest would parse the whole file for each.
        """
        path, module = place_of(parent), getattr(parent, "obj", None)
        names = vars(module) if isinstance(module, types.ModuleType) else {}
        unknown = [name.partition("_")[2]] if outcome == "error" else []
        left = random.randrange(2, 1000)
        body = body.replace("left", str(left)).replace("right", str(left + 1))
        source = f"def {name}({''.join(unknown)}):\n import pytest, unittest\n {body}"
        tree = ast.parse(source, path)
        if "@pytest_ar" in names:
            rewrite_asserts(tree, source.encode(), path)
        ast.increment_lineno(tree, len(linecache.getlines(path)) + random.randrange(1, 20))
        codes = compile(tree, path, "exec", dont_inherit=True).co_consts
        function = types.FunctionType(next(code for code in codes if isinstance(code, types.CodeType)), names)
        info = FuncFixtureInfo(tuple(unknown), tuple(unknown), unknown, {})
        return pytest.Function.from_parent(parent, name=name, callobj=function, fixtureinfo=info)

    def with_canaries(items):
        """One that must fail comes first, one last, the others anywhere between; as long as there are others, not among
        tests that are all skipped, or expected to fail."""
        kinds = list(zip(task["canaries"], CANARIES, strict=True))
        parents = [item.getparent(pytest.Module) or item.parent for item in items]
        free = {parent: MARKS_OF_ALL.isdisjoint(mark.name for mark in parent.iter_markers()) for parent in set(parents)}
        places = [place for place, parent in enumerate(parents) if free[parent]] or range(len(items))
        middle = kinds[:1] + kinds[3:]
        spread = sorted((random.choice(places) for _ in middle), reverse=True)
        chosen = [(places[-1], 1, kinds[1]), *((place, 0, kind) for place, kind in zip(spread, middle, strict=True))]
        for place, behind, (name, (outcome, body)) in [*chosen, (places[0], 0, kinds[2])]:
            items.insert(place + behind, canary(parents[place], name, outcome, body))

    def blamed(report):
        """Whether the program, not the test, asked to skip."""
        where = report.longrepr
        crash = getattr(where, "reprcrash", None)
        path = where[0] if isinstance(where, tuple) else getattr(crash, "path", "")
        return os.path.join(root, str(path)) in program

    def watched():
        if tracer:
            tracer.begin()
        yield
        if tracer:
            tracer.end()

    class Plugin:
        @pytest.hookimpl(tryfirst=True)
        def pytest_load_initial_conftests(self, early_config, args):
            if early_config.pluginmanager.hasplugin("xdist"):
                args.append("-n0")
            if not task["alone"]:
                intruders.append(Intruders(root, held, early_config))  # what plugins change is theirs to change
            if task["packages"]:
                add_packages(task["packages"], root + os.sep)

        def pytest_collection(self):
            sys.stderr = sys.__stderr__

        def pytest_collectstart(self, collector):
            if isinstance(collector, pytest.File):
                tell("collecting", id=short(collector.nodeid))

        def pytest_collectreport(self, report):
            if report.failed or (report.skipped and blamed(report)):
                tell("end", id=short(report.nodeid), status="error", message=cut(report.longreprtext), seconds=0.0)
            elif report.skipped:
                tell("end", id=short(report.nodeid), status="skipped", message=cut(report.longreprtext), seconds=0.0)

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, config, items):
            names = [short(item.nodeid) for item in items]
            for start in range(0, len(names) or 1, 100):
                tell("collected", ids=names[start : start + 100])
            look(config, items)
            done = set(task["done"])
            items[:] = [item for item, name in zip(items, names, strict=True) if name not in done]
            if task["seed"] is not None:
                items.sort(key=drawn(random.Random(task["seed"])))
            if task["reverse"]:
                items.reverse()
            if task["first"]:
                items.sort(key=lambda item: item.nodeid.partition("::")[0] not in task["first"])
            if items:
                with_canaries(items)

        @pytest.hookimpl(tryfirst=True)
        def pytest_sessionfinish(self, session):
            look(session.config, session.items if hasattr(session, "items") else ())

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item, nextitem):
            yield
            same = nextitem is not None and place_of(nextitem) == place_of(item)
            collect_garbage(0 if same else 1)

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self):
            if not task["reverse"]:  # a test may wait for Python's own look, and one of the runs has it
                gc.set_threshold(MOST_OBJECTS, 10, 10)

        def pytest_runtest_logstart(self, nodeid):
            open_reports[nodeid] = ["", "", clock()]
            tell("start", id=known(nodeid))

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_fixture_setup(self):
            yield from watched()

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_runtest_call(self):
            yield from watched()

        def pytest_runtest_logreport(self, report):
            result = open_reports.setdefault(report.nodeid, ["", "", clock()])
            if report.failed:
                result[:2] = "failed" if report.when == "call" else "error", report.longreprtext
            elif report.skipped and not result[0]:
                result[:2] = "error" if blamed(report) else "skipped", skip_reason(report)
            elif report.passed and report.when == "call" and not result[0]:
                result[0] = "passed"

        def pytest_runtest_logfinish(self, nodeid):
            if tracer:
                new, seen = tracer.told()
                tell("entered", id=known(nodeid), new=new, seen=seen)
            status, message, began = open_reports.pop(nodeid)
            tell("end", id=known(nodeid), status=status, message=cut(message), seconds=round(clock() - began, 4))

    def known(nodeid):
        name = nodeid.rpartition("::")[2]
        return name if name in canaries else short(nodeid)

    def script(place, parent):
        where = {"path": place} if paths else {"fspath": place}
        return ScriptFile.from_parent(parent, **where) if str(place) in scripts else None

    class Collecting(Plugin):
        """The hook whose arguments have other names in older versions."""

        if paths:

            @pytest.hookimpl(tryfirst=True)
            def pytest_pycollect_makemodule(self, module_path, parent):
                return script(module_path, parent)

        else:

            @pytest.hookimpl(tryfirst=True)
            def pytest_pycollect_makemodule(self, path, parent):
                return script(path, parent)

    return Collecting()


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


def traced(root, task):
    """What notes the functions that each test enters; `None` where nobody asks."""
    if not task["trace"]:
        return None
    names = {}
    exec(task["tracer"], names)
    return names["Tracer"]({os.path.join(root, path): number for number, path in enumerate(task["trace"])})


def skip_reason(report):
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(getattr(report, "wasxfail", ""))


def cut(text):
    return (
        text
        if len(text) <= LONGEST_MESSAGE
        else text[: LONGEST_MESSAGE // 2] + " … " + text[-LONGEST_MESSAGE // 2 + 3 :]
    )


def short(nodeid):
    if len(nodeid) <= LONGEST_NAME:
        return nodeid
    return nodeid[:LONGEST_NAME] + "…" + hashlib.sha256(nodeid.encode(errors="replace")).hexdigest()[:8]


main()
