"""The demo, from its terminal to its pages: what stands on the fake GitHub and what Bouncer shows of it."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from lab.corpus.answers import Bouncer
from lab.corpus.recording import Item, briefly, item, normalise

_MAINTAINER = "maintainer"
_PAGES = ("/", "/installed", "/repositories")
# The welcome shows those issues that happened to be there when it looked.
_LEFT_OUT = ("/verdicts/static/", "/welcome/", "/metrics")
_MOST = 150  # pages
_LINK = re.compile(r'href="([^"#]+)')
_PATIENCE = 30.0  # seconds for one page
_INLINE = frozenset(
    ("a", "abbr", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup", "time")
)
_SAID = frozenset(("href", "action", "alt", "aria-label", "title", "placeholder", "value"))
_HIDDEN = frozenset(("script", "style"))


def record_demo(bouncer: Bouncer) -> dict[str, Item]:
    """Every story: its outcome, every comment and check, every page that is linked from there, the metrics' names, and
    the terminal's text."""
    with _playing(bouncer) as (outcome, terminal):
        found = {f"story {name}": _story(each) for name, each in outcome["subjects"].items()}
        state = requests.get(f"{outcome['github']}/_fake/state", timeout=_PATIENCE).json()
        repository = state[outcome["repository"]]
        found |= written(repository)
        home = re.search(r"https?://[\w.:]+(?=/verdicts/)", json.dumps(repository))
        if home is None:
            raise RuntimeError("nothing that the demo wrote links to a page")
        found |= _pages(home[0], outcome["repository"], repository)
    found["terminal"] = _item("terminal", "\n".join(line.rstrip() for line in terminal))
    return found


@contextmanager
def _playing(bouncer: Bouncer) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """The demo, while it stays up after its last story: its outcome, and the terminal's lines once it has ended."""
    log, terminal = bouncer.folder / "demo.log", list[str]()
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [bouncer.path, "demo", "--all", "--json"],
            env=bouncer.environment(),
            cwd=bouncer.folder,  # else the server that it starts would be of the checkout that this is called in
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        try:
            lines = []
            for line in process.stdout or ():
                lines.append(line)
                if line == "}\n":
                    break
            outcome = json.loads("".join(lines) or "{}")
            if "subjects" not in outcome:
                raise RuntimeError(f"the demo ended: {outcome.get('error')}\n{log.read_text('utf-8')}")
            yield outcome, terminal
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            terminal += log.read_text("utf-8").splitlines()


def _item(brief: str, text: str) -> Item:
    return item(brief, normalise(text))


def _story(subject: dict[str, Any]) -> Item:
    conclusion = (subject["check"] or {}).get("conclusion")
    shown = {key: value for key, value in subject.items() if key != "comments"}
    brief = f"{briefly(subject['verdict'])} {conclusion or ''}".strip()
    return _item(brief, json.dumps(shown, indent=1, sort_keys=True, ensure_ascii=False))


def written(repository: dict[str, Any]) -> dict[str, Item]:
    """What stands on the fake GitHub: labels and comments of each issue, and every check run."""
    found = {}
    for issue in repository["issues"]:
        name = f"#{issue['number']:02}"
        found[f"issue {name}"] = _item(" ".join(issue["labels"]), "\n".join((issue["title"], *issue["history"])))
        for place, comment in enumerate(issue["comments"], 1):
            found[f"comment {name}.{place}"] = _item(f"by {comment['author']}", comment["body"])
    for place, check in enumerate(sorted(repository["checks"], key=lambda each: int(each["id"])), 1):
        shown = {key: value for key, value in check.items() if key not in ("id", "details_url")}
        text = "\n".join(f"{key}: {value}" for key, value in sorted(shown.items()))
        found[f"check {place:02} {check['name']}"] = _item(str(check["conclusion"]), text)
    return found


def _pages(home: str, repository: str, written: dict[str, Any]) -> dict[str, Item]:
    """As a signed-in maintainer reads them, from the landing page, the dashboards and every link that was written."""
    visitor = requests.Session()
    asked = visitor.get(f"{home}/login", timeout=_PATIENCE)
    visitor.get(f"{asked.url}&login={_MAINTAINER}", timeout=_PATIENCE).raise_for_status()
    links = dict.fromkeys(re.findall(rf"{re.escape(home)}(/[\w./?=&-]+)", json.dumps(written)))
    waiting = {path: f"page {path}" for path in (*_PAGES, f"/repositories/{repository}")}
    waiting |= {path: f"page {number:02} that was linked" for number, path in enumerate(links, 1)}
    found, seen = {}, set(waiting)
    while waiting and len(seen) < _MOST:
        path, name = next(iter(waiting.items()))
        del waiting[path]
        answer = visitor.get(f"{home}{path}", timeout=_PATIENCE)
        is_page = answer.headers["Content-Type"].startswith("text/html")
        found[name] = _item(str(answer.status_code), page_text(answer.text) if is_page else answer.text)
        for place, link in enumerate(_LINK.findall(answer.text if is_page else "")):
            target = urlsplit(urljoin(f"{home}{path}", link.replace("&amp;", "&")))
            onward = f"{target.path}?{target.query}".rstrip("?")
            if f"{target.scheme}://{target.netloc}" == home and onward not in seen and not onward.startswith(_LEFT_OUT):
                seen.add(onward)
                behind = f" by link {place} of {name.removeprefix('page ')}" if "TOKEN" in normalise(onward) else ""
                waiting[onward] = f"page {normalise(onward)}{behind}"
    metrics = visitor.get(f"{home}/metrics", timeout=_PATIENCE).text.splitlines()
    found["metrics"] = _item("metrics", "\n".join(sorted(line for line in metrics if line.startswith("#"))))
    return found


class _Words(HTMLParser):
    """The words of a page, a line for each block, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in _HIDDEN
        if tag not in _INLINE:
            self.parts.append("\n")
        said = _SAID - ({"value"} if ("type", "hidden") in attrs else set())  # which holds a form's token
        for name, value in attrs:
            if name in said and value:
                self.parts.append(f" [{value}] ")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in _HIDDEN
        if tag not in _INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def page_text(html: str) -> str:
    """What a person reads on a page, and its links."""
    words = _Words()
    words.feed(html)
    lines = (" ".join(line.split()) for line in "".join(words.parts).splitlines())
    return "\n".join(line for line in lines if line)
