"""Reports whose fix is known, each with FixedBench's three states as commits of a git directory."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.changes.read import read_change
from bot.policy import Verify
from bot.reports import IssueText
from lab.data.files import DataError, issue_text, read_rows
from lab.data.git_commits import directories, file_at, git, make_borrower, paths_between, with_files, with_patch
from lab.data.patches import PICKED_BY_ORACLE
from lab.fixed.recipes import policy
from lab.scores.abstention import NOVEL, RESOLVED
from lab.scores.code_lines import abstains

MERGED = "Merged"
FILES = ("already_fixed_pairs.jsonl", "issues_annotated.jsonl", "patch_triples.jsonl")
_PUBLISHED = (
    f"--data names a directory that holds {', '.join(FILES)}: reports of SWE-bench with their fixes, labels and "
    "patches (huggingface.co/datasets/SWE-bench, github.com/SWE-bench/experiments; most state no licence)."
)


@dataclass(frozen=True, slots=True)
class FixedCase:
    """One report. states: by name the commit that is the head; `Partial …` for each patch; `Merged` is the fix with its
    tests, as a repository has it. tests: those of the fix.

    created: when the fix was proposed, ISO 8601.
    """

    id: str
    repository: str
    created: str
    text: IssueText
    directory: Path
    states: Mapping[str, str]
    policy: Verify
    files: Mapping[str, bytes]
    tests: tuple[str, ...]


def rows(data: Path, repos: Path, only: Collection[str]) -> Iterator[dict[str, Any]]:
    """The reports of these repositories, as the files have them, with the patches that did not resolve them.

    Raises `DataError` for a file that is missing or no such data, and where no repository is there.
    """
    places = directories(repos)
    if not places.keys() & set(only):
        raise DataError(
            f"{repos}: there is no git directory of {', '.join(only)}, named OWNER+NAME.git. Clone one there."
        )
    try:
        yield from _rows(data, {name: place for name, place in places.items() if name in only})
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{data}: the rows are not as expected ({type(error).__name__}: {error}).") from None


def _rows(data: Path, places: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
    annotated = {row["instance_id"]: row for row in _read(data / FILES[1])}
    patches = defaultdict(list)
    for row in _read(data / FILES[2]):
        if row["resolved"] is False and PICKED_BY_ORACLE not in row["submission"]:
            patches[row["instance_id"]].append(row["model_patch"])
    for row in _read(data / FILES[0]):
        place = places.get(row["repo"])
        if place and git(place, "cat-file", "-t", row["base_commit"]).strip() == b"commit":
            more = annotated.get(row["instance_id"], {})
            yield {**more, **row, "patches": patches[row["instance_id"]]}


def _read(path: Path) -> Iterator[dict[str, Any]]:
    return (row for _, row in read_rows(path, _PUBLISHED))


def case(row: dict[str, Any], place: Path, into: Path, partials: int) -> FixedCase | None:
    """Its states, in a git directory of their own that is made at `into`; `None` where the fix cannot be applied."""
    directory, base = make_borrower(place, into), row["base_commit"]
    fixed = with_patch(directory, base, row["patch"]) if "patch" in row else _with_hunks(directory, base, row["files"])
    if fixed is None:
        return None
    states = {NOVEL: base, RESOLVED: fixed}
    for patch in row["patches"]:
        if len(states) < 2 + partials and not abstains(read_change(patch.encode())):
            sha = with_patch(directory, base, patch)
            if sha and sha not in states.values():
                states[f"Partial {len(states) - 1}"] = sha
    test_patch = row.get("test_patch", "")
    tested = with_patch(directory, base, test_patch) if test_patch else None
    changed = paths_between(directory, base, tested) if tested else []
    files = {path: git(directory, "cat-file", "blob", f"{tested}:{path}") for path in changed}
    if test_patch and (merged := with_patch(directory, fixed, test_patch)):
        states[MERGED] = merged
    return FixedCase(
        id=row["instance_id"],
        repository=row["repo"],
        created=row["created_at"],
        text=issue_text(row["problem_statement"]),
        directory=directory,
        states=states,
        policy=policy(row["repo"], row["created_at"], row.get("version", "")),
        files=files,
        tests=tuple(_selected(files, row.get("FAIL_TO_PASS", ()))),
    )


def _selected(files: Mapping[str, bytes], names: Iterable[str]) -> Iterator[str]:
    """Tests as pytest names them; some projects name theirs by the function alone."""
    for name in names:
        if "::" in name:
            yield name
        else:
            yield from (f"{path}::{name}" for path, text in files.items() if f"def {name}(".encode() in text)


def _with_hunks(directory: Path, base: str, files: Iterable[dict[str, Any]]) -> str | None:
    """The same, from the pieces that the pairs hold; `None` where one does not stand exactly once in its file."""
    texts = {}
    for file in files:
        text = "" if file["new_file"] else file_at(directory, base, file["path"]) or ""
        for hunk in file["hunks"]:
            if not file["new_file"] and text.count(hunk["before"]) != 1:
                return None
            text = hunk["after"] if file["new_file"] else text.replace(hunk["before"], hunk["after"])
        texts[file["path"]] = text
    return with_files(directory, base, texts)
