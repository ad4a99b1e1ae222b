"""Fit the offline judge's weights on the annotated issues and write them beside the judge.

    python -m lab.training.offline_issues

Run it again whenever `bot/issues` reads reports differently; `lab/benchmarks/judge_issues.py` measures what it gives.
"""

import json
import sys
from pathlib import Path

from lab.training.offline_model import DATA, fit, load

WEIGHTS = Path(__file__).resolve().parents[2] / "bot" / "judges" / "offline" / "issue_weights.json"


def main() -> None:
    if not (DATA / "issues_annotated.jsonl").is_file():
        sys.exit(f"There are no annotated issues in {DATA}: nothing was trained.")
    weights = fit(load())
    lines = json.dumps(weights, indent=1, ensure_ascii=False)
    WEIGHTS.write_text(lines + "\n", encoding="utf-8")
    print(f"{weights['issues']} issues, {len(weights['words'])} words -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
