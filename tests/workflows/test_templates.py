"""A repository's own issue templates, from GitHub to the judge; and in which language is answered."""

import pytest

from bot.rendering.words import sentence
from tests.support.cases import cases
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE, House

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


@pytest.mark.parametrize(
    "path",
    [
        f"{FOLDER}/bug.md",
        ".github/ISSUE_TEMPLATE.md",
        ".github/issue_template/Bug.MD",
        "issue_template.md",
        "docs/Issue_Template.md",
        "ISSUE_TEMPLATE/bug.md",
    ],
)
def test_a_template_is_found_where_github_looks_for_it(house: House, path: str) -> None:
    repo = house.repository()
    assert read_as(house, repo) == "written"
    house.clock.advance(hours=2)
    house.github.push(repo, {path: TEMPLATE})
    assert read_as(house, repo) == "empty"
    assert read_as(house, repo, SENT + "It blinks kg and the bowl melts.") == "written"


@pytest.mark.parametrize("path", ["src/issue_template.md", ".github/my_issue_template.md", "docs/bug.md"])
def test_what_only_has_its_name_is_none(house: House, path: str) -> None:
    repo = house.repository()
    house.github.push(repo, {path: TEMPLATE})
    assert read_as(house, repo) == "written"


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
    assert statuses(house, before).count(200) == 4, "the top, .github, the folder and one file"
    cached = house.services.templates.get(repo)
    assert cached is not None and sorted(cached.files) == [f"{FOLDER}/a.md", f"{FOLDER}/c.md"]


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


FOLD = "<summary>In English</summary>"
TURKISH = ("Çalışmıyor", "Program bende çalışmıyor, lütfen yardım edin.")
KOREAN = ("안 돼요", "실행하면 오류가 납니다. 도와주세요.")


def first(code: str) -> str:
    return sentence(code, "bounced.first")


def test_a_comment_is_in_the_reports_language_with_english_below(house: House) -> None:
    repo, number = house.begin(None, TURKISH[1], title=TURKISH[0])
    theirs, _, english = house.spoken(repo, number).partition(FOLD)
    assert first("tr") in theirs and sentence("tr", "bounced.look") in theirs
    assert first("en") not in theirs and first("en") in english
    house.edit(repo, number, title=CLEAR_TITLE, body=f"Açılışta hata veriyor, şöyle:\n\n{CLEAR}")
    assert "Thank you, this is clear now." in house.spoken(repo, number), "by now most of it is English"


def test_another_look_is_wholly_in_the_language_of_what_stands_there_then(house: House) -> None:
    repo, number = house.begin(None, TURKISH[1], title=TURKISH[0])
    house.edit(repo, number, title=KOREAN[0], body=KOREAN[1])
    theirs = house.spoken(repo, number).partition(FOLD)[0]
    assert sentence("ko", "bounced.again") in theirs and sentence("tr", "bounced.look") not in theirs
    house.edit(repo, number, title=VAGUE_TITLE, body=VAGUE)
    said = house.spoken(repo, number)
    assert FOLD not in said and sentence("en", "bounced.again") in said
    assert sentence("ko", "bounced.look") not in said


@cases
def test_the_policy_may_name_the_language(wanted: str, report: tuple[str, str], written: str, house: House) -> None:
    words = f"{{language: {wanted}, above: Thank you!, below: We read this on Mondays.}}"
    repo, number = house.begin(f"issues:\n  comment: {words}\n", report[1], title=report[0])
    said = house.spoken(repo, number)
    assert first(written) in said.partition(FOLD)[0]
    assert (FOLD in said) is (written != "en")
    assert said.startswith("<!-- bouncer:issue -->\nThank you!\n") and said.endswith("\nWe read this on Mondays.\n")


def test_what_there_are_no_sentences_for_is_answered_in_english(house: House) -> None:
    repo, number = house.begin(None, "التطبيق لا يعمل عندي، أرجو المساعدة", title="لا يعمل")
    assert house.held(repo, number)
    assert first("en") in house.spoken(repo, number) and FOLD not in house.spoken(repo, number)


def test_reminding_closing_and_clearing_are_in_it_too(house: House) -> None:
    repo, number = house.begin(
        "issues:\n  no_response: {remind_after_days: 2, close_after_days: 4}\n", KOREAN[1], title=KOREAN[0]
    )
    house.tick(days=2, minutes=1)
    house.tick(hours=3)
    assert sentence("ko", "notes.reminder") in house.issue(repo, number).comments[-1].body
    house.tick(days=2)
    house.tick(hours=3)
    assert house.issue(repo, number).state == "closed"
    assert sentence("ko", "notes.closed", days=4) in house.issue(repo, number).comments[0].body
    other = house.open(repo, KOREAN[1], title=KOREAN[0])
    trace = CLEAR[CLEAR.index("```") : CLEAR.rindex("```") + 3]
    house.edit(repo, other, body=f"저장 버튼을 누르면 이런 메시지가 나옵니다.\n\n{trace}")
    assert sentence("ko", "cleared.clear") in house.spoken(repo, other)
    taken = house.open(repo, KOREAN[1], title=KOREAN[0])
    house.say(repo, taken, "/bouncer accept", by="maintainer")
    assert sentence("ko", "notes.accepted") in house.spoken(repo, taken)
