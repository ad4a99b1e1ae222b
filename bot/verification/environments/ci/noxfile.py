"""The sessions of a `noxfile.py`, read and never run: what they install and run, as far as it is written out."""

import ast
import re
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.verification.environments.ci.named import Recipe
from bot.verification.environments.python import Needs
from bot.verification.syntax import tree_of

MOST_SESSIONS = 30
_DEEPEST = 3  # functions that call each other
_OPTIONS = ArgumentParser(add_help=False, allow_abbrev=False)
_OPTIONS.add_argument("-s", "-e", "--session", "--sessions", dest="sessions", nargs="*", action="extend", default=[])
_RUNS = ("run", "run_always", "run_install")


def of_nox(noxfile: str, words: Sequence[str]) -> Iterator[tuple[Recipe, ...]]:
    """Those that a command line of nox runs: all that it names, else one of the default after the other."""
    file = _Noxfile.of(noxfile)
    if names := _names(words):
        yield tuple(map(file.session, names))
        return
    yield from ((file.session(name),) for name in (file.default or list(file.sessions))[:MOST_SESSIONS])


def _names(words: Sequence[str]) -> list[str]:
    """Of sessions, without the Python and the parameters that stand behind them."""
    asked, _ = _OPTIONS.parse_known_args(words[: words.index("--")] if "--" in words else words)
    return [re.sub(r"(?:-(?:3\.\d+|pypy[\d.]*))?(?:\(.*\))?$", "", name) for name in asked.sessions]


@dataclass(slots=True)
class _Noxfile:
    """sessions: name -> the function. functions: all at the top. texts: names of texts and lists of them."""

    sessions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    default: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, source: str) -> "_Noxfile":
        file = cls()
        for node in tree_of(source.encode()).body:
            if isinstance(node, ast.FunctionDef):
                file.functions[node.name] = node
                for each in node.decorator_list:
                    if "session" in ast.unparse(each):
                        file.sessions[file._name_of(node, each)] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                words = file._words(node.value, {})
                if isinstance(target, ast.Name) and words:
                    file.texts[target.id] = words
                elif ast.unparse(target) == "nox.options.sessions":
                    file.default = words
        return file

    def _name_of(self, node: ast.FunctionDef, decorator: ast.expr) -> str:
        named = [key for key in getattr(decorator, "keywords", ()) if key.arg == "name"]
        words = self._words(named[0].value, {}) if named else []
        return words[0] if words else node.name

    def session(self, name: str) -> Recipe:
        found = self.sessions.get(name) or self.sessions.get(name.replace("-", "_"))
        reading = _Session(self)
        if found is not None:
            reading.read(found, {}, 0)
        return Recipe(tuple(reading.commands), reading.needs, reading.variables, reading.folder)

    def _words(self, node: ast.AST, local: dict[str, list[str]]) -> list[str]:
        """The texts that an expression stands for; of an `or` and of a condition those of its last."""
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.Name(id=name):
                return local.get(name, self.texts.get(name, []))
            case ast.BoolOp(values=[*_, last]):
                return self._words(last, local)
            case ast.IfExp(body=body, orelse=other):
                return self._words(body, local) or self._words(other, local)
            case ast.List() | ast.Tuple() | ast.Starred() | ast.BinOp(op=ast.Add()):
                return [word for inner in ast.iter_child_nodes(node) for word in self._words(inner, local)]
            case ast.JoinedStr(values=values):
                parts = [self._words(value, local) for value in values]
                return ["".join(word for part in parts for word in part)] if all(len(p) == 1 for p in parts) else []
            case ast.FormattedValue(value=ast.Attribute(value=ast.Name(id="session"), attr="python")):
                return [f"3.{sys.version_info.minor}"]
            case ast.FormattedValue(value=inner):
                return self._words(inner, local)
            case ast.Call(func=ast.Attribute(attr="dependency_groups"), args=[_, *names]):
                groups = [word for name in names for word in self._words(name, local)]
                return [word for group in groups for word in ("--group", group)]
            case ast.Call(func=ast.Name(id="str"), args=[inner]):
                return self._words(inner, local)
        return []


class _Session:
    """Reads the calls of one session in their order."""

    def __init__(self, file: _Noxfile) -> None:
        self._file = file
        self.needs, self.commands, self.folder = Needs(package=False), list[str](), ""
        self.variables: dict[str, str] = {}

    def read(self, function: ast.FunctionDef, given: dict[str, list[str]], depth: int) -> None:
        local = dict(given)
        nodes = [node for node in ast.walk(function) if isinstance(node, ast.Call | ast.Assign)]
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            if isinstance(node, ast.Assign):
                self._assign(node, local)
            else:
                self._call(node, local, depth)

    def _assign(self, node: ast.Assign, local: dict[str, list[str]]) -> None:
        words = self._file._words(node.value, local)
        match node.targets:
            case [ast.Name(id=name)]:
                local[name] = words
            case [ast.Subscript(value=ast.Attribute(attr="env"), slice=ast.Constant(value=str(key)))] if words:
                self.variables[key] = words[0]

    def _call(self, node: ast.Call, local: dict[str, list[str]], depth: int) -> None:
        words = [word for each in node.args for word in self._file._words(each, local)]
        match node.func:
            case ast.Attribute(value=ast.Name(), attr="install"):
                self.needs.add(*words)
            case ast.Attribute(value=ast.Name(), attr=name) if name in _RUNS and words:
                env = next((key.value for key in node.keywords if key.arg == "env"), None)
                self.variables |= self._table(env, local)
                self.commands.append(shlex.join(words))
            case ast.Attribute(value=ast.Attribute(attr="env"), attr="update") if node.args:
                self.variables |= self._table(node.args[0], local)
            case ast.Attribute(value=ast.Name(), attr="chdir" | "cd") if words:
                self.folder = words[0]
            case ast.Name(id=name) if name in self._file.functions and depth < _DEEPEST:
                function = self._file.functions[name]
                names = [each.arg for each in function.args.args]
                given = {key: self._file._words(each, local) for key, each in zip(names, node.args, strict=False)}
                given |= {key.arg: self._file._words(key.value, local) for key in node.keywords if key.arg}
                self.read(function, given, depth + 1)

    def _table(self, node: ast.expr | None, local: dict[str, list[str]]) -> dict[str, str]:
        pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
        read = ((key, self._file._words(value, local)) for key, value in pairs if isinstance(key, ast.Constant))
        return {str(key.value): words[0] for key, words in read if words}
