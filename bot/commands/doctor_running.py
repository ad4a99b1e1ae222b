"""What running a change takes: git, the sandbox, room for what is fetched and built, the way to the package index. And
what asking models takes: can each that has a task be reached, and is its money limited?"""

import errno
import json
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

import requests

from bot.commands.doctor_lines import CheckLine, fails, passes, warns
from bot.judges.openai import models
from bot.judges.openai.spend import prices
from bot.plain_text import clean
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities, Executor
from bot.sandbox.proxy import allow
from bot.sandbox.toolchains import program_at
from bot.settings import Settings, SettingsError
from bot.statements.keys import key_id, load_signing_key
from bot.telemetry import traces
from bot.verification.differential.symbolic import crosshair_version
from bot.verification.testing.run import run_suite
from bot.verification.testing.tools import TEST_TOOLS
from bot.verification.values import Program, Suite

OLDEST_GIT = (2, 38)  # the first whose merge-tree writes trees
MAX_LIST = 2_000_000  # bytes of the list of models that are read
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PATIENCE = 10.0  # seconds
_ROOM = 2_000_000_000  # bytes; one environment with its sources
_CACHE_MENDS = {
    errno.ENOSPC: "Make room",
    errno.EDQUOT: "Make room in its user's quota",
    errno.EROFS: "Mount its disk for writing (`dmesg` says whether it broke)",
    errno.ENOTDIR: "Take away the file that is in its place",
}
_ELSEWHERE = "or name another place with BOUNCER_CACHE_DIR."
_SOURCE = b"def half(number):\n    return number / 2\n"
_WRONG = b"def half(number):\n    return number\n"
_TEST = b"from solution import half\n\n\ndef test_half():\n    assert half(4) == 2\n"


def git_line() -> CheckLine:
    """Whether there is a git that starts, and is young enough to merge as Bouncer has it merge."""
    found = shutil.which("git")
    if found is None:
        mend = "Install it, for instance with `sudo apt-get install git`, and let PATH lead to it."
        return fails("git", "it is not on the PATH, so nothing that is judged can be fetched", mend)
    done = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode:
        return fails("git", f"`git --version` ends with status {done.returncode}", "Install it again.")
    said = clean(done.stdout.strip().removeprefix("git "))
    version = re.search(r"(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        mend = "Install a newer one, or run Bouncer's image, which has one."
        return fails("git", f"{said} is too old: a change is merged with {oldest} or later before it is run", mend)
    return passes("git", said)


def cache_line(settings: Settings) -> CheckLine:
    """Whether sources and environments can be kept: a file is written there, or above, and removed."""
    place = settings.cache_dir.absolute()
    there = next(path for path in (place, *place.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as probe:
            probe.write(b"x" * 4096)
            probe.flush()
    except OSError as error:
        mend = _CACHE_MENDS.get(error.errno or 0, "Give Bouncer's user the right to write it")
        return fails("cache", f"{place} cannot be written: {error.strerror}", f"{mend}, {_ELSEWHERE}")
    if (free := shutil.disk_usage(there).free) < _ROOM:
        says = f"{place} has {free / 1e9:.1f} GB left, and needs {_ROOM / 1e9:.0f}"
        return fails("cache", says, f"{_CACHE_MENDS[errno.ENOSPC]}, {_ELSEWHERE}")
    return passes("cache", f"{place} can be written")


def test_tools_line() -> CheckLine:
    """In which languages beside Python tests can be run on this machine. An image of the policy brings its own."""
    languages = {tool.language: tool.program for tool in TEST_TOOLS if tool.language != "Python"}
    found = [f"{language} ({program})" for language, program in languages.items() if program_at(program)]
    missing = [f"{language} ({program})" for language, program in languages.items() if not program_at(program)]
    there = f"Python and {', '.join(found)}" if found else "Python alone"
    return passes("test tools", f"{there}; not installed: {', '.join(missing)}" if missing else there)


def search_line() -> CheckLine:
    """Whether inputs on which a change and a fix differ are searched symbolically, too."""
    found = crosshair_version()
    says = (
        f"CrossHair {found}" if found else "CrossHair is not installed; `pip install 'bouncer-bot[symbolic]'` adds it"
    )
    return passes("symbolic search", says)


def index_line(settings: Settings) -> CheckLine:
    """Whether the package index answers, reached as the sandbox's proxy reaches it."""
    allowed = allow(settings)
    places = sorted(allowed.internal) or sorted(allowed.public)
    if not places:
        return fails("package index", "no setting names one", "Set BOUNCER_PACKAGE_HOSTS or BOUNCER_PACKAGE_INDEX.")
    away = [place for place in places if not _answers(*place)]
    if away:
        named = ", ".join(f"{host}:{port}" for host, port in away)
        mend = "Check the network; for an index inside of yours set BOUNCER_PACKAGE_INDEX. `--offline` skips this."
        return fails("package index", f"{named} cannot be reached", mend)
    return passes("package index", f"{', '.join(host for host, _ in places)} can be reached")


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), _PATIENCE):
            return True
    except OSError:
        return False


def sandbox_lines(settings: Settings) -> tuple[CheckLine, ...]:
    """Proved, not assumed: a program has just tried to break out, and a verification has run."""
    chosen = choose(settings)
    if isinstance(chosen, Capabilities):
        mend = "Until then no change is judged by running it; docs/sandbox.md says what this machine needs."
        return (fails("sandbox", clean(chosen.problem, 1000), mend),)
    capabilities = chosen.probe()
    says = f"{chosen.name} {capabilities.version} contained a program that tried to break out"
    without = "; ".join(clean(missing) for missing in capabilities.missing)
    return (passes("sandbox", f"{says} (without {without})" if without else says), _verification(chosen))


def _verification(executor: Executor) -> CheckLine:
    """A test that passes with a right program and fails with a wrong one."""
    suite = Suite({"test_half.py": _TEST})
    right, wrong = (run_suite(executor, Program(None, {"solution.py": source}), suite) for source in (_SOURCE, _WRONG))
    if right.unavailable or wrong.unavailable:
        problem = right.problem or wrong.problem
        return fails("verification", f"a small test could not run: {clean(problem, 400)}", "See docs/sandbox.md.")
    if not right.passed or not wrong.failing:
        return fails("verification", "a small test gave a wrong result", "Report it; this is Bouncer's own.")
    return passes("verification", f"a small test worked, in {right.seconds + wrong.seconds:.1f} s")


def extra_lines(settings: Settings) -> Iterator[CheckLine]:
    """None where neither is."""
    try:
        if (key := load_signing_key(settings)) is not None:
            yield passes("statements", f"signed with the key {key_id(key.public_key())[:12]}")
    except SettingsError as error:
        yield fails("statements", str(error).rstrip("."), "docs/statements.md says how the key is made.")
    if problem := traces.problem():
        says, _, mend = problem.partition(". ")
        yield warns("traces", says, mend)
    elif place := traces.destination():
        yield passes("traces", f"sent to {place}")


def model_lines(settings: Settings) -> Iterator[CheckLine]:
    """BOUNCER_MODEL first, then each further one."""
    if settings.judge != "openai":
        yield passes("judge", "offline: needs no model")
        return
    for name in (settings.model, *(each.model for each in settings.models)):
        model, tasks = settings.with_model(name), _tasks(settings, name)
        check = "judge" if name == settings.model else "model"
        if not tasks:
            mend = "Name it in BOUNCER_VOTER_MODELS, BOUNCER_FIRST_MODEL, BOUNCER_EVALUATOR_MODEL or"
            yield warns(check, f"{name} has no task", f"{mend} BOUNCER_WRITER_MODEL, or take it out of BOUNCER_MODELS.")
            continue
        yield from _money(model)
        yield from _reached(model, check, f": {', '.join(tasks)}" if settings.models else "")


def _tasks(settings: Settings, name: str) -> list[str]:
    """What a model does, as phrases."""
    cheap = models.first(settings)
    does = {
        "is asked first": cheap is not None and cheap.model == name,
        "judges": name in [each.model for each in models.voters(settings)],
        "checks reviews": models.evaluator(settings).model == name,
        "writes tests": name in [each.model for each in models.test_writers(settings)],
        "is asked blind": name in [each.model for each in models.blind_judges(settings)],
    }
    return [phrase for phrase, true in does.items() if true]


def _money(model: Settings) -> Iterator[CheckLine]:
    limits = [limit for limit in (model.model_spend_per_day, model.model_own_spend_per_day) if limit]
    mend = f"Set {model.where('model_price_in')} and {model.where('model_price_out')}."
    whose = f"{model.model}: " if model.models else ""
    if limits and not prices(model).known:
        yield fails("spend", f"{whose}a ceiling without token prices: every verdict would be UNAVAILABLE", mend)
    elif not prices(model).known:
        yield warns("spend", f"{whose}without token prices no cost is counted", mend)
    elif not limits:
        yield warns("spend", f"{whose}there is no ceiling", "Set BOUNCER_MODEL_SPEND_PER_DAY.")
    else:
        yield passes("spend", f"{whose}at most {min(limits):g} a day")


def _reached(model: Settings, check: str, tasks: str) -> Iterator[CheckLine]:
    """Ask for the list of models, which costs nothing."""
    address = urlsplit(model.model_base_url)
    host = address.hostname or ""
    key = model.model_api_key.get_secret_value() if model.model_api_key else ""
    if key and address.scheme == "http" and host not in LOOPBACK:
        yield warns(check, "the key travels unencrypted", f"Use an https address in {model.where('model_base_url')}.")
    yield _listed(model, check, host, key, tasks)


def _listed(model: Settings, check: str, host: str, key: str, tasks: str) -> CheckLine:
    try:
        status, listed = _models(f"{model.model_base_url.rstrip('/')}/models", key)
    except (requests.RequestException, UnicodeError) as error:
        mend = f"Check {model.where('model_base_url')}, the network and the proxy."
        return fails(check, f"{host} cannot be reached ({type(error).__name__})", mend)
    if status in (401, 403):
        return fails(check, f"{host} refuses the key ({status})", f"Correct {model.where('model_api_key')}.")
    if listed is None:
        mend = "Try it: `bouncer judge issue FILE` asks the model once."
        return warns(check, f"{host} answers, but does not list its models ({status})", mend)
    if model.model not in listed:
        close = get_close_matches(model.model, listed, n=1)
        mend = f"Did you mean {clean(close[0])}? " if close else ""
        return fails(check, f"{host} does not list the model {model.model}", f"{mend}Correct {model.where('model')}.")
    return passes(check, f"{model.model} at {host}{tasks}")


def _models(address: str, key: str) -> tuple[int, list[str] | None]:
    """The status, and the names of the models where they are listed."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with requests.get(address, headers=headers, timeout=_PATIENCE, allow_redirects=False, stream=True) as answer:
        raw = answer.raw.read(MAX_LIST, decode_content=True)
    try:
        data: Any = json.loads(raw)
        return answer.status_code, [str(model["id"]) for model in data["data"]] if answer.ok else None
    except (ValueError, TypeError, KeyError):
        return answer.status_code, None
