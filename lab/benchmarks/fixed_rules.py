"""What each text rule of `bot/already_fixed` is good for: every pattern that reads a report, taken out alone.

    python -m lab.benchmarks.fixed_rules [--module claims …]

Over each report of `../shared/data`, of which these rules were made with sight of some, and over the two halves of each
repository's reports by time, newest last: in how many does what is read change without the pattern? What is read are
the reproductions, what cannot be read, their variants, and whether the report says that it came back. A pattern that
changes nothing in any report moves no figure that is made of them; one that changes few is worth a second look.
"""

import argparse
import importlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from bot.already_fixed.project import Project
from bot.already_fixed.reading.extract import read
from bot.already_fixed.reading.regression_claim import came_back
from bot.already_fixed.variants import variants

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = ("already_fixed_pairs.jsonl", "issues_annotated.jsonl", "issues_unannotated.jsonl")
MODULES = (
    *("reading.blocks", "reading.classify", "reading.commands", "reading.expected_value", "reading.extract"),
    *("reading.failing", "reading.from_commands", "reading.from_scripts", "reading.from_sessions", "reading.page"),
    *("reading.prompt_sessions", "reading.python", "reading.regression_claim", "reading.tracebacks"),
    *("reading.unasked", "reading.values_in_prose", "variants"),
)


def reports() -> dict[str, tuple[str, str, str]]:
    """By id: its repository, its first line, and the rest."""
    rows: dict[str, dict[str, Any]] = {}
    for name in FILES:
        for line in (DATA / name).read_text().splitlines():
            row = json.loads(line)
            rows.setdefault(row["instance_id"], row)
    by_time = sorted(rows.values(), key=lambda row: str(row.get("created_at") or ""))
    told = ((row, row["problem_statement"].partition("\n")) for row in by_time)
    return {row["instance_id"]: (str(row.get("repo") or ""), title, text) for row, (title, _, text) in told}


def read_of(repository: str, title: str, text: str) -> str:
    """Everything that is read of a report, to be compared. Whatever it calls is taken for a name of the project, so
    that no rule is idle for want of the project's code."""
    name = repository.rpartition("/")[2].replace("scikit-learn", "sklearn")
    called = frozenset(re.findall(r"([A-Za-z_]\w*)\(", f"{title}\n{text}"))
    found = read(title, text, Project(frozenset({name}), frozenset({name}), name, called))
    more = [variants(one, f"{title}\n{text}") for one in found.reproductions]
    return repr((found, more, came_back(title, text)))


def patterns(modules: list[str]) -> Iterator[tuple[ModuleType, str]]:
    for name in modules:
        module = importlib.import_module(f"bot.already_fixed.{name}")
        yield from ((module, each) for each, value in vars(module).items() if isinstance(value, re.Pattern))


@contextmanager
def without(module: ModuleType, name: str) -> Iterator[None]:
    """The pattern matches nothing meanwhile, wherever it was imported."""
    pattern = getattr(module, name)
    never = re.compile(f"(?!)(?:{pattern.pattern})", pattern.flags)  # with the same groups
    places = [each for each in list(sys.modules.values()) if each and vars(each).get(name) is pattern]
    for place in places:
        setattr(place, name, never)
    try:
        yield
    finally:
        for place in places:
            setattr(place, name, pattern)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--module", action="extend", nargs="+", default=[])
    wanted = arguments.parse_args().module or list(MODULES)
    told = reports()
    places: dict[str, list[str]] = defaultdict(list)
    for name, (repository, _, _) in told.items():
        places[repository].append(name)
    newer = {name for names in places.values() for name in names[len(names) // 2 :]}
    before = {name: read_of(*report) for name, report in told.items()}
    print(f"{len(told)} reports of {len(places)} repositories\n\n{'pattern':44} {'older':>6} {'newer':>6}")
    for module, pattern in patterns(wanted):
        with without(module, pattern):
            changed = {name for name, report in told.items() if read_of(*report) != before[name]}
        label = f"{module.__name__.removeprefix('bot.already_fixed.')}.{pattern}"
        print(f"{label:44} {len(changed - newer):6} {len(changed & newer):6}", flush=True)


if __name__ == "__main__":
    main()
