"""How a Python program is set up: its package, what its tests need wherever that is said, and what it pins."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.verification.environments.manifests import PINS, Detected, Manifests, mapping, texts
from bot.verification.environments.plugins import installed, plugins
from bot.verification.environments.requirements import compiled_from, has_hashes, pins, unpinned, without_pin
from bot.verification.values import Program

_TEST_NAMES = ("test", "tests", "testing")
_OTHER_NAMES = ("dev", "develop", "development")
_REQUIREMENTS = (
    *("requirements-test.txt", "requirements-tests.txt", "requirements_test.txt", "test-requirements.txt"),
    *("test_requirements.txt", "requirements-testing.txt", "requirements.test.txt", "testing-requirements.txt"),
    *("requirements/test.txt", "requirements/tests.txt", "requirements/testing.txt", "tests/requirements.txt"),
    *("test/requirements.txt", "testing/requirements.txt", "requirements/ci.txt", "requirements-ci.txt"),
    *("requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "dev_requirements.txt"),
    *("requirements/dev.txt", "requirements/develop.txt", "requirements/development.txt", "requirements.dev.txt"),
)
_CONSTRAINTS = ("constraints.txt", "requirements/constraints.txt")
_ENVIRONMENTS = ("test", "tests", "testing", "hatch-test", "default")  # of hatch
_VERSIONED_BY_GIT = re.compile(r"setuptools[-_]scm|hatch-vcs|versioningit|vcs-versioning|pdm-scm", re.IGNORECASE)
_WITHOUT_NAME = "SETUPTOOLS_SCM_PRETEND_VERSION=999.0 PDM_BUILD_SCM_VERSION=999.0 "  # these builders tell no name
_QUOTED_NAME = re.compile(r"""["'](tests?|testing|dev|develop|development)["'](?:\s{0,9}:|\]\s{0,9}=)""")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
MOST_REQUIREMENTS = 500


@dataclass(slots=True)
class _Needs:
    """What tests need. extras: of the package itself. files: of requirements. named: requirements."""

    extras: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)


def detect_python(program: Program, manifests: Manifests) -> Detected | None:
    """`None` where it is no Python program."""
    project = manifests.toml("pyproject.toml")
    sources = [
        name for name in ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile") if manifests.has(name)
    ]
    own_files = [name for name in ("requirements.txt",) if manifests.has(name)]
    more_files = [name for name in _REQUIREMENTS if manifests.has(name)][:1]  # they often include the others
    if not sources and not own_files and not more_files:
        return Detected((), "pytest", "pytest, detected from Python files", True) if _has_python(program) else None
    needs = _needs(project, manifests)
    package = _own_package(project, manifests, needs.extras)
    files = list(dict.fromkeys([*own_files, *more_files, *needs.files]))
    named = _usable([*needs.named, *plugins(project, manifests)])
    lock, pinned = pins(manifests)
    limits = [name for name in _CONSTRAINTS if manifests.has(name)][:1]
    pip = f"{_version_variable(project, manifests)}pip install"

    def line(*words: str) -> str:
        return f"{pip} {shlex.join([*words, 'pytest'])}"

    hashed = [name for name in files if has_hashes(manifests, name)]
    plain = [name for name in files if name not in hashed]
    words = [*package, *_each("-r", plain), *named]
    held = [*_each("-c", limits), *(["-c", PINS] if pinned else [])]
    setup = tuple(f"pip install -r {shlex.quote(name)}" for name in hashed)
    setup += (line(*held, *words),) if words or setup else ()
    free = [*package, *_unpinned(manifests, files), *map(without_pin, named)]
    loose = (line(*free),) if words and (held or hashed or free != words) else ()
    own = [*package[:1], *(["."] if package else []), *_each("-r", own_files)]
    less = (line(*own),) if own and (hashed or own != words) else ()
    names = [*sources, *files, *limits, *([lock] if pinned else [])]
    return Detected(setup, "pytest", f"pytest, detected from {', '.join(names)}", True, less, loose, pinned)


def _each(option: str, names: Iterable[str]) -> list[str]:
    return [word for name in names for word in (option, name)]


def _unpinned(manifests: Manifests, files: list[str]) -> list[str]:
    """The files, except for those that pin: what those were made from, or their names."""
    words: list[str] = []
    for name in files:
        source, names = compiled_from(manifests, name), unpinned(manifests, name)
        words += ["-r", source] if source else names if names is not None else ["-r", name]
    return words[:MOST_REQUIREMENTS]


def _own_package(project: dict[str, object], manifests: Manifests, more: list[str]) -> list[str]:
    """Editable, so that the environment holds no copy of the code and serves every version of it."""
    configured = manifests.ini("setup.cfg")
    installable = manifests.has("setup.py") or "metadata" in configured or "project" in project
    if not installable and "poetry" not in mapping(project, "tool"):
        return []
    extras = [
        *mapping(project, "project", "optional-dependencies"),
        *mapping(project, "tool", "poetry", "extras"),
        *configured.get("options.extras_require", {}),
        *_QUOTED_NAME.findall(manifests.text("setup.py")),
    ]
    wanted = ",".join(dict.fromkeys([*_wanted(extras), *more]))
    return ["-e", f".[{wanted}]" if wanted else "."]


def _needs(project: dict[str, object], manifests: Manifests) -> _Needs:
    needs = _Needs()
    groups = mapping(project, "dependency-groups")
    needs.named += grouped(groups, _wanted(groups))
    poetry = mapping(project, "tool", "poetry")
    for name in _wanted(mapping(poetry, "group")):
        needs.named += mapping(poetry, "group", name, "dependencies")
    needs.named += mapping(poetry, "dev-dependencies")
    pdm = mapping(project, "tool", "pdm", "dev-dependencies")
    needs.named += grouped(pdm, _wanted(pdm))
    pipfile = manifests.toml("Pipfile")
    needs.named += [*mapping(pipfile, "packages"), *mapping(pipfile, "dev-packages")]
    _of_tox(manifests, groups, needs)
    _of_hatch(project, manifests, needs)
    _of_nox(manifests, groups, needs)
    return needs


def _usable(found: Iterable[str]) -> list[str]:
    usable = [_from_an_index(item) for item in found if not item.strip().startswith("-") and item.strip() != "python"]
    return list(dict.fromkeys(filter(None, usable)))[:MOST_REQUIREMENTS]


def _from_an_index(requirement: str) -> str:
    """Setup reaches nothing but indexes: of a requirement from elsewhere its name is left, where it tells one."""
    name = requirement.partition("@")[0] if "://" in requirement else requirement
    return "" if "://" in name else name.strip()


def grouped(groups: Mapping[str, object], wanted: list[str]) -> Iterator[str]:
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


def _of_tox(manifests: Manifests, groups: dict[str, object], needs: _Needs) -> None:
    """What `[testenv]` installs always; lines for single factors or with substitutions are left out."""
    section = manifests.ini("tox.ini").get("testenv", {})
    for raw in section.get("deps", "").splitlines():
        line = re.sub(r"\{tox(inidir|_root)\}/?", "", raw.partition("#")[0].strip())
        if line.startswith("-r"):
            name = line[2:].lstrip("= ").removeprefix("./")
            needs.files += [name] if manifests.has(name) else []
        elif line and not re.match(r"[\w,!{}-]+:\s", line) and "{" not in line:
            needs.named.append(line)
    needs.extras += _listed(section.get("extras", ""))
    needs.named += grouped(groups, _listed(section.get("dependency_groups", "")))


def _listed(text: str) -> list[str]:
    """Names of a list in `tox.ini`, of a substitution its default."""
    plain = re.sub(r"\{env:\w{1,99}:([\w,.-]{0,99})\}", r"\1", text)
    return [name for name in re.split(r"[\s,]+", plain) if _NAME.fullmatch(name)]


def _of_hatch(project: dict[str, object], manifests: Manifests, needs: _Needs) -> None:
    environments = mapping(project, "tool", "hatch", "envs") or mapping(manifests.toml("hatch.toml"), "envs")
    for name in _ENVIRONMENTS:
        if environment := mapping(environments, name):
            needs.named += [*texts(environment.get("dependencies")), *texts(environment.get("extra-dependencies"))]
            needs.extras += [each for each in texts(environment.get("features")) if _NAME.fullmatch(each)]


def _of_nox(manifests: Manifests, groups: dict[str, object], needs: _Needs) -> None:
    """What its sessions of tests install."""
    found = installed(manifests.text("noxfile.py"))
    named: dict[str, list[str]] = {kind: [name for each, name in found if each == kind] for kind, _ in found}
    needs.files += [name for name in named.get("file", ()) if manifests.has(name)]
    needs.extras += [name for name in named.get("extra", ()) if _NAME.fullmatch(name)]
    needs.named += [*named.get("requirement", ()), *grouped(groups, named.get("group", []))]


def _version_variable(project: dict[str, object], manifests: Manifests) -> str:
    """Packages that ask git for their version would fail: the tree holds no history. Any recent version will do."""
    requires = " ".join(texts(mapping(project, "build-system").get("requires"))) + manifests.text("setup.py")
    name = mapping(project, "project").get("name") or manifests.ini("setup.cfg").get("metadata", {}).get("name")
    if not isinstance(name, str) or not _VERSIONED_BY_GIT.search(requires):
        return ""
    shouted = re.sub(r"[^A-Z0-9]+", "_", name.upper())
    own = f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{shouted}=999.0 "
    return own + (_WITHOUT_NAME if re.search("hatch-vcs|pdm", requires, re.IGNORECASE) else "")


def _wanted(names: Iterable[str]) -> list[str]:
    """Of extras or groups those for tests, else those for development."""
    known = [name for name in names if _NAME.fullmatch(name)]
    return [name for name in known if name.lower() in _TEST_NAMES] or [
        name for name in known if name.lower() in _OTHER_NAMES
    ]


def _has_python(program: Program) -> bool:
    """Python files at the top or in a directory of tests; not a search of the whole tree."""
    if any(path.endswith(".py") and text is not None for path, text in program.files.items()):
        return True
    places = [program.tree / part for part in (".", "tests", "test", "src")] if program.tree else []
    return any(name.endswith(".py") for place in places for name in _names(place))


def _names(directory: Path) -> list[str]:
    try:
        return [path.name for path in directory.iterdir()]
    except OSError:
        return []
