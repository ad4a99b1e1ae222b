# In the process of the program: runs its code, and tells what it saw.

# mypy: ignore-errors

import io
import json
import os
import re
import sys

LONGEST_OUTPUT = 100000


def inside():
    """In the other process: runs the code and tells what it saw."""
    task = json.loads(sys.stdin.buffer.read().decode())
    word, pipe = task.pop("word"), task.pop("pipe")
    os.set_inheritable(pipe, False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    sys.stdin = open(0, closefd=False)
    observe(task, lambda seen: os.write(pipe, json.dumps(dict(seen, word=word)).encode()) and os._exit(0))


class Output(io.BytesIO):
    def __init__(self, name):
        self.name = name

    def write(self, data):
        if self.tell() < LONGEST_OUTPUT:
            io.BytesIO.write(self, data)
        return len(data)

    def fileno(self):
        return 1  # leads nowhere; a program may ask

    def close(self):
        pass  # with a stream that a program put around it

    def taken(self):
        text = self.getvalue().decode("utf-8", "replace")
        self.seek(0)
        self.truncate()
        return cut(text, LONGEST_OUTPUT)


def observe(task, tell):
    import builtins
    import linecache
    import types
    import warnings

    path, root = task["path"], task["root"]
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
            theirs = "site-packages" in str(filename)
            warned.append([[each.__name__ for each in category.__mro__], cut(str(message), 500), theirs])

    warnings.simplefilter("always")
    warnings.showwarning = showwarning
    kept = Output("<stdout>"), Output("<stderr>")
    # The same all the time, as at a prompt: what writes logs keeps hold of it.
    out, err = (io.TextIOWrapper(each, "utf-8", newline="") for each in kept)
    for number, source in enumerate(statements):
        raised = None
        sys.stdout, sys.stderr = out, err
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
            raised = described(error, path, root)
        for stream in (sys.stdout, sys.stderr, out, err):
            try:
                stream.flush()
            except Exception:
                pass
        said, told = kept[0].taken(), kept[1].taken()
        steps.append({"out": said or told, "raised": raised})
        if raised and number < len(statements) - 1:
            steps.extend({"out": "", "raised": None} for _ in statements[number + 1 :])
            break
    tell({"steps": steps, "warnings": warned})


def described(error, path, root):
    chain, seen, each = [], set(), error
    while each is not None and id(each) not in seen and len(chain) < 20:
        seen.add(id(each))
        chain.append([type(each).__name__, cut(text_of(each), 500)])
        each = each.__cause__ or each.__context__
    last, frames = error.__traceback__, []
    while last is not None:
        frames.append((last.tb_frame.f_code.co_filename, last.tb_frame.f_code.co_name))
        if last.tb_next is None:
            break
        last = last.tb_next
    where = frames[-1][0] if frames else ""
    if isinstance(error, SyntaxError):
        frames.append((text_of(error.filename), "<module>"))
    return {
        "types": [each.__name__ for each in type(error).__mro__],
        "message": cut(text_of(error), 2000),
        "chain": chain,
        "file": text_of(getattr(error, "filename", None) or "") if isinstance(error, OSError) else "",
        "name": text_of(getattr(error, "name", None) or "") if isinstance(error, (ImportError, NameError)) else "",
        "missing": missing(chain, root),
        "torn": is_torn(frames, chain, root),
        "here": where == path or where.startswith("<statement"),
        "place": "" if last is None or where == path else place_of(where, last),
    }


MISSING = re.compile(r"No module named '?([\w.]+)")
IMPORTS = ("ImportError", "ModuleNotFoundError")


def missing(chain, root):
    """The module that an import did not find, and that is none of the program's own; what is raised in its place may
    not name it."""
    found = sought(chain)
    return "" if is_held(found, root) else found


def sought(chain):
    if chain[0][0] not in IMPORTS:
        return ""
    return next((found.group(1) for _, message in chain for found in [MISSING.search(message)] if found), "")


def is_torn(frames, chain, root):
    """Whether the program's own code cannot be imported: something fails while one of its modules is run for the first
    time, or where it imports its own; or it is not found at all. frames: where, as pairs of a file and a function, the
    innermost last. root: of the program."""
    own = [file.startswith(os.path.join(root, "")) and "site-packages" not in file for file, _ in frames]
    if any(mine and name == "<module>" for mine, (_, name) in zip(own, frames)):
        return True
    module = sought(chain)
    if not module:
        return chain[0][0] in IMPORTS and "cannot import name" in chain[0][1] and own[-1:] == [True]
    return is_held(module, root) and (own[-1:] == [True] or "." not in module)


def is_held(module, root):
    """Whether the program holds a module, or the package that it would be of."""
    paths = [os.path.join(root, place, module.partition(".")[0]) for place in ("", "src", "lib", "python")]
    return any(os.path.isfile(os.path.join(path, "__init__.py")) or os.path.isfile(path + ".py") for path in paths)


def place_of(where, last):
    """The same for the same line of the program, wherever in its file, and at whatever revision, it stands. Empty where
    there is no such line, as in what was typed or made up."""
    try:
        import hashlib
        import linecache

        line = "" if where.startswith("<") else linecache.getline(where, last.tb_lineno).strip()
        told = (os.path.basename(os.path.dirname(where)), os.path.basename(where), last.tb_frame.f_code.co_name, line)
        return hashlib.sha256("\n".join(told).encode("utf-8", "replace")).hexdigest()[:16] if line else ""
    except BaseException:  # what the program left of the library
        return ""


def text_of(value):
    try:
        return str(value)
    except BaseException:
        return ""


def cut(text, most):
    return text if len(text) <= most else text[: most // 2] + "..." + text[len(text) - most // 2 + 3 :]
