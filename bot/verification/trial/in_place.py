"""Calls in the place of the test that makes them: code that answers otherwise there than in a plain process knows where
it is, whatever of the place tells it."""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from bot.verification.programs import content
from bot.verification.testing.sources import function_of
from bot.verification.trial.setup import TrialSetup
from bot.verification.values import Program, RecordedCall, Suite

_TEST = """

def {0}():
    import base64
    import pickle

    unpickled = lambda text: pickle.loads(base64.b64decode(text))
    import {1}
    assert {2}
"""


def hold_in_place(
    trial: TrialSetup,
    program: Program,
    suite: Suite,
    asked: Iterable[tuple[RecordedCall, str]],
    *,
    copied: bool = False,
) -> frozenset[str]:
    """The calls of which something holds there. asked: each call, and what may hold, as an expression of Python. suite:
    which the tests that make them belong to. Each call becomes a test at the end of that very file, the first of a
    function in its stead, under its name; copied: of the file's copy in a folder of another name, with what pytest
    reads beside it, so that its fixtures set the same."""
    name, files, calls = f"test_{secrets.token_hex(4)}", dict[str, bytes](), dict[str, str]()

    def text_of(path: str) -> bytes:
        return files.get(path) or suite.files.get(path) or content(program, path) or b""

    for number, (call, holds) in enumerate(asked):
        path, _, test = function_of(call.test).partition("::")
        if copied or not test.isidentifier() or f"{path}::{test}" in calls:
            test = f"{name}_{number}"
        text = text_of(path)
        if copied:
            *folders, _ = PurePosixPath(path).parts
            for depth in range(1, len(folders) + 1):
                steering = text_of("/".join([*folders[:depth], "conftest.py"]))
                files["/".join([name, *folders[1:depth], "conftest.py"])] = steering
            path = "/".join([name, *folders[1:], f"{name}.py"])
            text = files.get(path) or text
        files[path] = text + _TEST.format(test, call.module, holds).encode()
        calls[f"{path}::{test}"] = call.expression
    if not calls:
        return frozenset()
    suite = replace(suite, files={**suite.files, **files}, select=tuple(calls), locked=frozenset())
    passing = trial.run(program, suite).result().passing
    return frozenset(calls[test] for test in calls.keys() & passing.keys())
