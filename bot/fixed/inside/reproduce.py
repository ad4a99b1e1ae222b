# Runs what a report shows, in a process of its own, and compares what comes of it with what the report says.
#
#     python FILE     at the top of the repository: exit status 1 fails as reported, 0 passes, 2 fails otherwise,
#                     3 cannot be run, or is flaky
#
# The process with the program in it is not told what is expected of it, and says what it saw with a word that was taken
# from it before any of the program ran; so a program that ends early, or says nothing, does not pass.

# mypy: ignore-errors

import ast
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 10.0
LONGEST_OUTPUT = 100000
LONGEST_SHOWN = 600


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
    """The verdict; what gives another one with other hashes is flaky. What cannot be run is not run again."""
    first = judge(plan, valued(plan, run(plan, "0")))
    if first["seen"] == "cannot_run" or not plan.get("twice"):
        return first
    second = judge(plan, valued(plan, run(plan, "1")))
    if second["seen"] in (first["seen"], "cannot_run"):
        return second
    return verdict("flaky", "differs", shown=second["shown"])


# Running


def run(plan, seed):
    """What came of it; a dictionary as `observe` makes it."""
    folder = tempfile.mkdtemp()
    here = os.getcwd()
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join((os.path.join(here, "src"), here)))
    environment.update(plan.get("variables", {}))
    environment.update(MPLBACKEND="Agg", COLUMNS="80", PYTHONHASHSEED=seed)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the second run need not compile the program again
    environment.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", None)  # was for the test that we are in
    if plan["form"] == "tests":
        with open(os.path.join(folder, "test_reported.py"), "w", encoding="utf-8") as file:
            file.write(plan["code"])
        words = [*interpreter(plan), "-m", "pytest", "-p", "no:cacheprovider", "test_reported.py"]
        return command(words, folder, environment, plan)
    if plan["form"] == "command":
        for name, text in plan["files"]:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        words = list(plan["steps"])
        if words[:1] in (["python"], ["python3"]):
            words[:1] = interpreter(plan)
        return command(words, folder, environment, plan)
    return program(plan, folder, environment)


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
    task.update(word=word, pipe=theirs, path=told)
    child = subprocess.Popen(
        [*interpreter(plan), "-c", "import runpy, sys; runpy.run_path(sys.argv.pop(1))['inside']()", __file__],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[theirs],
        start_new_session=True,
    )
    os.close(theirs)
    try:
        child.stdin.write(json.dumps(task).encode())
        child.stdin.close()
    except OSError:
        pass
    said, late = read(ours, plan.get("seconds", SECONDS))
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass
    seen = {"late": late, "code": child.wait(), "ended": False, "steps": [], "warnings": []}
    try:
        found = json.loads(said.decode())
        if found.pop("word") == word:
            seen.update(found, ended=True)
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    return seen


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
            child = subprocess.Popen(
                words,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError:
            return {"late": False, "code": None, "ended": False, "steps": [], "warnings": [], "missing": words[0]}
        late = False
        try:
            child.wait(plan.get("seconds", SECONDS))
        except subprocess.TimeoutExpired:
            late = True
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except OSError:
            pass
        code = child.wait()
        out.seek(0, os.SEEK_END)
        out.seek(max(0, out.tell() - LONGEST_OUTPUT))
        text = out.read().decode("utf-8", "replace")
    raised = traced(text) if code else None
    return {"late": late, "code": code, "ended": not late, "steps": [{"out": text, "raised": raised}], "warnings": []}


RAISED = re.compile(
    r"^(?:E {3,9}|[^\s:]{1,200}\.py:\d{1,9}: )?"
    r"((?:\w+\.){0,9}[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)|(?:\w+\.){1,9}(?:[A-Z]\w*|error))(?:: (.*))?$",
    re.M,
)


def traced(text):
    """The exception that the last traceback of a text ends with; pytest's `E   ` lines count as one."""
    found = RAISED.findall(text)
    if not found:
        return None
    name, message = found[-1]
    name = name.rpartition(".")[2]
    return {"types": [name], "message": message, "chain": [[name, message]], "file": "", "name": "", "here": False}


def inside():
    """In the other process: runs the code and tells what it saw."""
    task = json.loads(sys.stdin.buffer.read().decode())
    word, pipe = task.pop("word"), task.pop("pipe")
    os.set_inheritable(pipe, False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    sys.stdin = open(0, closefd=False)
    observe(task, lambda seen: os.write(pipe, json.dumps(dict(seen, word=word)).encode()) and os._exit(0))


def observe(task, tell):
    import builtins
    import io
    import linecache
    import types
    import warnings

    class Output(io.StringIO):
        def write(self, text):
            if self.tell() < LONGEST_OUTPUT:
                io.StringIO.write(self, text)
            return len(text)

    path = task["path"]
    main_module = types.ModuleType("__main__")
    main_module.__file__ = path
    sys.modules["__main__"] = main_module
    sys.argv[:] = [path]
    names = main_module.__dict__
    names["__builtins__"] = builtins
    statements = task["steps"] if task["form"] == "session" else [task["code"]]
    mode = "single" if task["form"] == "session" else "exec"
    warned, steps = [], []

    def showwarning(message, category, filename, lineno, file=None, line=None):
        if len(warned) < 100:
            warned.append([[each.__name__ for each in category.__mro__], cut(str(message), 500)])

    warnings.simplefilter("always")
    warnings.showwarning = showwarning
    for number, source in enumerate(statements):
        out, raised = Output(), None
        sys.stdout = out
        name = path if mode == "exec" else "<statement %d>" % number
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        try:
            try:
                code = compile(source + "\n", name, mode, 0, True)
            except SyntaxError:
                if mode == "exec":
                    raise
                code = compile(source + "\n", name, "exec", 0, True)
            exec(code, names)
        except BaseException as error:
            raised = described(error, path)
        steps.append({"out": cut(out.getvalue(), LONGEST_OUTPUT), "raised": raised})
        if raised and number < len(statements) - 1:
            steps.extend({"out": "", "raised": None} for _ in statements[number + 1 :])
            break
    tell({"steps": steps, "warnings": warned})


def described(error, path):
    chain, seen, each = [], set(), error
    while each is not None and id(each) not in seen and len(chain) < 20:
        seen.add(id(each))
        chain.append([type(each).__name__, cut(text_of(each), 500)])
        each = each.__cause__ or each.__context__
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = last.tb_frame.f_code.co_filename if last is not None else ""
    return {
        "types": [each.__name__ for each in type(error).__mro__],
        "message": cut(text_of(error), 2000),
        "chain": chain,
        "file": text_of(getattr(error, "filename", None) or "") if isinstance(error, OSError) else "",
        "name": text_of(getattr(error, "name", None) or "") if isinstance(error, (ImportError, NameError)) else "",
        "here": where == path or where.startswith("<statement"),
    }


def text_of(value):
    try:
        return str(value)
    except BaseException:
        return ""


def cut(text, most):
    return text if len(text) <= most else text[: most // 2] + "..." + text[len(text) - most // 2 + 3 :]


def valued(plan, seen):
    """With what the values of the report give where its last statement stands: it may write them in other ways than
    Python does. Each comes out of a process of its own, so that none knows of the other."""
    expected, steps = plan["expectation"], seen["steps"]
    if plan["form"] != "session" or not steps or steps[-1]["raised"] or expected["failure"] not in ("prints", "raises"):
        return seen
    last = steps[-1]["out"]
    texts = [expected["right"], *expected["wrong"][-1:]]
    if any(text and equal(last, text) for text in texts) or not expected["right"]:
        return seen
    values = {}
    for text in texts:
        if text and (statement := instead(plan["steps"][-1], text)):
            found = run(dict(plan, steps=[*plan["steps"][:-1], statement]), "0")
            if found["ended"] and not any(step["raised"] for step in found["steps"]):
                values[text] = found["steps"][-1]["out"]
    return dict(seen, values=values)


def instead(statement, text):
    """The value in place of the expression that a statement shows; empty where the text is no expression."""
    try:
        value = ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return "print(%s)" % value if prints(statement) else value


def prints(statement):
    """Whether a statement prints, and is not a value that is shown."""
    return re.match(r"\s*p?print\(", statement) is not None


# Judging. Nothing below knows anything of processes.


def judge(plan, seen):
    """What was seen, why (a word of `WHY` on the outside), with one name, and what to show."""
    expected = plan["expectation"]
    steps = seen["steps"]
    raised = next((step["raised"] for step in steps if step["raised"]), None)
    out = "".join(step["out"] for step in steps)
    if seen.get("missing"):
        return verdict("cannot_run", "no command")
    if seen["late"]:
        hangs = expected["failure"] == "hangs"
        return verdict("as_reported" if hangs else "cannot_run", "endless", shown=out)
    if not seen["ended"]:
        return verdict("cannot_run", "ended itself")
    if raised:
        outside = unfit(raised, plan)
        if outside:
            return verdict("cannot_run", outside, raised["name"] or raised["types"][0], line_of(raised))
    if plan["form"] == "command" and expected["failure"] in ("prints", "warns"):
        return judge_lines(plan, seen, raised, out)
    return BY_FAILURE[expected["failure"]](plan, seen, raised, out)


def judge_raises(plan, seen, raised, out):
    expected = plan["expectation"]
    if raised is None and plan["form"] in ("command", "tests") and seen["code"]:
        name = expected["exception"]
        lines = [line for line in out.splitlines() if name and re.search(r"\b%s(?:: |$)" % re.escape(name), line)]
        same = any(alike(expected["message"], line) for line in lines)
        return verdict("as_reported" if same else "fails_otherwise", "status", shown=out[-LONGEST_SHOWN:])
    if raised is None:
        final = seen["steps"][-1]["out"] if plan["form"] == "session" else out
        if expected["right"] and not is_right(plan, seen, final):
            return verdict("fails_otherwise", "prints other", shown=final)
        return verdict("passes", "ends well", shown=out)
    wanted = expected["exception"]
    # What a session's earlier statements raise is another failure, but where the report quotes it.
    last = plan["form"] != "session" or bool(seen["steps"][-1]["raised"])
    last = last or bool(wanted and any(expected["message"]) and alike(expected["message"], raised["message"]))
    if last and (not wanted or is_a(raised, wanted)):
        if alike(expected["message"], raised["message"]):
            return verdict("as_reported", "raises", raised["types"][0], line_of(raised))
        return verdict("fails_otherwise", "other message", raised["types"][0], line_of(raised))
    if last and re.match(r"[A-Z]\w+$", expected["right"]) and is_a(raised, expected["right"]):
        return verdict("passes", "raises right")
    return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))


def judge_misses(plan, seen, raised, out):
    if raised is None:
        return verdict("as_reported", "raises nothing", shown=out)
    if is_a(raised, plan["expectation"]["exception"]):
        return verdict("passes", "raises right")
    return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))


def judge_prints(plan, seen, raised, out):
    expected = plan["expectation"]
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    if plan["form"] == "session":
        pairs = [(step["out"], wrong) for step, wrong in zip(seen["steps"], expected["wrong"]) if wrong]
        same = bool(pairs) and all(equal(found, wrong) for found, wrong in pairs)
        final = pairs[-1][0] if pairs else seen["steps"][-1]["out"]
    else:
        final = out
        same = bool(expected["wrong"]) and all(holds(out, wrong) for wrong in expected["wrong"])
    if same:
        return verdict("as_reported", "prints", shown=final)
    if expected["right"] and is_right(plan, seen, final):
        return verdict("passes", "prints right", shown=final)
    if expected["right"] and not any(expected["wrong"]):
        return verdict("as_reported", "prints not right", shown=final)
    if any(equal(final, seen.get("values", {}).get(wrong, "\0")) for wrong in expected["wrong"][-1:]):
        return verdict("as_reported", "prints", shown=final)
    return verdict("fails_otherwise", "prints other" if expected["right"] else "prints unknown", shown=final)


def is_right(plan, seen, final):
    """Whether what is shown is what should come: as a text, or as a value of Python."""
    right = plan["expectation"]["right"]
    bare = final.strip()
    unquoted = bare[1:-1] if bare[:1] in "'\"" and bare[:1] == bare[-1:] else bare
    if equal(final, right) or equal(unquoted, right) or equal(final, seen.get("values", {}).get(right, "\0")):
        return True
    value = plan["form"] == "session" and plan["steps"] and not prints(plan["steps"][-1])
    return not (value and instead("", right)) and holds(final, right)


def judge_lines(plan, seen, raised, out):
    """Of a command: lines that should not be there, and lines that should. What a status means differs by tool."""
    expected = plan["expectation"]
    found = {line_alike(line) for line in out.splitlines()}
    lines = [line for line in expected["right"].splitlines() if line.strip()]
    right = bool(lines) and all(line_alike(line) in found for line in lines)
    wrong = [line_alike(line) in found for line in expected["wrong"]]
    if (wrong and all(wrong) and not right) or (not wrong and not right and not raised):
        return verdict("as_reported", "prints" if wrong else "prints not right", shown=out[-LONGEST_SHOWN:])
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    if not any(wrong) and (right or expected["failure"] == "warns"):
        return verdict("passes", "prints right" if right else "ends well")
    why = "prints other" if lines or expected["failure"] == "warns" else "prints unknown"
    return verdict("fails_otherwise", why, shown=out[-LONGEST_SHOWN:])


def line_alike(line):
    """A line without directories and the numbers of lines: they differ from place to place and version to version."""
    return re.sub(r":\d+", ":", re.sub(r"(?:[\w.~-]{1,80}[/\\])+", "", plain(line))).lstrip("/")


def judge_warns(plan, seen, raised, out):
    expected = plan["expectation"]
    for types, message in seen["warnings"]:
        if (not expected["exception"] or expected["exception"] in types) and alike(expected["message"], message):
            return verdict("as_reported", "warns", types[0], "%s: %s" % (types[0], message))
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    return verdict("passes", "ends well", shown=out)


def judge_hangs(plan, seen, raised, out):
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    return verdict("passes", "ends well", shown=out)


BY_FAILURE = {
    "raises": judge_raises,
    "misses": judge_misses,
    "prints": judge_prints,
    "warns": judge_warns,
    "hangs": judge_hangs,
}

NETWORK = re.compile(
    r"name resolution|name or service not known|nodename nor servname|network is unreachable|no address associated"
    r"|max retries exceeded|failed to establish a new connection|getaddrinfo failed|proxyerror",
    re.I,
)
DEVICES = re.compile(
    r"\bcuda\b|\bno gpu\b|no nvidia|cannot open display|no display name|could not connect to display", re.I
)
ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError", "WindowsError": "OSError", "error": "OSError"}


def unfit(raised, plan):
    """Why an exception says nothing of the report: what it lacks is ours, or was never shown. Empty when it counts."""
    name, expected = raised["types"][0], plan["expectation"]
    wanted = (
        expected["failure"] in ("raises", "misses") and expected["exception"] and is_a(raised, expected["exception"])
    )
    told = wanted and alike(expected["message"], raised["message"])
    if any(kind == "gaierror" or NETWORK.search(message) for kind, message in raised["chain"]):
        return "network"
    if any(DEVICES.search(message) for _, message in raised["chain"]) and not told:
        return "device"
    if name == "EOFError" and "EOF when reading a line" in raised["message"]:
        return "input"
    if name in ("ImportError", "ModuleNotFoundError") and not (told and expected["message"]):
        return "module"
    if name == "NameError" and raised["here"] and not (told and expected["message"] and not raised["here"]):
        return "name"
    if name == "FileNotFoundError" and raised["file"] and os.path.basename(raised["file"]) in plan["code"]:
        return "file"
    if name in ("SyntaxError", "IndentationError", "TabError") and raised["here"] and not told:
        return "syntax"
    if name in ("KeyboardInterrupt", "MemoryError") and not told:
        return "memory" if name == "MemoryError" else "ended itself"
    if name == "SystemExit" and expected["exception"] != "SystemExit":
        return "ended itself"
    return ""


def is_a(raised, wanted):
    wanted = ALIASES.get(wanted, wanted)
    if wanted in ("Exception", "BaseException", "object"):
        return raised["types"][0] == wanted
    return wanted in raised["types"]


def alike(pieces, text):
    """Whether most words of what was reported are there, or all that it quotes: wordings differ between versions."""
    quoted = [name for piece in pieces for name in re.findall(r"'([^'\s]{2,80})'", piece)]
    if quoted and all("'%s'" % name in text for name in quoted):
        return True
    words = [word for piece in pieces for word in re.findall(r"[^\W\d_]{2,}", piece.lower())]
    found = set(re.findall(r"[^\W\d_]{2,}", text.lower()))
    return sum(word in found for word in words) >= 0.6 * len(words)


def plain(text):
    """A printed text without what differs from run to run."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    text = re.sub(r"\b[uU](?=['\"])", "", text)
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return " ".join(text.split())


def equal(found, wanted):
    found, wanted = plain(found), plain(wanted)
    return found == wanted or bool("..." in wanted and ordered(found, wanted, whole=True))


def holds(found, wanted):
    """Whether the wanted text is there, as whole words; an ellipsis stands for anything."""
    found, wanted = plain(found), plain(wanted)
    return bool(wanted) and (
        ordered(found, wanted, whole=False) if "..." in wanted else " %s " % wanted in " %s " % found
    )


def ordered(found, wanted, whole):
    pieces = [piece.strip() for piece in re.split(r"\.\.\.", wanted)]
    at = 0
    for piece in pieces:
        place = found.find(piece, at)
        if place < 0:
            return False
        at = place + len(piece)
    if not any(pieces):
        return False
    return not whole or (found.startswith(pieces[0]) and found.endswith(pieces[-1]))


def line_of(raised):
    return "%s: %s" % (raised["types"][0], raised["message"]) if raised["message"] else raised["types"][0]


def verdict(seen, why, name="", shown=""):
    """Bounded as it travels, in a message of which the runner keeps 2,000 characters."""
    while len(json.dumps(shown)) > LONGEST_SHOWN:
        shown = cut(shown, len(shown) * 3 // 4)
    return {"seen": seen, "why": why, "name": cut(name, 80), "shown": shown}
