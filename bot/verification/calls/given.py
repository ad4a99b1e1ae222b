"""What a call is given beside plain values, inside the sandbox: files with a text, functions of the tests, and a script
as a process of its own. Standard library only."""

import os
import pathlib
import shlex
import subprocess
import sys
import zlib
from collections.abc import Iterable
from typing import Any

PLACE = "/tmp/given"  # noqa: S108 (the sandbox's own)
MOST = 4_000  # characters of what is printed, and of a file


class ScriptFailed(Exception):
    """A script ended by an error that it did not catch."""


def make_file(name: str, text: str | None = None) -> str:
    """The path of a file with such a name and text, the same for the same ones; without a text there is none yet."""
    folder = pathlib.Path(PLACE, f"{zlib.crc32(f'{name} {text}'.encode(errors='replace')):x}")
    folder.mkdir(parents=True, exist_ok=True)
    if text is None:
        (folder / name).unlink(missing_ok=True)
    else:
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def make_path(name: str, text: str | None = None) -> pathlib.Path:
    """The same as an object."""
    return pathlib.Path(make_file(name, text))


def make_function(body: str) -> Any:
    """A function as a test has it. body: of a function that gives it, with what it holds."""
    names: dict[str, Any] = {}
    exec("def make():\n " + body.replace("\n", "\n "), names)  # noqa: S102 (this is the sandbox)
    FUNCTIONS.append(names["make"]())
    return FUNCTIONS[-1]


def state_of_functions() -> list[dict[str, Any]]:
    """What the functions hold that were made, by its names."""
    return [
        {name: cell.cell_contents for name, cell in zip(each.__code__.co_freevars, each.__closure__)}  # noqa: B905 (3.9)
        for each in FUNCTIONS
        if each.__closure__
    ]


def texts_of(values: Iterable[Any]) -> list[str | None]:
    """What is in those that are files which were given, by now; `None` for one that is gone."""
    paths = [each for each in values if type(each) in (str, type(pathlib.Path()))]
    return [_content(pathlib.Path(each)) for each in paths if str(each).startswith(f"{PLACE}/")]


def _content(path: pathlib.Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:MOST]
    except OSError:
        return None


def run_script(command: str, *words: Any, stdin: str = "") -> tuple[Any, ...]:
    """How a script ends, what it prints, and what is in the files that it was given. command: its path, or `-m` and a
    module, and its words; `{}` stands for one of `words`. Raises ScriptFailed."""
    left = iter(words)
    told = [str(next(left)) if each == "{}" else each for each in shlex.split(command)]
    around = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, *told], input=stdin.encode(), capture_output=True, env=around, check=False)
    if b"Traceback (most recent call last)" in done.stderr:
        raise ScriptFailed
    return done.returncode, done.stdout.decode(errors="replace")[:MOST], *texts_of(words)


FUNCTIONS: list[Any] = []  # that were made
GIVEN = {"make_file": make_file, "make_path": make_path, "make_function": make_function, "run_script": run_script}
