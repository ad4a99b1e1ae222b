"""What a recording holds, and in what two of them differ."""

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

WHOLE = "whole"
_DIGITS = 16  # of a digest: enough to tell texts apart
_LINES = 60  # of one difference


@dataclass(frozen=True, slots=True)
class Item:
    """One answer. brief: its verdict, label or conclusion; text: all of it, `None` where only the digest was kept."""

    brief: str
    digest: str
    text: str | None = None


def item(brief: str, text: str) -> Item:
    """An answer with its text."""
    return Item(brief, hashlib.sha256(text.encode()).hexdigest()[:_DIGITS], text)


@dataclass(frozen=True, slots=True)
class Recording:
    """items: `KIND/NAME` -> answer. scope: of each kind that was recorded, whether it is `WHOLE` or a sample."""

    scope: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, Item] = field(default_factory=dict)

    def of_kind(self, kind: str) -> dict[str, Item]:
        """The answers of one kind."""
        return {name: each for name, each in self.items.items() if name.startswith(f"{kind}/")}


def read(path: Path) -> Recording:
    """The recording in a file."""
    document = json.loads(path.read_text("utf-8"))
    return Recording(document["scope"], {name: Item(*values) for name, values in document["items"].items()})


def write(recording: Recording, path: Path, *, texts: bool) -> None:
    """Write it, one answer a line, with or without the texts. Kinds of an earlier recording there that this one lacks
    stay."""
    kept = read(path) if path.exists() else Recording()
    scope = {**kept.scope, **recording.scope}
    items = {
        name: each for kind in kept.scope.keys() - recording.scope.keys() for name, each in kept.of_kind(kind).items()
    }
    items |= recording.items
    lines = []
    for name, each in sorted(items.items()):
        values = [each.brief, each.digest, *([each.text] if texts and each.text is not None else [])]
        lines.append(f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(values, ensure_ascii=False)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    body = ",\n".join(lines)
    path.write_text(f'{{"scope": {json.dumps(scope, sort_keys=True)}, "items": {{\n{body}\n}}}}\n', "utf-8")


def differences(old: Recording, new: Recording) -> Iterator[str]:
    """One text a difference, over the kinds that both hold. What a sample left out is none."""
    for kind in sorted(old.scope.keys() & new.scope.keys()):
        before, after = old.of_kind(kind), new.of_kind(kind)
        for name in sorted(before.keys() | after.keys()):
            if name not in before:
                if old.scope[kind] == WHOLE:
                    yield f"{name}: only in the second: {after[name].brief}"
            elif name not in after:
                if new.scope[kind] == WHOLE:
                    yield f"{name}: only in the first: {before[name].brief}"
            elif (before[name].brief, before[name].digest) != (after[name].brief, after[name].digest):
                yield _difference(name, before[name], after[name])


def _difference(name: str, before: Item, after: Item) -> str:
    same = before.brief == after.brief
    headline = f"{name}: {before.brief}" + (", in other words" if same else f" -> {after.brief}")
    if before.text is None or after.text is None:
        lacking = [which for which, each in (("first", before), ("second", after)) if each.text is None]
        return f"{headline}\n    (no text in the {' and the '.join(lacking)})"
    lines = list(difflib.unified_diff(before.text.splitlines(), after.text.splitlines(), "first", "second", "", "", 2))
    more = [f"… {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    return "\n".join([headline, *(f"    {line.rstrip()}" for line in [*lines[:_LINES], *more])])
