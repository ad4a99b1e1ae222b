"""What a project's CI installs and runs for its tests: its jobs' lines, and what stands behind the names in them."""

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.changes.kinds import is_test_by_path
from bot.changes.wrappers import inner_command
from bot.verification.environments.ci import node
from bot.verification.environments.ci.named import Recipe, of_hatch, of_make, values
from bot.verification.environments.ci.scripts import ScriptPlace, commands, path_from, with_variable
from bot.verification.environments.manifests import BY_EXIT, PERL, PYTHON, SCRIPT, SHELL, Manifests, cd
from bot.verification.environments.python import (
    DJANGO_TESTS,
    Needs,
    django_settings,
    needs_of_tests,
    needs_said,
    tox_variables,
)
from bot.verification.testing.tools import with_reporter

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
    """A test command: `line` in `place`. language: of its tool. told: the tool tells of each test. also: languages of
    other tools that it runs. beside: a program of the repository's own, which belongs to the tests that a job has
    beside it."""

    line: str
    place: ScriptPlace
    language: str
    told: bool = True
    also: tuple[str, ...] = ()
    beside: bool = False


Item = Installs | Tests
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_RUNNER = re.compile(r"(?:run[_-]?)?tests?(?:_?runner)?\.(?:py|sh)")
_OF_TESTS = re.compile(r"\bc?py\d*\b|test|unit|\b3\.\d")  # in the name of an environment of tox, a session of nox
_SHELLS = frozenset(("sh", "bash", "dash"))
_EVERYWHERE = ("--recursive", "--workspace", "-w", "--filter")


class PlanReader:
    """Reads scripts of one project."""

    def __init__(self, manifests: Manifests) -> None:
        self._root = manifests

    def read(self, script: str, place: ScriptPlace) -> Iterator[Item]:
        """What a script installs and tests, in its order."""
        if place.depth > DEEPEST:
            return
        for command in commands(script, place):
            whole = Installs(command.place.folder, cd(command.place.folder) + command.text, needed=False)
            if command.words:
                yield from self._read(command.words, command.place, whole)
            else:
                yield whole

    def languages(self, line: str, folder: str = "") -> tuple[str, ...]:
        """Those whose tests a command line runs; none where it runs what nobody can look through."""
        items = list(self.read(line, ScriptPlace(folder)))
        known = all(each.told if isinstance(each, Tests) else each.needed for each in items)
        tests = [each for each in items if isinstance(each, Tests)]
        return tuple(dict.fromkeys(name for each in tests for name in (each.language, *each.also))) if known else ()

    def _read(self, written: Sequence[str], place: ScriptPlace, whole: Installs) -> Iterator[Item]:
        """whole: the command, where nothing more is known of it."""
        words, needs, place = self._inner(list(written), place)
        here = self._root.inside(place.folder)
        if needs:
            yield Installs(place.folder, needs=needs)
        if not words:
            return
        if words[0].endswith(".py"):
            words.insert(0, "python")
        words[0] = words[0].rpartition("/")[2] if "/bin/" in words[0] else words[0]
        if tests := self._tests(words[0], words[1:], place, here):
            yield from tests
        elif words[0] in _READERS:
            yield from _READERS[words[0]](self, words, place, whole)
        elif text := self._shell_script(words, here):
            items = list(self.read(text, _deeper(place)))
            yield from items
            if not any(isinstance(item, Tests) for item in items) and _of_tests(_script(words), place):
                yield Tests(_for_shell(words), place, SHELL, told=False)
        else:
            yield whole

    def _inner(self, words: list[str], place: ScriptPlace) -> tuple[list[str], Needs | None, ScriptPlace]:
        """The command that others run, and what those install before."""
        needs: Needs | None = None
        for _ in range(DEEPEST):
            while words and (there := with_variable(words[0], place)):
                place, words = there, words[1:]
            inner = words if words[:1] == ["hatch"] else list(inner_command(tuple(words)))
            if len(inner) in (0, len(words)):
                break
            before = words[: len(words) - len(inner)]
            if before[:2] == ["uv", "run"] and "--no-sync" not in before and "UV_NO_SYNC" not in place.variables:
                needs = needs_said(self._root.inside(place.folder), before)
            for folder in values(before, "--directory", "--project"):
                place = replace(place, folder=path_from(place.folder, folder))
            words = inner
        return words, needs, place

    def _tests(self, program: str, rest: Sequence[str], place: ScriptPlace, here: Manifests) -> list[Item]:
        """The test command, where this is one."""
        if program in ("pytest", "py.test", "nosetests"):  # the last one's options are others
            own = [word for word in rest if program != "nosetests" or not word.startswith("-")]
            return [Tests(shlex.join(["pytest", *own]), place, PYTHON)]
        if program in ("tox", "nox"):
            named = values(rest, "-e", "--env", "-s", "--session")
            named = named or [value for name, value in place.variables.items() if name in ("TOXENV", "NOXSESSION")]
            there = replace(place, variables={**tox_variables(here), **place.variables})
            if named and not any(map(_OF_TESTS.search, named)):
                return []
            return [Installs(there.folder, needs=needs_of_tests(here)), Tests("pytest", there, PYTHON)]
        if program == "unittest":
            return [Tests(_of_unittest(rest, here), place, PYTHON)]
        if program == "doctest":  # beside pytest, which would read the examples of all modules that it is led to
            return [Tests(shlex.join(["python", "-m", program, *rest]), place, SHELL, told=False)]
        if django := _of_django([program, *rest], here):
            line, settings = django
            known = {"DJANGO_SETTINGS_MODULE": settings} if settings else {}
            there = replace(place, variables={**known, **place.variables})
            return [Installs(place.folder, needs=Needs(named=["pytest-django"])), Tests(line, there, PYTHON)]
        if program in ("python", "python3"):
            script = next((word for word in rest if not word.startswith("-") and word.endswith(".py")), "")
            if script == "setup.py" and "test" in rest:
                return [Tests("pytest", place, PYTHON)]
            if _RUNNER.fullmatch(script.rpartition("/")[2]):
                return [Tests(shlex.join([program, *rest]), place, PYTHON, told=False)]
        if program == "prove":
            return [Tests(_for_shell([program, *rest]), place, PERL, told=False)]
        if program == "gotestsum":
            program, rest = "go", ["test", *(rest[list(rest).index("--") + 1 :] if "--" in rest else ["./..."])]
        if program == "cargo" and list(rest[:2]) == ["nextest", "run"]:
            rest = ["test", *rest[2:]]
        words = [program, *rest]
        return [Tests(shlex.join(words), place, _LANGUAGES.get(program, SCRIPT))] if with_reporter(words) else []

    def _shell_script(self, words: Sequence[str], here: Manifests) -> str:
        """The text of a shell script of the repository's own."""
        path = _script(words)
        for manifests in (here, self._root):
            inside = path.removeprefix("./").removeprefix("/work/")
            text = manifests.text(inside) if "/" in path or path.endswith(".sh") else ""
            first = text.partition("\n")[0].replace("/", " ").split()
            if text and (path.endswith(".sh") or (first[:1] == ["#!"] and not _SHELLS.isdisjoint(first))):
                return text
        return ""

    def _all(self, names: Sequence[Recipe], place: ScriptPlace) -> Iterator[Item]:
        for each in names:
            inner = ScriptPlace(place.folder, {**place.variables, **each.variables}, place.depth + 1)
            if each.needs:
                yield Installs(place.folder, needs=each.needs)
            for line in each.commands:
                yield from self.read(line, inner)

    # What the programs mean, by their name: (its words, place, the whole command)

    def _installer(self, words: Sequence[str], place: ScriptPlace, _whole: Installs) -> Iterator[Item]:
        """pip, uv, Poetry, PDM and Pipenv."""
        if words[1:2] in (["install"], ["sync"], ["pip"]):
            yield Installs(place.folder, needs=needs_said(self._root.inside(place.folder), words))

    def _hatch(self, words: Sequence[str], place: ScriptPlace, _whole: Installs) -> Iterator[Item]:
        found = list(self._all(of_hatch(self._root.inside(place.folder), words[1:]), place))
        yield from found if any(isinstance(item, Tests) for item in found) else ()

    def _make(self, words: Sequence[str], place: ScriptPlace, whole: Installs) -> Iterator[Item]:
        place, rest = _elsewhere(words[1:], place, "-C")
        here = self._root.inside(place.folder)
        found = of_make(next((here.text(name) for name in MAKEFILES if here.has(name)), ""), rest)
        if not found.commands:
            yield whole
        yield from self._all([found], place)

    def _node(self, words: Sequence[str], place: ScriptPlace, whole: Installs) -> Iterator[Item]:
        """npm, pnpm, yarn and what runs scripts in the packages of a workspace."""
        program = words[0]
        place, rest = _elsewhere(words[1:], place, "-C", "--dir", "--cwd", "--prefix")
        here = self._root.inside(place.folder)
        plain = [word for word in rest if not word.startswith("-")]
        verb = plain[0] if plain else ""
        if verb in ("install", "i", "ci", "clean-install") or (program == "yarn" and not plain):
            if not {"-g", "--global"} & set(rest):
                yield Installs(place.folder, cd(place.folder) + node.install_line(here, (program, *rest)))
            return
        everywhere = program in ("turbo", "lerna", "nx", "wireit") or verb in ("workspaces", "workspace")
        everywhere = everywhere or any(word.startswith(_EVERYWHERE) or word in ("-r", "-F") for word in rest)
        scripts = here.scripts
        verbs = ("run", "run-script", "foreach", "workspaces", "run-many")
        name = next((word for word in plain if word not in verbs), "")
        name = {"t": "test", "tst": "test"}.get(name, name)
        if everywhere:
            yield from self._in_packages([*plain, *values(rest, "--target", "--targets")], place, here)
        elif isinstance(script := scripts.get(name), str):
            yield from self._script(script, name, rest, place, scripts)
        elif program in ("pnpm", "yarn") and rest and verb != "run":
            yield from self._read(rest, _deeper(place), whole)

    def _script(
        self, script: str, name: str, words: Sequence[str], place: ScriptPlace, scripts: Mapping[str, object]
    ) -> Iterator[Item]:
        found = list(self.read(script, _deeper(place)))
        tests = [item for item in found if isinstance(item, Tests)]
        here = [item for item in tests if item.place.folder == place.folder]
        elsewhere = [item for item in tests if item.place.folder != place.folder]
        if here or (name.split(":")[0] == "test" and not tests):
            more = list(words)[list(words).index("--") :] if "--" in words else []
            line, languages = shlex.join(["npm", "run", name, *more]), [each.language for each in here]
            languages = [each for each in languages if each not in BY_EXIT]
            own = not here and any(each.words[:1] == ("node",) for each in commands(script, place))
            yield Tests(line, place, next(iter(languages), SCRIPT), bool(languages), tuple(languages[1:]), own)
        yield from elsewhere
        if not tests and name.split(":")[0] != "test":
            yield Installs(place.folder, f"{cd(place.folder)}npm run {shlex.quote(name)}", needed=False)

    def _in_packages(self, names: Sequence[str], place: ScriptPlace, here: Manifests) -> Iterator[Item]:
        """Of each package what the first of the scripts runs that has a test tool in it; else the first that tests."""
        for folder in node.packages(here):
            inner = replace(_deeper(place), folder=path_from(place.folder, folder))
            scripts = self._root.inside(inner.folder).scripts
            known = ((name, scripts.get(name)) for name in names if name.split(":")[0] == "test")
            read = [list(self._script(text, name, (), inner, scripts)) for name, text in known if isinstance(text, str)]
            told = (items for items in read if any(isinstance(item, Tests) and item.told for item in items))
            yield from next(told, read[0] if read else ())


def _script(words: Iterable[str]) -> str:
    """The word that may name a shell script."""
    return next((word for word in words if word[:1] != "-" and word not in _SHELLS), "")


def _of_tests(word: str, place: ScriptPlace) -> bool:
    """Whether a word names a script of tests."""
    return bool(_RUNNER.fullmatch(posixpath.basename(word))) or is_test_by_path(path_from(place.folder, word))


def _for_shell(words: Iterable[str]) -> str:
    """Words that a shell completes as they stand."""
    return " ".join("*".join(each and shlex.quote(each) for each in word.split("*")) for word in words)


def _of_unittest(rest: Sequence[str], here: Manifests) -> str:
    """As pytest runs it: the folder that is discovered, or what is named."""
    start = values(rest, "-s", "--start-directory")
    pattern = values(rest, "-p", "--pattern") or ["test*.py"]
    taken = (*start, *pattern, *values(rest, "-t", "-k"))
    words = [word for word in rest if not word.startswith("-") and word not in taken]
    if words[:1] == ["discover"]:
        start, words = start or words[1:2], []
    named = [_node_id(word, here) for word in words]
    return shlex.join(["pytest", "-o", f"python_files={pattern[0]}", *([] if start == ["."] else start), *named])


def _node_id(name: str, here: Manifests) -> str:
    """What pytest calls a module, or a test in one, that is named with dots; a path is one already."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1) if "/" not in name and parts[-1] != "py" else ():
        if here.has(path := "/".join(parts[:end]) + ".py"):
            return "::".join((path, *parts[end:]))
    return "/".join(parts) if here.names(parts[0]) else name


def _of_django(words: list[str], here: Manifests) -> tuple[str, str] | None:
    """`manage.py test` as pytest runs it, and the module of its settings."""
    path = next((word for word in words[1:2] if word.endswith("manage.py")), "")
    program, *rest = words[1:] if path else words
    if not (path or program in ("django", "django-admin")) or rest[:1] != ["test"]:
        return None
    settings = values(rest, "--settings")
    found = django_settings(here.text(path)) if path else ""
    labels = [word for word in rest[1:] if not word.startswith("-") and word not in settings]
    places = shlex.join(_node_id(each, here) for each in labels)
    return f"{DJANGO_TESTS} {places}".strip(), settings[0] if settings else found


def _deeper(place: ScriptPlace) -> ScriptPlace:
    return replace(place, depth=place.depth + 1)


def _elsewhere(words: Sequence[str], place: ScriptPlace, *options: str) -> tuple[ScriptPlace, list[str]]:
    """The place that the first option says, and the other words."""
    rest = list(words)
    while at := next((at for at, word in enumerate(rest[:-1], 1) if word in options), 0):
        place, rest = replace(place, folder=path_from(place.folder, rest[at])), [*rest[: at - 1], *rest[at + 1 :]]
    return place, rest


_READERS: dict[str, Callable[[PlanReader, Sequence[str], ScriptPlace, Installs], Iterator[Item]]] = {
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "pdm", "pipenv"), PlanReader._installer),
    "hatch": PlanReader._hatch,
    **dict.fromkeys(("make", "gmake"), PlanReader._make),
    **dict.fromkeys(("npm", "pnpm", "yarn", "turbo", "lerna", "nx"), PlanReader._node),
    **dict.fromkeys(("pipx", "npx", "corepack", "codecov", "coverage"), lambda *_: iter(())),
}
