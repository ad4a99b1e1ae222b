"""What decides what a test command does. A change must not redefine the command that judges it.

pytest's own steering is kept out by the run itself (`testing.run`); this is about every other command.
"""

import json
import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from posixpath import normpath

from bot.verification.programs import changed_files, content, source_files
from bot.verification.values import Program, Suite

_WORDS = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_SHELL = frozenset({"", ".sh", ".bash", ".mk"})  # endings; many a script has none
_SCRIPT = _SHELL | {".py", ".js", ".cjs", ".mjs", ".ts"}
_DEEPEST = 4  # from the command to what it reads, to the scripts named there, and to the shell's that these name
_LONGEST = 200_000  # bytes of a file that are read

# Manifests that say what a build needs (go.mod, Cargo.toml) are left out: code that needs more could not be built.
_STEERS = re.compile(
    r"(?:GNU)?[Mm]akefile|.*\.mk|[Jj]ustfile|[Tt]askfile\.ya?ml|[Rr]akefile|noxfile\.py|tox\.ini|tox\.toml|setup\.cfg|"
    r"package\.json|\.npmrc|\.yarnrc.*|\.pnpmfile\.cjs|pnpm-workspace\.yaml|\.pnp\..*|\.env|\.env\..*|"
    r"\.mocharc\..*|\.nycrc.*|\.c8rc.*|\.taprc|\.babelrc.*|\.swcrc|(?:ts|js)config(?:\..*)?\.json|deno\.jsonc?|bunfig\.toml|"
    r"(?:jest|vitest|vite|karma|ava|jasmine|playwright|cypress|babel|webpack|rollup)\.(?:conf|config|preset|setup|workspace)\..*|"
    r"(?:jest|vitest)[.-]setup\..*|setup-?[Tt]ests?\.[jt]sx?|go\.work(?:\.sum)?|rust-toolchain(?:\.toml)?|nextest\.toml|"
    r"conftest\.py|pytest\.ini|phpunit\.xml.*|composer\.json|\.rspec|dart_test\.yaml|.*\.runsettings|testng\.xml|"
    r"xunit\.runner\.json|junit-platform\.properties"
)

# What says how a program is built says which tests there are, as well.
_BUILDS = re.compile(
    r"pom\.xml|.*\.gradle(?:\.kts)?|gradle\.properties|mvnw|gradlew|build\.xml|build\.sbt|project\.clj|deps\.edn|"
    r".*\.(?:cs|fs|vb)proj|.*\.slnx?|Directory\.(?:Build|Packages)\..*|global\.json|mix\.exs|rebar\.config|Package\.swift|"
    r"CMakeLists\.txt|.*\.cmake|CMakePresets\.json|meson(?:_options)?\.(?:build|txt)|meson\.options|Cargo\.toml|build\.rs|"
    r"BUILD|WORKSPACE|MODULE\.bazel|.*\.bazel|.*\.bzl|BUCK|SConstruct|SConscript|wscript|configure(?:\.ac)?|Makefile\.(?:am|in)|"
    r"pubspec\.yaml|Gemfile|dune(?:-project)?|.*\.cabal|stack\.yaml|build\.zig|.*\.gemspec"
)
_BUILD_FOLDERS = re.compile(r"(?:^|/)(?:buildSrc|build-logic|gradle|\.mvn)/")

# Folders of scripts: what one there loads from such a folder is a part of it, and no product.
_OF_SCRIPTS = frozenset({"script", "scripts", "ci", ".ci", "hack", "tasks", ".github"})
_REQUIRED = re.compile(
    r"\b(?:require|import)\s{0,9}\(?\s{0,9}['\"](\.[^'\"\n]{1,200})['\"]|\bfrom\s{1,9}['\"](\.[^'\"\n]{1,200})['\"]"
)
_IMPORTED = re.compile(r"^[ \t]{0,40}import[ \t]{1,9}([\w., \t]{1,300})", re.M)
_FROM = re.compile(r"^[ \t]{0,40}from[ \t]{1,9}\.?([\w.]{0,200})[ \t]{1,9}import[ \t]{1,9}\(?([\w., \t]{1,300})", re.M)
_MODULES = ("", ".py", ".js", ".cjs", ".mjs", ".ts", "/index.js", "/__init__.py")

_CARGO = (".cargo/config.toml", ".cargo/config")
# Keys of `package.json` under which test tools name files that they load.
_TOOLS = ("scripts", "jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "babel", "ts-node")


def as_before(program: Program, base: Program, suite: Suite) -> Program:
    """The program with the base's version of whatever says what the suite's command does; pytest's needs nothing."""
    if suite.command is None:
        return program
    kept = {path: content(base, path) for path in changed_files(base, program) if steers(path, suite.command)}
    return replace(program, files={**program.files, **kept}) if kept else program


def steers(path: str, command: tuple[str, ...]) -> bool:
    """Whether the file may say what the command does."""
    return path in _named(command) or bool(_STEERS.fullmatch(PurePosixPath(path).name)) or path.endswith(_CARGO)


def builds(path: str, command: tuple[str, ...]) -> bool:
    """Whether the file may say which tests a command runs by saying how the program is built, where nobody sees which
    ran: the command counts as one test, and ends well with none."""
    if any("{report:" in word or "{junit}" in word for word in command):
        return False
    return bool(_BUILDS.fullmatch(PurePosixPath(path).name) or _BUILD_FOLDERS.search(path))


def reached(base: Program, command: tuple[str, ...]) -> frozenset[str]:
    """The files of the base's that a command runs: those that it names, and those that what says what it does names."""
    files = {*source_files(base.tree), *base.files}
    seen: set[str] = set()
    front = [path for path in files if steers(path, command)]
    for depth in range(_DEEPEST):
        seen.update(front)
        words = {word.strip("./") for path in front for word in _WORDS.findall(_commands(base, path))}
        loaded = {each for path in front for each in _loaded(base, path, files)}
        follow = _SHELL if depth else _SCRIPT  # what a script names beside scripts is what it works on
        front = [word for word in sorted(words & files - seen) if PurePosixPath(word).suffix in follow]
        front.extend(sorted(loaded - seen))
    return frozenset(seen)


def beside_scripts(path: str, scripts: Collection[str]) -> bool:
    """Whether a file would lie in a folder of scripts that a command reaches, where one of them might load it."""
    pure = PurePosixPath(path)
    if pure.suffix in ("", ".md", ".txt") or not _of_scripts(pure):
        return False
    folders = {PurePosixPath(script).parent for script in scripts if _of_scripts(PurePosixPath(script))}
    return not folders.isdisjoint(pure.parents)


def _of_scripts(path: PurePosixPath) -> bool:
    return not _OF_SCRIPTS.isdisjoint(path.parent.parts)


def _loaded(base: Program, script: str, files: Collection[str]) -> frozenset[str]:
    """The modules in folders of scripts that a script in such a folder loads by a path or by their name."""
    pure = PurePosixPath(script)
    if not _of_scripts(pure) or pure.suffix in _SHELL:
        return frozenset()
    text = (content(base, script) or b"")[:_LONGEST].decode(errors="replace")
    named = (
        _python_names(text) if pure.suffix == ".py" else (next(filter(None, each)) for each in _REQUIRED.findall(text))
    )
    paths = {normpath(f"{pure.parent}/{name}") for name in named}
    found = (each for path in paths for each in (path + end for end in _MODULES) if each in files)
    return frozenset(each for each in found if _of_scripts(PurePosixPath(each)))


def _python_names(text: str) -> Iterator[str]:
    """What a Python script imports, as paths from its own folder: each module, and the packages above it."""
    for listed in _IMPORTED.findall(text):
        for name in listed.split(","):
            yield from _with_packages((name.split() or [""])[0])
    for module, listed in _FROM.findall(text):
        yield from _with_packages(module)
        yield from ("/".join([*module.split("."), (name.split() or [""])[0]]).lstrip("/") for name in listed.split(","))


def _with_packages(dotted: str) -> Iterator[str]:
    parts = dotted.split(".") if dotted else []
    yield from ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))


def _commands(base: Program, path: str) -> str:
    """What a file has run. `package.json` names the program's own files besides."""
    text = (content(base, path) or b"")[:_LONGEST].decode(errors="replace")
    if PurePosixPath(path).name != "package.json":
        return text
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(told, dict) or "scripts" not in told:
        return text
    return "\n".join(_texts([told[key] for key in _TOOLS if key in told]))


def _texts(told: object) -> Iterator[str]:
    """All texts in it, however deep; keys aside."""
    front = [told]
    while front:
        each = front.pop()
        if isinstance(each, str):
            yield each
        front.extend(each.values() if isinstance(each, dict) else each if isinstance(each, list) else [])


def _named(command: tuple[str, ...]) -> frozenset[str]:
    """The files that a command line may name: scripts of the repository."""
    try:
        words = [part for word in command for part in shlex.split(word)]
    except ValueError:
        words = [part for word in command for part in word.split()]
    return frozenset(str(PurePosixPath(word)) for word in words)
