# Where a program of another language, or a command of the repository, is run, and by what it ended.

# mypy: ignore-errors

import json
import os
import re

# As Node and Go tell it; what a module, a file or a name is called that is not there.
THROWN = re.compile(r"^(?:Uncaught )?((?:[A-Z]\w{0,60})?Error|panic)(?: \[\w{1,60}\])?: (.*)$", re.M)
LACKED = re.compile(r"Cannot find (?:module|package) '([^']*)'|\bopen '?([^':\n]*)'?: no such file|ENOENT.* '([^']*)'")


def threw(text: str) -> "tuple[str, str] | None":
    """The class and the message of the first error that Node or Go tells of, or `None`."""
    found = THROWN.search(text)
    return (found.group(1), found.group(2)) if found else None


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


def end_of(text, folder, root):
    """An error that Node or Go tells of, as `described` tells of an exception."""
    thrown = threw(text)
    if thrown is None:
        return None
    kind, message = thrown
    trace = text[text.find(message) :].replace(folder, "")
    here = os.path.join(root, "") not in trace
    lacked = LACKED.search(message)
    module, *paths = lacked.groups() if lacked else ("",)
    kind = "ImportError" if module else "FileNotFoundError" if lacked else kind
    kind = "NameError" if kind == "ReferenceError" else kind
    told = {"types": [kind], "message": message, "chain": [[kind, message]], "file": "".join(filter(None, paths))}
    return dict(told, name=message.partition(" ")[0], missing="", torn=False, here=here, place="")
