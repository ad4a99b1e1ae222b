"""Calls in the place of the test that makes them: code that answers otherwise there than in a plain process knows where
it is, whatever of the place tells it."""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from bot.verification.programs import content
from bot.verification.testing.sources import file_of
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
    which the tests that make them belong to. Each call becomes a test at the end of that very file; copied: of another
    one beside it, which holds the same."""
    name, files, calls = f"test_{secrets.token_hex(4)}", dict[str, bytes](), dict[str, str]()
    for number, (call, holds) in enumerate(asked):
        made_in, test = file_of(call.test), f"{name}_{number}"
        path = str(PurePosixPath(made_in).with_name(f"{name}.py")) if copied else made_in
        text = files.get(path) or suite.files.get(made_in) or content(program, made_in) or b""
        files[path] = text + _TEST.format(test, call.module, holds).encode()
        calls[f"{path}::{test}"] = call.expression
    if not calls:
        return frozenset()
    suite = replace(suite, files={**suite.files, **files}, select=tuple(calls), locked=frozenset())
    passing = trial.run(program, suite).result().passing
    return frozenset(calls[test] for test in calls.keys() & passing.keys())
