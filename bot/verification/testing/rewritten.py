"""The code of test files as pytest makes it of their assertions, made once: each run would parse all of them anew,
which takes most of a short one.

It is made in a process of its own, of the sources alone, where nothing of a program runs. A run takes it for a file of
the very same text in the same place, and makes that of any other.
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable

from bot.sandbox.protocol import Executor, Job, Limits, MiB, Status
from bot.verification.programs import content
from bot.verification.values import Environment, Program

LEAST = 20_000  # bytes of sources that are worth a process
MOST = 4_000_000  # bytes of one run's sources
_KEPT = 64_000_000  # characters of all that is kept
_LIMITS = Limits(wall=30.0, cpu=30.0, output=16 * MiB)

Rewritten = tuple[str, str, str]  # path, SHA-256 of the source, the code as base64
_Place = tuple[str, str, str]  # environment, path, SHA-256
_KNOWN: dict[_Place, str] = {}  # the codes, of all threads; empty where none could be made


def rewritten(
    executor: Executor, program: Program, paths: Iterable[str], around: Environment, argv: tuple[str, ...]
) -> list[Rewritten]:
    """The code of these files of the program. Never raises. argv: of the environment's process that makes it."""
    where, left = repr((executor.name, argv[:-1], around.image, around.variables, around.mounts)), MOST
    places, missing = list[_Place](), dict[_Place, bytes]()
    for path in sorted(paths):
        text = content(program, path) or b""
        left -= len(text)
        if text and left > 0:
            places.append(place := (where, path, hashlib.sha256(text).hexdigest()))
            missing |= {} if _KNOWN.get(place) is not None else {place: text}
    if sum(map(len, missing.values())) >= LEAST:
        asked = {path: b64encode(text).decode() for (_, path, _), text in missing.items()}
        given = json.dumps({"tests": asked}).encode()
        job = Job(argv, None, {}, around.mounts, given, around.variables, _LIMITS, image=around.image)
        made = _made(executor, job)
        if sum(map(len, _KNOWN.values())) > _KEPT:
            _KNOWN.clear()
        _KNOWN.update({place: made.get(place[1], "") for place in missing})
    found = ((path, digest, _KNOWN.get((where, path, digest))) for _, path, digest in places)
    return [(path, digest, code) for path, digest, code in found if code]


def _made(executor: Executor, job: Job) -> dict[str, str]:
    outcome = executor.run(job)
    try:
        told = json.loads(outcome.stdout) if outcome.status is Status.EXITED else {}
    except (ValueError, RecursionError):
        return {}
    return {path: code for path, code in told.items() if isinstance(code, str)} if isinstance(told, dict) else {}
