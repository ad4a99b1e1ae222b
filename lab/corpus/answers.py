"""What `bouncer` of any checkout says, by its command line alone: of reports, patches, cases and pull requests."""

import hashlib
import json
import os
import random
import runpy
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lab.corpus.recording import Item, briefly, item, normalise
from tests.hostile_pulls.catalogue import FAMILIES, HOUSES, INSTALLED, PACKAGES
from tests.hostile_pulls.values import Pull
from tests.support.clones import commit, git, initialise
from tests.verification.environments.house import index

ROOT = Path(__file__).parents[2]
COMMITTED = [*sorted((ROOT / "tests" / "data").glob("*.jsonl")), ROOT / "lab" / "data" / "issues_retold.jsonl"]
SHARED, CASES = ROOT.parent / "shared" / "data", ROOT.parent / "shared" / "cases"
_ISSUES, _PATCHES = 300, 100  # of those beside the repository
_SEED = 1
_LIMIT = 900.0  # seconds of one call
_ONE_PROCESS = Path(__file__).with_name("one_process.py")

Answer = subprocess.CompletedProcess[str]


@dataclass(frozen=True, slots=True)
class Bouncer:
    """path: of the console script. folder: where it keeps what it makes."""

    path: Path
    folder: Path

    def environment(self, **more: str) -> dict[str, str]:
        """Nobody's settings, a cache of its own, and a terminal of one width."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("BOUNCER_", "VIRTUAL_ENV"))}
        own = {"BOUNCER_SETTINGS_FILE": "", "BOUNCER_CACHE_DIR": str(self.folder / "cache")}
        return {**clean, **own, "COLUMNS": "120", "NO_COLOR": "1", **more}

    def call(self, *words: str, **more: str) -> Answer:
        """One call. more: of its environment."""
        return self._run([self.path, *words], "", more)

    def call_each(self, calls: Iterable[tuple[str, ...]]) -> list[Answer]:
        """Many calls that need little more than what they import, which is imported once for all."""
        interpreter = self.path.read_text("utf-8").splitlines()[0].removeprefix("#!")
        given = "".join(json.dumps(words) + "\n" for words in calls)
        ran = self._run([interpreter, "-P", _ONE_PROCESS, self.path], given, {})
        ran.check_returncode()
        return [Answer(ran.args, *json.loads(line)) for line in ran.stdout.splitlines()]

    def _run(self, command: list[Any], given: str, more: Mapping[str, str]) -> Answer:
        return subprocess.run(
            command,
            env=self.environment(**more),
            cwd=self.folder,
            input=given,
            capture_output=True,
            text=True,
            timeout=None if given else _LIMIT,
        )


def judged(answer: Answer, shown: str = "", *folders: str) -> Item:
    """What a call with `--json` said. shown: what people are shown. folders: of this run, which are normalised together
    with all that differs between runs; without them nothing is."""
    try:
        document = json.loads(answer.stdout)
    except ValueError:
        document = None
    said = answer.stdout + answer.stderr
    text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) if document else said
    text = f"exit {answer.returncode}\n{text}\n{shown}"
    return item(briefly(document), normalise(text, *folders) if folders else text)


def rows(path: Path) -> dict[str, dict[str, Any]]:
    """Its id, or its line's number where it has none -> each row of a JSON Lines file."""
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return {str(row.get("id", f"{number:04}")): row for number, row in enumerate(read, 1)}


def judge_reports(bouncer: Bouncer, reports: Mapping[str, dict[str, Any]]) -> dict[str, Item]:
    """Name -> what is said of that report, as JSON and as people are shown it."""
    calls: list[tuple[str, ...]] = []
    for number, row in enumerate(reports.values()):
        path = bouncer.folder / f"report{number}.json"
        path.write_text(json.dumps({key: row.get(key) for key in ("title", "body", "labels")}), "utf-8")
        calls += [("judge", "issue", str(path), "--json"), ("judge", "issue", str(path))]
    answers = bouncer.call_each(calls)
    pairs = zip(answers[::2], answers[1::2], strict=True)
    return {name: judged(told, shown.stdout + shown.stderr) for name, (told, shown) in zip(reports, pairs, strict=True)}


def record_reports(bouncer: Bouncer) -> dict[str, Item]:
    """Every report that the repository holds."""
    named = {f"{path.stem}/{name}": row for path in COMMITTED for name, row in rows(path).items()}
    return judge_reports(bouncer, named)


def record_data(bouncer: Bouncer) -> dict[str, Item]:
    """A seeded sample of real issues and of patches for them, named by their place in their file alone."""
    issues, texts = {}, {}
    for stem in ("issues_annotated", "issues_unannotated"):
        for name, row in rows(SHARED / f"{stem}.jsonl").items():
            title, _, body = row["problem_statement"].partition("\n")
            issues[f"{stem}/{name}"] = {"title": title.strip(), "body": body}
            texts[row["instance_id"]] = row["problem_statement"]
    patches = {name: row for name, row in rows(SHARED / "patch_triples.jsonl").items() if row["instance_id"] in texts}
    chance = random.Random(_SEED)
    found = judge_reports(bouncer, {name: issues[name] for name in sorted(chance.sample(sorted(issues), _ISSUES))})

    given, out = bouncer.folder / "patches.jsonl", bouncer.folder / "patches.json"
    with given.open("w", encoding="utf-8") as file:
        for name in sorted(chance.sample(sorted(patches), _PATCHES)):
            text, patch = texts[patches[name]["instance_id"]], patches[name]["model_patch"]
            file.write(json.dumps({"instance_id": name, "problem_statement": text, "model_patch": patch}) + "\n")
    answer = bouncer.call("judge", "patches", str(given), "--out", str(out))
    if not out.exists():
        raise RuntimeError(answer.stderr)
    for name, told in json.loads(out.read_text("utf-8")).items():
        text = json.dumps(told, indent=1, sort_keys=True)
        found[f"patch_triples/{name}"] = item("BOUNCE" if told.get("input_bounce") else "ACCEPT", text)
    return found


def cases() -> dict[str, Any]:
    """The black-box cases beside the repository: `KIND/FAMILY: NAME` -> what their own runner has for it."""
    runner = _runner()
    loaded = [case for kind in runner.KINDS for case in runner.load(kind, None)]
    return {f"{kind}/{family}: {case['name']}": (kind, case) for kind, family, case in loaded}


def record_cases(bouncer: Bouncer, chosen: Mapping[str, Any], jobs: int) -> dict[str, Item]:
    """Of each whether it is right, and every document that `bouncer` printed for it."""
    runner, home = _runner(), bouncer.folder / "home"
    home.mkdir()

    class Noting(runner.Bouncer):  # type: ignore[misc, name-defined]
        """Keeps what it is told."""

        def __init__(self) -> None:
            super().__init__(str(bouncer.path), home, _LIMIT)
            self.told: list[Any] = []

        def __call__(self, *words: Any) -> Any:
            self.told.append(super().__call__(*words))
            return self.told[-1]

    def judge(number: int, kind: str, case: Any) -> Item:
        lacking = [program for program in case.get("needs", ()) if not shutil.which(program)]
        if lacking:
            return item("left out", f"no {', '.join(lacking)} on this machine")
        noting, folder = Noting(), bouncer.folder / f"case{number}"
        folder.mkdir()
        try:
            right, said = "right", getattr(runner, kind.removesuffix("s"))(noting, folder, case)
        except (runner.Wrong, subprocess.TimeoutExpired) as wrong:
            right, said = "wrong", str(wrong)
        documents = json.dumps(noting.told, indent=1, sort_keys=True, ensure_ascii=False)
        text = f"{said}\n{documents}"
        told = text if kind == "issues" else normalise(text, str(folder), str(bouncer.folder))
        return item(", ".join((right, *map(briefly, noting.told))), told)

    return _each({name: (number, *case) for number, (name, case) in enumerate(chosen.items())}, judge, jobs)


def _runner() -> Any:
    return SimpleNamespace(**runpy.run_path(str(CASES / "run.py")))


def catalogue() -> dict[str, Pull]:
    """`FAMILY/trick NAME`, `FAMILY/twin NAME` -> hostile pull request, and each house broken without a trick."""
    found = {f"control/{house.name}": Pull("control", "broken", house, house.broken) for house in HOUSES}
    for family in FAMILIES:
        for kind, pulls in (("trick", family.hostile), ("twin", family.honest)):
            found |= {f"{family.name}/{kind} {pull.house.name}: {pull.name}": pull for pull in pulls}
    return found


def record_pulls(bouncer: Bouncer, pulls: Mapping[str, Pull], jobs: int) -> dict[str, Item]:
    """What the gate would say of each in a repository of its house. Unlike the tests, `bouncer judge pull` takes an
    issue from a file of which nobody knows whose it is."""
    with index(PACKAGES, INSTALLED) as address:
        calls = {name: _proposed(bouncer, pull, number) for number, (name, pull) in enumerate(pulls.items())}

        def judge(*words: str) -> Item:
            return judged(bouncer.call(*words, BOUNCER_PACKAGE_INDEX=address), "", str(bouncer.folder))

        return _each(calls, judge, jobs)


def _proposed(bouncer: Bouncer, pull: Pull, number: int) -> tuple[str, ...]:
    """What to call for it, once its change is a branch in the repository of its house."""
    repository, branch = bouncer.folder / "houses" / pull.house.name, f"change-{number}"
    if not repository.exists():
        commit(initialise(repository), pull.house.files, "The shop")
    git(repository, "checkout", "--quiet", "-b", branch, "main")
    commit(repository, pull.change, "Make the sum of prices plainer")
    git(repository, "checkout", "--quiet", "main")
    words = ("judge", "pull", "--repo", str(repository), "--base", "main", "--head", branch, "--json")
    if not pull.issue:
        return words
    issue = bouncer.folder / f"{hashlib.sha256(pull.issue.encode()).hexdigest()[:12]}.md"
    issue.write_text(pull.issue, "utf-8")
    return (*words, "--issue", str(issue))


def _each(calls: Mapping[str, tuple[Any, ...]], judge: Callable[..., Item], jobs: int) -> dict[str, Item]:
    """Every one judged, so many at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(calls, pool.map(lambda call: judge(*call), calls.values()), strict=True))
