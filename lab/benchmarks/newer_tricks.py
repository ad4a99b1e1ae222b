"""What a newer attack gets through: its tricks and their honest twins, through `bouncer judge pull`.

    python -m lab.benchmarks.newer_tricks [--out FILE] [--minutes 60] [--only WORD …]

`tests/hostile_pulls/newer/` has them. Those that are held go to the families of `make hostile` in time, which keep
them so. Printed: the tricks that merge, the twins that are bounced or wait for a person, and each by its name.
"""

import json
import math
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.processes import machine, read_options
from tests.hostile_pulls.catalogue import INSTALLED, NEWER, PACKAGES
from tests.hostile_pulls.judging import judged
from tests.verification.environments.house import index

NEUTRAL = "neutral"


def main() -> None:
    given = read_options(
        __doc__,
        out={"type": Path, "help": "JSON Lines, read again on the next run"},
        minutes=math.inf,
        only={"nargs": "+", "default": [""], "metavar": "WORD", "help": "one of which a name has to hold"},
    )
    known = _kept(given.out)
    end = time.monotonic() + 60 * given.minutes
    with TemporaryDirectory(prefix="bouncer-newer-") as directory, index(PACKAGES, INSTALLED) as address:
        for kind, pull in (
            *(("trick", pull) for family in NEWER for pull in family.hostile),
            *(("twin", pull) for family in NEWER for pull in family.honest),
        ):
            name = f"{kind} {pull}"
            if name in known or time.monotonic() > end or not any(word in name for word in given.only):
                continue
            ended = judged(pull, Path(directory), Path(directory) / "cache", address)
            known[name] = ended.conclusion
            print(f"{ended.conclusion:16} {name}: {ended.reasons[:1]}", flush=True)
            if given.out:
                with given.out.open("a") as lines:
                    lines.write(json.dumps([name, ended.conclusion]) + "\n")
    tricks = [ended for name, ended in known.items() if name.startswith("trick")]
    twins = [ended for name, ended in known.items() if name.startswith("twin")]
    print(f"\n{machine(Path.cwd())}\n")
    print(f"tricks that merge: {sum(each in ('success', NEUTRAL) for each in tricks)} of {len(tricks)}")
    print(f"twins that are bounced: {twins.count('failure')} of {len(twins)}")
    print(f"twins that wait for a person: {twins.count('action_required')} of {len(twins)}")


def _kept(out: Path | None) -> dict[str, str]:
    if out is None or not out.exists():
        return {}
    return dict(json.loads(line) for line in out.read_text().split("\n")[:-1])


if __name__ == "__main__":
    main()
