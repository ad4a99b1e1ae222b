"""How a Python program is set up: its package, what its tests need wherever that is said, and what it pins."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from bot.changes.readers import Rows, beside
from bot.verification.environments.manifests import PYTHON, Detected, Manifests, mapping, texts
from bot.verification.environments.pins_script import LOCKS
from bot.verification.environments.setup_script import PINS
from bot.verification.values import Program


class _Table(Rows):
    """What `python.toml` says."""

    tests: str
    development: str
    requirements: str
    valued: str


_TABLE = beside(__file__, _Table)
_SOURCES = (
    ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile"),
    ("requirements.txt",),
    _TABLE.requirements.split(),
    ("constraints.txt", "requirements/constraints.txt"),
)
_QUOTED_NAME = re.compile(r"""["'](tests?|testing|dev|develop|development)["'](?:\s{0,9}:|\]\s{0,9}=)""")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
MOST_REQUIREMENTS = 500
# What they do is read, so they are not needed beside the tests, where they would bring packages of their own.
_READ = frozenset(("tox", "nox", "hatch", "poetry", "pdm", "uv", "pipenv", "pip"))
_OF_AN_INDEX = re.compile(r"[A-Za-z0-9][\w.-]{0,99}\s{0,9}(?:[\[<>=!~;@]|$)", re.ASCII)
_WITH_VALUE = re.compile(r"^(?:(--(?:requirement|constraint|editable|with|only|extras?|[\w-]*group))=|(-[rce])(?=\S))")
_ONLY_NAMED = {"--no-dev", "--no-default-groups", "--no-default", "--only-group", "--only", "--prod", "-G"}
_PLACE = re.compile(r"(\.{0,2}[\w./-]*)(?:\[([\w.,\s-]{1,200})\])?", re.ASCII)


@dataclass(slots=True)
class Needs:
    """What tests need. extras: of the package in this folder, groups: of its dependencies. files: of requirements,
    limits: of constraints. named: requirements. places: packages of other folders. package: the one of this folder."""

    extras: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    package: bool = False

    def join(self, other: "Needs") -> None:
        """Need what another needs as well."""
        for name in ("extras", "files", "named", "groups", "places", "limits"):
            getattr(self, name).extend(getattr(other, name))
        self.package |= other.package

    def ask(self, word: str) -> None:
        """Of an index, or of a folder with its extras, as pip is told."""
        if not word.startswith((".", "/", "file://")) and ("/" not in word or "://" in word):
            self.named += [word] if _OF_AN_INDEX.match(word) else []
            return
        if word.startswith("file://"):  # as `pwd` of a shell has it
            word = "".join((".", *word.partition("[")[1:]))
        found = _PLACE.fullmatch(word.removeprefix("/work").lstrip("/") if word.startswith("/work") else word)
        path, said = (found[1].removeprefix("./").rstrip("/"), found[2] or "") if found else (word, "")
        if path in ("", ".") or path.startswith("dist/"):
            self.package = True
            self.extras += filter(_NAME.fullmatch, map(str.strip, said.split(",")))
        elif found:
            self.places.append(f"{path}[{said}]" if said else path)


def install_lines(manifests: Manifests, needs: Needs) -> tuple[str, ...]:
    """The command lines that install it, run in the folder of the manifests, as a lock file there has it."""
    project = manifests.toml("pyproject.toml")
    named = _usable([*needs.named, *of_groups(groups_of(manifests), needs.groups)])
    extras = ",".join(dict.fromkeys(needs.extras))
    described = "project" in project or "poetry" in mapping(project, "tool") or manifests.has("setup.py")
    described = described or "metadata" in manifests.ini("setup.cfg")
    package = ["-e", f".[{extras}]" if extras else "."] if needs.package and described else []
    package += _each("-e", dict.fromkeys([*needs.places, *(_beside(project, manifests) if package else [])]))
    files = [name for name in dict.fromkeys(needs.files) if manifests.has(name)]
    hashed = [name for name in files if "--hash=" in manifests.text(name)]  # pip wants one of all beside
    words = [*package, *_each("-r", [name for name in files if name not in hashed]), *named]
    limits = filter(manifests.has, dict.fromkeys(needs.limits))
    held = _each("-c", [*limits, *([PINS] if any(map(manifests.has, LOCKS)) else [])])
    lines = [f"pip install -r {shlex.quote(name)}" for name in hashed]
    return (*lines, *([f"pip install {shlex.join([*held, *words])}"] if words else []))


OF_DEVELOPMENT = "dev-dependencies"  # where a tool has them in one list without a name


def groups_of(manifests: Manifests) -> dict[str, Any]:
    """The groups of dependencies of any tool, by name."""
    project, pipfile = manifests.toml("pyproject.toml"), manifests.toml("Pipfile")
    poetry, pdm, uv = (mapping(project, "tool", name) for name in ("poetry", "pdm", "uv"))
    hatch = hatch_environments(manifests)
    of_hatch = {name: [*texts(mapping(hatch, name).get("dependencies"))] for name in hatch}
    plain = [*mapping(poetry, OF_DEVELOPMENT), *texts(uv.get(OF_DEVELOPMENT)), *of_hatch.pop("default", ())]
    return {
        **of_hatch,
        **mapping(project, "dependency-groups"),
        **mapping(pdm, OF_DEVELOPMENT),
        **{name: list(mapping(poetry, "group", name, "dependencies")) for name in mapping(poetry, "group")},
        OF_DEVELOPMENT: [*plain, *mapping(pipfile, "packages"), *mapping(pipfile, "dev-packages")],
    }


def hatch_environments(manifests: Manifests) -> dict[str, Any]:
    project = manifests.toml("pyproject.toml")
    return mapping(project, "tool", "hatch", "envs") or mapping(manifests.toml("hatch.toml"), "envs")


def _beside(project: dict[str, object], manifests: Manifests) -> list[str]:
    """Folders of the repository that uv takes packages from, not an index."""
    sources = mapping(project, "tool", "uv", "sources")
    paths = [path for name in sources if isinstance(path := mapping(sources, name).get("path"), str)]
    return [path for path in paths if manifests.has(f"{path}/pyproject.toml")]


def detect_python(program: Program, manifests: Manifests) -> Detected | None:
    """`None` where it is no Python program."""
    sources, files, limits = _files(manifests)
    if not sources and not files:
        bare = Detected((), "pytest", "pytest, detected from Python files", PYTHON)
        return bare if _has_python(program, manifests) else None
    needs = needs_of_tests(manifests)
    setup = install_lines(manifests, needs)
    if setup:
        needs.named.append("pytest")
        setup = install_lines(manifests, needs)
    names = [*sources, *files, *limits, *filter(manifests.has, LOCKS)]
    django, variables = _django(manifests), tox_variables(manifests)
    test, called = (DJANGO_TESTS, "manage.py test") if django else ("pytest", "pytest")
    variables |= {"DJANGO_SETTINGS_MODULE": django} if django else {}
    why = f"{called}, detected from {', '.join(names)}"
    return Detected(setup, test, why, PYTHON, variables=tuple(variables.items()))


def _files(manifests: Manifests) -> tuple[list[str], list[str], list[str]]:
    """Manifests, files of requirements, and of constraints."""
    sources, own, more, limits = (list(filter(manifests.has, names)) for names in _SOURCES)
    return sources, [*own, *more[:1]], limits[:1]  # files of requirements often include the others


_LONGEST_OF_TOX = 100_000  # characters


def needs_of_tests(manifests: Manifests) -> Needs:
    """What a package and its tests need, wherever that is said."""
    project, groups = manifests.toml("pyproject.toml"), groups_of(manifests)
    _, files, limits = _files(manifests)
    django = ["pytest-django"] if _django(manifests) else []
    named = [*of_groups(groups, [*_wanted(groups), OF_DEVELOPMENT]), *django]
    extras = [*mapping(project, "project", "optional-dependencies"), *mapping(project, "tool", "poetry", "extras")]
    extras += manifests.ini("setup.cfg").get("options.extras_require", {})
    extras += _QUOTED_NAME.findall(manifests.text("setup.py"))
    needs = Needs(_wanted(extras), files, named, limits=limits, package=True)
    known = {_name(each) for each in named}
    for line in _of_tox(manifests, "deps"):
        if line[0] == "-" or _name(line) not in known:
            with suppress(ValueError):  # a quotation mark that nothing ends
                words = shlex.split(line.replace("'", '"')) if line[0] == "-" else [line]
                needs.join(needs_said(manifests, ["pip", "install", *words]))
    needs.extras += " ".join(_of_tox(manifests, "extras")).replace(",", " ").split()
    return needs


def needs_said(manifests: Manifests, words: Sequence[str]) -> Needs:
    """What an installer installs that is called by these words: of extras, groups and files those that they name, with
    what it takes unasked. Its other options decide nothing here."""
    tool, project, groups = words[0], manifests.toml("pyproject.toml"), groups_of(manifests)
    own, by_pip = mapping(project, "tool", tool), tool in ("pip", "pip3") or words[1:2] == ["pip"]
    extras = [*mapping(project, "project", "optional-dependencies"), *mapping(own, "extras")]
    needs = Needs(package=not by_pip and tool != "pipenv")
    said = [part for word in words for part in _WITH_VALUE.sub(r"\1\2\n", word).split("\n", 1)]
    if by_pip or _ONLY_NAMED & {*said}:
        pass
    elif tool in ("uv", "pipenv"):
        more = own.get("default-groups", ["dev"])
        needs.groups = [*groups] if more == "all" else [OF_DEVELOPMENT, *texts(more)]
    else:
        needs.groups = [name for name in groups if not mapping(own, "group", name).get("optional")]
    whole = {":all", "-G:all"} & {*words}
    needs.extras += extras if whole or "--all-extras" in words else ()
    needs.groups += groups if whole or "--all-groups" in words else ()
    for before, word in pairwise(said[said.index("install") if by_pip and "install" in said else 0 :]):
        names = [] if word[:1] == "-" or before in _TABLE.valued.split() else word.replace(",", " ").split()
        if before in ("-c", "--constraint"):
            needs.limits.append(word)
        elif names and manifests.has(word):
            needs.files.append(word)
        elif before[:1] == "-" and not {*groups, *extras}.isdisjoint(names):
            needs.groups += filter(groups.__contains__, names)
            needs.extras += filter(extras.__contains__, names)
        elif (
            names
            and (by_pip or (tool, before) == ("uv", "--with"))
            and not (_name(word) in _READ or _name(word).startswith("tox-"))
        ):
            needs.ask(word)
    return needs


def _name(requirement: str) -> str:
    found = _NAME.match(requirement)
    return found[0].lower().replace("_", "-") if found else ""


def _of_tox(manifests: Manifests, key: str) -> Iterator[str]:
    """The lines that all environments of tox have under a key, as its INI file says; what only some have is left
    out."""
    sections = manifests.ini("tox.ini")
    text = sections.get("testenv", {}).get(key, "")
    for name, section in sections.items():  # whose lines are said to stand here
        text = text.replace(f"{{[{name}]{key}}}", section.get(key, ""))[:_LONGEST_OF_TOX]
    for root in ("{toxinidir}", "{tox_root}"):
        text = text.replace(f"{root}/", "").replace(root, ".")
    for line in text.splitlines():
        plain = line.partition(" #")[0].strip()
        if plain and plain[0] != "#" and not re.search(r"[{}]|^[\w!.,-]+:\s", plain):
            yield plain


def tox_variables(manifests: Manifests) -> dict[str, str]:
    """Those that tox sets for all environments."""
    said = (map(str.strip, line.split("=", 1)) for line in _of_tox(manifests, "setenv") if "=" in line)
    return {name: value for name, value in said if name.isidentifier()}


def _django(manifests: Manifests) -> str:
    """The settings of a program whose tests `manage.py` runs; empty where it is none, or pytest knows them."""
    files = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
    known = any("DJANGO_SETTINGS_MODULE" in manifests.text(name) for name in files)
    return "" if known else django_settings(manifests.text("manage.py"))


DJANGO_TESTS = "pytest -o 'python_files=test*.py'"  # what `manage.py test` finds


def django_settings(source: str) -> str:
    """The module of settings that a `manage.py` names; empty where it names none."""
    found = re.search(r"""DJANGO_SETTINGS_MODULE["']\s*,\s*["']([\w.]+)["']""", source)
    return found[1] if found else ""


def _each(option: str, names: Iterable[str]) -> list[str]:
    return [word for name in names for word in (option, name)]


def _usable(found: Iterable[str]) -> list[str]:
    """Setup reaches nothing but indexes: of a requirement from elsewhere its name is left, where it tells one."""
    plain = (item.strip() for item in found)
    named = (item.partition("@")[0] if "://" in item else item for item in plain if item[:1] != "-")
    names = (name.strip() for name in named if name != "python" and "://" not in name)
    return list(dict.fromkeys(filter(None, names)))[:MOST_REQUIREMENTS]


def of_groups(groups: Mapping[str, object], wanted: list[str]) -> Iterator[str]:
    """The requirements of dependency groups and of those they include (PEP 735), each group once and none forever."""
    waiting, seen = wanted[::-1], set[str]()
    while waiting:
        name = waiting.pop()
        group = groups.get(name) if name not in seen else None
        seen.add(name)
        items = group if isinstance(group, list) else []
        yield from (item for item in items if isinstance(item, str))
        included = [item.get("include-group") for item in items if isinstance(item, dict)]
        waiting += [other for other in reversed(included) if isinstance(other, str)]


def _wanted(names: Iterable[str]) -> list[str]:
    """Of extras or groups those for tests, else those for development."""
    known = [name for name in names if _NAME.fullmatch(name)]
    chosen = ([name for name in known if name.lower() in each.split()] for each in (_TABLE.tests, _TABLE.development))
    return next(filter(None, chosen), [])


def _has_python(program: Program, manifests: Manifests) -> bool:
    """Python files at the top or in a directory of tests; not a search of the whole tree."""
    laid = [path for path, text in program.files.items() if text is not None]
    both, places = dict.fromkeys((manifests, manifests.root)), ("", "tests", "test", "src")
    near = (name for each in both for place in places for name in each.names(place))
    return any(name.endswith(".py") for name in (*laid, *near))
