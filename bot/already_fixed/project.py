"""What a repository's tree says of how it is imported and called. Read from files alone; raises nothing."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bot.already_fixed.reading import python
from bot.already_fixed.values import words
from bot.verification.environments.manifests import Manifests, mapping
from bot.verification.programs import content
from bot.verification.values import Program

_NOT_PACKAGES = frozenset(words("project")["beside"])
_COMMAND = re.compile(r"['\"]\s*([A-Za-z][\w.-]{0,60})\s*=\s*[\w.]{1,200}:[\w.]{1,100}")
_DEFINED = re.compile(r"^(?:class|def) (\w{1,80})|^(\w{1,40}(?:, ?\w{1,40}){0,40}) = ", re.M)
_MOST = 200_000  # characters of a manifest
_MOST_MODULES = 100  # that are read for a package's names
_MOST_FILES = 5000  # that are counted of one package
_PLACES = ("", "src", "lib", "python")


@dataclass(frozen=True, slots=True)
class Project:
    """What is known of the project. packages: names it is imported by. commands: its console commands.

    package: the one that people import, as far as that can be told. names: what it offers; at a prompt they often stand
        alone. modules: what each public module below that package defines; where single files lie side by side at the
        top, none of them is the package's: what each of them offers. imported: its name in other languages, by which
        their programs import it. files: what lies at the top and one folder below, as paths.
    """

    packages: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()
    package: str = ""
    names: frozenset[str] = frozenset()
    modules: Mapping[str, frozenset[str]] = field(default_factory=dict)
    imported: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    @property
    def offered(self) -> dict[str, frozenset[str]]:
        side_by_side = {module: names for module, names in self.modules.items() if "." not in module}
        return side_by_side or {self.package: self.names}

    def bringing(self, names: Collection[str]) -> tuple[str, ...]:
        """Imports of what the package holds by these names, and from the modules that define the others: each time the
        one nearest the top, if only one is."""
        below = {module.split(".")[1] for module in self.modules if "." in module} & set(names)
        left = set(names) - below
        lines = [f"from {self.package} import {', '.join(sorted(below))}"] if below else []
        while left:
            most = max((len(left & offers) for offers in self.modules.values()), default=0)
            holding = [module for module, offers in self.modules.items() if most and len(left & offers) == most]
            holding.sort(key=lambda module: module.count("."))
            if not holding or (len(holding) > 1 and holding[0].count(".") == holding[1].count(".")):
                return ()
            chosen = left & self.modules[holding[0]]
            lines.append(f"from {holding[0]} import {', '.join(sorted(chosen))}")
            left -= chosen
        return tuple(lines)


UNKNOWN = Project()


def project_of(tree: Path) -> Project:
    """Packages and modules at the top of the tree or of its source directory, and console commands of its manifests."""
    packages: dict[str, int] = {}  # with the number of their files
    for place in _PLACES:
        for path in _entries(tree / place):
            name = path.stem if path.suffix == ".py" else path.name
            if not name.isidentifier() or name in _NOT_PACKAGES or path.is_symlink():
                continue
            if path.suffix == ".py" or (path / "__init__.py").is_file():
                packages[name] = 1 if path.suffix == ".py" else sum(1 for _ in islice(path.rglob("*.py"), _MOST_FILES))
    public = sorted((name for name in packages if not name.startswith(("_", "test"))), key=lambda name: packages[name])
    package = public[-1] if public else ""
    flat = len(public) > 1 and packages[package] == 1
    names = _offered(tree, package) if package and not flat else frozenset()
    modules = {name: _offered(tree, name) for name in public} if flat else _modules(tree, package) if package else {}
    found = (path for place in (tree, *_entries(tree)) for path in _entries(place) if path.is_file())
    files = frozenset(path.relative_to(tree).as_posix() for path in islice(found, _MOST_FILES))
    own = frozenset(packages), frozenset(_commands(tree)), package, names, modules
    return Project(*own, frozenset(_imported(tree)), files)


def holds(tree: Path, name: str) -> bool:
    """Whether a package or module of that name lies where `project_of` looks for them. name: may be any text."""
    places = [tree / place / name for place in _PLACES] if name.isidentifier() else []
    return any(path.with_suffix(".py").is_file() or (path / "__init__.py").is_file() for path in places)


def _offered(tree: Path, package: str) -> frozenset[str]:
    """The names that `from PACKAGE import *` brings, as far as its source says; star imports inside are followed."""
    found: set[str] = set()
    waiting = [tree / place / package for place in _PLACES]
    for place in islice(waiting, _MOST_MODULES):  # it grows
        path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        text = _text(path)
        module = python.tree_of(text, longest=_MOST)
        for node in module.body if module else ():
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.names[0].name == "*" and node.module:
                further = path.parent.joinpath(*node.module.split("."))
                waiting += [further] if further not in waiting else []
        found |= python.defined(text, longest=_MOST)
    return frozenset(name for name in found if not name.startswith("_"))


def _modules(tree: Path, package: str) -> dict[str, frozenset[str]]:
    """The names that each public module below the package defines at its top, as far as its lines look so."""
    found: dict[str, frozenset[str]] = {}
    root = next((tree / place / package for place in _PLACES if (tree / place / package).is_dir()), tree / package)
    for path in islice(root.rglob("*.py"), _MOST_FILES):
        parts = path.relative_to(root.parent).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        public = (not part.startswith(("_", "test")) and part not in _NOT_PACKAGES for part in parts[1:])
        if len(parts) == 1 or not all(public):
            continue
        bound = ",".join(line[1] or line[2] for line in _DEFINED.finditer(_text(path)))
        names = map(str.strip, bound.split(","))
        found[".".join(parts)] = frozenset(name for name in names if name and not name.startswith("_"))
    return found


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())[:2000] if directory.is_dir() and not directory.is_symlink() else []
    except OSError:
        return []


def _commands(tree: Path) -> set[str]:
    found: set[str] = set()
    manifests = Manifests(Program(tree, {}))
    table = manifests.toml("pyproject.toml")
    for section in (mapping(table, "project"), mapping(table, "tool", "poetry")):
        found |= mapping(section, "scripts").keys()
    lines = manifests.ini("setup.cfg").get("options.entry_points", {}).get("console_scripts", "")
    found |= {name.strip() for line in lines.splitlines() if (name := line.partition("=")[0]).strip()}
    found |= set(_COMMAND.findall(_text(tree / "setup.py")))
    return {name for name in found if re.fullmatch(r"[A-Za-z][\w.-]{0,60}", name) and name not in ("python", "python3")}


def _imported(tree: Path) -> Iterator[str]:
    """What `package.json` and `go.mod` at the top call it."""
    manifests = Manifests(Program(tree, {}))
    yield str(manifests.json("package.json").get("name") or "")
    for line in manifests.text("go.mod").splitlines():
        if line.startswith("module "):
            yield line.removeprefix("module ").strip().strip('"')


def _text(path: Path) -> str:
    found = content(Program(path.parent, {}), path.name)
    return (found or b"").decode("utf-8", "replace")[:_MOST]
