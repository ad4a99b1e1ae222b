"""Reports whose fix is known, and which changes of a repository's history are the fix: for training and measuring.

Each row of `../shared/data/already_fixed_pairs.jsonl` is named after the pull request that fixed it: its merge, its
squash or one of its commits is right. The history that is searched is all that was committed in the year after the
commit the fix was made from; the year before it holds no fix.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.history.values import Sought
from lab.data import git_commits
from lab.data.git_commits import directories

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "already_fixed_pairs.jsonl"
YEAR = 365 * 86400
FOLDER = {"type": Path, "required": True}
CACHE = {"type": Path, "help": "where the indexes are kept; default: a temporary directory"}
_NUMBER = re.compile(r"#\d+|(?i:\bgh-?\d+)|\b\d{3,6}\b|(?<=[_#/-])\d{2,6}|(?<=[a-z])\d{3,6}\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """fix: full SHAs of the commits that are right. head: the newest commit of the repository's default branch."""

    id: str
    repository: str
    sought: Sought
    base: str
    head: str
    fix: frozenset[str]


def mask_numbers(text: str) -> str:
    """Without any number of an issue or a pull request, and every number that might be one."""
    return _NUMBER.sub(" ", text)


def pairs(repos: Path, only: str = "") -> Iterator[Pair]:
    """Those whose repository lies below `repos` and whose fix is found in it. only: of this one repository. Ends the
    program where there are no reports at all."""
    if not DATA.is_file():
        sys.exit(f"There are no reports in {DATA.parent}: nothing was measured.")
    places = directories(repos)
    heads: dict[str, str] = {}
    merges: dict[str, dict[str, list[tuple[str, list[str]]]]] = {}
    for line in DATA.read_text("utf-8").splitlines():
        row = json.loads(line)
        repository = row["repo"]
        if repository not in places or only not in ("", repository):
            continue
        place = places[repository]
        if repository not in heads:
            heads[repository] = head_of(place)
            merges[repository] = merges_by_pull(place, heads[repository])
        head = heads[repository]
        base = row["base_commit"]
        if git(place, "cat-file", "-t", base).strip() != "commit":
            continue
        title, _, text = row["problem_statement"].partition("\n")
        number = row["instance_id"].rsplit("-", 1)[1]
        if fix := fix_of(place, number, merges[repository].get(number, ()), base, head):
            yield Pair(row["instance_id"], repository, Sought(title.strip(), text), base, head, frozenset(fix))


def head_of(place: Path) -> str:
    """The newest tip among the usual names of a default branch, and what HEAD names."""
    tips = [
        git(place, "rev-parse", "-q", "--verify", f"{name}^{{commit}}").strip() for name in ("HEAD", "main", "master")
    ]
    ages = {sha: int(git(place, "log", "-1", "--format=%ct", sha)) for sha in tips if sha}
    return max(ages, key=lambda sha: ages[sha])


def merges_by_pull(place: Path, head: str) -> dict[str, list[tuple[str, list[str]]]]:
    """By the number of a pull request the commits in the history of `head` that merged it, each with its parents."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for record in git(place, "log", head, "--format=%H%x01%P%x01%B%x00").split("\0"):
        sha, _, rest = record.strip("\n").partition("\x01")
        parents, _, message = rest.partition("\x01")
        subject = message.partition("\n")[0]
        for said in (
            re.match(r"Merged? (?:pull request |PR )?#(\d+)\b", subject),
            re.search(r"\(#(\d+)\)\s*$", subject),
        ):
            if said:
                found.setdefault(said[1], []).append((sha, parents.split()))
    return found


def fix_of(place: Path, number: str, merges: Sequence[tuple[str, Sequence[str]]], base: str, head: str) -> set[str]:
    """The merge, the squash, and the commits of pull request `number`, as far as they are in the history of `head`."""
    found = {sha for sha, _ in merges}
    for _, parents in merges:
        if len(parents) > 1:
            found.update(git(place, "rev-list", f"{parents[0]}..{parents[1]}").split())
    if not found and (tip := git(place, "rev-parse", "-q", "--verify", f"refs/pull/{number}/head").strip()):
        own = set(git(place, "rev-list", "--max-count=60", tip, f"^{base}").split())
        found = own & set(git(place, "rev-list", head, f"^{base}").split())
    return found


def git(place: Path, *words: str) -> str:
    """Its output, empty where it fails."""
    return git_commits.git(place, *words).decode(errors="replace")
