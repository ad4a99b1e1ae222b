"""A repository's past for `bouncer bench collect`: a real clone, and the export of issues and pull requests with it."""

import json
from pathlib import Path
from typing import Any

from bot.backtest.pulls import PULLS
from tests.backtest.exports import DAY, Exported, event, write_export
from tests.support.clones import commit, git, initialise

POLICY = "verify:\n  setup: []\n  test: pytest\n"
CLOSED = event("closed", "maintainer", 6, state_reason="completed")
_WHO = {"name": "Ann", "email": "ann@example.org", "date": DAY.format(5)}


class Past:
    """Issues and pull requests are told one by one; `written` gives the folder of the export."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.folder = initialise(folder / "clone"), folder / "export"
        self.folder.mkdir()
        commit(self.clone, {".github/bouncer.yml": POLICY}, "Begin")
        self.subjects: list[Exported] = []
        self.pulls: list[dict[str, Any]] = []

    def begin(self, files: dict[str, str | None]) -> None:
        """What the repository holds already."""
        commit(self.clone, files, "Go on")

    def issue(self, number: int, *events: dict[str, Any], body: str = "It is wrong.", **more: Any) -> None:
        self.subjects.append(Exported(number, f"Case {number}", body, events or (CLOSED,), **more))

    def merged(
        self, number: int, body: str, files: dict[str, str | None], *, merge: str = "squash", sha: str = ""
    ) -> str:
        """A pull request that was merged as `merge` says, each file a commit of its own where it rebased; the commit
        of the merge."""
        messages = [f"Change {name}" for name in files] if merge == "rebase" else ["Change it"]
        if merge == "merge":
            git(self.clone, "checkout", "--quiet", "-b", f"topic-{number}")
            commit(self.clone, files, "Change it")
            git(self.clone, "checkout", "--quiet", "main")
            git(self.clone, "merge", "--quiet", "--no-ff", "--no-edit", f"topic-{number}")
            found = git(self.clone, "rev-parse", "HEAD")
        elif merge == "rebase":
            for (name, text), message in zip(files.items(), messages, strict=True):
                found = commit(self.clone, {name: text}, message)
        else:
            found = commit(self.clone, files, f"Change it (#{number})")
        told = tuple(
            {"event": "committed", "sha": f"{place:x}" * 40, "author": _WHO, "committer": _WHO, "message": message}
            for place, message in enumerate(messages, 1)
        )
        self.pulls.append({"number": number, "title": "Change it", "body": body, "merge_commit_sha": sha or found})
        self.subjects.append(Exported(number, "Change it", body, told))
        return found

    def written(self) -> Path:
        numbers = {pull["number"] for pull in self.pulls}
        write_export(self.folder, [each for each in self.subjects if each.number not in numbers])
        acts = [{"number": each.number, "events": list(each.events)} for each in self.subjects]
        (self.folder / "timeline.jsonl").write_text("".join(json.dumps(row) + "\n" for row in acts))
        plain = {"created_at": DAY.format(2), "updated_at": DAY.format(9), "merged_at": DAY.format(6), "labels": []}
        plain |= {"user": {"login": "ann"}, "state": "closed", "base": {"ref": "main"}, "head": {"ref": "topic"}}
        (self.folder / PULLS).write_text("".join(json.dumps(plain | pull) + "\n" for pull in self.pulls))
        return self.folder
