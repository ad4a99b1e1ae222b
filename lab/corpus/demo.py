"""The demo, from its terminal to its pages: what stands on the fake GitHub and what Bouncer shows of it."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from lab.corpus.command_line import Bouncer
from lab.corpus.normal_form import briefly, normalise, page_text
from lab.corpus.recording import Item, item

_MAINTAINER = "maintainer"
_PAGES = ("/", "/installed", "/repositories")
# The welcome shows those issues that happened to be there when it looked.
_LEFT_OUT = ("/verdicts/static/", "/welcome/", "/metrics")
_MOST = 150  # pages
_LINK = re.compile(r'href="([^"#]+)')
_PATIENCE = 30.0  # seconds for one page


def record_demo(bouncer: Bouncer) -> dict[str, Item]:
    """Every story: its outcome, every comment and check, every page that is linked from there, the metrics' names, and
    the terminal's text."""
    with _playing(bouncer) as (outcome, terminal):
        found = {f"story {name}": _story(each) for name, each in outcome["subjects"].items()}
        repository = _state(outcome)
        found |= _written(repository)
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


def _state(outcome: dict[str, Any]) -> dict[str, Any]:
    answer = requests.get(f"{outcome['github']}/_fake/state", timeout=_PATIENCE).json()
    state: dict[str, Any] = answer["repositories"][outcome["repository"]]
    return state


def _item(brief: str, text: str) -> Item:
    return item(brief, normalise(text))


def _story(subject: dict[str, Any]) -> Item:
    conclusion = (subject["check"] or {}).get("conclusion")
    shown = {key: value for key, value in subject.items() if key != "comments"}
    brief = f"{briefly(subject['verdict'])} {conclusion or ''}".strip()
    return _item(brief, json.dumps(shown, indent=1, sort_keys=True, ensure_ascii=False))


def _written(repository: dict[str, Any]) -> dict[str, Item]:
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
