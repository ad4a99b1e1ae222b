# Starts the program in a process of its own, and takes what that tells, or what it prints.

# mypy: ignore-errors

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from bot.already_fixed.in_sandbox.watching import LONGEST_OUTPUT, is_torn, missing

SECONDS = 10.0


def run(plan, seed):
    """What came of it; a dictionary as `observe` makes it."""
    folder = tempfile.mkdtemp()
    here = os.getcwd()
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join((os.path.join(here, "src"), here)))
    environment.update(plan.get("variables", {}))
    environment.update(MPLBACKEND="Agg", COLUMNS="80", PYTHONHASHSEED=seed)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the second run need not compile the program again
    environment.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", None)  # was for the test that we are in
    if plan["form"] not in ("tests", "command"):
        return program(plan, folder, environment)
    words, files = list(plan["steps"]), plan["files"]
    if plan["form"] == "tests":
        files = [("test_reported.py", plan["code"])]
        words = ["python", "-m", "pytest", "-p", "no:cacheprovider", "test_reported.py"]
    for name, text in files:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    if words[:1] in (["python"], ["python3"]):
        words[:1] = interpreter(plan)
    return command(words, folder, environment, plan)


def interpreter(plan):
    """The one that has what the program needs; by hand, the one that runs this."""
    return plan.get("python") or [sys.executable]


def program(plan, folder, environment):
    """Statements, in a process that tells what it saw on a pipe that nobody else has."""
    word = os.urandom(16).hex()
    ours, theirs = os.pipe()
    told = os.path.join(folder, "reported.py")
    with open(told, "w", encoding="utf-8") as file:
        file.write(plan["code"])
    task = {key: plan[key] for key in ("form", "code", "steps")}
    task.update(word=word, pipe=theirs, path=told, root=os.getcwd())
    words = [*interpreter(plan), "-c", "import runpy, sys; runpy.run_path(sys.argv.pop(1))['inside']()", __file__]
    null = subprocess.DEVNULL
    child = start(words, folder, environment, subprocess.PIPE, stdout=null, stderr=null, pass_fds=[theirs])
    os.close(theirs)
    try:
        child.stdin.write(json.dumps(task).encode())
        child.stdin.close()
    except OSError:
        pass
    said, late = read(ours, plan.get("seconds", SECONDS))
    seen = {"late": late, "code": stop(child), "ended": False, "steps": [], "warnings": []}
    try:
        found = json.loads(said.decode())
        if found.pop("word") == word:
            seen.update(found, ended=True)
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    return seen


def start(words, folder, environment, stdin, **more):
    return subprocess.Popen(words, cwd=folder, env=environment, stdin=stdin, start_new_session=True, **more)


def stop(child):
    """Kills a process with all that it started; its status."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass
    return child.wait()


def read(pipe, seconds):
    """What the process says until it closes the pipe, and whether it had to be cut off."""
    import select

    said, end = b"", time.monotonic() + seconds
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return said, True
        part = os.read(pipe, 65536)
        said += part
        if not part or len(said) > 64 * LONGEST_OUTPUT:
            return said, False


def command(words, folder, environment, plan):
    """A command line: what it printed, and its exit status."""
    with tempfile.TemporaryFile() as out:
        try:
            child = start(words, folder, environment, subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        except OSError:
            return {"late": False, "code": None, "ended": False, "steps": [], "warnings": [], "missing": words[0]}
        late = False
        try:
            child.wait(plan.get("seconds", SECONDS))
        except subprocess.TimeoutExpired:
            late = True
        code = stop(child)
        out.seek(0, os.SEEK_END)
        out.seek(max(0, out.tell() - LONGEST_OUTPUT))
        text = out.read().decode("utf-8", "replace")
    raised = traced(text, folder, os.getcwd()) if code else None
    return {"late": late, "code": code, "ended": not late, "steps": [{"out": text, "raised": raised}], "warnings": []}


RAISED = re.compile(
    r"^(?:E {3,9}|[^\s:]{1,200}\.py:\d{1,9}: )?"
    r"((?:\w+\.){0,9}[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)|(?:\w+\.){1,9}(?:[A-Z]\w*|error))(?:: (.*))?$",
    re.M,
)


FRAME = re.compile(
    r'^[^\S\n]*File "([^"\n]{1,300})", line \d{1,9}(?:, in (\S{1,200}))?$|^([^\s:]{1,300}):\d{1,9}: in (\S{1,200})$',
    re.M,
)


def traced(text, folder="", root="/"):
    """The exception that the last traceback of a text ends with; pytest's `E   ` lines count as one.

    folder: where it was printed. root: of the program.
    """
    found = RAISED.findall(text)
    if not found:
        return None
    name, message = found[-1]
    name = name.rpartition(".")[2]
    chain, frames = [[name, message]], []
    for python, inner, pytest, other in FRAME.findall(text[text.rfind("Traceback (most recent call last)") + 1 :]):
        function = (inner or other) or ("<module>" if name == "SyntaxError" else "")
        started = function == "<module>" and frames and frames[-1][1] == "_run_code"  # by `python -m`, and no import
        frames.append((os.path.normpath(os.path.join(folder, python or pytest)), "" if started else function))
    told = {"types": [name], "message": message, "chain": chain, "file": "", "name": ""}
    return dict(told, missing=missing(chain, root), torn=is_torn(frames, chain, root), here=False, place="")
