"""The environments of tox, as its INI files have them. Who has them in TOML has groups of dependencies as well, and
goes by manifests."""

import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

from bot.verification.environments.ci.named import Recipe
from bot.verification.environments.manifests import Manifests, mapping, sections_of
from bot.verification.environments.python import Needs

MOST_ENVIRONMENTS = 400
LONGEST = 100_000  # characters of what is substituted
_KNOWN = {
    **dict.fromkeys(("toxinidir", "tox_root"), "."),
    **dict.fromkeys(("envpython", "basepython", "env_python", "base_python"), "python"),
    "/": "/",
}
_VERSION = re.compile(r"py3?(\d{1,2})?t?|3\.(\d{1,2})")
_CONDITION = re.compile(r"([\w,!{}.-]{1,200}):\s+(.*)", re.DOTALL)
Sections = Mapping[str, Mapping[str, str]]


def of_tox(manifests: Manifests, words: Sequence[str], variables: Mapping[str, str]) -> Iterator[tuple[Recipe, ...]]:
    """Those that a command line of tox runs: all that it names, else one of its list after the other, best first."""
    sections = _sections(manifests)
    before = list(words[: words.index("--")] if "--" in words else words)
    given = shlex.join(words[len(before) + 1 :])
    said = re.search(r"(?:^|\s)(?:-e|--env)[ =]?(\S+)", " ".join(before))
    if names := _expanded(said[1] if said else variables.get("TOXENV", "")):
        yield tuple(_recipe(manifests, sections, name, given) for name in names)
        return
    factors = {word for option, word in pairwise(words) if option == "-f"}
    listed = _expanded(sections.get("tox", {}).get("envlist", "")) or ["py"]
    fitting = [name for name in listed if factors <= set(name.split("-"))]
    for name in sorted(fitting or listed, key=_distance)[:10]:
        yield (_recipe(manifests, sections, name, given),)


def _distance(name: str) -> tuple[int, int]:
    """How far the Python that a name has is from this one; those without one come behind."""
    parts = name.split("-")
    found = [match for part in parts if (match := _VERSION.fullmatch(part))]
    known = [int(version) for match in found if (version := match[1] or match[2])]
    away = abs(known[0] - sys.version_info.minor) if known else 0 if found else 50
    return away, len(parts)


def _expanded(text: str) -> list[str]:
    """The names of a list, those with braces one by one."""
    found: list[str] = []
    for name in re.findall(r"(?:\{[^{}]*\}|[^\s,{}#])+", re.sub(r"(?m)^\s*#.*$", "", text)):
        options = [[*_options(each)] if at % 2 else [each] for at, each in enumerate(re.split(r"[{}]", name))]
        for parts in product(*options):
            found.append("".join(part.strip() for part in parts).strip("-"))
            if len(found) >= MOST_ENVIRONMENTS:
                return found
    return found


def _options(text: str) -> Iterator[str]:
    """Of what stands in braces: words, or numbers in a row, as in `3.1{0-4}`."""
    for word in text.split(","):
        row = re.fullmatch(r"\s*(\d{1,3})-(\d{1,3})\s*", word)
        yield from map(str, range(int(row[1]), int(row[2]) + 1)) if row else [word]


def _sections(manifests: Manifests) -> Sections:
    """Keys without their underscores: tox knows both."""
    legacy = mapping(manifests.toml("pyproject.toml"), "tool", "tox").get("legacy_tox_ini")
    found: Sections = manifests.ini("tox.ini") or (sections_of(legacy) or {} if isinstance(legacy, str) else {})
    if not found:
        found = {name.removeprefix("tox:"): each for name, each in manifests.ini("setup.cfg").items()}
    return {name: {key.replace("_", ""): text for key, text in each.items()} for name, each in found.items()}


class _Environment:
    """Reads the values of one environment. linked: where its installed package lies."""

    def __init__(self, sections: Sections, name: str, given: str, linked: str) -> None:
        self._sections, self._given = sections, given
        self._factors = {*name.split("-"), name}
        own = next((key for key in sections if key.startswith("testenv:") and name in _expanded(key[8:])), "")
        self._own = {**sections.get("testenv", {}), **sections.get(own, {})}
        self._known = {**_KNOWN, **dict.fromkeys(("envname", "env_name"), name)}
        self._known |= dict.fromkeys(("envsitepackagesdir", "env_site_packages_dir"), linked)

    def lines(self, key: str) -> list[str]:
        text = self._substituted(self._own.get(key, "")).replace("\\\n", " ")
        return [line for each in text.splitlines() if (line := self._under_condition(each.strip())) and line[0] != "#"]

    def words(self, key: str) -> list[str]:
        return " ".join(self.lines(key)).replace(",", " ").split()

    def _under_condition(self, line: str) -> str:
        if not (condition := _CONDITION.fullmatch(line)):
            return line
        alternatives = ([each] if each in self._factors else each.split("-") for each in _expanded(condition[1]))
        holds = any(all((part.strip("!") in self._factors) != part.startswith("!") for part in a) for a in alternatives)
        return condition[2].strip() if holds else ""

    def _substituted(self, text: str, depth: int = 0) -> str:
        def value(found: re.Match[str]) -> str:
            name, _, default = found[1].partition(":")
            if name == "posargs":
                return self._given or default
            if name == "env":
                return default.partition(":")[2]
            section, _, key = name.rpartition("]")
            known = self._known.get(name, "/tmp/tox" if name.endswith("dir") else "")  # noqa: S108 - inside the sandbox
            inside = {} if known else self._sections.get(section[1:], {}) if section else self._own
            return known or self._substituted(inside.get(key.replace("_", ""), ""), depth + 1)

        for _ in range(3):  # one may stand in the default of another
            if depth > 5 or len(text) > LONGEST:
                return ""
            text = re.sub(r"\{([^{}\s,]*(?::[^{}]*)?)\}", value, text)
        return text


def _recipe(manifests: Manifests, sections: Sections, name: str, given: str) -> Recipe:
    linked = "src" if manifests.names("src") else "."
    tox, core = _Environment(sections, name, given, linked), sections.get("tox", {})
    said = [*tox.lines("skipinstall"), *tox.lines("skipsdist"), core.get("skipsdist", ""), core.get("nopackage", "")]
    skipped = any(each.strip().lower() == "true" for each in said) or tox.lines("package")[:1] == ["skip"]
    needs = Needs(tox.words("extras"), package=not skipped)
    for line in [*tox.lines("deps"), *(f"-r {each}" for each in tox.lines("requirements"))]:
        plain = line.replace("\t#", " #").partition(" #")[0].strip()
        needs.add(*shlex.split(plain.replace("'", '"')) if plain.startswith("-") else [plain])
    needs.groups = tox.words("dependencygroups") or (["dev"] if "lock" in "".join(tox.lines("runner")) else [])
    variables = (map(str.strip, line.split("=", 1)) for line in tox.lines("setenv") if "=" in line)
    lines = (line.lstrip("-!").strip() for line in [*tox.lines("commandspre"), *tox.lines("commands")])
    folder = "".join(tox.lines("changedir")[:1]).removeprefix("./")
    known = {name: value for name, value in variables if name.isidentifier()}
    there = folder != "." and manifests.names(folder)  # else one that tox makes
    return Recipe(list(lines), needs, known, folder if there else "")
