# In the process of the program: runs its code, and tells what it saw.

# mypy: ignore-errors

import json
import os
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
        "place": "" if last is None or where == path else place_of(where, last),
    }


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
