"""A hundred reviews as bots write them, right and wrong ones: how many claims could be run, and how many were upheld or
refuted wrongly.

    python -m lab.benchmarks.reviews [--kept] [--only NAME]

Without `--kept` the half that Bouncer was built from, with it the half that was kept aside. Each review comes to a
pull request of its own through worker, fake GitHub, environment, sandbox and filter; no model is asked. What behaves
alike is looked at for two seconds at most instead of ten. Exit status: 1 where the goals are missed.
"""

import argparse
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from bot.storage.judgements import RejectionRecord
from bot.verdicts import ClaimOutcome
from bot.verification.fix_guided import filter as looks
from fake_github.access import new_private_key
from lab.benchmarks.processes import scratch
from tests.support.sqlite import migrated
from tests.workflows.house import House

GOAL = 0.6  # of the claims could be run
ACCOUNTS = {
    "copilot": "copilot-pull-request-reviewer[bot]",
    "coderabbit": "coderabbitai[bot]",
    "gemini": "gemini-code-assist[bot]",
    "bugbot": "cursor[bot]",
    "codex": "chatgpt-codex-connector[bot]",
}
POLICY = "pulls: {enabled: false}\nissues: {enabled: false}\nverify: {setup: [], test: pytest}\n"
COMMITTABLE = """<!-- suggestion_start -->

<details>
<summary>📝 Committable suggestion</summary>

> ‼️ **IMPORTANT**
> Look at it before you commit it.

{}

</details>

<!-- suggestion_end -->"""
IN_BODY = """<details>
<summary>{section} (1)</summary><blockquote>

<details>
<summary>{path} (1)</summary><blockquote>

`{lines}`: {said}

</blockquote></details>

</blockquote></details>"""
# What must not become of a claim.
WRONGLY = {
    "right": (ClaimOutcome.REFUTED, ClaimOutcome.SAME),
    "half": (ClaimOutcome.REFUTED, ClaimOutcome.SAME),
    "wrong": (ClaimOutcome.HELD,),
    "same": (ClaimOutcome.HELD, ClaimOutcome.REFUTED),
    "talk": tuple(each for each in ClaimOutcome if each is not ClaimOutcome.NO_CHANGE),
}


def body_of(bot: str, claim: dict[str, Any], path: str, old: list[str], first: int) -> str:
    """What the bot writes, in its own form."""
    said, fix, label = claim["says"], claim.get("fix", ""), claim.get("label", "")
    diff = "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in fix.split("\n"))])
    headers = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{first} +{first} @@\n"
    block = f"```suggestion\n{fix}\n```"
    offer = {
        "suggestion": block,
        "twice": f"{block}\n\nOr:\n\n```suggestion\n{claim.get('other', '')}\n```",
        "diff": f"<details>\n<summary>🐛 Proposed fix</summary>\n\n```diff\n{diff}\n```\n\n</details>",
        "committable": f"```diff\n{diff}\n```\n\n{COMMITTABLE.format(block)}",
        "patch": f"```diff\n{headers}{diff}\n```",
        "python": f"```python\n{fix}\n```",
        "outside": f"```diff\n{diff}\n```",
        "nitpick": f"```diff\n{diff}\n```",
        "prose": "",
    }[claim["form"]]
    begins = {
        "copilot": f"[{label}] {said}" if label else said,
        "coderabbit": f"_⚠️ Potential issue_ | _🟠 {label.title()}_\n\n**{said}**",
        "gemini": f"![{label}](https://www.gstatic.com/codereviewagent/{label}-priority.svg)\n\n{said}",
        "bugbot": f"### {said}\n\n**{label} Severity**\n\n<!-- DESCRIPTION START -->\n{said}\n<!-- DESCRIPTION END -->",
        "codex": f"**<sub><sub>![{label} Badge](https://img.shields.io/badge/{label})</sub></sub>  {said}**",
    }
    start = begins[bot]
    if claim["form"] == "nitpick" or label == "trivial":
        start = f"_🧹 Nitpick_ | _🔵 Trivial_\n\n**{said}**"
    return f"{start}\n\n{offer}".rstrip()


def place_of(claim: dict[str, Any], head: dict[str, str]) -> tuple[str, list[str], int]:
    """File, lines and number of the first."""
    path = claim.get("file") or next(iter(head))
    lines = head[path].split("\n")
    wanted = claim.get("at") or claim["line"]
    said = [wanted] if isinstance(wanted, str) else wanted
    first, last = lines.index(said[0]) + 1, lines.index(said[-1]) + 1
    return path, lines[first - 1 : last], first


def review(house: House, shop: dict[str, Any], given: dict[str, Any]) -> list[tuple[dict[str, Any], ClaimOutcome]]:
    """Each claim of one review with what became of it."""
    repo = house.repository(POLICY)
    house.github.push(repo, shop["base"])
    issue = house.github.open_issue(repo, shop["name"], shop["asked"])
    number = house.github.open_pull(repo, shop["name"], shop["head"], body=f"Fixes #{issue}", by="agent[bot]")
    bot, claims = given["bot"], given.get("claims") or [given]
    remarks, parts, places = [], ["## Pull request overview"], []
    for claim in claims:
        path, old, first = place_of(claim, shop["head"])
        said, last = body_of(bot, claim, path, old, first), first + len(old) - 1
        lines = f"{first}-{last}" if last > first else f"{first}"
        places.append(f"{path}:{lines}")
        if claim["form"] in ("outside", "nitpick"):
            section = "🧹 Nitpick comments" if claim["form"] == "nitpick" else "⚠️ Outside diff range comments"
            parts.append(IN_BODY.format(section=section, path=path, lines=lines, said=said))
        else:
            start = {"start_line": first} if last > first else {}
            remarks.append({"path": path, "line": last, "body": said} | start)
    by = ACCOUNTS[bot]
    house.github.review(repo, number, "\n\n".join(parts), remarks=remarks, state="commented", by=by)
    house.settle(600)
    found = {each.place: each for each in house.services.rejections.newest(house.github.repo(repo).id, number)}
    return [(claim, told(found.get(place))) for claim, place in zip(claims, places, strict=True)]


def told(record: RejectionRecord | None) -> ClaimOutcome:
    """A claim that was not even read is like one that suggests nothing."""
    if record is None:
        return ClaimOutcome.NO_CHANGE
    sys.stdout.write(f"    {record.place} {record.outcome}: {record.sentence}\n")
    return record.outcome


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    name = "reviews_kept" if options.kept else "reviews_built"
    shops = yaml.safe_load(Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8"))
    counted: Counter[tuple[str, ClaimOutcome]] = Counter()
    wrong: list[str] = []
    reviews = 0
    with (
        scratch() as folder,
        patch.object(looks, "FOR_COMPARING", 2.0),
        patch.object(looks, "FOR_STRENGTH", 2.0),
        closing(House(migrated(folder), new_private_key(), {"judge": "offline"})) as house,
    ):
        for shop in shops:
            for given in shop["reviews"] if options.only in shop["name"] else ():
                reviews += 1
                for claim, outcome in review(house, shop, given):
                    truth = claim["truth"]
                    counted[truth, outcome] += 1
                    said = f"{shop['name']}, {given['bot']}, {claim['form']}, {truth}: {outcome} ({claim['says']})"
                    wrong += [said] if outcome in WRONGLY[truth] else []
                    sys.stdout.write(said + "\n")
                    sys.stdout.flush()
    total = counted.total()
    ran = sum(many for (_, outcome), many in counted.items() if outcome.ran)
    decided = sum(many for (_, outcome), many in counted.items() if outcome.decides)
    for (truth, outcome), many in sorted(counted.items()):
        sys.stdout.write(f"{truth:6} {outcome:10} {many}\n")
    sys.stdout.write(f"{reviews} reviews, {total} claims: {ran} could be run ({ran / max(total, 1):.0%}), ")
    sys.stdout.write(f"{decided} were decided, {len(wrong)} wrongly.\n")
    sys.stdout.write("".join(f"WRONG {each}\n" for each in wrong))
    return int(bool(wrong) or ran < GOAL * total)


if __name__ == "__main__":
    sys.exit(main())
