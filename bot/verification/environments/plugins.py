"""What tests need by pytest's own configuration: plugins without which it does not start at all, whether or not
anything says to install them."""

import re
import shlex

from bot.verification.environments.manifests import Manifests, mapping, texts

# `--NAME…` is of `pytest-NAME`.
_NAMED = (
    *("asyncio", "benchmark", "black", "codspeed", "flake8", "forked", "html", "instafail", "isort", "mpl", "mypy"),
    *("random-order", "randomly", "spec", "sugar", "timeout"),
)
# What other options and settings begin with, and the plugin that knows it.
_KNOWN_BY = {
    "--cov": "pytest-cov",
    "--no-cov": "pytest-cov",
    "-n": "pytest-xdist",
    "--numprocesses": "pytest-xdist",
    "--dist": "pytest-xdist",
    "--reruns": "pytest-rerunfailures",
    "--ds": "pytest-django",
    "DJANGO_SETTINGS_MODULE": "pytest-django",
    "--disable-socket": "pytest-socket",
    "--allow-hosts": "pytest-socket",
    "--doctest-plus": "pytest-doctestplus",
    "--doctest-rst": "pytest-doctestplus",
    "doctest_plus": "pytest-doctestplus",
    "--remote-data": "pytest-remotedata",
    "--arraydiff": "pytest-arraydiff",
    "--snapshot": "syrupy",
    "--hypothesis": "hypothesis",
    "mock_use_standalone_module": "pytest-mock",
    "env": "pytest-env",
    "qt_api": "pytest-qt",
    **{f"--{name}": f"pytest-{name}" for name in _NAMED},
    "timeout": "pytest-timeout",
    "asyncio_mode": "pytest-asyncio",
    "asyncio_default_fixture_loop_scope": "pytest-asyncio",
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
        return word[:2] == "-n" and (word[2:] in ("", "auto", "logical") or word[2:].isdecimal())
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
