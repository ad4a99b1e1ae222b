"""A name of a class stands for one thing in all of Bouncer: whoever reads it need not ask which."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_no_class_is_called_like_another() -> None:
    places = defaultdict(set)
    for file in (path for top in ("bot", "webhooks") for path in (ROOT / top).rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(str(file.relative_to(ROOT)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
