"""What the program changed in the process that judges it: functions are compared before and after."""

# mypy: ignore-errors

import builtins
import math
import operator
import os
import sys
import types
import unittest.case
from importlib import import_module

# Modules of Python's that tests lean on: with another `json.loads`, what a test expects is what the program gives.
TESTS_LEAN_ON = (
    "copy",
    "datetime",
    "decimal",
    "fractions",
    "io",
    "json",
    "json.decoder",
    "json.encoder",
    "os",
    "pathlib",
    "random",
    "re",
)
# Modules of Python's that have functions for others to set.
FOR_OTHERS = frozenset(("asyncio", "logging", "sys", "threading", "warnings"))
STEPS = frozenset(("runtest", "setup", "teardown", "repr_failure"))  # of a test, where it has one of its own


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
NO_OBJECTS = (type, types.ModuleType, *FUNCTIONS)


def parts(function):
    """By which a function can be changed while it stays the same one."""
    if type(function) is not types.FunctionType:
        return {}
    return {"code": function.__code__, "defaults": function.__defaults__, "words": function.__kwdefaults__}


def identical(names, before):
    return names.keys() == before.keys() and all(names[name] is each for name, each in before.items())


class Originals:
    """The functions of the built-in modules, of those that tests lean on and of the runner, as they were before any
    strange code ran."""

    def __init__(self):
        names = [name for name in sys.modules if name.partition(".")[0] in ("_pytest", "pluggy", "pytest")]
        modules = [builtins, math, operator, unittest.case, *(sys.modules[name] for name in sorted(names))]
        modules += [module for module in map(import_module, TESTS_LEAN_ON) if module not in modules]
        self.objects = []
        self.seen = [(module.__name__, vars(module), self.functions(vars(module))) for module in modules]
        for module in modules:
            for name, value in list(vars(module).items()):
                if isinstance(value, type) and value.__module__ == module.__name__ and module is not builtins:
                    self.seen.append((module.__name__ + "." + name, vars(value), self.functions(vars(value))))
                elif module.__name__ in TESTS_LEAN_ON and name[:2] != "__" and not isinstance(value, NO_OBJECTS):
                    self.objects.append((module.__name__ + "." + name, value, self.called(value)))

    @staticmethod
    def functions(names):
        kinds = (*FUNCTIONS, type, staticmethod, classmethod, property)
        return {name: (value, parts(value)) for name, value in names.items() if isinstance(value, kinds)}

    @staticmethod
    def called(value):
        """What of an object's own, or of a table's, can be called."""
        names = value if type(value) is dict else getattr(value, "__dict__", None)
        return {name: each for name, each in names.items() if callable(each)} if type(names) is dict else {}

    def replaced(self):
        own = [value for value in vars(sys.modules.get("_pytest.legacypath", sys)).values() if callable(value)]
        return [
            owner + "." + name
            for owner, names, before in self.seen
            for name, (value, made) in before.items()
            if names.get(name) is not value or not identical(parts(value), made)
            if not any(names.get(name) is each for each in own)  # pytest's own patches of itself
        ] + [name for name, value, before in self.objects if not identical(self.called(value), before)]


class Intruders:
    """What the program put into its judge: functions in the place of others, hooks, tracers, importers, tests' bodies.

    Some suites do that themselves, so what is told here is held against what the base's own run told.
    """

    def __init__(self, root, own, config):
        self.originals = Originals()
        self.root, self.own = root + os.sep, own
        self.getters = (sys.gettrace, sys.getprofile)
        self.method = type(config.pluginmanager)._hookexec

    def found(self, config):
        yield from self.originals.replaced()
        yield from self.strange_functions()
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

    def strange_functions(self):
        """Of Python's modules, whenever they were loaded."""
        known = getattr(sys, "stdlib_module_names", frozenset()) - FOR_OTHERS
        for module, loaded in list(sys.modules.items()):
            if type(module) is not str or module.partition(".")[0] not in known or type(loaded) is not types.ModuleType:
                continue
            names = vars(loaded)
            for name, value in () if str(names.get("__file__")).startswith(self.root) else list(names.items()):
                if isinstance(value, (*FUNCTIONS, type)) and self.is_strange(value):
                    yield module + "." + name
                elif isinstance(value, type) and vars(value).get("__module__") == module:
                    for inner, method in list(vars(value).items()):
                        if isinstance(method, (*FUNCTIONS, staticmethod, classmethod)) and self.is_strange(method):
                            yield module + "." + name + "." + inner

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
