"""What stands behind a name: an environment of tox, nox or hatch, a target of a Makefile, a script of a manifest."""

import configparser
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

from bot.verification.environments.manifests import Manifests, mapping, texts
from bot.verification.environments.python import Needs, grouped

MOST_ENVIRONMENTS = 400
LONGEST = 100_000  # characters of what is substituted
_SELF = ("toxinidir", "tox_root")
_PLACES = (
    "envtmpdir",
    "envdir",
    "toxworkdir",
    "tox_work_dir",
    "work_dir",
    "temp_dir",
    "distdir",
    "envlogdir",
    "env_tmp_dir",
)
_VERSION = re.compile(r"py3?(\d{1,2})?t?|3\.(\d{1,2})")
_CONDITION = re.compile(r"([\w,!{}.-]{1,200}):\s+(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Recipe:
    """needs: what it installs; `None` where that is up to who calls it. commands: lines of a shell, in order."""

    commands: tuple[str, ...] = ()
    needs: Needs | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""


# tox


def of_tox(manifests: Manifests, words: Sequence[str], variables: Mapping[str, str]) -> Iterator[tuple[Recipe, ...]]:
    """Those that a command line of tox runs: all that it names, else one of its list after the other, best first."""
    sections = _tox_sections(manifests)
    names, given = _tox_names(words, variables)
    if names:
        yield tuple(_tox_environment(manifests, sections, name, given) for name in names)
        return
    tox = sections.get("tox", {})
    factors = {word for option, word in pairwise(words) if option == "-f"}
    listed = _expanded(tox.get("envlist") or tox.get("env_list") or "") or ["py"]
    fitting = [name for name in listed if factors <= set(name.split("-"))]
    for name in sorted(fitting or listed, key=_distance)[:10]:
        yield (_tox_environment(manifests, sections, name, given),)


def _tox_names(words: Sequence[str], variables: Mapping[str, str]) -> tuple[list[str], str]:
    """The environments that are named, and what stands behind `--`."""
    before = list(words[: words.index("--")] if "--" in words else words)
    given = shlex.join(words[len(before) + 1 :])
    found = re.search(r"(?:^|\s)(?:-e|--env)[ =]?(\S+)", " ".join(before))
    return _expanded(found[1] if found else variables.get("TOXENV", "")), given


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
        options = [
            each.strip("{}").split(",") if each.startswith("{") else [each]
            for each in re.findall(r"\{[^{}]*\}|[^{}]+", name)
        ]
        for parts in product(*options):
            found.append("".join(part.strip() for part in parts).strip("-"))
            if len(found) >= MOST_ENVIRONMENTS:
                return found
    return found


def _tox_sections(manifests: Manifests) -> dict[str, dict[str, str]]:
    if manifests.has("tox.ini"):
        return manifests.ini("tox.ini")
    project = mapping(manifests.toml("pyproject.toml"), "tool", "tox")
    if isinstance(legacy := project.get("legacy_tox_ini"), str):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(legacy)
        except configparser.Error:
            return {}
        return {name: dict(parser[name]) for name in parser.sections()}
    data = manifests.toml("tox.toml") if manifests.has("tox.toml") else project
    if data:
        envs = {f"testenv:{name}": _as_ini(env) for name, env in mapping(data, "env").items() if isinstance(env, dict)}
        return {"tox": _as_ini(data), "testenv": _as_ini(mapping(data, "env_run_base")), **envs}
    found = manifests.ini("setup.cfg")
    return {name.removeprefix("tox:"): section for name, section in found.items()}


def _as_ini(data: Mapping[str, Any]) -> dict[str, str]:
    """tox's own TOML in the words of its older file."""

    def line(item: object) -> str:
        if isinstance(item, list):
            words = [
                word
                for part in item
                for word in (texts(part.get("default")) if isinstance(part, dict) else [str(part)])
            ]
            return " ".join(word if word.startswith("{") else shlex.quote(word) for word in words)
        return str(item) if not isinstance(item, dict) else ""

    ini = {}
    for key, value in data.items():
        if isinstance(value, list):
            ini[key] = "\n".join(map(line, value))
        elif isinstance(value, dict):
            ini[key] = "\n".join(f"{name}={each}" for name, each in value.items() if not isinstance(each, dict))
        else:
            ini[key] = str(value)
    return ini


class _Tox:
    """Reads the values of one environment."""

    def __init__(self, sections: Mapping[str, Mapping[str, str]], name: str, given: str) -> None:
        self._sections, self.name, self._given = sections, name, given
        self._factors = set(re.split(r"-", name)) | {name}
        own = next((key for key in sections if key.startswith("testenv:") and name in _expanded(key[8:])), "")
        self._own = [sections[key] for key in (own, "testenv") if key in sections]

    def lines(self, *keys: str) -> list[str]:
        found = next((section[key] for section in self._own for key in keys if key in section), "")
        lines = (self._under_condition(line) for line in self._substituted(found).splitlines())
        return [line for line in lines if line and not line.startswith("#")]

    def _under_condition(self, line: str) -> str:
        line = line.strip()
        condition = _CONDITION.fullmatch(line)
        if condition is None:
            return line
        holds = any(
            all(
                (part[1:] not in self._factors) if part.startswith("!") else part in self._factors
                for part in each.split("-")
            )
            or each in self._factors
            for each in _expanded(condition[1])
        )
        return condition[2].strip() if holds else ""

    def _substituted(self, text: str, depth: int = 0) -> str:
        def value(found: re.Match[str]) -> str:
            name, _, default = found[1].partition(":")
            if name == "posargs":
                return self._given or default
            if name in _SELF:
                return "."
            if name in ("envname", "env_name"):
                return self.name
            if name in ("envpython", "basepython", "env_python", "base_python"):
                return "python"
            if name == "env":
                return default.partition(":")[2]
            if name == "/":
                return "/"
            if section := re.fullmatch(r"\[([^\]]*)\](\w+)", name):
                return self._substituted(self._sections.get(section[1], {}).get(section[2], ""), depth + 1)
            if name in _PLACES:
                return "/tmp/tox"  # noqa: S108 - inside the sandbox
            own = self._own[0].get(name) if self._own else None
            return "" if own is None else self._substituted(own, depth + 1)

        for _ in range(3):  # one may stand in the default of another
            if depth > 5 or len(text) > LONGEST:
                return ""
            text, count = re.subn(r"\{([^{}\s,]*(?::[^{}]*)?)\}", value, text)
            if not count:
                break
        return text


def _tox_environment(manifests: Manifests, sections: Mapping[str, Mapping[str, str]], name: str, given: str) -> Recipe:
    tox = _Tox(sections, name, given)
    needs = Needs(package=not _skips_package(sections.get("tox", {}), tox))
    groups = mapping(manifests.toml("pyproject.toml"), "dependency-groups")
    for line in [*tox.lines("deps"), *(f"-r {each}" for each in tox.lines("requirements"))]:
        plain = re.sub(r"\s#.*$", "", line).strip()
        needs.add(*shlex.split(plain.replace("'", '"')) if plain.startswith("-") else [plain])
    needs.extras += [each for line in tox.lines("extras") for each in re.split(r"[\s,]+", line) if each]
    wanted = [each for line in tox.lines("dependency_groups") for each in re.split(r"[\s,]+", line) if each]
    if not wanted and "lock" in "".join(tox.lines("runner")):
        wanted = ["dev"]
    needs.named += grouped(groups, wanted)
    variables = dict(line.split("=", 1) for line in tox.lines("setenv", "set_env") if "=" in line)
    clean = {key.strip(): value.strip() for key, value in variables.items() if re.fullmatch(r"\w+", key.strip())}
    lines = [*tox.lines("commands_pre"), *tox.lines("commands")]
    folder = "".join(tox.lines("changedir", "change_dir")[:1]).removeprefix("./")
    return Recipe(
        tuple(line.lstrip("-!").strip() for line in _whole(lines)), needs, clean, "" if folder == "." else folder
    )


def _skips_package(tox: Mapping[str, str], environment: _Tox) -> bool:
    said = [*environment.lines("skip_install", "skipsdist"), tox.get("skipsdist", ""), tox.get("no_package", "")]
    return any(each.strip().lower() == "true" for each in said) or environment.lines("package")[:1] == ["skip"]


def _whole(lines: list[str]) -> list[str]:
    """Commands that go over several lines on one."""
    return "\n".join(lines).replace("\\\n", " ").splitlines()


# hatch


def of_hatch(project: Mapping[str, Any], manifests: Manifests, words: Sequence[str]) -> Recipe | None:
    """`hatch test …`, `hatch run [ENVIRONMENT:]SCRIPT …`."""
    rest = list(words)
    name = ""
    while rest[:1] in (["-e"], ["--env"], ["-v"]):
        name, rest = (rest[1] if len(rest) > 1 and rest[0] != "-v" else name), rest[1 if rest[0] == "-v" else 2 :]
    verb, rest = (rest[0] if rest else ""), rest[1:]
    if verb == "env" and rest[:1] == ["run"]:
        verb, rest = "run", rest[1:]
        if rest[:1] in (["-e"], ["--env"]):
            name, rest = rest[1] if len(rest) > 1 else name, rest[2:]
        rest = rest[1:] if rest[:1] == ["--"] else rest
    environments = mapping(project, "tool", "hatch", "envs") or mapping(manifests.toml("hatch.toml"), "envs")
    if verb in ("test", "cov"):
        takes = ("--python", "-py", "--retries", "--retry-delay", "-i", "-x", "--include", "--exclude")
        plain = [word for before, word in pairwise(["", *rest]) if not word.startswith("-") and before not in takes]
        return _hatch_environment(project, environments, "hatch-test", f"pytest {shlex.join(plain) or 'tests'}")
    rest = [word for word in rest if not word.startswith(("+", "-")) or word != rest[0]]
    if verb != "run" or not rest:
        return None
    before, mark, script = rest[0].partition(":")
    if mark and (before.split(".")[0] in environments or before == "default"):
        name, rest = before, [script, *rest[1:]]
    return _hatch_environment(project, environments, name.split(".")[0] or "default", shlex.join(rest))


_HATCH_TEST = ("pytest", "pytest-mock", "pytest-randomly", "pytest-rerunfailures", "pytest-xdist")


def _hatch_environment(project: Mapping[str, Any], environments: dict[str, Any], name: str, line: str) -> Recipe:
    chain, current = list[dict[str, Any]](), name
    while len(chain) < 5 and current not in ("", *[each.get("_name") for each in chain]):
        environment = mapping(environments, current)
        chain.append({**environment, "_name": current})
        current = str(environment.get("template", "default" if current not in ("default", "hatch-test") else ""))
    needs = Needs(package=not any(each.get("skip-install") or each.get("detached") for each in chain[:1]))
    plain = next((texts(each["dependencies"]) for each in chain if "dependencies" in each), [])
    needs.named += plain or (list(_HATCH_TEST) if name == "hatch-test" else [])
    needs.named += [item for each in chain for item in texts(each.get("extra-dependencies"))]
    needs.extras += [item for each in chain for item in texts(each.get("features"))]
    groups = [item for each in chain for item in texts(each.get("dependency-groups"))]
    needs.named += grouped(mapping(project, "dependency-groups"), groups)
    variables = {
        key: str(value)
        for each in reversed(chain)
        for key, value in mapping(each, "env-vars").items()
        if "{" not in str(value)
    }
    scripts = {key: value for each in reversed(chain) for key, value in mapping(each, "scripts").items()}
    return Recipe(tuple(_hatch_lines(scripts, line, 0)), needs, variables)


def _hatch_lines(scripts: Mapping[str, Any], line: str, depth: int) -> Iterator[str]:
    name, _, more = line.lstrip("- ").partition(" ")
    behind = scripts.get(name)
    if behind is None or depth > 4:
        yield line.lstrip("- ")
        return
    for each in [behind] if isinstance(behind, str) else texts(behind):
        filled = re.sub(r"\{args(?::([^{}]*))?\}", lambda found: more or found[1] or "", each)
        yield from _hatch_lines(scripts, re.sub(r"\{root\}", ".", filled), depth + 1)


# Makefiles and justfiles


def of_make(text: str, words: Sequence[str]) -> Recipe:
    """The recipes of the targets that are named, those that they need before them; the first one where none is."""
    variables = {
        match[1]: match[2].strip() for match in re.finditer(r"(?m)^(?:export\s+)?(\w+)\s*[:?]?:?=[ \t]*(.*)$", text)
    }
    variables |= dict(word.split("=", 1) for word in words if re.match(r"\w+=", word))
    targets = [word for word in words if not word.startswith("-") and "=" not in word]
    rules: dict[str, tuple[list[str], list[str]]] = {}
    current: list[str] = []
    for line in re.sub(r"\\\n[ \t]*", " ", text).splitlines():
        head = re.match(r"@?([\w./ -]+?)(?: [\w*+'\"=-]+)*?\s*:{1,2}(?!=)\s*([^=#;]*?)(?:\s*#.*)?$", line)
        if head and not line.startswith((".PHONY", " ", "\t")):
            current = []
            for name in head[1].split():
                old = rules.get(name, ([], []))
                rules[name] = ([*old[0], *head[2].replace("|", " ").split()], old[1])
                current.append(name)
        elif line[:1] in ("\t", " ") and line.strip():
            for name in current:
                rules[name][1].append(line.strip())
        elif line.strip() and not line.startswith("#"):
            current = []
    chosen = targets or list(rules)[:1]
    lines, seen = list[str](), set[str]()
    _recipes(rules, chosen, lines, seen)

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return variables.get(name.strip(), "make" if name == "MAKE" else "python" if name == "PYTHON" else "")

    for _ in range(3):
        lines = [re.sub(r"\$[({]([\w ]+)[)}]|\{\{\s*(\w+)\s*\}\}", value, line) for line in lines]
    return Recipe(tuple(line.lstrip("@-+ ").replace("$$", "$") for line in lines))


def _recipes(
    rules: Mapping[str, tuple[list[str], list[str]]], names: list[str], lines: list[str], seen: set[str]
) -> None:
    for name in names:
        if name in rules and name not in seen and len(seen) < 50:
            seen.add(name)
            _recipes(rules, rules[name][0], lines, seen)
            lines += rules[name][1]


# Tables of scripts


def of_table(table: Mapping[str, Any], name: str, depth: int = 0) -> Recipe | None:
    """A script of a manifest: a text, a list of them, or a table with `cmd`, `shell` or `composite`, its variables in
    `env`."""
    found = table.get(name)
    if isinstance(found, dict):
        lines = (
            found.get("cmd")
            or found.get("shell")
            or found.get("composite")
            or found.get("sequence")
            or found.get("chain")
        )
        lines = [shlex.join(lines)] if found.get("cmd") is lines and isinstance(lines, list) else lines
        env = {key: str(value) for key, value in mapping(found, "env").items()}
        found = lines
    else:
        env = {}
    lines = [found] if isinstance(found, str) else [each for each in found or () if isinstance(each, str)]
    whole: list[str] = []
    for line in lines:
        clean = re.sub(r"\{args(?::([^{}]*))?\}", lambda match: match[1] or "", line)
        inner = of_table(table, clean.split(" ")[0], depth + 1) if depth < 3 and " " not in clean else None
        whole += inner.commands if inner else [clean]
    return Recipe(tuple(whole), variables=env) if whole else None
