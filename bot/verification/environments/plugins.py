"""What tests need by the configuration of their tools: plugins without which pytest does not start at all, whether or
not anything says to install them, and what the sessions of a `noxfile.py` install. Both are read, never run."""

import ast
import re
import shlex
from collections.abc import Iterator

from bot.verification.environments.manifests import Manifests, mapping, texts
from bot.verification.syntax import tree_of

# What an option or setting begins with, and the plugin that knows it.
_KNOWN_BY = {
    "--cov": "pytest-cov",
    "--no-cov": "pytest-cov",
    "-n": "pytest-xdist",
    "--numprocesses": "pytest-xdist",
    "--dist": "pytest-xdist",
    "--timeout": "pytest-timeout",
    "timeout": "pytest-timeout",
    "--asyncio-mode": "pytest-asyncio",
    "asyncio_mode": "pytest-asyncio",
    "asyncio_default_fixture_loop_scope": "pytest-asyncio",
    "--benchmark": "pytest-benchmark",
    "--reruns": "pytest-rerunfailures",
    "--randomly": "pytest-randomly",
    "--random-order": "pytest-random-order",
    "--ds": "pytest-django",
    "DJANGO_SETTINGS_MODULE": "pytest-django",
    "--disable-socket": "pytest-socket",
    "--allow-hosts": "pytest-socket",
    "--mpl": "pytest-mpl",
    "--html": "pytest-html",
    "--doctest-plus": "pytest-doctestplus",
    "--doctest-rst": "pytest-doctestplus",
    "doctest_plus": "pytest-doctestplus",
    "--remote-data": "pytest-remotedata",
    "--arraydiff": "pytest-arraydiff",
    "--forked": "pytest-forked",
    "--flake8": "pytest-flake8",
    "--mypy": "pytest-mypy",
    "--black": "pytest-black",
    "--isort": "pytest-isort",
    "--snapshot": "syrupy",
    "--hypothesis": "hypothesis",
    "--instafail": "pytest-instafail",
    "--spec": "pytest-spec",
    "--sugar": "pytest-sugar",
    "--codspeed": "pytest-codspeed",
    "mock_use_standalone_module": "pytest-mock",
    "env": "pytest-env",
    "qt_api": "pytest-qt",
}
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.\[\],<>=!~-]{0,99}", re.ASCII)


def plugins(project: dict[str, object], manifests: Manifests) -> list[str]:
    """As requirements: those that are named, and those whose options or settings are used."""
    settings = _settings(project, manifests)
    words = [*_words(settings.get("addopts")), *(key for key in settings if key != "addopts")]
    used = [plugin for word in words for start, plugin in _KNOWN_BY.items() if _is(word, start)]
    required = [word for word in _words(settings.get("required_plugins")) if _REQUIREMENT.fullmatch(word)]
    return list(dict.fromkeys([*required, *used]))


def _is(word: str, start: str) -> bool:
    if start == "-n":
        return word == "-n" or bool(re.fullmatch(r"-n(\d{1,4}|auto|logical)", word))
    return word == start or (start.startswith("--") and word.startswith((f"{start}=", f"{start}-")))


def _settings(project: dict[str, object], manifests: Manifests) -> dict[str, object]:
    """pytest's, of the file that counts for it."""
    for name in ("pytest.ini", ".pytest.ini"):
        if manifests.has(name):
            return dict(manifests.ini(name).get("pytest", {}))
    table = mapping(project, "tool", "pytest")
    if table:
        return {**table, **mapping(table, "ini_options")}
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if found := manifests.ini(name).get(section):
            return dict(found)
    return {}


def _words(value: object) -> list[str]:
    if not isinstance(value, str):
        return texts(value)
    try:
        return shlex.split(value)
    except ValueError:
        return value.split()


_FOR_TESTS = re.compile(r"(?:^|_)(?:unit_?)?(?:tests?|testing)(?:_|$)")
_OWN_PACKAGE = re.compile(r"\.\[([\w.,\s-]{1,200})\]")
_NAMED = "requirement"
_OF_AN_INDEX = re.compile(r"[A-Za-z0-9][\w.-]{0,99}\s{0,9}(?:[\[<>=!~;@]|$)", re.ASCII)
_TAKES = {
    "-r": "file",
    "--requirement": "file",
    "--group": "group",
    "-e": _NAMED,
    "--editable": _NAMED,
} | dict.fromkeys(("-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links"), "other")


def installed(noxfile: str) -> tuple[tuple[str, str], ...]:
    """What is installed, as (kind, name): `requirement`, `file` of requirements, `extra` of the package, or `group`.

    Of `session.install(…)` in a session that is named for tests the words that are written out; other options than
    those that name these are left out, with what they take, as kind `other` at most.
    """
    body = tree_of(noxfile.encode()).body
    sessions = [node for node in body if isinstance(node, ast.FunctionDef) and _FOR_TESTS.search(node.name)]
    calls = (node for session in sessions for node in ast.walk(session) if isinstance(node, ast.Call))
    words = (_texts_of(call) for call in calls if _installs(call))
    return tuple(dict.fromkeys(item for line in words for item in _named(line)))


def _installs(call: ast.Call) -> bool:
    called = call.func
    return isinstance(called, ast.Attribute) and called.attr == "install" and isinstance(called.value, ast.Name)


def _texts_of(call: ast.Call) -> list[str]:
    return [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def _named(words: list[str]) -> Iterator[tuple[str, str]]:
    kind = _NAMED
    for word in words:
        if word.startswith("-"):
            option, _, name = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
            kind = _TAKES.get(option, "other" if name else _NAMED)
        else:
            name = word
        if not name:
            continue
        if own := _OWN_PACKAGE.fullmatch(name):
            yield from (("extra", extra.strip()) for extra in own[1].split(","))
        elif kind != _NAMED or _OF_AN_INDEX.match(name):
            yield kind, name
        kind = _NAMED
