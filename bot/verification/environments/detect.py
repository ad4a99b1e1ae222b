"""How a program is set up and tested, guessed from its manifests where the policy is silent."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.verification.environments.manifests import Manifests, mapping, texts
from bot.verification.values import Program

# Manifests and lock files: what decides which packages are installed.
INPUTS = re.compile(
    r"(pyproject\.toml|setup\.(py|cfg)|tox\.ini|Pipfile(\.lock)?|(poetry|uv|pdm)\.lock|\.python-version"
    r"|[\w.-]*(requirements|constraints)[\w.-]*\.(txt|in)|requirements/[\w.-]+\.(txt|in)"
    r"|package(-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|yarn\.lock|pnpm-lock\.yaml"
    r"|go\.(mod|sum|work)|Cargo\.(toml|lock)|rust-toolchain(\.toml)?)"
)
_TEST_NAMES = ("test", "tests", "testing")
_OTHER_NAMES = ("dev", "develop", "development")
_REQUIREMENTS = (
    *("requirements-test.txt", "requirements-tests.txt", "requirements_test.txt", "test-requirements.txt"),
    *("requirements/test.txt", "requirements/tests.txt", "requirements/testing.txt", "tests/requirements.txt"),
    *("requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "requirements/dev.txt"),
)
_NO_TESTS = "no test specified"  # what `npm init` writes
_VERSIONED_BY_GIT = re.compile(r"setuptools[-_]scm|hatch-vcs|versioningit|vcs-versioning|pdm-scm", re.IGNORECASE)
MOST_REQUIREMENTS = 500


@dataclass(frozen=True, slots=True)
class Detected:
    """setup: shell command lines, empty when nothing has to be installed. test: one, empty when nothing was found.

    why: one line for people, e.g. `pytest, detected from pyproject.toml`. python: whether it is a Python program.
    less: the setup without what tests alone need; empty where that is the same.
    """

    setup: tuple[str, ...]
    test: str
    why: str
    python: bool = False
    less: tuple[str, ...] = ()


def detect(program: Program) -> Detected:
    """What the program's manifests say; the first kind that has tests counts, others are named."""
    manifests = Manifests(program)
    found = [kind for kind in (_python(program, manifests), *_others(manifests)) if kind]
    if not found:
        why = "no way to run tests was detected"
    elif len(found) == 1:
        why = found[0].why
    else:
        why = f"{found[0].why} (there is also {', '.join(kind.test for kind in found[1:])})"
    if manifests.unreadable:
        why += f"; {', '.join(dict.fromkeys(manifests.unreadable))} cannot be read"
    return replace(found[0], why=why) if found else Detected((), "", why)


# Python


def _python(program: Program, manifests: Manifests) -> Detected | None:
    project = manifests.toml("pyproject.toml")
    sources = [name for name in ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini") if manifests.has(name)]
    files = [name for name in ("requirements.txt",) if manifests.has(name)]
    files += [name for name in _REQUIREMENTS if manifests.has(name)][:1]  # test requirements often include the others
    if not sources and not files:
        return Detected((), "pytest", "pytest, detected from Python files", True) if _has_python(program) else None
    package = _own_package(project, manifests)
    words = [*package, *(part for name in files for part in ("-r", name)), *_named_requirements(project, manifests)]
    own = ["-e", "."] if package else []
    own += ["-r", "requirements.txt"] if "requirements.txt" in files else []
    pip = f"{_version_variable(project, manifests)}pip install"
    setup = (f"{pip} {shlex.join([*words, 'pytest'])}",) if words else ()
    less = (f"{pip} {shlex.join([*own, 'pytest'])}",) if own and own != words else ()
    why = f"pytest, detected from {', '.join([*sources, *files])}"
    return Detected(setup, "pytest", why, True, less)


def _own_package(project: dict[str, object], manifests: Manifests) -> list[str]:
    """Editable, so that the environment holds no copy of the code and serves every version of it."""
    configured = manifests.ini("setup.cfg")
    installable = manifests.has("setup.py") or "metadata" in configured or "project" in project
    if not installable and "poetry" not in mapping(project, "tool"):
        return []
    extras = {
        **mapping(project, "project", "optional-dependencies"),
        **mapping(project, "tool", "poetry", "extras"),
        **configured.get("options.extras_require", {}),
    }
    wanted = ",".join(_wanted(extras))
    return ["-e", f".[{wanted}]" if wanted else "."]


def _named_requirements(project: dict[str, object], manifests: Manifests) -> list[str]:
    groups = mapping(project, "dependency-groups")
    found = list(grouped(groups, _wanted(groups)))
    poetry = mapping(project, "tool", "poetry")
    for name in _wanted(mapping(poetry, "group")):
        found += mapping(poetry, "group", name, "dependencies")
    found += mapping(poetry, "dev-dependencies")
    found += _tox_requirements(manifests)
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


def _tox_requirements(manifests: Manifests) -> list[str]:
    """What `[testenv]` installs always; lines for single factors or with substitutions are left out."""
    section = manifests.ini("tox.ini").get("testenv", {})
    lines = (line.partition("#")[0].strip() for line in section.get("deps", "").splitlines())
    return [line for line in lines if line and not re.match(r"[\w,!{}-]+:\s", line) and "{" not in line]


def _version_variable(project: dict[str, object], manifests: Manifests) -> str:
    """Packages that ask git for their version would fail: the tree holds no history. Any recent version will do."""
    requires = " ".join(texts(mapping(project, "build-system").get("requires"))) + manifests.text("setup.py")
    name = mapping(project, "project").get("name") or manifests.ini("setup.cfg").get("metadata", {}).get("name")
    if not isinstance(name, str) or not _VERSIONED_BY_GIT.search(requires):
        return ""
    shouted = re.sub(r"[^A-Z0-9]+", "_", name.upper())
    return f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{shouted}=999.0 "


def _wanted(names: Iterable[str]) -> list[str]:
    """Of extras or groups those for tests, else those for development."""
    known = [name for name in names if re.fullmatch(r"[A-Za-z0-9][\w.-]{0,99}", name, re.ASCII)]
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


# Others


def _others(manifests: Manifests) -> Iterator[Detected]:
    package = manifests.json("package.json")
    script = mapping(package, "scripts").get("test")
    if isinstance(script, str) and script.strip() and _NO_TESTS not in script:
        locked = any(manifests.has(name) for name in ("package-lock.json", "npm-shrinkwrap.json"))
        needs = any(mapping(package, key) for key in ("dependencies", "devDependencies")) or "workspaces" in package
        install = ("npm ci" if locked else "npm install --no-package-lock",) if needs else ()
        yield Detected(install, "npm test", "npm test, detected from package.json")
    if manifests.has("go.mod"):
        yield Detected(("go mod download",), "go test ./...", "go test ./..., detected from go.mod")
    if manifests.has("Cargo.toml"):
        fetch = "cargo fetch --locked" if manifests.has("Cargo.lock") else "cargo fetch"
        yield Detected((fetch,), "cargo test", "cargo test, detected from Cargo.toml")
