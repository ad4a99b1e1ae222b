"""What a name stands for: an environment of hatch, a target of a Makefile."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from bot.verification.environments.manifests import Manifests, mapping, texts
from bot.verification.environments.python import Needs, hatch_environments


@dataclass(slots=True)
class Recipe:
    """needs: what it installs; `None` where that is up to who calls it. commands: lines of a shell, in order."""

    commands: list[str] = field(default_factory=list)
    needs: Needs | None = None
    variables: dict[str, str] = field(default_factory=dict)


def values(words: Sequence[str], *names: str) -> list[str]:
    """What options are given, those with commas apart."""
    found = [words[at + 1] for at, word in enumerate(words[:-1]) if word in names]
    found += [word.partition("=")[2] for word in words if word.partition("=")[0] in names and "=" in word]
    return [each for value in found for each in value.split(",") if each]


# hatch

_HATCH_TEST = ("pytest", "pytest-mock", "pytest-randomly", "pytest-rerunfailures", "pytest-xdist")
_TAKING = ("--python", "-py", "--retries", "--retry-delay", "-i", "-x", "--include", "--exclude")


def of_hatch(manifests: Manifests, words: Sequence[str]) -> list[Recipe]:
    """`hatch test …`, `hatch run [ENVIRONMENT:]SCRIPT …`, `hatch env run -e ENVIRONMENT SCRIPT …`."""
    environments = hatch_environments(manifests)
    rest, named, runs = list(words), "", False
    while rest and (rest[0] in ("env", "run", "--") or rest[0].startswith(("+", "-"))):
        runs = runs or rest[0] == "run"
        named, rest = (rest[1], rest[2:]) if rest[0] in ("-e", "--env") and rest[1:] else (named, rest[1:])
    if rest and runs:
        before, mark, script = rest[0].partition(":")
        if mark and (before.split(".")[0] in environments or before == "default"):
            named, rest = before, [script, *rest[1:]]
        return [_hatch_environment(environments, named.split(".")[0] or "default", shlex.join(rest))]
    if rest[:1] in (["test"], ["cov"]):
        pairs = pairwise(["", *rest[1:]])
        plain = [word for before, word in pairs if not word.startswith("-") and before not in _TAKING]
        return [_hatch_environment(environments, "hatch-test", f"pytest {shlex.join(plain) or 'tests'}")]
    return []


def _hatch_environment(environments: dict[str, Any], name: str, line: str) -> Recipe:
    own = mapping(environments, name)
    above = [] if name == "hatch-test" else [mapping(environments, str(own.get("template", "default")))]
    each_of = [own, *above]

    def every(key: str) -> list[str]:
        return [item for each in each_of for item in texts(each.get(key))]

    def merged(key: str) -> dict[str, Any]:
        return {name: value for each in reversed(each_of) for name, value in mapping(each, key).items()}

    standard = list(_HATCH_TEST) if name == "hatch-test" else []
    named = next((texts(each["dependencies"]) for each in each_of if "dependencies" in each), standard)
    needs = Needs(every("features"), named=[*named, *every("extra-dependencies")], groups=every("dependency-groups"))
    needs.package = not (own.get("skip-install") or own.get("detached"))
    variables = {key: str(value) for key, value in merged("env-vars").items() if "{" not in str(value)}
    return Recipe([*_lines(merged("scripts"), line)], needs, variables)


# Makefiles

_MOST_LINES, _LONGEST = 200, 500  # of recipes, and characters of a variable
_RULE = re.compile(r"(?m)^([\w./ -]+):{1,2}(?!=)([^=#;\n]*).*\n((?:[ \t#].*\n|\n)*)")


def of_make(text: str, words: Sequence[str]) -> Recipe:
    """The recipes of the targets that are named, those that they need before them; the first one where none is."""
    text = f"{text}\n".replace("\\\n", " ")
    known = {"MAKE": "make", "PYTHON": "python", **dict(re.findall(r"(?m)^(\w+)[ \t]*[:?]*=[ \t]*(.*)$", text))}
    known |= dict(word.split("=", 1) for word in words if "=" in word)
    rules = defaultdict[str, list[tuple[list[str], list[str]]]](list)  # one target may have several
    for rule in _RULE.finditer(text):
        recipe = [line for line in rule[3].splitlines() if line.strip() and not line.startswith("#")]
        both = rule[2].split()[::-1], recipe[:_MOST_LINES]
        for name in dict.fromkeys(rule[1].split()):
            rules[name].append(both)
    rules.pop(".PHONY", None)
    seen, lines = set[str](), list[str]()

    def make(name: str) -> None:
        if name in rules and name not in seen and len(seen) < _MOST_LINES:
            seen.add(name)
            for needs, _ in rules[name]:
                while needs:  # once, for whichever of the rule's names
                    make(needs.pop())
            lines.extend(line for _, recipe in rules[name] for line in recipe)

    for name in [word for word in words if not word.startswith("-") and "=" not in word] or [*rules][:1]:
        make(name)
    del lines[_MOST_LINES:]
    for _ in range(3):  # what names itself, or others that do, grows without end
        lines = [re.sub(r"\$[({](\w+)[)}]", lambda found: known.get(found[1], "")[:_LONGEST], line) for line in lines]
        lines = [line[: 4 * _LONGEST] for line in lines]
    return Recipe([line.lstrip(" \t@-+").replace("$$", "$") for line in lines])


def _lines(scripts: Mapping[str, Any], line: str, depth: int = 0) -> Iterator[str]:
    """The commands that a line stands for, what its script's name has behind it in their place for that."""
    name, _, more = line.lstrip("- ").partition(" ")
    behind = scripts.get(name)
    if behind is None or depth > 4:
        yield line.lstrip("- ")
        return
    for each in [behind] if isinstance(behind, str) else texts(behind):
        filled = re.sub(r"\{args(?::([^{}]*))?\}", lambda found: more or found[1] or "", each).replace("{root}", ".")
        if filled.partition(" ")[0] == name:  # such as a script `pytest` that runs pytest
            yield filled
        else:
            yield from _lines(scripts, filled, depth + 1)
