"""Issues, judged one by one: those that the repository holds, and a sample of those beside the repository."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.corpus.command_line import Bouncer, judged
from lab.corpus.recording import Item, item

ROOT = Path(__file__).parents[2]
COMMITTED = [*sorted((ROOT / "tests" / "data").glob("*.jsonl")), ROOT / "lab" / "data" / "issues_retold.jsonl"]
SHARED = ROOT.parent / "shared" / "data"
_ISSUES, _PATCHES = 300, 100
_SEED = 1


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
    return {name: judged(told, shown.out + shown.err) for name, (told, shown) in zip(reports, pairs, strict=True)}


def record_reports(bouncer: Bouncer) -> dict[str, Item]:
    """Every report that the repository holds."""
    named = {f"{path.stem}/{name}": row for path in COMMITTED for name, row in rows(path).items()}
    return judge_reports(bouncer, named)


def record_data(bouncer: Bouncer) -> dict[str, Item]:
    """A seeded sample of real issues and of patches for them, named by their place in their file alone."""
    files = [SHARED / f"issues_{each}.jsonl" for each in ("annotated", "unannotated")]
    issues = {f"{path.stem}/{name}": _report(row) for path in files for name, row in rows(path).items()}
    texts = {row["id"]: row["text"] for row in issues.values()}
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
        raise RuntimeError(answer.err)
    for name, told in json.loads(out.read_text("utf-8")).items():
        text = json.dumps(told, indent=1, sort_keys=True)
        found[f"patch_triples/{name}"] = item("BOUNCE" if told.get("input_bounce") else "ACCEPT", text)
    return found


def _report(row: Mapping[str, Any]) -> dict[str, Any]:
    title, _, body = row["problem_statement"].partition("\n")
    return {"id": row["instance_id"], "text": row["problem_statement"], "title": title.strip(), "body": body}
