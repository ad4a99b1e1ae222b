"""What a project's CI installs and runs for its tests: its jobs' lines, and what stands behind the names in them."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.verification.environments.ci import named, node
from bot.verification.environments.ci.named import Recipe
from bot.verification.environments.ci.noxfile import of_nox
from bot.verification.environments.ci.scripts import ScriptCommand, ScriptPlace, commands, path_from
from bot.verification.environments.manifests import PYTHON, SCRIPT, Manifests, mapping
from bot.verification.environments.python import DJANGO_TESTS, Needs, django_settings, grouped
from bot.verification.testing.tools import TEST_TOOLS, with_reporter

DEEPEST = 8  # names that stand for names
_LANGUAGES = {"go": "go", "cargo": "rust"}


@dataclass(frozen=True, slots=True)
class Installs:
    """needs: of Python, from a folder. line: any other, as a shell runs it. needed: an installer's; others may fail."""

    folder: str
    line: str = ""
    needs: Needs | None = None
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Tests:
    """A test command: `line` in `place`. language: of its tool. told: the tool tells of each test."""

    line: str
    place: ScriptPlace
    language: str
    told: bool = True


Item = Installs | Tests
# Programs that run another: the options that take a word of their own.
_WRAPPERS: Mapping[tuple[str, ...], str] = {
    ("uv", "run"): "--group --extra --with --python -p --no-group --only-group --package --with-requirements --env-file"
    " --directory --project --with-editable --index-url --resolution",
    ("poetry", "run"): "",
    ("pdm", "run"): "-p",
    ("pipenv", "run"): "",
    ("rye", "run"): "",
    ("pixi", "run"): "-e --environment --manifest-path",
    ("pipx", "run"): "--spec --python",
    ("uvx",): "--with --from --python -p --index-url",
    ("uv", "tool", "run"): "--with --from --python -p",
    ("coverage", "run"): "--source --rcfile --omit --include --data-file --context --concurrency",
    ("micromamba", "run"): "-n --name",
    ("conda", "run"): "-n --name",
    ("xvfb-run",): "-s --server-args -n -e -f",
    ("dbus-run-session",): "",
    ("time",): "",
    ("env",): "-u",
    ("sudo",): "-u",
    ("npx",): "-p --package",
    ("pnpm", "exec"): "",
    ("yarn", "exec"): "",
    ("cross-env",): "",
    ("c8",): "-r --reporter",
    ("nyc",): "-r --reporter",
    ("retry",): "",
    ("timeout",): "-s -k",
    ("slipcover",): "",
}
MAKEFILES = ("Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile")
_TABLES: dict[tuple[str, ...], tuple[str, str]] = {
    ("pdm", "run"): ("pdm", "scripts"),
    ("rye", "run"): ("rye", "scripts"),
    ("pixi", "run"): ("pixi", "tasks"),
}
_RUNNER = re.compile(r"(?:run_?)?tests?(?:_?runner)?\.py")
_BRANCHES = re.compile(r"(?m)^[ \t]*(?:if|elif|else|then|fi)\b.*$")
_MODULE = re.compile(r"-[A-Zbs]*m")  # of Python, perhaps behind other options
_SHELLS = ("sh", "bash", "dash")
_MODULES = (
    "pytest",
    "unittest",
    "pip",
    "tox",
    "nox",
    "coverage",
    "hatch",
    "poetry",
    "pdm",
    "django",
    "invoke",
    "slipcover",
    "uv",
    "py.test",
)


class PlanReader:
    """Reads scripts of one project. tools: package managers that CI asks for, `NAME@VERSION`."""

    def __init__(self, manifests: Manifests, tools: Sequence[str] = ()) -> None:
        self._root, self._tools = manifests, tools

    def read(self, script: str, place: ScriptPlace) -> Iterator[Item]:
        """What a script installs and tests, in its order."""
        if place.depth > DEEPEST:
            return
        for command in commands(script, place):
            if not command.words:
                yield from self._opaque(command)
            else:
                yield from self._read(command, command.words)

    def _opaque(self, command: ScriptCommand) -> Iterator[Item]:
        """The first test command in any branch of it; else all of it as it is."""
        plain = _BRANCHES.sub("", command.text)
        inner = self.read(plain, _deeper(command.place)) if plain != command.text else iter(())
        found = next((item for item in inner if isinstance(item, Tests)), None)
        yield found or Installs(command.place.folder, _in_place(command), needed=False)

    def _read(self, command: ScriptCommand, words: Sequence[str]) -> Iterator[Item]:
        place = command.place
        here = self._root.inside(place.folder)
        words, needs, place = self._inner(list(words), place)
        if needs:
            yield Installs(place.folder, needs=needs)
        if not words:
            return
        program, rest = words[0].rpartition("/")[2] if "/bin/" in words[0] else words[0], words[1:]
        if tests := self._tests(program, rest, place, here):
            yield from tests
        elif program in _READERS:
            yield from _READERS[program](self, command, rest, place)
        elif text := self._shell_script(words, here):
            yield from self.read(text, _deeper(place))
        else:
            yield Installs(place.folder, _in_place(command), needed=False)

    def _inner(self, words: list[str], place: ScriptPlace) -> tuple[list[str], Needs | None, ScriptPlace]:
        """The command that others run, and what those install before."""
        needs: Needs | None = None
        for _ in range(DEEPEST):
            if re.fullmatch(r"python[\d.]*|py", words[0]) if words else False:
                rest = words[1:]
                while rest and rest[0].startswith("-") and not _MODULE.fullmatch(rest[0]):
                    rest = rest[2:] if rest[0] in ("-W", "-X") else rest[1:]
                if len(rest) < 2 or not _MODULE.fullmatch(rest[0]) or rest[1] not in _MODULES:
                    return words, needs, place
                words = rest[1:]
            wrapper = next((each for each in _WRAPPERS if tuple(words[: len(each)]) == each), None)
            if wrapper is None or len(words) == len(wrapper):
                return words, needs, place
            table = _TABLES.get(wrapper)
            options, words = _options(words[len(wrapper) :], _WRAPPERS[wrapper].split())
            if wrapper == ("uv", "run") and "--no-sync" not in options:
                needs = _uv(self._root.inside(place.folder), options)
            for option, value in pairwise(options):
                if option in ("--directory", "--project"):
                    place = replace(place, folder=path_from(place.folder, value))
            if wrapper == ("timeout",):
                words = words[1:]
            while words and (found := re.fullmatch(r"([A-Za-z_]\w*)=(.*)", words[0])):
                place = replace(place, variables={**place.variables, found[1]: found[2]})
                words = words[1:]
            if wrapper == ("coverage", "run") and "-m" not in options and words:
                words = ["python", *words]
            if table and words:
                return ["script", *table, *words], needs, place
        return words, needs, place

    def _tests(self, program: str, rest: Sequence[str], place: ScriptPlace, here: Manifests) -> list[Item]:
        """The test command, where this is one."""
        if program in ("pytest", "py.test", "nosetests"):
            return [Tests(shlex.join(["pytest", *rest]), place, PYTHON)]
        if program == "unittest":
            return [Tests(_of_unittest(rest), place, PYTHON)]
        django = _of_django(program, rest, here)
        if django:
            line, settings = django
            found = (
                replace(place, variables={"DJANGO_SETTINGS_MODULE": settings, **place.variables}) if settings else place
            )
            return [Installs(place.folder, needs=Needs(named=["pytest-django"])), Tests(line, found, PYTHON)]
        if program in ("python", "python3") and list(rest[:2]) == ["setup.py", "test"]:
            return [Tests("pytest", place, PYTHON)]
        script = next((word for word in rest if not word.startswith("-") and word.endswith(".py")), "")
        if program in ("python", "python3") and _RUNNER.fullmatch(script.rpartition("/")[2]):
            return [Tests(shlex.join([program, *rest]), place, PYTHON, told=False)]
        if program == "gotestsum":
            program, rest = "go", ["test", *(rest[list(rest).index("--") + 1 :] if "--" in rest else ["./..."])]
        if program == "cargo" and list(rest[:2]) == ["nextest", "run"]:
            rest = ["test", *rest[2:]]
        words = [program, *rest]
        if with_reporter(words) and program in {tool.begins[0] for tool in TEST_TOOLS}:
            return [Tests(shlex.join(words), place, _LANGUAGES.get(program, SCRIPT))]
        return []

    def _shell_script(self, words: Sequence[str], here: Manifests) -> str:
        """The text of a shell script of the repository's own."""
        named = [word for word in words if not word.startswith("-")]
        path = named[1] if named[:1] and named[0] in _SHELLS and len(named) > 1 else named[0] if named else ""
        for manifests in (here, self._root):
            inside = path.removeprefix("./").removeprefix("/work/")
            text = manifests.text(inside) if "/" in path or path.endswith(".sh") else ""
            if text and (path.endswith(".sh") or re.match(r"#!.{0,40}\b(?:ba|da)?sh\b", text)):
                return re.sub(r'\$\{?@\}?|"\$@"|"\$\{@[^}]*\}"', "", re.sub(r"(?m)^\s*set .*$", "", text))
        return ""

    def _all(self, names: Sequence[Recipe], place: ScriptPlace) -> Iterator[Item]:
        for each in names:
            inner = ScriptPlace(
                path_from(place.folder, each.folder or "."), {**place.variables, **each.variables}, place.depth + 1
            )
            if each.needs:
                yield Installs(place.folder, needs=each.needs)
            for line in each.commands:
                yield from self.read(line, inner)

    def _one_of(self, groups: Iterator[tuple[Recipe, ...]], place: ScriptPlace) -> Iterator[Item]:
        """The first of them that runs tests; those that are named all the same."""
        for names in groups:
            found = list(self._all(names, place))
            if any(isinstance(item, Tests) for item in found):
                yield from found
                return

    # What the programs mean, by their name: (command, its words behind the name, place)

    def _pip(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        if rest[:1] != ["install"]:
            return
        needs = Needs()
        if needs.add(*rest[1:]):
            yield Installs(place.folder, needs=needs)
        else:
            line = shlex.join(["pip", *(word for word in rest if word not in ("--system", "--user"))])
            yield Installs(
                place.folder,
                _cd(place.folder) + re.sub(r"(?<=\s)'?(?<!-e )(\.(?:\[[\w,.-]+\])?)'?(?=\s|$)", r"-e '\1'", line),
            )

    def _uv(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        if rest[:1] == ["pip"]:
            yield from self._pip(command, rest[1:], place)
        elif rest[:1] == ["sync"]:
            yield Installs(place.folder, needs=_uv(self._root.inside(place.folder), rest[1:]))

    def _poetry(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        if rest[:1] in (["install"], ["sync"]):
            yield Installs(place.folder, needs=_poetry(self._root.inside(place.folder), rest[1:]))

    def _pdm(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        if rest[:1] in (["install"], ["sync"]):
            yield Installs(place.folder, needs=_pdm(self._root.inside(place.folder), rest[1:]))
        elif rest:
            yield from self._table(command, ["pdm", "scripts", *rest], place)

    def _pipenv(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        if rest[:1] in (["install"], ["sync"]):
            pipfile = self._root.inside(place.folder).toml("Pipfile")
            named = [*mapping(pipfile, "packages"), *mapping(pipfile, "dev-packages")]
            yield Installs(place.folder, needs=Needs(named=named))

    def _tox(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        groups = named.of_tox(self._root.inside(place.folder), rest, place.variables)
        yield from self._one_of(groups, place)

    def _nox(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        text = self._root.inside(place.folder).text("noxfile.py")
        yield from self._one_of(of_nox(text, rest), place)

    def _hatch(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        here = self._root.inside(place.folder)
        found = named.of_hatch(here.toml("pyproject.toml"), here, rest)
        yield from self._all([found] if found else [], place)

    def _make(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        rest = list(rest)
        if "-C" in rest[:-1]:
            at = rest.index("-C")
            place, rest = replace(place, folder=path_from(place.folder, rest[at + 1])), [*rest[:at], *rest[at + 2 :]]
        here = self._root.inside(place.folder)
        files = MAKEFILES[3:] if command.words[:1] == ("just",) else MAKEFILES[:3]
        text = next((here.text(name) for name in files if here.has(name)), "")
        found = named.of_make(text, rest)
        if not found.commands:
            yield Installs(command.place.folder, _in_place(command), needed=False)
        yield from self._all([found], place)

    def _task(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        table = {"poe": "poe", "poethepoet": "poe", "task": "taskipy"}.get(command.words[-1 - len(rest)], "poe")
        yield from self._table(command, [table, "tasks", *rest], place)

    def _table(self, command: ScriptCommand, words: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        """`TOOL TABLE NAME …`: a script of `pyproject.toml`, or else the command itself."""
        tool, table, *rest = words
        scripts = mapping(self._root.inside(place.folder).toml("pyproject.toml"), "tool", tool, table)
        found = named.of_table(scripts, rest[0]) if rest else None
        if found:
            yield from self._all([found], place)
        elif rest and rest[0] not in _READERS:
            yield from self._read(replace(command, place=_deeper(place)), rest)

    def _node(self, command: ScriptCommand, rest: Sequence[str], place: ScriptPlace) -> Iterator[Item]:
        """npm, pnpm, yarn and what runs scripts in the packages of a workspace."""
        here, words = self._root.inside(place.folder), list(rest)
        while words and words[0] in ("-C", "--dir", "--cwd", "--prefix") and len(words) > 1:
            place, words = replace(place, folder=path_from(place.folder, words[1])), words[2:]
            here = self._root.inside(place.folder)
        program = command.words[0]
        plain = [word for word in words if not word.startswith("-")]
        verb = plain[0] if plain else ""
        if verb in ("install", "i", "ci", "clean-install") or (program == "yarn" and not plain):
            if not {"-g", "--global"} & set(words):
                yield Installs(
                    place.folder, _cd(place.folder) + node.install_line(here, (program, *words), self._tools)
                )
            return
        everywhere = bool({"-r", "--recursive", "--workspaces", "-ws", "--filter", "-F"} & set(words)) or any(
            word.startswith(("--filter=", "-w", "--workspace")) for word in words
        )
        if program in ("turbo", "lerna", "nx", "wireit") or verb in ("workspaces", "workspace"):
            everywhere = True
        scripts = mapping(here.json("package.json"), "scripts")
        name = next(
            (word for word in plain if word not in ("run", "run-script", "foreach", "workspaces", "run-many")), ""
        )
        name = {"t": "test", "tst": "test"}.get(name, name)
        if everywhere:
            yield from self._in_packages(plain, place, here)
        elif isinstance(script := scripts.get(name), str):
            yield from self._script(script, name, words, place, scripts)
        elif program in ("pnpm", "yarn") and words and verb not in ("run",):
            yield from self._read(replace(command, words=tuple(words), place=_deeper(place)), words)

    def _script(
        self, script: str, name: str, words: Sequence[str], place: ScriptPlace, scripts: Mapping[str, object]
    ) -> Iterator[Item]:
        found = list(self.read(script, _deeper(place)))
        tests = [item for item in found if isinstance(item, Tests)]
        here = [item for item in tests if item.place.folder == place.folder]
        elsewhere = [item for item in tests if item.place.folder != place.folder]
        if here or (name.split(":")[0] == "test" and not tests):
            more = list(words)[list(words).index("--") :] if "--" in words else []
            line, language = shlex.join(["npm", "run", name, *more]), here[0].language if here else SCRIPT
            yield Tests(line, place, language, told=bool(here))
        yield from elsewhere
        if not tests and name.split(":")[0] != "test":
            yield Installs(place.folder, f"{_cd(place.folder)}npm run {shlex.quote(name)}", needed=False)

    def _in_packages(self, plain: Sequence[str], place: ScriptPlace, here: Manifests) -> Iterator[Item]:
        for folder in node.packages(here):
            inner = path_from(place.folder, folder)
            scripts = mapping(self._root.inside(inner).json("package.json"), "scripts")
            name = next((word for word in plain if word in scripts and word.split(":")[0] == "test"), "")
            if name and isinstance(script := scripts[name], str):
                yield from self._script(script, name, (), ScriptPlace(inner, place.variables, place.depth + 1), scripts)


def _options(words: list[str], with_value: Sequence[str]) -> tuple[list[str], list[str]]:
    """The options at the begin, and the rest."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] in ("--", "-m"):
            return words[: at + 1], ["python", "-m", *words[at + 1 :]] if words[at] == "-m" else words[at + 1 :]
        at += 2 if words[at] in with_value else 1
    return words[:at], words[at:]


def _values(words: Sequence[str], *names: str) -> list[str]:
    """What options are given, those with commas apart."""
    found = [words[at + 1] for at, word in enumerate(words[:-1]) if word in names]
    found += [word.partition("=")[2] for word in words if word.partition("=")[0] in names and "=" in word]
    return [each for value in found for each in value.split(",") if each]


def _uv(manifests: Manifests, words: Sequence[str]) -> Needs:
    project = manifests.toml("pyproject.toml")
    groups = list(mapping(project, "dependency-groups"))
    default = mapping(project, "tool", "uv").get("default-groups", ["dev"])
    default = groups if default == "all" else default if isinstance(default, list) else []
    only = _values(words, "--only-group")
    chosen = (
        groups if "--all-groups" in words else [] if "--no-dev" in words or "--no-default-groups" in words else default
    )
    chosen = only or [*chosen, *_values(words, "--group")]
    extras = (
        list(mapping(project, "project", "optional-dependencies"))
        if "--all-extras" in words
        else _values(words, "--extra")
    )
    dev = mapping(project, "tool", "uv").get("dev-dependencies")
    more = [each for each in dev if isinstance(each, str)] if isinstance(dev, list) and not only else []
    left = set(_values(words, "--no-group"))
    needs = Needs(
        extras,
        groups=[each for each in chosen if each not in left],
        package=not only and "--no-install-project" not in words,
    )
    needs.named += [*more, *_values(words, "--with")]
    needs.files += _values(words, "--with-requirements")
    return needs


def _poetry(manifests: Manifests, words: Sequence[str]) -> Needs:
    project = manifests.toml("pyproject.toml")
    poetry = mapping(project, "tool", "poetry")
    groups = mapping(poetry, "group")
    known = [*groups, *mapping(project, "dependency-groups")]
    optional = [name for name in groups if mapping(groups, name).get("optional") is True]
    chosen = _values(words, "--only") or [each for each in known if each not in optional] + _values(words, "--with")
    chosen = known if "--all-groups" in words else [each for each in chosen if each not in _values(words, "--without")]
    every = [*mapping(poetry, "extras"), *mapping(project, "project", "optional-dependencies")]
    extras = (
        every
        if "--all-extras" in words
        else [each for value in _values(words, "-E", "--extras") for each in value.split()]
    )
    needs = Needs(
        extras, groups=[each for each in chosen if each not in groups], package="--no-root" not in words or True
    )
    needs.named += [item for name in chosen for item in mapping(groups, name, "dependencies")]
    needs.named += mapping(poetry, "dev-dependencies") if "--no-dev" not in words else []
    return needs


def _pdm(manifests: Manifests, words: Sequence[str]) -> Needs:
    project = manifests.toml("pyproject.toml")
    old = mapping(project, "tool", "pdm", "dev-dependencies")
    groups, extras = mapping(project, "dependency-groups"), mapping(project, "project", "optional-dependencies")
    asked = _values(words, "-G", "--group", "-dG", "--with")
    everything = ":all" in asked or "-G:all" in words
    dev = not {"--prod", "--no-default", "--production"} & set(words)
    chosen = [each for each in (*groups, *old) if dev and (everything or not asked or each in asked)]
    needs = Needs(
        [each for each in extras if everything or each in asked],
        groups=[each for each in chosen if each in groups],
        package=True,
    )
    needs.named += grouped(old, [each for each in chosen if each in old])
    return needs


def _of_unittest(rest: Sequence[str]) -> str:
    """As pytest runs it: the folder that is discovered, or files of the modules that are named."""
    start = _values(rest, "-s", "--start-directory")
    pattern = _values(rest, "-p", "--pattern") or ["test*.py"]
    words = [
        word for word in rest if not word.startswith("-") and word not in (*start, *pattern, *_values(rest, "-t", "-k"))
    ]
    if words[:1] == ["discover"]:
        start, words = start or words[1:2], []
    files = [word if word.endswith(".py") or "/" in word else word.replace(".", "/") for word in words]
    return shlex.join(["pytest", "-o", f"python_files={pattern[0]}", *([] if start == ["."] else start), *files])


def _of_django(program: str, rest: Sequence[str], here: Manifests) -> tuple[str, str] | None:
    """`manage.py test` as pytest runs it, and the module of its settings."""
    path = next((word for word in rest[:1] if word.endswith("manage.py")), "") if program.startswith("python") else ""
    path = program if program.endswith("manage.py") else path
    rest = rest[1:] if path and path != program else rest
    if (not path and program not in ("django", "django-admin")) or list(rest[:1]) != ["test"]:
        return None
    settings = _values(rest, "--settings")
    found = django_settings(here.text(path)) if path else ""
    labels = [word for word in rest[1:] if not word.startswith("-") and word not in settings]
    places = [each.replace(".", "/") if here.names(each.split(".")[0]) else each for each in labels]
    return f"{DJANGO_TESTS} {shlex.join(places)}".strip(), settings[0] if settings else found


def _deeper(place: ScriptPlace) -> ScriptPlace:
    return replace(place, depth=place.depth + 1)


def _cd(folder: str) -> str:
    return f"cd {shlex.quote(folder)} && " if folder else ""


def _in_place(command: ScriptCommand) -> str:
    return _cd(command.place.folder) + command.text


_READERS: dict[str, Callable[[PlanReader, ScriptCommand, Sequence[str], ScriptPlace], Iterator[Item]]] = {
    **dict.fromkeys(("pip", "pip3"), PlanReader._pip),
    "uv": PlanReader._uv,
    "poetry": PlanReader._poetry,
    "pdm": PlanReader._pdm,
    "pipenv": PlanReader._pipenv,
    "tox": PlanReader._tox,
    "nox": PlanReader._nox,
    "hatch": PlanReader._hatch,
    **dict.fromkeys(("make", "gmake", "just"), PlanReader._make),
    **dict.fromkeys(("poe", "poethepoet", "task"), PlanReader._task),
    "script": PlanReader._table,
    **dict.fromkeys(("npm", "pnpm", "yarn", "turbo", "lerna", "nx"), PlanReader._node),
    **dict.fromkeys(("pipx", "npx", "corepack", "codecov"), lambda *_: iter(())),
}
