"""What a recording holds, without what differs between two runs of the same code, and in what two of them differ."""

import difflib
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

WHOLE = "whole"
_DIGITS = 16  # of a digest: enough to tell texts apart
_LINES = 60  # of one difference
_SHORT_LIVED = (
    (re.compile(r"(https?(?::|%3A)(?://|%2F%2F))(?:127\.0\.0\.1|localhost)(?::|%3A)\d+"), r"\1HOST"),
    (re.compile(r"((?:/|%2F)(?:verdicts|welcome)(?:/|%2F))[\w-]{20,}"), r"\1TOKEN"),
    (re.compile(r"\[[\w-]{32}\]"), "[TOKEN]"),  # a page's link to another of its kind
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| UTC)?"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b|^\d\d-\d\d$", re.MULTILINE), "DAY"),
    (re.compile(r"\b[0-9a-f]{40}\b|\b(?=[a-f]*\d)[0-9a-f]{7,12}\b"), "SHA"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds?|minutes?|wallclock secs|c?usr|c?sys|CPU)\b(?!\()"), "N s"),
    (re.compile(r'("seconds": )[\d.]+'), r"\1N"),
    (re.compile(r'("broken": \[)[^\]]+\]'), r"\1FUNCTIONS]"),  # on purpose: which and how many is left to chance
)


class Item(NamedTuple):
    """One answer. brief: its verdict, label or conclusion; text: all of it, `None` where only the digest was kept."""

    brief: str
    digest: str
    text: str | None = None


class Recording(NamedTuple):
    """scope: of each kind that was recorded, whether it is `WHOLE` or a sample. items: `KIND/NAME` -> answer."""

    scope: Mapping[str, str]
    items: Mapping[str, Item]


def item(brief: str, text: str) -> Item:
    """An answer with its text."""
    return Item(brief, hashlib.sha256(text.encode()).hexdigest()[:_DIGITS], text)


def normalise(text: str, *folders: str) -> str:
    """The text with addresses on loopback, times, commits and durations replaced, and these folders of the run."""
    for number, folder in enumerate(folders, 1):
        text = text.replace(folder, f"FOLDER{number}")
    for pattern, name in _SHORT_LIVED:
        text = pattern.sub(name, text)
    return text


def briefly(answer: Any) -> str:
    """Of a JSON document of `bouncer`, what was decided."""
    if not isinstance(answer, dict):
        return "no document"
    words = [answer.get(key) for key in ("verdict", "status", "label", "kind", "case", "cause")]
    check = answer.get("check")
    words.append(check.get("conclusion") if isinstance(check, dict) else None)
    if missing := answer.get("missing"):
        words.append(f"without {', '.join(missing)}")
    return " ".join(str(word) for word in words if word) or f"error: {answer.get('error')}"


def read(path: Path) -> Recording:
    """The recording in a file."""
    document = json.loads(path.read_text("utf-8"))
    return Recording(document["scope"], {name: Item(*values) for name, values in document["items"].items()})


def write(recording: Recording, path: Path, *, texts: bool) -> None:
    """Write it, one answer a line, with or without the texts. Kinds of an earlier recording there that this one lacks
    stay."""
    kept = read(path) if path.exists() else Recording({}, {})
    stay = {name: each for name, each in kept.items.items() if name.partition("/")[0] not in recording.scope}
    values = {name: each if texts else each[:2] for name, each in sorted({**stay, **recording.items}.items())}
    body = ",\n".join(json.dumps({name: each}, ensure_ascii=False)[1:-1] for name, each in values.items())
    scope = json.dumps({**kept.scope, **recording.scope}, sort_keys=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{"scope": {scope}, "items": {{\n{body}\n}}}}\n', "utf-8")


def differences(old: Recording, new: Recording) -> Iterator[str]:
    """One text a difference, over the kinds that both hold. What a sample left out is none."""
    both = old.scope.keys() & new.scope.keys()
    for name in sorted(old.items.keys() | new.items.keys()):
        kind, before, after = name.partition("/")[0], old.items.get(name), new.items.get(name)
        if kind not in both:
            continue
        if before and after:
            if before[:2] != after[:2]:
                yield _difference(name, before, after)
        elif after and old.scope[kind] == WHOLE:
            yield f"{name}: only in the second: {after.brief}"
        elif before and new.scope[kind] == WHOLE:
            yield f"{name}: only in the first: {before.brief}"


def _difference(name: str, before: Item, after: Item) -> str:
    same = before.brief == after.brief
    headline = f"{name}: {before.brief}" + (", in other words" if same else f" -> {after.brief}")
    if before.text is None or after.text is None:
        lacking = [which for which, each in (("first", before), ("second", after)) if each.text is None]
        return f"{headline}\n    (no text in the {' and the '.join(lacking)})"
    lines = list(difflib.unified_diff(before.text.splitlines(), after.text.splitlines(), "first", "second", "", "", 2))
    more = [f"… {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    return "\n".join([headline, *(f"    {line.rstrip()}" for line in [*lines[:_LINES], *more])])
