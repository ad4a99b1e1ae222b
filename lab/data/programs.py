"""Pairs of programs to try the filter on, read from public data sets. Nothing of them is ever run here."""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import yaml

from bot.verification.syntax import parse
from lab.data.files import DataError, read_rows

FILES = ("llm_solutions.jsonl", "humanevalpack.jsonl", "quixbugs.jsonl", "mbpp.jsonl")
_FAULTS = Path(__file__).with_name("quixbugs_faults.yaml")
_MEND = (
    f"Name a directory that holds {', '.join(FILES)} with --data DIR. They come from HumanEvalPack (MIT), QuixBugs "
    "(MIT), MBPP (CC-BY-4.0), and the recorded solutions of reflexion (MIT) and LLMDebugger (Apache-2.0)."
)


@dataclass(frozen=True, slots=True)
class Pair:
    """One rejected program and the fix offered for it.

    task: pairs of one task belong together when a figure's spread is estimated. tests: the visible ones, a pytest file.
    correct: whether the original is, as the hidden tests have it; never shown to the filter. bug, symptom: the labels
    of a wrong original's fault, for QuixBugs our own; empty where it has none. path: where the two stand. beside: the
    other files, with their paths.
    """

    dataset: str
    task: str
    original: str
    fix: str
    tests: str
    specification: str
    correct: bool
    bug: str = ""
    symptom: str = ""
    path: str = "solution.py"
    beside: tuple[tuple[str, str], ...] = ()


def read_pairs(data: Path) -> tuple[Pair, ...]:
    """All pairs of the data sets in a directory. Raises DataError."""
    solutions, pack, bugs, tasks = (_rows(data / name) for name in FILES)
    try:
        return (*_solutions(solutions, pack), *_pack(pack), *_bugs(bugs), *_right_and_wrong(solutions, tasks))
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{data}: the rows are not as expected ({type(error).__name__}: {error}).") from None


def _rows(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in read_rows(path, _MEND)]


def _solutions(solutions: list[dict[str, Any]], pack: list[dict[str, Any]]) -> Iterator[Pair]:
    """Ordered pairs of textually different solutions of one task."""
    shown = {row["task_id"].rpartition("/")[2]: row["example_test"] for row in pack}
    tasks: dict[str, list[dict[str, Any]]] = {}
    for row in solutions:
        tasks.setdefault(row["task_id"], []).append(row)
    for task, rows in tasks.items():
        distinct = {row["solution"]: row for row in rows}
        for original, fix in permutations(distinct.values(), 2):
            human = original["dataset"] == "humaneval"
            source = shown[task.rpartition("/")[2]] if human else first_assertion(original["test"])
            tests = visible_tests(source, original["entry_point"])
            yield Pair(f"{original['dataset']} solutions", _number(task), original["solution"], fix["solution"], tests,
                       specification_of(original["prompt"]), bool(original["correct"]))  # fmt: skip


def _number(task: str) -> str:
    """A task's number: one task has several spellings."""
    return "".join(re.findall(r"\d+", task)[:1]) or task


def _pack(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    for row in rows:
        right, wrong = (row["declaration"] + row[kind] for kind in ("canonical_solution", "buggy_solution"))
        tests = visible_tests(row["example_test"], row["entry_point"])
        fault = (str(row.get("bug_type") or ""), str(row.get("failure_symptoms") or ""))
        yield Pair("HumanEvalPack", row["task_id"], right, wrong, tests, row["docstring"], True)
        yield Pair("HumanEvalPack", row["task_id"], wrong, right, tests, row["docstring"], False, *fault)


def _bugs(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    """Without the programs on graphs, whose tests build nodes by hand. The first test case is the visible one."""
    faults = yaml.safe_load(_FAULTS.read_text(encoding="utf-8"))
    for row in rows:
        if not row["test_cases"]:
            continue
        name, (given, expected) = row["name"], row["test_cases"][0]
        arguments = ", ".join(map(repr, given if isinstance(given, list) else [given]))
        call = f"{name}({arguments})"
        if f"list({name}(" in row["pytest_file"]:
            call = f"list({call})"
        tests = visible_tests(f"assert {call} == {expected!r}", name)
        right, wrong = row["correct_code"], row["buggy_code"]
        for original, fix, correct in ((right, wrong, True), (wrong, right, False)):
            fault = ("", "") if correct else tuple(faults.get(name, ("", "")))[:2]
            yield Pair("QuixBugs", name, original, fix, tests, row["requirement"], correct, *fault)


def _right_and_wrong(solutions: list[dict[str, Any]], tasks: list[dict[str, Any]]) -> Iterator[Pair]:
    """MBPP's wrong solutions beside the task's own right one. The first assertion is the visible test."""
    wrong = {
        (_number(row["task_id"]), row["solution"])
        for row in solutions
        if row["dataset"] == "mbpp" and not row["correct"]
    }
    right = {str(row["task_id"]): row for row in tasks if not row["test_setup_code"]}
    for task, solution in sorted(wrong):
        if row := right.get(task):
            shown = parse(row["test_list"][0]).body[0]
            called = [
                node.func.id
                for node in ast.walk(shown)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            ]
            name = next((each for each in called if f"def {each}(" in row["code"]), "")
            tests = visible_tests(row["test_list"][0], name)
            if name and f"def {name}(" in solution:
                code = row["code"].replace("\r\n", "\n")
                for original, fix, correct in ((code, solution, True), (solution, code, False)):
                    yield Pair("MBPP", task, original, fix, tests, row["text"], correct)


def first_assertion(tests: str) -> str:
    """The first assertion of a test's source, as a line of its own."""
    found = [node for node in ast.walk(parse(tests)) if isinstance(node, ast.Assert)]
    return ast.unparse(min(found, key=lambda node: node.lineno)) if found else ""


def visible_tests(source: str, function: str) -> str:
    """A pytest file with one test for each assertion in `source`, whatever name it calls the function by."""
    tree = _parsed(source)
    helpers = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.args.args]
    names = {helper.args.args[0].arg for helper in helpers} | {"candidate"}
    lines = [f"from solution import {function}"]
    for number, node in enumerate((node for node in ast.walk(tree) if isinstance(node, ast.Assert)), 1):
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in names:
                part.func.id = function
        lines += ["", "", f"def test_visible_{number}():", textwrap.indent(ast.unparse(node), "    ")]
    return "\n".join(lines) + "\n"


def _parsed(source: str) -> ast.Module:
    """One published test begins with a piece of another file: then only its last function counts."""
    try:
        return parse(source)
    except SyntaxError:
        return parse(source[source.rfind("\ndef ") + 1 :])


def specification_of(prompt: str) -> str:
    """The docstring of the last function of a prompt; the whole prompt when there is none to be read."""
    try:
        functions = [node for node in ast.walk(parse(prompt)) if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return prompt
    return (ast.get_docstring(functions[-1]) if functions else None) or prompt
