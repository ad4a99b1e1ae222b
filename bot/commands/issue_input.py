"""Where `bouncer judge` takes issues from: a file, standard input, GitHub, or a file of many."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bot.commands.shared import InputError
from bot.reports import GitHubFields, IssueText
from bot.settings import Settings

LARGEST = 2**20  # bytes of one issue; GitHub keeps at most 65,536 characters of a body
_ISSUE_PATH = re.compile(r"/([\w.-]+/[\w.-]+)/issues/(\d{1,18})/?")


def read_source(source: str, settings: Settings) -> IssueText:
    """The issue `source` names: a path, `-` for standard input, or the address of an issue. Raises `InputError`."""
    if re.match(r"https?://", source, re.I):
        return _from_github(source, settings)
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"{source}: {error.strerror}. Name a file, - or the address of an issue.") from None
    name = "standard input" if source == "-" else source
    if len(raw) > LARGEST:
        raise InputError(f"{name}: this is larger than 1 MiB, and an issue on GitHub never is. Give one issue alone.")
    text = _decoded(raw, name)
    if source.lower().endswith(".json") or text.lstrip().startswith("{"):
        return _from_json(text, name)
    return from_markdown(text)


def from_markdown(text: str) -> IssueText:
    """The first line is the title, without a heading's marks; the rest is the body."""
    title, _, body = text.lstrip("\ufeff\r\n").partition("\n")
    return IssueText(re.sub(r"^#{1,6}[ \t]+", "", title.strip()), body)


def read_many(path: Path, id_field: str, text_field: str) -> list[tuple[str, IssueText]]:
    """Every issue of a JSON Lines file, in order. Raises `InputError` with the line for whatever is wrong."""
    issues = []
    for name, (text,) in read_rows(path, id_field, {"--text-field": text_field}):
        title, _, body = text.partition("\n")
        issues.append((name, IssueText(title.strip(), body)))
    if not issues:
        raise InputError(f"{path}: there is no issue in it.")
    return issues


def read_rows(path: Path, id_field: str, fields: dict[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """The id and the texts of every row of a JSON Lines file, in order; `null` is an empty text.

    fields: the option that names a field -> its key in a row. Raises `InputError` with the line for whatever is wrong.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}. Name a JSON Lines file.") from None
    first: dict[str, int] = {}
    found = []
    for number, row in _rows(path, raw):
        where = f"{path}, line {number}"
        name = row.get(id_field)
        if not isinstance(name, str) or not name:
            raise InputError(f'{where}: "{id_field}" is missing or not a text. Is --id-field right?')
        for option, field in fields.items():
            if field not in row or not isinstance(row[field], str | None):
                raise InputError(f'{where}: "{field}" is missing or not a text. Is {option} right?')
        if name in first:
            raise InputError(f'{where}: the id "{name}" was already on line {first[name]}. Each id must be unique.')
        first[name] = number
        found.append((name, tuple(row[field] or "" for field in fields.values())))
    return found


def _rows(path: Path, raw: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(raw.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(_decoded(line, where))
        except (ValueError, RecursionError):
            raise InputError(f"{where}: this is not JSON. Each line must be one JSON object.") from None
        if not isinstance(row, dict):
            raise InputError(f"{where}: each line must be one JSON object.")
        yield number, row


def _from_json(text: str, name: str) -> IssueText:
    mend = 'It must look like {"title": "…", "body": "…"}.'
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not name.lower().endswith(".json"):
            return from_markdown(text)  # a text that only begins with a brace
        raise InputError(f"{name}: this is not JSON ({error}). {mend}") from None
    if not isinstance(data, dict) or not isinstance(data.get("title"), str):
        raise InputError(f'{name}: the "title" is missing or not a text. {mend}')
    if not isinstance(data.get("body"), str | None):
        raise InputError(f'{name}: the "body" is not a text. {mend}')
    return IssueText(data["title"], data.get("body") or "", told=GitHubFields(_labels(data.get("labels"), name)))


def _labels(given: Any, name: str) -> tuple[str, ...]:
    """Names, or objects with one, as `gh issue view --json title,body,labels` prints them."""
    labels: list[Any] = [each.get("name") if isinstance(each, dict) else each for each in given or ()] if given else []
    if isinstance(given, str | dict) or not all(isinstance(each, str) for each in labels):
        raise InputError(f'{name}: "labels" is no list of names, such as ["bug"].')
    return tuple(labels)


def address_of(source: str, settings: Settings) -> tuple[str, int] | None:
    """`OWNER/NAME` and the number, where `source` is the address of an issue."""
    parts = urlsplit(source)
    found = _ISSUE_PATH.fullmatch(parts.path)
    home = urlsplit(settings.github_web_url).hostname
    return (found[1], int(found[2])) if found and parts.hostname in (home, f"www.{home}") else None


def _from_github(address: str, settings: Settings) -> IssueText:
    place = address_of(address, settings)
    if place is None:
        example = f"{settings.github_web_url}/OWNER/NAME/issues/1"
        raise InputError(f"{address}: this is not the address of an issue; it looks like {example}.")
    # Imported here: the client takes a while, which a file need not wait for.
    from bot.github.errors import GitHubError, NotFound
    from bot.github.public import read_issue
    from bot.policy import Agents
    from bot.workflows.issue.replies import text_of

    try:
        issue = read_issue(settings.github_api_url, *place)
    except NotFound:
        raise InputError(
            f"{address}: there is no such issue, or it is private. Save its text to a file instead."
        ) from None
    except GitHubError as error:
        raise InputError(f"{address}: GitHub gave no answer to work with: {error}. Try again, or use a file.") from None
    return text_of(issue, (), Agents())


def _decoded(raw: bytes, where: str) -> str:
    try:
        text = raw.decode("utf-8")
        text.encode("utf-8")
    except UnicodeError:
        raise InputError(f"{where}: this is not UTF-8 text. Save it as UTF-8.") from None
    return text
