"""Test files of bare assertions, without any function: each is one test, which is how the script ends."""

# mypy: ignore-errors

import ast
import os

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

PATHS = hasattr(pytest.File, "path")  # before 7.0 files are named by `py.path.local`


def place_of(node):
    return str(node.path if PATHS else node.fspath)


class ScriptFile(pytest.File):
    program = frozenset()  # paths of the program under test

    def collect(self):
        yield Script.from_parent(self, name=os.path.basename(place_of(self)), nodeid=self.nodeid)


class Script(pytest.Item):
    def _traceback_filter(self, excinfo):
        return excinfo.traceback.cut(path=self.path if PATHS else self.fspath)

    def runtest(self):
        place = place_of(self)
        with open(place, "rb") as file:
            source = file.read()
        tree = ast.parse(source, place)
        rewrite_asserts(tree, source, place)
        code = compile(tree, place, "exec", dont_inherit=True)
        try:
            exec(code, {"__name__": "__main__", "__file__": place})
        except SystemExit as ended:
            frame = ended.__traceback__
            while frame:
                if frame.tb_frame.f_code.co_filename in self.parent.program:
                    raise  # it is not the program's to end its test
                frame = frame.tb_next
            if ended.code not in (0, None):
                raise


class Scripts:
    """The hook that collects them; its arguments have other names in older versions of pytest."""

    def __init__(self, root, task):
        self.scripts = {os.path.join(root, path) for path in task["scripts"]}
        ScriptFile.program = frozenset(os.path.join(root, path) for path in task["program"])

    def script(self, place, parent):
        where = {"path": place} if PATHS else {"fspath": place}
        return ScriptFile.from_parent(parent, **where) if str(place) in self.scripts else None

    if PATHS:

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makemodule(self, module_path, parent):
            return self.script(module_path, parent)

    else:

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makemodule(self, path, parent):
            return self.script(path, parent)
