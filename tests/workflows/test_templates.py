"""A repository's own issue templates, from GitHub to the judge."""

import pytest

from tests.workflows.house import House

FOLDER = ".github/ISSUE_TEMPLATE"
SENT = "## What the scale shows\nTell us the grams, with the bowl and the spoon.\n\n## Bowl\n\n"
TEMPLATE = f"---\nname: Bug\n---\n{SENT}"
CONTENTS = "/repos/{owner}/{repo}/contents/{path}"


def read_as(house: House, repo: str, body: str = SENT) -> str:
    """What a judge sees in the body."""
    house.open(repo, body, title="Broken")
    report = house.judge.asked[-1]
    return "empty" if not report.features["body_words"] else "written"


def statuses(house: House, since: int) -> list[int]:
    """Of what was asked for templates alone: the policy was read before."""
    calls = [call for call in house.github.traffic.exchanges if call.route == CONTENTS]
    return [call.status for call in calls[since:]]


def asked(house: House) -> int:
    return len([call for call in house.github.traffic.exchanges if call.route == CONTENTS])


@pytest.mark.parametrize("path", [f"{FOLDER}/bug.md", ".github/ISSUE_TEMPLATE.md", ".github/issue_template/Bug.MD"])
def test_a_template_is_found_where_github_looks_for_it(house: House, path: str) -> None:
    repo = house.repository()
    assert read_as(house, repo) == "written"
    house.clock.advance(hours=2)
    house.github.push(repo, {path: TEMPLATE})
    assert read_as(house, repo) == "empty"
    assert read_as(house, repo, SENT + "It blinks kg and the bowl melts.") == "written"


def test_the_owners_templates_hold_where_a_repository_has_none(house: House) -> None:
    repo = house.repository()
    owner = repo.partition("/")[0]
    house.github.create_repository(f"{owner}/.github", files={f"{FOLDER}/bug.md": TEMPLATE})
    assert read_as(house, repo) == "empty"
    house.clock.advance(hours=2)
    house.github.push(repo, {f"{FOLDER}/own.md": "---\nname: Own\n---\nThe repository says this itself.\n"})
    assert read_as(house, repo) == "written"


def test_a_folder_of_its_own_keeps_the_owners_out_even_with_nothing_but_its_settings(house: House) -> None:
    """As GitHub offers whoever opens an issue."""
    repo = house.repository()
    owner = repo.partition("/")[0]
    house.github.create_repository(f"{owner}/.github", files={f"{FOLDER}/bug.md": TEMPLATE})
    house.github.push(repo, {f"{FOLDER}/config.yml": "blank_issues_enabled: true\n"})
    assert read_as(house, repo) == "written"


def test_templates_are_asked_for_once_an_hour_and_only_what_changed_is_read(house: House) -> None:
    repo = house.repository()
    files = {f"{FOLDER}/{name}.md": f"{TEMPLATE}{name}\n" for name in "abc"}
    house.github.push(repo, files)
    house.open(repo)
    before = asked(house)
    house.open(repo)
    assert statuses(house, before) == []
    house.clock.advance(hours=2)
    house.open(repo)
    assert statuses(house, before).count(304) >= 1
    assert 200 not in statuses(house, before)
    house.clock.advance(hours=2)
    house.github.push(repo, {f"{FOLDER}/b.md": None, f"{FOLDER}/c.md": TEMPLATE})
    before = asked(house)
    house.open(repo)
    assert statuses(house, before).count(200) == 3, "the listing, the folder and one file"
    cached = house.services.templates.get(repo)
    assert cached is not None and sorted(cached.files) == ["a.md", "c.md"]


@pytest.mark.parametrize(
    "odd",
    [
        {f"{FOLDER}/bug.yml": "body: ["},
        {f"{FOLDER}/bug.yml": "x" * 200_000},
        {f"{FOLDER}/bug.md": b"\xff\x00\xfe"},
        {FOLDER: "no folder"},
        {f"{FOLDER}/deep/er/bug.md": TEMPLATE},
    ],
)
def test_templates_that_cannot_be_read_hold_up_nothing(house: House, odd: dict[str, str | bytes]) -> None:
    repo = house.repository()
    house.github.push(repo, dict(odd))
    assert read_as(house, repo) == "written"
