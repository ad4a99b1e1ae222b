"""See to it that what runs the tests is the environment's, whatever lies in the tree."""

# mypy: ignore-errors

import ast
import glob
import hashlib
import marshal
import os
import sys
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


def judged_by_the_environment(task):
    """See to it that what runs the tests is the environment's; further arguments of pytest.

    Modules of the tree are made from their source, for bytecode beside it can say something else. A file that judges is
    never passed over for a compiled module or a package of its name. pytest and its plugins come from where they are
    installed, and a distribution's entry points count only there.
    """
    for name in (*("_pytest." + plugin for plugin in config.default_plugins), "faulthandler", "getpass", "pwd"):
        import_module(name)
    root = os.getcwd() + os.sep
    if not rewrite.__file__.startswith(root):
        rewrite._read_pyc = reader("/env/code/")  # as environments/setup_script.py has it
    installed, kept = installed_plugins(root)
    held = {root + path for path in task["held"]}
    hook = SourceFirst.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceLoader, SOURCE_SUFFIXES))

    def of_the_tree(path):
        if not (path + os.sep).startswith(root):
            raise ImportError
        finder = hook(path)
        finder.held, finder.kept = held, kept
        return finder

    sys.path_hooks.insert(0, of_the_tree)
    for path in [path for path in sys.path_importer_cache if (path + os.sep).startswith(root)]:
        del sys.path_importer_cache[path]
    places = [path for path in task["paths"] if path not in sys.path]
    hooks = pytest_hooks(metadata.distributions(path=places))
    strange = {each.name for _, each in hooks if each.name not in installed}
    return [word for name in sorted(strange) for word in ("-p", "no:" + name)]


def reader(place):
    """What gives pytest the code of a test file that setup made (`code_script.py`): no other than of this very source.
    All that it needs is among its defaults, which are held against what they were."""

    def read(source, _pyc, _trace=None, place=place, digest_of=hashlib.sha256, loads=marshal.loads, opened=open):
        try:
            with (
                opened(source, "rb") as file,
                opened(place + digest_of(str(source).encode() + b"\0" + file.read()).hexdigest(), "rb") as code,
            ):
                return loads(code.read())
        except (OSError, EOFError):
            return None

    return read


def installed_plugins(root):
    """The names of the plugins that are installed, and those of the packages that run tests: none comes of the tree."""
    installed, kept = set(), {"pytest", "_pytest", "pluggy", "iniconfig"}
    for found, each in pytest_hooks(metadata.distributions()):
        if not str(found.locate_file("")).startswith(root[:-1]):
            installed.add(each.name)
            if "file://" not in (found.read_text("direct_url.json") or ""):  # else it is the program itself
                kept.add(each.value.partition(":")[0].partition(".")[0])
    specs = {name: PathFinder.find_spec(name) for name in kept}
    return installed, {name for name, spec in specs.items() if spec and not str(spec.origin).startswith(root)}


def pytest_hooks(distributions):
    some = [found for found in distributions if "pytest11" in (found.read_text("entry_points.txt") or "")]
    return [(found, each) for found in some for each in found.entry_points if each.group == "pytest11"]


class SourceLoader(SourceFileLoader):
    def path_stats(self, path):
        raise OSError  # no time of the source, no bytecode


class SourceFirst(FileFinder):
    """Finds modules in a folder of the tree. held: paths of files that judge. kept: names the tree may not take."""

    def find_spec(self, fullname, target=None):
        if fullname in self.kept:
            return None
        place = os.path.join(self.path, fullname.rpartition(".")[2])
        for path, inside in ((place + "/__init__.py", [place]), (place + ".py", None)):
            if path in self.held:
                loader = SourceLoader(fullname, path)
                return spec_from_file_location(fullname, path, loader=loader, submodule_search_locations=inside)
        return super().find_spec(fullname, target)


def add_packages(venv, root):
    """Put the packages of another environment before those of this one. No code of it runs by itself.

    Its `.pth` files count as plain paths into the tree. What it has linked from there by name (PEP 660) is linked here.
    """
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
