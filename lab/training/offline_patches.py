"""Fit the offline patch judge's weights on recorded patches and write them beside the judge.

    python -m lab.training.offline_patches

Run it again whenever `bot/changes` or `bot/judges/offline/patch_features.py` reads patches differently;
`bouncer bench output` measures what it gives.
"""

import json
import sys
from pathlib import Path

from lab.data.files import DATA, DataError
from lab.data.patches import FILE, read_patches
from lab.fitting.patches import count_features, fit

WEIGHTS = Path(__file__).resolve().parents[2] / "bot" / "judges" / "offline" / "patch_weights.json"


def main() -> None:
    try:
        patches = read_patches(DATA / FILE)
    except DataError as error:
        sys.exit(f"{error}\nNothing was trained.")
    weights = fit([told for patch in patches.all if (told := count_features(patch))])
    WEIGHTS.write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{weights['patches']} patches, {len(weights['features'])} features -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
