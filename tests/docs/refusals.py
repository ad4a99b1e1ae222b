"""What the server's processes refuse with, read from their code."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
REFUSALS = ("Refused", "refuse", "SetupError", "ManifestError", "WorkerRunning", "DatabaseError", "EngineError")
RETURNED = ("refusal", "_mend", "_failed", "_unmigrated")  # functions that return such a sentence
SPOKEN = (
    *("webhooks", "bot/setup", "bot/github/registration.py", "bot/storage/database.py"),
    *("bot/workflows/durable/worker_lock.py", "bot/workflows/durable/engine.py"),
)
NEVER_SEEN = ("One process runs one engine.",)  # but by whoever changes Bouncer


def refusals() -> list[str]:
    """Each sentence, `…` for what differs each time."""
    return sorted(set(_spoken()) - set(NEVER_SEEN))


def _spoken() -> Iterator[str]:
    for place in SPOKEN:
        for path in sorted((ROOT / place).rglob("*.py")) or [ROOT / place]:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSALS:
                    yield from filter(None, map(_text, node.args))
                if isinstance(node, ast.FunctionDef) and node.name in RETURNED:
                    yield from (_text(each) for each in ast.walk(node) if isinstance(each, ast.Return))


def _text(node: ast.AST | None) -> str:
    """The sentence that it is, or returns first."""
    if isinstance(node, ast.Return):
        return _text(node.value.elts[0] if isinstance(node.value, ast.Tuple) else node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
