"""Which merged changes of public repositories are judged, drawn by the hash of their commit, and how each is judged."""

import hashlib
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.changes.kinds import is_test_module
from bot.commands.judge_pull import facts_of
from bot.commands.judge_pull_input import in_clone
from bot.commands.shared import own_settings
from bot.pulls.decide import decide_pull, ground_of
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult
from bot.rendering.pull_reasons import reasons
from bot.settings import Settings
from bot.verdicts import Cause, Decision, Verdict

REPOSITORIES = (
    *("psf/requests", "pallets/flask", "pallets/click", "pallets/jinja", "pallets/werkzeug", "python-attrs/attrs"),
    *("encode/httpx", "Textualize/rich", "pytest-dev/pytest", "marshmallow-code/marshmallow", "pypa/packaging"),
)
SINCE = "2019-06-01"
_BUG = re.compile(r"\b(fix(es|ed)?|bug|regress\w*|crash\w*|incorrect\w*|wrong\w*)\b", re.IGNORECASE)
_TRIVIAL = re.compile(
    r"typo|clean.?up|codespell|spelling|grammar|lint|flake8|pre-commit|\b(re)?format|mypy|typing|deprecat|docs?\b|docstring"
    r"|comment|refactor|bump|release|flaky|test suite|warnings? in (the )?tests?\b"
    r"|fix(es|ed|ing)? (the |some |a |failing |broken )?tests?\b",
    re.IGNORECASE,
)
_NOT_PRODUCT = re.compile(r"(.*/)?(tests?|testing|docs?|examples?|scripts?|bench\w*|tasks|\.github)/.*")
_LOGS = re.compile(r"(.*/)?(CHANGE\w*|HISTORY|NEWS)(\.\w+)?|(.*/)?(changelog(\.d)?|newsfragments)/.+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """One change to judge. kind: `fix`, `ordinary`, or how it was damaged. clone: a scratch repository that has both
    commits. asked: the issue's text; empty where nothing was asked. product, tests: changed paths."""

    name: str
    kind: str
    clone: Path
    base: str
    head: str
    asked: str
    product: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Merged:
    base: str
    head: str
    title: str
    message: str
    subjects: str  # the first line of each commit's message
    files: dict[str, int]  # path -> lines changed; -1 for a binary file


def git(directory: Path, *words: str, text: bytes | None = None, **variables: str) -> bytes:
    """What git prints."""
    done = subprocess.run(
        ["git", "-C", str(directory), *words],
        input=text,
        capture_output=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **variables},
    )
    return done.stdout


def draw_cases(repos: Path, repository: str, most: int, scratch: Path, *, held: bool, kind: str) -> list[Case]:
    """So many merged changes of the repository. held: of the half that is kept back. kind: `fix`, or `ordinary` for
    changes of any other sort."""
    clone = _scratch(repos / repository.replace("/", "+"), scratch)
    cases: list[Case] = []
    for base, head, title in sorted(_pulls(clone), key=lambda pull: _hash(pull[1])):
        if len(cases) >= most:
            break
        if int(_hash(head)[-1], 16) % 2 != held:
            continue
        merged = _merged(clone, base, head, title)
        if _is_fix(merged) == (kind == "fix") and merged.files:
            cases.append(_case(clone, repository, merged, kind))
    return cases


def _scratch(directory: Path, scratch: Path) -> Path:
    """A bare repository that borrows the objects, so that the damaged commits land in none that is kept."""
    source = directory / "repo" if (directory / "repo").is_dir() else directory
    clone = scratch / directory.name
    if not clone.exists():
        git(scratch, "clone", "--quiet", "--bare", "--shared", str(source), str(clone))
    return clone


def _pulls(clone: Path) -> Iterator[tuple[str, str, str]]:
    """Base, head and title of every merged pull request, merge commits and squashed ones alike."""
    told = git(clone, "log", "--first-parent", f"--since={SINCE}", "--format=%H%x00%P%x00%s%x00%b%x01").decode()
    for entry in told.split("\x01"):
        sha, _, rest = entry.strip("\n").partition("\0")
        parents, title, body = rest.split("\0", 2) if rest else ("", "", "")
        if not parents:
            continue  # the first commit of all
        first, *others = parents.split()
        if others and "pull request" in title:
            yield first, others[0], body.strip().partition("\n")[0] or title
        elif not others and re.search(r"\(#\d+\)$", title):
            yield first, sha, re.sub(r"\s*\(#\d+\)$", "", title)


def _merged(clone: Path, base: str, head: str, title: str) -> _Merged:
    stats = git(clone, "diff", "--no-renames", "--numstat", f"{base}...{head}").decode(errors="replace")
    files = {}
    for line in stats.splitlines():
        added, removed, path = line.split("\t", 2)
        files[path] = -1 if added == "-" else int(added) + int(removed)
    message, subjects = (
        git(clone, "log", "--reverse", f"--format={form}", f"{base}..{head}").decode(errors="replace")
        for form in ("%s%n%b", "%s")
    )
    return _Merged(base, head, title, message, subjects, files)


def _is_fix(merged: _Merged) -> bool:
    product = [path for path in merged.files if is_product(path)]
    lines = sum(merged.files[path] for path in product)
    small = 1 <= len(product) <= 4 and 2 <= lines <= 120 and len(merged.files) <= 12
    speaks = bool(_BUG.search(merged.title + merged.message)) and not _TRIVIAL.search(
        f"{merged.title}\n{merged.subjects}"
    )
    return small and speaks and any(map(is_test_module, merged.files))


def _case(clone: Path, repository: str, merged: _Merged, kind: str) -> Case:
    asked = _asked(clone, merged) if kind == "fix" else ""
    product = tuple(path for path in merged.files if is_product(path))
    tests = tuple(path for path in merged.files if is_test_module(path))
    return Case(f"{repository}@{merged.head[:10]}", kind, clone, merged.base, merged.head, asked, product, tests)


def _asked(clone: Path, merged: _Merged) -> str:
    """A stand-in for the issue: what the change is called, its message, and what it adds to the change log."""
    logs = [path for path in merged.files if _LOGS.fullmatch(path)]
    diff = git(clone, "diff", "--unified=0", f"{merged.base}...{merged.head}", "--", *logs).decode() if logs else ""
    added = (line[1:].strip() for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++"))
    trailers = re.compile(r"(Co-authored-by|Signed-off-by|Co-Authored-By):.*")
    lines = [line for line in merged.message.splitlines() if not trailers.fullmatch(line)][:40]
    return "\n".join(["# " + merged.title, "", *lines, "", *added])[:6000]


def is_product(path: str) -> bool:
    if not path.endswith(".py") or is_test_module(path) or _NOT_PRODUCT.fullmatch(path):
        return False
    return path not in ("setup.py", "noxfile.py") and not path.endswith("conftest.py")


def _hash(sha: str) -> str:
    return hashlib.sha256(sha.encode()).hexdigest()


def run(case: Case) -> dict[str, Any]:
    """The verdict on one change, as plain data. Never raises: what goes wrong is the answer's reason."""
    started = time.monotonic()
    try:
        settings = own_settings(judge="offline")
        there = _environments(settings)
        facts, verdict = _judged(case, settings)
        cold = _environments(settings) != there
    except Exception as error:  # noqa: BLE001 - a run that breaks is a result
        told = [f"{type(error).__name__}: {error}"]
        ended = {"conclusion": "broke", "reasons": told, "ran": False, "rule": "", "cold": False}
        return {"name": case.name, "kind": case.kind, "seconds": time.monotonic() - started, **ended}
    patch = facts.trial.patch
    return {
        "name": case.name,
        "kind": case.kind,
        "cold": cold,
        "seconds": round(time.monotonic() - started, 1),
        "conclusion": conclusion(verdict),
        "reasons": list(reasons(PullResult(verdict, "", facts=facts))),
        "ran": patch is not None and not patch.facts.base.unavailable and bool(patch.facts.base.results),
        "rule": ground_of(facts).value,
    }


def conclusion(verdict: Verdict) -> str:
    """As the check ends in `mode: enforce` with the built-in policy."""
    if verdict.decision is Decision.UNAVAILABLE:
        return "neutral" if verdict.cause in (None, Cause.OUTSIDE) else "action_required"
    return "success" if verdict.decision is Decision.ACCEPT else "failure"


def _environments(settings: Settings) -> int:
    """How many were set up so far: a verdict that adds one waited for it."""
    return len(list((settings.cache_dir / "environments" / "entries").glob("*")))


def _judged(case: Case, settings: Settings) -> tuple[PullFacts, Verdict]:
    with TemporaryDirectory() as scratch:
        issue = None
        if case.asked:
            issue = str(Path(scratch, "issue.md"))
            Path(issue).write_text(case.asked)
        with in_clone(case.clone, case.base, case.head, issue, settings) as proposed:
            facts = facts_of(proposed, settings)
    return facts, decide_pull(facts)
