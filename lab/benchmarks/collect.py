"""Bugs that a real history gives, and what finding them takes: `python -m lab.benchmarks.collect --clone DIR`.

Runs `bouncer bench collect` on an export that is made of the history alone. Which issue a change fixed is what commits
say; the issue's text, which git does not have, is the fix's message. So the bugs are there for measuring time, and are
no data for judges. A clone that has `refs/pull` tells issues from pull requests.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.pulls.linked import closing
from lab.benchmarks.machine import machine

_PULL = re.compile(r"Merge pull request #(\d+) |.*\(#(\d+)\)$")
_HOME = "https://api.github.com/repos"


@dataclass(frozen=True)
class Commit:
    """messages: its own, or those of the branch that it merges, oldest first. pull: 0 for none."""

    sha: str
    at: str
    messages: tuple[str, ...]
    pull: int


def main() -> None:
    """Prints what the command says, and what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clone", type=Path, required=True)
    parser.add_argument("--issues", type=int, default=200)
    given = parser.parse_args()
    print(machine(Path(tempfile.gettempdir())))
    with tempfile.TemporaryDirectory() as export, tempfile.TemporaryDirectory() as cache:
        name = f"own/{given.clone.resolve().name}"
        print(f"{write_export(Path(export), given.clone, name)} issues that commits say they fix")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "BOUNCER_CACHE_DIR": cache}
        words = ["bouncer", "bench", "collect", export, "--clone", str(given.clone), "--issues", str(given.issues)]
        for turn in ("first run", "second run"):
            start = time.monotonic()
            subprocess.run([*words, "--yes"], env=environment, check=False)
            print(f"{turn}: {time.monotonic() - start:.1f} s")
    print(f"memory, at most: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


def write_export(folder: Path, clone: Path, name: str) -> int:
    """Writes the files of an export there; the number of issues."""
    pulls = {int(ref.split("/")[2]) for ref in _git(clone, "for-each-ref", "--format=%(refname)", "refs/pull").split()}
    fixed: dict[int, list[Commit]] = defaultdict(list)
    for commit in commits(clone):
        for number in {number for text in commit.messages for place, number in closing(text) if not place}:
            if number not in pulls:
                fixed[number].append(commit)
    merged = {commit.pull: commit for each in fixed.values() for commit in each if commit.pull}
    _lines(folder / "issues.jsonl", [_issue(number, name, fixed[number]) for number in fixed])
    _lines(folder / "pulls.jsonl", [_pull(number, commit) for number, commit in merged.items()])
    acts = [{"number": number, "events": _closed(fixed[number])} for number in fixed]
    acts += [{"number": number, "events": _committed(commit)} for number, commit in merged.items()]
    _lines(folder / "timeline.jsonl", acts)
    return len(fixed)


def commits(clone: Path) -> Iterator[Commit]:
    """Those of the main line; those of a branch that was merged without a pull request each by itself."""
    for sha, at, message in _log(clone, "--first-parent", "HEAD"):
        found = _PULL.match(message.partition("\n")[0])
        above = _git(clone, "rev-parse", f"{sha}^@").split()
        inside = list(_log(clone, "--reverse", f"{above[0]}..{above[1]}")) if len(above) == 2 else []
        if found or not inside:
            messages = (*(text for _, _, text in inside), message) if inside else (message,)
            yield Commit(sha, at, messages, int(found[1] or found[2]) if found else 0)
        else:
            yield from (Commit(each, when, (text,), 0) for each, when, text in inside)


def _issue(number: int, name: str, by: list[Commit]) -> dict[str, Any]:
    title, _, body = by[0].messages[0].partition("\n")
    at = {"created_at": by[-1].at, "updated_at": by[0].at, "state": "closed"}
    return {"number": number, "title": title, "body": body, "repository_url": f"{_HOME}/{name}", **at}


def _pull(number: int, commit: Commit) -> dict[str, Any]:
    merged = {"created_at": commit.at, "merged_at": commit.at, "merge_commit_sha": commit.sha, "state": "closed"}
    return {"number": number, "title": "", "body": commit.messages[-1], **merged}


def _closed(by: list[Commit]) -> list[dict[str, Any]]:
    alone = [commit for commit in by if not commit.pull]
    return [{"event": "closed", "created_at": commit.at, "commit_id": commit.sha} for commit in alone]


def _committed(commit: Commit) -> list[dict[str, Any]]:
    who = {"date": commit.at}
    shas = [f"{place:040x}" for place, _ in enumerate(commit.messages)]
    told = zip(shas, commit.messages, strict=True)
    return [{"event": "committed", "sha": sha, "committer": who, "message": message} for sha, message in told]


def _log(clone: Path, *words: str) -> Iterator[tuple[str, str, str]]:
    for record in _git(clone, "log", "-z", "--format=%H%n%cI%n%B", *words).split("\0"):
        sha, at, message = (*record.split("\n", 2), "", "")[:3]
        if sha:
            yield sha, at, message.strip()


def _git(clone: Path, *words: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *words], cwd=clone, env=environment, capture_output=True, check=True)
    return done.stdout.decode(errors="replace")


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
