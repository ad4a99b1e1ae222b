# Runs what a report shows, in a process of its own, and compares what comes of it with what the report says.
#
#     python FILE     at the top of the repository: exit status 1 fails as reported, 0 passes, 2 fails otherwise,
#                     3 cannot be run, or is flaky
#
# The process with the program in it is not told what is expected of it, and says what it saw with a word that was taken
# from it before any of the program ran; so a program that ends early, or says nothing, does not pass.

# mypy: ignore-errors

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from bot.already_fixed.in_sandbox.comparing import equal, instead
from bot.already_fixed.in_sandbox.ending import TRACE, end_of, last_raised, verdict
from bot.already_fixed.in_sandbox.judging import judge
from bot.already_fixed.in_sandbox.watching import LONGEST_OUTPUT, is_torn, missing

SECONDS, BUILDING = 10.0, 30.0


def main(plan):
    verdict = tried(plan)
    print("%s: %s" % (verdict["seen"].replace("_", " "), verdict["shown"] or verdict["why"]))
    sys.exit({"as_reported": 1, "passes": 0, "fails_otherwise": 2}.get(verdict["seen"], 3))


def check(plan):
    """For pytest: a failed test's message holds the verdict."""
    verdict = tried(plan)
    if verdict["seen"] != "passes":
        raise AssertionError("BOUNCER " + json.dumps(verdict))


def tried(plan):
    """The verdict; what gives another one with other hashes is flaky. What cannot be run is not run again. What did not
    end gets twice the time then, and with all of it compiled: a machine may be slow for once."""
    first = judge(plan, valued(plan, run(plan, "0")))
    if first["seen"] == "cannot_run" or not plan.get("twice"):
        return first
    longer = dict(plan, seconds=2 * plan.get("seconds", SECONDS)) if first["why"] == "endless" else plan
    second = judge(plan, valued(plan, run(longer, "1")))
    if second["seen"] in (first["seen"], "cannot_run"):
        return second
    return verdict("flaky", "differs", shown=second["shown"])


def valued(plan, seen):
    """With what the values of the report give where its last statement stands: it may write them in other ways than
    Python does. Each comes out of a process of its own, so that none knows of the other."""
    expected, steps = plan["expectation"], seen["steps"]
    if plan["form"] != "session" or not steps or steps[-1]["raised"] or expected["failure"] not in ("prints", "raises"):
        return seen
    pairs = [(step["out"], wrong) for step, wrong in zip(steps, expected["wrong"]) if wrong]
    same = bool(pairs) and all(equal(found, wrong) for found, wrong in pairs)
    if same or not expected["right"] or equal(steps[-1]["out"], expected["right"]):
        return seen
    texts = [expected["right"], *expected["wrong"][-1:]]
    values = {}
    for text in texts:
        if text and (statement := instead(plan["steps"][-1], text)):
            found = run(dict(plan, steps=[*plan["steps"][:-1], statement]), "0")
            if found["ended"] and not any(step["raised"] for step in found["steps"]):
                values[text] = found["steps"][-1]["out"]
    return dict(seen, values=values)


def run(plan, seed):
    """What came of it; a dictionary as `observe` makes it."""
    folder = tempfile.mkdtemp()
    here = os.getcwd()
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join((os.path.join(here, "src"), here)))
    environment.update(plan.get("variables", {}))
    environment.update(MPLBACKEND="Agg", COLUMNS="80", PYTHONHASHSEED=seed)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the second run need not compile the program again
    environment.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", None)  # was for the test that we are in
    if plan["form"] in ("script", "session"):
        return program(plan, folder, environment)
    words, files = list(plan["steps"]), plan["files"]
    if plan["form"] == "program":
        folder = tempfile.mkdtemp(prefix="bouncer_", dir=here)  # inside, where Go finds the module
        if words[0] != "go":
            put_beside(folder, here, files)
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
    if words[:2] == ["go", "run"]:  # it says nothing where it cannot be built
        built = command(["go", "build", "-o", "built", *words[2:]], folder, environment, dict(plan, seconds=BUILDING))
        if built["code"] != 0:
            return dict(built, missing="go")
        words = ["./built"]
    return command(words, folder, environment, plan)


def put_beside(folder, root, files):
    """Links to what lies in the repository, and the project itself where Node looks for it by its name."""
    own = {name.partition("/")[0] for name, _ in files}
    for entry in os.listdir(root):
        if entry not in own and entry != "node_modules" and not entry.startswith("bouncer_"):
            os.symlink(os.path.join(root, entry), os.path.join(folder, entry))
    try:
        with open(os.path.join(root, "package.json"), encoding="utf-8") as file:
            name = json.load(file)["name"]
        place = os.path.join(folder, "node_modules", *name.split("/"))
        if os.path.realpath(place).startswith(os.path.realpath(folder)):
            os.makedirs(os.path.dirname(place))
            os.symlink(root, place)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass  # it is no project of Node's


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
    if code and plan["form"] == "program" and TRACE not in text:
        raised = end_of(text, folder, os.getcwd())
    return {"late": late, "code": code, "ended": not late, "steps": [{"out": text, "raised": raised}], "warnings": []}


FRAME = re.compile(
    r'^[^\S\n]*File "([^"\n]{1,300})", line \d{1,9}(?:, in (\S{1,200}))?$|^([^\s:]{1,300}):\d{1,9}: in (\S{1,200})$',
    re.M,
)


def traced(text, folder="", root="/"):
    """The exception that the last traceback of a text ends with; pytest's `E   ` lines count as one.

    folder: where it was printed. root: of the program.
    """
    found = last_raised(text)
    if found is None:
        return None
    name, message = found
    chain, frames = [[name, message]], []
    for python, inner, pytest, other in FRAME.findall(text[text.rfind("Traceback (most recent call last)") + 1 :]):
        function = (inner or other) or ("<module>" if name == "SyntaxError" else "")
        started = function == "<module>" and frames and frames[-1][1] == "_run_code"  # by `python -m`, and no import
        frames.append((os.path.normpath(os.path.join(folder, python or pytest)), "" if started else function))
    told = {"types": [name], "message": message, "chain": chain, "file": "", "name": ""}
    return dict(told, missing=missing(chain, root), torn=is_torn(frames, chain, root), here=False, place="")
