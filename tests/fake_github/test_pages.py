"""The fake's pages: what people see and do, and that strangers' text stays text."""

import re
from collections.abc import Iterator

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st
from selenium.webdriver import Chrome

from bot.policy_file import PATH
from bot.rendering.starter import new_file_url, new_issue_url, starter_policy
from fake_github import FakeGitHub, markdown
from tests.support.cases import cases

REPO = "acme/widgets"
TAG = re.compile(r"<(/?[a-z][a-z0-9]*)([^>]*)>", re.IGNORECASE)
ALLOWED = re.compile(
    "p|br|hr|em|strong|s|code|pre|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|a|h[1-6]|"
    "details|summary|kbd|sub|sup|input|span"
)


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def test_a_person_opens_an_issue_replies_and_closes(fake_github: FakeGitHub, http: requests.Session) -> None:
    pages = f"{fake_github.web_url}/{REPO}"
    sent = {"who": "reporter", "title": "It <b>broke</b>", "body": "line one\r\nline two"}
    answer = http.post(f"{pages}/issues/new", data=sent)
    assert answer.url == f"{pages}/issues/1"
    assert "It &lt;b&gt;broke&lt;/b&gt;" in answer.text
    http.post(f"{pages}/issues/1", data={"act": "comment", "who": "stranger", "body": "Me too"})
    http.post(f"{pages}/issues/1", data={"act": "edit", "who": "reporter", "body": "Better"})
    fake_github.add_label(REPO, 1, "needs-clarification", by=fake_github.bot.login)
    page = http.get(f"{pages}/issues/1").text
    assert "Me too" in page and "needs-clarification" in page and "bot</span>" in page
    http.post(f"{pages}/issues/1", data={"act": "unlabel", "who": "maintainer", "label": "needs-clarification"})
    http.post(f"{pages}/issues/1", data={"act": "close", "who": "maintainer", "body": ""})
    issue = fake_github.issue(REPO, 1)
    assert (issue.body, issue.state, issue.labels, len(issue.comments)) == ("Better", "closed", (), 1)
    assert issue.comments[0].author == "stranger"
    told = [(item.event, item.action) for item in fake_github.deliveries]
    assert told == [
        ("issues", "opened"),
        ("issue_comment", "created"),
        ("issues", "edited"),
        ("issues", "labeled"),
        ("issues", "unlabeled"),
        ("issues", "closed"),
    ]
    assert "It &lt;b&gt;broke" in http.get(f"{pages}/issues?state=closed").text
    http.post(f"{pages}/issues/1", data={"act": "reopen", "who": "reporter", "body": "Still"})
    assert fake_github.issue(REPO, 1).state == "open"


def test_every_page_answers_and_loads_nothing_from_elsewhere(fake_github: FakeGitHub, http: requests.Session) -> None:
    fake_github.open_issue(REPO, "It broke", "![x](https://evil.example/x.png) <img src=https://evil.example/y>")
    pull = fake_github.open_pull(REPO, "Change", {"a": "b"})
    fake_github.wait_for_webhooks()
    paths = ["/", "/deliveries", f"/{REPO}", f"/{REPO}/issues", f"/{REPO}/issues/new", f"/{REPO}/issues/1"]
    paths += [f"/{REPO}/pull/{pull}", "/_avatars/reporter.svg", "/_avatars/bouncer%5Bbot%5D.svg"]
    for path in paths:
        answer = http.get(fake_github.web_url + path)
        assert answer.status_code == 200, path
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert not re.search(r"<[^>&]*evil", answer.text), path
    for path in ("/no/where", f"/{REPO}/issues/99", f"/{REPO}/runs/1"):
        assert http.get(fake_github.web_url + path).status_code == 404


def test_what_bouncer_links_to_is_there(fake_github: FakeGitHub, http: requests.Session) -> None:
    """A commit, a pull request's files, and the pages for a new file and a new issue, filled in."""
    there = f"{fake_github.web_url}/{REPO}"
    pull = fake_github.open_pull(REPO, "Change <b>", {"src/a.py": "x = '<i>'\n"})
    files = http.get(f"{there}/pull/{pull}/files").text
    assert "src/a.py" in files and "+x = &#39;&lt;i&gt;&#39;" in files and "Change &lt;b&gt;" in files
    page = http.get(new_file_url(fake_github.web_url, REPO, "main", starter_policy())).text
    assert f'value="{PATH}"' in page and "mode: observe" in page
    sent = {"filename": PATH, "value": starter_policy(), "who": "maintainer"}
    assert http.post(f"{there}/new/main", data={**sent, "who": "stranger"}).status_code == 403
    assert http.post(f"{there}/new/nowhere", data=sent).status_code == 404
    made = http.post(f"{there}/new/main", data=sent)
    assert "/commit/" in made.url and f"Create {PATH}" in made.text and "+mode: observe" in made.text
    repo = fake_github.repo(REPO)
    assert repo.commits[repo.branches["main"]].files[PATH] == starter_policy().encode()
    page = http.get(new_issue_url(fake_github.web_url, REPO, [9], 30, "")).text
    assert 'value="Use Bouncer for vague issues?"' in page and "Of the last 30 issues" in page
    for path in ("commit/0000", f"pull/{pull + 1}/files"):
        assert http.get(f"{there}/{path}").status_code == 404


def test_the_version_changes_whenever_the_page_does(fake_github: FakeGitHub, http: requests.Session) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    address = f"{fake_github.web_url}/{REPO}/issues/{number}/version"
    seen = [http.get(address).text]
    comment = fake_github.comment(REPO, number, "Hello")
    seen.append(http.get(address).text)
    fake_github.edit_comment(REPO, comment, "Hello again")
    seen.append(http.get(address).text)
    fake_github.add_label(REPO, number, "bug")
    seen.append(http.get(address).text)
    assert len(set(seen)) == 4


def test_other_sites_cannot_press_the_buttons(fake_github: FakeGitHub, http: requests.Session) -> None:
    form = {"who": "reporter", "title": "x", "body": ""}
    address = f"{fake_github.web_url}/{REPO}/issues/new"
    assert http.post(address, data=form, headers={"Origin": "https://evil.example"}).status_code == 403
    assert http.post(address, data=form, headers={"Origin": fake_github.web_url}).status_code == 200


@cases
def test_markdown(source: str, shown: str) -> None:
    assert shown in markdown.render(source)


_PARTS = [
    "<",
    ">",
    "<!--",
    "-->",
    "<img src=x onerror=y>",
    "<details",
    "[a](",
    "javascript:x",
    ")",
    "![",
    "](",
    "`",
    "\n",
]


@given(st.lists(st.one_of(st.sampled_from(_PARTS), st.text(max_size=8)), max_size=12).map("".join))
def test_markdown_makes_only_harmless_tags(source: str) -> None:
    for name, attributes in TAG.findall(markdown.render(source)):
        assert ALLOWED.fullmatch(name.lower().strip("/"))
        assert not re.search(r"\son\w+\s*=|javascript:", re.sub(r'"[^"]*"', '""', attributes), re.IGNORECASE)
        assert not re.search(r'href="\s*(javascript|data|vbscript|file):', attributes, re.IGNORECASE)


def test_a_pull_request_shows_its_reviews_and_takes_ticks(fake_github: FakeGitHub, http: requests.Session) -> None:
    pull = fake_github.open_pull(REPO, "Change", {"a.py": "x = 1\n"})
    remark = {"path": "a.py", "line": 1, "body": "Better:\n```suggestion\nx = <2>\n```"}
    fake_github.review(REPO, pull, "This is wrong.", remarks=[remark], by="critic[bot]")
    asked = fake_github.comment(REPO, pull, "Which?\n\n- [ ] A\n- [x] B", by=fake_github.bot.login, via_app=True)
    address = f"{fake_github.web_url}/{REPO}/issues/{pull}"
    page = http.get(address).text
    assert "requested changes" in page and "x = &lt;2&gt;" in page and "a.py" in page
    http.post(address, data={"act": "tick", "who": "maintainer", "comment": asked, "box": 0})
    assert fake_github.issue(REPO, pull).comments[0].body == "Which?\n\n- [x] A\n- [x] B"
    assert fake_github.deliveries[-1].payload["sender"]["login"] == "maintainer"
    assert http.post(address, data={"act": "tick", "comment": asked, "box": 2}).status_code == 400
    assert http.post(address, data={"act": "tick", "comment": 1, "box": 0}).status_code == 404


def test_pull_requests_are_listed_apart(fake_github: FakeGitHub, http: requests.Session) -> None:
    fake_github.open_issue(REPO, "It broke", "x")
    fake_github.open_pull(REPO, "Mend it", {"a": "b"})
    pages = f"{fake_github.web_url}/{REPO}"
    issues, pulls = http.get(f"{pages}/issues").text, http.get(f"{pages}/pulls").text
    assert ("It broke" in issues, "Mend it" in issues, "1 Open" in issues) == (True, False, True)
    assert ("It broke" in pulls, "Mend it" in pulls, "New issue" in pulls) == (False, True, False)
    assert "1 issue<" in http.get(fake_github.web_url).text


@pytest.mark.browser
def test_every_page_fits_a_phone(fake_github: FakeGitHub, browser: Chrome) -> None:
    fake_github.open_issue(REPO, "long" * 40, f"{'word' * 60}\n\n```\n{'x' * 300}\n```\n\n- [ ] a box")
    fake_github.comment(REPO, 1, "an answer", by="maintainer")
    fake_github.add_label(REPO, 1, "needs-clarification", by="maintainer")
    fake_github.open_pull(REPO, "Mend it", {"a": "b"})
    fake_github.wait_for_webhooks()
    more = (f"{REPO}/pull/2/files", f"{REPO}/commit/{fake_github.repo(REPO).branches['main']}", f"{REPO}/new/main")
    phone = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        for page in ("", f"{REPO}/issues", f"{REPO}/pulls", f"{REPO}/issues/1", f"{REPO}/pull/2", *more, "deliveries"):
            browser.get(f"{fake_github.web_url}/{page}")
            assert browser.execute_script("return document.documentElement.scrollWidth") <= 390, page
            boxes = browser.execute_script(
                "return ['.dot', '.name', '.state'].map(each => document.querySelector(each)?.getBoundingClientRect())"
            )
            dot, name, state = boxes
            assert not dot or (name["top"] < dot["bottom"] and name["left"] > dot["right"]), f"{page}: title below it"
            assert not state or state["height"] < 40, f"{page}: its state is broken in two"
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
