"""Every name that a database or a comment on GitHub keeps, collected from the code wherever that lies under `bot/`.

`python -m tests.workflows.stored` writes them to `stored_names.txt` anew.
"""

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from bot.github.values import Repository
from bot.rendering import gate, gate_states
from bot.settings import Settings
from bot.storage import schema, stores  # noqa: F401
from bot.storage.tables import Json, main_metadata
from bot.workflows.durable import engine
from bot.workflows.jobs import RunJob
from bot.workflows.worker import WORKFLOWS

FILE = Path(__file__).with_name("stored_names.txt")
BOT = Path(__file__).parents[2] / "bot"
ELSEWHERE = ("bench", "demo", "fake_github")  # they store nothing
QUEUES = (engine.QUEUE, engine.LONG_QUEUE)
STEPS = ("step", "attempt")
DURABLE = ("Run", "attempt(", "step(", "RunJob", "subject_of")
MARKER = re.compile(r"<!-- bouncer:[a-z]+")


def names() -> list[str]:
    """One line each: what it is a name of, and the name."""
    found = {*single_names(), *workflow_names(), *step_names(), *run_ids(), *markers()}
    return sorted(found | set(json_shapes()) | set(column_values()))


def single_names() -> list[str]:
    worker = Settings.model_fields["worker_id"].default
    checks = {"check": gate.NAME, "check of a policy": gate_states.POLICY_CHECK_NAME}
    kept = {"version": engine.VERSION, "worker": worker, **checks}
    tables = [f"table: {each.version_table}" for each in (schema.MAIN, schema.INBOX)]
    return [*(f"{what}: {name}" for what, name in kept.items()), *(f"queue: {name}" for name in QUEUES), *tables]


def workflow_names() -> Iterator[str]:
    return (f"workflow: {kind.name}" for kind in WORKFLOWS)


def step_names() -> Iterator[str]:
    """With the number of places, since several workflows have a step of the same name."""
    places = Counter(ast.literal_eval(call.args[0]) for _, call in step_calls() if _is_text(call.args[0]))
    return (f"step: {name}, {count}" for name, count in places.items())


def step_calls() -> Iterator[tuple[Path, ast.Call]]:
    """Each with its name, the kind of its value and its effect."""
    for path, node in nodes():
        if isinstance(node, ast.Call) and len(node.args) == 3 and _called(node) in STEPS:
            yield path, node


def run_ids() -> Iterator[str]:
    """Ids of runs and of what they are about: the same id is the same run, in every version."""
    for path, node in nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "RunJob.about":
            workflow, tail = node.args[0], node.args[3]
            assert isinstance(workflow, ast.Constant | ast.Name), path
            name = workflow.value if isinstance(workflow, ast.Constant) else "{}"
            yield f"id: {name}:{{}}:{{}}:{_shape(tail) if isinstance(tail, ast.JoinedStr) else '{}'}"
    for kind in WORKFLOWS:
        yield f"id: {RunJob(kind.name, '', 0, 0, Repository(0, ''), number=7, head='HEAD').subject}"


def markers() -> Iterator[str]:
    return (f"marker: {found}" for source in sources().values() for found in MARKER.findall(source))


def json_shapes() -> Iterator[str]:
    """Objects and enumerations in what is stored as JSON: jobs, values of steps, columns. Classes may be renamed."""
    for kind in stored_kinds():
        yield from _shapes(kind)


def stored_kinds() -> Iterator[Any]:
    yield RunJob
    for path, call in step_calls():
        if _is_text(call.args[0]):
            yield eval(ast.unparse(call.args[1]), vars(module(path)))
    for path, source in sources().items():
        if "TypeAdapter(" in source:
            yield from (each for each in vars(module(path)).values() if isinstance(each, TypeAdapter))
    columns = (each.type for table in main_metadata.sorted_tables for each in table.c)
    yield from (kind.kind for kind in columns if isinstance(kind, Json))


def column_values() -> Iterator[str]:
    """Enumerations in the records of the tables."""
    for path in sources():
        if path.parent.name == "storage":
            kinds = (each for each in vars(module(path)).values() if isinstance(each, type))
            for record in filter(is_dataclass, kinds):
                with suppress(*_NO_RECORD):
                    yield from (line for line in _shapes(record) if line.startswith("values: "))


_NO_RECORD = (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema)  # it holds a connection or a function


def _shapes(kind: Any) -> Iterator[str]:
    described = (kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)).json_schema()
    for each in (described, *described.get("$defs", {}).values()):
        if "enum" in each:
            yield f"values: {', '.join(map(str, each['enum']))}"
        elif "properties" in each:
            needed = each.get("required", ())
            yield f"object: {', '.join(name + ('' if name in needed else '?') for name in each['properties'])}"


def module(path: Path) -> ModuleType:
    return importlib.import_module(".".join(path.relative_to(BOT.parent).with_suffix("").parts))


@cache
def sources() -> dict[Path, str]:
    paths = (path for path in sorted(BOT.rglob("*.py")) if path.relative_to(BOT).parts[0] not in ELSEWHERE)
    return {path: path.read_text() for path in paths}


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    """Of every module that may hold a workflow, a step or a run's id."""
    durable = {path: source for path, source in sources().items() if any(word in source for word in DURABLE)}
    return [(path, node) for path, source in durable.items() for node in ast.walk(ast.parse(source))]


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _shape(text: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in text.values)


if __name__ == "__main__":
    FILE.write_text("".join(f"{name}\n" for name in names()))
