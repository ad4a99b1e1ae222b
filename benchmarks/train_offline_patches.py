"""Fit the offline patch judge's weights on recorded patches and write them beside the judge.

    python -m benchmarks.train_offline_patches

Run it again whenever `bot/changes` or `bot/judges/offline/patch_features.py` reads patches differently;
`benchmarks/judge_patches.py` measures what it gives.
"""

import json
import sys
from pathlib import Path

from benchmarks.offline_patch_model import DATA, FILES, fit, load

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "judges" / "offline" / "patch_weights.json"


def main() -> None:
    if not all((DATA / name).is_file() for name in FILES):
        sys.exit(f"There are no recorded patches with their issues in {DATA}: nothing was trained.")
    weights = fit(load())
    WEIGHTS.write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{weights['patches']} patches, {len(weights['features'])} features -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
