"""What an issue said when it was opened; what cannot be read says where."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.backtest.export import ISSUES, TIMELINE, ExportError, read_export
from bot.backtest.values import PastIssue
from tests.backtest.exports import CLEAR, DAY, DONE, VAGUE, Exported, event, write_export
from tests.support.cases import cases

LATER = "The reporter wrote this later."


def only(folder: Path, issue: Exported) -> PastIssue:
    return read_export(write_export(folder, [issue]), "", 9).issues[0]


def revisions(*texts: str, more: bool = False, opening: bool = True) -> dict[str, Any]:
    """As GraphQL lists them, newest first."""
    times = [DAY.format(1 + place) for place in range(len(texts))]
    nodes = [{"editedAt": at, "diff": text} for at, text in zip(times, texts, strict=False)]
    listed = {"nodes": nodes[::-1], "pageInfo": {"hasNextPage": more}}
    return {"lastEditedAt": nodes[-1]["editedAt"], "includesCreatedEdit": opening, "userContentEdits": listed}


@pytest.mark.parametrize(
    ("edits", "body", "known"),
    [
        ({"lastEditedAt": None}, LATER, True),  # nobody edited it
        (revisions(VAGUE[1], LATER), VAGUE[1], True),
        (revisions(VAGUE[1], "in between", LATER), VAGUE[1], True),
        (revisions(VAGUE[1], LATER, more=True), LATER, False),  # the first revision is not among them
        (revisions(VAGUE[1], LATER, opening=False), LATER, False),  # edited before GitHub kept revisions
        ({**revisions(LATER), "userContentEdits": {"nodes": []}}, LATER, False),
        ({**revisions(LATER), "userContentEdits": {"nodes": [{"editedAt": DAY.format(1)}]}}, LATER, False),  # deleted
        (None, LATER, True),  # without a token nobody knows, and nothing speaks for it
    ],
)
def test_the_body_is_that_of_the_opening_or_not_known(
    edits: dict[str, Any] | None, body: str, known: bool, tmp_path: Path
) -> None:
    issue = only(tmp_path, Exported(1, VAGUE[0], LATER, (DONE,), edits))
    assert (issue.body, issue.text_known) == (body, known)


def test_an_issue_to_which_nothing_happened_was_not_edited(tmp_path: Path) -> None:
    write_export(tmp_path, [Exported(1, *CLEAR, edits=None)])
    row = json.loads((tmp_path / ISSUES).read_text())
    (tmp_path / ISSUES).write_text(json.dumps(row | {"updated_at": row["created_at"]}))
    assert read_export(tmp_path, "", 9).issues[0].text_known


@pytest.mark.parametrize(
    ("line", "edited"),
    [
        ("EDIT: it is 2.1", True),
        ("**Update 2:** it is 2.1", True),
        ("> UPD (2024-01-02): solved", True),
        ("Edits: see below", True),
        ("Update the docs: they lack a page", False),
        ("edit it", False),
        ("The editor: vim", False),
    ],
)
def test_a_text_may_say_itself_that_it_was_edited(line: str, edited: bool, tmp_path: Path) -> None:
    issue = only(tmp_path, Exported(1, CLEAR[0], f"{CLEAR[1]}\n\n{line}\n", (DONE,), None))
    assert issue.text_known is not edited


def test_facts_of_the_future_are_not_the_openings(tmp_path: Path) -> None:
    """The title after a renaming, labels that maintainers put on later, and the newest text."""
    events = (
        event("labeled", "reporter", 1, label={"name": "bug"}),
        event("renamed", "maintainer", 2, rename={"from": VAGUE[0], "to": CLEAR[0]}),
        event("labeled", "maintainer", 2, label={"name": "needs-info"}),
        event("labeled", "maintainer", 3, label={"name": "accepted"}),
        event("unlabeled", "maintainer", 4, label={"name": "needs-info"}),
    )
    issue = only(
        tmp_path,
        Exported(1, CLEAR[0], CLEAR[1], events, revisions(VAGUE[1], CLEAR[1]), labels=("bug", "accepted", "imported")),
    )
    assert (issue.title, issue.body) == VAGUE
    assert issue.labels == ("bug", "imported")


def test_the_newest_issues_are_read_and_pull_requests_are_none(tmp_path: Path) -> None:
    write_export(tmp_path, [Exported(number, *CLEAR, (DONE,)) for number in (3, 1, 4, 2)])
    rows = [json.loads(line) for line in (tmp_path / ISSUES).read_text().splitlines()]
    rows[2]["pull_request"] = {"url": "…"}
    (tmp_path / ISSUES).write_text("\n".join(map(json.dumps, rows)))
    past = read_export(tmp_path, "", 2)
    assert ([each.number for each in past.issues], past.name) == ([3, 2], "acme/widgets")


def test_what_is_not_read_yet_is_counted(tmp_path: Path) -> None:
    write_export(tmp_path, [Exported(number, *CLEAR, (DONE,)) for number in (1, 2, 3)])
    lines = (tmp_path / TIMELINE).read_text().splitlines()
    (tmp_path / TIMELINE).write_text("\n".join(lines[:1]) + "\n" + lines[1][:20])  # stopped while it was written
    past = read_export(tmp_path, "", 9)
    assert ([each.number for each in past.issues], past.unread) == ([1], 2)


@cases
def test_what_cannot_be_read_says_where(name: str, text: str | None, said: str, tmp_path: Path) -> None:
    write_export(tmp_path, [Exported(1, *CLEAR, (DONE,))])
    (tmp_path / name).unlink()
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ExportError) as caught:
        read_export(tmp_path, "", 9)
    assert said in str(caught.value)


@pytest.mark.parametrize("odd", [None, 3, "x", {"event": 3}, {"event": "closed"}, {"event": "labeled", "label": None}])
def test_odd_events_say_nothing(odd: Any, tmp_path: Path) -> None:
    write_export(tmp_path, [Exported(1, *CLEAR, (odd, DONE))])
    assert len(read_export(tmp_path, "", 9).issues[0].events) == 1


@pytest.mark.parametrize("address", [None, 5, "x" * 400, "https://a/b/c d", "https://a/../\0", "/" + "y" * 300 + "/z"])
def test_an_odd_name_is_none(address: Any, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    write_export(folder, [Exported(1, *CLEAR, (DONE,))])
    row = json.loads((folder / ISSUES).read_text())
    (folder / ISSUES).write_text(json.dumps(row | {"repository_url": address}))
    assert read_export(folder, "", 9).name == "export"
