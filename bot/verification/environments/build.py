"""Building one environment: the setup's command lines in a sandbox whose only way out is the package proxy."""

import hashlib
import importlib.resources
import json
import os
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from click import unstyle

from bot.plain_text import clean
from bot.sandbox.protocol import Executor, Job, Limits, MiB, Outcome, Status
from bot.sandbox.proxy import PackageProxy, allow
from bot.settings import Settings
from bot.verification.environments.ci.node import package_manager
from bot.verification.environments.manifests import Manifests
from bot.verification.environments.setup_script import MOST_MADE
from bot.verification.programs import Hashes
from bot.verification.values import Program

SECONDS = 900.0
LIMITS = Limits(
    wall=SECONDS,
    cpu=SECONDS,
    memory=4096 * MiB,
    processes=256,
    results=2048 * MiB,
    disk=2048 * MiB,
    files=200_000,
)
MOST_OUTPUT = 4000  # characters of a failing command's output
MOST_TOLD = 200  # characters of the line that tells why
_TELLING = re.compile(r"(?i)(?:error|exception|fatal)\b.{0,20}: \S|(?:not found|no such file or directory)$")
_AT_THE_END = 4  # lines, where nothing is told at the level of an error
_EMPTY = re.compile(r"(?:ERROR|error): (?:Failed building|Could not build|subprocess-exited|Failed to build)")
_SCRIPTS = importlib.resources.files(__package__)
_HARNESS, _PINS, _OF_TESTS = (_SCRIPTS.joinpath(f"{name}_script.py").read_text() for name in ("setup", "pins", "code"))
_CODE = frozenset((".py", ".pyx", ".js", ".cjs", ".mjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".c", ".so"))
_SHORTEST = 64  # bytes; shorter files are alike everywhere


@dataclass(frozen=True, slots=True)
class EnvironmentProblem:
    """Why a program cannot be set up or tested here. reason: one plain sentence with the mend, in Bouncer's words.

    command: the setup line that failed, as the repository wrote it. output: the line that tells why, where one does,
    and the end of what it printed, bounded; written by strangers. Both may be empty.
    of_head: the base can be set up, anew as well, and tests of it pass; the change cannot be set up.
    """

    reason: str
    command: str = ""
    output: str = ""
    of_head: bool = False

    @property
    def told(self) -> str:
        """The whole cause in one line, as far as it is known; what strangers wrote stands in it."""
        return ": ".join(filter(None, (self.reason, self.command, reason_in(self.output))))


class BuildFailed(Exception):
    """Carries the problem out of a cache's builder."""

    def __init__(self, problem: EnvironmentProblem) -> None:
        super().__init__(problem.reason)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class EnvironmentPlan:
    """What is to be set up for one version. inputs: the files that decide it, whole: all files. loose: without
    its pins. as_of: see `Trail`. image: of the policy's, in which it is done. tags: see `Origin`.
    """

    setup: tuple[str, ...]
    python: bool
    inputs: Hashes
    whole: Hashes
    loose: bool = False
    as_of: str = ""
    image: str | None = None
    tags: Callable[[], tuple[str, ...]] = tuple


def build(executor: Executor, settings: Settings, program: Program, plan: EnvironmentPlan, into: Path) -> None:
    """Fill the empty directory `into` with `exported` (see setup_script.py) and `about.json`. Raises `BuildFailed`."""
    interpreter = ("python3",) if plan.image else executor.probe().python
    told = {name: getattr(plan, name) for name in ("setup", "python", "loose", "as_of")}
    told |= {"tags": plan.tags(), "variables": _indexes(settings), "pins": _PINS, "code": _OF_TESTS}
    told |= {"manager": package_manager(Manifests(program))}
    exported = into / "exported"
    exported.mkdir()
    with PackageProxy(allow(settings)) as proxy:
        outcome = executor.run(
            Job(
                argv=(*interpreter, "-c", _HARNESS, json.dumps(told)),
                tree=program.tree,
                files=program.files,
                limits=LIMITS,
                proxy=proxy.socket,
                results_into=exported,
                image=plan.image,
            )
        )
        if outcome.status is not Status.EXITED or outcome.exit_code:
            raise BuildFailed(_problem(outcome, plan.setup, proxy))
    if any((exported / name).is_symlink() for name in ("env", "made", "env/node")):
        raise BuildFailed(EnvironmentProblem("setup left a link where its results belong"))
    if sum(path.stat().st_size for path in _made(exported)) > MOST_MADE:
        raise BuildFailed(EnvironmentProblem("setup added more to the program's tree than it may"))
    about = {
        "holds_source": holds_source(exported, plan.whole),
        "made": uuid.uuid4().hex,
    }
    (into / "about.json").write_text(json.dumps(about))


def _indexes(settings: Settings) -> dict[str, str]:
    """What points pip, uv and npm at an index of the operator's."""
    variables = {}
    if settings.package_index:
        variables["PIP_INDEX_URL"] = variables["UV_DEFAULT_INDEX"] = settings.package_index
        parts = urlsplit(settings.package_index)
        if parts.scheme == "http":
            variables["PIP_TRUSTED_HOST"] = variables["UV_INSECURE_HOST"] = parts.netloc
    if settings.package_registry:
        variables["npm_config_registry"] = settings.package_registry
    return variables


def _problem(outcome: Outcome, setup: tuple[str, ...], proxy: PackageProxy) -> EnvironmentProblem:
    output = outcome.stdout.decode(errors="replace")[-MOST_OUTPUT:]
    if outcome.status is not Status.EXITED:
        return EnvironmentProblem(f"setup did not finish: {outcome.problem}")
    code = outcome.exit_code or 0
    if not 0 < code <= len(setup):
        return EnvironmentProblem("setup could not begin", "", output or outcome.stderr.decode(errors="replace")[-500:])
    reason = f"line {code} of setup failed"
    if proxy.inside:
        shown = " ".join(sorted(proxy.all_inside()))
        reason += f"; these hosts have no public address here: set BOUNCER_PACKAGE_HOSTS_INTERNAL to `{shown}`"
    if refused := sorted(proxy.refused - proxy.inside):
        reason += f"; it asked for hosts that are not allowed ({', '.join(refused)}): see BOUNCER_PACKAGE_HOSTS"
    if (told := reason_in(output)) and not output.startswith(told):
        output = f"{told}\n…\n{output[len(told) + 3 - MOST_OUTPUT :]}"
    return EnvironmentProblem(reason, setup[code - 1], output)


def reason_in(output: str) -> str:
    """What says what went wrong, as one line, bounded: an installer's last words are seldom the reason."""
    plain = (unstyle(line).strip() for line in output.splitlines())
    lines = [line for line in plain if line]
    telling = [line for line in lines if _TELLING.search(line[:MOST_TOLD]) and not _EMPTY.match(line)]
    return clean(" ".join(telling[:1] or lines[-_AT_THE_END:]), MOST_TOLD)


def holds_source(exported: Path, found: Hashes) -> bool:
    """Whether the environment holds a copy of the program's own code, so that it serves this version of it alone.

    `pip install .` copies, `pip install -e .` does not; a compiled module is a copy as well.
    """
    if made(exported):
        return True
    own = {item[:2] for path, item in found.items() if Path(path).suffix in _CODE and item[0] >= _SHORTEST}
    sizes = {size for size, _ in own}
    for folder, _, names in os.walk(exported / "env"):
        for name in names:
            path = Path(folder, name)
            if path.suffix in _CODE and not path.is_symlink() and path.stat().st_size in sizes:
                content = path.read_bytes()
                if (len(content), hashlib.sha256(content).hexdigest()) in own:
                    return True
    return False


def made(exported: Path) -> Mapping[str, bytes]:
    """Path in the program's tree -> content of what setup added to it."""
    return {path.relative_to(exported / "made").as_posix(): path.read_bytes() for path in _made(exported)}


def _made(exported: Path) -> list[Path]:
    paths = (Path(folder, name) for folder, _, names in os.walk(exported / "made") for name in names)
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())
